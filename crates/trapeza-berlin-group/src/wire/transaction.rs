//! Transactions of accounts.

mod page_writer;

pub use page_writer::statement;
#[cfg(test)]
pub use page_writer::tests::{distinct_detail, full_detail};

use super::account::BalanceOut;
use super::amount::Amount;
use super::information::OrderOut;
use super::reference::Reference;
use super::text::{cut, short_id};
use crate::link::Links;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::account_information::{EntryExchange, EntryFields, TransactionView};
use trapeza_app::format_date;
use trapeza_domain::account::Account;
use trapeza_domain::money::Money;
use trapeza_domain::payment::Payment;
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_domain::statement::Transaction;
use trapeza_domain::transaction::CurrencyExchange;
use uuid::Uuid;

// `page_writer` writes the same JSON.
/// A page of an account's statement.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "AccountTransactions", deny_unknown_fields)]
pub struct Statement<'a> {
    account: Reference<'a>,
    transactions: TransactionLists<TransactionOut<'a>, OrderOut<'a>>,
    /// The balances, if requested and covered by the consent.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceOut>>,
}

impl<'a> Statement<'a> {
    /// The standing orders of an account alone; `path` is that of the account.
    pub fn of_orders(account: &'a Account, orders: &'a [Payment], path: String) -> Self {
        let transactions = TransactionLists {
            booked: None,
            pending: None,
            information: Some(OrderOut::list(orders)),
            links: Links::one("account", path),
        };
        Self { account: Reference::of_account(account), transactions, balances: None }
    }
}

/// The requested lists of transactions, of an account or a card.
#[derive(Serialize, JsonSchema)]
#[schemars(inline, deny_unknown_fields)]
pub struct TransactionLists<T, O = T> {
    /// Booked transactions, newest first, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booked: Option<Vec<T>>,
    /// Pending transactions, newest first, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Vec<T>>,
    /// Standing orders that will be executed again, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub information: Option<Vec<O>>,
    /// The account, and the first and the next page.
    #[serde(rename = "_links")]
    pub links: Links,
}

/// One transaction, with the doubled name of the standard.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "TransactionDetails", deny_unknown_fields)]
pub struct Details<'a> {
    transactions_details: InnerDetails<'a>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct InnerDetails<'a> {
    transaction_details: TransactionOut<'a>,
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
    #[schemars(length(max = 35))]
    entry_reference: Option<String>,
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
    #[schemars(length(max = 500))]
    additional_information: Option<&'a str>,
    /// The ISO 20022 code of the transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    bank_transaction_code: Option<&'a str>,
    /// The bank's own code of the transaction.
    #[schemars(length(max = 35))]
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
    #[serde(rename = "_links", skip_serializing_if = "Links::is_empty")]
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
    #[schemars(length(max = 35))]
    end_to_end_id: Option<&'a str>,
    /// The mandate of a direct debit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    mandate_id: Option<&'a str>,
    /// The number of a cheque.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    check_id: Option<&'a str>,
    /// The creditor's id in a direct debit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    creditor_id: Option<&'a str>,
    /// The amount; negative for debits.
    transaction_amount: Amount,
    /// The currency exchanges of the transaction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    currency_exchange: Vec<ExchangeOut<'a>>,
    /// The name of the payee.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 70))]
    creditor_name: Option<&'a str>,
    /// The account of the payee.
    #[serde(skip_serializing_if = "Option::is_none")]
    creditor_account: Option<Reference<'a>>,
    /// The ultimate payee.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 70))]
    ultimate_creditor: Option<&'a str>,
    /// The name of the payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 70))]
    debtor_name: Option<&'a str>,
    /// The account of the payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    debtor_account: Option<Reference<'a>>,
    /// The ultimate payer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 70))]
    ultimate_debtor: Option<&'a str>,
    /// Unstructured remittance information.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    remittance_information_unstructured: Option<&'a str>,
    /// Structured remittance information.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    remittance_information_structured: Option<&'a str>,
    /// The purpose, as a code of ISO 20022.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = "^[A-Z0-9]{1,4}$"))]
    purpose_code: Option<&'static str>,
}

