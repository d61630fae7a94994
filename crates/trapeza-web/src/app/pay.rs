//! A customer orders a payment to somebody at this bank. It is approved on the app's first page, like everything else.

use super::templates::{Choice, Pay, Typed};
use super::{Customer, top};
use crate::internal_error;
use crate::layout::{Form, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::grouped;
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

const PATH: &str = "/app/pay";

pub async fn get(request: &PageRequest, customer: &Customer) -> Response {
    match payable(request, customer).await {
        Ok(accounts) => form(request, customer, &accounts, StatusCode::OK, Vec::new()),
        Err(stop) => internal_error(request, &stop),
    }
}

pub async fn order(request: &PageRequest, customer: &Customer) -> Response {
    let accounts = match payable(request, customer).await {
        Ok(accounts) => accounts,
        Err(stop) => return internal_error(request, &stop),
    };
    let again = |faults| form(request, customer, &accounts, StatusCode::BAD_REQUEST, faults);
    let order = match read(request, &accounts) {
        Ok(order) => order,
        Err(refusal) => return again(told(request, &refusal)),
    };
    let Ok(once) = Uuid::try_parse(request.field("once")) else { return redirect(PATH) };
    let body = format!("{order:?}");
    let psu = customer.psu.to_string();
    let call = request.state.app.idempotent_request(&RequestIdentity {
        application: ApplicationId::BANK,
        operation: "customer_payment_create",
        request: once,
        field: "once",
        path: PATH,
        psu: &psu,
        consent: "",
        body: body.as_bytes(),
    });
    match request.state.app.customer_payment_create(call, customer.psu, order).await {
        Ok(_) => redirect("/app?notice=ordered"),
        Err(UseCaseError::Refused(refusal)) => again(told(request, &refusal)),
        Err(stop) => internal_error(request, &stop),
    }
}

/// The accounts that money may leave.
async fn payable(request: &PageRequest, customer: &Customer) -> Result<Vec<Account>, UseCaseError> {
    let own = request.state.app.customer_account_list(customer.psu).await?;
    let open = |own: CustomerAccount| (own.account.status == AccountStatus::Enabled).then_some(own.account);
    Ok(own.into_iter().filter_map(open).collect())
}

fn read(request: &PageRequest, accounts: &[Account]) -> Result<PaymentOrder, Refusal> {
    let mut faults = FieldErrors::default();
    let from = accounts.iter().find(|account| account.id.to_string() == request.field("from"));
    if from.is_none() {
        faults.add("from", "this is none of your accounts");
    }
    let iban: String = request.field("iban").split_whitespace().collect::<String>().to_uppercase();
    let creditor = faults.collect("iban", Iban::parse(&iban));
    // A comma is a point to most of our customers.
    let amount = request.field("amount").replacen(',', ".", 1);
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
        creditor_name: Some(request.field("name")).filter(|name| !name.is_empty()),
        remittance: Some(request.field("remittance")).filter(|text| !text.is_empty()),
        ..PaymentOrderFields::default()
    };
    let order = PaymentOrder::parse(PaymentProduct::InternalTransfers, parts, &mut faults);
    faults.finish()?;
    order.ok_or_else(|| Refusal::malformed("from", "the order is not whole"))
}

/// What is wrong, in the customer's texts, each thing once.
fn told(request: &PageRequest, refusal: &Refusal) -> Vec<&'static str> {
    let texts = request.texts;
    let mut told: Vec<&'static str> = Vec::new();
    for fault in &refusal.errors {
        let path = fault.path.as_str();
        let text = match path {
            "from" | "debtorAccount" => texts.app.pay_from_wrong,
            "payee" => texts.app.pay_iban_elsewhere,
            "amount" => texts.app.pay_amount_wrong,
            _ if path.starts_with("instructedAmount") => texts.app.pay_amount_wrong,
            _ if path.starts_with("creditorName") => texts.app.pay_name_wrong,
            _ if path.starts_with("remittance") => texts.app.pay_remittance_wrong,
            _ => texts.app.pay_iban_wrong,
        };
        if !told.contains(&text) {
            told.push(text);
        }
    }
    told
}

fn form(
    request: &PageRequest,
    customer: &Customer,
    accounts: &[Account],
    status: StatusCode,
    faults: Vec<&'static str>,
) -> Response {
    let choice = |account: &Account| Choice {
        id: account.id.to_string(),
        label: format!("{} · {} · {}", account.name, account.currency.code(), grouped(account.iban.as_str())),
        chosen: account.id.to_string() == request.field("from"),
    };
    let typed = Typed {
        iban: request.field("iban").to_owned(),
        name: request.field("name").to_owned(),
        amount: request.field("amount").to_owned(),
        remittance: request.field("remittance").to_owned(),
    };
    let page = Pay {
        layout: Layout::of(request, request.texts.app.pay_title),
        top: top(request, customer, PATH),
        form: Form::of(request),
        once: request.state.app.entropy().uuid().to_string(),
        accounts: accounts.iter().map(choice).collect(),
        typed,
        faults,
    };
    render(request, status, &page)
}
