//! One transaction of an account with all its facts, and the transactions of a month as a CSV file.

use super::account::counterparty;
use super::statement_templates::TransactionPage;
use super::{Customer, app_header};
use crate::internal_error;
use crate::layout::{Back, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::{SummaryRow, format_iban};
use crate::templates::Notice;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use trapeza_app::account_information::{CustomerTransaction, Month};
use trapeza_app::{UseCaseError, format_date};
use trapeza_domain::account::Account;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Money;
use trapeza_domain::reference::Identifier;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::statement::Transaction;
use trapeza_domain::transaction::{Party, TransactionDetail};
use trapeza_texts::page::PageTexts;
use trapeza_texts::{format, statement as statement_texts};

const PATH: &str = "/app/accounts";

/// All facts of one transaction.
pub async fn show(request: &PageRequest, customer: &Customer, id: &str, entry: &str) -> Response {
    let app = &request.state.app;
    let (account, found) = match app.customer_transaction(customer.psu, id, entry).await {
        Ok(found) => found,
        // An unknown transaction: show the accounts.
        Err(UseCaseError::Refused(_)) => return redirect(PATH),
        Err(error) => return internal_error(request, &error),
    };
    let (texts, words) = (request.texts, request.texts.customer);
    let (amount, event, detail, reference) = match &found {
        CustomerTransaction::Booked(line) => (line.amount, line.event, line.detail.as_ref(), &line.reference),
        CustomerTransaction::Pending(hold) => {
            (hold.amount, hold.event, hold.detail.as_ref(), &hold.reference)
        }
    };
    let mut rows = vec![
        SummaryRow::new(texts.amount, texts.money(amount)).highlighted("large"),
        SummaryRow::new(words.kind, statement_texts::event_name(texts.language, event)),
    ];
    match &found {
        CustomerTransaction::Booked(line) => rows.extend([
            SummaryRow::new(words.status, words.status_booked),
            SummaryRow::new(words.booking_day, texts.day(line.booking_day)),
            SummaryRow::new(words.value_day, texts.day(line.value_day)),
        ]),
        CustomerTransaction::Pending(hold) => rows.extend([
            SummaryRow::new(words.status, words.status_pending),
            SummaryRow::new(words.placed_day, texts.day(hold.day)),
        ]),
    }
    rows.extend(detail.map(|detail| detail_rows(texts, detail, event, amount)).unwrap_or_default());
    rows.push(own_row(texts, &account));
    if let CustomerTransaction::Booked(line) = &found {
        let balance = Money::new(line.balance_minor, amount.currency);
        rows.push(SummaryRow::new(words.balance_after, texts.money(balance)));
    }
    rows.push(SummaryRow::new(words.transaction_id, entry));
    // The reference of a payment's entries is its id.
    let receipt = match app.customer_payment_find(customer.psu, reference).await {
        Ok(_) => Some(format!("/app/payments/{reference}")),
        Err(UseCaseError::Refused(_)) => None,
        Err(error) => return internal_error(request, &error),
    };
    let page = TransactionPage {
        layout: Layout::of(request, &counterparty(texts, detail, event, amount.is_positive())),
        top: app_header(request, customer, PATH),
        rows,
        receipt,
        back: format!("{PATH}/{}", account.id),
    };
    render(request, StatusCode::OK, &page)
}

fn own_row(texts: &'static PageTexts, account: &Account) -> SummaryRow {
    let name = texts.account_name(&account.name);
    SummaryRow::new(texts.customer.own_account, format!("{name} · {}", format_iban(account.iban.as_str())))
}

fn detail_rows(
    texts: &PageTexts,
    detail: &TransactionDetail,
    event: LedgerEvent,
    amount: Money,
) -> Vec<SummaryRow> {
    let (words, fields) = (texts.customer, &detail.particulars);
    let (label, other) = match amount.is_positive() {
        true => (words.payer, &fields.debtor),
        false => (texts.payee, &fields.creditor),
    };
    let text = |label, value: &Option<String>| value.clone().map(|value| SummaryRow::new(label, value));
    let localised = |value: &Option<String>| {
        value.as_ref().map(|value| statement_texts::localise(texts.language, event, value))
    };
    let mut rows = Vec::new();
    rows.extend(text(label, &other.name));
    rows.extend(account_number(other).map(|number| SummaryRow::new(words.counterparty_iban, number)));
    rows.extend(text(words.ultimate, &other.ultimate));
    rows.extend(text(texts.remittance, &localised(&fields.remittance_unstructured)));
    rows.extend(text(words.creditor_reference, &fields.remittance_structured));
    rows.extend(text(words.information, &localised(&detail.additional_information)));
    rows.extend(text(words.end_to_end, &fields.end_to_end_id));
    rows.extend(text(words.mandate, &fields.mandate_id));
    rows.extend(fields.purpose.as_ref().map(|purpose| SummaryRow::new(words.purpose, purpose.name())));
    for exchange in &fields.exchanges {
        let rate = format::decimal(texts.language, &exchange.rate);
        let value = format!("1 {} = {rate} {}", exchange.unit, exchange.other());
        rows.push(SummaryRow::new(words.exchange_rate, value));
    }
    for part in &detail.batch {
        let name = part.particulars.creditor.name.clone().unwrap_or_default();
        rows.push(SummaryRow::new(texts.payee, format!("{name} · {}", texts.money(part.amount))));
    }
    rows
}

fn account_number(party: &Party) -> Option<String> {
    match &party.account.as_ref()?.identifier {
        Identifier::Iban(iban) => Some(format_iban(iban.as_str())),
        Identifier::Bban(bban) => Some(bban.as_str().to_owned()),
        Identifier::MaskedPan(pan) => Some(pan.as_str().to_owned()),
        _ => None,
    }
}

/// The booked transactions of a month as a file, oldest first.
pub async fn export(request: &PageRequest, customer: &Customer, id: &str, file: &str) -> Response {
    let back = format!("{PATH}/{id}");
    let Some(month) = file.strip_suffix(".csv").and_then(Month::parse) else { return redirect(PATH) };
    match request.state.app.customer_month(customer.psu, id, month).await {
        Ok((account, lines)) => {
            let name = format!("attachment; filename=\"{}-{month}.csv\"", account.iban.as_str());
            let Ok(name) = HeaderValue::try_from(name) else { return redirect(PATH) };
            let headers = [
                (header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8")),
                (header::CONTENT_DISPOSITION, name),
                (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
            ];
            (StatusCode::OK, headers, Body::from(csv(request.texts, &lines))).into_response()
        }
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::Malformed => {
            let layout = Layout::of(request, request.texts.trouble_title);
            let label = request.texts.customer.back_to_statement.to_owned();
            let back = Some(Back { href: back, label });
            let text = request.texts.customer.export_too_many;
            render(request, StatusCode::BAD_REQUEST, &Notice { layout, text, back })
        }
        Err(UseCaseError::Refused(_)) => redirect(PATH),
        Err(error) => internal_error(request, &error),
    }
}

/// One line per transaction. Amounts and dates have the form that programs read in every language.
fn csv(texts: &PageTexts, lines: &[Transaction]) -> String {
    let mut out = String::from(
        "booking_date,value_date,amount,currency,balance_after,counterparty,account,reference,information,end_to_end_id\r\n",
    );
    for line in lines {
        let detail = line.detail.as_ref();
        let into = line.amount.is_positive();
        let fields = detail.map(|detail| &detail.particulars);
        let other = fields.map(|fields| if into { &fields.debtor } else { &fields.creditor });
        let localised = |text: Option<&String>| {
            text.map(|text| statement_texts::localise(texts.language, line.event, text)).unwrap_or_default()
        };
        let columns = [
            format_date(line.booking_day),
            format_date(line.value_day),
            line.amount.to_decimal_string(),
            line.amount.currency.code().to_owned(),
            Money::new(line.balance_minor, line.amount.currency).to_decimal_string(),
            quoted(&counterparty(texts, detail, line.event, into)),
            quoted(&other.and_then(account_number).unwrap_or_default().replace(' ', "")),
            quoted(&localised(fields.and_then(|fields| fields.remittance_unstructured.as_ref()))),
            quoted(&localised(detail.and_then(|detail| detail.additional_information.as_ref()))),
            quoted(fields.and_then(|fields| fields.end_to_end_id.as_deref()).unwrap_or_default()),
        ];
        out.push_str(&columns.join(","));
        out.push_str("\r\n");
    }
    out
}

/// A text in quotation marks. One that a spreadsheet would compute begins with an apostrophe.
fn quoted(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_app::parse_date;
    use trapeza_domain::ledger::TransferId;
    use trapeza_domain::money::Currency;
    use trapeza_domain::reference::{AccountReference, Iban};
    use trapeza_domain::transaction::TransactionFields;
    use trapeza_texts::page::ENGLISH;

    fn detail() -> TransactionDetail {
        let text = |text: &str| Some(text.to_owned());
        let account = |iban| Some(AccountReference::iban(Iban::parse(iban).unwrap(), None));
        TransactionDetail {
            particulars: TransactionFields {
                end_to_end_id: text("E2E-7"),
                mandate_id: text("M-1"),
                creditor: Party::new("Anna Muster", account("DE89370400440532013000")),
                debtor: Party::new("Paul Weber", account("FR1420041010050500013M02606")),
                remittance_unstructured: text("Invoice 7"),
                remittance_structured: text("RF18539007547034"),
                ..Default::default()
            },
            additional_information: text("Booked twice"),
            ..Default::default()
        }
    }

    const fn eur(minor: i64) -> Money {
        Money::new(minor, Currency::EUR)
    }

    #[test]
    fn file_has_each_fact_in_its_column() {
        let line = |minor| Transaction {
            transfer: TransferId(1),
            seq: 1,
            amount: eur(minor),
            balance_minor: 98_765,
            booking_day: parse_date("2035-03-15").unwrap(),
            value_day: parse_date("2035-03-16").unwrap(),
            event: LedgerEvent::InternalTransfer,
            reference: String::new(),
            detail: Some(detail()),
        };
        let file = csv(&ENGLISH, &[line(-1_234), line(1_234)]);
        let lines: Vec<&str> = file.split("\r\n").collect();
        assert_eq!(
            lines[1..],
            [
                concat!(
                    r#"2035-03-15,2035-03-16,-12.34,EUR,987.65,"Anna Muster","DE89370400440532013000","#,
                    r#""Invoice 7","Booked twice","E2E-7""#
                ),
                concat!(
                    r#"2035-03-15,2035-03-16,12.34,EUR,987.65,"Paul Weber","FR1420041010050500013M02606","#,
                    r#""Invoice 7","Booked twice","E2E-7""#
                ),
                ""
            ]
        );
    }

    #[test]
    fn page_has_each_fact_under_its_label() {
        for (minor, label, name, iban) in [
            (-1_234, "To", "Anna Muster", "DE89 3704 0044 0532 0130 00"),
            (1_234, "From", "Paul Weber", "FR14 2004 1010 0505 0001 3M02 606"),
        ] {
            let rows = detail_rows(&ENGLISH, &detail(), LedgerEvent::InternalTransfer, eur(minor));
            let rows: Vec<(&str, &str)> = rows.iter().map(|row| (row.label, row.value.as_str())).collect();
            assert_eq!(
                rows,
                [
                    (label, name),
                    ("Account number", iban),
                    ("Reference", "Invoice 7"),
                    ("Creditor reference", "RF18539007547034"),
                    ("Information", "Booked twice"),
                    ("End-to-end reference", "E2E-7"),
                    ("Mandate", "M-1")
                ]
            );
        }
    }

    #[test]
    fn quoted_text_is_neither_split_nor_computed() {
        assert_eq!(quoted("Rent, \"November\""), "\"Rent, \"\"November\"\"\"");
        assert_eq!(quoted("=HYPERLINK(1)"), "\"'=HYPERLINK(1)\"");
        assert_eq!(quoted(""), "\"\"");
    }
}
