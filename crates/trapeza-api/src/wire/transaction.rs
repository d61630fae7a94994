//! Transactions of accounts (§2.5). The structs borrow their texts from the decoded entries.

use super::account::{AccountReferenceOut, BalanceOut, BalanceTable, balances};
use super::amount::Amount;
use super::envelope::{Envelope, EnvelopeTail, Links};
use serde::Serialize;
use std::borrow::Cow;
use trapeza_app::account_information::{
    BookedPage, EntryAccount, EntryAccountKind, EntryDetails, EntryExchange, EntryFields, StatementView,
    Transaction,
};
use trapeza_app::{UseCaseError, format_date};
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;
use uuid::Uuid;

/// A page of a statement.
#[derive(Serialize)]
pub struct Statement<'a> {
    account: AccountReferenceOut<'a>,
    transactions: Transactions<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// The requested lists.
#[derive(Serialize)]
struct Transactions<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    booked: Option<Vec<TransactionOut<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Vec<TransactionOut<'a>>>,
    #[serde(rename = "_links")]
    links: Links,
}

/// One transaction with the envelope.
#[derive(Serialize)]
pub struct Details<'a> {
    #[serde(flatten)]
    transaction: TransactionOut<'a>,
    #[serde(flatten)]
    envelope: EnvelopeTail,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TransactionOut<'a> {
    transaction_id: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_reference: Option<Uuid>,
    #[serde(flatten)]
    fields: FieldsOut<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    booking_date: Option<String>,
    value_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_information: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bank_transaction_code: Option<&'a str>,
    proprietary_bank_transaction_code: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_indicator: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_number_of_transactions: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entry_details: Vec<FieldsOut<'a>>,
    #[serde(rename = "_links")]
    links: Links,
}

/// The fields that transactions and batch entries share.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FieldsOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    end_to_end_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mandate_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    check_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_id: Option<&'a str>,
    transaction_amount: Amount,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    currency_exchange: Vec<ExchangeOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_account: Option<AccountOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ultimate_creditor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debtor_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debtor_account: Option<AccountOut<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ultimate_debtor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remittance_information_unstructured: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    remittance_information_structured: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    purpose_code: Option<i64>,
}

/// The account of the other party. Card numbers are masked.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct AccountOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    iban: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bban: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    masked_pan: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    msisdn: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExchangeOut<'a> {
    source_currency: &'a str,
    exchange_rate: &'a str,
    unit_currency: &'a str,
    target_currency: &'a str,
    quotation_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_identification: Option<&'a str>,
}

/// A page of a statement. It fails when a stored entry cannot be decoded.
pub fn statement(view: &StatementView, links: Links) -> Result<Statement<'_>, UseCaseError> {
    let base = format!("/v1/accounts/{}", view.account.id);
    let booked = view.booked.as_ref().map(|page| booked(view, page, &base)).transpose()?;
    let pending = view.pending.as_ref().map(|entries| {
        let entries = entries.iter();
        entries.map(|(id, hold)| TransactionOut::of(*id, hold.amount, None, hold.details())).collect()
    });
    Ok(Statement {
        account: AccountReferenceOut::of(&view.account),
        transactions: Transactions { booked, pending, links },
        balances: view.balances.as_deref().map(|list| balances(list, BalanceTable::List)),
        envelope: Envelope::with(Links::one("account", base)),
    })
}

/// One transaction of the account with the given path.
pub fn details<'a>(id: Uuid, transaction: &'a Transaction, account: &str) -> Details<'a> {
    let booked = Some(Booked { date: transaction.booking_day, account });
    Details {
        transaction: TransactionOut::of(id, transaction.amount, booked, transaction.details()),
        envelope: EnvelopeTail::default(),
    }
}

/// What a booked transaction has beyond a pending one.
#[derive(Clone, Copy)]
struct Booked<'a> {
    date: Date,
    /// The path of its account.
    account: &'a str,
}

fn booked<'a>(
    view: &StatementView,
    page: &'a BookedPage,
    base: &str,
) -> Result<Vec<TransactionOut<'a>>, UseCaseError> {
    let entries = page.page.decode().zip(&page.ids).map(|(entry, id)| {
        let (row, details) = entry?;
        let amount = Money::new(row.amount_minor, view.account.currency);
        let booked = Booked { date: row.booking_day, account: base };
        Ok(TransactionOut::of(*id, amount, Some(booked), details))
    });
    entries.collect()
}

impl<'a> TransactionOut<'a> {
    fn of(id: Uuid, amount: Money, booked: Option<Booked<'_>>, details: EntryDetails<'a>) -> Self {
        let links = booked
            .map(|booked| Links::one("transactionDetails", format!("{}/transactions/{id}", booked.account)));
        let is_batch = !details.batch.is_empty();
        Self {
            transaction_id: id,
            entry_reference: booked.map(|_| id),
            fields: FieldsOut::of(amount, details.particulars),
            booking_date: booked.map(|booked| format_date(booked.date)),
            value_date: format_date(details.value_day),
            additional_information: details.additional_information,
            bank_transaction_code: details.bank_transaction_code,
            proprietary_bank_transaction_code: details.proprietary_code.unwrap_or(details.event),
            batch_indicator: is_batch.then_some(true),
            batch_number_of_transactions: is_batch.then_some(details.batch.len()),
            entry_details: details
                .batch
                .into_iter()
                .map(|part| FieldsOut::of(part.amount, part.particulars))
                .collect(),
            links: links.unwrap_or_default(),
        }
    }
}

impl<'a> FieldsOut<'a> {
    fn of(amount: Money, fields: EntryFields<'a>) -> Self {
        Self {
            end_to_end_id: fields.end_to_end_id,
            mandate_id: fields.mandate_id,
            check_id: fields.check_id,
            creditor_id: fields.creditor_id,
            transaction_amount: Amount(amount),
            currency_exchange: fields.exchanges.into_iter().map(ExchangeOut::of).collect(),
            creditor_name: fields.creditor.name,
            creditor_account: fields.creditor.account.map(AccountOut::of),
            ultimate_creditor: fields.creditor.ultimate,
            debtor_name: fields.debtor.name,
            debtor_account: fields.debtor.account.map(AccountOut::of),
            ultimate_debtor: fields.debtor.ultimate,
            remittance_information_unstructured: fields.remittance_unstructured,
            remittance_information_structured: fields.remittance_structured,
            purpose_code: fields.purpose,
        }
    }
}

impl<'a> AccountOut<'a> {
    fn of(account: EntryAccount<'a>) -> Self {
        let (text, empty) = (Some(account.text), Self { currency: account.currency, ..Self::default() });
        match account.kind {
            EntryAccountKind::Iban => Self { iban: text, ..empty },
            EntryAccountKind::Bban => Self { bban: text, ..empty },
            EntryAccountKind::MaskedPan => Self { masked_pan: text, ..empty },
            EntryAccountKind::Msisdn => Self { msisdn: text, ..empty },
        }
    }
}

impl<'a> ExchangeOut<'a> {
    fn of(exchange: EntryExchange<'a>) -> Self {
        Self {
            source_currency: exchange.source,
            exchange_rate: exchange.rate,
            unit_currency: exchange.unit,
            target_currency: exchange.target,
            quotation_date: format_date(exchange.quotation_day),
            contract_identification: exchange.contract,
        }
    }
}

#[cfg(test)]
mod tests;
