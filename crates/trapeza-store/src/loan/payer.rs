//! Who has paid a loan by transfer, and the payments by which refunds go back to them. The caller has locked the loan.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::{LoanId, PaymentId, RefundId};
use trapeza_domain::money::Money;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::Timestamp;

/// An account from which a loan was paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanPayer {
    pub loan: LoanId,
    pub iban: Iban,
    pub name: String,
    /// The payer's bank; `None` when it is not known, or is this bank.
    pub agent: Option<Bic>,
    /// This bank, as the payer's bank addressed it.
    pub own_agent: Option<Bic>,
    /// All that was paid from this account.
    pub paid: Money,
    /// What of it was paid back.
    pub returned_minor: i64,
    pub last_paid_at: Timestamp,
}

/// A payment by which a refund goes back. The bank is the payer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefundPayment {
    pub payment: PaymentId,
    pub refund: RefundId,
    pub loan: LoanId,
}

impl Tx<'_> {
    /// Adds what was paid to the payer of the same IBAN, or inserts the payer.
    pub fn loan_payer_add(&mut self, payer: &LoanPayer) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO loan_payer (loan, iban, name, agent, own_agent, currency, paid_minor, returned_minor,
                last_paid_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8)
             ON CONFLICT (loan, iban) DO UPDATE SET name = excluded.name, agent = excluded.agent,
                own_agent = excluded.own_agent, paid_minor = loan_payer.paid_minor + excluded.paid_minor,
                last_paid_at = excluded.last_paid_at",
            params![
                payer.loan,
                payer.iban.as_str(),
                &payer.name,
                payer.agent.as_ref().map(Bic::as_str),
                payer.own_agent.as_ref().map(Bic::as_str),
                payer.paid.currency,
                payer.paid.minor,
                payer.last_paid_at
            ],
        )?;
        Ok(())
    }

    /// The payers of a loan to whom not everything was paid back, the last one first.
    pub fn loan_payer_list(&mut self, loan: LoanId, limit: i64) -> Result<Vec<LoanPayer>, StoreError> {
        self.query(
            "SELECT loan, iban, name, agent, own_agent, currency, paid_minor, returned_minor, last_paid_at
             FROM loan_payer WHERE loan = $1 AND returned_minor < paid_minor ORDER BY last_paid_at DESC, iban LIMIT $2",
            params![loan, limit],
            payer,
        )
    }

    /// Sets how much was paid back to a payer.
    pub fn loan_payer_update(&mut self, payer: &LoanPayer) -> Result<(), StoreError> {
        self.update_one(
            "payer of a loan",
            "UPDATE loan_payer SET returned_minor = $3 WHERE loan = $1 AND iban = $2",
            params![payer.loan, payer.iban.as_str(), payer.returned_minor],
        )
    }

    pub fn refund_payment_insert(&mut self, sent: &RefundPayment) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO loan_refund_payment (payment, refund, loan) VALUES ($1, $2, $3)",
            params![sent.payment, sent.refund, sent.loan],
        )?;
        Ok(())
    }

    /// The payments by which refunds of a loan go back, oldest first.
    pub fn refund_payment_list(&mut self, loan: LoanId) -> Result<Vec<RefundPayment>, StoreError> {
        self.query(
            "SELECT payment, refund, loan FROM loan_refund_payment WHERE loan = $1 ORDER BY payment",
            params![loan],
            refund_payment,
        )
    }
}

fn payer(row: &mut RowReader<'_>) -> Result<LoanPayer, StoreError> {
    Ok(LoanPayer {
        loan: row.read()?,
        iban: row.parse(Iban::parse_stored)?,
        name: row.read()?,
        agent: row.parse_opt(Bic::parse)?,
        own_agent: row.parse_opt(Bic::parse)?,
        paid: row.money()?,
        returned_minor: row.read()?,
        last_paid_at: row.read()?,
    })
}

fn refund_payment(row: &mut RowReader<'_>) -> Result<RefundPayment, StoreError> {
    Ok(RefundPayment { payment: row.read()?, refund: row.read()?, loan: row.read()? })
}
