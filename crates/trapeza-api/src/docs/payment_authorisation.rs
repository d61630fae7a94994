//! Documentation of authorisations of payments and cancellations (§2.4, §4.2).

use super::authorisation::{self, challenged, fields, identified, listed, standing};
use super::content::Doc;
use super::content::value;
use super::envelope::{SCA_METHOD, with_envelope};
use super::parameter::{
    AUTHORISATION_PATH, DECOUPLED_PREFERRED, NOK_REDIRECT_URI, PAYMENT_PATH, PAYMENT_PRODUCT,
    PAYMENT_SERVICE, Parameter, REDIRECT_PREFERRED, REDIRECT_URI,
};
use super::schema::Schema::{self, Enum, EnumIndex, Text};
use super::schema::{Component, optional, required};
use crate::wire::authorisation as wire;
use trapeza_app::sca::AuthorisationView;
use trapeza_domain::payee_verification::PayeeVerification;

pub static PAYMENT_START: Doc = authorisation::start(
    STARTING,
    "The authorisation was started. The result of payee verification is reported once.",
    || Schema::Component(&PAYMENT_AUTHORISATION),
    || value(&wire::started(&warned(), &PLACE)),
);
pub static PAYMENT_UPDATE: Doc = authorisation::update(
    ONE,
    || Schema::Component(&PAYMENT_AUTHORISATION),
    || value(&wire::started(&challenged(), &PLACE)),
);
pub static PAYMENT_LIST: Doc = authorisation::list_all(ALL, || listed(&PLACE));
pub static PAYMENT_FETCH: Doc = authorisation::fetch(ONE, || standing(&PLACE));

pub static CANCELLATION_START: Doc = authorisation::start(
    STARTING,
    "The authorisation of the cancellation was started.",
    || Schema::Component(&CANCELLATION_AUTHORISATION),
    || value(&wire::started(&identified(), &CANCELLATION_PLACE)),
);
pub static CANCELLATION_UPDATE: Doc = authorisation::update(
    ONE,
    || Schema::Component(&CANCELLATION_AUTHORISATION),
    || value(&wire::started(&challenged(), &CANCELLATION_PLACE)),
);
pub static CANCELLATION_LIST: Doc = authorisation::list_all(ALL, || listed(&CANCELLATION_PLACE));
pub static CANCELLATION_FETCH: Doc = authorisation::fetch(ONE, || standing(&CANCELLATION_PLACE));

const ALL: &[&Parameter] = &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH];
const ONE: &[&Parameter] = &[&PAYMENT_SERVICE, &PAYMENT_PRODUCT, &PAYMENT_PATH, &AUTHORISATION_PATH];
const STARTING: &[&Parameter] = &[
    &PAYMENT_SERVICE,
    &PAYMENT_PRODUCT,
    &PAYMENT_PATH,
    &REDIRECT_PREFERRED,
    &DECOUPLED_PREFERRED,
    &REDIRECT_URI,
    &NOK_REDIRECT_URI,
];

static PAYMENT_AUTHORISATION: Component = Component {
    name: "PaymentAuthorisation",
    description: "An authorisation of a payment. Its status is a name here and a number elsewhere.",
    schema: || {
        let mut fields = fields(&SCA_METHOD);
        fields.push(optional(
            "originalTransactionInformationAndVopStatus",
            Enum(&["CMTC", "NMTC", "NOAP"]),
            "The payee's name is similar to that of the account owner, differs from it, or could not be verified. Reported once.",
        ));
        with_envelope(fields)
    },
};

static CANCELLATION_AUTHORISATION: Component = Component {
    name: "CancellationAuthorisation",
    description: "An authorisation of a payment's cancellation.",
    schema: || with_envelope(fields(&CANCELLATION_METHOD)),
};

pub static CANCELLATION_METHOD: Component = Component {
    name: "CancellationScaMethod",
    description: "An SCA method of the customer. Cancellations have their own numbers.",
    schema: || {
        Schema::Object(vec![
            required("authenticationType", EnumIndex(TYPES), ""),
            required("authenticationMethodId", Text, "The id to send in order to select this method."),
            required("name", Text, "The customer's name for it."),
        ])
    },
};

const TYPES: &[&str] = &["SMS_OTP", "SMS_OTP_AND_PIN", "SMS_OTP_AND_PASSWORD", "SMS_OTP_AND_BIOMETRIC"];

static PLACE: wire::LinkContext<'static> = wire::LinkContext {
    path: "/v1/payments/internal-transfers/c2b9d1f0-5e0a-4f57-9a41-0d3f6b7a8c20/authorisations",
    public_url: "https://bank.example",
    numbering: wire::method_number,
};

static CANCELLATION_PLACE: wire::LinkContext<'static> = wire::LinkContext {
    path: "/v1/payments/internal-transfers/c2b9d1f0-5e0a-4f57-9a41-0d3f6b7a8c20/cancellation-authorisations",
    public_url: "https://bank.example",
    numbering: wire::cancellation_number,
};

fn warned() -> AuthorisationView {
    AuthorisationView { payee_verification: Some(PayeeVerification::Close), ..identified() }
}
