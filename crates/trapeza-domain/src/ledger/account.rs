//! The chart of accounts.

use super::balance::StatementBalance;
use crate::money::Currency;
use crate::time::Date;

/// The number of a ledger account; it never leaves the bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LedgerAccountId(pub i64);

/// All kinds of accounts with their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LedgerAccountKind {
    /// The bank's account at the clearing system.
    ClearingSettlement,
    /// Incoming money without a known recipient.
    Suspense,
    /// Outstanding principal of one loan.
    LoanPrincipal,
    /// Outstanding interest of one loan.
    LoanInterest,
    /// Loans written off.
    CreditLoss,
    /// A customer's account.
    Customer,
    /// A card's account.
    Card,
    /// The bank's debt to one merchant.
    Merchant,
    /// Payments submitted to clearing and not yet settled.
    ClearingTransit,
    /// Source of opening balances; all demo money.
    OpeningEquity,
    Fees,
    InterestIncome,
    MerchantDiscount,
}

impl LedgerAccountKind {
    pub const ALL: [Self; 13] = [
        Self::ClearingSettlement,
        Self::Suspense,
        Self::LoanPrincipal,
        Self::LoanInterest,
        Self::CreditLoss,
        Self::Customer,
        Self::Card,
        Self::Merchant,
        Self::ClearingTransit,
        Self::OpeningEquity,
        Self::Fees,
        Self::InterestIncome,
        Self::MerchantDiscount,
    ];

    pub const fn code(self) -> i64 {
        match self {
            Self::ClearingSettlement => 1000,
            Self::Suspense => 1010,
            Self::LoanPrincipal => 1100,
            Self::LoanInterest => 1110,
            Self::CreditLoss => 1190,
            Self::Customer => 2000,
            Self::Card => 2050,
            Self::Merchant => 2100,
            Self::ClearingTransit => 2200,
            Self::OpeningEquity => 3000,
            Self::Fees => 4000,
            Self::InterestIncome => 4100,
            Self::MerchantDiscount => 4110,
        }
    }

    pub fn from_code(code: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Whether its accounts store booked, held and numbered entries. The others are sums of their transfers and are never
    /// locked.
    pub const fn has_statement(self) -> bool {
        matches!(self, Self::Customer | Self::Card | Self::Merchant)
    }

    /// Whether there is one account per owner (customer, card, merchant, loan) instead of one for the bank.
    pub const fn has_owner(self) -> bool {
        self.has_statement() || matches!(self, Self::LoanPrincipal | Self::LoanInterest)
    }
}

/// A ledger account and its balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerAccount {
    pub id: LedgerAccountId,
    pub kind: LedgerAccountKind,
    pub currency: Currency,
    /// Present exactly when the kind has a statement.
    pub statement: Option<StatementBalance>,
    /// The booking day of the last entry of the statement. No later entry is booked on an earlier day.
    pub last_booking_day: Option<Date>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_code_finds_every_kind() {
        for kind in LedgerAccountKind::ALL {
            assert_eq!(LedgerAccountKind::from_code(kind.code()), Some(kind));
        }
        assert_eq!(LedgerAccountKind::from_code(1), None);
    }

    #[test]
    fn only_customers_cards_and_merchants_have_statements() {
        let kinds = LedgerAccountKind::ALL.into_iter().filter(|kind| kind.has_statement());
        assert_eq!(kinds.map(LedgerAccountKind::code).collect::<Vec<_>>(), [2000, 2050, 2100]);
    }
}
