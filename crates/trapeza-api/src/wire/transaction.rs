//! Transactions of accounts (§2.5). A page of them is the largest response, so it is written directly from the decoded rows
//! into one buffer.

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

/// The capacity reserved per transaction; most take less.
const TRANSACTION_BYTES: usize = 896;

/// A page of a statement, as JSON.
pub fn statement(view: &StatementView, links: &Links) -> Result<Vec<u8>, UseCaseError> {
    let base = format!("/v1/accounts/{}", view.account.id);
    let pending = view.pending.as_deref();
    let lines = view.booked.as_ref().map_or(0, |booked| booked.ids.len()) + pending.map_or(0, <[_]>::len);
    let mut out = Writer::new(1024 + lines * TRANSACTION_BYTES);
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
            line(&mut out, *id, hold.amount, None, &hold.telling());
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
    out.splice(&Envelope::with(Links::one("account", base)));
    Ok(out.into_bytes())
}

/// One transaction with all its details, as JSON.
pub fn details(id: Uuid, transaction: &Transaction, account: &str) -> Vec<u8> {
    let mut out = Writer::new(4096);
    let booked = Booked { day: transaction.booking_day, account };
    line(&mut out, id, transaction.amount, Some(booked), &transaction.telling());
    out.splice(&EnvelopeTail::default());
    out.into_bytes()
}

/// What a booked transaction has beyond a pending one.
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
    let mut details = EntryDetails::empty();
    for (found, id) in booked.page.lines().iter().zip(&booked.ids) {
        let amount = Money::new(found.amount_minor, view.account.currency);
        let own = Booked { day: found.booking_day, account: base };
        out.comma();
        booked.page.telling(found, &mut details)?;
        line(out, *id, amount, Some(own), &details);
        out.raw("}");
    }
    Ok(())
}

/// A transaction, its object left open for further fields.
fn line(out: &mut Writer, id: Uuid, amount: Money, booked: Option<Booked<'_>>, details: &EntryDetails<'_>) {
    let mut room = Uuid::encode_buffer();
    let id = &*id.hyphenated().encode_lower(&mut room);
    out.raw(r#"{"transactionId":""#);
    out.raw(id);
    if booked.is_some() {
        out.raw(r#"","entryReference":""#);
        out.raw(id);
    }
    out.raw(r#"","#);
    particulars(out, amount, &details.particulars);
    if let Some(booked) = booked {
        out.raw(r#","bookingDate":"#);
        out.date(booked.day);
    }
    out.raw(r#","valueDate":"#);
    out.date(details.value_day);
    out.opt_text(r#","additionalInformation":"#, details.additional_information);
    out.opt_text(r#","bankTransactionCode":"#, details.bank_transaction_code);
    let own_code = details.proprietary_code.unwrap_or(details.event);
    out.opt_text(r#","proprietaryBankTransactionCode":"#, Some(own_code));
    batch(out, details);
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

fn batch(out: &mut Writer, details: &EntryDetails<'_>) {
    if details.batch.is_empty() {
        return;
    }
    out.raw(r#","batchIndicator":true,"batchNumberOfTransactions":"#);
    out.number(i64::try_from(details.batch.len()).unwrap_or(i64::MAX));
    out.raw(r#","entryDetails":["#);
    for part in &details.batch {
        out.comma();
        out.raw("{");
        particulars(out, part.amount, &part.particulars);
        out.raw("}");
    }
    out.raw("]");
}

/// The fields that transactions and batch entries share, without braces.
fn particulars(out: &mut Writer, amount: Money, details: &EntryFields<'_>) {
    let ids = [
        (r#""endToEndId":"#, details.end_to_end_id),
        (r#""mandateId":"#, details.mandate_id),
        (r#""checkId":"#, details.check_id),
        (r#""creditorId":"#, details.creditor_id),
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
    exchanges(out, &details.exchanges);
    out.opt_text(r#","creditorName":"#, details.creditor.name);
    account(out, r#","creditorAccount":{"#, details.creditor.account.as_ref());
    out.opt_text(r#","ultimateCreditor":"#, details.creditor.ultimate);
    out.opt_text(r#","debtorName":"#, details.debtor.name);
    account(out, r#","debtorAccount":{"#, details.debtor.account.as_ref());
    out.opt_text(r#","ultimateDebtor":"#, details.debtor.ultimate);
    out.opt_text(r#","remittanceInformationUnstructured":"#, details.remittance_unstructured);
    out.opt_text(r#","remittanceInformationStructured":"#, details.remittance_structured);
    if let Some(purpose) = details.purpose {
        out.raw(r#","purposeCode":"#);
        out.number(purpose);
    }
}

/// The account of the other party. Card numbers are masked.
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
        out.date(exchange.quotation_day);
        out.opt_text(r#","contractIdentification":"#, exchange.contract);
        out.raw("}");
    }
    out.raw("]");
}

#[cfg(test)]
mod tests;
