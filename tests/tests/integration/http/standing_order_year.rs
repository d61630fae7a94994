//! A year of standing orders on a clock that moves from day to day.

use super::payment::{JONAS, balance, check_ledger, iban};
use super::scheduled_payment::{move_to, status};
use super::standing_order::{executions, ordered};
use rstest::rstest;
use trapeza_domain::payment::{ExecutionRule, Frequency, Months, StandingOrder};
use trapeza_domain::time::Date;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

/// Every frequency, and the end of the month before and after holidays.
fn orders(start: Date) -> Vec<StandingOrder> {
    let order = |frequency, rule, day| StandingOrder {
        frequency,
        start,
        end: Some(start.plus_months(12)),
        rule,
        day,
        months: match frequency {
            Frequency::MonthlyVariable => Months::of(&[3, 9]).unwrap(),
            _ => Months::default(),
        },
    };
    let every = Frequency::ALL.iter().map(|frequency| order(*frequency, ExecutionRule::Following, None));
    let month_ends = [ExecutionRule::Following, ExecutionRule::Preceding]
        .map(|rule| order(Frequency::Monthly, rule, Some(31)));
    every.chain(month_ends).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn year_of_standing_orders_is_executed_each_on_its_day_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let payer = iban(&bank, JONAS, 0);
    let before = balance(&bank, &payer).await;
    let start = Date(bank.app.clock().today().0 + 1);
    let mut planned = Vec::new();
    for terms in orders(start) {
        let days: Vec<Date> = (0..400).filter_map(|number| terms.execution_day(number)).collect();
        planned.push((ordered(&bank, 1, terms).await, days));
    }
    let all: usize = planned.iter().map(|(_, days)| days.len()).sum();
    assert!(all > 300, "{all}");
    // A few days more, because the last execution may follow a weekend.
    for day in (start.0..start.plus_months(12).0 + 8).map(Date) {
        move_to(&bank, day, 1).await;
        let due = planned.iter().flat_map(|(_, days)| days).filter(|planned| **planned <= day).count();
        let made = balance(&bank, &payer).await;
        assert_eq!(made.0, before.0 - i64::try_from(due).unwrap(), "the cents of {day:?}");
    }
    for (path, days) in &planned {
        let expected: Vec<_> =
            days.iter().zip(1..).map(|(day, number)| (number, *day, "ACCC".to_owned())).collect();
        assert_eq!(executions(&bank, path).await, expected, "{path}");
        assert_eq!(status(&bank, path).await, "ACSC", "{path}");
    }
    check_ledger(&bank).await;
}
