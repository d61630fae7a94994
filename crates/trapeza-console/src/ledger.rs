//! The ledger: accounts with balances and entries, the end-of-day report, manual postings and the check.

use crate::action;
use crate::console_request::ConsoleRequest;
use axum::http::StatusCode;
use trapeza_app::ledger::{CountedSum, DayReport, LedgerAccountView, LedgerEntryRow};
use trapeza_app::staff::ActionParameters;
use trapeza_app::{UseCaseError, format_date, parse_date};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::field::Field;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::Refusal;
use trapeza_domain::staff::StaffAction;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, is_form_error};

const PATH: &str = "/console/ledger";
const CHECK: &str = "/console/ledger/check";
/// Rows of a page.
const ROWS: i64 = 100;
const POSTINGS: i64 = 20;

/// The end-of-day report of a day, today unless the query names another one.
pub async fn report(request: &ConsoleRequest) -> PageResult {
    let form = Form::search(PATH, "Show").field(Input::text("date", "Day, for example 2026-11-17"));
    let asked = request.web.query("date").unwrap_or_default();
    let day = match asked.trim() {
        "" => Ok(request.app().clock().today()),
        text => parse_date(text).ok_or_else(|| Refusal::malformed(Field::BookingDate, "must be a date")),
    };
    let found = match day {
        Ok(day) => request.app().ledger_day_report(day).await,
        Err(refusal) => Err(refusal.into()),
    };
    match found {
        Ok(report) => Ok(report_page(request, &report, form).await?.ok(request)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form =
                form.filled_from_query(&request.web).refused(&refusal, &[(Field::BookingDate, "date")]);
            Ok(Page::new("Ledger").with(Block::form(form)).respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

async fn report_page(request: &ConsoleRequest, report: &DayReport, form: Form) -> Result<Page, UseCaseError> {
    let caller = &request.signed_in()?.staff;
    let mut page = Page::new("Ledger")
        .with(Block::form(form))
        .with(Block::Heading(format!("End-of-day report of {}", format_date(report.day))));
    page =
        match report.differences.is_empty() {
            true => page
                .with(Block::Good("No differences: balances, suspense and holds are explained.".to_owned())),
            false => page.with_all(report.differences.iter().map(|one| {
                Block::Bad(format!("{}: expected {}, found {}", one.name, one.expected, one.actual))
            })),
        };
    page = page.with(Block::Table(balances(report)));
    let mut sections = vec![
        ("Turnover", event_rows(&report.events)),
        ("Received through clearing", event_rows(&report.received)),
        ("Sent through clearing", event_rows(&report.sent)),
        ("Payouts to merchants", event_rows(&report.payouts)),
    ];
    if let Some(open) = &report.open {
        let rows =
            |name: &str, sums: &[CountedSum]| sums.iter().map(|sum| sum_row(name, sum)).collect::<Vec<_>>();
        let mut all = rows("Suspended incoming transfers", &open.suspended);
        all.extend(rows("Suspended by manual postings", &open.suspended_manually));
        all.extend(rows("Amounts held", &open.holds));
        sections.push(("Open now", all));
    }
    for (title, rows) in sections.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        let table = Table::of_text(title, ["Event", "Number", "Amount"], rows, "");
        page = page.with(Block::heading(title)).with(Block::Table(table));
    }
    page = page.with_all(posting_blocks(request).await?);
    let mut links = vec![("/console/ledger/accounts".to_owned(), "Accounts".to_owned())];
    if caller.require(StaffAction::LedgerPostManual).is_ok() {
        links.push((action::path(StaffAction::LedgerPostManual, &[]), "Post manually".to_owned()));
    }
    page = page.with(Block::heading("More")).with(Block::Links(links));
    if caller.require(StaffAction::PersonalDataView).is_ok() {
        page =
            page.with(Block::action(Form::new(&request.web, CHECK, "Check the whole ledger").class("plain")));
    }
    Ok(page)
}

/// The ledger accounts of a kind, page by page.
pub async fn accounts(request: &ConsoleRequest) -> PageResult {
    let kinds = LedgerAccountKind::ALL.iter().map(|kind| (kind.code().to_string(), kind_name(*kind)));
    let options = [(String::new(), "all".to_owned())].into_iter().chain(kinds).collect();
    let form = Form::search("/console/ledger/accounts", "Show").field(Input::choice("kind", "Kind", options));
    let asked = request.web.query("kind").unwrap_or_default();
    let kind = LedgerAccountKind::ALL.into_iter().find(|kind| kind.code().to_string() == asked);
    let after = request.web.query("after").and_then(|text| text.parse().ok()).map(LedgerAccountId);
    record_view(request, "ledger-accounts").await?;
    let found = request.app().ledger_account_list(kind, after, ROWS).await?;
    let rows = found.iter().map(|one| {
        vec![
            Cell::link(format!("/console/ledger/accounts/{}", one.id.0), account_name(one)),
            Cell::text(kind_name(one.kind)),
            Cell::text(one.balance.to_string()),
            Cell::text(one.held.to_string()),
        ]
    });
    let table = Table {
        label: "Accounts".to_owned(),
        head: vec!["Account", "Kind", "Balance", "Held"],
        rows: rows.collect(),
        empty: "There are no such accounts.",
    };
    let mut page = Page::new("Ledger accounts")
        .with(Block::form(form.filled_from_query(&request.web)))
        .with(Block::text("A balance is positive when the bank owes it."))
        .with(Block::Table(table));
    if let Some(last) = found.last().filter(|_| i64::try_from(found.len()).is_ok_and(|count| count == ROWS)) {
        let next = format!("/console/ledger/accounts?kind={asked}&after={}", last.id.0);
        page = page.with(Block::Links(vec![(next, "More".to_owned())]));
    }
    Ok(page.ok(request))
}

/// One account with its newest entries.
pub async fn account(request: &ConsoleRequest) -> PageResult {
    let id = request.id("account", |text| text.parse().ok().map(LedgerAccountId))?;
    let before = request.web.query("before").and_then(|text| text.parse().ok());
    let found = request.app().ledger_account_page(id, before, ROWS).await?;
    let account = &found.account;
    if let Some(owner) = account.owner {
        record_view(request, &owner.to_string()).await?;
    }
    let facts = [
        ("Kind", kind_name(account.kind)),
        ("Balance", account.balance.to_string()),
        ("Held", account.held.to_string()),
    ];
    let rows = found.entries.iter().map(|entry| entry_row(entry, account.currency));
    let table = Table {
        label: "Entries".to_owned(),
        head: vec!["Day", "Event", "Amount", "Balance", "Other account", "Reference"],
        rows: rows.collect(),
        empty: "The account has no entries.",
    };
    let mut page = Page::new(&account_name(account)).with(Block::facts(facts)).with(Block::Table(table));
    if let Some(next) = found.next {
        let next = format!("/console/ledger/accounts/{}?before={next}", id.0);
        page = page.with(Block::Links(vec![(next, "Older entries".to_owned())]));
    }
    Ok(page.ok(request))
}

/// Checks every rule of the ledger, which takes as long as the ledger is large.
pub async fn check(request: &ConsoleRequest) -> PageResult {
    let app = request.web.state.app.clone();
    let checked = tokio::task::spawn_blocking(move || app.ledger_check()).await;
    let report = checked.map_err(|error| UseCaseError::from(trapeza_app::StoreError::internal(error)))??;
    let page = Page::new("Check of the ledger");
    let page = match report.is_sound() {
        true => page.with(Block::Good("The ledger is sound.".to_owned())),
        false => page.with_all(report.findings.iter().map(|finding| Block::Bad(finding.clone()))),
    };
    let facts = [
        ("Accounts", report.accounts.to_string()),
        ("Transfers", report.transfers.to_string()),
        ("Entries", report.entries.to_string()),
        ("Holds", report.holds.to_string()),
    ];
    Ok(page.with(Block::facts(facts)).with(Block::links([(PATH, "Ledger")])).ok(request))
}

/// Records that the caller has seen the data of a person.
async fn record_view(request: &ConsoleRequest, id: &str) -> Result<(), UseCaseError> {
    let parameters = ActionParameters::new([("object", "account"), ("id", id)]);
    let actor = Actor::Staff(request.signed_in()?.staff.id);
    request.app().staff_action_run(actor, StaffAction::PersonalDataView, &parameters, "").await.map(drop)
}

async fn posting_blocks(request: &ConsoleRequest) -> Result<Vec<Block>, UseCaseError> {
    let caller = &request.signed_in()?.staff;
    let postings = request.app().manual_posting_list(POSTINGS).await?;
    if postings.is_empty() {
        return Ok(Vec::new());
    }
    let may_reverse = caller.require(StaffAction::LedgerReverseManual).is_ok();
    let rows = postings.iter().map(|one| {
        let id = one.posting.id.to_string();
        let reverse = action::path(StaffAction::LedgerReverseManual, &[("posting", &id)]);
        let is_open = may_reverse && one.reversal.is_none();
        let links = is_open.then(|| (reverse, "Reverse".to_owned(), String::new()));
        vec![
            Cell::text(trapeza_web::site::format_time(one.posted_at)),
            Cell::text(one.posting.amount.to_string()),
            Cell::text(&one.posting.text),
            Cell::Links(links.into_iter().collect()),
        ]
    });
    let table = Table {
        label: "Manual postings".to_owned(),
        head: vec!["Posted", "Amount", "Reason", "Actions"],
        rows: rows.collect(),
        empty: "",
    };
    Ok(vec![Block::heading("Manual postings"), Block::Table(table)])
}

fn balances(report: &DayReport) -> Table {
    let rows = report.kinds.iter().map(|total| {
        let amount = |minor| Money::new(minor, total.currency).to_string();
        vec![
            kind_name(total.kind),
            amount(total.opening_minor),
            amount(total.debit_minor),
            amount(total.credit_minor),
            amount(total.closing_minor()),
        ]
    });
    Table::of_text(
        "Balances",
        ["Kind of account", "Opening", "Debit", "Credit", "Closing"],
        rows,
        "The ledger has no transfers.",
    )
}

fn event_rows(sums: &[(LedgerEvent, CountedSum)]) -> Vec<Vec<String>> {
    sums.iter().map(|(event, sum)| sum_row(event.name(), sum)).collect()
}

fn sum_row(name: &str, sum: &CountedSum) -> Vec<String> {
    vec![name.to_owned(), sum.count.to_string(), sum.sum.to_string()]
}

fn entry_row(entry: &LedgerEntryRow, currency: Currency) -> Vec<Cell> {
    let amount = |minor| Money::new(minor, currency).to_string();
    let other = entry.counter_account.0;
    vec![
        Cell::text(format_date(entry.booking_day)),
        Cell::text(entry.event.name()),
        Cell::text(amount(entry.amount_minor)),
        Cell::text(entry.balance_minor.map(amount).unwrap_or_default()),
        Cell::link(format!("/console/ledger/accounts/{other}"), other.to_string()),
        Cell::text(&entry.reference),
    ]
}

fn account_name(account: &LedgerAccountView) -> String {
    let owner = account.owner.map(|owner| owner.to_string());
    account
        .name
        .clone()
        .or(owner)
        .unwrap_or_else(|| format!("{}, {}", kind_name(account.kind), account.currency.code()))
}

/// The code and the name of a kind: 1000 clearing settlement.
fn kind_name(kind: LedgerAccountKind) -> String {
    let mut name = kind.code().to_string();
    for letter in format!("{kind:?}").chars() {
        if letter.is_uppercase() {
            name.push(' ');
        }
        name.extend(letter.to_lowercase());
    }
    name
}
