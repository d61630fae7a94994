//! Verification of a signed request. Cheap checks come first, and the first that fails answers
//! (docs/behaviour/signatures.md#order-of-checks).

use super::authority::{SealAuthorities, end_entity};
use super::header::{Algorithm, SignatureHeader};
use super::signing_string::{self, RequestTarget};
use super::{DIGEST, SIGNATURE, SignatureMode, TPP_CERTIFICATE, digest, key_id};
use crate::extract::header::single;
use axum::http::{HeaderMap, HeaderName, Method, Uri};
use rustls_pki_types::{CertificateDer, SignatureVerificationAlgorithm};
use std::time::UNIX_EPOCH;
use trapeza_app::certificate::{SealCertificate, decode_header, parse_seal};
use trapeza_domain::application::{CertificateStatus, Role};
use trapeza_domain::field::FieldPath;
use trapeza_domain::refusal::{FieldError, Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use webpki::{EndEntityCert, Error, ring};

/// How far a clock of a third party may be from that of the bank.
const CLOCK_TOLERANCE: TimeDelta = TimeDelta::seconds(300);

/// The headers that every signature covers.
const COVERED_ALWAYS: [&str; 2] = ["digest", "x-request-id"];
/// The headers that a signature covers when they are sent.
const COVERED_WHEN_SENT: [&str; 5] = ["psu-id", "psu_id", "psu-corporate-id", "tpp-redirect-uri", "date"];

/// The names as responses spell them.
const DIGEST_NAME: &str = "Digest";
const SIGNATURE_NAME: &str = "Signature";
const CERTIFICATE_NAME: &str = "TPP-Signature-Certificate";

/// A request whose signature is verified.
pub struct SignedRequest<'a> {
    pub method: &'a Method,
    pub uri: &'a Uri,
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
    /// organizationIdentifier of the certificate that has authenticated the caller.
    pub organisation: &'a str,
    /// The role that the operation requires.
    pub role: Role,
    pub now: Timestamp,
}

/// The three headers of a signature.
struct SignatureHeaders<'a> {
    digest: &'a str,
    signature: &'a str,
    certificate: &'a str,
}

/// Verifies the signature of a request, as far as the mode requires one.
pub fn verify(
    mode: SignatureMode,
    authorities: &SealAuthorities,
    request: &SignedRequest<'_>,
) -> Result<(), Refusal> {
    let Some(headers) = signature_headers(mode, request.headers)? else { return Ok(()) };
    let signature =
        SignatureHeader::parse(headers.signature).map_err(|text| invalid(SIGNATURE_NAME, text))?;
    check_covered(&signature, request.headers)?;
    digest::check(headers.digest, request.body).map_err(|text| invalid(DIGEST_NAME, text))?;
    check_times(&signature, request)?;
    let der = decode_header(headers.certificate)
        .map_err(|error| certificate_refusal(RefusalReason::CertificateInvalid, error.text()))?;
    let certificate = parse_seal(&der)
        .map_err(|error| certificate_refusal(RefusalReason::CertificateInvalid, error.text()))?;
    check_holder(&certificate, request)?;
    if !key_id::matches(&signature.key_id, &certificate) {
        let text = "keyId must be SN=<serial number>,CA=<issuer> of TPP-Signature-Certificate";
        return Err(invalid(SIGNATURE_NAME, text));
    }
    let der = CertificateDer::from(der);
    let key = end_entity(&der).map_err(|error| chain_refusal(&error))?;
    authorities.verify(&key, request.now).map_err(|error| chain_refusal(&error))?;
    check_signature(&signature, &key, request)
}

/// The headers of the signature; `None` when the request may be unsigned and is. A header that is sent twice is refused: two programs
/// might read different values.
fn signature_headers(
    mode: SignatureMode,
    headers: &HeaderMap,
) -> Result<Option<SignatureHeaders<'_>>, Refusal> {
    if mode == SignatureMode::Off {
        return Ok(None);
    }
    let value = |name: &HeaderName, spelled: &str| {
        single(spelled, headers.get_all(name).iter()).map(|text| text.filter(|text| !text.is_empty()))
    };
    let digest = value(&DIGEST, DIGEST_NAME)?;
    let signature = value(&SIGNATURE, SIGNATURE_NAME)?;
    let certificate = value(&TPP_CERTIFICATE, CERTIFICATE_NAME)?;
    match (digest, signature, certificate) {
        (Some(digest), Some(signature), Some(certificate)) => {
            Ok(Some(SignatureHeaders { digest, signature, certificate }))
        }
        (None, None, None) if mode == SignatureMode::Optional => Ok(None),
        (Some(_), Some(_), None) => {
            let text = "TPP-Signature-Certificate is required: the certificate of the signature";
            Err(certificate_refusal(RefusalReason::CertificateMissing, text))
        }
        (digest, signature, certificate) => Err(missing(&[
            (DIGEST_NAME, digest, "is required: the hash of the body"),
            (SIGNATURE_NAME, signature, "is required: the signature of the request"),
            (CERTIFICATE_NAME, certificate, "is required: the certificate of the signature"),
        ])),
    }
}

/// One refusal that names every header that is not there.
fn missing(headers: &[(&str, Option<&str>, &str)]) -> Refusal {
    let absent = headers.iter().filter(|(_, value, _)| value.is_none());
    let errors = absent.map(|(name, _, text)| FieldError {
        path: FieldPath::spelled(*name),
        text: format!("{name} {text}"),
    });
    let refusal = Refusal::new(RefusalReason::SignatureMissing, "");
    Refusal { errors: errors.collect(), ..refusal }
}

