//! Transactions of accounts (§2.5). The structs borrow their texts from the decoded entries.

mod page_writer;

pub use page_writer::statement;

use super::account::{BalanceOut, BalanceTable, account_path, balances};
use super::amount::Amount;
use super::envelope::{Envelope, EnvelopeTail, Links};
use super::reference::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::account_information::{Balance, EntryExchange, EntryFields, TransactionView};
use trapeza_app::format_date;
use trapeza_domain::account::Account;
use trapeza_domain::money::Money;
use trapeza_domain::statement::Transaction;
use trapeza_domain::transaction::CurrencyExchange;
use uuid::Uuid;

// `page_writer` writes the same JSON.
/// A page of an account's statement.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccountTransactions")]
pub struct Statement<'a> {
    /// The account.
    account: Reference<'a>,
    /// The transactions.
    transactions: TransactionLists<Vec<TransactionOut<'a>>>,
    /// The balances, if requested and covered by the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
    #[serde(flatten)]
    envelope: Envelope,
}

/// The requested lists of transactions, of an account or a card.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub struct TransactionLists<L> {
    /// Booked transactions, newest first, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booked: Option<L>,
    /// Pending transactions, newest first, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<L>,
    /// `next` is the link to the next page.
    #[serde(rename = "_links")]
    pub links: Links,
}

/// A transaction of an account.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TransactionDetails")]
pub struct Details<'a> {
    #[serde(flatten)]
    transaction: TransactionOut<'a>,
    #[serde(flatten)]
    envelope: EnvelopeTail,
}

/// A transaction of an account.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Transaction")]
struct TransactionOut<'a> {
    /// The id.
    transaction_id: Uuid,
    /// The position in the statement, for entryReferenceFrom; absent while the transaction is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry_reference: Option<Uuid>,
    #[serde(flatten)]
    fields: FieldsOut<'a>,
    /// The booking date; absent while the transaction is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    booking_date: Option<String>,
    /// The value date.
    #[schemars(extend("format" = "date"))]
    value_date: String,
    /// Additional information.
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_information: Option<&'a str>,
    /// The ISO 20022 code of the transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    bank_transaction_code: Option<&'a str>,
    /// The bank's own code of the transaction.
    proprietary_bank_transaction_code: &'a str,
    /// Whether the entry books several payments.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_indicator: Option<bool>,
    /// The number of payments.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_number_of_transactions: Option<usize>,
    /// The payments of the batch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    entry_details: Vec<FieldsOut<'a>>,
    /// A link to the details of a booked transaction.
    #[serde(rename = "_links")]
    links: Links,
}

/// One payment inside a batch booking.
// Transactions have the same fields.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EntryDetail")]
struct FieldsOut<'a> {
    /// The payer's reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_to_end_id: Option<&'a str>,
    /// The mandate of a direct debit.
    #[serde(skip_serializing_if = "Option::is_none")]
    mandate_id: Option<&'a str>,
    /// The number of a cheque.
    #[serde(skip_serializing_if = "Option::is_none")]
    check_id: Option<&'a str>,
    /// The creditor's id in a direct debit.
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_id: Option<&'a str>,
    /// The amount; negative for debits.
    transaction_amount: Amount,
    /// The currency exchanges of the transaction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    currency_exchange: Vec<ExchangeOut<'a>>,
    /// The name of the payee.
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_name: Option<&'a str>,
    /// The account of the payee.
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_account: Option<Reference<'a>>,
    /// The ultimate payee.
    #[serde(skip_serializing_if = "Option::is_none")]
    ultimate_creditor: Option<&'a str>,
    /// The name of the payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    debtor_name: Option<&'a str>,
    /// The account of the payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    debtor_account: Option<Reference<'a>>,
    /// The ultimate payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    ultimate_debtor: Option<&'a str>,
    /// Unstructured remittance information.
    #[serde(skip_serializing_if = "Option::is_none")]
    remittance_information_unstructured: Option<&'a str>,
    /// Structured remittance information.
    #[serde(skip_serializing_if = "Option::is_none")]
    remittance_information_structured: Option<&'a str>,
    /// The purpose: the index of the ISO 20022 code in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 285))]
    purpose_code: Option<i64>,
}

