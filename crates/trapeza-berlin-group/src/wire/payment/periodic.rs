//! Periodic payments: the terms of a standing order.

use crate::wire::consent::Day;
use crate::wire::request::request;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::format_date;
use trapeza_domain::payment::{ExecutionRule, Frequency, PaymentTiming, StandingOrder, StandingOrderFields};
use trapeza_http::extract::fields::Fields;

request! {
    /// The terms of a standing order.
    pub struct StandingOrderRequest<'a> {
        /// The first day, after today.
        #[schemars(extend("format" = "date"), with = "Option<String>")]
        required "startDate" => start_date: Day,
        /// The last day; without it the order ends by its cancellation.
        #[schemars(extend("format" = "date"), with = "Option<String>")]
        "endDate" => end_date: Day,
        /// Daily, Weekly, EveryTwoWeeks, Monthly, EveryTwoMonths, Quarterly, SemiAnnual, Annual or MonthlyVariable.
        required "frequency" => frequency: &'a str,
        /// The day of the month, "1" to "31"; "31" is always the last day.
        "dayOfExecution" => day_of_execution: &'a str,
        /// following or preceding: when it is executed whose day is not a banking day.
        #[schemars(extend("enum" = ["following", "preceding"]))]
        "executionRule" => execution_rule: &'a str,
    }
}

/// Reads the terms, or records the errors of their fields.
pub fn timing(fields: &Fields<'_>) -> Option<PaymentTiming> {
    let request = StandingOrderRequest::read(fields);
    let word = |name: &str, found: bool, text: &str| {
        if !found {
            fields.error(name, text.to_owned());
        }
    };
    let frequency = request.frequency.and_then(Frequency::parse);
    word(
        "frequency",
        frequency.is_some() || request.frequency.is_none(),
        "must be Daily, Weekly, EveryTwoWeeks, Monthly, EveryTwoMonths, Quarterly, SemiAnnual, Annual or MonthlyVariable",
    );
    let rule = request.execution_rule.and_then(ExecutionRule::parse);
    word(
        "executionRule",
        rule.is_some() || request.execution_rule.is_none(),
        "must be following or preceding",
    );
    let day = request.day_of_execution.and_then(|text| text.parse().ok());
    word(
        "dayOfExecution",
        day.is_some() || request.day_of_execution.is_none(),
        "must be a number from 1 to 31",
    );
    let texts = fields.opt_texts("monthsOfExecution");
    let months: Option<Vec<u8>> =
        texts.as_ref().and_then(|texts| texts.iter().map(|text| text.parse().ok()).collect());
    word("monthsOfExecution", months.is_some() || texts.is_none(), "must be a list of numbers from 1 to 12");
    let parts = StandingOrderFields {
        start: request.start_date.map(|Day(day)| day),
        end: request.end_date.map(|Day(day)| day),
        frequency,
        rule,
        day,
        months,
    };
    fields.validate(|errors| StandingOrder::parse(&parts, errors)).map(PaymentTiming::Standing)
}

/// The terms of a standing order.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StandingOrder")]
pub struct StandingOrderOut {
    #[schemars(extend("format" = "date"))]
    start_date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date"))]
    end_date: Option<String>,
    frequency: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    day_of_execution: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    months_of_execution: Vec<String>,
    execution_rule: &'static str,
}

impl From<StandingOrder> for StandingOrderOut {
    fn from(order: StandingOrder) -> Self {
        Self {
            start_date: format_date(order.start),
            end_date: order.end.map(format_date),
            frequency: order.frequency.name(),
            day_of_execution: order.day.map(|day| day.to_string()),
            months_of_execution: order.months.numbers().map(|month| month.to_string()).collect(),
            execution_rule: order.rule.name(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use trapeza_app::parse_date;
    use trapeza_domain::payment::Months;

    #[test]
    fn every_field_of_a_standing_order_has_its_name() {
        let order = StandingOrder {
            frequency: Frequency::MonthlyVariable,
            start: parse_date("2026-12-01").unwrap(),
            end: parse_date("2027-11-30"),
            rule: ExecutionRule::Preceding,
            day: Some(5),
            months: Months::of(&[3, 12]).unwrap(),
        };
        assert_eq!(
            serde_json::to_value(StandingOrderOut::from(order)).unwrap(),
            json!({
                "startDate": "2026-12-01",
                "endDate": "2027-11-30",
                "frequency": "MonthlyVariable",
                "dayOfExecution": "5",
                "monthsOfExecution": ["3", "12"],
                "executionRule": "preceding",
            })
        );
    }
}
