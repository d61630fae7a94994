//! A page of a statement, written directly to the body of its response ([`trapeza_http::transaction_writer`]).

use super::{ExchangeOut, FieldsOut};
use crate::wire::account::{BalanceTable, account_path, balances};
use crate::wire::envelope::{Envelope, Links};
use crate::wire::reference::Reference;
use serde::Serialize;
use trapeza_app::UseCaseError;
use trapeza_app::account_information::{EntryBatchPart, EntryExchange, StatementView};
use trapeza_http::transaction_writer::{TRANSACTION_BYTES, TransactionFormat, TransactionWriter};
use uuid::Uuid;
use uuid::fmt::Hyphenated;

/// The page as JSON. It fails when a stored entry cannot be decoded.
pub fn statement(view: &StatementView, links: &Links) -> Result<Vec<u8>, UseCaseError> {
    let account = account_path(view.account.id);
    let mut out = TransactionWriter::new(1024 + view.transaction_count() * TRANSACTION_BYTES);
    out.raw(r#"{"account":"#);
    out.value(&Reference::of_account(&view.account));
    out.raw(r#","transactions":{"#);
    if view.has_booked() {
        out.raw(r#""booked":["#);
        view.visit_booked(|transaction| out.element::<Native>(transaction, &account))?;
        out.raw("],");
    }
    if let Some(pending) = view.pending_transactions() {
        out.raw(r#""pending":["#);
        pending.for_each(|transaction| out.element::<Native>(&transaction, &account));
        out.raw("],");
    }
    out.raw(r#""_links":"#);
    out.value(links);
    out.raw("}");
    if let Some(list) = &view.balances {
        out.raw(r#","balances":"#);
        out.value(&balances(list, BalanceTable::List));
    }
    remaining_members(&mut out, &Envelope::with(Links::one("account", account)));
    Ok(out.bytes)
}

/// Continues an object that has members with those of another one, and closes it.
fn remaining_members(out: &mut TransactionWriter, object: &impl Serialize) {
    let start = out.bytes.len();
    out.value(object);
    if let Some(brace) = out.bytes.get_mut(start) {
        *brace = b',';
    }
}

/// Transactions of the native interface.
pub(super) struct Native;

impl TransactionFormat for Native {
    const AMOUNT: &'static str = r#"","Amount":""#;
    const HAS_EMPTY_LINKS: bool = true;

    fn limited(text: &str, _: usize) -> &str {
        text
    }

    fn entry_reference<'a>(_: Uuid, text: &'a str, _: &'a mut [u8; Hyphenated::LENGTH]) -> &'a str {
        text
    }

    fn purpose(index: i64) -> Option<impl Serialize> {
        Some(index)
    }

    fn exchange<'a>(exchange: &EntryExchange<'a>) -> impl Serialize + use<'a> {
        ExchangeOut::of(exchange)
    }

    fn batch_part<'a>(part: &EntryBatchPart<'a>) -> impl Serialize + use<'a> {
        FieldsOut::of(part.amount, &part.particulars)
    }
}
