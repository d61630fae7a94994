//! Transactions as a statement shows them. Their texts are borrowed from the page that was read, because a page of a
//! hundred transactions has more than a thousand of them.

use super::{StatementView, UseCaseError};
use std::borrow::Cow;
use trapeza_domain::money::Money;
use trapeza_domain::statement::{PendingTransaction, Transaction};
use trapeza_domain::time::Date;
use trapeza_store::{
    EntryAccount, EntryAccountKind, EntryBatchPart, EntryDetails, EntryExchange, EntryFields, EntryParty,
};
use uuid::Uuid;

/// A booked or pending transaction of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionView<'a> {
    pub id: Uuid,
    /// Negative for a debit.
    pub amount: Money,
    /// `None` for a pending transaction.
    pub booking_day: Option<Date>,
    pub value_day: Date,
    pub fields: TransactionFieldsView<'a>,
    pub additional_information: Option<&'a str>,
    pub bank_transaction_code: Option<&'a str>,
    /// The bank's own code: that of the detail, or else the name of the ledger event.
    pub proprietary_code: &'a str,
    /// The payments of a batch booking; empty for a single booking.
    pub batch: Vec<BatchEntryView<'a>>,
}

/// The fields that a transaction and an entry of a batch have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransactionFieldsView<'a> {
    pub end_to_end_id: Option<&'a str>,
    pub mandate_id: Option<&'a str>,
    pub check_id: Option<&'a str>,
    pub creditor_id: Option<&'a str>,
    pub creditor: PartyView<'a>,
    pub debtor: PartyView<'a>,
    pub remittance_unstructured: Option<&'a str>,
    pub remittance_structured: Option<&'a str>,
    /// The index of the purpose code.
    pub purpose: Option<i64>,
    pub exchanges: Vec<CurrencyExchangeView<'a>>,
}

/// One side of a payment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartyView<'a> {
    pub name: Option<&'a str>,
    pub account: Option<PartyAccountView<'a>>,
    pub ultimate: Option<&'a str>,
}

/// The account of a party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartyAccountView<'a> {
    pub identifier: IdentifierView<'a>,
    pub currency: Option<&'a str>,
}

/// The identifier of an account. A card number is always masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentifierView<'a> {
    Iban(Cow<'a, str>),
    Bban(Cow<'a, str>),
    MaskedPan(Cow<'a, str>),
    Msisdn(Cow<'a, str>),
}

/// One currency exchange of an amount.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrencyExchangeView<'a> {
    pub source: &'a str,
    pub target: &'a str,
    /// The currency in which the rate is quoted.
    pub unit: &'a str,
    pub rate: &'a str,
    pub quotation_day: Date,
    pub contract: Option<&'a str>,
}

/// One payment inside a batch booking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchEntryView<'a> {
    pub amount: Money,
    pub fields: TransactionFieldsView<'a>,
}

impl StatementView {
    /// The number of transactions on the page.
    pub fn transaction_count(&self) -> usize {
        let pending = self.pending.as_ref().map_or(0, Vec::len);
        self.booked.as_ref().map_or(0, |booked| booked.ids.len()) + pending
    }

    /// The booked transactions, if they were requested. They are decoded one by one; a stored entry that cannot be decoded is
    /// an error.
    pub fn booked_transactions(
        &self,
    ) -> Option<impl Iterator<Item = Result<TransactionView<'_>, UseCaseError>>> {
        let booked = self.booked.as_ref()?;
        Some(booked.page.decode().zip(&booked.ids).map(|(entry, id)| {
            let (row, details) = entry?;
            let amount = Money::new(row.amount_minor, self.account.currency);
            Ok(TransactionView::new(*id, amount, Some(row.booking_day), details))
        }))
    }

    /// The pending transactions, if they were requested.
    pub fn pending_transactions(&self) -> Option<impl Iterator<Item = TransactionView<'_>>> {
        let pending = self.pending.as_ref()?;
        Some(pending.iter().map(|(id, hold)| TransactionView::pending(*id, hold)))
    }
}

impl<'a> TransactionView<'a> {
    pub fn booked(id: Uuid, entry: &'a Transaction) -> Self {
        let details = EntryDetails::new(entry.value_day, entry.event, entry.detail.as_ref());
        Self::new(id, entry.amount, Some(entry.booking_day), details)
    }

    pub fn pending(id: Uuid, hold: &'a PendingTransaction) -> Self {
        let details = EntryDetails::new(hold.day, hold.event, hold.detail.as_ref());
        Self::new(id, hold.amount, None, details)
    }

    fn new(id: Uuid, amount: Money, booking_day: Option<Date>, details: EntryDetails<'a>) -> Self {
        Self {
            id,
            amount,
            booking_day,
            value_day: details.value_day,
            fields: fields(details.particulars),
            additional_information: details.additional_information,
            bank_transaction_code: details.bank_transaction_code,
            proprietary_code: details.proprietary_code.unwrap_or(details.event),
            batch: details.batch.into_iter().map(batch_entry).collect(),
        }
    }
}

fn batch_entry(part: EntryBatchPart<'_>) -> BatchEntryView<'_> {
    BatchEntryView { amount: part.amount, fields: fields(part.particulars) }
}

fn fields(fields: EntryFields<'_>) -> TransactionFieldsView<'_> {
    TransactionFieldsView {
        end_to_end_id: fields.end_to_end_id,
        mandate_id: fields.mandate_id,
        check_id: fields.check_id,
        creditor_id: fields.creditor_id,
        creditor: party(fields.creditor),
        debtor: party(fields.debtor),
        remittance_unstructured: fields.remittance_unstructured,
        remittance_structured: fields.remittance_structured,
        purpose: fields.purpose,
        exchanges: fields.exchanges.into_iter().map(exchange).collect(),
    }
}

fn party(party: EntryParty<'_>) -> PartyView<'_> {
    PartyView { name: party.name, account: party.account.map(account), ultimate: party.ultimate }
}

fn account(account: EntryAccount<'_>) -> PartyAccountView<'_> {
    let identifier = match account.kind {
        EntryAccountKind::Iban => IdentifierView::Iban(account.text),
        EntryAccountKind::Bban => IdentifierView::Bban(account.text),
        EntryAccountKind::MaskedPan => IdentifierView::MaskedPan(account.text),
        EntryAccountKind::Msisdn => IdentifierView::Msisdn(account.text),
    };
    PartyAccountView { identifier, currency: account.currency }
}

fn exchange(exchange: EntryExchange<'_>) -> CurrencyExchangeView<'_> {
    let EntryExchange { source, target, unit, rate, quotation_day, contract } = exchange;
    CurrencyExchangeView { source, target, unit, rate, quotation_day, contract }
}
