//! The days of standing orders: known calendars, and what holds for all terms.

use super::*;
use jiff::civil::{Date as Civil, date};
use proptest::prelude::*;

fn day(year: i16, month: i8, of_month: i8) -> Date {
    Date::from_civil(date(year, month, of_month))
}

fn order(frequency: Frequency, start: Date) -> StandingOrder {
    let months = match frequency {
        Frequency::MonthlyVariable => Months::of(&[3, 9]).unwrap(),
        _ => Months::default(),
    };
    StandingOrder { frequency, start, end: None, rule: ExecutionRule::Following, day: None, months }
}

fn days(order: &StandingOrder, count: u32) -> Vec<Civil> {
    (0..count).filter_map(|number| order.execution_day(number)).map(Date::to_civil).collect()
}

#[test]
fn month_end_is_kept_after_short_months() {
    let monthly = StandingOrder { day: Some(31), ..order(Frequency::Monthly, day(2027, 12, 1)) };
    assert_eq!(
        days(&monthly, 5),
        [date(2027, 12, 31), date(2028, 1, 31), date(2028, 2, 29), date(2028, 3, 31), date(2028, 5, 2)],
        "the end of April 2028 is a Sunday, followed by a holiday"
    );
    let by_start = order(Frequency::Monthly, day(2026, 1, 30));
    assert_eq!(days(&by_start, 3), [date(2026, 1, 30), date(2026, 3, 2), date(2026, 3, 30)]);
}

#[test]
fn first_execution_is_on_the_first_fitting_day_from_the_start() {
    let quarterly =
        |of_month| StandingOrder { day: Some(of_month), ..order(Frequency::Quarterly, day(2026, 11, 17)) };
    assert_eq!(days(&quarterly(15), 2), [date(2026, 12, 15), date(2027, 3, 15)]);
    assert_eq!(days(&quarterly(17), 2), [date(2026, 11, 17), date(2027, 2, 17)]);
    assert_eq!(days(&quarterly(18), 1), [date(2026, 11, 18)]);
}

#[test]
fn holiday_moves_an_execution_by_the_rule() {
    let good_friday = day(2027, 3, 26);
    let weekly = order(Frequency::Weekly, Date(good_friday.0 - 7));
    assert_eq!(days(&weekly, 3), [date(2027, 3, 19), date(2027, 3, 30), date(2027, 4, 2)]);
    let preceding = StandingOrder { rule: ExecutionRule::Preceding, ..weekly };
    assert_eq!(days(&preceding, 3), [date(2027, 3, 19), date(2027, 3, 25), date(2027, 4, 2)]);
    let from_holiday = StandingOrder { start: good_friday, ..preceding };
    assert_eq!(days(&from_holiday, 1), [date(2027, 3, 30)], "never before the start");
    let saturday = StandingOrder { day: Some(21), ..order(Frequency::Monthly, day(2026, 11, 20)) };
    let on_start = StandingOrder { rule: ExecutionRule::Preceding, ..saturday };
    assert_eq!(days(&on_start, 1), [date(2026, 11, 20)], "on the start");
}

#[test]
fn daily_order_is_executed_on_target_days_only() {
    let daily = order(Frequency::Daily, day(2026, 12, 23));
    assert_eq!(
        days(&daily, 5),
        [date(2026, 12, 23), date(2026, 12, 24), date(2026, 12, 28), date(2026, 12, 29), date(2026, 12, 30)]
    );
}

#[test]
fn chosen_months_are_executed_every_year() {
    let variable = StandingOrder { day: Some(31), ..order(Frequency::MonthlyVariable, day(2026, 4, 1)) };
    assert_eq!(days(&variable, 3), [date(2026, 9, 30), date(2027, 3, 31), date(2027, 9, 30)]);
}

#[test]
fn end_is_the_last_date_on_which_an_execution_may_be_due() {
    // 31 January 2027 is a Sunday: due in time, executed after it.
    let ending = |end| StandingOrder { end: Some(end), ..order(Frequency::Monthly, day(2026, 12, 31)) };
    assert_eq!(days(&ending(day(2027, 1, 31)), 9), [date(2026, 12, 31), date(2027, 2, 1)]);
    assert_eq!(days(&ending(day(2027, 1, 30)), 9), [date(2026, 12, 31)]);
}

