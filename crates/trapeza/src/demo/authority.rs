//! The sandbox's certificate authority: what a national authority and a trust service do for third parties elsewhere.
//!
//! Its key is in a file of the data directory, so that certificates which the portal issues after a restart have the same authority
//! as the demo's. It knows certificates only, not which third parties there are.

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, CustomExtension, DistinguishedName, DnType, Error,
    ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose, date_time_ymd,
};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;
use trapeza_app::organisation::{TestCertificate, TestCertificateIssuer};
use trapeza_domain::application::Role;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{TimeDelta, Timestamp};

/// Ten years of 365 days and the days that leap years add.
const VALIDITY: TimeDelta = TimeDelta::days(3_652);

/// The start of the authority in microseconds since 1970, and its key.
const FILE: &str = "sandbox-authority.pem";

const ORGANISATION_IDENTIFIER: [u64; 4] = [2, 5, 4, 97];
const QC_STATEMENTS: [u64; 9] = [1, 3, 6, 1, 5, 5, 7, 1, 3];

/// An authority of P-256, whose certificates begin with itself.
#[derive(Debug)]
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    from: Timestamp,
}

/// Whom a certificate is for, and what it entitles to. No roles is a faulty certificate that still can be read.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationOwner<'a> {
    pub name: &'a str,
    /// organizationIdentifier, e.g. `PSDGR-BOG-000001`.
    pub organisation: &'a str,
    pub roles: &'a [Role],
}

/// When a certificate is valid, seen from the authority's beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    TenYears,
    /// Over since the day before.
    Expired,
}

/// A certificate and its key, in PEM.
#[derive(Clone)]
pub struct Issued {
    pub certificate_pem: String,
    pub key_pem: String,
}

impl Authority {
    /// An authority whose key is not stored.
    pub fn generate(from: Timestamp) -> Result<Self, Error> {
        Self::with_key(KeyPair::generate()?, from)
    }

    fn with_key(key: KeyPair, from: Timestamp) -> Result<Self, Error> {
        let mut params = params("Trapeza Sandbox", "Trapeza Sandbox Authority", from, from.plus(VALIDITY));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let issuer = CertifiedIssuer::self_signed(params, key)?;
        Ok(Self { issuer, from })
    }

    /// The authority of a sandbox: read from its data directory, or generated there.
    pub fn open(dir: &Path, from: Timestamp) -> Result<Self, String> {
        let file = dir.join(FILE);
        let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        if let Ok(text) = std::fs::read_to_string(&file) {
            let (from, pem) = text.split_once('\n').ok_or_else(|| problem(&"expected a time and a key"))?;
            let from = from.parse().map(Timestamp).map_err(|error| problem(&error))?;
            let key = KeyPair::from_pem(pem).map_err(|error| problem(&error))?;
            return Self::with_key(key, from).map_err(|error| problem(&error));
        }
        let key = KeyPair::generate().map_err(|error| problem(&error))?;
        let text = format!("{}\n{}", from.0, key.serialize_pem());
        let mut options = std::fs::OpenOptions::new();
        let opened = options.write(true).create_new(true).mode(0o600).open(&file);
        let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| problem(&error))?;
        Self::with_key(key, from).map_err(|error| problem(&error))
    }

    /// What a server has to trust so that it accepts the certificates issued here.
    pub fn certificate_pem(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for the TLS connection (QWAC).
    pub fn issue(&self, holder: ApplicationOwner<'_>, validity: Validity) -> Result<Issued, Error> {
        let usages = vec![KeyUsagePurpose::DigitalSignature];
        let statements = (!holder.roles.is_empty()).then(|| vec![psd2_statement(holder.roles)]);
        let extended = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.certify(holder, validity, usages, extended, statements)
    }

    /// A certificate for signatures (QSEAL).
    pub fn issue_seal(&self, holder: ApplicationOwner<'_>, validity: Validity) -> Result<Issued, Error> {
        let usages = vec![KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::ContentCommitment];
        let statements = vec![seal_statement(), psd2_statement(holder.roles)];
        self.certify(holder, validity, usages, Vec::new(), Some(statements))
    }

    fn certify(
        &self,
        holder: ApplicationOwner<'_>,
        validity: Validity,
        usages: Vec<KeyUsagePurpose>,
        extended_usages: Vec<ExtendedKeyUsagePurpose>,
        statements: Option<Vec<Vec<u8>>>,
    ) -> Result<Issued, Error> {
        let (not_before, not_after) = match validity {
            Validity::TenYears => (self.from, self.from.plus(VALIDITY)),
            Validity::Expired => (self.from.minus(TimeDelta::days(366)), self.from.minus(TimeDelta::days(1))),
        };
        let mut params = params(holder.name, holder.name, not_before, not_after);
        params
            .distinguished_name
            .push(DnType::CustomDnType(ORGANISATION_IDENTIFIER.to_vec()), holder.organisation);
        params.key_usages = usages;
        params.extended_key_usages = extended_usages;
        params.use_authority_key_identifier_extension = true;
        if let Some(statements) = statements {
            let statements = sequence(&[&statements.concat()]);
            params.custom_extensions = vec![CustomExtension::from_oid_content(&QC_STATEMENTS, statements)];
        }
        let key = KeyPair::generate()?;
        let certificate = params.signed_by(&key, &self.issuer)?;
        Ok(Issued { certificate_pem: certificate.pem(), key_pem: key.serialize_pem() })
    }
}

