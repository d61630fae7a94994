//! The sandbox's own calls: the clock, and a program's addresses. In production these routes do not exist.

use crate::wire::sandbox as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_http::call::{ApplicationCall, OpenCall};
use trapeza_http::response::reply;

pub async fn clock_fetch(call: OpenCall) -> Result<Response, UseCaseError> {
    Ok(reply(StatusCode::OK, &wire::clock(call.bank.app.now())))
}

pub async fn clock_advance(call: OpenCall) -> Result<Response, UseCaseError> {
    let by = wire::advance(&call.json()?)?;
    let now = call.bank.app.clock_advance(by).await?;
    Ok(reply(StatusCode::OK, &wire::clock(now)))
}

pub async fn messages(call: OpenCall) -> Result<Response, UseCaseError> {
    let messages = call.bank.app.messages().await?;
    Ok(reply(StatusCode::OK, &wire::messages(&messages)))
}

/// A program changes its own addresses and nobody else's: the path names it, its headers prove it.
pub async fn application_change(call: ApplicationCall) -> Result<Response, UseCaseError> {
    let application = &call.who;
    match application.owner {
        ApplicationOwner::ThirdParty => {
            let client = call.header(&["ClientId"])?.and_then(ApplicationId::parse);
            if client != Some(application.id) {
                let text = "ClientId is missing, or not the application that the key belongs to";
                return Err(Refusal::at(RefusalReason::ClientUnknown, "ClientId", text).into());
            }
        }
        ApplicationOwner::Merchant(_) => {
            App::authenticate_merchant(application, call.header(&["X-Application-ID"])?)?;
        }
    }
    if ApplicationId::parse(call.path("applicationId")) != Some(application.id) {
        let text = "an application can change only itself, and this is not its id";
        return Err(Refusal::at(RefusalReason::ResourceUnknown, "applicationId", text).into());
    }
    let change = wire::change(&call.json()?, application.owner)?;
    let view = call.bank.app.application_change(application.id, change).await?;
    Ok(reply(StatusCode::OK, &wire::application(&view, application.owner)))
}
