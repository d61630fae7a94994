//! A seal with which a third party signs requests. It shares no code with the verification.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair};
use serde_json::Value;
use trapeza::demo::authority::Issued;
use trapeza_app::certificate;

/// The headers that a signature covers when they are sent.
const COVERED: [&str; 7] =
    ["digest", "x-request-id", "psu_id", "psu-id", "psu-corporate-id", "tpp-redirect-uri", "date"];

pub struct TestSeal {
    key: EcdsaKeyPair,
    key_id: String,
    /// Base64 of the certificate.
    pub certificate: String,
}

impl TestSeal {
    /// The seal of a third party of `sandbox.json`.
    pub fn of_tpp(tpp: &Value) -> Self {
        let text = |name: &str| tpp["seal"][name].as_str().expect("the third party has a seal");
        Self::new(text("certificate"), text("key"))
    }

    pub fn of_issued(issued: &Issued) -> Self {
        let der = certificate::decode_header(&issued.certificate_pem).expect("a certificate");
        Self::new(&STANDARD.encode(der), &issued.key_pem)
    }

    fn new(certificate: &str, key_pem: &str) -> Self {
        let pkcs8: String = key_pem.lines().filter(|line| !line.starts_with("-----")).collect();
        let pkcs8 = STANDARD.decode(pkcs8).expect("a key in base64");
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &pkcs8, &SystemRandom::new());
        let der = STANDARD.decode(certificate).expect("a certificate in base64");
        let parsed = certificate::parse_seal(&der).expect("a certificate");
        let serial: String = parsed.serial.iter().map(|byte| format!("{byte:02x}")).collect();
        let issuer = parsed.issuer.iter().map(|(kind, value)| format!("{kind}={value}"));
        let issuer = issuer.collect::<Vec<_>>().join(",");
        let key_id = format!("SN={serial},CA={issuer}");
        Self { key: key.expect("a key on P-256"), key_id, certificate: certificate.to_owned() }
    }

    /// The three headers of a signature over other headers and the body.
    pub fn sign(&self, headers: &[(String, String)], body: &[u8]) -> [(String, String); 3] {
        let digest = format!("SHA-256={}", STANDARD.encode(digest(&SHA256, body)));
        let sent = |name: &str| match name {
            "digest" => Some(digest.clone()),
            name => headers
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.clone()),
        };
        let covered: Vec<(&str, String)> =
            COVERED.into_iter().filter_map(|name| Some((name, sent(name)?))).collect();
        let names: Vec<&str> = covered.iter().map(|(name, _)| *name).collect();
        let lines: Vec<String> = covered.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let signature = self.signature(&names, &lines.join("\n"));
        let certificate = self.certificate.clone();
        [("Digest", digest), ("Signature", signature), ("TPP-Signature-Certificate", certificate)]
            .map(|(name, value)| (name.to_owned(), value))
    }

    /// The header of a signature over a text that consists of the named headers.
    pub fn signature(&self, names: &[&str], text: &str) -> String {
        let signed = self.key.sign(&SystemRandom::new(), text.as_bytes()).expect("the key signs");
        format!(
            "keyId=\"{}\",algorithm=\"ecdsa-sha256\",headers=\"{}\",signature=\"{}\"",
            self.key_id,
            names.join(" "),
            STANDARD.encode(signed)
        )
    }
}
