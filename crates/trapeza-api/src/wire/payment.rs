//! Payments (§2.4, §4.2), in and out.

use super::amount::{self, Amount};
use super::authorisation::{self, cancellation_number};
use super::envelope::{Envelope, Links, envelope};
use super::fields::Fields;
use super::reference;
use serde::Serialize;
use serde_json::{Map, Value, json};
use trapeza_app::payment::CancellationResult;
use trapeza_app::sca::MethodView;
use trapeza_domain::payment::{
    Address, CancellationStatus, Payment, PaymentOrder, PaymentOrderFields, PaymentProduct, PaymentState,
};
use trapeza_domain::reference::{StoredIdentifier, StoredReference};
use trapeza_domain::refusal::Refusal;
use trapeza_http::extract::json::Json;

/// The one payment service there is.
pub const SERVICE: &str = "payments";

/// What a third party orders, or all that is wrong with it.
pub fn order(product: PaymentProduct, body: &Json) -> Result<PaymentOrder, Refusal> {
    let fields = Fields::of(body)?;
    let parts = PaymentOrderFields {
        end_to_end_id: fields.opt_text("endToEndIdentification"),
        debtor: fields.object("debtorAccount").and_then(|account| reference::read(&account)),
        amount: fields.object("instructedAmount").and_then(|amount| amount::read(&amount)),
        creditor: fields.object("creditorAccount").and_then(|account| reference::read(&account)),
        creditor_agent: fields.opt_text("creditorAgent"),
        creditor_agent_name: fields.opt_text("creditorAgentName"),
        creditor_name: fields.text("creditorName"),
        creditor_address: fields.opt_object("creditorAddress").map(|address| read_address(&address)),
        remittance: fields.opt_text("remittanceInformationUnstructured"),
    };
    let order = fields.validate_at(|_, faults| PaymentOrder::parse(product, parts, faults));
    fields.finish()?;
    // What is missing has its fault, so this is not reached; better a refusal than a panic.
    order.ok_or_else(|| Refusal::malformed("", "a required field is missing"))
}

fn read_address(address: &Fields<'_>) -> Address {
    let part = |name| address.opt_text(name).map(str::to_owned);
    Address {
        building_number: part("buildingNumber"),
        city: part("city"),
        country: part("country"),
        postal_code: part("postalCode"),
        street: part("street"),
    }
}

/// The answer to an order. Typed, since it is the answer that is given most often.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Initiated<'a> {
    transaction_status: &'static str,
    payment_id: String,
    transaction_fees: Amount,
    transaction_fee_indicator: bool,
    sca_methods: Vec<authorisation::Method<'a>>,
    psu_message: &'static str,
    payment_service: &'static str,
    payment_product: &'static str,
    customer_phone: &'a str,
    #[serde(flatten)]
    envelope: Envelope,
}

pub fn initiated<'a>(payment: &Payment, methods: &'a [MethodView], phone: &'a str) -> Initiated<'a> {
    let (product, id) = (payment.instruction.product.name(), payment.id.to_string());
    let path = path_of(product, &id);
    let fee = payment.instruction.fee;
    let (status, start) = ([&path, "/status"].concat(), [&path, "/authorisations"].concat());
    let mut links = Links::one("self", path);
    links.add("status", status);
    links.add("startAuthorisation", start);
    Initiated {
        transaction_status: payment.state.status().name(),
        payment_id: id,
        transaction_fees: Amount(fee),
        transaction_fee_indicator: fee.is_positive(),
        sca_methods: authorisation::methods(methods),
        psu_message: "Please authorise this payment.",
        payment_service: SERVICE,
        payment_product: product,
        customer_phone: phone,
        envelope: Envelope::with(links),
    }
}

pub fn fetched(payment: &Payment) -> Value {
    let terms = &payment.instruction;
    let payee = StoredReference {
        identifier: StoredIdentifier::Iban(terms.creditor),
        currency: terms.creditor_currency,
    };
    let mut own = json!({
        "debtorAccount": reference::held(&terms.debtor),
        "instructedAmount": Amount(terms.amount),
        "creditorAccount": reference::held(&payee),
        "creditorName": terms.creditor_name,
        "transactionStatus": payment.state.status().name(),
    });
    let agent = terms.creditor_agent.as_ref().map(|agent| agent.as_str());
    for (name, text) in [
        ("endToEndIdentification", terms.end_to_end_id.as_deref()),
        ("creditorAgent", agent),
        ("creditorAgentName", terms.creditor_agent_name.as_deref()),
        ("remittanceInformationUnstructured", terms.remittance.as_deref()),
    ] {
        if let Some(text) = text {
            own[name] = json!(text);
        }
    }
    if let Some(address) = &terms.creditor_address {
        own["creditorAddress"] = show_address(address);
    }
    with_reason(envelope(own, &links(payment)), payment)
}

/// Why clearing turned it down: the one thing about a rejection that does not tell of anybody's account or money.
fn with_reason(mut body: Value, payment: &Payment) -> Value {
    if let PaymentState::Rejected { code: Some(code), .. } = payment.state {
        let text = format!("clearing turned the payment down: {code}");
        body["tppMessages"] =
            json!([{ "category": 1, "code": 0, "path": "transactionStatus", "text": text }]);
    }
    body
}

fn show_address(address: &Address) -> Value {
    let parts = [
        ("buildingNumber", &address.building_number),
        ("city", &address.city),
        ("country", &address.country),
        ("postalCode", &address.postal_code),
        ("street", &address.street),
    ];
    let given = parts.into_iter().filter_map(|(name, part)| Some((name.to_owned(), json!(part.as_ref()?))));
    Value::Object(given.collect::<Map<_, _>>())
}

pub fn status(payment: &Payment) -> Value {
    let mut own = json!({ "transactionStatus": payment.state.number() });
    if let Some(available) = payment.state.funds_available() {
        own["fundsAvailable"] = json!(available);
    }
    with_reason(envelope(own, &[("self", path(payment))]), payment)
}

/// The answer to a payment that is called back: done, or with the way to the customer's word.
pub fn called_back(called: &CancellationResult, methods: &[MethodView], path: &str) -> Value {
    let mut own = json!({ "transactionStatus": called.status.name() });
    let mut links = vec![("self", path.to_owned()), ("status", format!("{path}/status"))];
    if called.status == CancellationStatus::Received {
        own["scaMethods"] = json!(authorisation::methods_numbered(methods, cancellation_number));
        links.push(("startAuthorisation", format!("{path}/cancellation-authorisations")));
    }
    envelope(own, &links)
}

/// What can be done with a payment as it is.
fn links(payment: &Payment) -> Vec<(&'static str, String)> {
    let path = path(payment);
    let mut links = vec![("self", path.clone()), ("status", format!("{path}/status"))];
    if payment.state == PaymentState::Received {
        links.push(("startAuthorisation", format!("{path}/authorisations")));
    }
    links
}

pub fn path(payment: &Payment) -> String {
    path_of(payment.instruction.product.name(), &payment.id.to_string())
}

fn path_of(product: &str, id: &str) -> String {
    ["/v1/", SERVICE, "/", product, "/", id].concat()
}
