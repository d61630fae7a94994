//! The applications of the organisation for the examples of the reference, as JSON: its script fills in their ids. Keys are not stored,
//! so they cannot be filled in.

use crate::portal_request::PortalRequest;
use axum::http::StatusCode;
use serde_json::{Value, json};
use trapeza_domain::application::ApplicationOwner;
use trapeza_http::response::json as json_response;
use trapeza_web::site::route::PageResult;

pub async fn list(request: &PortalRequest) -> PageResult {
    let applications = request.app().portal_application_list(request.signed_in()?).await?;
    let applications = applications.iter().map(|record| {
        let kind = match record.application.owner {
            ApplicationOwner::ThirdParty => "third-party",
            ApplicationOwner::Merchant { .. } => "merchant",
        };
        json!({ "id": record.application.id.to_string(), "name": record.application.name, "kind": kind })
    });
    Ok(json_response(StatusCode::OK, &json!({ "applications": applications.collect::<Value>() })))
}