#[test]
fn year_of_every_frequency_has_its_number_of_executions() {
    for (frequency, expected) in [
        (Frequency::Weekly, 53),
        (Frequency::EveryTwoWeeks, 27),
        (Frequency::Monthly, 12),
        (Frequency::EveryTwoMonths, 6),
        (Frequency::Quarterly, 4),
        (Frequency::SemiAnnual, 2),
        (Frequency::Annual, 1),
        (Frequency::MonthlyVariable, 2),
        // 261 days of 2027 are no weekend; New Year, Good Friday and Easter Monday fall on them.
        (Frequency::Daily, 258),
    ] {
        let year = StandingOrder { end: Some(day(2027, 12, 31)), ..order(frequency, day(2027, 1, 1)) };
        assert_eq!(days(&year, 400).len(), expected, "{frequency:?}");
    }
}

#[test]
fn parse_contradicting_fields_are_refused() {
    let fields = |frequency| StandingOrderFields {
        start: Some(day(2027, 1, 1)),
        frequency: Some(frequency),
        ..StandingOrderFields::default()
    };
    let faulty = |fields: StandingOrderFields| {
        let mut errors = FieldErrors::default();
        StandingOrder::parse(&fields, &mut errors);
        errors.finish().err().map(|refusal| refusal.errors[0].path.clone())
    };
    assert_eq!(faulty(fields(Frequency::Monthly)), None);
    let refused = [
        (StandingOrderFields { day: Some(0), ..fields(Frequency::Monthly) }, Field::DayOfExecution),
        (StandingOrderFields { day: Some(32), ..fields(Frequency::Monthly) }, Field::DayOfExecution),
        (StandingOrderFields { day: Some(1), ..fields(Frequency::Weekly) }, Field::DayOfExecution),
        (
            StandingOrderFields { months: Some(vec![1]), ..fields(Frequency::Monthly) },
            Field::MonthsOfExecution,
        ),
        (fields(Frequency::MonthlyVariable), Field::MonthsOfExecution),
        (
            StandingOrderFields { months: Some((1..=12).collect()), ..fields(Frequency::MonthlyVariable) },
            Field::MonthsOfExecution,
        ),
        (
            StandingOrderFields { months: Some(vec![3, 3]), ..fields(Frequency::MonthlyVariable) },
            Field::MonthsOfExecution,
        ),
        (StandingOrderFields { end: Some(day(2026, 12, 31)), ..fields(Frequency::Daily) }, Field::EndDate),
        (
            StandingOrderFields { end: Some(day(2027, 1, 30)), day: Some(31), ..fields(Frequency::Monthly) },
            Field::EndDate,
        ),
    ];
    for (fields, field) in refused {
        assert_eq!(faulty(fields.clone()), Some(field.into()), "{fields:?}");
    }
}

prop_compose! {
    fn any_order()(
        frequency in proptest::sample::select(Frequency::ALL),
        start in 20_000..60_000_i32,
        of_month in proptest::option::of(1..=31_u8),
        months in proptest::sample::subsequence((1..=12_u8).collect::<Vec<_>>(), 1..=11),
        is_preceding in any::<bool>(),
    ) -> StandingOrder {
        let is_variable = frequency == Frequency::MonthlyVariable;
        StandingOrder {
            frequency,
            start: Date(start),
            end: None,
            rule: if is_preceding { ExecutionRule::Preceding } else { ExecutionRule::Following },
            day: of_month.filter(|_| frequency.months().is_some()),
            months: if is_variable { Months::of(&months).unwrap() } else { Months::default() },
        }
    }
}

proptest! {
    #[test]
    fn execution_days_are_increasing_target_days_near_their_date(order in any_order()) {
        let mut before = Date(order.start.0 - 1);
        for number in 0..40 {
            let (due, executed) = (order.due_date(number), order.execution_day(number).unwrap());
            prop_assert!(is_target_day(executed) && executed > before && executed >= order.start);
            prop_assert!((executed.0 - due.0).abs() <= 5, "{:?} for {:?}", executed, due);
            before = executed;
        }
    }

    #[test]
    fn due_date_by_month_does_not_drift(order in any_order(), number in 0..200_u32) {
        prop_assume!(order.frequency.months().is_some());
        let due = order.due_date(number).to_civil();
        let of_month = order.day.map_or(order.start.to_civil().day(), |day| i8::try_from(day).unwrap());
        prop_assert_eq!(due.day(), of_month.min(due.days_in_month()));
        if order.frequency == Frequency::MonthlyVariable {
            prop_assert!(order.months.contains(u8::try_from(due.month()).unwrap()));
        }
    }

    #[test]
    fn months_survive_storage(months in proptest::sample::subsequence((1..=12_u8).collect::<Vec<_>>(), 0..=12)) {
        let set = Months::of(&months).unwrap();
        prop_assert_eq!(Months::from_bits(set.bits()), Some(set));
        prop_assert_eq!(set.numbers().collect::<Vec<_>>(), months);
    }
}
