//! The customer's own accounts, and the newest lines of one.

use super::view::{Account, AccountCard, Accounts, Line};
use super::{Customer, top};
use crate::facts::{Fact, grouped};
use crate::frame::{Frame, see, show};
use crate::trouble;
use crate::visit::Visit;
use crate::words::Words;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::{BalanceKind, CustomerAccount, Transaction};
use trapeza_domain::account::AccountStatus;

const HERE: &str = "/app/accounts";

pub async fn list(visit: &Visit, customer: &Customer) -> Response {
    let accounts = match visit.bank.app.customer_account_list(customer.psu).await {
        Ok(accounts) => accounts,
        Err(stop) => return trouble(visit, &stop),
    };
    let page = Accounts {
        frame: Frame::of(visit, visit.words.app.tab_accounts),
        top: top(visit, customer, HERE),
        accounts: accounts.iter().map(|own| card(visit.words, own)).collect(),
    };
    show(visit, StatusCode::OK, &page)
}

pub async fn show_statement(visit: &Visit, customer: &Customer, id: &str) -> Response {
    let (own, lines) = match visit.bank.app.customer_statement(customer.psu, id).await {
        Ok(found) => found,
        // Not theirs, or not any more: theirs are on the list.
        Err(UseCaseError::Refused(_)) => return see(HERE),
        Err(stop) => return trouble(visit, &stop),
    };
    let page = Account {
        frame: Frame::of(visit, &own.account.name),
        top: top(visit, customer, HERE),
        account: card(visit.words, &own),
        lines: lines.iter().map(|line| shown(visit.words, line)).collect(),
    };
    show(visit, StatusCode::OK, &page)
}

fn card(words: &'static Words, own: &CustomerAccount) -> AccountCard {
    let rows = own.balances.iter().filter_map(|balance| {
        let label = match balance.kind {
            BalanceKind::Booked => words.app.booked,
            BalanceKind::Available => words.app.available,
            BalanceKind::CreditLimit => words.app.credit_limit,
            _ => return None,
        };
        Some(Fact::new(label, balance.amount.to_string()))
    });
    AccountCard {
        href: format!("{HERE}/{}", own.account.id),
        name: own.account.name.clone(),
        number: grouped(own.account.iban.as_str()),
        note: (own.account.status == AccountStatus::Blocked).then_some(words.app.blocked),
        rows: rows.collect(),
    }
}

fn shown(words: &Words, line: &Transaction) -> Line {
    let told = line.detail.as_ref();
    let into = line.amount.is_positive();
    let other = told.map(|told| if into { &told.particulars.debtor } else { &told.particulars.creditor });
    let who = other.and_then(|party| party.name.clone());
    let text = told.and_then(|told| told.particulars.remittance_unstructured.clone());
    let info = told.and_then(|told| told.additional_information.clone());
    Line {
        day: words.day(line.booking_day),
        who: who.or(info).unwrap_or_else(|| line.event.name().to_owned()),
        text,
        amount: line.amount.to_string(),
        into,
    }
}
