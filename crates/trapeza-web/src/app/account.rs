//! The customer's accounts and their statements. Single transactions are in `transaction`.

use super::statement::{self, QueryErrors};
use super::statement_templates::{Entry, PageLink, Statement};
use super::templates::{AccountCard, Accounts, Line};
use super::{Customer, app_header, card};
use crate::internal_error;
use crate::layout::{Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::{SummaryRow, format_iban};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::{BalanceKind, CustomerAccount, CustomerStatementQuery};
use trapeza_domain::account::AccountStatus;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Money;
use trapeza_domain::payment::Payment;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::transaction::TransactionDetail;
use trapeza_texts::page::{PageTexts, fill};
use trapeza_texts::{format, rejection, statement as statement_texts};

const PATH: &str = "/app/accounts";

pub async fn list(request: &PageRequest, customer: &Customer) -> Response {
    let app = &request.state.app;
    let accounts = match app.customer_account_list(customer.psu).await {
        Ok(accounts) => accounts,
        Err(error) => return internal_error(request, &error),
    };
    let cards = match app.customer_card_list(customer.psu).await {
        Ok(cards) => cards,
        Err(error) => return internal_error(request, &error),
    };
    let rejected = match app.customer_rejection_list(customer.psu).await {
        Ok(rejected) => rejected,
        Err(error) => return internal_error(request, &error),
    };
    let page = Accounts {
        layout: Layout::of(request, request.texts.app.tab_accounts),
        top: app_header(request, customer, PATH),
        accounts: accounts.iter().map(|own| account_card(request.texts, own)).collect(),
        cards: cards.iter().map(|own| card::card(request.texts, own)).collect(),
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
    let (mut query, mut errors) = (statement::query(request), QueryErrors::default());
    let app = &request.state.app;
    let mut read = app.customer_statement(customer.psu, id, query.clone()).await;
    if let Err(UseCaseError::Refused(refusal)) = &read
        && refusal.reason == RefusalReason::Malformed
    {
        errors = QueryErrors::new(request, refusal);
        query = CustomerStatementQuery::default();
        read = app.customer_statement(customer.psu, id, query.clone()).await;
    }
    let found = match read {
        Ok(found) => found,
        // An unknown account: show the list.
        Err(UseCaseError::Refused(_)) => return redirect(PATH),
        Err(error) => return internal_error(request, &error),
    };
    let (texts, account) = (request.texts, account_card(request.texts, &found.account));
    let status = if query == statement::query(request) { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    let line_path = |entry| format!("/app/transactions/{}/{entry}", found.account.account.id);
    let pending = found.pending.iter().map(|(entry, hold)| {
        let day = texts.day(hold.day);
        shown(texts, line_path(entry), (hold.detail.as_ref(), hold.event), (hold.amount, day))
    });
    let booked = found.page.booked.iter().map(|(entry, line)| {
        let day = texts.day(line.booking_day);
        shown(texts, line_path(entry), (line.detail.as_ref(), line.event), (line.amount, day))
    });
    let export = found.page.month.map(|month| PageLink {
        href: format!("/app/statements/{}/{month}.csv", found.account.account.id),
        label: fill(texts.customer.export, &format::month(texts.language, month.first_day())),
    });
    let page = Statement {
        layout: Layout::of(request, &account.name),
        top: app_header(request, customer, PATH),
        filter: statement::filter(request, &found.page, errors),
        notice: errors.notice(),
        pending: pending.collect(),
        booked: booked.collect(),
        pages: statement::pages(request, &account.href, &query, &found.page),
        export,
        account,
    };
    render(request, status, &page)
}

pub(super) fn account_card(texts: &'static PageTexts, own: &CustomerAccount) -> AccountCard {
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
        number: format_iban(own.account.iban.as_str()),
        note: (own.account.status == AccountStatus::Blocked).then_some(texts.app.blocked),
        rows: rows.collect(),
    }
}

/// The counterparty of a transaction or, where it has none, its event.
pub(super) fn counterparty(
    texts: &PageTexts,
    detail: Option<&TransactionDetail>,
    event: LedgerEvent,
    into: bool,
) -> String {
    let other =
        detail.map(|detail| if into { &detail.particulars.debtor } else { &detail.particulars.creditor });
    let name = other.and_then(|party| party.name.clone());
    name.unwrap_or_else(|| statement_texts::event_name(texts.language, event).to_owned())
}

/// A transaction: its counterparty, and the texts that come with it.
fn shown(
    texts: &PageTexts,
    href: String,
    (detail, event): (Option<&TransactionDetail>, LedgerEvent),
    (amount, day): (Money, String),
) -> Entry {
    let into = amount.is_positive();
    let who = counterparty(texts, detail, event, into);
    let remittance = detail.and_then(|detail| detail.particulars.remittance_unstructured.as_ref());
    let information = detail.and_then(|detail| detail.additional_information.as_ref());
    let texts_shown: Vec<String> = [information, remittance]
        .into_iter()
        .flatten()
        .map(|text| statement_texts::localise(texts.language, event, text))
        .filter(|text| *text != who)
        .collect();
    Entry {
        href: Some(href),
        day,
        who,
        text: (!texts_shown.is_empty()).then(|| texts_shown.join(" · ")),
        amount: texts.money(amount),
        into,
    }
}
