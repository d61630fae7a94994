//! The entries of a merchant's account with the loans that they belong to, for the settlement report.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::basket::PublicBasketId;
use trapeza_domain::id::LoanId;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind};
use trapeza_domain::time::Date;

/// An entry of a merchant's account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettlementEntry {
    pub booked_on: Date,
    /// Above zero when the bank owes the merchant more.
    pub amount_minor: i64,
    pub balance_minor: i64,
    pub event: LedgerEvent,
    /// The cause: a loan, a refund or a payout.
    pub reference: String,
    pub loan: Option<SettledLoan>,
}

/// The loan of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettledLoan {
    pub id: LoanId,
    pub discount_minor: i64,
    pub basket: PublicBasketId,
    pub order_identifier: String,
}

impl Tx<'_> {
    /// The entries of an account between two dates, both included, oldest first.
    pub fn settlement_entries(
        &mut self,
        account: LedgerAccountId,
        (from, to): (Date, Date),
        limit: i64,
    ) -> Result<Vec<SettlementEntry>, StoreError> {
        self.query(
            // The other account of a purchase or a refund is that of the loan's principal.
            "SELECT e.booking_date, e.amount_minor, e.balance_minor, t.event, t.reference,
                    l.id, l.discount_minor, b.public_id, b.order_identifier
             FROM entry e JOIN transfer t ON t.id = e.transfer
             LEFT JOIN ledger_account a ON a.kind = $4
                  AND a.id = CASE WHEN e.amount_minor > 0 THEN t.debit_account ELSE t.credit_account END
             LEFT JOIN loan l ON l.id = a.owner
             LEFT JOIN basket b ON b.number = l.basket
             WHERE e.account = $1 AND e.booking_date BETWEEN $2 AND $3 ORDER BY e.booking_date, e.seq LIMIT $5",
            params![account, from, to, LedgerAccountKind::LoanPrincipal.code(), limit],
            |row| {
                let (booked_on, amount_minor, balance_minor) = (row.read()?, row.read()?, row.read()?);
                let (event, reference) = (row.read::<String>()?, row.read()?);
                let (id, discount, basket): (Option<LoanId>, Option<i64>, Option<PublicBasketId>) =
                    (row.read()?, row.read()?, row.read()?);
                let order: Option<String> = row.read()?;
                let event = LedgerEvent::parse(&event)
                    .ok_or_else(|| StoreError::internal("a transfer has an unknown event"))?;
                let loan = id.zip(basket).map(|(id, basket)| SettledLoan {
                    id,
                    discount_minor: discount.unwrap_or_default(),
                    basket,
                    order_identifier: order.unwrap_or_default(),
                });
                Ok(SettlementEntry { booked_on, amount_minor, balance_minor, event, reference, loan })
            },
        )
    }
}
