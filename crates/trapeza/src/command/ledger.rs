//! `trapeza ledger`: check, accounts, the end-of-day report, manual postings.

use super::{describe_error, ledger_report, staff_action};
use crate::admin::AdminResponse;
use crate::cli::{Ledger, LedgerAccountOne, LedgerAccounts, LedgerFormat};
use std::fmt::Write;
use trapeza_app::ledger::{LedgerAccountView, ManualPostingRecord};
use trapeza_app::{App, format_date, format_timestamp, parse_date};
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind};
use trapeza_domain::staff::StaffAction;

pub fn check(app: &App) -> AdminResponse {
    let report = match app.ledger_check() {
        Ok(report) => report,
        Err(error) => return AdminResponse { text: format!("cannot read the ledger: {error}\n"), exit: 1 },
    };
    let mut text = String::new();
    for finding in &report.findings {
        let _ = writeln!(text, "{finding}");
    }
    let _ = write!(
        text,
        "{} accounts, {} transfers, {} entries, {} active holds: ",
        report.accounts, report.transfers, report.entries, report.holds
    );
    text.push_str(if report.findings.is_empty() { "all in balance\n" } else { "NOT in balance\n" });
    AdminResponse { text, exit: i32::from(!report.findings.is_empty()) }
}

pub async fn execute(app: &App, command: &Ledger) -> Result<String, String> {
    match command {
        Ledger::Check(_) => Ok(check(app).text),
        Ledger::Accounts(arguments) => accounts(app, arguments).await,
        Ledger::Account(arguments) => account(app, arguments).await,
        Ledger::Report(arguments) => {
            let day = parse_date(&arguments.date).ok_or("date: must be a date such as 2026-11-16")?;
            let report = app.ledger_day_report(day).await.map_err(describe_error)?;
            Ok(ledger_report::render(&report, arguments.format))
        }
        Ledger::Post(arguments) => {
            let parameters = [
                ("posting", arguments.id.as_str()),
                ("debit", &arguments.debit),
                ("credit", &arguments.credit),
                ("amount", &arguments.amount),
                ("currency", &arguments.currency),
                ("text", &arguments.text),
            ];
            staff_action::run(app, StaffAction::LedgerPostManual, &parameters).await
        }
        Ledger::Reverse(arguments) => {
            let parameters = [("posting", arguments.id.as_str()), ("text", &arguments.text)];
            staff_action::run(app, StaffAction::LedgerReverseManual, &parameters).await
        }
        Ledger::Postings(arguments) => {
            let postings = app.manual_posting_list(arguments.limit.into()).await.map_err(describe_error)?;
            Ok(format!(
                "{}{} postings\n",
                postings.iter().map(posting_line).collect::<String>(),
                postings.len()
            ))
        }
    }
}

async fn accounts(app: &App, arguments: &LedgerAccounts) -> Result<String, String> {
    let unknown = "kind: must be a code of the chart of accounts, for example 2000";
    let kind = arguments.kind.map(|code| LedgerAccountKind::from_code(code).ok_or(unknown)).transpose()?;
    let after = arguments.after.map(LedgerAccountId);
    let found = app.ledger_account_list(kind, after, arguments.limit.into()).await.map_err(describe_error)?;
    let columns = ["account", "kind", "currency", "balance", "held", "owner"].map(str::to_owned);
    let rows: Vec<[String; 6]> = found.iter().map(account_row).collect();
    if arguments.format == LedgerFormat::Csv {
        return Ok(ledger_report::csv(&columns, &rows));
    }
    let mut text = String::new();
    for [id, kind, currency, balance, held, owner] in rows {
        let _ = writeln!(text, "{id:>8}  {kind}  {currency}  {balance:>18}  held {held:>14}  {owner}");
    }
    let _ = writeln!(text, "{} accounts", found.len());
    Ok(text)
}

fn account_row(account: &LedgerAccountView) -> [String; 6] {
    let owner = account.name.clone().or_else(|| account.owner.map(|owner| owner.to_string()));
    [
        account.id.0.to_string(),
        account.kind.code().to_string(),
        account.currency.code().to_owned(),
        account.balance.to_decimal_string(),
        account.held.to_decimal_string(),
        owner.unwrap_or_else(|| "the bank".to_owned()),
    ]
}

async fn account(app: &App, arguments: &LedgerAccountOne) -> Result<String, String> {
    let id = LedgerAccountId(arguments.account);
    let page = app.ledger_account_page(id, arguments.before, arguments.limit.into()).await;
    let page = page.map_err(describe_error)?;
    let mut text = account_row(&page.account).join("  ");
    text.push('\n');
    let decimal = |minor| trapeza_domain::money::Money::new(minor, page.account.currency).to_decimal_string();
    for entry in &page.entries {
        let balance = entry.balance_minor.map(decimal).unwrap_or_default();
        let (day, event) = (format_date(entry.booking_day), entry.event.name());
        let amount = decimal(entry.amount_minor);
        let _ = writeln!(
            text,
            "{:>8}  {day}  {event}  {amount}  {balance}  account {}  {}",
            entry.position, entry.counter_account.0, entry.reference
        );
    }
    if let Some(next) = page.next {
        let _ = writeln!(text, "more: --before {next}");
    }
    Ok(text)
}

fn posting_line(record: &ManualPostingRecord) -> String {
    let posting = &record.posting;
    let (at, by) = (format_timestamp(record.posted_at), &record.posted_by);
    let mut line =
        format!("{}  {at}  {}  {} -> {}", posting.id, posting.amount, posting.debit, posting.credit);
    let _ = write!(line, "  \"{}\"  by {by}", posting.text);
    if let Some(reversal) = &record.reversal {
        let at = format_timestamp(reversal.at);
        let _ = write!(line, "  reversed at {at} by {}: \"{}\"", reversal.by, reversal.text);
    }
    line.push('\n');
    line
}
