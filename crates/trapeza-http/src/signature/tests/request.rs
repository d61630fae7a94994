//! Requests: what verifies, and every fault with its reason.

use super::fixture::*;
use crate::server::ExpiredCrl;
use crate::signature::header::SignatureHeader;
use crate::signature::{SealAuthorities, SignatureMode};
use axum::http::{HeaderValue, Method, Uri};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::PKCS_RSA_SHA256;
use trapeza_domain::refusal::RefusalReason::{
    CertificateExpired, CertificateInvalid, CertificateMissing, CertificateRevoked, RoleMissing,
    SignatureInvalid, SignatureMissing,
};

#[test]
fn mode_decides_whether_a_request_without_a_signature_is_accepted() {
    let authorities = AUTHORITY.load();
    for (mode, without, complete, partial) in [
        (SignatureMode::Off, Ok(()), Ok(()), Ok(())),
        (SignatureMode::Optional, Ok(()), Ok(()), Err(SignatureMissing)),
        (SignatureMode::Required, Err(SignatureMissing), Ok(()), Err(SignatureMissing)),
    ] {
        assert_eq!(unsigned().verify_with(mode, &authorities), without, "{mode:?}");
        assert_eq!(signed().verify_with(mode, &authorities), complete, "{mode:?}");
        for (absent, expected) in [
            ("digest", partial),
            ("signature", partial),
            ("tpp-signature-certificate", partial.map_err(|_| CertificateMissing)),
        ] {
            let request = signed().without(absent);
            assert_eq!(request.verify_with(mode, &authorities), expected, "{mode:?} without {absent}");
        }
    }
}

#[test]
fn request_signed_by_any_supported_algorithm_verifies() {
    let rsa_seal = AUTHORITY.issue(&Holder { key: &PKCS_RSA_SHA256, ..GOOD });
    for (seal, algorithm) in [
        (&*SEAL, "ecdsa-sha256"),
        (&rsa_seal, "rsa-sha256"),
        (&rsa_seal, "rsa-sha512"),
        (&rsa_seal, "RSA-SHA256"),
    ] {
        let known = algorithm.to_ascii_lowercase();
        let request = sign(unsigned(), seal, NAMES, &known, "");
        let header = request.headers["signature"].to_str().unwrap().replace(&known, algorithm);
        assert_eq!(request.with("signature", &header).verify(), Ok(()), "{algorithm}");
    }
    let wrong = sign(unsigned(), &rsa_seal, NAMES, "rsa-sha256", "");
    let header = wrong.headers["signature"].to_str().unwrap().replace("rsa-sha256", "rsa-sha512");
    assert_eq!(wrong.with("signature", &header).verify(), Err(SignatureInvalid), "another hash");
}

