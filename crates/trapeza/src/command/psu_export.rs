//! `trapeza psu export`: the personal data of a customer as one JSON document. It may be larger than a response of the admin socket,
//! so the command asks for it in parts, and each part is read in a snapshot of its own. Entries and payments that are added
//! meanwhile are left out.

use super::{AdminRequest, describe_error, personal_data, run};
use crate::cli::BankArgs;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use trapeza_app::App;
use trapeza_app::psu::EXPORT_PAGE_ROWS;
use trapeza_domain::credit_document::DocumentKind;
use trapeza_domain::id::{AccountId, LoanId, PaymentId};
use trapeza_domain::time::{Date, Timestamp};

/// A request for one part of a customer's data.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExportRequest {
    pub login: String,
    pub part: ExportPart,
}

#[derive(Debug, Serialize, Deserialize)]
pub enum ExportPart {
    /// The document without transactions, payments and documents of loans, and the ids of its accounts in their order.
    Overview,
    /// Transactions of an account before a booking date and number.
    Transactions { account: String, before: Option<(i32, i64)> },
    /// Payments before a time and an id.
    Payments { before: Option<(i64, String)> },
    /// The content of a loan's document.
    Document { loan: String, kind: String },
}

/// The first part.
#[derive(Serialize, Deserialize)]
struct Overview {
    document: Value,
    accounts: Vec<String>,
    /// Loans and kinds of the documents.
    documents: Vec<(String, String)>,
}

/// A page of a list. `next` is where the next page begins; the last page has none.
#[derive(Serialize, Deserialize)]
struct ListPage<P> {
    rows: Vec<Value>,
    next: Option<P>,
}

pub fn start(bank: &BankArgs, login: &str) -> (String, bool) {
    match export(bank, login) {
        Ok(document) => (format!("{document:#}\n"), true),
        Err(problem) => (problem, false),
    }
}

fn export(bank: &BankArgs, login: &str) -> Result<Value, String> {
    let Overview { mut document, accounts, documents } = ask(bank, login, ExportPart::Overview)?;
    for (index, account) in accounts.iter().enumerate() {
        let part = |before| ExportPart::Transactions { account: account.clone(), before };
        document["accounts"][index]["transactions"] = pages(bank, login, part)?;
    }
    document["payments"] = pages(bank, login, |before| ExportPart::Payments { before })?;
    let contents =
        documents.into_iter().map(|(loan, kind)| ask(bank, login, ExportPart::Document { loan, kind }));
    document["documents"] = Value::Array(contents.collect::<Result<_, _>>()?);
    Ok(document)
}

/// All pages of a list.
fn pages<P: for<'a> Deserialize<'a>>(
    bank: &BankArgs,
    login: &str,
    part: impl Fn(Option<P>) -> ExportPart,
) -> Result<Value, String> {
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let ListPage { rows, next } = ask(bank, login, part(before))?;
        all.extend(rows);
        if next.is_none() {
            return Ok(Value::Array(all));
        }
        before = next;
    }
}

/// One part, or the text of the problem.
fn ask<T: for<'a> Deserialize<'a>>(bank: &BankArgs, login: &str, part: ExportPart) -> Result<T, String> {
    let request = ExportRequest { login: login.to_owned(), part };
    match run(bank, AdminRequest::PsuExport(request)) {
        (text, true) => {
            serde_json::from_str(&text).map_err(|error| format!("unexpected response: {error}\n"))
        }
        (problem, false) => Err(problem),
    }
}

pub async fn execute(app: &App, request: &ExportRequest) -> Result<String, String> {
    let login = &request.login;
    let answer = match &request.part {
        ExportPart::Overview => {
            let data = app.psu_export(login).await.map_err(describe_error)?;
            let accounts = data.accounts.iter().map(|one| one.account.id.to_string()).collect();
            let documents = data
                .documents
                .iter()
                .map(|(loan, kind)| (loan.to_string(), kind.name().to_owned()))
                .collect();
            serde_json::to_value(Overview { document: personal_data::document(&data), accounts, documents })
        }
        ExportPart::Transactions { account, before } => {
            let id = AccountId::parse(account).ok_or("unknown account")?;
            let before = before.map(|(day, number)| (Date(day), number));
            let rows = app.psu_export_transactions(login, id, before).await.map_err(describe_error)?;
            let next = rows.last().map(|last| (last.booking_day.0, last.seq));
            serde_json::to_value(page(&rows, personal_data::transaction, next))
        }
        ExportPart::Payments { before } => {
            let position = |(at, id): &(i64, String)| PaymentId::parse(id).map(|id| (Timestamp(*at), id));
            let before =
                before.as_ref().map(|before| position(before).ok_or("unknown payment")).transpose()?;
            let rows = app.psu_export_payments(login, before).await.map_err(describe_error)?;
            let next = rows.last().map(|last| (last.created_at.0, last.id.to_string()));
            serde_json::to_value(page(&rows, personal_data::payment, next))
        }
        ExportPart::Document { loan, kind } => {
            let loan = LoanId::parse(loan).ok_or("unknown loan")?;
            let kind = DocumentKind::parse(kind).ok_or("unknown kind of document")?;
            let found = app.psu_export_document(login, loan, kind).await.map_err(describe_error)?;
            Ok(personal_data::loan_document(&found))
        }
    };
    answer.map(|answer| json!(answer).to_string() + "\n").map_err(|error| error.to_string())
}

fn page<T, P>(rows: &[T], one: impl Fn(&T) -> Value, next: Option<P>) -> ListPage<P> {
    let is_full = i64::try_from(rows.len()).is_ok_and(|count| count >= EXPORT_PAGE_ROWS);
    ListPage { rows: rows.iter().map(one).collect(), next: next.filter(|_| is_full) }
}
