//! The settlement report of a merchant: its purchases, refunds and payouts of a period with the bank's fees. It is read from the
//! entries of the merchant's ledger account, so that its totals are those of the ledger.

use super::PortalMember;
use crate::{App, StoreError, UseCaseError};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, LoanId};
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::Money;
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Date;
use trapeza_store::{SettlementEntry, Tx};

/// Maximum number of entries of a report.
const MAX_ROWS: usize = 10_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettlementKind {
    Purchase,
    Refund,
    Payout,
    /// A payout that came back after settlement.
    PayoutReturned,
    /// An entry of another event.
    Other,
}

/// One entry. Amounts are from the merchant's point of view: what it receives is above zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettlementRow {
    pub day: Date,
    pub kind: SettlementKind,
    /// The public id and the order of the basket, and its loan; empty for a payout.
    pub basket: String,
    pub order: String,
    pub loan: Option<LoanId>,
    /// The loan, the refund or the payout.
    pub reference: String,
    /// What the shopper bought or gets back; zero for a payout.
    pub gross: Money,
    /// The bank's share; above zero when the bank returns it.
    pub fee: Money,
    /// The entry of the ledger: gross and fee.
    pub net: Money,
    pub balance: Money,
}

/// Sums of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettlementTotals {
    pub purchases: Money,
    pub refunds: Money,
    pub fees: Money,
    pub payouts: Money,
    /// What of payouts came back.
    pub payouts_returned: Money,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettlementReport {
    pub from: Date,
    pub to: Date,
    /// The balance of the merchant at the bank before and after the period.
    pub opening: Money,
    pub closing: Money,
    pub totals: SettlementTotals,
    /// Oldest first.
    pub rows: Vec<SettlementRow>,
}

impl App {
    /// The report of the merchant of an application between two dates, both included.
    pub async fn portal_settlement(
        &self,
        caller: &PortalMember,
        application: ApplicationId,
        (from, to): (Date, Date),
    ) -> Result<SettlementReport, UseCaseError> {
        let record = self.portal_application(caller, application, MemberRole::Viewer).await?;
        let ApplicationOwner::Merchant { id, .. } = record.application.owner else {
            return Err(unknown().into());
        };
        if from > to {
            return Err(Refusal::malformed(Field::DateFrom, "must not be after the last day").into());
        }
        self.store
            .read(move |tx| {
                let merchant = tx.merchant_find(id)?.ok_or_else(unknown)?;
                let currency = merchant.limits.minimum.currency;
                let empty = Money::zero(currency);
                let kind = LedgerAccountKind::Merchant;
                let Some(account) = tx.ledger_account_by_owner(kind, Some(id.uuid()), currency)? else {
                    return Ok(SettlementReport::new((from, to), empty, Vec::new()));
                };
                let opening = Money::new(tx.entry_balance_before(account, from)?, currency);
                let limit = i64::try_from(MAX_ROWS).unwrap_or(i64::MAX) + 1;
                let entries = tx.settlement_entries(account, (from, to), limit)?;
                if entries.len() > MAX_ROWS {
                    let text = format!("must be later: the period has more than {MAX_ROWS} entries");
                    return Err(Refusal::malformed(Field::DateFrom, text).into());
                }
                let rows: Result<Vec<_>, StoreError> =
                    entries.into_iter().map(|entry| row(tx, entry, opening)).collect();
                Ok(SettlementReport::new((from, to), opening, rows?))
            })
            .await
    }
}

impl SettlementReport {
    fn new((from, to): (Date, Date), opening: Money, rows: Vec<SettlementRow>) -> Self {
        let sum = |kind: SettlementKind, part: fn(&SettlementRow) -> Money| {
            let parts = rows.iter().filter(|row| row.kind == kind).map(|row| part(row).minor);
            Money { minor: parts.sum(), ..opening }
        };
        let fees = Money { minor: rows.iter().map(|row| row.fee.minor).sum(), ..opening };
        let totals = SettlementTotals {
            purchases: sum(SettlementKind::Purchase, |row| row.gross),
            refunds: sum(SettlementKind::Refund, |row| row.gross),
            fees,
            payouts: sum(SettlementKind::Payout, |row| row.net),
            payouts_returned: sum(SettlementKind::PayoutReturned, |row| row.net),
        };
        let closing = rows.last().map_or(opening, |row| row.balance);
        Self { from, to, opening, closing, totals, rows }
    }
}

/// An entry with its fee: of a purchase that of the loan, of a refund what the bank returns of it.
fn row(tx: &mut Tx<'_>, entry: SettlementEntry, opening: Money) -> Result<SettlementRow, StoreError> {
    let money = |minor| Money { minor, ..opening };
    let loan = entry.loan.as_ref();
    let (kind, fee) = match entry.event {
        LedgerEvent::LoanApproved => (SettlementKind::Purchase, -loan.map_or(0, |loan| loan.discount_minor)),
        LedgerEvent::MerchantRefund => (SettlementKind::Refund, refund_fee(tx, &entry)?),
        LedgerEvent::MerchantPayoutSettled | LedgerEvent::MerchantPayoutInternal => {
            (SettlementKind::Payout, 0)
        }
        LedgerEvent::MerchantPayoutReturned => (SettlementKind::PayoutReturned, 0),
        _ => (SettlementKind::Other, 0),
    };
    let is_payout = matches!(kind, SettlementKind::Payout | SettlementKind::PayoutReturned);
    let gross = if is_payout { 0 } else { entry.amount_minor - fee };
    Ok(SettlementRow {
        day: entry.booked_on,
        kind,
        basket: loan.map(|loan| loan.basket.to_string()).unwrap_or_default(),
        order: loan.map(|loan| loan.order_identifier.clone()).unwrap_or_default(),
        loan: loan.map(|loan| loan.id),
        gross: money(gross),
        fee: money(fee),
        net: money(entry.amount_minor),
        balance: money(entry.balance_minor),
        reference: entry.reference,
    })
}

fn refund_fee(tx: &mut Tx<'_>, entry: &SettlementEntry) -> Result<i64, StoreError> {
    let Some(loan) = &entry.loan else { return Ok(0) };
    let refunds = tx.refund_list(loan.id)?;
    let found = refunds.iter().find(|record| record.id.to_string() == entry.reference);
    Ok(found.map_or(0, |record| record.refund.discount_minor))
}

fn unknown() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "unknown merchant")
}
