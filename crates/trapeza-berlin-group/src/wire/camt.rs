//! A page of a statement as a message of ISO 20022: camt.053 (a statement of days that are over) or camt.052 (any other report), in
//! the version that the bank has configured.
//!
//! One page is one message. It has the booked balances before and after its entries, so that the entries of every message add up.

mod entry;

use super::amount::unsigned;
use entry::EntryWriter;
use trapeza_app::account_information::{BalanceKind, PageBalances, StatementView, TransactionView};
use trapeza_app::{UseCaseError, Zone, format_date, format_timestamp};
use trapeza_domain::account::Account;
use trapeza_domain::money::Money;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_http::CamtVersion;
use trapeza_xml::Element;
use uuid::Uuid;

const NAMESPACE: &str = "urn:iso:std:iso:20022:tech:xsd:";

/// What a message says about itself.
pub struct MessageHeader<'a> {
    pub version: CamtVersion,
    /// Names the message and the statement in it.
    pub id: Uuid,
    pub created_at: Timestamp,
    pub zone: &'a Zone,
    /// The number of the page, from 1.
    pub page: u32,
}

/// The two kinds of messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// camt.053: booked entries of days that are over.
    Statement,
    /// camt.052: what may still change, or is shown without balances.
    Report,
}

/// The message as XML. It fails when a stored entry cannot be decoded.
pub fn message(view: &StatementView, header: &MessageHeader<'_>) -> Result<String, UseCaseError> {
    let writer = EntryWriter { version: header.version, zone: header.zone };
    let (mut entries, mut days) = (Vec::with_capacity(view.transaction_count()), Vec::new());
    view.visit_booked(|transaction: &TransactionView<'_>| {
        days.extend(transaction.booking_day);
        entries.push(writer.entry(transaction));
    })?;
    // The page begins with the newest entry, a message with the oldest.
    entries.reverse();
    if let Some(pending) = view.pending_transactions() {
        let pending: Vec<Element> = pending.map(|transaction| writer.entry(&transaction)).collect();
        entries.extend(pending.into_iter().rev());
    }
    let today = header.zone.day(header.created_at);
    let kind = kind(view, today);
    let (root, body, name) = match kind {
        Kind::Statement => ("BkToCstmrStmt", "Stmt", "camt.053"),
        Kind::Report => ("BkToCstmrAcctRpt", "Rpt", "camt.052"),
    };
    let body = Element::new(body)
        .with(Element::leaf("Id", header.id.simple().to_string()))
        .with(Element::leaf("CreDtTm", format_timestamp(header.created_at)))
        .with_all(view.period.map(|period| dates(period, header)))
        .with(account(&view.account, header.version))
        .with_all(balances(view, header, &days, today))
        .with_all(entries);
    let namespace = format!("{NAMESPACE}{name}.{}", header.version.suffix());
    let root = Element::new(root).with(group_header(header, view.next_cursor().is_none())).with(body);
    Ok(Element::new("Document").with_attribute("xmlns", &namespace).with(root).serialize())
}

/// A statement must have balances and must not change any more.
fn kind(view: &StatementView, today: Date) -> Kind {
    let is_over = view.period.is_some_and(|(_, to)| to < today);
    match view.pending_transactions().is_none() && is_over && view.page_balances.is_some() {
        true => Kind::Statement,
        false => Kind::Report,
    }
}

fn group_header(header: &MessageHeader<'_>, is_last: bool) -> Element {
    let page = Element::new("MsgPgntn")
        .with(Element::leaf("PgNb", header.page.to_string()))
        .with(Element::leaf("LastPgInd", is_last.to_string()));
    Element::new("GrpHdr")
        .with(Element::leaf("MsgId", header.id.simple().to_string()))
        .with(Element::leaf("CreDtTm", format_timestamp(header.created_at)))
        .with(page)
}

/// The period, which ends now at the latest.
fn dates((from, to): (Date, Date), header: &MessageHeader<'_>) -> Element {
    let end = header.zone.end_of(to).min(header.created_at);
    Element::new("FrToDt")
        .with(Element::leaf("FrDtTm", format_timestamp(header.zone.start_of(from))))
        .with(Element::leaf("ToDtTm", format_timestamp(end)))
}

fn account(account: &Account, version: CamtVersion) -> Element {
    let bic = match version {
        CamtVersion::V02 => "FinInstnId/BIC",
        CamtVersion::V08 => "FinInstnId/BICFI",
    };
    Element::new("Acct")
        .with(Element::nested("Id/IBAN", account.iban.as_str()))
        .with(Element::nested("Tp/Cd", account.kind.cash_account_type()))
        .with(Element::leaf("Ccy", account.currency.code()))
        .with_all(entry::text("Nm", Some(account.name.as_str()), 70))
        .with(Element::new("Svcr").with(Element::nested(bic, account.bic.as_str())))
}

/// The balances before and after the page. They are those of the period (OPBD, CLBD) only where the page has its begin or its end;
/// pages begin with the newest entries. All others are interim balances (ITBD), as is what is available now (ITAV).
fn balances(view: &StatementView, header: &MessageHeader<'_>, days: &[Date], today: Date) -> Vec<Element> {
    let Some(PageBalances { opening, closing }) = view.page_balances else { return Vec::new() };
    let (newest, oldest) = (days.first().copied(), days.last().copied());
    let (is_first, is_last) = (header.page == 1, view.next_cursor().is_none());
    let opening = match view.period {
        Some((from, _)) if is_last => balance("OPBD", opening, from),
        _ => balance("ITBD", opening, oldest.unwrap_or(today)),
    };
    let closing = match view.period {
        Some((_, to)) if is_first && to < today => balance("CLBD", closing, to),
        _ if is_first => balance("ITBD", closing, today),
        _ => balance("ITBD", closing, newest.unwrap_or(today)),
    };
    let available = view.balances.iter().flatten().find(|balance| balance.kind == BalanceKind::Available);
    let available = available.map(|found| {
        let mut element = balance("ITAV", found.amount, today);
        if found.credit_limit_included {
            // Behind the type.
            element.children.insert(1, Element::nested("CdtLine/Incl", "true"));
        }
        element
    });
    [opening, closing].into_iter().chain(available).collect()
}

fn balance(code: &str, amount: Money, day: Date) -> Element {
    Element::new("Bal")
        .with(Element::nested("Tp/CdOrPrtry/Cd", code))
        .with(unsigned("Amt", amount))
        .with(sign(amount))
        .with(Element::nested("Dt/Dt", format_date(day)))
}

/// A balance of zero counts as a credit.
fn sign(amount: Money) -> Element {
    Element::leaf("CdtDbtInd", if amount.minor < 0 { "DBIT" } else { "CRDT" })
}

#[cfg(test)]
mod tests;