/// A currency exchange of an amount.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "CurrencyExchange")]
pub struct ExchangeOut<'a> {
    /// Source currency.
    source_currency: &'a str,
    /// Exchange rate.
    exchange_rate: &'a str,
    /// The currency in which the rate is expressed.
    unit_currency: &'a str,
    /// Target currency.
    target_currency: &'a str,
    /// The date of the rate.
    #[schemars(extend("format" = "date"))]
    quotation_date: String,
    /// The id of the exchange contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    contract_identification: Option<&'a str>,
}

/// A page of an account's statement with these transactions.
pub fn page<'a>(
    account: &'a Account,
    transactions: TransactionLists<Vec<TransactionView<'a>>>,
    shown_balances: Option<&[Balance]>,
) -> Statement<'a> {
    let base = account_path(account.id);
    let out = |list: Option<Vec<TransactionView<'a>>>| {
        list.map(|list| list.iter().map(|transaction| TransactionOut::of(transaction, &base)).collect())
    };
    Statement {
        account: Reference::of_account(account),
        transactions: TransactionLists {
            booked: out(transactions.booked),
            pending: out(transactions.pending),
            links: transactions.links,
        },
        balances: shown_balances.map(|list| balances(list, BalanceTable::List)),
        envelope: Envelope::with(Links::one("account", base)),
    }
}

/// One transaction of the account with the given path.
pub fn details<'a>(id: Uuid, transaction: &'a Transaction, account: &str) -> Details<'a> {
    let transaction = TransactionView::booked(id, transaction);
    Details { transaction: TransactionOut::of(&transaction, account), envelope: EnvelopeTail::default() }
}

impl<'a> TransactionOut<'a> {
    /// `account` is the path of the transaction's account.
    fn of(transaction: &TransactionView<'a>, account: &str) -> Self {
        let (id, details) = (transaction.id, &transaction.details);
        let is_batch = !details.batch_parts().is_empty();
        // Only a booked transaction has details of its own.
        let is_booked = transaction.booking_day.is_some();
        let link = || Links::one("transactionDetails", details_path(account, id));
        Self {
            transaction_id: id,
            entry_reference: is_booked.then_some(id),
            fields: FieldsOut::of(transaction.amount, &details.particulars),
            booking_date: transaction.booking_day.map(format_date),
            value_date: format_date(details.value_day),
            additional_information: details.additional_information,
            bank_transaction_code: details.bank_transaction_code,
            proprietary_bank_transaction_code: details.proprietary_code.unwrap_or(details.event),
            batch_indicator: is_batch.then_some(true),
            batch_number_of_transactions: is_batch.then_some(details.batch_parts().len()),
            entry_details: details
                .batch_parts()
                .iter()
                .map(|part| FieldsOut::of(part.amount, &part.particulars))
                .collect(),
            links: if is_booked { link() } else { Links::default() },
        }
    }
}

fn details_path(account: &str, id: Uuid) -> String {
    [account, "/transactions/", id.hyphenated().encode_lower(&mut Uuid::encode_buffer())].concat()
}

impl<'a> FieldsOut<'a> {
    fn of(amount: Money, fields: &EntryFields<'a>) -> Self {
        Self {
            end_to_end_id: fields.end_to_end_id,
            mandate_id: fields.rare().mandate_id,
            check_id: fields.rare().check_id,
            creditor_id: fields.rare().creditor_id,
            transaction_amount: amount.into(),
            currency_exchange: fields.rare().exchanges.iter().map(ExchangeOut::of).collect(),
            creditor_name: fields.creditor.name,
            creditor_account: fields.creditor.account.as_ref().map(Reference::of_party),
            ultimate_creditor: fields.rare().ultimate_creditor,
            debtor_name: fields.debtor.name,
            debtor_account: fields.debtor.account.as_ref().map(Reference::of_party),
            ultimate_debtor: fields.rare().ultimate_debtor,
            remittance_information_unstructured: fields.remittance_unstructured,
            remittance_information_structured: fields.rare().remittance_structured,
            purpose_code: fields.purpose,
        }
    }
}

impl<'a> ExchangeOut<'a> {
    /// An exchange of a card transaction.
    pub fn of_card(exchange: &'a CurrencyExchange) -> Self {
        Self {
            source_currency: exchange.source.code(),
            exchange_rate: &exchange.rate,
            unit_currency: exchange.unit.code(),
            target_currency: exchange.target.code(),
            quotation_date: format_date(exchange.quotation_day),
            contract_identification: exchange.contract.as_deref(),
        }
    }

    fn of(exchange: &EntryExchange<'a>) -> Self {
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
