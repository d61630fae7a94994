//! The bank's own seal, which signs responses to third parties.

use super::{ASPSP_CERTIFICATE, DIGEST, SIGNATURE, SealError, SealFile, digest, key_id, signing_string};
use crate::server::{first_end, pem_certificates};
use axum::body::{Body, to_bytes};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::SignatureScheme;
use rustls::crypto::ring::sign::any_supported_type;
use rustls::sign::{CertifiedKey, Signer};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject;
use std::fmt;
use std::time::{Duration, UNIX_EPOCH};
use trapeza_app::certificate::parse_seal;
use trapeza_domain::time::Timestamp;

const REQUEST_ID: &str = "x-request-id";

/// What the seal can sign with, and the names of the algorithms.
const SCHEMES: [(SignatureScheme, &str); 2] = [
    (SignatureScheme::RSA_PKCS1_SHA256, "rsa-sha256"),
    (SignatureScheme::ECDSA_NISTP256_SHA256, "ecdsa-sha256"),
];

/// A certificate and its key.
pub struct Seal {
    signer: Box<dyn Signer>,
    algorithm: &'static str,
    key_id: String,
    /// The certificate as base64 of its DER form.
    certificate: HeaderValue,
}

/// The seal, and when its certificate ends.
#[derive(Debug)]
pub struct LoadedSeal {
    pub seal: Seal,
    pub end: Option<Timestamp>,
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Seal").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

impl Seal {
    /// From the contents of the files, in PEM. Of several certificates the first is the seal's.
    pub fn load(certificate: &[u8], key: &[u8]) -> Result<LoadedSeal, SealError> {
        let unusable = |text: String| SealError::new(SealFile::Certificate, text);
        let chain = pem_certificates(certificate).map_err(|text| unusable(format!("the file {text}")))?;
        let der = chain.first().ok_or_else(|| unusable("the file holds no certificate".to_owned()))?.clone();
        let parsed = parse_seal(&der).map_err(|error| unusable(error.text().to_owned()))?;
        if !parsed.is_seal {
            return Err(unusable("the certificate is not one for electronic seals (QSEAL)".to_owned()));
        }
        let key_fault = |text: &str| SealError::new(SealFile::Key, text);
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|_| key_fault("the file holds no readable PEM private key"))?;
        let key = any_supported_type(&key).map_err(|_| key_fault("the key must be RSA or ECDSA P-256"))?;
        let signer =
            SCHEMES.into_iter().find_map(|(scheme, name)| Some((key.choose_scheme(&[scheme])?, name)));
        let (signer, algorithm) = signer.ok_or_else(|| key_fault("the key must be RSA or ECDSA P-256"))?;
        let end = first_end(&chain[..1]);
        let value = HeaderValue::try_from(STANDARD.encode(&der));
        let own = CertifiedKey::new(vec![der], key);
        own.keys_match().map_err(|_| key_fault("the key is not that of the seal's certificate"))?;
        let seal = Self {
            signer,
            algorithm,
            key_id: key_id::of(&parsed),
            certificate: value.map_err(|_| unusable("the certificate cannot be sent".to_owned()))?,
        };
        Ok(LoadedSeal { seal, end })
    }

    /// Adds `Date`, `Digest`, `Signature` and the certificate to a response. Its other headers must be there already.
    pub async fn sign(&self, response: Response, now: Timestamp) -> Response {
        let (mut parts, body) = response.into_parts();
        // Bodies of the API are in memory, so this neither waits nor fails.
        let Ok(body) = to_bytes(body, usize::MAX).await else {
            tracing::error!("seal: the body of a response cannot be read, the response is empty");
            return Response::from_parts(parts, Body::empty());
        };
        let micros = Duration::from_micros(u64::try_from(now.0).unwrap_or(0));
        let date = httpdate::fmt_http_date(UNIX_EPOCH + micros);
        let headers = &mut parts.headers;
        for (name, text) in [(header::DATE, date), (DIGEST, digest::header(&body))] {
            if let Ok(value) = HeaderValue::try_from(text) {
                headers.insert(name, value);
            }
        }
        let echo = headers.contains_key(REQUEST_ID).then_some(REQUEST_ID);
        let names: Vec<&str> = ["digest"].into_iter().chain(echo).chain(["date"]).collect();
        let signed = signing_string::build(names.iter().copied(), None, headers)
            .and_then(|text| self.signer.sign(&text).ok())
            .and_then(|signature| self.header(&names, &signature));
        match signed {
            Some(value) => {
                headers.insert(SIGNATURE, value);
                headers.insert(ASPSP_CERTIFICATE, self.certificate.clone());
            }
            None => tracing::error!("seal: a response cannot be signed, it is sent unsigned"),
        }
        Response::from_parts(parts, Body::from(body))
    }

    fn header(&self, names: &[&str], signature: &[u8]) -> Option<HeaderValue> {
        let (key_id, algorithm, names) = (&self.key_id, self.algorithm, names.join(" "));
        let signature = STANDARD.encode(signature);
        let text = format!(
            "keyId=\"{key_id}\",algorithm=\"{algorithm}\",headers=\"{names}\",signature=\"{signature}\""
        );
        HeaderValue::try_from(text).ok()
    }
}
