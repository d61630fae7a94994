//! Loans as merchants see them (§2.6, §4.5).

use super::configuration::money;
use super::envelope::Empty;
use serde::Serialize;
use serde_json::Number;
use trapeza_app::loan::LoanView;
use trapeza_domain::loan::LoanStatus;
use trapeza_domain::money::Money;

#[derive(Serialize)]
pub struct Found<'a> {
    success: bool,
    data: Data<'a>,
    message: &'static str,
    errors: [&'static str; 0],
    metadata: Empty,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    pay_later_information: LoanOut<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LoanOut<'a> {
    bnpl_request_id: String,
    status: &'static str,
    order_identifier: &'a str,
    basket_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    approved_loan_amount: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refunded_amount: Option<Number>,
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
        bnpl_request_id: view.loan.id.to_string(),
        status: status.name(),
        order_identifier: &view.basket.order.order_identifier,
        basket_id: view.basket.public.to_string(),
        approved_loan_amount: (status == LoanStatus::Approved).then(|| money(view.loan.amount)),
        refunded_amount: refunded.is_positive().then(|| money(refunded)),
    };
    let data = Data { pay_later_information: loan };
    Found { success: true, data, message, errors: [], metadata: Empty {} }
}

/// The response to a simulated purchase.
#[derive(Serialize)]
pub struct Simulated {
    message: &'static str,
}

pub fn simulated(approved: bool) -> Simulated {
    Simulated { message: if approved { "The basket was approved." } else { "The basket was declined." } }
}
