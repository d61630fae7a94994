//! The form in which a line keeps what it tells: one piece of bytes, read where it lies.
//!
//! `version`, the length of the marks, the marks, all texts end to end. The marks say which fields are there and how
//! long each text is; so the texts are checked to be UTF-8 once, and cut. A form is never changed, only followed by one
//! with the next number: lines are written once and read for years.

use super::entry_details::{
    EntryAccount, EntryAccountKind, EntryBatchPart, EntryDetails, EntryExchange, EntryFields,
};
use crate::error::StoreError;
use std::borrow::Cow;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;

const VERSION: u8 = 1;

/// A telling in its kept form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodedDetails(Vec<u8>);

impl EncodedDetails {
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl EntryDetails<'_> {
    pub fn keep(&self) -> EncodedDetails {
        let mut out = Writer { marks: Vec::with_capacity(48), text: String::with_capacity(256) };
        out.line(self);
        let mut bytes = Vec::with_capacity(3 + out.marks.len() + out.text.len());
        bytes.push(VERSION);
        number(&mut bytes, out.marks.len() as u64);
        bytes.extend_from_slice(&out.marks);
        bytes.extend_from_slice(out.text.as_bytes());
        EncodedDetails(bytes)
    }
}

impl<'a> EntryDetails<'a> {
    /// Becomes what these bytes tell. A page is read line after line into one place: to move so much text about would
    /// take longer than to read it.
    pub(super) fn read(&mut self, bytes: &'a [u8]) -> Result<(), StoreError> {
        read(bytes, self)
            .ok_or_else(|| StoreError::internal("what a line tells is kept in a form that cannot be read"))
    }
}

fn read<'a>(bytes: &'a [u8], line: &mut EntryDetails<'a>) -> Option<()> {
    let (&version, rest) = bytes.split_first()?;
    if version != VERSION {
        return None;
    }
    let mut head = Reader { marks: rest, text: "" };
    let length = usize::try_from(head.number()?).ok()?;
    let (marks, text) = head.marks.split_at_checked(length)?;
    let mut input = Reader { marks, text: std::str::from_utf8(text).ok()? };
    input.line(line)?;
    // Whatever is left over was not written by this form.
    (input.marks.is_empty() && input.text.is_empty()).then_some(())
}

/// Little-endian, seven bits a byte.
fn number(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

struct Writer {
    marks: Vec<u8>,
    text: String,
}

impl Writer {
    fn line(&mut self, line: &EntryDetails<'_>) {
        self.signed(line.value_day.0.into());
        self.text(line.event);
        let texts = [line.additional_information, line.bank_transaction_code, line.proprietary_code];
        self.presence(&[texts[0].is_some(), texts[1].is_some(), texts[2].is_some(), !line.batch.is_empty()]);
        texts.into_iter().flatten().for_each(|text| self.text(text));
        self.particulars(&line.particulars);
        if !line.batch.is_empty() {
            self.number(line.batch.len() as u64);
            for part in &line.batch {
                self.signed(part.amount.minor);
                self.text(part.amount.currency.code());
                self.particulars(&part.particulars);
            }
        }
    }

    fn particulars(&mut self, of: &EntryFields<'_>) {
        let texts = [
            of.end_to_end_id,
            of.mandate_id,
            of.check_id,
            of.creditor_id,
            of.creditor.name,
            of.creditor.ultimate,
            of.debtor.name,
            of.debtor.ultimate,
            of.remittance_unstructured,
            of.remittance_structured,
        ];
        self.presence(&texts.map(|text| text.is_some()));
        texts.into_iter().flatten().for_each(|text| self.text(text));
        let accounts = [&of.creditor.account, &of.debtor.account];
        self.presence(&[
            accounts[0].is_some(),
            accounts[1].is_some(),
            of.purpose.is_some(),
            !of.exchanges.is_empty(),
        ]);
        accounts.into_iter().flatten().for_each(|account| self.account(account));
        if let Some(purpose) = of.purpose {
            self.signed(purpose);
        }
        if !of.exchanges.is_empty() {
            self.number(of.exchanges.len() as u64);
            of.exchanges.iter().for_each(|exchange| self.exchange(exchange));
        }
    }

    fn account(&mut self, account: &EntryAccount<'_>) {
        let kind = match account.kind {
            EntryAccountKind::Iban => 0,
            EntryAccountKind::Bban => 1,
            EntryAccountKind::MaskedPan => 2,
            EntryAccountKind::Msisdn => 3,
        };
        self.number(kind << 1 | u64::from(account.currency.is_some()));
        self.text(&account.text);
        account.currency.into_iter().for_each(|currency| self.text(currency));
    }

    fn exchange(&mut self, exchange: &EntryExchange<'_>) {
        for text in [exchange.source, exchange.target, exchange.unit, exchange.rate] {
            self.text(text);
        }
        self.signed(exchange.quotation_day.0.into());
        self.presence(&[exchange.contract.is_some()]);
        exchange.contract.into_iter().for_each(|contract| self.text(contract));
    }

    fn presence(&mut self, there: &[bool]) {
        let bits = there.iter().enumerate().map(|(place, there)| u64::from(*there) << place);
        self.number(bits.sum());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.text.push_str(text);
    }

    fn number(&mut self, value: u64) {
        number(&mut self.marks, value);
    }

    /// Small numbers of either sign are short.
    fn signed(&mut self, value: i64) {
        self.number((value << 1 ^ value >> 63).cast_unsigned());
    }
}

struct Reader<'a> {
    marks: &'a [u8],
    text: &'a str,
}

