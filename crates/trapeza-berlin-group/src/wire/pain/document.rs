//! A message pain.001, by its namespace.

use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_xml::{self as xml, Element};

pub const NAMESPACE: &str = "urn:iso:std:iso:20022:tech:xsd:";
const MESSAGE: &str = "CstmrCdtTrfInitn";
/// Of attributes that say where the schema is.
const SCHEMA_INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// The versions of pain.001.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PainVersion {
    V03,
    V09,
}

impl PainVersion {
    /// The name of the message.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V03 => "pain.001.001.03",
            Self::V09 => "pain.001.001.09",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        [Self::V03, Self::V09].into_iter().find(|version| version.name() == name)
    }
}

/// A message whose version is known. Its content is not checked yet.
#[derive(Clone, Debug)]
pub struct PainDocument {
    pub version: PainVersion,
    /// `CstmrCdtTrfInitn`
    pub message: Element,
}

impl PainDocument {
    pub fn parse(bytes: &[u8]) -> Result<Self, Refusal> {
        let document =
            xml::parse(bytes).map_err(|error| malformed(format!("the body must be XML: {error}")))?;
        let version = version(&document).ok_or_else(|| {
            let (old, new) = (PainVersion::V03.name(), PainVersion::V09.name());
            malformed(format!("the body must be a Document in the namespace {NAMESPACE}{old} or {NAMESPACE}{new}, and in no other"))
        })?;
        match <[Element; 1]>::try_from(document.children) {
            Ok([message]) if message.name == MESSAGE => Ok(Self { version, message }),
            _ => Err(malformed(format!("the Document must contain one element {MESSAGE}"))),
        }
    }
}

/// The version that the one namespace of the document names.
fn version(document: &Element) -> Option<PainVersion> {
    let is_namespace = |name: &str| name == "xmlns" || name.starts_with("xmlns:");
    let declared = document.attributes.iter().filter(|(name, _)| is_namespace(name));
    let mut names = declared.map(|(_, value)| value.as_str()).filter(|value| *value != SCHEMA_INSTANCE);
    let (only, more) = (names.next()?, names.next());
    let is_document = document.name == "Document" && more.is_none();
    PainVersion::parse(only.strip_prefix(NAMESPACE)?).filter(|_| is_document)
}

fn malformed(text: String) -> Refusal {
    Refusal::new(RefusalReason::Malformed, text)
}
