//! Certificates with every encoding of the roles, and damaged ones.

use super::*;
use crate::authentication::PresentedCertificate;
use proptest::prelude::*;
use rcgen::{CertificateParams, CustomExtension, DistinguishedName, DnType, KeyPair, date_time_ymd};
use sha2::{Digest, Sha256};
use std::sync::LazyLock;
use trapeza_domain::application::{CertificateStatus, Role};
use trapeza_domain::time::Timestamp;

const QC_STATEMENTS: [u64; 9] = [1, 3, 6, 1, 5, 5, 7, 1, 3];
const ORGANISATION_IDENTIFIER: [u64; 4] = [2, 5, 4, 97];
const OID: u8 = 0x06;
const UTF8: u8 = 0x0c;
const SEQUENCE: u8 = 0x30;

/// One DER element with a length of one or two bytes.
fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).expect("test elements are short");
    let head = if length < 0x80 { vec![tag, length] } else { vec![tag, 0x81, length] };
    [head, content.to_vec()].concat()
}

fn sequence(parts: &[Vec<u8>]) -> Vec<u8> {
    tlv(SEQUENCE, &parts.concat())
}

/// 0.4.0.19495.1.N and a name.
fn role(number: u8, name: &str) -> Vec<u8> {
    [tlv(OID, &[0x04, 0x00, 0x81, 0x98, 0x27, 0x01, number]), tlv(UTF8, name.as_bytes())].concat()
}

/// The whole extension, with a statement before the PSD2 one (QcCompliance, which has no info).
fn extension(roles: Vec<u8>) -> Vec<u8> {
    let authority = [tlv(UTF8, "Bank of Greece".as_bytes()), tlv(UTF8, b"GR-BOG")];
    let info = sequence(&[roles, authority.concat()]);
    let compliance = sequence(&[tlv(OID, &[0x04, 0x00, 0x8e, 0x46, 0x01, 0x01])]);
    let psd2 = sequence(&[tlv(OID, &[0x04, 0x00, 0x81, 0x98, 0x27, 0x02]), info]);
    sequence(&[compliance, psd2])
}

fn params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.not_before = date_time_ymd(2026, 1, 1);
    params.not_after = date_time_ymd(2036, 1, 1);
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, "api.example");
    params.distinguished_name.push(DnType::OrganizationName, "Φως Πληρωμές AE");
    params
        .distinguished_name
        .push(DnType::CustomDnType(ORGANISATION_IDENTIFIER.to_vec()), "PSDGR-BOG-000001");
    params
}

fn signed(params: CertificateParams) -> rcgen::Certificate {
    params.self_signed(&KeyPair::generate().expect("a key can be made")).expect("a certificate can be made")
}

fn with_statements(content: Vec<u8>) -> Vec<u8> {
    let mut params = params();
    params.custom_extensions = vec![CustomExtension::from_oid_content(&QC_STATEMENTS, content)];
    signed(params).der().to_vec()
}

fn roles_of(list: Vec<u8>) -> Result<Vec<Role>, CertificateParseError> {
    parse(&with_statements(extension(list))).map(|facts| facts.roles)
}

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let list = sequence(&[sequence(&[role(2, "PSP_PI")]), sequence(&[role(3, "PSP_AI")])]);
    with_statements(extension(list))
});

#[test]
fn parsed_values_are_those_of_the_certificate() {
    let facts = parse(&GOOD).expect("a good certificate");
    assert_eq!(facts.organisation, "PSDGR-BOG-000001");
    assert_eq!(facts.name, "Φως Πληρωμές AE");
    assert_eq!(facts.roles, [Role::PaymentInitiation, Role::AccountInformation]);
    assert_eq!(facts.not_before, Timestamp(1_767_225_600_000_000));
    assert_eq!(facts.not_after, Timestamp(2_082_758_400_000_000));
    assert_eq!(facts.fingerprint, <[u8; 32]>::from(Sha256::digest(GOOD.as_slice())));
}

#[test]
fn every_role_is_parsed_in_every_encoding() {
    for (number, expected) in (1..).zip(Role::ALL) {
        let one = role(number, expected.name());
        assert_eq!(
            roles_of(sequence(&[sequence(std::slice::from_ref(&one))])),
            Ok(vec![expected]),
            "one a SEQUENCE"
        );
        assert_eq!(roles_of(sequence(&[one])), Ok(vec![expected]), "without the inner SEQUENCE");
    }
}

#[test]
fn several_roles_are_parsed_once_in_every_encoding() {
    let three = [role(4, "PSP_IC"), role(2, "PSP_PI"), role(4, "PSP_IC")];
    let expected = Ok(vec![Role::PaymentInitiation, Role::CardIssuing]);
    assert_eq!(
        roles_of(sequence(&three.clone().map(|one| sequence(&[one])))),
        expected,
        "one SEQUENCE a role"
    );
    assert_eq!(roles_of(sequence(&[sequence(&three)])), expected, "all in one SEQUENCE");
    assert_eq!(roles_of(sequence(&three)), expected, "all in the outer SEQUENCE");
}

#[test]
fn unusual_names_and_unknown_roles_are_ignored() {
    assert_eq!(roles_of(sequence(&[sequence(&[role(3, "PSP_PI")])])), Ok(vec![Role::AccountInformation]));
    assert_eq!(roles_of(sequence(&[sequence(&[role(3, "")])])), Ok(vec![Role::AccountInformation]));
    assert_eq!(roles_of(sequence(&[sequence(&[role(9, "PSP_XX")])])), Ok(vec![]));
}

