//! Manual postings: which accounts staff may debit and credit by hand.

use super::account::LedgerAccountKind;
use crate::field::Field;
use crate::id::ManualPostingId;
use crate::money::Money;
use crate::reference::Iban;
use crate::refusal::{Refusal, RefusalReason};
use std::fmt;

use LedgerAccountKind::{ClearingSettlement, CreditLoss, Customer, Fees, InterestIncome, Suspense};

/// The pairs of debit and credit account. Money leaves the suspense account only by an assignment or a return of its transfer, or by the
/// reversal of the manual posting that booked it there. Loans, cards, merchants and payments in transit have processes of their own.
pub const MANUAL_PAIRS: [(LedgerAccountKind, LedgerAccountKind); 11] = [
    (Customer, Customer),
    (Customer, Fees),
    (Fees, Customer),
    (InterestIncome, Customer),
    (Customer, CreditLoss),
    // What a late instant payment left on the suspense account: the customer pays it, or the bank loses it.
    (Customer, Suspense),
    (CreditLoss, Suspense),
    (CreditLoss, Customer),
    (Customer, ClearingSettlement),
    (ClearingSettlement, Customer),
    (ClearingSettlement, Suspense),
];

/// An account of a manual posting, as staff name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManualAccount {
    Customer(Iban),
    /// The bank's own account of this kind.
    Bank(LedgerAccountKind),
}

/// An amount that staff move between two accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualPosting {
    /// Given by the caller: the same posting is booked once.
    pub id: ManualPostingId,
    pub debit: ManualAccount,
    pub credit: ManualAccount,
    pub amount: Money,
    /// The reason, which customers read on their statement.
    pub text: String,
}

impl ManualAccount {
    /// An IBAN, or the code of an account of the bank.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.parse().ok().and_then(LedgerAccountKind::from_code) {
            Some(kind) if !kind.has_owner() => Ok(Self::Bank(kind)),
            Some(_) => Err("must be the code of an account of the bank, or an IBAN".to_owned()),
            None => Iban::parse(text)
                .map(Self::Customer)
                .map_err(|error| format!("must be an IBAN or the code of an account of the bank ({error})")),
        }
    }

    pub const fn kind(&self) -> LedgerAccountKind {
        match self {
            Self::Customer(_) => Customer,
            Self::Bank(kind) => *kind,
        }
    }

    /// For outcomes, which do not contain a whole IBAN.
    pub fn masked(&self) -> String {
        match self {
            Self::Customer(iban) => iban.masked(),
            Self::Bank(kind) => kind.code().to_string(),
        }
    }
}

impl fmt::Display for ManualAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Customer(iban) => f.write_str(iban.as_str()),
            Self::Bank(kind) => write!(f, "{}", kind.code()),
        }
    }
}

impl ManualPosting {
    /// Refuses an amount of zero, the same account twice, and pairs that are not in [`MANUAL_PAIRS`].
    pub fn validate(&self) -> Result<(), Refusal> {
        if !self.amount.is_positive() {
            return Err(Refusal::malformed(Field::Amount, "must be greater than zero"));
        }
        if self.debit == self.credit {
            return Err(Refusal::malformed(
                Field::CreditAccount,
                "must be another account than the debit account",
            ));
        }
        let (debit, credit) = (self.debit.kind(), self.credit.kind());
        if !MANUAL_PAIRS.contains(&(debit, credit)) {
            let text = format!("{} must not be credited from {} by hand", credit.code(), debit.code());
            return Err(Refusal::at(RefusalReason::Inconsistent, Field::CreditAccount, text));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::Currency;
    use uuid::Uuid;

    const IBAN: &str = "DE89370400440532013000";

    fn posting(debit: &str, credit: &str, minor: i64) -> ManualPosting {
        ManualPosting {
            id: ManualPostingId::new(Uuid::nil()),
            debit: ManualAccount::parse(debit).unwrap(),
            credit: ManualAccount::parse(credit).unwrap(),
            amount: Money::new(minor, Currency::EUR),
            text: "fee charged twice".to_owned(),
        }
    }

    #[test]
    fn account_is_an_iban_or_the_code_of_an_account_of_the_bank() {
        assert_eq!(ManualAccount::parse("4000"), Ok(ManualAccount::Bank(Fees)));
        assert_eq!(ManualAccount::parse(IBAN).unwrap().kind(), Customer);
        for wrong in ["", "2000", "2050", "2100", "1100", "1110", "9999", "DE89370400440532013001"] {
            assert!(ManualAccount::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_listed_pairs_with_a_positive_amount_are_valid() {
        let codes = ["1000", "1010", "1190", IBAN, "2200", "3000", "4000", "4100", "4110"];
        let mut valid = Vec::new();
        for debit in codes {
            for credit in codes {
                if posting(debit, credit, 1).validate().is_ok() {
                    valid.push((debit, credit));
                }
            }
        }
        let expected = [
            ("1000", "1010"),
            ("1000", IBAN),
            ("1190", "1010"),
            ("1190", IBAN),
            (IBAN, "1000"),
            (IBAN, "1010"),
            (IBAN, "1190"),
            (IBAN, "4000"),
            ("4000", IBAN),
            ("4100", IBAN),
        ];
        assert_eq!(valid, expected);
        assert!(posting(IBAN, "GR1601101250000000012300695", 1).validate().is_ok());
        assert!(posting("4000", IBAN, 0).validate().is_err());
    }

    #[test]
    fn no_pair_touches_a_loan_a_card_a_merchant_or_transit_or_takes_from_suspense() {
        use LedgerAccountKind::{Card, ClearingTransit, LoanInterest, LoanPrincipal, Merchant};
        for (debit, credit) in MANUAL_PAIRS {
            for kind in [Card, ClearingTransit, LoanInterest, LoanPrincipal, Merchant] {
                assert!(debit != kind && credit != kind, "{debit:?} {credit:?}");
            }
            assert_ne!(debit, Suspense);
        }
    }

    #[test]
    fn account_is_shown_whole_and_masked() {
        let customer = ManualAccount::parse(IBAN).unwrap();
        assert_eq!((customer.to_string(), customer.masked()), (IBAN.to_owned(), "DE89…3000".to_owned()));
        let fees = ManualAccount::Bank(Fees);
        assert_eq!((fees.to_string(), fees.masked()), ("4000".to_owned(), "4000".to_owned()));
    }
}
