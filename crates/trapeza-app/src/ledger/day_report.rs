//! The end-of-day report: balances, turnover, payments in and out, suspense, holds, payouts, and figures that must be equal and are not.

use crate::{App, StoreError, UseCaseError};
use std::collections::BTreeMap;
use trapeza_domain::field::Field;
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::Date;
use trapeza_store::{CountedSum, KindTotal, Tx};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayReport {
    pub day: Date,
    /// Opening and closing balance by kind of account and currency: the trial balance.
    pub kinds: Vec<KindTotal>,
    /// All transfers of the day by event.
    pub events: Vec<(LedgerEvent, CountedSum)>,
    /// What came in and went out through clearing, by event.
    pub received: Vec<(LedgerEvent, CountedSum)>,
    pub sent: Vec<(LedgerEvent, CountedSum)>,
    /// Payouts to merchants, and those that came back.
    pub payouts: Vec<(LedgerEvent, CountedSum)>,
    /// What is open now: only in the report of today, because the state of another day is not stored.
    pub open: Option<OpenItems>,
    pub differences: Vec<Difference>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenItems {
    /// Incoming transfers on the suspense account.
    pub suspended: Vec<CountedSum>,
    /// Manual postings to the suspense account that were not reversed.
    pub suspended_manually: Vec<CountedSum>,
    /// Amounts that are reserved on accounts.
    pub holds: Vec<CountedSum>,
}

/// Two figures that must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    pub name: &'static str,
    pub expected: Money,
    pub actual: Money,
}

impl App {
    /// The report of a day, from one snapshot. It reads the whole ledger.
    pub async fn ledger_day_report(&self, day: Date) -> Result<DayReport, UseCaseError> {
        let today = self.clock.today();
        if day > today {
            return Err(Refusal::malformed(Field::BookingDate, "must not be after today").into());
        }
        self.store.read(move |tx| Ok(report(tx, day, today)?)).await
    }
}

fn report(tx: &mut Tx<'_>, day: Date, today: Date) -> Result<DayReport, StoreError> {
    let kinds = tx.ledger_view_kinds(day)?;
    let open = match day == today {
        true => Some(OpenItems {
            suspended: tx.ledger_view_suspended()?,
            suspended_manually: tx.ledger_view_suspended_manually()?,
            holds: tx.ledger_view_holds()?,
        }),
        false => None,
    };
    let mut differences = Differences::default();
    for open in tx.ledger_view_batch_open(day)? {
        differences.expect("clearing in transit", open.currency, open.minor, 0);
    }
    for total in &kinds {
        differences.expect("sum of all accounts", total.currency, 0, total.closing_minor());
        if total.kind == LedgerAccountKind::ClearingTransit {
            differences.expect("clearing in transit", total.currency, 0, total.closing_minor());
        }
    }
    if let Some(open) = &open {
        let name = "suspense account and its transfers";
        for total in kinds.iter().filter(|total| total.kind == LedgerAccountKind::Suspense) {
            differences.expect(name, total.currency, 0, total.closing_minor());
        }
        let late = tx.ledger_view_late_instant()?;
        for CountedSum { sum, .. } in open.suspended.iter().chain(&open.suspended_manually).chain(&late) {
            differences.expect(name, sum.currency, sum.minor, 0);
        }
        let name = "held on accounts and holds";
        for CountedSum { sum, .. } in &open.holds {
            differences.expect(name, sum.currency, sum.minor, 0);
        }
        for held in tx.ledger_view_held()? {
            differences.expect(name, held.currency, 0, held.minor);
        }
    }
    Ok(DayReport {
        day,
        kinds,
        events: tx.ledger_view_events(day)?,
        received: tx.ledger_view_clearing(day, true)?,
        sent: tx.ledger_view_clearing(day, false)?,
        payouts: tx.ledger_view_payouts(day)?,
        open,
        differences: differences.unequal(),
    })
}

/// Adds up what must be equal, by name and currency.
#[derive(Default)]
struct Differences(BTreeMap<(&'static str, &'static str), (Currency, i64, i64)>);

impl Differences {
    fn expect(&mut self, name: &'static str, currency: Currency, expected: i64, actual: i64) {
        let sums = self.0.entry((name, currency.code())).or_insert((currency, 0, 0));
        sums.1 += expected;
        sums.2 += actual;
    }

    fn unequal(self) -> Vec<Difference> {
        let each = self.0.into_iter().filter(|(_, (_, expected, actual))| expected != actual);
        each.map(|((name, _), (currency, expected, actual))| Difference {
            name,
            expected: Money::new(expected, currency),
            actual: Money::new(actual, currency),
        })
        .collect()
    }
}
