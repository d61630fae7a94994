//! The JSON document of `trapeza psu export`. Transactions and payments, of which there may be many, are added by the command.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use trapeza_app::psu::{AccountData, PersonalData};
use trapeza_app::{format_date, format_timestamp};
use trapeza_domain::card::Card;
use trapeza_domain::consent::Consent;
use trapeza_domain::loan::{Loan, LoanReview};
use trapeza_domain::money::Money;
use trapeza_domain::payment::Payment;
use trapeza_domain::reference::{StoredIdentifier, StoredReference};
use trapeza_domain::signing_basket::{BasketMember, SigningBasket};
use trapeza_domain::statement::Transaction;
use trapeza_domain::time::Timestamp;
use trapeza_domain::transaction::Party;
use trapeza_store::LoanDocument;

pub fn document(data: &PersonalData) -> Value {
    let PersonalData { psu, status, .. } = data;
    json!({
        "customer": {
            "login": psu.login,
            "name": psu.name,
            "phone": psu.phone.as_str(),
            "language": status.language,
            "since": format_timestamp(status.created_at),
            "closed": time(status.closed_at),
        },
        "scaMethods": list(&data.methods, |method| json!({ "id": method.id.to_string(), "kind": method.kind.name() })),
        "devices": list(&data.devices, |device| json!({
            "enrolled": time(device.enrolled_at),
            "expires": format_timestamp(device.expires_at),
        })),
        "accounts": list(&data.accounts, account),
        "cards": list(&data.cards, card),
        "consents": list(&data.consents, consent),
        "signingBaskets": list(&data.signing_baskets, signing_basket),
        "payments": [],
        "loans": list(&data.loans, loan),
        "documents": [],
        "reviews": list(&data.reviews, review),
        "messages": list(&data.messages, |message| json!({
            "to": message.recipient,
            "channel": message.channel,
            "created": format_timestamp(message.created_at),
            "sent": time(message.sent_at),
        })),
    })
}

/// A document of a loan; its content is a PDF in base64.
pub fn loan_document(document: &LoanDocument) -> Value {
    json!({
        "loan": document.loan.to_string(),
        "kind": document.kind.name(),
        "language": document.language,
        "created": format_timestamp(document.created_at),
        "content": BASE64_STANDARD.encode(&document.content),
    })
}

fn list<T>(values: &[T], one: impl Fn(&T) -> Value) -> Vec<Value> {
    values.iter().map(one).collect()
}

fn time(at: Option<Timestamp>) -> Option<String> {
    at.map(format_timestamp)
}

fn money(amount: Money) -> Value {
    json!({ "amount": amount.to_decimal_string(), "currency": amount.currency.code() })
}

fn account(data: &AccountData) -> Value {
    let account = &data.account;
    json!({
        "iban": account.iban.as_str(),
        "bic": account.bic.as_str(),
        "currency": account.currency.code(),
        "status": account.status.name(),
        "product": account.product,
        "name": account.name.as_str(),
        "balance": money(data.booked),
        "transactions": [],
    })
}

pub fn transaction(entry: &Transaction) -> Value {
    let fields = entry.detail.as_ref().map(|detail| &detail.particulars);
    let party = |pick: fn(&trapeza_domain::transaction::TransactionFields) -> &Party| {
        fields.map(pick).and_then(|party| party.name.clone())
    };
    json!({
        "number": entry.seq,
        "booked": format_date(entry.booking_day),
        "value": format_date(entry.value_day),
        "amount": money(entry.amount),
        "event": entry.event.name(),
        "creditor": party(|fields| &fields.creditor),
        "debtor": party(|fields| &fields.debtor),
        "endToEndId": fields.and_then(|fields| fields.end_to_end_id.clone()),
        "remittance": fields.and_then(|fields| fields.remittance_unstructured.clone()),
    })
}

fn card(card: &Card) -> Value {
    json!({
        "number": card.masked_pan.as_str(),
        "name": card.name,
        "product": card.product,
        "status": card.status.name(),
        "expires": format_date(card.expiry),
    })
}

fn consent(consent: &Consent) -> Value {
    json!({
        "id": consent.id.to_string(),
        "application": consent.application.to_string(),
        "kind": consent.kind.name(),
        "status": consent.state.status().name(),
        "created": format_timestamp(consent.created_at),
        "changed": format_timestamp(consent.last_action),
    })
}

fn signing_basket(basket: &SigningBasket) -> Value {
    let (mut payments, mut consents) = (Vec::new(), Vec::new());
    for member in &basket.members {
        match member {
            BasketMember::Payment(id) => payments.push(id.to_string()),
            BasketMember::Consent(id) => consents.push(id.to_string()),
        }
    }
    json!({
        "id": basket.id.to_string(),
        "application": basket.application.to_string(),
        "status": basket.state.status().name(),
        "payments": payments,
        "consents": consents,
        "created": format_timestamp(basket.created_at),
        "changed": format_timestamp(basket.last_action),
    })
}

pub fn payment(payment: &Payment) -> Value {
    let terms = &payment.instruction;
    let mut value = json!({
        "id": payment.id.to_string(),
        "application": payment.application.to_string(),
        "product": terms.product.name(),
        "status": payment.state.status().name(),
        "created": format_timestamp(payment.created_at),
        "debtorAccount": identifier(&terms.debtor),
        "amount": money(terms.amount),
        "creditorName": terms.creditor_name,
        "creditorAccount": terms.creditor.as_str(),
        "remittance": terms.remittance,
    });
    if let Some(date) = terms.timing.requested_date() {
        value["executionDate"] = format_date(date).into();
    }
    if let Some(bulk) = terms.bulk {
        // Its lines are payments of their own.
        value["creditorAccount"] = Value::Null;
        value["bulk"] = json!({ "payments": bulk.count, "batchBooking": bulk.batch_booking });
    }
    if let Some(bulk) = payment.bulk {
        value["bulkPayment"] = bulk.to_string().into();
    }
    if let Some(order) = terms.timing.standing_order() {
        value["standingOrder"] = json!({
            "frequency": order.frequency.name(),
            "start": format_date(order.start),
            "end": order.end.map(format_date),
        });
    }
    value
}

fn identifier(reference: &StoredReference) -> String {
    match &reference.identifier {
        StoredIdentifier::Iban(iban) => iban.as_str().to_owned(),
        StoredIdentifier::Bban(bban) => bban.as_str().to_owned(),
        StoredIdentifier::Pan(pan) => pan.masked.as_str().to_owned(),
        StoredIdentifier::MaskedPan(masked) => masked.as_str().to_owned(),
        StoredIdentifier::Msisdn(msisdn) => msisdn.as_str().to_owned(),
    }
}

fn review(review: &LoanReview) -> Value {
    json!({
        "id": review.id.to_string(),
        "loan": review.loan.to_string(),
        "kind": review.kind.name(),
        "status": review.status.name(),
        "statement": review.statement,
        "incomeMinor": review.income.map(|income| income.income_minor),
        "expensesMinor": review.income.map(|income| income.expenses_minor),
        "incomeSource": review.income.map(|income| income.source.name()),
        "requested": format_timestamp(review.requested_at),
        "decided": time(review.decided_at),
        "explanation": review.explanation,
    })
}

fn loan(loan: &Loan) -> Value {
    json!({
        "id": loan.id.to_string(),
        "merchant": loan.merchant.to_string(),
        "amount": money(loan.amount),
        "status": loan.state.name(),
        "requested": format_timestamp(loan.requested_at),
        "decided": time(loan.decided_at),
    })
}
