//! The terms of a standing order in words.

use crate::{Language, format};
use trapeza_domain::payment::{ExecutionRule, Frequency, StandingOrder};

/// How often and how long: `monthly from 31 January 2027 until 31 December 2027, on the last day of the month`.
pub fn terms(language: Language, order: &StandingOrder) -> String {
    let start = format::day(language, order.start);
    let end = order.end.map(|end| format::day(language, end));
    let often = often(language, order.frequency);
    let mut text = match (language, end) {
        (Language::English, Some(end)) => format!("{often} from {start} until {end}"),
        (Language::English, None) => format!("{often} from {start} until it is cancelled"),
        (Language::Greek, Some(end)) => format!("{often} από {start} έως {end}"),
        (Language::Greek, None) => format!("{often} από {start} μέχρι να ακυρωθεί"),
    };
    match (language, order.day) {
        (_, None) => {}
        (Language::English, Some(31)) => text.push_str(", on the last day of the month"),
        (Language::Greek, Some(31)) => text.push_str(", την τελευταία ημέρα του μήνα"),
        (Language::English, Some(day)) => text.push_str(&format!(", on day {day} of the month")),
        (Language::Greek, Some(day)) => text.push_str(&format!(", την {day}η ημέρα του μήνα")),
    }
    let months: Vec<&str> =
        order.months.numbers().map(|number| format::month_name(language, number)).collect();
    if !months.is_empty() {
        text.push_str(&format!(" ({})", months.join(", ")));
    }
    text
}

/// When an execution takes place that falls on a day on which banks do not settle payments.
pub const fn rule(language: Language, rule: ExecutionRule) -> &'static str {
    match (language, rule) {
        (Language::English, ExecutionRule::Following) => "the banking day after it",
        (Language::English, ExecutionRule::Preceding) => "the banking day before it",
        (Language::Greek, ExecutionRule::Following) => "την επόμενη εργάσιμη ημέρα",
        (Language::Greek, ExecutionRule::Preceding) => "την προηγούμενη εργάσιμη ημέρα",
    }
}

const fn often(language: Language, frequency: Frequency) -> &'static str {
    match (language, frequency) {
        (Language::English, Frequency::Daily) => "every banking day",
        (Language::English, Frequency::Weekly) => "every week",
        (Language::English, Frequency::EveryTwoWeeks) => "every two weeks",
        (Language::English, Frequency::Monthly) => "every month",
        (Language::English, Frequency::EveryTwoMonths) => "every two months",
        (Language::English, Frequency::Quarterly) => "every three months",
        (Language::English, Frequency::SemiAnnual) => "every six months",
        (Language::English, Frequency::Annual) => "every year",
        (Language::English, Frequency::MonthlyVariable) => "in certain months",
        (Language::Greek, Frequency::Daily) => "κάθε εργάσιμη ημέρα",
        (Language::Greek, Frequency::Weekly) => "κάθε εβδομάδα",
        (Language::Greek, Frequency::EveryTwoWeeks) => "κάθε δύο εβδομάδες",
        (Language::Greek, Frequency::Monthly) => "κάθε μήνα",
        (Language::Greek, Frequency::EveryTwoMonths) => "κάθε δύο μήνες",
        (Language::Greek, Frequency::Quarterly) => "κάθε τρεις μήνες",
        (Language::Greek, Frequency::SemiAnnual) => "κάθε έξι μήνες",
        (Language::Greek, Frequency::Annual) => "κάθε χρόνο",
        (Language::Greek, Frequency::MonthlyVariable) => "σε ορισμένους μήνες",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::payment::Months;
    use trapeza_domain::time::Date;

    #[test]
    fn terms_name_frequency_period_day_and_months() {
        let order = StandingOrder {
            frequency: Frequency::MonthlyVariable,
            start: Date(20_818),
            end: Some(Date(21_000)),
            rule: ExecutionRule::Following,
            day: Some(31),
            months: Months::of(&[3, 9]).unwrap(),
        };
        assert_eq!(
            terms(Language::English, &order),
            "in certain months from 31 December 2026 until 1 July 2027, on the last day of the month (March, September)"
        );
        for language in Language::ALL {
            let mut texts: Vec<String> = Frequency::ALL
                .iter()
                .map(|frequency| terms(language, &StandingOrder { frequency: *frequency, ..order }))
                .collect();
            texts.dedup();
            assert_eq!(texts.len(), Frequency::ALL.len(), "each frequency has its words");
        }
    }
}