impl TestCertificateIssuer for Authority {
    fn issue(&self, name: &str, organisation: &str, roles: &[Role]) -> Result<TestCertificate, String> {
        let issued = self.issue(ApplicationOwner { name, organisation, roles }, Validity::TenYears);
        let Issued { certificate_pem, key_pem } = issued.map_err(|error| error.to_string())?;
        Ok(TestCertificate { certificate_pem, key_pem: Secret::new(key_pem) })
    }
}

fn params(organisation: &str, name: &str, not_before: Timestamp, not_after: Timestamp) -> CertificateParams {
    // Certificates count in seconds; the span from 1970 is added because the calendar type is not ours to name.
    let seconds = |at: Timestamp| Duration::from_secs(u64::try_from(at.0.div_euclid(1_000_000)).unwrap_or(0));
    let epoch = date_time_ymd(1970, 1, 1);
    let mut params = CertificateParams::default();
    params.not_before = epoch + seconds(not_before);
    params.not_after = epoch + seconds(not_after);
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CountryName, "GR");
    params.distinguished_name.push(DnType::OrganizationName, organisation);
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

/// The statement of PSD2 (ETSI TS 119 495 §5.1), one SEQUENCE a role:
/// `SEQUENCE { id, SEQUENCE { SEQUENCE OF SEQUENCE { role id, role name }, authority's name, its id } }`.
fn psd2_statement(roles: &[Role]) -> Vec<u8> {
    let roles: Vec<u8> =
        roles.iter().flat_map(|role| sequence(&[&role_id(*role), &utf8(role.name())])).collect();
    let info = sequence(&[&sequence(&[&roles]), &utf8("Bank of Greece"), &utf8("GR-BOG")]);
    sequence(&[&object_id(&[0x02]), &info])
}

/// The statement of the type of a qualified certificate, for electronic seals (ETSI EN 319 412-5 §4.2.3):
/// `SEQUENCE { 0.4.0.1862.1.6, SEQUENCE { 0.4.0.1862.1.6.2 } }`.
fn seal_statement() -> Vec<u8> {
    let id = |rest: &[u8]| element(0x06, &[&[0x04, 0x00, 0x8e, 0x46, 0x01, 0x06], rest]);
    sequence(&[&id(&[]), &sequence(&[&id(&[0x02])])])
}

fn role_id(role: Role) -> Vec<u8> {
    object_id(match role {
        Role::AccountServicing => &[0x01, 0x01],
        Role::PaymentInitiation => &[0x01, 0x02],
        Role::AccountInformation => &[0x01, 0x03],
        Role::CardIssuing => &[0x01, 0x04],
    })
}

/// An object identifier under that of the standard, 0.4.0.19495.
fn object_id(rest: &[u8]) -> Vec<u8> {
    element(0x06, &[&[0x04, 0x00, 0x81, 0x98, 0x27], rest])
}

fn utf8(text: &str) -> Vec<u8> {
    element(0x0c, &[text.as_bytes()])
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    element(0x30, parts)
}