/// A currency exchange of an amount.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ReportExchangeRate", deny_unknown_fields)]
pub struct ExchangeOut<'a> {
    source_currency: &'a str,
    exchange_rate: &'a str,
    /// The currency in which the rate is expressed.
    unit_currency: &'a str,
    target_currency: &'a str,
    /// The date of the rate.
    #[schemars(extend("format" = "date"))]
    quotation_date: String,
    /// The id of the exchange contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 35))]
    contract_identification: Option<&'a str>,
}

/// One transaction of the account with the given path.
pub fn details<'a>(id: Uuid, transaction: &'a Transaction, account: &str) -> Details<'a> {
    let mut transaction = TransactionOut::of(&TransactionView::booked(id, transaction), account);
    transaction.links = Links::default();
    Details { transactions_details: InnerDetails { transaction_details: transaction } }
}

impl<'a> TransactionOut<'a> {
    fn of(transaction: &TransactionView<'a>, account: &str) -> Self {
        let (id, details) = (transaction.id, &transaction.details);
        let is_batch = !details.batch_parts().is_empty();
        // Only a booked transaction has details of its own.
        let is_booked = transaction.booking_day.is_some();
        Self {
            transaction_id: id,
            entry_reference: is_booked.then(|| short_id(id)),
            fields: FieldsOut::of(transaction.amount, &details.particulars),
            booking_date: transaction.booking_day.map(format_date),
            value_date: format_date(details.value_day),
            additional_information: details.additional_information.map(|text| cut(text, 500)),
            bank_transaction_code: details.bank_transaction_code,
            proprietary_bank_transaction_code: cut(details.proprietary_code.unwrap_or(details.event), 35),
            batch_indicator: is_batch.then_some(true),
            batch_number_of_transactions: is_batch.then_some(details.batch_parts().len()),
            entry_details: details
                .batch_parts()
                .iter()
                .map(|part| FieldsOut::of(part.amount, &part.particulars))
                .collect(),
            links: Links::default()
                .and_if(is_booked, "transactionDetails", || format!("{account}/transactions/{id}")),
        }
    }
}

impl<'a> FieldsOut<'a> {
    fn of(amount: Money, fields: &EntryFields<'a>) -> Self {
        let short = |text: Option<&'a str>, max| text.map(|text| cut(text, max));
        Self {
            end_to_end_id: short(fields.end_to_end_id, 35),
            mandate_id: short(fields.rare().mandate_id, 35),
            check_id: short(fields.rare().check_id, 35),
            creditor_id: short(fields.rare().creditor_id, 35),
            transaction_amount: amount.into(),
            currency_exchange: fields.rare().exchanges.iter().map(ExchangeOut::of).collect(),
            creditor_name: short(fields.creditor.name, 70),
            creditor_account: fields.creditor.account.as_ref().map(Reference::of_party),
            ultimate_creditor: short(fields.rare().ultimate_creditor, 70),
            debtor_name: short(fields.debtor.name, 70),
            debtor_account: fields.debtor.account.as_ref().map(Reference::of_party),
            ultimate_debtor: short(fields.rare().ultimate_debtor, 70),
            remittance_information_unstructured: short(fields.remittance_unstructured, 140),
            remittance_information_structured: short(fields.rare().remittance_structured, 140),
            purpose_code: fields.purpose.and_then(PurposeCode::from_index).map(PurposeCode::name),
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
            contract_identification: exchange.contract.as_deref().map(|text| cut(text, 35)),
        }
    }

    fn of(exchange: &EntryExchange<'a>) -> Self {
        Self {
            source_currency: exchange.source,
            exchange_rate: exchange.rate,
            unit_currency: exchange.unit,
            target_currency: exchange.target,
            quotation_date: format_date(exchange.quotation_day),
            contract_identification: exchange.contract.map(|text| cut(text, 35)),
        }
    }
}
