//! Responses that the bank's seal has signed, verified independently, and unusable files.

use super::fixture::*;
use crate::server::ExpiredCrl;
use crate::signature::{SIGNATURE, Seal, SealAuthorities, SealFile};
use axum::body::{Body, to_bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{PKCS_ECDSA_P256_SHA256, PKCS_RSA_SHA256};
use ring::signature::{ECDSA_P256_SHA256_ASN1, UnparsedPublicKey};

fn response() -> Response {
    let mut response = Response::new(Body::from(r#"{"consentStatus":"received"}"#));
    let id = HeaderValue::from_static("6f9619ff-8b86-4011-b42d-00cf4fc964ff");
    response.headers_mut().insert("x-request-id", id);
    response
}

#[tokio::test]
async fn signed_response_verifies_with_the_certificate_that_it_has() {
    for (key, algorithm) in [(&PKCS_ECDSA_P256_SHA256, "ecdsa-sha256"), (&PKCS_RSA_SHA256, "rsa-sha256")] {
        let issued = AUTHORITY.issue(&Holder { key, ..GOOD });
        let seal = Seal::load(issued.certificate_pem().as_bytes(), issued.key.serialize_pem().as_bytes())
            .unwrap()
            .seal;
        let (parts, body) = seal.sign(response(), NOW).await.into_parts();
        let body = to_bytes(body, 1_000).await.unwrap();
        let text = |name: &str| parts.headers[name].to_str().unwrap().to_owned();
        assert_eq!(text("date"), NOW_DATE);
        let hash = ring::digest::digest(&ring::digest::SHA256, &body);
        assert_eq!(text("digest"), format!("SHA-256={}", STANDARD.encode(hash)));
        assert_eq!(text("aspsp-signature-certificate"), STANDARD.encode(&issued.der));
        let (rest, signature) = text("signature")
            .rsplit_once(",signature=\"")
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .unwrap();
        let expected = format!(
            "keyId=\"SN=9FA1,CA=CN=Test CA,C=GR\",algorithm=\"{algorithm}\",headers=\"digest x-request-id date\""
        );
        assert_eq!(rest, expected);
        let lines = format!(
            "digest: {}\nx-request-id: 6f9619ff-8b86-4011-b42d-00cf4fc964ff\ndate: {NOW_DATE}",
            text("digest")
        );
        let signature = STANDARD.decode(signature.trim_end_matches('"')).unwrap();
        let public = issued.key.public_key_raw();
        let verified = match algorithm {
            "rsa-sha256" => UnparsedPublicKey::new(&ring::signature::RSA_PKCS1_2048_8192_SHA256, public)
                .verify(lines.as_bytes(), &signature),
            _ => UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, public).verify(lines.as_bytes(), &signature),
        };
        assert!(verified.is_ok(), "{algorithm}");
    }
}

#[tokio::test]
async fn response_to_a_request_without_an_id_is_signed_without_it() {
    let issued = AUTHORITY.issue(&GOOD);
    let seal =
        Seal::load(issued.certificate_pem().as_bytes(), issued.key.serialize_pem().as_bytes()).unwrap().seal;
    let mut plain = response();
    plain.headers_mut().remove("x-request-id");
    let signed = seal.sign(plain, NOW).await;
    assert!(signed.headers()[SIGNATURE].to_str().unwrap().contains("headers=\"digest date\""));
    assert!(signed.headers().contains_key(header::DATE));
}

#[test]
fn unusable_seal_file_is_named() {
    let (good, other) = (AUTHORITY.issue(&GOOD), AUTHORITY.issue(&GOOD));
    let website = AUTHORITY.issue(&Holder { kind: 3, ..GOOD });
    for (certificate, key, file) in [
        ("nothing".to_owned(), good.key.serialize_pem(), SealFile::Certificate),
        (website.certificate_pem(), website.key.serialize_pem(), SealFile::Certificate),
        (good.certificate_pem(), "nothing".to_owned(), SealFile::Key),
        (good.certificate_pem(), other.key.serialize_pem(), SealFile::Key),
    ] {
        let error = Seal::load(certificate.as_bytes(), key.as_bytes()).unwrap_err();
        assert_eq!(error.file, file, "{error}");
    }
    let authority = AUTHORITY.0.pem();
    for (ca, crl, file) in [
        (b"nothing".as_slice(), None, SealFile::Authorities),
        (authority.as_bytes(), Some(b"nothing".as_slice()), SealFile::RevocationLists),
    ] {
        assert_eq!(SealAuthorities::load(ca, crl, ExpiredCrl::Accept).unwrap_err().file, file);
    }
}
