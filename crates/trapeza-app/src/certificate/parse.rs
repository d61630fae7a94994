//! Parsing of DER into the values that authentication needs.
//!
//! The parser is strict where an ambiguity could be exploited: no trailing bytes, no repeated extension, exactly one
//! organizationIdentifier. Signatures are not verified: a registered fingerprint needs none, and the TLS handshake
//! proves the possession of the key.

use super::{CertificateParseError, qc_statement};
use sha2::{Digest, Sha256};
use trapeza_domain::application::ParsedCertificate;
use trapeza_domain::time::{TimeDelta, Timestamp};
use x509_cert::certificate::{CertificateInner, Raw, TbsCertificateInner};
use x509_cert::der::asn1::{
    Any, BmpString, Ia5StringRef, PrintableStringRef, TeletexStringRef, Utf8StringRef,
};
use x509_cert::der::oid::{AssociatedOid, ObjectIdentifier};
use x509_cert::der::{Decode, ErrorKind, Tag, Tagged};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::time::Time;

const ORGANISATION_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.97");
const ORGANISATION_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.10");
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");

/// Long enough for every name that X.520 allows, in any script.
const MAX_NAME_BYTES: usize = 256;

/// Parses a certificate.
pub fn parse(der: &[u8]) -> Result<ParsedCertificate, CertificateParseError> {
    parsed(der, &decode(der)?)
}

/// Decodes the structure of a certificate. Issuers differ in what they consider a valid serial number, so any is accepted.
pub(super) fn decode(der: &[u8]) -> Result<TbsCertificateInner<Raw>, CertificateParseError> {
    let decoded = CertificateInner::<Raw>::from_der(der).map_err(|error| match error.kind() {
        ErrorKind::TrailingData { .. } => {
            CertificateParseError("there are bytes after the end of the certificate")
        }
        _ => CertificateParseError("the certificate is not a well-formed X.509 certificate"),
    });
    decoded.map(|certificate| certificate.tbs_certificate)
}

/// The parsed values of a decoded certificate.
pub(super) fn parsed(
    der: &[u8],
    certificate: &TbsCertificateInner<Raw>,
) -> Result<ParsedCertificate, CertificateParseError> {
    let organisation = attribute(certificate, ORGANISATION_IDENTIFIER)?
        .ok_or(CertificateParseError("the certificate's subject has no organizationIdentifier"))?;
    let name = match attribute(certificate, ORGANISATION_NAME)? {
        Some(name) => name,
        None => attribute(certificate, COMMON_NAME)?.ok_or(CertificateParseError(
            "the certificate's subject has neither an organizationName nor a commonName",
        ))?,
    };
    let roles = match statements(certificate)? {
        None => Vec::new(),
        Some(extension) => qc_statement::roles(extension)?,
    };
    let validity = certificate.validity;
    Ok(ParsedCertificate {
        fingerprint: Sha256::digest(der).into(),
        organisation,
        name,
        host_names: host_names(certificate)?.into(),
        roles,
        not_before: instant(validity.not_before),
        not_after: instant(validity.not_after),
    })
}

/// The host names that a certificate is for: its alternative names, and its common name where that is one.
fn host_names(certificate: &TbsCertificateInner<Raw>) -> Result<Vec<String>, CertificateParseError> {
    let extensions = certificate.extensions.iter().flatten();
    let alternative = extensions
        .filter(|extension| extension.extn_id == SubjectAltName::OID)
        .filter_map(|extension| SubjectAltName::from_der(extension.extn_value.as_bytes()).ok())
        .flat_map(|names| names.0)
        .filter_map(|name| match name {
            GeneralName::DnsName(name) => Some(name.as_str().to_owned()),
            _ => None,
        });
    let common = attribute(certificate, COMMON_NAME)?.filter(|name| is_host_name(name));
    Ok(alternative.chain(common).collect())
}

fn is_host_name(name: &str) -> bool {
    let name = name.strip_prefix("*.").unwrap_or(name);
    name.contains('.') && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
}

/// The content of the QcStatements extension.
pub(super) fn statements(
    certificate: &TbsCertificateInner<Raw>,
) -> Result<Option<&[u8]>, CertificateParseError> {
    let extensions = certificate.extensions.iter().flatten();
    let mut statements = extensions.filter(|extension| extension.extn_id == qc_statement::QC_STATEMENTS);
    match (statements.next(), statements.next()) {
        (first, None) => Ok(first.map(|extension| extension.extn_value.as_bytes())),
        (_, Some(_)) => Err(CertificateParseError("the certificate has its QcStatements extension twice")),
    }
}

/// The only value of an attribute. Two values would be ambiguous.
fn attribute(
    certificate: &TbsCertificateInner<Raw>,
    kind: ObjectIdentifier,
) -> Result<Option<String>, CertificateParseError> {
    let attributes = certificate.subject.0.iter().flat_map(|relative_name| relative_name.0.iter());
    let mut values = attributes.filter(|attribute| attribute.oid == kind);
    let Some(attribute) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(CertificateParseError("the certificate's subject names its holder twice"));
    }
    let text = text(&attribute.value)
        .ok_or(CertificateParseError("the certificate's subject is not in readable text"))?;
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_NAME_BYTES || text.chars().any(char::is_control) {
        return Err(CertificateParseError(
            "the certificate's subject is empty, too long or has control characters",
        ));
    }
    Ok(Some(text.to_owned()))
}

/// The text of a DirectoryString, whichever of its types the issuer has chosen.
pub(super) fn text(value: &Any) -> Option<String> {
    match value.tag() {
        Tag::Utf8String => value.decode_as::<Utf8StringRef<'_>>().ok().map(|text| text.as_str().to_owned()),
        Tag::PrintableString => {
            value.decode_as::<PrintableStringRef<'_>>().ok().map(|text| text.as_str().to_owned())
        }
        Tag::Ia5String => value.decode_as::<Ia5StringRef<'_>>().ok().map(|text| text.as_str().to_owned()),
        Tag::TeletexString => {
            value.decode_as::<TeletexStringRef<'_>>().ok().map(|text| text.as_str().to_owned())
        }
        Tag::BmpString => value.decode_as::<BmpString>().ok().map(|text| text.to_string()),
        _ => None,
    }
}

/// Validity is counted in seconds, and the last second is included.
fn instant(time: Time) -> Timestamp {
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
    Timestamp(0).plus(TimeDelta(seconds.saturating_mul(1_000_000)))
}
