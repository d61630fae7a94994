//! A payment card and the details of its transactions. The card number is stored only masked and as a keyed hash.

use crate::account::{AccountStatus, AccountUsage};
use crate::id::{AccountId, CardId, PsuId};
use crate::ledger::LedgerAccountId;
use crate::money::{Currency, Money};
use crate::reference::MaskedPan;
use crate::time::Date;
use crate::transaction::CurrencyExchange;

/// A card with a statement of its own, which its account pays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    pub id: CardId,
    pub ledger: LedgerAccountId,
    pub holder: PsuId,
    /// The account from which the card is paid.
    pub account: AccountId,
    pub masked_pan: MaskedPan,
    pub status: AccountStatus,
    pub usage: AccountUsage,
    pub currency: Currency,
    pub product: String,
    pub name: String,
    pub credit_limit_minor: i64,
    /// The last day on which the card is valid.
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

/// The place where a card was used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceptorAddress {
    pub street: Option<String>,
    pub building_number: Option<String>,
    pub city: Option<String>,
    pub postal_code: Option<String>,
    /// ISO 3166-1 alpha-2 country code.
    pub country: String,
}

/// The details of a card transaction besides its amount and booking date (§2.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardTransactionDetail {
    /// The date the card was used, often before the booking date.
    pub transaction_day: Date,
    pub terminal_id: Option<String>,
    pub acceptor_id: Option<String>,
    pub acceptor_address: Option<AcceptorAddress>,
    /// Merchant category code: four digits of ISO 18245.
    pub merchant_category_code: Option<String>,
    /// What the card holder reads: the shop's name and city.
    pub text: Option<String>,
    /// The price in the shop's own currency.
    pub original_amount: Option<Money>,
    /// The bank's fee for the currency exchange, included in the booked amount.
    pub markup_fee: Option<Money>,
    /// That fee in basis points: 150 is 1.5 %.
    pub markup_basis_points: Option<i64>,
    pub invoiced: bool,
    pub proprietary_code: Option<String>,
    pub exchanges: Vec<CurrencyExchange>,
}
