//! The page of the sample third party.

use super::walkthrough::{Purpose, Stage, Walkthrough};
use super::{PATH, ThirdParty};
use crate::page::{Calls, respond, step_form};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_web::page_request::PageRequest;
use trapeza_web::site::{Block, Form, Input, Page, Table};

const TITLE: &str = "Sample third party";
const STEPS: [&str; 3] = ["Choose", "Authorise", "Result"];
/// The code that the sandbox accepts.
const OTP_HINT: &str = "In the sandbox the code is 123456.";

/// The page without a walkthrough.
pub async fn start(tpp: &ThirdParty, request: &PageRequest) -> Response {
    let form = start_form(tpp, request, None).await;
    let intro = "A company with a licence reads accounts and starts payments for its customers. Choose what it does, and follow each \
                 request and its response.";
    let page = Page::new(TITLE).at_step(&STEPS, 0).with(Block::text(intro)).with(Block::form(form));
    let page = page.with_aside(&Calls { calls: &[], callbacks: &[] });
    respond(&page, request, StatusCode::OK)
}

/// The page of a walkthrough.
pub async fn show(tpp: &ThirdParty, request: &PageRequest, walkthrough: &Walkthrough) -> Response {
    let mut page = Page::new(TITLE);
    page = match &walkthrough.stage {
        Stage::Start => {
            let form = start_form(tpp, request, Some(walkthrough)).await;
            page.at_step(&STEPS, 0).with(Block::form(form))
        }
        Stage::Done => page.at_step(&STEPS, 2).with_all(result(request, walkthrough)),
        stage => page.at_step(&STEPS, 1).with_all(authorisation(request, walkthrough, stage)),
    };
    if !matches!(walkthrough.stage, Stage::Start) {
        page = page
            .with(Block::action(form(request, walkthrough, "new", "Start a new walkthrough").class("plain")));
    }
    let page = page.with_aside(&Calls { calls: &walkthrough.calls, callbacks: &[] });
    respond(&page, request, StatusCode::OK)
}

async fn start_form(tpp: &ThirdParty, request: &PageRequest, walkthrough: Option<&Walkthrough>) -> Form {
    let customers: Vec<_> = tpp.customers().await;
    let options: Vec<_> =
        customers.iter().map(|customer| (customer.psu_id.clone(), customer.name.clone())).collect();
    // The first two customers of the demo bank have every method, and accounts with money.
    let preferred = |name: &str, other: usize| match customers.iter().any(|one| one.psu_id == name) {
        true => name.to_owned(),
        false => customers.get(other).map(|one| one.psu_id.clone()).unwrap_or_default(),
    };
    let chosen = |found: Option<&String>, name: &str, other: usize| match found {
        Some(psu_id) => psu_id.clone(),
        None => preferred(name, other),
    };
    let customer = chosen(walkthrough.map(|walkthrough| &walkthrough.customer.psu_id), "eleni.papadaki", 0);
    let payee = chosen(walkthrough.map(|walkthrough| &walkthrough.payee.psu_id), "jonas.weber", 1);
    let purposes = Purpose::ALL.map(|(_, name, label)| (name.to_owned(), label.to_owned())).to_vec();
    let purpose = walkthrough.map_or(Purpose::Consent, |walkthrough| walkthrough.purpose);
    let amount = walkthrough.map_or("12.50", |walkthrough| &walkthrough.amount);
    let form = step_form(request, PATH, "start", "Send the request")
        .field(Input::radio("purpose", "What the third party does", purposes).value(purpose.name()))
        .field(Input::choice("customer", "Customer", options.clone()).value(&customer))
        .field(Input::choice("payee", "Payee", options).value(&payee).hint("For a payment only."))
        .field(
            Input::text("amount", "Amount in euro")
                .value(amount)
                .hint("For a payment only. More than the account has is rejected after the authorisation."),
        );
    match walkthrough.and_then(|walkthrough| walkthrough.error.clone()) {
        Some(error) => {
            let field = if error.contains("mount") { "amount" } else { "" };
            form.errors(&[(field.to_owned(), error)])
        }
        None => form,
    }
}

