//! Payments within the bank, ordered in the app. They are approved on the app's first page, and end with a receipt.

use super::templates::{Choice, Pay, PayErrors, Receipt, ReceiptOutcome, TypedValues};
use super::{Customer, top};
use crate::internal_error;
use crate::layout::{Form, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::{SummaryRow, grouped};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::CustomerAccount;
use trapeza_app::idempotency::RequestIdentity;
use trapeza_app::sca::CustomerPayment;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::money::Money;
use trapeza_domain::payment::{PaymentOrder, PaymentOrderFields, PaymentProduct, PaymentState};
use trapeza_domain::reference::{AccountReference, Iban, Identifier};
use trapeza_domain::refusal::{FieldErrors, Refusal};
use trapeza_texts::format;
use uuid::Uuid;

const PATH: &str = "/app/pay";

pub async fn get(request: &PageRequest, customer: &Customer) -> Response {
    match payable(request, customer).await {
        Ok(accounts) => form(request, customer, &accounts, StatusCode::OK, PayErrors::default()),
        Err(error) => internal_error(request, &error),
    }
}

pub async fn order(request: &PageRequest, customer: &Customer) -> Response {
    let accounts = match payable(request, customer).await {
        Ok(accounts) => accounts,
        Err(error) => return internal_error(request, &error),
    };
    let again = |errors| form(request, customer, &accounts, StatusCode::BAD_REQUEST, errors);
    let order = match read(request, &accounts) {
        Ok(order) => order,
        Err(refusal) => return again(field_errors(request, &refusal)),
    };
    let Ok(once) = Uuid::try_parse(request.field("once")) else { return redirect(PATH) };
    let body = format!("{order:?}");
    let psu = customer.psu.to_string();
    let call = request.state.app.idempotent_request(&RequestIdentity {
        application: ApplicationId::BANK,
        operation: "customer_payment_create",
        request: once,
        field: Field::RequestId,
        path: PATH,
        psu: &psu,
        consent: "",
        body: body.as_bytes(),
    });
    match request.state.app.customer_payment_create(call, customer.psu, order).await {
        Ok(_) => redirect("/app?notice=ordered"),
        Err(UseCaseError::Refused(refusal)) => again(field_errors(request, &refusal)),
        Err(error) => internal_error(request, &error),
    }
}

/// The receipt of a payment that the customer created in the app.
pub async fn receipt(request: &PageRequest, customer: &Customer, id: &str) -> Response {
    let paid = match request.state.app.customer_payment_find(customer.psu, id).await {
        Ok(paid) => paid,
        // An unknown payment: show the accounts.
        Err(UseCaseError::Refused(_)) => return redirect("/app/accounts"),
        Err(error) => return internal_error(request, &error),
    };
    let (texts, app) = (request.texts, request.texts.app);
    let (outcome, title, text) = match paid.state {
        PaymentState::Settled | PaymentState::Credited => (ReceiptOutcome::Paid, app.receipt_paid, None),
        PaymentState::Rejected { .. } => {
            let text = paid.state.rejection().map(|rejection| texts.unpaid(&rejection));
            (ReceiptOutcome::NotPaid, app.receipt_not_paid, text)
        }
        PaymentState::Cancelled => (ReceiptOutcome::NotPaid, app.receipt_cancelled, None),
        PaymentState::Received => (ReceiptOutcome::Pending, app.receipt_waiting, None),
        PaymentState::Authorised | PaymentState::Accepted { .. } | PaymentState::Submitted => {
            (ReceiptOutcome::Pending, app.receipt_pending, None)
        }
    };
    let page = Receipt {
        layout: Layout::of(request, title),
        top: top(request, customer, PATH),
        outcome,
        text,
        rows: receipt_rows(request, &paid, title),
    };
    render(request, StatusCode::OK, &page)
}

fn receipt_rows(request: &PageRequest, paid: &CustomerPayment, status: &str) -> Vec<SummaryRow> {
    let (texts, details) = (request.texts, &paid.details);
    let zone = request.state.app.clock().zone();
    let (day, time) = (zone.day(paid.changed_at), zone.clock_time(paid.changed_at));
    let from = details.from.name.as_ref().map(|name| texts.account_name(name));
    let from = from.map_or_else(String::new, |name| format!("{name} · ")) + &grouped(&details.from.number);
    let mut rows = vec![
        SummaryRow::new(texts.amount, texts.money(details.amount)).highlighted("large"),
        SummaryRow::new(texts.payee, details.payee.clone()),
        SummaryRow::new(texts.app.receipt_iban, grouped(&details.payee_account)),
    ];
    rows.extend(details.remittance.clone().map(|text| SummaryRow::new(texts.remittance, text)));
    rows.push(SummaryRow::new(texts.from_account, from));
    rows.extend(details.fee.is_positive().then(|| SummaryRow::new(texts.fee, texts.money(details.fee))));
    rows.push(SummaryRow::new(texts.app.receipt_time, format::day_and_time(texts.language, day, &time)));
    rows.push(SummaryRow::new(texts.app.receipt_status, status));
    rows
}

/// The accounts that can be debited.
async fn payable(request: &PageRequest, customer: &Customer) -> Result<Vec<Account>, UseCaseError> {
    let own = request.state.app.customer_account_list(customer.psu).await?;
    let open = |own: CustomerAccount| (own.account.status == AccountStatus::Enabled).then_some(own.account);
    Ok(own.into_iter().filter_map(open).collect())
}

fn read(request: &PageRequest, accounts: &[Account]) -> Result<PaymentOrder, Refusal> {
    let mut errors = FieldErrors::default();
    let from = accounts.iter().find(|account| account.id.to_string() == request.field("from"));
    if from.is_none() {
        errors.add(Field::DebtorAccount, "this is none of your accounts");
    }
    let iban: String = request.field("iban").split_whitespace().collect::<String>().to_uppercase();
    let creditor = errors.collect(Field::CreditorAccount, Iban::parse(&iban));
    // A decimal comma is accepted.
    let amount = request.field("amount").replacen(',', ".", 1);
    let amount =
        from.and_then(|from| errors.collect(Field::InstructedAmount, Money::parse(&amount, from.currency)));
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
    let order = PaymentOrder::parse(PaymentProduct::InternalTransfers, parts, &mut errors);
    errors.finish()?;
    order.ok_or_else(|| Refusal::malformed(Field::DebtorAccount, "the order is not whole"))
}

/// The message of each field. An error of no field of the form is shown at the payee's IBAN.
fn field_errors(request: &PageRequest, refusal: &Refusal) -> PayErrors {
    let (texts, mut errors) = (request.texts.app, PayErrors::default());
    for error in &refusal.errors {
        let (place, text) = match error.path.outermost() {
            Some(Field::DebtorAccount) => (&mut errors.from, texts.pay_from_wrong),
            Some(Field::Payee) => (&mut errors.iban, texts.pay_iban_elsewhere),
            Some(Field::InstructedAmount) => (&mut errors.amount, texts.pay_amount_wrong),
            Some(Field::CreditorName) => (&mut errors.name, texts.pay_name_wrong),
            Some(Field::Remittance) => (&mut errors.remittance, texts.pay_remittance_wrong),
            _ => (&mut errors.iban, texts.pay_iban_wrong),
        };
        *place = Some(text);
    }
    errors
}

fn form(
    request: &PageRequest,
    customer: &Customer,
    accounts: &[Account],
    status: StatusCode,
    errors: PayErrors,
) -> Response {
    let choice = |account: &Account| Choice {
        id: account.id.to_string(),
        label: format!(
            "{} · {} · {}",
            request.texts.account_name(&account.name),
            account.currency.code(),
            grouped(account.iban.as_str())
        ),
        chosen: account.id.to_string() == request.field("from"),
    };
    let typed = TypedValues {
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
        errors,
    };
    render(request, status, &page)
}
