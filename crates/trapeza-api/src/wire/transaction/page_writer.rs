//! A page of a statement, written directly to the body of its response.
//!
//! It is the largest response, and serialising its typed structs takes 40 % more processor time (docs/performance.md). Those
//! structs remain the description of the JSON: they give the schema and the rare parts, and a test compares both forms.

use super::{ExchangeOut, FieldsOut};
use crate::wire::account::{BalanceTable, balances};
use crate::wire::envelope::{Envelope, Links};
use crate::wire::reference::Reference;
use serde::Serialize;
use trapeza_app::account_information::{
    EntryAccount, EntryAccountKind, EntryBatchPart, EntryFields, EntryParty, StatementView, TransactionView,
};
use trapeza_app::{UseCaseError, format_date};
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;
use uuid::Uuid;

/// About the size of a transaction in the response.
const TRANSACTION_BYTES: usize = 768;

/// The page as JSON. It fails when a stored entry cannot be decoded.
pub fn statement(view: &StatementView, links: &Links) -> Result<Vec<u8>, UseCaseError> {
    let account = format!("/v1/accounts/{}", view.account.id);
    let mut out = PageWriter::new(1024 + view.transaction_count() * TRANSACTION_BYTES);
    out.raw(r#"{"account":"#);
    out.value(&Reference::of_account(&view.account));
    out.raw(r#","transactions":{"#);
    if view.has_booked() {
        out.raw(r#""booked":["#);
        view.visit_booked(|transaction| {
            out.separator();
            out.transaction(transaction, &account);
        })?;
        out.raw("],");
    }
    if let Some(pending) = view.pending_transactions() {
        out.raw(r#""pending":["#);
        for transaction in pending {
            out.separator();
            out.transaction(&transaction, &account);
        }
        out.raw("],");
    }
    out.raw(r#""_links":"#);
    out.value(links);
    out.raw("}");
    if let Some(list) = &view.balances {
        out.raw(r#","balances":"#);
        out.value(&balances(list, BalanceTable::List));
    }
    out.remaining_members(&Envelope::with(Links::one("account", account)));
    Ok(out.bytes)
}

pub(super) struct PageWriter {
    pub(super) bytes: Vec<u8>,
    /// The last date that was written and its text: most entries of a page share their dates with the one before.
    last_date: Option<(Date, String)>,
}

impl PageWriter {
    pub(super) fn new(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity), last_date: None }
    }

    /// Writes what is JSON already.
    fn raw(&mut self, json: &str) {
        self.bytes.extend_from_slice(json.as_bytes());
    }

    /// Writes a comma, except before the first element of a list.
    fn separator(&mut self) {
        if self.bytes.last() != Some(&b'[') {
            self.bytes.push(b',');
        }
    }

    fn value(&mut self, value: &impl Serialize) {
        serde_json::to_writer(&mut self.bytes, value).expect("response types serialize without errors");
    }

    /// Continues an object that has members with those of another one, and closes it.
    fn remaining_members(&mut self, object: &impl Serialize) {
        let start = self.bytes.len();
        self.value(object);
        if let Some(brace) = self.bytes.get_mut(start) {
            *brace = b',';
        }
    }

    fn string(&mut self, text: &str) {
        // Without an early exit, so that the compiler compares many bytes at once.
        let is_special = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
        if text.bytes().fold(false, |found, byte| found | is_special(byte)) {
            return self.value(&text);
        }
        self.bytes.push(b'"');
        self.raw(text);
        self.bytes.push(b'"');
    }

    /// Writes a member whose name is given with its comma and colon.
    fn opt_string(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.raw(name);
            self.string(text);
        }
    }

    /// Writes a member whose name is given with its comma, colon and opening quote.
    fn date(&mut self, name: &str, day: Date) {
        self.raw(name);
        let (last, text) = self.last_date.get_or_insert_with(|| (day, format_date(day)));
        if *last != day {
            (*last, *text) = (day, format_date(day));
        }
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(b'"');
    }

    pub(super) fn transaction(&mut self, transaction: &TransactionView<'_>, account: &str) {
        let details = &transaction.details;
        let mut buffer = Uuid::encode_buffer();
        let id = &*transaction.id.hyphenated().encode_lower(&mut buffer);
        self.raw(r#"{"transactionId":""#);
        self.raw(id);
        if transaction.booking_day.is_some() {
            self.raw(r#"","entryReference":""#);
            self.raw(id);
        }
        self.raw(r#"""#);
        self.fields(transaction.amount, &details.particulars);
        if let Some(day) = transaction.booking_day {
            self.date(r#","bookingDate":""#, day);
        }
        self.date(r#","valueDate":""#, details.value_day);
        self.opt_string(r#","additionalInformation":"#, details.additional_information);
        self.opt_string(r#","bankTransactionCode":"#, details.bank_transaction_code);
        self.raw(r#","proprietaryBankTransactionCode":"#);
        self.string(details.proprietary_code.unwrap_or(details.event));
        self.batch(&details.batch);
        self.raw(r#","_links":{"#);
        if transaction.booking_day.is_some() {
            self.raw(r#""transactionDetails":{"href":""#);
            self.raw(account);
            self.raw("/transactions/");
            self.raw(id);
            self.raw(r#""}"#);
        }
        self.raw("}}");
    }

    fn fields(&mut self, amount: Money, fields: &EntryFields<'_>) {
        self.opt_string(r#","endToEndId":"#, fields.end_to_end_id);
        self.opt_string(r#","mandateId":"#, fields.mandate_id);
        self.opt_string(r#","checkId":"#, fields.check_id);
        self.opt_string(r#","creditorId":"#, fields.creditor_id);
        self.raw(r#","transactionAmount":{"currency":""#);
        self.raw(amount.currency.code());
        self.raw(r#"","Amount":""#);
        amount.write_decimal(&mut self.bytes);
        self.raw(r#""}"#);
        if !fields.exchanges.is_empty() {
            self.raw(r#","currencyExchange":"#);
            self.value(&fields.exchanges.iter().map(ExchangeOut::of).collect::<Vec<_>>());
        }
        let creditor = [r#","creditorName":"#, r#","creditorAccount":"#, r#","ultimateCreditor":"#];
        self.party(creditor, &fields.creditor);
        let debtor = [r#","debtorName":"#, r#","debtorAccount":"#, r#","ultimateDebtor":"#];
        self.party(debtor, &fields.debtor);
        self.opt_string(r#","remittanceInformationUnstructured":"#, fields.remittance_unstructured);
        self.opt_string(r#","remittanceInformationStructured":"#, fields.remittance_structured);
        if let Some(purpose) = fields.purpose {
            self.raw(r#","purposeCode":"#);
            self.value(&purpose);
        }
    }

    fn party(&mut self, [name, account, ultimate]: [&str; 3], party: &EntryParty<'_>) {
        self.opt_string(name, party.name);
        if let Some(reference) = &party.account {
            self.raw(account);
            self.reference(reference);
        }
        self.opt_string(ultimate, party.ultimate);
    }

    fn reference(&mut self, account: &EntryAccount<'_>) {
        self.raw(match account.kind {
            EntryAccountKind::Iban => r#"{"iban":"#,
            EntryAccountKind::Bban => r#"{"bban":"#,
            EntryAccountKind::MaskedPan => r#"{"maskedPan":"#,
            EntryAccountKind::Msisdn => r#"{"msisdn":"#,
        });
        self.string(&account.text);
        self.opt_string(r#","currency":"#, account.currency);
        self.raw("}");
    }

    fn batch(&mut self, batch: &[EntryBatchPart<'_>]) {
        if batch.is_empty() {
            return;
        }
        self.raw(r#","batchIndicator":true,"batchNumberOfTransactions":"#);
        self.value(&batch.len());
        self.raw(r#","entryDetails":"#);
        let parts = batch.iter().map(|part| FieldsOut::of(part.amount, &part.particulars));
        self.value(&parts.collect::<Vec<_>>());
    }
}