#[test]
fn certificate_without_statement_has_no_roles() {
    assert_eq!(parse(signed(params()).der()).expect("no extension").roles, []);
    assert_eq!(roles_of(sequence(&[])), Ok(vec![]));
    let compliance_alone = sequence(&[sequence(&[tlv(OID, &[0x04, 0x00, 0x8e, 0x46, 0x01, 0x01])])]);
    assert_eq!(parse(&with_statements(compliance_alone)).expect("no PSD2 statement").roles, []);
}

#[test]
fn malformed_statement_is_rejected() {
    let name_missing = tlv(OID, &[0x04, 0x00, 0x81, 0x98, 0x27, 0x01, 0x01]);
    for list in [
        sequence(&[sequence(std::slice::from_ref(&name_missing))]),
        sequence(&[sequence(&[])]),
        sequence(&[sequence(&[role(1, "PSP_AS"), name_missing])]),
        sequence(&[tlv(UTF8, b"PSP_AS")]),
        tlv(UTF8, b"PSP_AS"),
    ] {
        assert!(roles_of(list.clone()).is_err(), "{list:02x?}");
    }
    let mut trailing = extension(sequence(&[sequence(&[role(1, "PSP_AS")])]));
    trailing.push(0);
    assert!(parse(&with_statements(trailing)).is_err());
    assert!(parse(&with_statements(vec![])).is_err());
}

#[test]
fn expired_certificate_is_parsed_but_not_authorised() {
    let mut params = params();
    params.not_after = date_time_ymd(2026, 2, 1);
    let facts = parse(signed(params).der()).expect("readable");
    let now = Timestamp(1_794_700_800_000_000);
    let refusal =
        facts.authorise(CertificateStatus::Active, now, Role::AccountInformation).expect_err("expired");
    assert_eq!(refusal.reason, RefusalReason::CertificateExpired);
}

#[test]
fn repeated_or_missing_subject_attribute_is_rejected() {
    let mut none = params();
    none.distinguished_name.remove(DnType::CustomDnType(ORGANISATION_IDENTIFIER.to_vec()));
    let words = parse(signed(none).der()).expect_err("no organisation").to_string();
    assert!(words.contains("organizationIdentifier"), "{words}");

    let mut common = params();
    common.distinguished_name.remove(DnType::OrganizationName);
    assert_eq!(parse(signed(common).der()).expect("a common name is enough").name, "api.example");

    // rcgen writes each attribute once; changing the type of the common name makes it two of the same.
    for (kind, name) in [(0x61, "organizationIdentifier"), (0x0a, "organizationName")] {
        let mut twice = GOOD.clone();
        let places: Vec<usize> =
            (0..twice.len() - 3).filter(|&at| twice[at..at + 3] == [0x55, 0x04, 0x03]).collect();
        places.iter().for_each(|at| twice[at + 2] = kind);
        let words = parse(&twice).expect_err(name).to_string();
        assert!(words.contains("twice"), "{name}: {words}");
    }

    let mut blank = params();
    blank.distinguished_name.push(DnType::OrganizationName, "line\nbreak");
    assert!(parse(signed(blank).der()).is_err());
}

#[test]
fn repeated_extension_is_rejected() {
    let roles = |number| extension(sequence(&[sequence(&[role(number, "")])]));
    let mut params = params();
    params.custom_extensions =
        [1, 2].map(|n| CustomExtension::from_oid_content(&QC_STATEMENTS, roles(n))).to_vec();
    assert!(parse(signed(params).der()).is_err());
}

#[test]
fn truncated_or_extended_certificate_is_rejected() {
    for length in 0..GOOD.len() {
        assert!(parse(&GOOD[..length]).is_err(), "cut after {length}");
    }
    let words = parse(&[GOOD.as_slice(), &[0]].concat()).expect_err("one byte more").to_string();
    assert!(words.contains("after the end"), "{words}");
}

#[test]
fn header_and_der_give_the_same_certificate_from_the_cache() {
    let certificate = signed(params());
    let cache = CertificateCache::new();
    let once =
        cache.parse(PresentedCertificate::Header(&certificate.pem().replace('\n', " "))).expect("a header");
    let again = cache
        .parse(PresentedCertificate::Header(&certificate.pem().replace('\n', "")))
        .expect("written otherwise");
    let cached = cache.parse(PresentedCertificate::Header(&certificate.pem().replace('\n', " ")));
    assert!(std::sync::Arc::ptr_eq(&once, &cached.expect("it was parsed")), "it is not parsed again");
    let handshake = cache.parse(PresentedCertificate::Der(certificate.der())).expect("a handshake");
    assert_eq!((&once, &once), (&again, &handshake));
}

#[test]
fn unparsable_certificate_is_refused_as_invalid() {
    let refusal = Refusal::from(parse(b"garbage").expect_err("garbage"));
    assert_eq!(
        (refusal.reason, refusal.errors[0].path.clone()),
        (RefusalReason::CertificateInvalid, Field::Certificate.into())
    );
}

proptest! {
    #[test]
    fn random_bytes_are_refused_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(parse(&bytes).is_err());
        let _ = qc_statement::roles(&bytes);
    }

    #[test]
    fn changed_byte_never_panics_and_changes_the_fingerprint(at in any::<prop::sample::Index>(), flip in 1..=u8::MAX) {
        let mut changed = GOOD.clone();
        let at = at.index(changed.len());
        changed[at] ^= flip;
        if let Ok(read) = parse(&changed) {
            prop_assert_ne!(read.fingerprint, parse(&GOOD).expect("good").fingerprint);
        }
    }

    #[test]
    fn changed_byte_in_the_statements_never_panics(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut changed = extension(sequence(&[sequence(&[role(1, "PSP_AS"), role(2, "PSP_PI")])]));
        let at = at.index(changed.len());
        changed[at] = byte;
        let _ = qc_statement::roles(&changed);
    }
}
