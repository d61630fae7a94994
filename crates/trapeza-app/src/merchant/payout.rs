//! Payouts: booking what the bank pays to merchants. The transfer itself is made outside of this program.

use super::not_found;
use crate::ledger::{self, Posting, PostingDetail};
use crate::{App, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::field::Field;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::ledger::{LedgerAccountKind, LedgerError};
use trapeza_domain::money::Money;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_store::{MerchantRecord, Tx};

/// The amount paid out, and the remaining balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payout {
    pub amount: Money,
    pub left: Money,
}

impl App {
    /// Pays the merchant with this code an amount, or its whole balance.
    pub async fn merchant_payout(&self, code: &str, amount: Option<Money>) -> Result<Payout, UseCaseError> {
        let (code, now, id) = (code.to_owned(), self.now(), self.entropy.uuid());
        let today = self.clock.zone().day(now);
        let operator = audit::operator();
        self.store
            .write(move |tx| {
                let merchant = tx.merchant_by_code(&code)?.ok_or_else(not_found)?;
                let owed = owed(tx, &merchant)?;
                if !owed.is_positive() {
                    return Err(Refusal::new(
                        RefusalReason::StatusInvalid,
                        "nothing is owed to the merchant",
                    )
                    .into());
                }
                let amount = amount.unwrap_or(owed);
                if amount.currency != owed.currency || !amount.is_positive() {
                    let text = format!("must be greater than zero, in {}", owed.currency);
                    return Err(Refusal::malformed(Field::Amount, text).into());
                }
                let kind = LedgerAccountKind::Merchant;
                let account = tx.ledger_account_open(kind, Some(merchant.id.uuid()), owed.currency, 0)?;
                let posting = Posting {
                    event: LedgerEvent::MerchantPayout,
                    parties: Parties { merchant: Some(account), ..Parties::default() },
                    amounts: Amounts::of(amount),
                    reference: id.to_string(),
                    booking_day: today,
                    value_day: today,
                    detail: PostingDetail::None,
                };
                match ledger::post(tx, &[posting])? {
                    Ok(_) => {}
                    Err(LedgerError::InsufficientFunds) => {
                        let text =
                            format!("is more than the bank owes the merchant, {}", owed.to_decimal_string());
                        return Err(Refusal::malformed(Field::Amount, text).into());
                    }
                    Err(error) => return Err(StoreError::internal(error).into()),
                }
                let event = AuditEvent::new("merchant.paid_out", "merchant", merchant.id);
                let event = event.with("amount_minor", amount.minor).with("reference", id);
                audit::record(tx, now, operator, &event)?;
                Ok(Payout { amount, left: Money { minor: owed.minor - amount.minor, ..owed } })
            })
            .await
    }
}

/// What the bank owes a merchant now.
pub(super) fn owed(tx: &mut Tx<'_>, merchant: &MerchantRecord) -> Result<Money, StoreError> {
    let currency = merchant.limits.minimum.currency;
    let kind = LedgerAccountKind::Merchant;
    let account = tx.ledger_account_by_owner(kind, Some(merchant.id.uuid()), currency)?;
    let account = account.map(|id| tx.ledger_account_find(id)).transpose()?.flatten();
    let balance = account.and_then(|account| account.statement);
    Ok(Money::new(balance.map_or(0, |balance| balance.booked), currency))
}
