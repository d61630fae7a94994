//! A customer orders a payment to somebody at this bank. It is approved on the app's first page, like everything else.

use super::view::{Choice, Pay, Typed};
use super::{Customer, top};
use crate::facts::grouped;
use crate::frame::{Form, Frame, see, show};
use crate::trouble;
use crate::visit::Visit;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::CustomerAccount;
use trapeza_app::idempotency::RequestIdentity;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::money::Money;
use trapeza_domain::payment::{PaymentOrder, PaymentOrderFields, PaymentProduct};
use trapeza_domain::reference::{AccountReference, Iban, Identifier};
use trapeza_domain::refusal::{FieldErrors, Refusal};
use uuid::Uuid;

const HERE: &str = "/app/pay";

pub async fn look(visit: &Visit, customer: &Customer) -> Response {
    match payable(visit, customer).await {
        Ok(accounts) => form(visit, customer, &accounts, StatusCode::OK, Vec::new()),
        Err(stop) => trouble(visit, &stop),
    }
}

pub async fn order(visit: &Visit, customer: &Customer) -> Response {
    let accounts = match payable(visit, customer).await {
        Ok(accounts) => accounts,
        Err(stop) => return trouble(visit, &stop),
    };
    let again = |faults| form(visit, customer, &accounts, StatusCode::BAD_REQUEST, faults);
    let order = match read(visit, &accounts) {
        Ok(order) => order,
        Err(refusal) => return again(told(visit, &refusal)),
    };
    let Ok(once) = Uuid::try_parse(visit.field("once")) else { return see(HERE) };
    let body = format!("{order:?}");
    let psu = customer.psu.to_string();
    let call = visit.bank.app.idempotent_request(&RequestIdentity {
        application: ApplicationId::BANK,
        operation: "customer_payment_create",
        request: once,
        field: "once",
        path: HERE,
        psu: &psu,
        consent: "",
        body: body.as_bytes(),
    });
    match visit.bank.app.customer_payment_create(call, customer.psu, order).await {
        Ok(_) => see("/app?told=ordered"),
        Err(UseCaseError::Refused(refusal)) => again(told(visit, &refusal)),
        Err(stop) => trouble(visit, &stop),
    }
}

/// The accounts that money may leave.
async fn payable(visit: &Visit, customer: &Customer) -> Result<Vec<Account>, UseCaseError> {
    let own = visit.bank.app.customer_account_list(customer.psu).await?;
    let open = |own: CustomerAccount| (own.account.status == AccountStatus::Enabled).then_some(own.account);
    Ok(own.into_iter().filter_map(open).collect())
}

fn read(visit: &Visit, accounts: &[Account]) -> Result<PaymentOrder, Refusal> {
    let mut faults = FieldErrors::default();
    let from = accounts.iter().find(|account| account.id.to_string() == visit.field("from"));
    if from.is_none() {
        faults.add("from", "this is none of your accounts");
    }
    let iban: String = visit.field("iban").split_whitespace().collect::<String>().to_uppercase();
    let creditor = faults.collect("iban", Iban::parse(&iban));
    // A comma is a point to most of our customers.
    let amount = visit.field("amount").replacen(',', ".", 1);
    let amount = from.and_then(|from| faults.collect("amount", Money::parse(&amount, from.currency)));
    let own = |account: &Account| {
        let identifier = Identifier::Iban(account.iban);
        AccountReference { identifier, currency: Some(account.currency) }
    };
    let parts = PaymentOrderFields {
        debtor: from.map(own),
        amount,
        creditor: creditor
            .map(|iban| AccountReference { identifier: Identifier::Iban(iban), currency: None }),
        creditor_name: Some(visit.field("name")).filter(|name| !name.is_empty()),
        remittance: Some(visit.field("remittance")).filter(|text| !text.is_empty()),
        ..PaymentOrderFields::default()
    };
    let order = PaymentOrder::parse(PaymentProduct::InternalTransfers, parts, &mut faults);
    faults.finish()?;
    order.ok_or_else(|| Refusal::malformed("from", "the order is not whole"))
}

/// What is wrong, in the customer's words, each thing once.
fn told(visit: &Visit, refusal: &Refusal) -> Vec<&'static str> {
    let words = visit.words;
    let mut told: Vec<&'static str> = Vec::new();
    for fault in &refusal.errors {
        let path = fault.path.as_str();
        let text = match path {
            "from" | "debtorAccount" => words.app.pay_from_wrong,
            "payee" => words.app.pay_iban_elsewhere,
            "amount" => words.app.pay_amount_wrong,
            _ if path.starts_with("instructedAmount") => words.app.pay_amount_wrong,
            _ if path.starts_with("creditorName") => words.app.pay_name_wrong,
            _ if path.starts_with("remittance") => words.app.pay_remittance_wrong,
            _ => words.app.pay_iban_wrong,
        };
        if !told.contains(&text) {
            told.push(text);
        }
    }
    told
}

fn form(
    visit: &Visit,
    customer: &Customer,
    accounts: &[Account],
    status: StatusCode,
    faults: Vec<&'static str>,
) -> Response {
    let choice = |account: &Account| Choice {
        id: account.id.to_string(),
        label: format!("{} · {} · {}", account.name, account.currency.code(), grouped(account.iban.as_str())),
        chosen: account.id.to_string() == visit.field("from"),
    };
    let typed = Typed {
        iban: visit.field("iban").to_owned(),
        name: visit.field("name").to_owned(),
        amount: visit.field("amount").to_owned(),
        remittance: visit.field("remittance").to_owned(),
    };
    let page = Pay {
        frame: Frame::of(visit, visit.words.app.pay_title),
        top: top(visit, customer, HERE),
        form: Form::of(visit),
        once: visit.bank.app.entropy().uuid().to_string(),
        accounts: accounts.iter().map(choice).collect(),
        typed,
        faults,
    };
    show(visit, status, &page)
}
