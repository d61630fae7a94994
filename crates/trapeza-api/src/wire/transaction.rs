//! Transactions of accounts (§2.5), out. A page of them is the largest answer there is, so it is written straight from
//! where the rows lie into the answer, without a tree and without a copy of any text in between.

use super::account::{AccountReferenceOut, BalanceTable, balances};
use super::envelope::{Envelope, EnvelopeTail, Links};
use super::writer::Writer;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::{
    BookedPage, EntryAccount, EntryAccountKind, EntryDetails, EntryExchange, EntryFields, StatementView,
    Transaction,
};
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;
use uuid::Uuid;

/// How much room a line takes in the answer; most take less.
const LINE_BYTES: usize = 896;

/// A page of a statement, as JSON.
pub fn statement(view: &StatementView, links: &Links) -> Result<Vec<u8>, UseCaseError> {
    let base = format!("/v1/accounts/{}", view.account.id);
    let pending = view.pending.as_deref();
    let lines = view.booked.as_ref().map_or(0, |booked| booked.ids.len()) + pending.map_or(0, <[_]>::len);
    let mut out = Writer::new(1024 + lines * LINE_BYTES);
    out.raw(r#"{"account":"#);
    out.value(&AccountReferenceOut::of(&view.account));
    out.raw(r#","transactions":{"#);
    if let Some(booked) = &view.booked {
        out.raw(r#""booked":["#);
        booked_lines(&mut out, view, booked, &base)?;
        out.raw("]");
    }
    if let Some(pending) = pending {
        out.comma();
        out.raw(r#""pending":["#);
        for (id, hold) in pending {
            out.comma();
            line(&mut out, *id, hold.amount, None, &hold.details());
            out.raw("}");
        }
        out.raw("]");
    }
    out.comma();
    out.raw(r#""_links":"#);
    out.value(links);
    out.raw("}");
    if let Some(list) = &view.balances {
        out.raw(r#","balances":"#);
        out.value(&balances(list, BalanceTable::List));
    }
    out.rest(&Envelope::with(Links::one("account", base)));
    Ok(out.into_bytes())
}

/// One transaction with all it tells, as JSON.
pub fn details(id: Uuid, transaction: &Transaction, account: &str) -> Vec<u8> {
    let mut out = Writer::new(4096);
    let booked = Booked { day: transaction.booking_day, account };
    line(&mut out, id, transaction.amount, Some(booked), &transaction.details());
    out.rest(&EnvelopeTail::default());
    out.into_bytes()
}

/// What a booked line has and a pending one has not.
#[derive(Clone, Copy)]
struct Booked<'a> {
    day: Date,
    /// The path of its account.
    account: &'a str,
}

fn booked_lines(
    out: &mut Writer,
    view: &StatementView,
    booked: &BookedPage,
    base: &str,
) -> Result<(), UseCaseError> {
    for (entry, id) in booked.page.decode().zip(&booked.ids) {
        let (found, details) = entry?;
        let amount = Money::new(found.amount_minor, view.account.currency);
        let own = Booked { day: found.booking_day, account: base };
        out.comma();
        line(out, *id, amount, Some(own), &details);
        out.raw("}");
    }
    Ok(())
}

/// A line, its object left open for what an answer adds.
fn line(out: &mut Writer, id: Uuid, amount: Money, booked: Option<Booked<'_>>, told: &EntryDetails<'_>) {
    let mut room = Uuid::encode_buffer();
    let id = &*id.hyphenated().encode_lower(&mut room);
    out.raw(r#"{"transactionId":""#);
    out.raw(id);
    if booked.is_some() {
        out.raw(r#"","entryReference":""#);
        out.raw(id);
    }
    out.raw(r#"","#);
    particulars(out, amount, &told.particulars);
    if let Some(booked) = booked {
        out.raw(r#","bookingDate":"#);
        out.day(booked.day);
    }
    out.raw(r#","valueDate":"#);
    out.day(told.value_day);
    out.opt_text(r#","additionalInformation":"#, told.additional_information);
    out.opt_text(r#","bankTransactionCode":"#, told.bank_transaction_code);
    let own_code = told.proprietary_code.unwrap_or(told.event);
    out.opt_text(r#","proprietaryBankTransactionCode":"#, Some(own_code));
    batch(out, told);
    match booked {
        None => out.raw(r#","_links":{}"#),
        Some(booked) => {
            out.raw(r#","_links":{"transactionDetails":{"href":""#);
            out.raw(booked.account);
            out.raw("/transactions/");
            out.raw(id);
            out.raw(r#""}}"#);
        }
    }
}

fn batch(out: &mut Writer, told: &EntryDetails<'_>) {
    if told.batch.is_empty() {
        return;
    }
    out.raw(r#","batchIndicator":true,"batchNumberOfTransactions":"#);
    out.number(i64::try_from(told.batch.len()).unwrap_or(i64::MAX));
    out.raw(r#","entryDetails":["#);
    for part in &told.batch {
        out.comma();
        out.raw("{");
        particulars(out, part.amount, &part.particulars);
        out.raw("}");
    }
    out.raw("]");
}

/// What a transaction and a part of a batch have in common, without braces.
fn particulars(out: &mut Writer, amount: Money, told: &EntryFields<'_>) {
    let ids = [
        (r#""endToEndId":"#, told.end_to_end_id),
        (r#""mandateId":"#, told.mandate_id),
        (r#""checkId":"#, told.check_id),
        (r#""creditorId":"#, told.creditor_id),
    ];
    for (name, id) in ids {
        if let Some(id) = id {
            out.raw(name);
            out.text(id);
            out.raw(",");
        }
    }
    out.raw(r#""transactionAmount":"#);
    out.amount(amount);
    exchanges(out, &told.exchanges);
    out.opt_text(r#","creditorName":"#, told.creditor.name);
    account(out, r#","creditorAccount":{"#, told.creditor.account.as_ref());
    out.opt_text(r#","ultimateCreditor":"#, told.creditor.ultimate);
    out.opt_text(r#","debtorName":"#, told.debtor.name);
    account(out, r#","debtorAccount":{"#, told.debtor.account.as_ref());
    out.opt_text(r#","ultimateDebtor":"#, told.debtor.ultimate);
    out.opt_text(r#","remittanceInformationUnstructured":"#, told.remittance_unstructured);
    out.opt_text(r#","remittanceInformationStructured":"#, told.remittance_structured);
    if let Some(purpose) = told.purpose {
        out.raw(r#","purposeCode":"#);
        out.number(purpose);
    }
}

/// The account of the other side. Of a card only the mask is shown.
fn account(out: &mut Writer, name: &str, account: Option<&EntryAccount<'_>>) {
    let Some(account) = account else { return };
    out.raw(name);
    out.raw(match account.kind {
        EntryAccountKind::Iban => r#""iban":"#,
        EntryAccountKind::Bban => r#""bban":"#,
        EntryAccountKind::MaskedPan => r#""maskedPan":"#,
        EntryAccountKind::Msisdn => r#""msisdn":"#,
    });
    out.text(&account.text);
    out.opt_text(r#","currency":"#, account.currency);
    out.raw("}");
}

fn exchanges(out: &mut Writer, exchanges: &[EntryExchange<'_>]) {
    if exchanges.is_empty() {
        return;
    }
    out.raw(r#","currencyExchange":["#);
    for exchange in exchanges {
        out.comma();
        out.opt_text(r#"{"sourceCurrency":"#, Some(exchange.source));
        out.opt_text(r#","exchangeRate":"#, Some(exchange.rate));
        out.opt_text(r#","unitCurrency":"#, Some(exchange.unit));
        out.opt_text(r#","targetCurrency":"#, Some(exchange.target));
        out.raw(r#","quotationDate":"#);
        out.day(exchange.quotation_day);
        out.opt_text(r#","contractIdentification":"#, exchange.contract);
        out.raw("}");
    }
    out.raw("]");
}

#[cfg(test)]
mod tests;
