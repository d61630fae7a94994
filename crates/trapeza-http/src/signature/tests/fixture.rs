//! An authority, seals and requests that they sign. The signing string is written here independently of the code under test.

use crate::server::ExpiredCrl;
use crate::signature::{SealAuthorities, SignatureMode, SignedRequest, verify};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, CustomExtension,
    DistinguishedName, DnType, IsCa, KeyIdMethod, KeyPair, PKCS_ECDSA_P256_SHA256, PKCS_RSA_SHA256,
    RevokedCertParams, SerialNumber, date_time_ymd,
};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, RsaKeyPair};
use std::sync::LazyLock;
use trapeza_domain::application::Role;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::Timestamp;

/// 2026-11-16T08:00:00Z.
pub(super) const NOW: Timestamp = Timestamp(1_794_816_000_000_000);
pub(super) const NOW_SECONDS: i64 = NOW.0 / 1_000_000;
pub(super) const NOW_DATE: &str = "Mon, 16 Nov 2026 08:00:00 GMT";
pub(super) const BODY: &[u8] = br#"{"instructedAmount":{"currency":"EUR","amount":"12.50"}}"#;
pub(super) const ORGANISATION: &str = "PSDGR-BOG-000001";

/// A key for tests only: ring cannot generate RSA keys.
pub(super) const RSA_KEY: &str = include_str!("rsa_key.pem");

pub(super) struct Authority(pub(super) CertifiedIssuer<'static, KeyPair>);

pub(super) struct Issued {
    pub(super) der: Vec<u8>,
    pub(super) key: KeyPair,
    pub(super) key_id: String,
}

/// What a certificate differs in.
#[derive(Clone)]
pub(super) struct Holder {
    pub(super) organisation: &'static str,
    /// The last byte of 0.4.0.1862.1.6: 2 is a seal, 3 a website.
    pub(super) kind: u8,
    /// The last byte of 0.4.0.19495.1: 2 is payment initiation, 3 account information.
    pub(super) role: u8,
    pub(super) years: (i32, i32),
    pub(super) usage: rcgen::KeyUsagePurpose,
    pub(super) key: &'static rcgen::SignatureAlgorithm,
}

pub(super) const GOOD: Holder = Holder {
    organisation: ORGANISATION,
    kind: 2,
    role: 3,
    years: (2026, 2028),
    usage: rcgen::KeyUsagePurpose::ContentCommitment,
    key: &PKCS_ECDSA_P256_SHA256,
};

pub(super) fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    [&[tag, u8::try_from(content.len()).unwrap()], content].concat()
}

pub(super) fn statements(kind: u8, role: u8) -> Vec<u8> {
    let kind_id = [0x04, 0x00, 0x8e, 0x46, 0x01, 0x06, kind];
    let kind = tlv(0x30, &[tlv(0x06, &kind_id[..6]), tlv(0x30, &tlv(0x06, &kind_id))].concat());
    let role = [tlv(0x06, &[0x04, 0x00, 0x81, 0x98, 0x27, 0x01, role]), tlv(0x0c, b"role")].concat();
    let roles = tlv(0x30, &tlv(0x30, &role));
    let info = tlv(0x30, &[roles, tlv(0x0c, b"Bank of Greece"), tlv(0x0c, b"GR-BOG")].concat());
    let psd2 = tlv(0x30, &[tlv(0x06, &[0x04, 0x00, 0x81, 0x98, 0x27, 0x02]), info].concat());
    tlv(0x30, &[kind, psd2].concat())
}

impl Authority {
    pub(super) fn generate(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CountryName, "GR");
        params.distinguished_name.push(DnType::CommonName, name);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(super) fn issue(&self, holder: &Holder) -> Issued {
        let mut params = CertificateParams::default();
        params.not_before = date_time_ymd(holder.years.0, 1, 1);
        params.not_after = date_time_ymd(holder.years.1, 1, 1);
        params.serial_number = Some(SerialNumber::from(0x9fa1_u64));
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::OrganizationName, "Kyklos Finance");
        params.distinguished_name.push(DnType::CustomDnType(vec![2, 5, 4, 97]), holder.organisation);
        params.key_usages = vec![holder.usage];
        let extension = CustomExtension::from_oid_content(
            &[1, 3, 6, 1, 5, 5, 7, 1, 3],
            statements(holder.kind, holder.role),
        );
        params.custom_extensions = vec![extension];
        let key = match holder.key == &PKCS_RSA_SHA256 {
            true => KeyPair::from_pem_and_sign_algo(RSA_KEY, &PKCS_RSA_SHA256).unwrap(),
            false => KeyPair::generate_for(holder.key).unwrap(),
        };
        let certificate = params.signed_by(&key, &self.0).unwrap();
        let der = certificate.der().to_vec();
        Issued { der, key, key_id: "SN=9FA1,CA=CN=Test CA,C=GR".to_owned() }
    }

    pub(super) fn load(&self) -> SealAuthorities {
        SealAuthorities::load(self.0.pem().as_bytes(), None, ExpiredCrl::Accept).unwrap().authorities
    }

    /// With a revocation list of the only serial number.
    pub(super) fn load_with_list(
        &self,
        next_update: i32,
        revoked: bool,
        expired: ExpiredCrl,
    ) -> SealAuthorities {
        let entry = RevokedCertParams {
            serial_number: SerialNumber::from(0x9fa1_u64),
            revocation_time: date_time_ymd(2026, 2, 1),
            reason_code: None,
            invalidity_date: None,
        };
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2025, 1, 1),
            next_update: date_time_ymd(next_update, 1, 1),
            crl_number: SerialNumber::from(1_u64),
            issuing_distribution_point: None,
            revoked_certs: if revoked { vec![entry] } else { Vec::new() },
            key_identifier_method: KeyIdMethod::Sha256,
        };
        let list = list.signed_by(&self.0).unwrap();
        SealAuthorities::load(self.0.pem().as_bytes(), Some(list.der()), expired).unwrap().authorities
    }
}

