//! Loans as merchants see them (§2.6, §4.5).

use super::configuration::money;
use serde_json::{Value, json};
use trapeza_app::loan::LoanView;
use trapeza_domain::loan::LoanStatus;
use trapeza_domain::money::Money;

pub fn found(view: &LoanView) -> Value {
    let status = view.loan.state.status();
    let mut loan = json!({
        "bnplRequestId": view.loan.id.to_string(),
        "status": status.name(),
        "orderIdentifier": view.basket.order.order_identifier,
        "basketId": view.basket.public.to_string(),
    });
    if status == LoanStatus::Approved {
        loan["approvedLoanAmount"] = money(view.loan.amount);
    }
    let refunded = Money { minor: view.loan.state.refunded_minor(), ..view.loan.amount };
    if refunded.is_positive() {
        loan["refundedAmount"] = money(refunded);
    }
    let message = match status {
        LoanStatus::Pending => "The customer is at the checkout.",
        LoanStatus::Approved if refunded == view.loan.amount => "The loan was approved, and refunded whole.",
        LoanStatus::Approved if refunded.is_positive() => "The loan was approved, and refunded in part.",
        LoanStatus::Approved => "The loan was approved.",
        LoanStatus::Rejected => "The loan was rejected.",
    };
    json!({
        "success": true,
        "data": { "payLaterInformation": loan },
        "message": message,
        "errors": [],
        "metadata": {},
    })
}

/// The answer to a purchase that was only played.
pub fn simulated(good: bool) -> Value {
    let what = if good { "approved" } else { "declined" };
    json!({ "message": format!("The basket was {what}.") })
}
