//! The customer's accounts, and the newest entries of one.

use super::templates::{Account, AccountCard, Accounts, Line};
use super::{Customer, top};
use crate::internal_error;
use crate::layout::{Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::{SummaryRow, grouped};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::{BalanceKind, CustomerAccount};
use trapeza_domain::account::AccountStatus;
use trapeza_domain::payment::Payment;
use trapeza_domain::statement::Transaction;
use trapeza_texts::page::PageTexts;
use trapeza_texts::{rejection, statement};

const PATH: &str = "/app/accounts";

pub async fn list(request: &PageRequest, customer: &Customer) -> Response {
    let app = &request.state.app;
    let accounts = match app.customer_account_list(customer.psu).await {
        Ok(accounts) => accounts,
        Err(error) => return internal_error(request, &error),
    };
    let rejected = match app.customer_rejection_list(customer.psu).await {
        Ok(rejected) => rejected,
        Err(error) => return internal_error(request, &error),
    };
    let page = Accounts {
        layout: Layout::of(request, request.texts.app.tab_accounts),
        top: top(request, customer, PATH),
        accounts: accounts.iter().map(|own| card(request.texts, own)).collect(),
        rejected: rejected.iter().map(|payment| rejected_payment(request, payment)).collect(),
    };
    render(request, StatusCode::OK, &page)
}

/// A payment that was not made, and why.
fn rejected_payment(request: &PageRequest, payment: &Payment) -> Line {
    let texts = request.texts;
    let rejection = payment.state.rejection();
    Line {
        day: texts.day(request.state.app.clock().zone().day(payment.last_action)),
        who: payment.instruction.creditor_name.clone(),
        text: rejection.map(|rejection| rejection::sentence(texts.language, &rejection)),
        amount: texts.money(payment.instruction.amount),
        into: false,
    }
}

pub async fn show_statement(request: &PageRequest, customer: &Customer, id: &str) -> Response {
    let (own, lines) = match request.state.app.customer_statement(customer.psu, id).await {
        Ok(found) => found,
        // An unknown account: show the list.
        Err(UseCaseError::Refused(_)) => return redirect(PATH),
        Err(error) => return internal_error(request, &error),
    };
    let page = Account {
        layout: Layout::of(request, &request.texts.account_name(&own.account.name)),
        top: top(request, customer, PATH),
        account: card(request.texts, &own),
        lines: lines.iter().map(|line| shown(request.texts, line)).collect(),
    };
    render(request, StatusCode::OK, &page)
}

pub(super) fn card(texts: &'static PageTexts, own: &CustomerAccount) -> AccountCard {
    let rows = own.balances.iter().filter_map(|balance| {
        let label = match balance.kind {
            BalanceKind::Booked => texts.app.booked,
            BalanceKind::Available => texts.app.available,
            BalanceKind::CreditLimit => texts.app.credit_limit,
            _ => return None,
        };
        Some(SummaryRow::new(label, texts.money(balance.amount)))
    });
    AccountCard {
        href: format!("{PATH}/{}", own.account.id),
        name: texts.account_name(&own.account.name),
        number: grouped(own.account.iban.as_str()),
        note: (own.account.status == AccountStatus::Blocked).then_some(texts.app.blocked),
        rows: rows.collect(),
    }
}

/// An entry: its counterparty or, where it has none, its event; and the texts that come with it.
fn shown(texts: &PageTexts, line: &Transaction) -> Line {
    let (language, detail) = (texts.language, line.detail.as_ref());
    let into = line.amount.is_positive();
    let other =
        detail.map(|detail| if into { &detail.particulars.debtor } else { &detail.particulars.creditor });
    let who = other.and_then(|party| party.name.clone());
    let who = who.unwrap_or_else(|| statement::event_name(language, line.event).to_owned());
    let remittance = detail.and_then(|detail| detail.particulars.remittance_unstructured.as_ref());
    let information = detail.and_then(|detail| detail.additional_information.as_ref());
    let texts_shown: Vec<String> = [information, remittance]
        .into_iter()
        .flatten()
        .map(|text| statement::localise(language, line.event, text))
        .filter(|text| *text != who)
        .collect();
    Line {
        day: texts.day(line.booking_day),
        who,
        text: (!texts_shown.is_empty()).then(|| texts_shown.join(" · ")),
        amount: texts.money(line.amount),
        into,
    }
}
