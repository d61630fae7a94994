//! Authorisations of consents, funds consents, payments and cancellations: start, list, status, update.

use super::creation::with_approach;
use super::{payment, payment_path};
use crate::header::{self, AuthorisationOptions, EffectiveHeaders};
use crate::link::{self, Links};
use crate::wire::authorisation as wire;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::idempotency::IdempotentOutcome;
use trapeza_app::sca::{AuthorisationView, Step, TargetRef};
use trapeza_app::{PathPayment, UseCaseError};
use trapeza_domain::authorisation::{ScaStatus, TargetKind};
use trapeza_domain::payment::Payment;
use trapeza_http::extract::TppRequest;
use trapeza_http::response::{created, json, mark_replayed};

/// The idempotency records of steps that were sent together with the start.
const STEP_AT_START: &str = "Berlin Group step of POST authorisations";

pub async fn start(request: TppRequest, kind: TargetKind) -> Result<Response, UseCaseError> {
    let headers = EffectiveHeaders::read(&request)?;
    let psu = headers.psu_id.map(str::to_owned);
    let AuthorisationOptions { preferences, .. } = header::authorisation_options(&request, &headers)?;
    let step = if request.body.is_empty() { None } else { wire::step(&header::json_body(&request)?)? };
    let idempotent = request.idempotent(&headers.joined(), "");
    let (app, (target, payment)) = (&request.state.app, addressed(&request, kind).await?);
    // A payment that has its customer keeps it: the header is ignored.
    let psu = psu.filter(|_| payment.as_ref().is_none_or(|payment| payment.psu.is_empty()));
    let started = app.authorisation_start(idempotent, &request.caller, target, psu, preferences).await?;
    let view = match step {
        None => started,
        // The step has an idempotency key of its own, so that a replay repeats neither the start nor the step.
        Some(step) => {
            let id = started.value.id;
            let idempotent = request.idempotent_part(STEP_AT_START, id.uuid());
            let mut view =
                app.authorisation_update(idempotent, &request.caller, target, &id.to_string(), step).await?;
            view.value.add_start(started.value);
            view
        }
    };
    let own = format!("{}/{}", path(&request, &target), view.value.id);
    let links = Links::default().and_authorisation(&view.value, &own, &request.state.settings.public_url);
    let payment = match &payment {
        Some(payment) => payment::verified_payment(&request, Some(&view.value), payment).await?,
        None => None,
    };
    let verified = payment.as_ref().and_then(wire::PayeeVerificationOut::of);
    let response = created(&own, &wire::Progress::of(&view.value, links, verified));
    Ok(mark_replayed(with_approach(response, &view.value), &view))
}

pub async fn list(request: TppRequest, kind: TargetKind) -> Result<Response, UseCaseError> {
    let (target, _) = addressed(&request, kind).await?;
    let list = request.state.app.authorisation_list(&request.caller, target).await?;
    let authorisation_ids = list.ids.iter().map(|id| id.uuid()).collect();
    Ok(json(StatusCode::OK, &wire::List { authorisation_ids }))
}

pub async fn get(request: TppRequest, kind: TargetKind) -> Result<Response, UseCaseError> {
    let ((target, _), id) = (addressed(&request, kind).await?, request.path("authorisationId"));
    let view = request.state.app.authorisation_find(&request.caller, target, id).await?;
    let own = format!("{}/{}", path(&request, &target), view.id);
    let links = Links::default().and_next_step(&view, &own, &request.state.settings.public_url);
    Ok(json(StatusCode::OK, &wire::Status { sca_status: view.status.name(), links }))
}

pub async fn update(request: TppRequest, kind: TargetKind) -> Result<Response, UseCaseError> {
    let ((target, _), id) = (addressed(&request, kind).await?, request.path("authorisationId"));
    let step = if request.body.is_empty() { None } else { wire::step(&header::json_body(&request)?)? };
    let (app, psu) = (&request.state.app, header::psu_id(&request)?);
    // The password may come together with a name that was not known yet.
    let step = match (step, psu) {
        (Some(Step::Password(password)), Some(psu)) => {
            Some(Step::SignIn { psu_name: psu.to_owned(), password })
        }
        (step, _) => step,
    };
    let view = match (step, psu) {
        (Some(step), psu) => {
            let idempotent = request.idempotent(psu.unwrap_or_default(), "");
            app.authorisation_update(idempotent, &request.caller, target, id, step).await?
        }
        (None, Some(psu)) => identify(&request, target, id, psu).await?,
        (None, None) => return Err(wire::one_step().into()),
    };
    let own = format!("{}/{}", path(&request, &target), view.value.id);
    let links = Links::default().and_authorisation(&view.value, &own, &request.state.settings.public_url);
    let response = json(StatusCode::OK, &wire::Progress::of(&view.value, links, None));
    Ok(mark_replayed(with_approach(response, &view.value), &view))
}

/// Names the customer. Where the object already has its customer, the state that was reached is shown.
async fn identify(
    request: &TppRequest,
    target: TargetRef<'_>,
    id: &str,
    psu: &str,
) -> Result<IdempotentOutcome<AuthorisationView>, UseCaseError> {
    let app = &request.state.app;
    let found = app.authorisation_find(&request.caller, target, id).await?;
    if found.status != ScaStatus::Received {
        return Ok(IdempotentOutcome::fresh(found));
    }
    let idempotent = request.idempotent(psu, "");
    app.authorisation_identify(idempotent, &request.caller, target, id, psu.to_owned()).await
}

/// The target in the path, and the payment where it is one.
async fn addressed(
    request: &TppRequest,
    kind: TargetKind,
) -> Result<(TargetRef<'_>, Option<Payment>), UseCaseError> {
    match kind {
        TargetKind::Payment | TargetKind::Cancellation => {
            let (id, payment) = (request.path("paymentId"), payment_path::find(request).await?);
            let (product, is_bulk) = (payment.instruction.product, payment.instruction.bulk.is_some());
            Ok((TargetRef { kind, id, payment: Some(PathPayment { product, is_bulk }) }, Some(payment)))
        }
        TargetKind::Consent | TargetKind::FundsConsent => {
            Ok((TargetRef { kind, id: request.path("consentId"), payment: None }, None))
        }
        TargetKind::SigningBasket => {
            Ok((TargetRef { kind, id: request.path("basketId"), payment: None }, None))
        }
    }
}

/// The path of the target's authorisations.
fn path(request: &TppRequest, target: &TargetRef<'_>) -> String {
    let (base, id) = (link::base(&request.state), target.id);
    let (service, product) = (request.path("payment-service"), request.path("payment-product"));
    match target.kind {
        TargetKind::Consent => format!("{base}/v1/consents/{id}/authorisations"),
        TargetKind::FundsConsent => format!("{base}/v2/consents/confirmation-of-funds/{id}/authorisations"),
        TargetKind::Payment => format!("{base}/v1/{service}/{product}/{id}/authorisations"),
        TargetKind::Cancellation => {
            format!("{base}/v1/{service}/{product}/{id}/cancellation-authorisations")
        }
        TargetKind::SigningBasket => format!("{base}/v1/signing-baskets/{id}/authorisations"),
    }
}
