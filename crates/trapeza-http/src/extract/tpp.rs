//! Authentication of third parties: subscription key, client id, certificate and PSD2 role; and their common headers.

use super::{ApiRequest, Caller, header};
use crate::AppState;
use crate::operation::{Access, ApiFamily, Operation};
use crate::server::Peer;
use crate::settings::CertificateMode;
use axum::http::request::Parts;
use std::net::IpAddr;
use trapeza_app::account_information::ConsentedRequest;
use trapeza_app::authentication::PresentedCertificate;
use trapeza_app::{AuthenticationLimits, Tpp, TppCredentials, UseCaseError};
use trapeza_domain::application::Role;
use trapeza_domain::id::ApplicationId;
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
        if operation.family == ApiFamily::BerlinGroup {
            return authenticate_by_certificate(state, role, parts, peer).await;
        }
        let certificate = header::CERTIFICATE
            .of(&parts.headers)
            .map(|text| text.filter(|text| !text.is_empty()).map(PresentedCertificate::Header));
        let credentials = TppCredentials {
            subscription_key: header::SUBSCRIPTION_KEY.of(&parts.headers)?,
            client: header::CLIENT.of(&parts.headers),
            certificate,
            connection: match state.settings.certificates {
                CertificateMode::Header => None,
                CertificateMode::Mtls | CertificateMode::Proxy => {
                    Some(peer.certificate.as_deref().map(PresentedCertificate::Der))
                }
            },
        };
        state.app.authenticate_tpp(credentials, role, &Limits { state, peer }).await
    }

    fn application(&self) -> Option<ApplicationId> {
        Some(self.application)
    }

    fn organisation(&self) -> Option<&str> {
        Some(&self.certificate.organisation)
    }
}

/// Authenticates a third party of the Berlin Group's dialect, which presents its certificate alone. In the sandbox the certificate
/// is a header, and a request without one is that of the configured application.
async fn authenticate_by_certificate(
    state: &AppState,
    role: Role,
    parts: &Parts,
    peer: &Peer,
) -> Result<Tpp, UseCaseError> {
    let limits = Limits { state, peer };
    let presented = match state.settings.certificates {
        CertificateMode::Mtls | CertificateMode::Proxy => {
            peer.certificate.as_deref().map(PresentedCertificate::Der)
        }
        CertificateMode::Header => {
            let text = match header::QWAC.of(&parts.headers)? {
                None => header::CERTIFICATE.of(&parts.headers)?,
                named => named,
            };
            text.filter(|text| !text.is_empty()).map(PresentedCertificate::Header)
        }
    };
    let default =
        state.settings.berlin_group.as_ref().and_then(|dialect| dialect.sandbox_application.as_deref());
    match (presented, default) {
        (None, Some(name))
            if state.settings.sandbox && state.settings.certificates == CertificateMode::Header =>
        {
            state.app.sandbox_tpp(name, &limits).await
        }
        (presented, _) => state.app.authenticate_certificate(presented, role, &limits).await,
    }
}

/// The limits of this server on the requests of one peer.
struct Limits<'a> {
    state: &'a AppState,
    peer: &'a Peer,
}

impl AuthenticationLimits for Limits<'_> {
    fn check_request(&self, application: ApplicationId) -> Result<(), Refusal> {
        self.state.rate_limiter.check_request(application)
    }

    fn record_failure(&self, refusal: Refusal) -> Refusal {
        self.state.rate_limiter.record_failure(self.peer.address.ip()).err().unwrap_or(refusal)
    }
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
