//! Parsing of DER into the values that authentication needs.
//!
//! The parser is strict where an ambiguity could be exploited: no trailing bytes, no repeated extension, exactly one
//! organizationIdentifier. Signatures are not verified: a registered fingerprint needs none, and the TLS handshake
//! proves the possession of the key.

use super::{CertificateParseError, qc_statement};
use sha2::{Digest, Sha256};
use trapeza_domain::application::ParsedCertificate;
use trapeza_domain::time::{TimeDelta, Timestamp};
use x509_parser::asn1_rs::{Oid, oid};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer;
use x509_parser::time::ASN1Time;

const ORGANISATION_IDENTIFIER: Oid<'static> = oid!(2.5.4.97);
const ORGANISATION_NAME: Oid<'static> = oid!(2.5.4.10);
const COMMON_NAME: Oid<'static> = oid!(2.5.4.3);

/// Long enough for every name that X.520 allows, in any script.
const NAME_LENGTH_MAX: usize = 256;

/// Parses a certificate.
pub fn parse(der: &[u8]) -> Result<ParsedCertificate, CertificateParseError> {
    let certificate = match X509Certificate::from_der(der) {
        Ok(([], certificate)) => certificate,
        Ok(_) => return Err(CertificateParseError("there are bytes after the end of the certificate")),
        Err(_) => {
            return Err(CertificateParseError("the certificate is not a well-formed X.509 certificate"));
        }
    };
    let organisation = attribute(&certificate, &ORGANISATION_IDENTIFIER)?
        .ok_or(CertificateParseError("the certificate's subject has no organizationIdentifier"))?;
    let name = match attribute(&certificate, &ORGANISATION_NAME)? {
        Some(name) => name,
        None => attribute(&certificate, &COMMON_NAME)?.ok_or(CertificateParseError(
            "the certificate's subject has neither an organizationName nor a commonName",
        ))?,
    };
    let statements = certificate
        .get_extension_unique(&qc_statement::QC_STATEMENTS)
        .map_err(|_| CertificateParseError("the certificate has its QcStatements extension twice"))?;
    let roles = match statements {
        Some(extension) => qc_statement::roles(extension.value)?,
        None => Vec::new(),
    };
    let validity = certificate.validity();
    Ok(ParsedCertificate {
        fingerprint: Sha256::digest(der).into(),
        organisation,
        name,
        roles,
        not_before: instant(validity.not_before),
        not_after: instant(validity.not_after),
    })
}

/// The only value of an attribute. Two values would be ambiguous.
fn attribute(
    certificate: &X509Certificate<'_>,
    kind: &Oid<'static>,
) -> Result<Option<String>, CertificateParseError> {
    let mut values = certificate.subject().iter_by_oid(kind);
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(CertificateParseError("the certificate's subject names its holder twice"));
    }
    let text = value
        .as_str()
        .map_err(|_| CertificateParseError("the certificate's subject is not in readable text"))?
        .trim();
    if text.is_empty() || text.len() > NAME_LENGTH_MAX || text.chars().any(char::is_control) {
        return Err(CertificateParseError(
            "the certificate's subject is empty, too long or has control characters",
        ));
    }
    Ok(Some(text.to_owned()))
}

/// Validity is counted in seconds, and the last second is included.
fn instant(time: ASN1Time) -> Timestamp {
    Timestamp(0).plus(TimeDelta(time.timestamp().saturating_mul(1_000_000)))
}