/// Which fields are there, taken one after the other.
struct Presence(u64);

impl Presence {
    fn next(&mut self) -> bool {
        let there = self.0 & 1 == 1;
        self.0 >>= 1;
        there
    }
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &mut EntryDetails<'a>) -> Option<()> {
        line.value_day = self.day()?;
        line.event = self.text()?;
        let mut there = self.presence()?;
        line.additional_information = self.opt_text(&mut there)?;
        line.bank_transaction_code = self.opt_text(&mut there)?;
        line.proprietary_code = self.opt_text(&mut there)?;
        self.particulars(&mut line.particulars)?;
        line.batch = if there.next() { self.many(Self::part)? } else { Vec::new() };
        Some(())
    }

    fn part(&mut self) -> Option<EntryBatchPart<'a>> {
        let minor = self.signed()?;
        let currency = Currency::parse(self.text()?).ok()?;
        let mut particulars = EntryFields::default();
        self.particulars(&mut particulars)?;
        Some(EntryBatchPart { amount: Money::new(minor, currency), particulars })
    }

    fn particulars(&mut self, of: &mut EntryFields<'a>) -> Option<()> {
        let mut there = self.presence()?;
        for text in [
            &mut of.end_to_end_id,
            &mut of.mandate_id,
            &mut of.check_id,
            &mut of.creditor_id,
            &mut of.creditor.name,
            &mut of.creditor.ultimate,
            &mut of.debtor.name,
            &mut of.debtor.ultimate,
            &mut of.remittance_unstructured,
            &mut of.remittance_structured,
        ] {
            *text = self.opt_text(&mut there)?;
        }
        let mut there = self.presence()?;
        of.creditor.account = if there.next() { Some(self.account()?) } else { None };
        of.debtor.account = if there.next() { Some(self.account()?) } else { None };
        of.purpose = if there.next() { Some(self.signed()?) } else { None };
        of.exchanges = if there.next() { self.many(Self::exchange)? } else { Vec::new() };
        Some(())
    }

    fn account(&mut self) -> Option<EntryAccount<'a>> {
        let mark = self.number()?;
        let kind = match mark >> 1 {
            0 => EntryAccountKind::Iban,
            1 => EntryAccountKind::Bban,
            2 => EntryAccountKind::MaskedPan,
            3 => EntryAccountKind::Msisdn,
            _ => return None,
        };
        let text = Cow::Borrowed(self.text()?);
        Some(EntryAccount { kind, text, currency: self.opt_text(&mut Presence(mark & 1))? })
    }

    fn exchange(&mut self) -> Option<EntryExchange<'a>> {
        Some(EntryExchange {
            source: self.text()?,
            target: self.text()?,
            unit: self.text()?,
            rate: self.text()?,
            quotation_day: self.day()?,
            contract: {
                let mut there = self.presence()?;
                self.opt_text(&mut there)?
            },
        })
    }

    /// As many as the marks say; each takes some marks, so a length that was made up ends early.
    fn many<T>(&mut self, one: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| one(self)).collect()
    }

    fn presence(&mut self) -> Option<Presence> {
        self.number().map(Presence)
    }

    fn opt_text(&mut self, there: &mut Presence) -> Option<Option<&'a str>> {
        if there.next() { self.text().map(Some) } else { Some(None) }
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok()?;
        let (text, rest) = self.text.split_at_checked(length)?;
        self.text = rest;
        Some(text)
    }

    fn day(&mut self) -> Option<Date> {
        i32::try_from(self.signed()?).ok().map(Date)
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.number()?;
        Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    fn number(&mut self) -> Option<u64> {
        let mut value = 0;
        for place in 0..10 {
            let (&byte, rest) = self.marks.split_first()?;
            self.marks = rest;
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
