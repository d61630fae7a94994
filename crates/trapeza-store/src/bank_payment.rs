//! The account from which the bank itself sends a payment: a refund or a payout. The caller has locked the loan or the merchant's
//! account.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::PaymentId;
use trapeza_domain::reference::{Bic, Iban};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BankPaymentRecord {
    pub payment: PaymentId,
    pub debtor_iban: Iban,
    pub debtor_agent: Bic,
}

impl Tx<'_> {
    pub fn bank_payment_insert(&mut self, sent: &BankPaymentRecord) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO bank_payment (payment, debtor_iban, debtor_agent) VALUES ($1, $2, $3)",
            params![sent.payment, sent.debtor_iban.as_str(), sent.debtor_agent.as_str()],
        )?;
        Ok(())
    }

    /// `None` when a customer sends the payment.
    pub fn bank_payment_find(&mut self, payment: PaymentId) -> Result<Option<BankPaymentRecord>, StoreError> {
        self.query_opt(
            "SELECT payment, debtor_iban, debtor_agent FROM bank_payment WHERE payment = $1",
            params![payment],
            |row| {
                Ok(BankPaymentRecord {
                    payment: row.read()?,
                    debtor_iban: row.parse(Iban::parse_stored)?,
                    debtor_agent: row.parse(Bic::parse)?,
                })
            },
        )
    }
}
