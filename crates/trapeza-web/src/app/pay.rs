//! The form of a payment. The payee's IBAN decides whether it is a payment within the bank or to another bank. The customer approves it
//! on the app's first page, and a receipt follows.

use super::templates::{Choice, Pay, PayErrors, TypedValues};
use super::{Customer, app_header};
use crate::internal_error;
use crate::layout::{Form, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::format_iban;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::CustomerAccount;
use trapeza_app::idempotency::RequestIdentity;
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payment::{PaymentOrder, PaymentOrderFields, PaymentProduct};
use trapeza_domain::reference::{AccountReference, Iban, Identifier};
use trapeza_domain::refusal::{FieldErrors, Refusal};
use trapeza_texts::page::fill;
use uuid::Uuid;

const PATH: &str = "/app/pay";
/// Longer values of a link are cut off.
const MAX_LINK_CHARS: usize = 140;

pub async fn get(request: &PageRequest, customer: &Customer) -> Response {
    match debitable_accounts(request, customer).await {
        Ok(accounts) => form(request, customer, &accounts, StatusCode::OK, PayErrors::default()),
        Err(error) => internal_error(request, &error),
    }
}

pub async fn order(request: &PageRequest, customer: &Customer) -> Response {
    let accounts = match debitable_accounts(request, customer).await {
        Ok(accounts) => accounts,
        Err(error) => return internal_error(request, &error),
    };
    let redisplay = |errors| form(request, customer, &accounts, StatusCode::BAD_REQUEST, errors);
    let product = match product(request).await {
        Ok(product) => product,
        Err(error) => return internal_error(request, &error),
    };
    let order = match read(request, &accounts, product) {
        Ok(order) => order,
        Err(refusal) => return redisplay(field_errors(request, product, &refusal)),
    };
    let Ok(idempotency_key) = Uuid::try_parse(request.field("idempotency_key")) else {
        return redirect(PATH);
    };
    let body = format!("{order:?}");
    let psu = customer.psu.to_string();
    let call = request.state.app.idempotent_request(&RequestIdentity {
        application: ApplicationId::BANK,
        operation: "customer_payment_create",
        idempotency_key,
        field: Field::RequestId,
        path: PATH,
        psu: &psu,
        consent: "",
        body: body.as_bytes(),
    });
    match request.state.app.customer_payment_create(call, customer.psu, order).await {
        Ok(_) => redirect("/app?notice=ordered"),
        Err(UseCaseError::Refused(refusal)) => redisplay(field_errors(request, product, &refusal)),
        Err(error) => internal_error(request, &error),
    }
}

/// The accounts that can be debited.
async fn debitable_accounts(
    request: &PageRequest,
    customer: &Customer,
) -> Result<Vec<Account>, UseCaseError> {
    let own = request.state.app.customer_account_list(customer.psu).await?;
    let open = |own: CustomerAccount| (own.account.status == AccountStatus::Enabled).then_some(own.account);
    Ok(own.into_iter().filter_map(open).collect())
}

/// The product of a payment to the typed IBAN. One that is invalid is reported later.
async fn product(request: &PageRequest) -> Result<PaymentProduct, UseCaseError> {
    match Iban::parse(&typed_iban(request)) {
        Ok(iban) => request.state.app.customer_payment_product(iban).await,
        Err(_) => Ok(PaymentProduct::InternalTransfers),
    }
}

/// The IBAN without its spaces, in capital letters.
fn typed_iban(request: &PageRequest) -> String {
    request.field("iban").split_whitespace().collect::<String>().to_uppercase()
}

fn read(
    request: &PageRequest,
    accounts: &[Account],
    product: PaymentProduct,
) -> Result<PaymentOrder, Refusal> {
    let mut errors = FieldErrors::default();
    let from = accounts.iter().find(|account| account.id.to_string() == request.field("from"));
    if from.is_none() {
        errors.add(Field::DebtorAccount, "must be one of your accounts");
    }
    let creditor = errors.collect(Field::CreditorAccount, Iban::parse(&typed_iban(request)));
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
    let order = PaymentOrder::parse(product, parts, &mut errors);
    errors.finish()?;
    order.ok_or_else(|| Refusal::malformed(Field::DebtorAccount, "the order is incomplete"))
}

/// The message of each field. An error of no field of the form is shown at the payee's IBAN.
fn field_errors(request: &PageRequest, product: PaymentProduct, refusal: &Refusal) -> PayErrors {
    let (texts, words) = (request.texts.app, request.texts.customer);
    let is_sepa = product == PaymentProduct::SepaCreditTransfers;
    let mut errors = PayErrors::default();
    for error in &refusal.errors {
        let path = error.path.fields();
        let (place, text) = match path.as_slice() {
            [Field::DebtorAccount] => (&mut errors.from, texts.pay_from_wrong),
            [Field::InstructedAmount, Field::Currency] => (&mut errors.from, words.pay_currency_wrong),
            [Field::InstructedAmount, ..] => (&mut errors.amount, texts.pay_amount_wrong),
            [Field::Payee] => (&mut errors.iban, texts.pay_iban_elsewhere),
            [Field::CreditorAgent] => (&mut errors.iban, words.pay_no_route),
            [Field::CreditorAccount, Field::Iban] if is_sepa => (&mut errors.iban, words.pay_country_wrong),
            [Field::CreditorName] => (&mut errors.name, texts.pay_name_wrong),
            [Field::Remittance] => (&mut errors.remittance, texts.pay_remittance_wrong),
            _ if Iban::parse(&typed_iban(request)).is_ok() => (&mut errors.iban, words.pay_same_account),
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
            format_iban(account.iban.as_str())
        ),
        chosen: account.id.to_string() == request.field("from"),
    };
    // A link may fill in a payment, such as the page of a loan.
    let typed = |name| match request.field(name) {
        "" => request.query(name).unwrap_or_default().chars().take(MAX_LINK_CHARS).collect(),
        typed => typed.to_owned(),
    };
    let typed = TypedValues {
        iban: typed("iban"),
        name: typed("name"),
        amount: typed("amount"),
        remittance: typed("remittance"),
    };
    let fees = request.state.app.payment_fees();
    let fee = |product| {
        let fee = fees.of(product, Currency::EUR);
        if fee.is_positive() { request.texts.money(fee) } else { request.texts.customer.pay_free.to_owned() }
    };
    let within = fill(request.texts.customer.pay_fees, &fee(PaymentProduct::InternalTransfers));
    let page = Pay {
        fees: fill(&within, &fee(PaymentProduct::SepaCreditTransfers)),
        layout: Layout::of(request, request.texts.app.pay_title),
        top: app_header(request, customer, PATH),
        form: Form::of(request),
        idempotency_key: request.state.app.entropy().uuid().to_string(),
        accounts: accounts.iter().map(choice).collect(),
        typed,
        errors,
    };
    render(request, status, &page)
}
