//! The webhook log of an application: every callback with its attempts, resending, and test events of merchants.

use super::{id, path};
use crate::portal_request::PortalRequest;
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::callback::{AttemptRecord, CallbackRecord, topic_name};
use trapeza_domain::callback::{CallbackKind, CallbackStatus};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::refusal::Refusal;
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, format_time, is_form_error};

pub async fn list(request: &PortalRequest) -> PageResult {
    Ok(list_page(request, test_form(request, id(request)?)).await?.ok(request))
}

pub async fn show(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let callback = request.id("callback", CallbackId::parse)?;
    let detail = request.app().portal_webhook(caller, id, callback).await?;
    let record = detail.record;
    let status = record.callback.state.status();
    let facts = vec![
        ("webhook-id".to_owned(), Cell::text(record.callback.id.to_string())),
        ("Event".to_owned(), Cell::text(topic_name(record.callback.topic))),
        ("Created".to_owned(), Cell::text(format_time(record.callback.created_at))),
        ("Status".to_owned(), Cell::text(status_text(status))),
    ];
    let attempts = Table {
        label: "Attempts".to_owned(),
        head: vec![
            "Attempt",
            "Time",
            "Answer",
            "Milliseconds",
            "Error",
            "webhook-timestamp",
            "webhook-signature",
        ],
        rows: detail.attempts.iter().map(attempt_row).collect(),
        empty: "There was no attempt yet.",
    };
    let mut page = Page::new("Webhook")
        .with(Block::Facts(facts))
        .with(Block::heading("Attempts"))
        .with(Block::Table(attempts))
        .with(Block::heading("Body"))
        .with(Block::Code("Body".to_owned(), record.body));
    let can_resend = match status {
        CallbackStatus::Waiting => record.callback.attempts > 0,
        CallbackStatus::Dead | CallbackStatus::Disabled => true,
        CallbackStatus::Delivered => false,
    };
    if caller.member.role.includes(MemberRole::Developer) && can_resend {
        let action = path(id, &format!("/webhooks/{callback}/resend"));
        page = page.with(Block::form(Form::new(&request.web, &action, "Send again")));
    }
    Ok(page.with(Block::Links(vec![(path(id, "/webhooks"), "All webhooks".to_owned())])).ok(request))
}

pub async fn resend(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let callback = request.id("callback", CallbackId::parse)?;
    request.app().portal_webhook_resend(caller, id, callback).await?;
    Ok(redirect(&path(id, &format!("/webhooks/{callback}"))))
}

pub async fn test_event(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    request.app().portal_application(caller, id, MemberRole::Developer).await?;
    let sent = async {
        let text = "must be approved, declined or expired";
        let kind = CallbackKind::parse(request.web.field("event"))
            .ok_or_else(|| Refusal::malformed(Field::CallbackId, text))?;
        request.app().portal_webhook_test(caller, id, kind).await
    };
    match sent.await {
        Ok(callback) => Ok(redirect(&path(id, &format!("/webhooks/{callback}")))),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = test_form(request, id)
                .filled(&request.web)
                .refused(&refusal, &[(Field::CallbackId, "event")]);
            Ok(list_page(request, form).await?.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

async fn list_page(request: &PortalRequest, form: Form) -> Result<Page, UseCaseError> {
    let (caller, id) = (request.signed_in()?, id(request)?);
    let records = request.app().portal_webhook_list(caller, id).await?;
    let is_merchant = request.app().portal_application_view(caller, id).await?.merchant.is_some();
    let table = Table {
        label: "Webhooks".to_owned(),
        head: vec!["Created", "Event", "Status", "Attempts", if is_merchant { "Basket" } else { "Object" }],
        rows: records.iter().map(|record| row(id, record)).collect(),
        empty: "No webhook was sent yet.",
    };
    let page = Page::new("Webhooks").with(Block::Table(table));
    let page = page.with(Block::Links(vec![(path(id, ""), "Back to the application".to_owned())]));
    if !request.app().is_sandbox() || !is_merchant || !caller.member.role.includes(MemberRole::Developer) {
        return Ok(page);
    }
    Ok(page.with(Block::heading("Send a test event")).with(Block::form(form)))
}

fn row(id: ApplicationId, record: &CallbackRecord) -> Vec<Cell> {
    let callback = &record.callback;
    vec![
        Cell::link(path(id, &format!("/webhooks/{}", callback.id)), format_time(callback.created_at)),
        Cell::text(topic_name(callback.topic)),
        Cell::text(status_text(callback.state.status())),
        Cell::text(callback.attempts.to_string()),
        Cell::text(&record.object_id),
    ]
}

fn attempt_row(attempt: &AttemptRecord) -> Vec<Cell> {
    vec![
        Cell::text(attempt.number.to_string()),
        Cell::text(format_time(attempt.attempted_at)),
        Cell::text(attempt.http_status.map_or("no response".to_owned(), |status| status.to_string())),
        Cell::text(attempt.duration_ms.to_string()),
        Cell::text(attempt.error.clone().unwrap_or_default()),
        Cell::text(attempt.signed.as_ref().map_or(String::new(), |(seconds, _)| seconds.to_string())),
        Cell::text(attempt.signed.as_ref().map_or("not sent".to_owned(), |(_, signature)| signature.clone())),
    ]
}

const fn status_text(status: CallbackStatus) -> &'static str {
    match status {
        CallbackStatus::Waiting => "waiting for its next attempt",
        CallbackStatus::Delivered => "delivered",
        CallbackStatus::Dead => "given up",
        CallbackStatus::Disabled => "disabled by the receiver",
    }
}

fn test_form(request: &PortalRequest, id: ApplicationId) -> Form {
    let events = CallbackKind::ALL.iter().map(|kind| (kind.name(), format!("basket.{}", kind.name())));
    Form::new(&request.web, &path(id, "/webhooks/test"), "Send")
        .field(Input::choice("event", "Event", events.collect()).value(CallbackKind::Approved.name()))
}
