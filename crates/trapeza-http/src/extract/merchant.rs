//! Authentication by subscription key: merchants, and applications that act on themselves.

use super::{ApiRequest, Caller, header, malformed, record_failure};
use crate::AppState;
use crate::extract::query::Query;
use crate::operation::Operation;
use crate::server::Peer;
use axum::http::request::Parts;
use std::sync::Arc;
use trapeza_app::{App, Merchant, UseCaseError};
use trapeza_domain::application::Application;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::Refusal;

impl Caller for Arc<Application> {
    async fn authenticate(
        state: &AppState,
        _: &'static Operation,
        parts: &Parts,
        peer: &Peer,
    ) -> Result<Self, UseCaseError> {
        authenticate_key(state, parts, peer).await
    }

    fn application(&self) -> Option<ApplicationId> {
        Some(self.id)
    }
}

impl Caller for Merchant {
    async fn authenticate(
        state: &AppState,
        _: &'static Operation,
        parts: &Parts,
        peer: &Peer,
    ) -> Result<Self, UseCaseError> {
        let application = authenticate_key(state, parts, peer).await?;
        Ok(App::authenticate_merchant(&application, header::APPLICATION.of(&parts.headers)?)?)
    }

    fn application(&self) -> Option<ApplicationId> {
        Some(self.application)
    }
}

async fn authenticate_key(
    state: &AppState,
    parts: &Parts,
    peer: &Peer,
) -> Result<Arc<Application>, UseCaseError> {
    let key = header::SUBSCRIPTION_KEY.of(&parts.headers)?;
    let found = state.app.authenticate_key(key).await;
    let application = found.map_err(|error| record_failure(state, peer, error))?;
    state.rate_limiter.check_request(application.id)?;
    Ok(application)
}

impl ApiRequest<Merchant> {
    /// The query, after a check that its `api-version` is supported. Without one the newest version is meant.
    pub fn versioned_query(&self, supported: &[&str]) -> Result<Query, Refusal> {
        let query = self.query()?;
        match query.get("api-version") {
            Some(version) if !supported.contains(&version) => {
                let text = format!("unsupported version; use {}", supported.join(" or "));
                Err(malformed("api-version", text))
            }
            _ => Ok(query),
        }
    }
}
