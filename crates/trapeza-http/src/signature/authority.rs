//! The authorities that issue seals, and their revocation lists.

use super::{SealError, SealFile};
use crate::server::{ExpiredCrl, crl_end, first_end, pem_certificates, revocation_lists};
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use std::time::Duration;
use trapeza_domain::time::Timestamp;
use webpki::{
    ALL_VERIFICATION_ALGS, CertRevocationList, EndEntityCert, Error, ExpirationPolicy,
    ExtendedKeyUsageValidator, KeyPurposeIdIter, OwnedCertRevocationList, RevocationOptionsBuilder,
    UnknownStatusPolicy, anchor_from_trusted_cert,
};

/// The issuers whose seals are accepted. Without any, no seal is.
#[derive(Debug, Default)]
pub struct SealAuthorities {
    anchors: Vec<TrustAnchor<'static>>,
    lists: Vec<CertRevocationList<'static>>,
    enforce_list_end: bool,
}

/// The authorities, and when the first certificate and the first list of their files end.
#[derive(Debug)]
pub struct LoadedAuthorities {
    pub authorities: SealAuthorities,
    pub end: Option<Timestamp>,
    pub list_end: Option<Timestamp>,
}

impl SealAuthorities {
    /// From the contents of their files: certificates in PEM, and revocation lists in PEM, or one in DER.
    pub fn load(
        certificates: &[u8],
        lists: Option<&[u8]>,
        expired_list: ExpiredCrl,
    ) -> Result<LoadedAuthorities, SealError> {
        let unusable = |text: String| SealError::new(SealFile::Authorities, text);
        let certificates =
            pem_certificates(certificates).map_err(|text| unusable(format!("the file {text}")))?;
        let anchors = certificates.iter().map(|certificate| {
            let anchor = anchor_from_trusted_cert(certificate).map(|anchor| anchor.to_owned());
            anchor.map_err(|error| unusable(format!("a certificate cannot be used: {error}")))
        });
        let anchors = anchors.collect::<Result<_, _>>()?;
        let unusable = |text: String| SealError::new(SealFile::RevocationLists, text);
        let lists = lists.map(revocation_lists).transpose().map_err(|text| unusable(text.to_owned()))?;
        let lists = lists.unwrap_or_default();
        let list_end = lists.iter().filter_map(crl_end).min();
        let lists = lists.iter().map(|list| {
            let list = OwnedCertRevocationList::from_der(list);
            let list =
                list.map_err(|error| unusable(format!("a revocation list cannot be used: {error}")))?;
            Ok(CertRevocationList::from(list))
        });
        let authorities = Self {
            anchors,
            lists: lists.collect::<Result<_, SealError>>()?,
            enforce_list_end: expired_list == ExpiredCrl::Refuse,
        };
        Ok(LoadedAuthorities { authorities, end: first_end(&certificates), list_end })
    }

    /// Verifies that one of the authorities has issued the certificate, that it is valid now and that it was not revoked.
    pub(super) fn verify(&self, certificate: &EndEntityCert<'_>, now: Timestamp) -> Result<(), Error> {
        let seconds = u64::try_from(now.0.div_euclid(1_000_000)).unwrap_or(0);
        let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let lists: Vec<&CertRevocationList<'_>> = self.lists.iter().collect();
        let revocation = RevocationOptionsBuilder::new(&lists).ok().map(|options| {
            let expiration = match self.enforce_list_end {
                true => ExpirationPolicy::Enforce,
                false => ExpirationPolicy::Ignore,
            };
            // Not every authority publishes a list.
            let options = options.with_status_policy(UnknownStatusPolicy::Allow);
            options.with_expiration_policy(expiration).build()
        });
        let algorithms = ALL_VERIFICATION_ALGS;
        certificate.verify_for_usage(algorithms, &self.anchors, &[], now, AnyUsage, revocation, None)?;
        Ok(())
    }
}

/// The extended usages of a seal's key are not standardised. Its type is checked elsewhere.
struct AnyUsage;

impl ExtendedKeyUsageValidator for AnyUsage {
    fn validate(&self, _: KeyPurposeIdIter<'_, '_>) -> Result<(), Error> {
        Ok(())
    }
}

/// Decodes a certificate for verification.
pub(super) fn end_entity<'a>(der: &'a CertificateDer<'_>) -> Result<EndEntityCert<'a>, Error> {
    EndEntityCert::try_from(der)
}