#[test]
fn request_without_a_body_is_signed_over_the_digest_of_nothing() {
    let mut request = unsigned();
    (request.method, request.body) = (Method::DELETE, Vec::new());
    let request = sign(request, &SEAL, NAMES, "ecdsa-sha256", "");
    assert_eq!(request.headers["digest"], "SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    assert_eq!(request.verify(), Ok(()));
}

#[test]
fn signature_must_cover_the_listed_headers_when_they_are_sent() {
    for name in ["psu-id", "psu_id", "psu-corporate-id", "tpp-redirect-uri"] {
        let request = unsigned().without("psu_id").with(name, "value");
        let covered = sign(request.clone(), &SEAL, &["digest", "x-request-id", name], "ecdsa-sha256", "");
        assert_eq!(covered.verify(), Ok(()), "{name}");
        let not_covered = sign(request, &SEAL, &["digest", "x-request-id"], "ecdsa-sha256", "");
        assert_eq!(not_covered.verify(), Err(SignatureInvalid), "{name}");
    }
    for names in [
        &["digest", "psu_id"] as &[&str],
        &["x-request-id", "psu_id"],
        &["digest", "x-request-id", "psu_id", "consent-id"],
        &["digest", "x-request-id", "psu_id", "(created)"],
        &["digest", "x-request-id", "psu_id", "(expires)"],
        &[],
    ] {
        let request = sign(unsigned(), &SEAL, names, "ecdsa-sha256", ",created=1,expires=9999999999");
        assert_eq!(request.verify(), Err(SignatureInvalid), "{names:?}");
    }
}

#[test]
fn covered_request_target_binds_method_path_and_query() {
    let names = &["(request-target)", "digest", "x-request-id", "psu_id"];
    let request = sign(unsigned(), &SEAL, names, "ecdsa-sha256", "");
    assert_eq!(request.verify(), Ok(()));
    let mut other = request.clone();
    other.uri = Uri::from_static("/v1/consents?a=c");
    assert_eq!(other.verify(), Err(SignatureInvalid), "another query");
    let mut other = request;
    other.method = Method::PUT;
    assert_eq!(other.verify(), Err(SignatureInvalid), "another method");
}

#[test]
fn times_are_compared_with_the_clock_of_the_bank() {
    for (date, expected) in [
        (NOW_DATE, Ok(())),
        ("Mon, 16 Nov 2026 07:55:00 GMT", Ok(())),
        ("Mon, 16 Nov 2026 08:05:00 GMT", Ok(())),
        ("Mon, 16 Nov 2026 07:54:59 GMT", Err(SignatureInvalid)),
        ("Mon, 16 Nov 2026 08:05:01 GMT", Err(SignatureInvalid)),
        ("yesterday", Err(SignatureInvalid)),
    ] {
        let names = &["digest", "x-request-id", "psu_id", "date"];
        let request = sign(unsigned().with("date", date), &SEAL, names, "ecdsa-sha256", "");
        assert_eq!(request.verify(), expected, "{date}");
        let uncovered = sign(unsigned().with("date", date), &SEAL, NAMES, "ecdsa-sha256", "");
        assert_eq!(uncovered.verify(), Err(SignatureInvalid), "{date} is not covered");
    }
    for (more, expected) in [
        (format!(",created={NOW_SECONDS},expires={NOW_SECONDS}"), Ok(())),
        (format!(",created={}", NOW_SECONDS + 300), Ok(())),
        (format!(",created={}", NOW_SECONDS + 301), Err(SignatureInvalid)),
        (format!(",expires={}", NOW_SECONDS - 1), Err(SignatureInvalid)),
    ] {
        let request = sign(unsigned(), &SEAL, NAMES, "ecdsa-sha256", &more);
        assert_eq!(request.verify(), expected, "{more}");
    }
}

#[test]
fn faulty_certificate_is_refused_with_its_reason() {
    let other_authority = Authority::generate("Test CA");
    for (name, issued, expected) in [
        ("expired", AUTHORITY.issue(&Holder { years: (2024, 2026), ..GOOD }), CertificateExpired),
        ("not valid yet", AUTHORITY.issue(&Holder { years: (2027, 2028), ..GOOD }), CertificateInvalid),
        (
            "another organisation",
            AUTHORITY.issue(&Holder { organisation: "PSDGR-BOG-000002", ..GOOD }),
            CertificateInvalid,
        ),
        ("a website", AUTHORITY.issue(&Holder { kind: 3, ..GOOD }), CertificateInvalid),
        ("a signature", AUTHORITY.issue(&Holder { kind: 1, ..GOOD }), CertificateInvalid),
        (
            "key for encryption",
            AUTHORITY.issue(&Holder { usage: rcgen::KeyUsagePurpose::KeyEncipherment, ..GOOD }),
            CertificateInvalid,
        ),
        ("another role", AUTHORITY.issue(&Holder { role: 2, ..GOOD }), RoleMissing),
        ("another authority of the same name", other_authority.issue(&GOOD), CertificateInvalid),
    ] {
        let request = sign(unsigned(), &issued, NAMES, "ecdsa-sha256", "");
        assert_eq!(request.verify(), Err(expected), "{name}");
    }
    for garbage in ["!", "AAEC", "-----BEGIN PRIVATE KEY-----AAEC-----END PRIVATE KEY-----"] {
        let request = signed().with("tpp-signature-certificate", garbage);
        assert_eq!(request.verify(), Err(CertificateInvalid), "{garbage}");
    }
    let no_authority = SealAuthorities::default();
    assert_eq!(signed().verify_with(SignatureMode::Required, &no_authority), Err(CertificateInvalid));
}

#[test]
fn certificate_is_accepted_as_pem_in_one_line() {
    let pem = format!("-----BEGIN CERTIFICATE-----{}-----END CERTIFICATE-----", STANDARD.encode(&SEAL.der));
    assert_eq!(signed().with("tpp-signature-certificate", &pem).verify(), Ok(()));
}

#[test]
fn revoked_certificate_is_refused_and_an_outdated_list_as_configured() {
    let verify = |authorities: SealAuthorities| signed().verify_with(SignatureMode::Required, &authorities);
    use ExpiredCrl::{Accept, Refuse};
    assert_eq!(verify(AUTHORITY.load_with_list(2027, true, Accept)), Err(CertificateRevoked));
    assert_eq!(verify(AUTHORITY.load_with_list(2026, true, Accept)), Err(CertificateRevoked));
    assert_eq!(verify(AUTHORITY.load_with_list(2027, false, Refuse)), Ok(()));
    assert_eq!(verify(AUTHORITY.load_with_list(2026, false, Accept)), Ok(()));
    assert_eq!(verify(AUTHORITY.load_with_list(2026, false, Refuse)), Err(CertificateInvalid));
}

#[test]
fn key_of_another_certificate_does_not_verify() {
    let (own, other) = (AUTHORITY.issue(&GOOD), AUTHORITY.issue(&GOOD));
    let stolen = Issued { der: own.der, key: other.key, key_id: own.key_id };
    assert_eq!(sign(unsigned(), &stolen, NAMES, "ecdsa-sha256", "").verify(), Err(SignatureInvalid));
    let renamed = Issued { key_id: "SN=9FA2,CA=CN=Test CA,C=GR".to_owned(), ..AUTHORITY.issue(&GOOD) };
    assert_eq!(sign(unsigned(), &renamed, NAMES, "ecdsa-sha256", "").verify(), Err(SignatureInvalid));
}

#[test]
fn repeated_header_is_refused() {
    for name in ["digest", "signature", "tpp-signature-certificate", "psu_id", "x-request-id"] {
        let mut request = signed();
        let value = request.headers[name].clone();
        request.headers.append(name, value);
        assert!(request.verify().is_err(), "{name}");
    }
}

/// Every byte of a signed request that the signature covers, each changed in ways that a seeded generator chooses.
#[test]
fn every_change_of_a_single_byte_is_refused() {
    let mut names = NAMES.to_vec();
    names.push("(request-target)");
    let good = sign(unsigned(), &SEAL, &names, "ecdsa-sha256", "");
    let authorities = AUTHORITY.load();
    assert_eq!(good.verify_with(SignatureMode::Required, &authorities), Ok(()));
    let header = good.headers["signature"].to_str().unwrap().to_owned();
    let (head, signature) = header.split_once("signature=\"").unwrap();
    let signature = STANDARD.decode(signature.trim_end_matches('"')).unwrap();
    let (mut state, mut changes) = (1_u64, 0);
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    while changes < 1_500 {
        let mut changed = good.clone();
        let what = match random(6) {
            0 => {
                let at = random(BODY.len());
                changed.body[at] ^= u8::try_from(1 + random(255)).unwrap();
                format!("body at {at}")
            }
            1 => {
                let mut bytes = signature.clone();
                let at = random(bytes.len());
                bytes[at] ^= u8::try_from(1 + random(255)).unwrap();
                changed =
                    changed.with("signature", &format!("{head}signature=\"{}\"", STANDARD.encode(bytes)));
                format!("signature at {at}")
            }
            2 => {
                let mut bytes = SEAL.der.clone();
                let at = random(bytes.len());
                bytes[at] ^= u8::try_from(1 + random(255)).unwrap();
                changed = changed.with("tpp-signature-certificate", &STANDARD.encode(bytes));
                format!("certificate at {at}")
            }
            3 => {
                let method = [Method::GET, Method::PUT, Method::DELETE, Method::PATCH][random(4)].clone();
                changed.method = method;
                "method".to_owned()
            }
            _ => {
                let name = ["digest", "x-request-id", "psu_id"][random(3)];
                let mut value = changed.headers[name].as_bytes().to_vec();
                let at = random(value.len());
                let other = b'!' + u8::try_from(random(94)).unwrap();
                if other == value[at] {
                    continue;
                }
                value[at] = other;
                changed.headers.insert(name, HeaderValue::from_bytes(&value).unwrap());
                format!("{name} at {at}")
            }
        };
        assert!(changed.verify_with(SignatureMode::Required, &authorities).is_err(), "{what}");
        changes += 1;
    }
}

/// Characters of the whole `Signature` header: a change is refused, unless it changes neither the key, nor the names, nor the signature.
#[test]
fn changed_signature_header_never_panics_and_verifies_only_with_the_same_meaning() {
    let good = signed();
    let text = good.headers["signature"].to_str().unwrap().to_owned();
    let parsed = SignatureHeader::parse(&text).unwrap();
    for at in 0..text.len() {
        for byte in [b'"', b',', b'=', b' ', b'\\', b'A', b'z', b'0'] {
            let mut changed = text.clone().into_bytes();
            changed[at] = byte;
            let changed = String::from_utf8(changed).unwrap();
            if good.clone().with("signature", &changed).verify().is_ok() {
                let other = SignatureHeader::parse(&changed).unwrap();
                assert_eq!(
                    (&other.headers, &other.signature),
                    (&parsed.headers, &parsed.signature),
                    "{changed}"
                );
                assert_eq!(other.algorithm, parsed.algorithm, "{changed}");
            }
        }
    }
}
