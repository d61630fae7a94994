//! Documentation of the sandbox.

use super::NOW;
use super::content::{Doc, EMPTY, Payload, value};
use super::parameter::{AFTER, APPLICATION_PATH, WAIT};
use super::webhook;
use crate::wire::{sandbox as wire, sandbox_callback};
use serde_json::{Value, json};
use trapeza_app::application::MerchantUrls;
use trapeza_app::callback::{CallbackFeed, FeedCallback, FeedCursor};
use trapeza_app::notification::MessageView;
use trapeza_app::sandbox::ApplicationView;
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::callback::CallbackKind;
use trapeza_domain::id::{ApplicationId, CallbackId, MerchantId};
use trapeza_domain::money::Currency;
use uuid::Uuid;

pub static CLOCK: Doc = Doc {
    response: Some(Payload::json::<wire::Clock>("The bank's time.", || value(&wire::clock(NOW)))),
    ..EMPTY
};

pub static CLOCK_ADVANCE: Doc = Doc {
    request: Some(Payload::json::<wire::ClockAdvance<'_>>("The duration.", || json!({ "advance": "P1D" }))),
    response: Some(Payload::json::<wire::Clock>(
        "The new time. Everything due by then was processed.",
        || value(&wire::clock(NOW)),
    )),
    ..EMPTY
};

pub static MESSAGES: Doc = Doc {
    response: Some(Payload::json::<wire::Messages<'_>>(
        "The newest hundred messages, newest first.",
        messages,
    )),
    ..EMPTY
};

pub static APPLICATION: Doc = Doc {
    parameters: &[&APPLICATION_PATH],
    request: Some(Payload::json::<wire::ChangeBody<'_>>(
        "The URLs to change; absent ones are unchanged.",
        || json!({ "successCallbackUrl": SUCCESS, "failCallbackUrl": FAIL }),
    )),
    response: Some(Payload::json::<wire::ApplicationOut<'_>>("The application.", application)),
    ..EMPTY
};

pub static CALLBACKS: Doc = Doc {
    parameters: &[&AFTER, &WAIT],
    response: Some(Payload::json::<sandbox_callback::CallbackList<'_>>(
        "The callbacks after the cursor, also those for which the merchant has no callback URL. They are listed for seven days.",
        callbacks,
    )),
    ..EMPTY
};

const SUCCESS: &str = "http://127.0.0.1:9000/paid";
const FAIL: &str = "http://127.0.0.1:9000/declined";

fn callbacks() -> Value {
    let body = webhook::example(CallbackKind::Approved).to_string();
    let id = CallbackId::parse("0198b4c1-6d7e-4a21-9c55-8e4f2b1a7d03").expect("the example is an id");
    let headers = WEBHOOK_HEADERS.map(|(name, value)| (name, value.to_owned()));
    let cursor = FeedCursor::parse("1794902400000000").expect("the example is a cursor");
    let one =
        FeedCallback { id, kind: CallbackKind::Approved, created_at: NOW, headers: headers.into(), body };
    value(&sandbox_callback::list(&CallbackFeed { cursor, callbacks: vec![one] }))
}

const WEBHOOK_HEADERS: [(&str, &str); 4] = [
    ("content-type", "application/json"),
    ("webhook-id", "0198b4c1-6d7e-4a21-9c55-8e4f2b1a7d03"),
    ("webhook-timestamp", "1794902400"),
    ("webhook-signature", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
];

fn messages() -> Value {
    value(&wire::messages(&[MessageView {
        to: "+306900000001".to_owned(),
        channel: "SMS".to_owned(),
        text:
            "Kyklos Finance asks to read your accounts. If you agree, your code is 402113. Do not share it."
                .to_owned(),
        code: Some("402113".to_owned()),
        sent_at: NOW,
    }]))
}

fn application() -> Value {
    let view = ApplicationView {
        id: ApplicationId::parse(APPLICATION_PATH.example).expect("the example is an id"),
        created_at: NOW,
        urls: MerchantUrls {
            success_callback: Some(SUCCESS.to_owned()),
            fail_callback: Some(FAIL.to_owned()),
            ..MerchantUrls::default()
        },
        redirect_uris: Vec::new(),
    };
    let owner = ApplicationOwner::Merchant { id: MerchantId::new(Uuid::nil()), currency: Currency::EUR };
    value(&wire::application(&view, owner))
}
