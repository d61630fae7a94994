//! Who pays a submitted payment, and how its settlement and its return are booked therefore.

use crate::{Required, StoreError};
use trapeza_domain::ledger::posting::{LedgerEvent, Parties};
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind};
use trapeza_domain::payment::{Payment, PaymentState};
use trapeza_store::Tx;

/// The ledger account that a submitted payment is paid from.
pub(super) enum Payer {
    /// Of a customer, or of a borrower to whom the bank pays back.
    Customer(LedgerAccountId),
    /// Of a customer who was debited before, in one entry for several payments.
    Batch(LedgerAccountId),
    /// Of a merchant whose balance is paid out.
    Merchant(LedgerAccountId),
    /// None: an instant payment was settled after it had been rejected.
    Bank,
}

impl Payer {
    pub(super) fn of(tx: &mut Tx<'_>, payment: &Payment) -> Result<Self, StoreError> {
        if matches!(payment.state, PaymentState::Rejected { .. }) {
            return Ok(Self::Bank);
        }
        if let Some(account) = payment.batch_account {
            return Ok(Self::Batch(account));
        }
        let hold = tx.hold_by_reference(&payment.id.to_string())?;
        let id = hold.required("hold")?.hold.account;
        let account = tx.ledger_account_find(id)?.required("ledger account")?;
        Ok(if account.kind == LedgerAccountKind::Merchant { Self::Merchant(id) } else { Self::Customer(id) })
    }

    /// A customer's account.
    pub(super) const fn account(&self) -> Option<LedgerAccountId> {
        match self {
            Self::Customer(id) | Self::Batch(id) => Some(*id),
            Self::Merchant(_) | Self::Bank => None,
        }
    }

    pub(super) fn parties(&self) -> Parties {
        match *self {
            Self::Customer(id) | Self::Batch(id) => Parties { payer: Some(id), ..Parties::default() },
            Self::Merchant(id) => Parties { merchant: Some(id), ..Parties::default() },
            Self::Bank => Parties::default(),
        }
    }

    pub(super) const fn settled(&self) -> LedgerEvent {
        match self {
            Self::Customer(_) => LedgerEvent::SepaOutSettled,
            Self::Batch(_) => LedgerEvent::BatchLineSettled,
            Self::Merchant(_) => LedgerEvent::MerchantPayoutSettled,
            Self::Bank => LedgerEvent::InstantOutLate,
        }
    }

    pub(super) const fn returned(&self) -> LedgerEvent {
        match self {
            Self::Customer(_) | Self::Batch(_) => LedgerEvent::SepaOutReturned,
            Self::Merchant(_) => LedgerEvent::MerchantPayoutReturned,
            Self::Bank => LedgerEvent::InstantOutLateReturned,
        }
    }
}