/// The signature must cover what the Berlin Group lists, and nothing that it cannot.
fn check_covered(signature: &SignatureHeader, headers: &HeaderMap) -> Result<(), Refusal> {
    let is_covered = |name: &str| signature.headers.iter().any(|covered| covered == name);
    let sent = COVERED_WHEN_SENT.into_iter().filter(|name| headers.contains_key(*name));
    let uncovered = COVERED_ALWAYS.into_iter().chain(sent).find(|name| !is_covered(name));
    if let Some(name) = uncovered {
        return Err(invalid(SIGNATURE_NAME, format!("must cover the header {name}")));
    }
    let pseudo = ["(created)", "(expires)"].into_iter().find(|name| is_covered(name));
    match pseudo {
        // By the draft they are for algorithms without a hash in their name.
        Some(name) => Err(invalid(SIGNATURE_NAME, format!("must not cover {name} with this algorithm"))),
        None => Ok(()),
    }
}

/// `date`, `created` and `expires` by the clock of the bank.
fn check_times(signature: &SignatureHeader, request: &SignedRequest<'_>) -> Result<(), Refusal> {
    let now = request.now;
    let (earliest, latest) = (now.minus(CLOCK_TOLERANCE), now.plus(CLOCK_TOLERANCE));
    let at = |seconds: i64| Timestamp(seconds.saturating_mul(1_000_000));
    if signature.created.is_some_and(|created| at(created) > latest) {
        return Err(invalid(SIGNATURE_NAME, "must not be created in the future"));
    }
    if signature.expires.is_some_and(|expires| at(expires) < now) {
        return Err(invalid(SIGNATURE_NAME, "has expired"));
    }
    let Some(date) = single("Date", request.headers.get_all("date").iter())? else { return Ok(()) };
    let since = httpdate::parse_http_date(date).ok().and_then(|date| date.duration_since(UNIX_EPOCH).ok());
    let seconds = since.and_then(|since| i64::try_from(since.as_secs()).ok());
    let Some(seconds) = seconds else {
        return Err(invalid("Date", "must be a date such as Mon, 16 Nov 2026 08:00:00 GMT"));
    };
    match (earliest..=latest).contains(&at(seconds)) {
        true => Ok(()),
        false => Err(invalid("Date", "must be within five minutes of the bank's clock")),
    }
}

/// The certificate must be a seal of the caller, valid now, with the role of the operation.
fn check_holder(certificate: &SealCertificate, request: &SignedRequest<'_>) -> Result<(), Refusal> {
    let refuse = |text| Err(certificate_refusal(RefusalReason::CertificateInvalid, text));
    if !certificate.is_seal {
        return refuse("TPP-Signature-Certificate must be a certificate for electronic seals (QSEAL)");
    }
    if certificate.holder.organisation != request.organisation {
        return refuse(
            "TPP-Signature-Certificate must have the organizationIdentifier of the certificate that authenticates the caller",
        );
    }
    let authorised = certificate.holder.authorise(CertificateStatus::Active, request.now, request.role);
    authorised.map_err(|refusal| {
        let text = refusal.errors.into_iter().map(|error| error.text).collect::<String>();
        certificate_refusal(refusal.reason, text)
    })
}

/// Verifies the signature with the key of the certificate. A name of the list that was not sent cannot be covered.
fn check_signature(
    signature: &SignatureHeader,
    key: &EndEntityCert<'_>,
    request: &SignedRequest<'_>,
) -> Result<(), Refusal> {
    let target = RequestTarget { method: request.method, uri: request.uri };
    let names = signature.headers.iter().map(String::as_str);
    let Some(text) = signing_string::build(names, Some(target), request.headers) else {
        return Err(invalid(SIGNATURE_NAME, "must cover only headers that are sent"));
    };
    let algorithms: &[&dyn SignatureVerificationAlgorithm] = match signature.algorithm {
        Algorithm::RsaSha256 => &[ring::RSA_PKCS1_2048_8192_SHA256],
        Algorithm::RsaSha512 => &[ring::RSA_PKCS1_2048_8192_SHA512],
        Algorithm::EcdsaSha256 => &[ring::ECDSA_P256_SHA256, ring::ECDSA_P384_SHA256],
    };
    let is_valid = |algorithm: &&dyn SignatureVerificationAlgorithm| {
        key.verify_signature(*algorithm, &text, &signature.signature).is_ok()
    };
    match algorithms.iter().any(is_valid) {
        true => Ok(()),
        false => Err(invalid(SIGNATURE_NAME, "does not verify with the key of TPP-Signature-Certificate")),
    }
}

fn chain_refusal(error: &Error) -> Refusal {
    let (reason, text) = match error {
        Error::CertExpired { .. } => (RefusalReason::CertificateExpired, "the certificate has expired"),
        Error::CertNotValidYet { .. } => {
            (RefusalReason::CertificateInvalid, "the certificate is not valid yet")
        }
        Error::CertRevoked => (RefusalReason::CertificateRevoked, "the certificate was revoked"),
        Error::CrlExpired { .. } => (
            RefusalReason::CertificateInvalid,
            "the revocation list of the certificate's issuer is out of date; contact the bank",
        ),
        _ => (
            RefusalReason::CertificateInvalid,
            "the certificate is not issued by an authority that the bank accepts",
        ),
    };
    certificate_refusal(reason, text)
}

fn certificate_refusal(reason: RefusalReason, text: impl Into<String>) -> Refusal {
    Refusal::at(reason, FieldPath::spelled(CERTIFICATE_NAME), text)
}

fn invalid(header: &str, text: impl AsRef<str>) -> Refusal {
    let text = format!("{header} {}", text.as_ref());
    Refusal::at(RefusalReason::SignatureInvalid, FieldPath::spelled(header), text)
}
