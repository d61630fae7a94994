//! Applications, merchants, callbacks and requests of the request log.

use super::{MAX_RELATED, ObjectView, ViewContext};
use crate::{format_timestamp, merchant as merchants};
use trapeza_domain::application::{ApplicationOwner, CertificateStatus};
use trapeza_domain::basket::PublicBasketId;
use trapeza_domain::callback::CallbackState;
use trapeza_domain::id::{ApplicationId, CallbackId, MerchantId};
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::StaffAction;
use trapeza_domain::time::TimeDelta;
use trapeza_store::{ObjectRelation, StoreError, Tx};
use uuid::Uuid;

/// How much of a body is shown.
const MAX_BODY_CHARS: usize = 4_000;

pub(super) fn application(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let application = ApplicationId::new(id);
    let Some(record) = tx.application_find(application)? else { return Ok(None) };
    let status = if record.disabled_at.is_none() { "active" } else { "disabled" };
    let title = record.application.name.clone();
    let mut view = ObjectView::new(SearchKind::Application, id, title).status(status);
    let merchant = match record.application.owner {
        ApplicationOwner::ThirdParty => None,
        ApplicationOwner::Merchant { id, .. } => Some(id),
    };
    view.fact("Owner", if merchant.is_none() { "third party" } else { "merchant" });
    view.fact("Sandbox", if record.application.sandbox { "yes" } else { "no" });
    view.time("Registered", record.created_at);
    view.fact_opt("Disabled", record.disabled_at.map(format_timestamp));
    let keys = tx.application_key_list(application)?;
    view.fact("Keys in use", keys.iter().filter(|key| key.retired_at.is_none()).count());
    let used = keys.iter().filter_map(|key| key.last_used_at).max();
    view.fact_opt("Key last used", used.map(format_timestamp));
    for certificate in tx.certificate_list(application)?.into_iter().take(MAX_RELATED) {
        let status = match certificate.status {
            CertificateStatus::Active => "active",
            CertificateStatus::Blocked => "blocked",
            CertificateStatus::Revoked => "revoked",
        };
        let ends = format_timestamp(certificate.expires_at);
        view.fact("Certificate", format!("{}, {status}, valid until {ends}", certificate.organisation));
    }
    let urls = record.urls;
    for uri in tx.redirect_uri_list(application)?.into_iter().take(MAX_RELATED) {
        view.fact("Redirect URI", uri);
    }
    view.fact_opt("Success callback", urls.success_callback);
    view.fact_opt("Failure callback", urls.fail_callback);
    view.fact_opt("Success redirect", urls.success_redirect);
    view.fact_opt("Failure redirect", urls.failure_redirect);
    if let Some(merchant) = merchant {
        view.relate_one(tx, "merchant", SearchKind::Merchant, merchant.uuid())?;
    }
    view.relate_all(tx, "dead callback", ObjectRelation::ApplicationDeadCallbacks, application)?;
    view.relate_all(tx, "request", ObjectRelation::ApplicationRequests, application)?;
    if application != ApplicationId::BANK {
        let action = match record.disabled_at {
            None => StaffAction::ApplicationDisable,
            Some(_) => StaffAction::ApplicationEnable,
        };
        view.action(context, action, [("application", application.to_string())]);
    }
    Ok(Some(view))
}

