//! Documentation of the sandbox.

use super::NOW;
use super::content::value;
use super::content::{Doc, EMPTY, Payload};
use super::parameter::APPLICATION_PATH;
use super::schema::Schema::{self, Formatted, Text};
use super::schema::{Component, Field, list, optional, required};
use crate::wire;
use serde_json::{Value, json};
use trapeza_app::application::MerchantUrls;
use trapeza_app::notification::MessageView;
use trapeza_app::sandbox::ApplicationView;
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::id::{ApplicationId, MerchantId};
use uuid::Uuid;

pub static CLOCK: Doc = Doc {
    answer: Some(Payload::json(
        "The bank's time.",
        || Schema::Component(&BANK_CLOCK),
        || value(&wire::sandbox::clock(NOW)),
    )),
    ..EMPTY
};

pub static CLOCK_ADVANCE: Doc = Doc {
    request: Some(Payload::json(
        "The duration.",
        || Schema::Component(&ADVANCE),
        || json!({ "advance": "P1D" }),
    )),
    answer: Some(Payload::json(
        "The new time. Everything due by then was processed.",
        || Schema::Component(&BANK_CLOCK),
        || value(&wire::sandbox::clock(NOW)),
    )),
    ..EMPTY
};

pub static MESSAGES: Doc = Doc {
    answer: Some(Payload::json(
        "The newest hundred messages, newest first.",
        || Schema::Component(&MESSAGE_BOX),
        messages,
    )),
    ..EMPTY
};

pub static APPLICATION: Doc = Doc {
    parameters: &[&APPLICATION_PATH],
    request: Some(Payload::json(
        "The URLs to change; absent ones are unchanged.",
        || Schema::Component(&CHANGE),
        || json!({ "successCallbackUrl": SUCCESS, "failCallbackUrl": FAIL }),
    )),
    answer: Some(Payload::json("The application.", || Schema::Component(&REGISTERED), application)),
    ..EMPTY
};

const SUCCESS: &str = "http://127.0.0.1:9000/paid";
const FAIL: &str = "http://127.0.0.1:9000/declined";

static BANK_CLOCK: Component = Component {
    name: "Clock",
    description: "The bank's clock.",
    schema: || Schema::Object(vec![required("now", Formatted("date-time"), "The bank's time.")]),
};

static ADVANCE: Component = Component {
    name: "ClockAdvance",
    description: "A step of the bank's clock, forward only.",
    schema: || {
        Schema::Object(vec![required(
            "advance",
            Formatted("duration"),
            "An ISO 8601 duration such as P1D or PT20M; a month counts as 30 days, a year as 365.",
        )])
    },
};

static MESSAGE_BOX: Component = Component {
    name: "Messages",
    description: "Messages sent to the SMS gateway and the push service.",
    schema: || Schema::Object(vec![required("messages", list(Schema::Component(&MESSAGE)), "Newest first.")]),
};

static MESSAGE: Component = Component {
    name: "Message",
    description: "A message to a customer.",
    schema: || {
        Schema::Object(vec![
            required("to", Text, "The phone number, or the customer's user name."),
            required("channel", Schema::Enum(&["SMS", "PUSH"]), "The channel."),
            required("text", Text, "The text."),
            optional("code", Text, "The OTP in the text."),
            required("sentAt", Formatted("date-time"), "When it was sent."),
        ])
    },
};

fn messages() -> Value {
    value(&wire::sandbox::messages(&[MessageView {
        to: "+306900000001".to_owned(),
        channel: "SMS".to_owned(),
        text:
            "Kyklos Finance asks to read your accounts. If you agree, your code is 402113. Do not share it."
                .to_owned(),
        code: Some("402113".to_owned()),
        sent_at: NOW,
    }]))
}

static CHANGE: Component = Component {
    name: "ApplicationChange",
    description: "A merchant sets its four URLs, a third party its redirect URIs.",
    schema: || Schema::Object(addresses()),
};

static REGISTERED: Component = Component {
    name: "Application",
    description: "A registered application with its URLs.",
    schema: || {
        let mut fields = vec![
            required("applicationId", Formatted("uuid"), "The application's id."),
            required("created", Formatted("date-time"), "When it was registered."),
        ];
        fields.extend(addresses());
        Schema::Object(fields)
    },
};

fn addresses() -> Vec<Field> {
    vec![
        optional("successCallbackUrl", Formatted("uri"), "The callback URL for approved baskets."),
        optional("failCallbackUrl", Formatted("uri"), "The callback URL for declined and expired baskets."),
        optional("successRedirectURI", Formatted("uri"), "The redirect URL after a purchase."),
        optional("failureRedirectURI", Formatted("uri"), "The redirect URL otherwise."),
        optional("redirectURIs", list(Text), "The redirect URIs of a third party; at most 20."),
    ]
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
    value(&wire::sandbox::application(&view, ApplicationOwner::Merchant(MerchantId::new(Uuid::nil()))))
}
