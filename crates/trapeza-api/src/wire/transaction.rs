//! Transactions of accounts (§2.5). The structs borrow their texts from the decoded entries.

use super::account::{AccountReferenceOut, BalanceOut, BalanceTable, balances};
use super::amount::Amount;
use super::envelope::{Envelope, EnvelopeTail, Links};
use serde::Serialize;
use std::borrow::Cow;
use trapeza_app::account_information::{
    Balance, CurrencyExchangeView, IdentifierView, PartyAccountView, StatementView, TransactionFieldsView,
    TransactionView,
};
use trapeza_app::{UseCaseError, format_date};
use trapeza_domain::account::Account;
use trapeza_domain::money::Money;
use trapeza_domain::statement::Transaction;
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
    let transactions = TransactionLists {
        booked: view.booked_transactions()?,
        pending: view.pending_transactions(),
        next: links,
    };
    Ok(page(&view.account, transactions, view.balances.as_deref()))
}

/// The requested transactions of a page, with the link to the next one.
pub struct TransactionLists<'a> {
    pub booked: Option<Vec<TransactionView<'a>>>,
    pub pending: Option<Vec<TransactionView<'a>>>,
    pub next: Links,
}

/// A page of an account's statement with these transactions.
pub fn page<'a>(
    account: &'a Account,
    transactions: TransactionLists<'a>,
    shown_balances: Option<&[Balance]>,
) -> Statement<'a> {
    let base = format!("/v1/accounts/{}", account.id);
    let out = |list: Option<Vec<TransactionView<'a>>>| -> Option<Vec<TransactionOut<'a>>> {
        list.map(|list| list.into_iter().map(|transaction| TransactionOut::of(transaction, &base)).collect())
    };
    Statement {
        account: AccountReferenceOut::of(account),
        transactions: Transactions {
            booked: out(transactions.booked),
            pending: out(transactions.pending),
            links: transactions.next,
        },
        balances: shown_balances.map(|list| balances(list, BalanceTable::List)),
        envelope: Envelope::with(Links::one("account", base)),
    }
}

/// One transaction of the account with the given path.
pub fn details<'a>(id: Uuid, transaction: &'a Transaction, account: &str) -> Details<'a> {
    let transaction = TransactionView::booked(id, transaction);
    Details { transaction: TransactionOut::of(transaction, account), envelope: EnvelopeTail::default() }
}

impl<'a> TransactionOut<'a> {
    /// `account` is the path of the transaction's account.
    fn of(transaction: TransactionView<'a>, account: &str) -> Self {
        let (id, is_batch) = (transaction.id, !transaction.batch.is_empty());
        // Only a booked transaction has details of its own.
        let is_booked = transaction.booking_day.is_some();
        let link = || Links::one("transactionDetails", format!("{account}/transactions/{id}"));
        Self {
            transaction_id: id,
            entry_reference: is_booked.then_some(id),
            fields: FieldsOut::of(transaction.amount, transaction.fields),
            booking_date: transaction.booking_day.map(format_date),
            value_date: format_date(transaction.value_day),
            additional_information: transaction.additional_information,
            bank_transaction_code: transaction.bank_transaction_code,
            proprietary_bank_transaction_code: transaction.proprietary_code,
            batch_indicator: is_batch.then_some(true),
            batch_number_of_transactions: is_batch.then_some(transaction.batch.len()),
            entry_details: transaction
                .batch
                .into_iter()
                .map(|part| FieldsOut::of(part.amount, part.fields))
                .collect(),
            links: if is_booked { link() } else { Links::default() },
        }
    }
}

impl<'a> FieldsOut<'a> {
    fn of(amount: Money, fields: TransactionFieldsView<'a>) -> Self {
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
    fn of(account: PartyAccountView<'a>) -> Self {
        let empty = Self { currency: account.currency, ..Self::default() };
        match account.identifier {
            IdentifierView::Iban(iban) => Self { iban: Some(iban), ..empty },
            IdentifierView::Bban(bban) => Self { bban: Some(bban), ..empty },
            IdentifierView::MaskedPan(pan) => Self { masked_pan: Some(pan), ..empty },
            IdentifierView::Msisdn(msisdn) => Self { msisdn: Some(msisdn), ..empty },
        }
    }
}

impl<'a> ExchangeOut<'a> {
    fn of(exchange: CurrencyExchangeView<'a>) -> Self {
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
