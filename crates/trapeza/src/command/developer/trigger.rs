//! `trapeza trigger EVENT`: makes an event happen in a sandbox, by the calls after which it arises in production.

use super::{CallError, SandboxApi};
use crate::cli::Trigger;
use crate::command::runtime;
use serde_json::json;
use trapeza_api::docs::{WEBHOOKS, Webhook};
use trapeza_domain::callback::CallbackKind;

/// Longer than a basket waits for the shopper.
const EXPIRY: &str = "PT31M";

pub fn run(options: &Trigger) -> (String, bool) {
    let Some(event) = options.event.as_deref().filter(|_| !options.list) else { return (list(), true) };
    let Some(webhook) = WEBHOOKS.iter().find(|webhook| webhook.event() == event) else {
        return (format!("unknown event {event:?}; expected one of:\n{}", list()), false);
    };
    let made = runtime().and_then(|runtime| {
        let api = SandboxApi::open(&options.caller)?;
        runtime.block_on(trigger(&api, webhook.kind)).map_err(CallError::text)
    });
    match made {
        Ok(basket) => (format!("{event}: basket {basket}\n"), true),
        Err(problem) => (format!("{problem}\n"), false),
    }
}

/// One line per event.
fn list() -> String {
    let line =
        |webhook: &Webhook| format!("  {:<16}  {}. {}\n", webhook.event(), webhook.summary, webhook.trigger);
    WEBHOOKS.iter().map(line).collect()
}

/// Returns the public id of the basket that the event is about.
async fn trigger(api: &SandboxApi, kind: CallbackKind) -> Result<String, CallError> {
    let request = request_id()?;
    let order =
        json!({ "basketValue": 120, "requestId": request, "orderIdentifier": format!("trigger-{request}") });
    let basket = api.post("/createbasket", Some(&order)).await?;
    let number = basket["basketId"].as_i64().unwrap_or_default();
    let simulate =
        |approve: bool| format!("/bnplsandbox/createbnpl?basketId={number}&isSuccessCallback={approve}");
    match kind {
        CallbackKind::Approved => api.post(&simulate(true), None).await?,
        CallbackKind::Declined => api.post(&simulate(false), None).await?,
        CallbackKind::Expired => api.post("/sandbox/clock", Some(&json!({ "advance": EXPIRY }))).await?,
    };
    Ok(basket["publicBasketId"].as_str().unwrap_or_default().to_owned())
}

fn request_id() -> Result<String, CallError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| CallError::Refused(format!("the system has no random numbers: {error}")))?;
    Ok(uuid::Builder::from_random_bytes(bytes).into_uuid().to_string())
}
