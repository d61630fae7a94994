//! Authentication of third parties: subscription key, client id, certificate and PSD2 role; and their common headers.

use super::{ApiRequest, Caller, header, record_failure};
use crate::AppState;
use crate::operation::{Access, Operation};
use crate::server::Peer;
use crate::settings::CertificateMode;
use axum::http::request::Parts;
use std::net::IpAddr;
use trapeza_app::account_information::ConsentedRequest;
use trapeza_app::authentication::PresentedCertificate;
use trapeza_app::{Tpp, TppCredentials, UseCaseError};
use trapeza_domain::refusal::{Refusal, RefusalReason};

impl Caller for Tpp {
    async fn authenticate(
        state: &AppState,
        operation: &'static Operation,
        parts: &Parts,
        peer: &Peer,
    ) -> Result<Self, UseCaseError> {
        let Access::Tpp(role) = operation.access else {
            return Err(
                Refusal::new(RefusalReason::RoleMissing, "the operation is not for third parties").into()
            );
        };
        let subscription_key = header::SUBSCRIPTION_KEY.of(&parts.headers)?;
        let presented = header::CERTIFICATE
            .of(&parts.headers)
            .map(|text| text.filter(|text| !text.is_empty()).map(PresentedCertificate::Header));
        // The key is checked first, so errors of the certificate header are reported after it.
        let unchecked = match state.settings.certificates {
            CertificateMode::Header => presented.as_ref().ok().copied().flatten(),
            CertificateMode::Mtls => tls_certificate(peer),
        };
        let key = state.app.authenticate_tpp_key(subscription_key, unchecked).await;
        let key = key.map_err(|error| record_failure(state, peer, error))?;
        state.rate_limiter.check_request(key.application.id)?;
        let certificate = match state.settings.certificates {
            CertificateMode::Header => presented?,
            CertificateMode::Mtls => proven_certificate(state, peer, presented?)?,
        };
        let client = header::CLIENT.of(&parts.headers)?;
        let authenticated =
            state.app.authenticate_tpp(key, TppCredentials { client, certificate }, role).await;
        authenticated.map_err(|error| record_failure(state, peer, error))
    }
}

fn tls_certificate(peer: &Peer) -> Option<PresentedCertificate<'_>> {
    peer.certificate.as_deref().map(PresentedCertificate::Der)
}

/// The certificate of the TLS connection. A `Certificate` header beside it must name the same one.
fn proven_certificate<'a>(
    state: &AppState,
    peer: &'a Peer,
    presented: Option<PresentedCertificate<'a>>,
) -> Result<Option<PresentedCertificate<'a>>, Refusal> {
    let Some(proven) = tls_certificate(peer) else { return Ok(None) };
    if let Some(presented) = presented
        && !state.app.is_same_certificate(presented, proven)
    {
        let text = "does not match the client certificate of the TLS connection";
        return Err(Refusal::at(RefusalReason::CertificateInvalid, "Certificate", text));
    }
    Ok(Some(proven))
}

impl ApiRequest<Tpp> {
    /// The customer that the request is about, by the user name in the header `PSU_ID` (§5.2).
    pub fn psu_id(&self) -> Result<&str, Refusal> {
        let text = header::PSU.of(&self.parts.headers)?.unwrap_or_default();
        let valid = !text.is_empty() && text.chars().count() <= 50 && !text.chars().any(char::is_control);
        if valid {
            Ok(text)
        } else {
            Err(header::PSU.malformed("must be the customer's user name, at most 50 characters"))
        }
    }

    /// The consent of a read, and whether the customer is present.
    pub fn consented_request(&self) -> Result<ConsentedRequest, Refusal> {
        let consent = header::CONSENT.of(&self.parts.headers)?.unwrap_or_default();
        if consent.is_empty() {
            return Err(header::CONSENT.malformed("is required: the id of a consent"));
        }
        Ok(ConsentedRequest::new(&self.caller, consent, self.psu_address()?.is_some()))
    }

    /// The customer's IP address; its presence says that the customer is present.
    pub fn psu_address(&self) -> Result<Option<IpAddr>, Refusal> {
        let Some(text) = header::PSU_ADDRESS.of(&self.parts.headers)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| header::PSU_ADDRESS.malformed("must be an IP address"))
    }
}