fn element(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let length = u8::try_from(content.len()).expect("four roles and one authority are under 256 bytes");
    let mut element = if length < 0x80 { vec![tag, length] } else { vec![tag, 0x81, length] };
    element.extend(content);
    element
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls_pki_types::pem::PemObject;
    use rustls_pki_types::{CertificateDer, UnixTime};
    use std::sync::Arc;
    use trapeza_app::certificate;
    use trapeza_domain::application::{CertificateStatus, ParsedCertificate};
    use trapeza_domain::refusal::RefusalReason;

    const NOW: Timestamp = Timestamp(1_794_700_800_000_000);

    fn holder(roles: &[Role]) -> ApplicationOwner<'_> {
        ApplicationOwner { name: "Φως Πληρωμές AE", organisation: "PSDGR-BOG-000001", roles }
    }

    fn facts(issued: &Issued) -> ParsedCertificate {
        certificate::parse(&certificate::decode_header(&issued.certificate_pem).unwrap()).unwrap()
    }

    /// What the server does in the handshake.
    fn verify(authority: &Authority, issued: &Issued, at: Timestamp) -> Result<(), rustls::Error> {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.certificate_pem().as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = rustls::server::WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        let leaf = CertificateDer::from_pem_slice(issued.certificate_pem.as_bytes()).unwrap();
        let seconds = Duration::from_secs(u64::try_from(at.0 / 1_000_000).unwrap());
        let now = UnixTime::since_unix_epoch(seconds);
        verifier.build().unwrap().verify_client_cert(&leaf, &[], now).map(|_| ())
    }

    #[test]
    fn certificate_contains_organisation_and_roles() {
        let authority = Authority::generate(NOW).unwrap();
        for set in 0..1_u8 << Role::ALL.len() {
            let of_set = |(bit, role): (usize, Role)| (set >> bit & 1 == 1).then_some(role);
            let roles: Vec<Role> = Role::ALL.into_iter().enumerate().filter_map(of_set).collect();
            let facts = facts(&authority.issue(holder(&roles), Validity::TenYears).unwrap());
            assert_eq!(
                (facts.name.as_str(), facts.organisation.as_str()),
                ("Φως Πληρωμές AE", "PSDGR-BOG-000001")
            );
            assert_eq!(facts.roles, roles);
            assert_eq!((facts.not_before, facts.not_after), (NOW, NOW.plus(VALIDITY)));
        }
    }

    #[test]
    fn only_its_own_certificates_pass_the_handshake() {
        let authority = Authority::generate(NOW).unwrap();
        let good = authority.issue(holder(&Role::ALL), Validity::TenYears).unwrap();
        assert_eq!(verify(&authority, &good, NOW), Ok(()));
        assert_eq!(verify(&authority, &good, NOW.plus(VALIDITY)), Ok(()));
        assert!(verify(&authority, &good, NOW.plus(VALIDITY).plus(TimeDelta::seconds(1))).is_err());
        assert!(verify(&Authority::generate(NOW).unwrap(), &good, NOW).is_err());
    }

    #[test]
    fn faulty_certificates_are_refused_with_their_reason() {
        let authority = Authority::generate(NOW).unwrap();
        let refused = |roles: &[Role], validity| {
            let facts = facts(&authority.issue(holder(roles), validity).unwrap());
            facts
                .authorise(CertificateStatus::Active, NOW, Role::AccountInformation)
                .map_err(|refusal| refusal.reason)
        };
        assert_eq!(refused(&Role::ALL, Validity::TenYears), Ok(()));
        assert_eq!(refused(&Role::ALL, Validity::Expired), Err(RefusalReason::CertificateExpired));
        assert_eq!(refused(&[], Validity::TenYears), Err(RefusalReason::RoleMissing));
    }

    #[test]
    fn seal_has_its_type_and_the_roles_and_a_certificate_for_tls_does_not() {
        let authority = Authority::generate(NOW).unwrap();
        let seal = |issued: &Issued| {
            let der = certificate::decode_header(&issued.certificate_pem).unwrap();
            certificate::parse_seal(&der).unwrap()
        };
        let sealed = seal(&authority.issue_seal(holder(&Role::ALL), Validity::TenYears).unwrap());
        assert!(sealed.is_seal);
        assert_eq!(
            (sealed.holder.roles.as_slice(), sealed.holder.organisation.as_str()),
            (&Role::ALL[..], "PSDGR-BOG-000001")
        );
        assert_eq!(sealed.issuer[2], ("2.5.4.3".to_owned(), "Trapeza Sandbox Authority".to_owned()));
        assert!(!seal(&authority.issue(holder(&Role::ALL), Validity::TenYears).unwrap()).is_seal);
    }

    #[test]
    fn key_matches_the_certificate() {
        let issued = Authority::generate(NOW).unwrap().issue(holder(&[]), Validity::TenYears).unwrap();
        let key = KeyPair::from_pem(&issued.key_pem).unwrap();
        let der = certificate::decode_header(&issued.certificate_pem).unwrap();
        let public = key.public_key_raw();
        assert!(der.windows(public.len()).any(|part| part == public));
    }
}
