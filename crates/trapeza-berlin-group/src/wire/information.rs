//! Standing orders of an account, as the list of transactions shows them.

use super::amount::Amount;
use super::payment::StandingOrderOut;
use super::reference::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_domain::money::Money;
use trapeza_domain::payment::Payment;

/// A standing order that will be executed again.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "StandingOrderTransaction", deny_unknown_fields)]
pub struct OrderOut<'a> {
    /// The amount of one execution; negative, since it will be debited.
    transaction_amount: Amount,
    #[schemars(length(max = 70))]
    creditor_name: &'a str,
    creditor_account: Reference<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 140))]
    remittance_information_unstructured: Option<&'a str>,
    /// PMNT-ICDT-STDO.
    bank_transaction_code: &'static str,
    additional_information_structured: Structured,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline, deny_unknown_fields)]
struct Structured {
    standing_order_details: StandingOrderOut,
}

impl<'a> OrderOut<'a> {
    pub fn list(orders: &'a [Payment]) -> Vec<Self> {
        orders.iter().filter_map(Self::of).collect()
    }

    fn of(order: &'a Payment) -> Option<Self> {
        let instruction = &order.instruction;
        let amount = Money::new(-instruction.amount.minor, instruction.amount.currency);
        Some(Self {
            transaction_amount: amount.into(),
            creditor_name: &instruction.creditor_name,
            creditor_account: Reference::of_iban(&instruction.creditor, instruction.creditor_currency),
            remittance_information_unstructured: instruction.remittance.as_deref(),
            bank_transaction_code: "PMNT-ICDT-STDO",
            additional_information_structured: Structured {
                standing_order_details: instruction.timing.standing_order()?.into(),
            },
        })
    }
}
