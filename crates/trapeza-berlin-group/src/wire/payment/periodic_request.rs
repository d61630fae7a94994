//! The request of a periodic payment in the document.

use super::periodic::StandingOrderRequest;
use super::request::PaymentRequest;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};
use std::borrow::Cow;

/// What the document describes: the members of a payment and the terms of a standing order.
pub struct PeriodicPaymentRequest;

impl JsonSchema for PeriodicPaymentRequest {
    fn schema_name() -> Cow<'static, str> {
        "PeriodicPaymentRequest".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = PaymentRequest::json_schema(generator);
        let mut terms = StandingOrderRequest::json_schema(generator);
        schema.insert("description".to_owned(), json!("A standing order from a customer's account."));
        if let Some(Value::Object(members)) = schema.get_mut("properties") {
            // The terms say when it is executed.
            members.remove("requestedExecutionDate");
            if let Some(Value::Object(terms)) = terms.get_mut("properties") {
                members.append(terms);
            }
            let month = json!({ "type": "string", "pattern": "^([1-9]|1[0-2])$" });
            let text = "The months of a MonthlyVariable order.";
            let months = json!({ "type": "array", "items": month, "description": text });
            members.insert("monthsOfExecution".to_owned(), months);
        }
        if let (Some(Value::Array(required)), Some(Value::Array(of_terms))) =
            (schema.get_mut("required"), terms.get_mut("required"))
        {
            required.append(of_terms);
        }
        schema
    }
}
