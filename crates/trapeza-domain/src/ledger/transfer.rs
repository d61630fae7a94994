//! A transfer between two accounts, and the statement entries it creates.

use super::account::{LedgerAccount, LedgerAccountId};
use super::balance::{LedgerError, StatementBalance};
use super::posting::LedgerEvent;
use crate::money::Money;
use crate::time::Date;

/// The number of a transfer; the entry reference on both statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransferId(pub i64);

/// An amount moved from one account to another. It is immutable: a correction is a new transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    pub debit: LedgerAccountId,
    pub credit: LedgerAccountId,
    pub amount: Money,
    pub event: LedgerEvent,
    /// The reference of its cause: a payment id, a card authorisation number.
    pub reference: String,
    pub booking_day: Date,
    pub value_day: Date,
}

/// One entry of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub account: LedgerAccountId,
    /// 1, 2, 3 … without gaps.
    pub seq: i64,
    /// Negative for a debit.
    pub amount_minor: i64,
    pub balance_minor: i64,
    pub booking_day: Date,
}

impl Transfer {
    /// Applies the amount to both accounts. Returns the entries of accounts with a statement, debit first; on an error the
    /// accounts are unchanged. The transfer is booked on its day, or on that of the last entry of either account if that is later: the day
    /// was read before the accounts were locked, and at midnight another transaction may have booked on the next one.
    pub fn apply(
        &mut self,
        debit: &mut LedgerAccount,
        credit: &mut LedgerAccount,
    ) -> Result<(Option<Entry>, Option<Entry>), LedgerError> {
        if debit.id == credit.id {
            return Err(LedgerError::SameAccount);
        }
        if debit.currency != self.amount.currency || credit.currency != self.amount.currency {
            return Err(LedgerError::CurrenciesMixed);
        }
        if !self.amount.is_positive() {
            return Err(LedgerError::AmountNotPositive);
        }
        let amount = self.amount.minor;
        let taken = debit.statement.map(|balance| balance.debit(amount)).transpose()?;
        let given = credit.statement.map(|balance| balance.credit(amount)).transpose()?;
        debit.statement = taken;
        credit.statement = given;
        let last_days = [debit.last_booking_day, credit.last_booking_day].into_iter().flatten();
        self.booking_day = last_days.fold(self.booking_day, Date::max);
        for account in [debit, credit].into_iter().filter(|account| account.statement.is_some()) {
            account.last_booking_day = Some(self.booking_day);
        }
        let out = taken.map(|balance| self.entry(self.debit, -amount, balance));
        Ok((out, given.map(|balance| self.entry(self.credit, amount, balance))))
    }