fn authorisation(request: &PageRequest, walkthrough: &Walkthrough, stage: &Stage) -> Vec<Block> {
    let mut blocks = vec![summary(walkthrough)];
    let error: Vec<_> = walkthrough.error.iter().map(|text| (String::new(), text.clone())).collect();
    let password = || {
        format!(
            "In the sandbox the password of {} is {}.",
            walkthrough.customer.name, walkthrough.customer.password
        )
    };
    match stage {
        Stage::BankPage { link } => {
            blocks.push(Block::text(
                "The customer opens the bank's page, signs in, checks what is asked, and returns here.",
            ));
            blocks.push(Block::Text(format!("{} {OTP_HINT}", password())));
            blocks.push(Block::button(link, "Continue at the bank"));
        }
        Stage::BankApp { number } => {
            blocks.push(Block::Text(format!(
                "The bank's app asks {} for a number. The number is {number}.",
                walkthrough.customer.name
            )));
            let user = format!("Open the app in another tab and sign in as {}.", walkthrough.customer.psu_id);
            blocks.push(Block::Text(format!("{user} {} {OTP_HINT}", password())));
            blocks.push(Block::links([("/app", "Open the bank's app")]));
        }
        Stage::Password => {
            let field = Input::other_password("password", "Password at the bank").hint(&password());
            let form = form(request, walkthrough, "password", "Sign in").field(field);
            blocks.push(Block::form(form.errors(&error)));
        }
        Stage::Method { methods } => {
            let first = methods.first().map_or("", |(id, _)| id);
            let field = Input::radio("method", "How the customer confirms", methods.clone()).value(first);
            let form = form(request, walkthrough, "method", "Continue").field(field);
            blocks.push(Block::form(form.errors(&error)));
        }
        Stage::Code { message } => {
            blocks.push(Block::text(message));
            let form = form(request, walkthrough, "code", "Confirm")
                .field(Input::text("code", "Code").hint(OTP_HINT));
            blocks.push(Block::form(form.errors(&error)));
        }
        Stage::Start | Stage::Done => {}
    }
    if matches!(stage, Stage::BankPage { .. } | Stage::BankApp { .. }) {
        blocks.extend(walkthrough.error.clone().map(Block::Bad));
        if !walkthrough.status.is_empty() {
            blocks.push(Block::Text(format!(
                "The bank reports {}: the customer has not decided yet.",
                walkthrough.status
            )));
        }
    }
    blocks.push(Block::action(form(request, walkthrough, "check", "Check the status").class("plain")));
    blocks
}

fn result(request: &PageRequest, walkthrough: &Walkthrough) -> Vec<Block> {
    let mut blocks = vec![outcome(walkthrough)];
    blocks.push(summary(walkthrough));
    blocks.extend(walkthrough.error.clone().map(Block::Bad));
    if !walkthrough.accounts.is_empty() {
        let rows = walkthrough.accounts.iter();
        let rows =
            rows.map(|account| vec![account.name.clone(), account.iban.clone(), account.balance.clone()]);
        blocks.push(Block::heading("Accounts"));
        blocks.push(Block::Table(Table::of_text("Accounts", ["Name", "IBAN", "Balance"], rows, "")));
    }
    if !walkthrough.transactions.is_empty() {
        blocks.push(Block::heading("Newest transactions of the first account"));
        let head = ["Booked", "Other party", "Amount"];
        blocks.push(Block::Table(Table::of_text("Transactions", head, walkthrough.transactions.clone(), "")));
    }
    if walkthrough.is_consent() && walkthrough.status == "valid" {
        let read =
            if walkthrough.accounts.is_empty() { "Read the accounts" } else { "Read the accounts again" };
        blocks.push(Block::action(form(request, walkthrough, "read", read)));
        blocks.push(Block::action(form(request, walkthrough, "delete", "Delete the consent").class("no")));
    }
    blocks
}

/// What has become of the request, in a sentence.
fn outcome(walkthrough: &Walkthrough) -> Block {
    let reason = if walkthrough.reason.is_empty() {
        String::new()
    } else {
        format!(" The bank says: {}.", walkthrough.reason)
    };
    match walkthrough.status.as_str() {
        "valid" => Block::Good("The consent is valid. The third party may read the accounts now.".to_owned()),
        "rejected" => Block::Bad("The consent was rejected. The third party reads nothing.".to_owned()),
        "terminatedByTpp" => Block::Good("The consent is deleted. Further reads are refused.".to_owned()),
        "received" => Block::Bad("The authorisation failed. The consent is not valid.".to_owned()),
        "RJCT" => Block::Bad(format!("The payment was rejected: no money has moved.{reason}")),
        "CANC" => Block::Bad("The payment was cancelled: no money has moved.".to_owned()),
        "RCVD" => Block::Bad("The authorisation failed: no money has moved.".to_owned()),
        "ACCC" | "ACSC" => {
            Block::Good(format!("The payment is done: {} EUR have arrived.", walkthrough.amount))
        }
        "revokedByPsu" => Block::Bad("The customer has withdrawn the consent.".to_owned()),
        "expired" => Block::Bad("The consent has expired.".to_owned()),
        other => Block::Good(format!("The payment is accepted: {other}.")),
    }
}

fn summary(walkthrough: &Walkthrough) -> Block {
    let mut facts = vec![("Customer", walkthrough.customer.name.clone())];
    if !walkthrough.is_consent() {
        facts.push(("Payee", walkthrough.payee.name.clone()));
        facts.push(("Amount", format!("{} EUR", walkthrough.amount)));
    }
    if !walkthrough.status.is_empty() {
        facts.push(("Status", walkthrough.status.clone()));
    }
    Block::facts(facts)
}

fn form(request: &PageRequest, walkthrough: &Walkthrough, step: &'static str, button: &str) -> Form {
    step_form(request, PATH, step, button).field(Input::hidden("walkthrough", &walkthrough.id))
}