/// A request as a third party sends it.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) method: Method,
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Request {
    pub(super) fn verify_with(
        &self,
        mode: SignatureMode,
        authorities: &SealAuthorities,
    ) -> Result<(), RefusalReason> {
        let request = SignedRequest {
            method: &self.method,
            uri: &self.uri,
            headers: &self.headers,
            body: &self.body,
            organisation: ORGANISATION,
            role: Role::AccountInformation,
            now: NOW,
        };
        verify(mode, authorities, &request).map_err(|refusal| refusal.reason)
    }

    pub(super) fn verify(&self) -> Result<(), RefusalReason> {
        self.verify_with(SignatureMode::Required, &AUTHORITY.load())
    }

    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.insert(name, HeaderValue::from_str(value).unwrap());
        self
    }

    pub(super) fn without(mut self, name: &str) -> Self {
        self.headers.remove(name);
        self
    }
}

pub(super) static AUTHORITY: LazyLock<Authority> = LazyLock::new(|| Authority::generate("Test CA"));
pub(super) static SEAL: LazyLock<Issued> = LazyLock::new(|| AUTHORITY.issue(&GOOD));

pub(super) fn unsigned() -> Request {
    let request = Request {
        method: Method::POST,
        uri: Uri::from_static("/v1/consents?a=b"),
        headers: HeaderMap::new(),
        body: BODY.to_vec(),
    };
    request.with("x-request-id", "6f9619ff-8b86-4011-b42d-00cf4fc964ff").with("psu_id", "eleni.papadaki")
}

pub(super) const NAMES: &[&str] = &["digest", "x-request-id", "psu_id"];

pub(super) fn ecdsa(key: &KeyPair, text: &[u8]) -> Vec<u8> {
    let random = SystemRandom::new();
    let key =
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, key.serialized_der(), &random).unwrap();
    key.sign(&random, text).unwrap().as_ref().to_vec()
}

pub(super) fn rsa(
    key: &KeyPair,
    text: &[u8],
    algorithm: &'static dyn ring::signature::RsaEncoding,
) -> Vec<u8> {
    let key = RsaKeyPair::from_pkcs8(key.serialized_der()).unwrap();
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(algorithm, &SystemRandom::new(), text, &mut signature).unwrap();
    signature
}

/// The request with a signature of these headers, whose lines are written here independently of the code under test.
pub(super) fn sign(request: Request, seal: &Issued, names: &[&str], algorithm: &str, more: &str) -> Request {
    let hash = ring::digest::digest(&ring::digest::SHA256, &request.body);
    let digest = format!("SHA-256={}", STANDARD.encode(hash));
    let certificate = STANDARD.encode(&seal.der);
    let request = request.with("digest", &digest).with("tpp-signature-certificate", &certificate);
    let lines = names.iter().map(|name| match *name {
        "(request-target)" => "(request-target): post /v1/consents?a=b".to_owned(),
        name => {
            let value = request.headers.get(name).map_or("", |value| value.to_str().unwrap());
            format!("{name}: {value}")
        }
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let signature = match algorithm {
        "rsa-sha256" => rsa(&seal.key, text.as_bytes(), &ring::signature::RSA_PKCS1_SHA256),
        "rsa-sha512" => rsa(&seal.key, text.as_bytes(), &ring::signature::RSA_PKCS1_SHA512),
        _ => ecdsa(&seal.key, text.as_bytes()),
    };
    let header = format!(
        "keyId=\"{}\",algorithm=\"{algorithm}\",headers=\"{}\",signature=\"{}\"{more}",
        seal.key_id,
        names.join(" "),
        STANDARD.encode(signature)
    );
    request.with("signature", &header)
}

pub(super) fn signed() -> Request {
    sign(unsigned(), &SEAL, NAMES, "ecdsa-sha256", "")
}

impl Issued {
    pub(super) fn certificate_pem(&self) -> String {
        let text = STANDARD.encode(&self.der);
        format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")
    }
}