    fn entry(&self, account: LedgerAccountId, amount_minor: i64, after: StatementBalance) -> Entry {
        Entry {
            account,
            seq: after.entry_count,
            amount_minor,
            balance_minor: after.booked,
            booking_day: self.booking_day,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LedgerAccountKind;
    use super::*;
    use crate::money::Currency;

    fn account(id: i64, kind: LedgerAccountKind, booked: i64) -> LedgerAccount {
        let balance = StatementBalance { booked, held: 0, entry_count: 0, floor: 0 };
        let statement = kind.has_statement().then_some(balance);
        LedgerAccount {
            id: LedgerAccountId(id),
            kind,
            currency: Currency::EUR,
            statement,
            last_booking_day: None,
        }
    }

    fn transfer(minor: i64, currency: Currency) -> Transfer {
        Transfer {
            debit: LedgerAccountId(1),
            credit: LedgerAccountId(2),
            amount: Money::new(minor, currency),
            event: LedgerEvent::InternalTransfer,
            reference: "p1".to_owned(),
            booking_day: Date(20_000),
            value_day: Date(20_000),
        }
    }

    #[test]
    fn apply_creates_an_entry_on_both_statements() {
        let mut payer = account(1, LedgerAccountKind::Customer, 500);
        let mut payee = account(2, LedgerAccountKind::Customer, 0);
        let (out, into) = transfer(200, Currency::EUR).apply(&mut payer, &mut payee).unwrap();
        let line = |entry: Option<Entry>| entry.map(|e| (e.seq, e.amount_minor, e.balance_minor));
        assert_eq!(line(out), Some((1, -200, 300)));
        assert_eq!(line(into), Some((1, 200, 200)));
    }

    #[test]
    fn entry_is_not_booked_before_the_last_one_of_either_account() {
        let mut payer = account(1, LedgerAccountKind::Customer, 500);
        let mut payee = account(2, LedgerAccountKind::Customer, 0);
        let days = |line: (Option<Entry>, Option<Entry>)| {
            (line.0.map(|e| e.booking_day.0), line.1.map(|e| e.booking_day.0))
        };
        payee.last_booking_day = Some(Date(20_001));
        let mut late = transfer(200, Currency::EUR);
        assert_eq!(days(late.apply(&mut payer, &mut payee).unwrap()), (Some(20_001), Some(20_001)));
        assert_eq!(
            (late.booking_day, late.value_day),
            (Date(20_001), Date(20_000)),
            "interest is not concerned"
        );
        assert_eq!([payer.last_booking_day, payee.last_booking_day], [Some(Date(20_001)); 2]);
        let mut later = Transfer { booking_day: Date(20_003), ..transfer(200, Currency::EUR) };
        assert_eq!(days(later.apply(&mut payer, &mut payee).unwrap()), (Some(20_003), Some(20_003)));
        let mut bank = account(1, LedgerAccountKind::ClearingSettlement, 0);
        transfer(1, Currency::EUR).apply(&mut bank, &mut payee).unwrap();
        assert_eq!(bank.last_booking_day, None, "an account without a statement");
    }

    #[test]
    fn bank_account_gets_no_entry() {
        let mut clearing = account(1, LedgerAccountKind::ClearingSettlement, 0);
        let mut payee = account(2, LedgerAccountKind::Customer, 0);
        let (out, into) = transfer(200, Currency::EUR).apply(&mut clearing, &mut payee).unwrap();
        assert!(out.is_none() && into.is_some());
    }

    #[test]
    fn refused_transfer_changes_neither_account() {
        let mut payer = account(1, LedgerAccountKind::Customer, 100);
        let mut payee = account(2, LedgerAccountKind::Customer, i64::MAX);
        let before = (payer, payee);
        let refused = [(50, Currency::EUR), (200, Currency::EUR), (0, Currency::EUR), (50, Currency::JPY)]
            .map(|(minor, currency)| transfer(minor, currency).apply(&mut payer, &mut payee).unwrap_err());
        let expected = [
            LedgerError::Overflow,
            LedgerError::InsufficientFunds,
            LedgerError::AmountNotPositive,
            LedgerError::CurrenciesMixed,
        ];
        assert_eq!(refused, expected);
        assert_eq!((payer, payee), before);
        let mut dollars = LedgerAccount { currency: Currency::USD, ..payer };
        for currency in [Currency::EUR, Currency::USD] {
            let tried = [
                transfer(1, currency).apply(&mut dollars, &mut payee),
                transfer(1, currency).apply(&mut payee, &mut dollars),
            ];
            assert_eq!(tried, [Err(LedgerError::CurrenciesMixed); 2], "one side is in another currency");
        }
        assert_eq!(payee, before.1);
        // Accounts of the bank have no balance that refuses the amount a second time.
        let mut clearing = account(3, LedgerAccountKind::ClearingSettlement, 0);
        let mut transit = account(4, LedgerAccountKind::ClearingTransit, 0);
        for minor in [0, -1] {
            let refused = transfer(minor, Currency::EUR).apply(&mut clearing, &mut transit);
            assert_eq!(refused, Err(LedgerError::AmountNotPositive), "{minor}");
        }
        let mut same = payer;
        assert_eq!(transfer(1, Currency::EUR).apply(&mut payer, &mut same), Err(LedgerError::SameAccount));
    }
}
