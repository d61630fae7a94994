//! The transactions of a page of a statement, written directly to the body of its response, in either dialect.
//!
//! A page is the largest response, and serialising typed structs takes 40 % more processor time (docs/performance.md). Those structs
//! remain the description of the JSON: they give the schema and the rare parts, and tests of both dialects compare both forms.

use serde::Serialize;
use trapeza_app::account_information::{
    EntryAccount, EntryAccountKind, EntryBatchPart, EntryExchange, EntryFields, EntryParty, TransactionView,
};
use trapeza_app::format_date;
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;
use uuid::Uuid;
use uuid::fmt::Hyphenated;

/// About the size of a transaction in the response.
pub const TRANSACTION_BYTES: usize = 768;

/// How a dialect writes what differs.
pub trait TransactionFormat {
    /// The name of the decimal of an amount, with the end of the member before it and its opening quote.
    const AMOUNT: &'static str;
    /// Whether a transaction without links has an empty object of links.
    const HAS_EMPTY_LINKS: bool;

    /// A text in the length that the dialect allows, in characters.
    fn limited(text: &str, most: usize) -> &str;
    /// The position of a transaction in the statement, from its id and the text of its id.
    fn entry_reference<'a>(id: Uuid, text: &'a str, buffer: &'a mut [u8; Hyphenated::LENGTH]) -> &'a str;
    /// The purpose, if the dialect has it.
    fn purpose(index: i64) -> Option<impl Serialize>;
    fn exchange<'a>(exchange: &EntryExchange<'a>) -> impl Serialize + use<'a, Self>;
    fn batch_part<'a>(part: &EntryBatchPart<'a>) -> impl Serialize + use<'a, Self>;
}

pub struct TransactionWriter {
    pub bytes: Vec<u8>,
    /// The last date that was written and its text: most entries of a page share their dates with the one before.
    last_date: Option<(Date, String)>,
}

impl TransactionWriter {
    pub fn new(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity), last_date: None }
    }

    /// Writes what is JSON already. Inlined, so that texts of constant length are stored without a call.
    #[inline]
    pub fn raw(&mut self, json: &str) {
        self.bytes.extend_from_slice(json.as_bytes());
    }

    pub fn value(&mut self, value: &impl Serialize) {
        serde_json::to_writer(&mut self.bytes, value).expect("response types serialize without errors");
    }

    /// Writes an element of a list, with a comma before all but the first.
    pub fn element<F: TransactionFormat>(&mut self, transaction: &TransactionView<'_>, account: &str) {
        if self.bytes.last() != Some(&b'[') {
            self.bytes.push(b',');
        }
        self.transaction::<F>(transaction, account);
    }

    /// `account` is the path or the address of the transaction's account.
    pub fn transaction<F: TransactionFormat>(&mut self, transaction: &TransactionView<'_>, account: &str) {
        let details = &transaction.details;
        let mut buffer = Uuid::encode_buffer();
        let id = &*transaction.id.hyphenated().encode_lower(&mut buffer);
        self.raw(r#"{"transactionId":""#);
        self.raw(id);
        if transaction.booking_day.is_some() {
            self.raw(r#"","entryReference":""#);
            self.raw(F::entry_reference(transaction.id, id, &mut [0; Hyphenated::LENGTH]));
        }
        self.raw(r#"""#);
        self.fields::<F>(transaction.amount, &details.particulars);
        if let Some(day) = transaction.booking_day {
            self.date(r#","bookingDate":""#, day);
        }
        self.date(r#","valueDate":""#, details.value_day);
        self.opt_string::<F>(r#","additionalInformation":"#, details.additional_information, 500);
        self.opt_string::<F>(r#","bankTransactionCode":"#, details.bank_transaction_code, usize::MAX);
        self.raw(r#","proprietaryBankTransactionCode":"#);
        self.string(F::limited(details.proprietary_code.unwrap_or(details.event), 35));
        self.batch::<F>(details.batch_parts());
        if transaction.booking_day.is_some() {
            self.raw(r#","_links":{"transactionDetails":{"href":""#);
            self.raw(account);
            self.raw("/transactions/");
            self.raw(id);
            self.raw(r#""}}"#);
        } else if F::HAS_EMPTY_LINKS {
            self.raw(r#","_links":{}"#);
        }
        self.raw("}");
    }

    fn fields<F: TransactionFormat>(&mut self, amount: Money, fields: &EntryFields<'_>) {
        let rare = fields.rare();
        self.opt_string::<F>(r#","endToEndId":"#, fields.end_to_end_id, 35);
        self.opt_string::<F>(r#","mandateId":"#, rare.mandate_id, 35);
        self.opt_string::<F>(r#","checkId":"#, rare.check_id, 35);
        self.opt_string::<F>(r#","creditorId":"#, rare.creditor_id, 35);
        self.raw(r#","transactionAmount":{"currency":""#);
        self.raw(amount.currency.code());
        self.raw(F::AMOUNT);
        amount.write_decimal(&mut self.bytes);
        self.raw(r#""}"#);
        if !rare.exchanges.is_empty() {
            self.raw(r#","currencyExchange":"#);
            self.value(&rare.exchanges.iter().map(F::exchange).collect::<Vec<_>>());
        }
        self.party::<F>([r#","creditorName":"#, r#","creditorAccount":"#], &fields.creditor);
        self.opt_string::<F>(r#","ultimateCreditor":"#, rare.ultimate_creditor, 70);
        self.party::<F>([r#","debtorName":"#, r#","debtorAccount":"#], &fields.debtor);
        self.opt_string::<F>(r#","ultimateDebtor":"#, rare.ultimate_debtor, 70);
        self.opt_string::<F>(r#","remittanceInformationUnstructured":"#, fields.remittance_unstructured, 140);
        self.opt_string::<F>(r#","remittanceInformationStructured":"#, rare.remittance_structured, 140);
        if let Some(purpose) = fields.purpose.and_then(F::purpose) {
            self.raw(r#","purposeCode":"#);
            self.value(&purpose);
        }
    }

    fn party<F: TransactionFormat>(&mut self, [name, account]: [&str; 2], party: &EntryParty<'_>) {
        self.opt_string::<F>(name, party.name, 70);
        if let Some(reference) = &party.account {
            self.raw(account);
            self.reference(reference);
        }
    }

    fn reference(&mut self, account: &EntryAccount<'_>) {
        self.raw(match account.kind {
            EntryAccountKind::Iban => r#"{"iban":"#,
            EntryAccountKind::Bban => r#"{"bban":"#,
            EntryAccountKind::MaskedPan => r#"{"maskedPan":"#,
            EntryAccountKind::Msisdn => r#"{"msisdn":"#,
        });
        self.string(&account.text);
        if let Some(currency) = account.currency {
            self.raw(r#","currency":"#);
            self.string(currency);
        }
        self.raw("}");
    }

    fn batch<F: TransactionFormat>(&mut self, batch: &[EntryBatchPart<'_>]) {
        if batch.is_empty() {
            return;
        }
        self.raw(r#","batchIndicator":true,"batchNumberOfTransactions":"#);
        self.value(&batch.len());
        self.raw(r#","entryDetails":"#);
        self.value(&batch.iter().map(F::batch_part).collect::<Vec<_>>());
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
    fn opt_string<F: TransactionFormat>(&mut self, name: &str, text: Option<&str>, most: usize) {
        if let Some(text) = text {
            self.raw(name);
            self.string(F::limited(text, most));
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
}
