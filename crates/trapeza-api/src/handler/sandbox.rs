//! The sandbox: its clock, sent messages and the URLs of an application. These routes do not exist in production.

use crate::wire::sandbox as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::extract::{ApplicationRequest, OpenRequest};
use trapeza_http::response::json;

pub async fn clock_get(request: OpenRequest) -> Result<Response, UseCaseError> {
    Ok(json(StatusCode::OK, &wire::clock(request.state.app.now())))
}

pub async fn clock_advance(request: OpenRequest) -> Result<Response, UseCaseError> {
    let by = wire::advance(&request.json()?)?;
    let now = request.state.app.clock_advance(by).await?;
    Ok(json(StatusCode::OK, &wire::clock(now)))
}

pub async fn messages(request: OpenRequest) -> Result<Response, UseCaseError> {
    let messages = request.state.app.messages().await?;
    Ok(json(StatusCode::OK, &wire::messages(&messages)))
}

/// Updates the URLs of the calling application: the path identifies it, its headers authenticate it.
pub async fn application_change(request: ApplicationRequest) -> Result<Response, UseCaseError> {
    let application = &request.caller;
    match application.owner {
        ApplicationOwner::ThirdParty => {
            let client = request.header(&["ClientId"])?.and_then(ApplicationId::parse);
            if client != Some(application.id) {
                let text = "must be the id of the application that the subscription key belongs to";
                return Err(Refusal::at(RefusalReason::ClientUnknown, Field::ClientId, text).into());
            }
        }
        ApplicationOwner::Merchant { .. } => {
            App::authenticate_merchant(application, request.header(&["X-Application-ID"])?)?;
        }
    }
    if ApplicationId::parse(request.path("applicationId")) != Some(application.id) {
        let text = "must be the id of the calling application";
        return Err(
            Refusal::at(RefusalReason::ResourceUnknown, FieldPath::spelled("applicationId"), text).into()
        );
    }
    let change = wire::change(&request.json()?, application.owner)?;
    let view = request.state.app.application_change(application.id, change).await?;
    Ok(json(StatusCode::OK, &wire::application(&view, application.owner)))
}
