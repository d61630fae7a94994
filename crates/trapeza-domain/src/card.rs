//! A payment card and what is told about its transactions. Its number is kept only masked and as a keyed hash.

use crate::account::{AccountStatus, AccountUsage};
use crate::id::{AccountId, CardId, PsuId};
use crate::ledger::LedgerAccountId;
use crate::money::{Currency, Money};
use crate::reference::MaskedPan;
use crate::time::Date;
use crate::transaction::CurrencyExchange;

/// A card: it has its own statement, which its account settles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    pub id: CardId,
    pub ledger: LedgerAccountId,
    pub holder: PsuId,
    /// The account that pays what the card owes.
    pub account: AccountId,
    pub masked_pan: MaskedPan,
    pub status: AccountStatus,
    pub usage: AccountUsage,
    pub currency: Currency,
    pub product: String,
    pub name: String,
    pub credit_limit_minor: i64,
    /// The last day on which the card is good.
    pub expiry: Date,
}

impl Card {
    pub const fn is_valid_on(&self, day: Date) -> bool {
        matches!(self.status, AccountStatus::Enabled) && day.0 <= self.expiry.0
    }

    pub const fn credit_limit(&self) -> Money {
        Money::new(self.credit_limit_minor, self.currency)
    }
}

/// Where a card was used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceptorAddress {
    pub street: Option<String>,
    pub building_number: Option<String>,
    pub city: Option<String>,
    pub postal_code: Option<String>,
    /// Two letters of ISO 3166-1.
    pub country: String,
}

/// What is told about a card transaction beside its amount and booking day (§2.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardTransactionDetail {
    /// The day the card was used, often before the booking day.
    pub transaction_day: Date,
    pub terminal_id: Option<String>,
    pub acceptor_id: Option<String>,
    pub acceptor_address: Option<AcceptorAddress>,
    /// Four digits of ISO 18245.
    pub merchant_category_code: Option<String>,
    /// What the holder reads: the shop's name and place.
    pub text: Option<String>,
    /// The price in the shop's own currency.
    pub original_amount: Option<Money>,
    /// What the bank adds for the exchange, part of the booked amount.
    pub markup_fee: Option<Money>,
    /// That fee in hundredths of a percent: 150 is 1.5 %.
    pub markup_basis_points: Option<i64>,
    pub invoiced: bool,
    pub proprietary_code: Option<String>,
    pub exchanges: Vec<CurrencyExchange>,
}
