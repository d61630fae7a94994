//! Documentation of the sandbox.

use super::NOW;
use super::content::{Doc, EMPTY, Payload, value};
use super::parameter::APPLICATION_PATH;
use crate::wire::sandbox as wire;
use serde_json::{Value, json};
use trapeza_app::application::MerchantUrls;
use trapeza_app::notification::MessageView;
use trapeza_app::sandbox::ApplicationView;
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::id::{ApplicationId, MerchantId};
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

const SUCCESS: &str = "http://127.0.0.1:9000/paid";
const FAIL: &str = "http://127.0.0.1:9000/declined";

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
