//! Certificates for electronic seals (QSEAL), with which third parties sign requests.
//!
//! Only the content is parsed here. Who issued the certificate and whether it was revoked is verified by the caller.

use super::parse::{decode, parsed, statements, text};
use super::{CertificateParseError, qc_statement};
use trapeza_domain::application::ParsedCertificate;
use x509_cert::der::Decode;
use x509_cert::der::oid::AssociatedOid;
use x509_cert::ext::pkix::KeyUsage;

/// The values of a seal certificate that a signed request is verified with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealCertificate {
    pub holder: ParsedCertificate,
    /// The serial number without leading zeros.
    pub serial: Vec<u8>,
    /// The attributes of the issuer's name in the order of the certificate: object identifier in dotted form, and value.
    pub issuer: Vec<(String, String)>,
    /// Whether it is qualified for electronic seals, and its key may sign.
    pub is_seal: bool,
}

/// Parses a certificate that was sent with a signature.
pub fn parse_seal(der: &[u8]) -> Result<SealCertificate, CertificateParseError> {
    let certificate = decode(der)?;
    let is_type = match statements(&certificate)? {
        Some(extension) => qc_statement::is_seal(extension)?,
        None => false,
    };
    let usages = certificate.extensions.iter().flatten();
    let mut usages = usages.filter(|extension| extension.extn_id == KeyUsage::OID);
    let may_sign = match usages.next() {
        None => true,
        Some(extension) => {
            let usage = KeyUsage::from_der(extension.extn_value.as_bytes())
                .map_err(|_| CertificateParseError("the certificate's key usage is malformed"))?;
            usage.digital_signature() || usage.non_repudiation()
        }
    };
    let attributes = certificate.issuer.0.iter().flat_map(|relative_name| relative_name.0.iter());
    let issuer = attributes.map(|attribute| {
        let value = text(&attribute.value)
            .ok_or(CertificateParseError("the name of the certificate's issuer is not in readable text"))?;
        Ok((attribute.oid.to_string(), value))
    });
    let serial = certificate.serial_number.as_bytes();
    let leading_zeros = serial.iter().take_while(|byte| **byte == 0).count();
    Ok(SealCertificate {
        holder: parsed(der, &certificate)?,
        serial: serial[leading_zeros..].to_vec(),
        issuer: issuer.collect::<Result<_, _>>()?,
        is_seal: is_type && may_sign,
    })
}
