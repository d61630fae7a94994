//! Settlement accounts of merchants, and the payments by which their balances are paid out.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::{MerchantId, PaymentId};
use trapeza_domain::payment::PayeeAccount;
use trapeza_domain::reference::{Bic, Iban};

/// A payout: its payment, and what has come back of it after settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerchantPayoutRecord {
    pub payment: PaymentId,
    pub returned_minor: i64,
}

impl Tx<'_> {
    pub fn settlement_account_find(
        &mut self,
        merchant: MerchantId,
    ) -> Result<Option<PayeeAccount>, StoreError> {
        self.query_opt(
            "SELECT iban, name, agent FROM merchant_settlement_account WHERE merchant = $1",
            params![merchant],
            |row| {
                Ok(PayeeAccount {
                    iban: row.parse(Iban::parse_stored)?,
                    name: row.read()?,
                    agent: row.parse_opt(Bic::parse)?,
                })
            },
        )
    }

    /// Sets or removes the account to which a merchant's balance is paid.
    pub fn settlement_account_set(
        &mut self,
        merchant: MerchantId,
        account: Option<&PayeeAccount>,
    ) -> Result<(), StoreError> {
        let Some(account) = account else {
            self.execute("DELETE FROM merchant_settlement_account WHERE merchant = $1", params![merchant])?;
            return Ok(());
        };
        self.execute(
            "INSERT INTO merchant_settlement_account (merchant, iban, name, agent) VALUES ($1, $2, $3, $4)
             ON CONFLICT (merchant) DO UPDATE SET iban = excluded.iban, name = excluded.name, agent = excluded.agent",
            params![
                merchant,
                account.iban.as_str(),
                &account.name,
                account.agent.as_ref().map(Bic::as_str)
            ],
        )?;
        Ok(())
    }

    pub fn merchant_payout_insert(
        &mut self,
        merchant: MerchantId,
        payment: PaymentId,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO merchant_payout (payment, merchant) VALUES ($1, $2)",
            params![payment, merchant],
        )?;
        Ok(())
    }

    /// The payouts to a merchant, newest first.
    pub fn merchant_payout_list(
        &mut self,
        merchant: MerchantId,
        limit: i64,
    ) -> Result<Vec<MerchantPayoutRecord>, StoreError> {
        self.query(
            // Payment ids are in the order of their creation.
            "SELECT o.payment, CAST(COALESCE((
                 SELECT SUM(r.amount_minor) FROM clearing_transaction c
                 JOIN clearing_return r ON r.clearing_transaction = c.id WHERE c.payment = o.payment), 0) AS BIGINT)
             FROM merchant_payout o WHERE o.merchant = $1 ORDER BY o.payment DESC LIMIT $2",
            params![merchant, limit],
            |row| Ok(MerchantPayoutRecord { payment: row.read()?, returned_minor: row.read()? }),
        )
    }
}
