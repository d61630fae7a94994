//! The sandbox's calls, documented.

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
        "How far to go.",
        || Schema::Component(&ADVANCE),
        || json!({ "advance": "P1D" }),
    )),
    answer: Some(Payload::json(
        "The bank's time from now on. Whatever is due by then is done.",
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
        "The addresses to change; those left out stay as they are.",
        || Schema::Component(&CHANGE),
        || json!({ "successCallbackUrl": SUCCESS, "failCallbackUrl": FAIL }),
    )),
    answer: Some(Payload::json(
        "The application as it is now.",
        || Schema::Component(&REGISTERED),
        application,
    )),
    ..EMPTY
};

const SUCCESS: &str = "http://127.0.0.1:9000/paid";
const FAIL: &str = "http://127.0.0.1:9000/declined";

static BANK_CLOCK: Component = Component {
    name: "Clock",
    description: "The bank's clock.",
    schema: || {
        Schema::Object(vec![required("now", Formatted("date-time"), "What time the bank believes it is.")])
    },
};

static ADVANCE: Component = Component {
    name: "ClockAdvance",
    description: "A step of the bank's clock. It goes forward only.",
    schema: || {
        Schema::Object(vec![required(
            "advance",
            Formatted("duration"),
            "An ISO 8601 duration such as P1D or PT20M; a month counts thirty days, a year 365.",
        )])
    },
};

static MESSAGE_BOX: Component = Component {
    name: "Messages",
    description: "What the text-message gateway and the push service were given.",
    schema: || Schema::Object(vec![required("messages", list(Schema::Component(&MESSAGE)), "Newest first.")]),
};

static MESSAGE: Component = Component {
    name: "Message",
    description: "A message to a customer.",
    schema: || {
        Schema::Object(vec![
            required("to", Text, "A phone number, or the customer's name in the app."),
            required("channel", Schema::Enum(&["SMS", "PUSH"]), "How it was sent."),
            required("text", Text, "What it says."),
            optional("code", Text, "The code in it."),
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
    description: "A merchant sets its four addresses, a third party where its customers come back to.",
    schema: || Schema::Object(addresses()),
};

static REGISTERED: Component = Component {
    name: "Application",
    description: "A registered application with its addresses.",
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
        optional("successCallbackUrl", Formatted("uri"), "Called when a basket is approved."),
        optional("failCallbackUrl", Formatted("uri"), "Called when a basket is declined or has expired."),
        optional("successRedirectURI", Formatted("uri"), "Where the customer goes after a purchase."),
        optional("failureRedirectURI", Formatted("uri"), "Where the customer goes without one."),
        optional(
            "redirectURIs",
            list(Text),
            "A third party's addresses that its customers may come back to; at most 20.",
        ),
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