pub(super) fn merchant(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let merchant_id = MerchantId::new(id);
    let Some(record) = tx.merchant_find(merchant_id)? else { return Ok(None) };
    let found = merchants::view(tx, record)?;
    let merchant = &found.merchant;
    let mut view = ObjectView::new(SearchKind::Merchant, id, merchant.name.clone());
    view.fact("Code", &merchant.code);
    view.fact("Number", merchant.number);
    view.fact("Minimum", merchant.limits.minimum);
    view.fact("Maximum", merchant.limits.maximum);
    view.fact("Discount", percent(merchant.discount_basis_points));
    for offer in &found.plans {
        let (plan, mark) = (offer.plan, if offer.is_default { ", default" } else { "" });
        let rate = percent(plan.yearly_rate_bp);
        view.fact("Plan", format!("{} installments at {rate} a year{mark}", plan.installments));
    }
    let minutes = merchant.basket_ttl.0 / TimeDelta::minutes(1).0;
    view.fact("Baskets stay open", format!("{minutes} minutes"));
    view.fact("Payable", found.payable);
    view.fact("In payouts", found.in_payouts);
    let has_settlement_account = found.settlement.is_some();
    view.fact_opt("Settlement account", found.settlement.map(|account| account.iban.masked()));
    view.relate_all(tx, "application", ObjectRelation::MerchantApplications, merchant_id)?;
    view.relate_all(tx, "payout", ObjectRelation::MerchantPayouts, merchant_id)?;
    let code = || [("code", merchant.code.clone())];
    view.action(context, StaffAction::MerchantTerms, code());
    view.action(context, StaffAction::MerchantSettlementAccount, code());
    if found.payable.is_positive() && has_settlement_account {
        view.action(context, StaffAction::MerchantPayout, code());
    }
    Ok(Some(view))
}

pub(super) fn callback(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let Some(record) = tx.callback_find(CallbackId::new(id))? else { return Ok(None) };
    let callback = &record.callback;
    let status = callback.state.status().name();
    let mut view = ObjectView::new(SearchKind::Callback, id, format!("Callback {id}")).status(status);
    view.fact("Kind", callback.topic.name());
    view.time("Created", callback.created_at);
    view.fact("Attempts", callback.attempts);
    match callback.state {
        CallbackState::Waiting { due, .. } => view.time("Next attempt", due),
        CallbackState::Delivered { at } => view.time("Delivered", at),
        CallbackState::Dead { at } => view.time("Given up", at),
        CallbackState::Disabled { at } => view.time("Disabled by the receiver", at),
    }
    for attempt in tx.callback_attempt_list(callback.id)? {
        let status = attempt.http_status.map(|status| format!("HTTP status {status}"));
        let result = status.or(attempt.error).unwrap_or_default();
        let at = format_timestamp(attempt.attempted_at);
        view.fact("Attempt", format!("{}: {at}, {} ms, {result}", attempt.number, attempt.duration_ms));
    }
    let application = callback.application.uuid();
    view.relate_one(tx, "application", SearchKind::Application, application)?;
    if let Some(public) = PublicBasketId::parse(&record.object_id) {
        view.relate_one(tx, "basket", SearchKind::Basket, Uuid::from_bytes(*public.as_bytes()))?;
    }
    if callback.clone().replay(context.now).is_ok() {
        view.action(context, StaffAction::CallbackReplay, [("callback", id.to_string())]);
    }
    Ok(Some(view))
}

pub(super) fn request(tx: &mut Tx<'_>, id: Uuid) -> Result<Option<ObjectView>, StoreError> {
    let Some(application) = tx.request_log_application(id)? else { return Ok(None) };
    let Some(record) = tx.request_log_find(application, id)? else { return Ok(None) };
    let summary = record.summary;
    let title = format!("{} {}", summary.method, summary.operation);
    let mut view = ObjectView::new(SearchKind::Request, id, title).status(summary.status.to_string());
    view.time("Received", summary.recorded_at);
    view.fact("Correlation id", summary.correlation);
    view.fact("Method", summary.method);
    view.fact("Target", summary.target);
    view.fact("Duration", format!("{} ms", summary.micros / 1_000));
    view.fact_opt("Request body", record.request_body.map(shortened));
    view.fact_opt("Response body", record.response_body.map(shortened));
    view.relate_one(tx, "application", SearchKind::Application, application.uuid())?;
    Ok(Some(view))
}

fn shortened(body: String) -> String {
    match body.char_indices().nth(MAX_BODY_CHARS) {
        Some((end, _)) => format!("{}… ({} bytes)", &body[..end], body.len()),
        None => body,
    }
}

/// Hundredths of a percent as `9.90 %`.
fn percent(basis_points: u32) -> String {
    format!("{}.{:02} %", basis_points / 100, basis_points % 100)
}
