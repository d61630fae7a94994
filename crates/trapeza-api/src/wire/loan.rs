//! Loans as merchants see them (§2.6, §4.5).

use super::configuration::money;
use super::envelope::Empty;
use super::schema::one_of;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde_json::Number;
use trapeza_app::loan::LoanView;
use trapeza_domain::loan::LoanStatus;
use trapeza_domain::money::Money;
use uuid::Uuid;

/// A loan.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LoanFound")]
pub struct Found<'a> {
    /// True.
    success: bool,
    /// The result.
    data: Data<'a>,
    /// A description of the status.
    message: &'static str,
    /// Always empty.
    errors: [&'static str; 0],
    /// Always empty.
    metadata: Empty,
}

/// The result.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
struct Data<'a> {
    /// The loan.
    pay_later_information: LoanOut<'a>,
}

/// A loan as its merchant sees it, without its repayments.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Loan")]
struct LoanOut<'a> {
    /// The loan's id.
    bnpl_request_id: Uuid,
    /// The status.
    #[schemars(schema_with = "status_schema")]
    status: &'static str,
    /// Your identifier of the order.
    order_identifier: &'a str,
    /// The basket's publicBasketId.
    basket_id: String,
    /// The approved amount.
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_loan_amount: Option<Number>,
    /// The refunded amount.
    #[serde(skip_serializing_if = "Option::is_none")]
    refunded_amount: Option<Number>,
}

fn status_schema(_: &mut SchemaGenerator) -> Schema {
    one_of(LoanStatus::ALL.iter().map(|status| status.name()))
}

pub fn found(view: &LoanView) -> Found<'_> {
    let status = view.loan.state.status();
    let refunded = Money { minor: view.loan.state.refunded_minor(), ..view.loan.amount };
    let message = match status {
        LoanStatus::Pending => "The shopper is at the checkout.",
        LoanStatus::Approved if refunded == view.loan.amount => "The loan was approved and fully refunded.",
        LoanStatus::Approved if refunded.is_positive() => "The loan was approved and partially refunded.",
        LoanStatus::Approved => "The loan was approved.",
        LoanStatus::Rejected => "The loan was rejected.",
    };
    let loan = LoanOut {
        bnpl_request_id: view.loan.id.uuid(),
        status: status.name(),
        order_identifier: &view.basket.order.order_identifier,
        basket_id: view.basket.public.to_string(),
        approved_loan_amount: (status == LoanStatus::Approved).then(|| money(view.loan.amount)),
        refunded_amount: refunded.is_positive().then(|| money(refunded)),
    };
    let data = Data { pay_later_information: loan };
    Found { success: true, data, message, errors: [], metadata: Empty {} }
}

/// The result of a simulated purchase.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "LoanSimulated")]
pub struct Simulated {
    /// A description of the result.
    message: &'static str,
}

pub fn simulated(approved: bool) -> Simulated {
    Simulated { message: if approved { "The basket was approved." } else { "The basket was declined." } }
}
