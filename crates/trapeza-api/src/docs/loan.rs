//! Documentation of loans (§2.6, §4.5).

use super::NOW;
use super::basket::basket;
use super::content::value;
use super::content::{Doc, EMPTY, Payload};
use super::parameter::{
    API_VERSION, BASKET_ID, BASKET_NUMBER, IS_SUCCESS, ORDER_IDENTIFIER, SANDBOX_VERSION,
};
use super::schema::Schema::{self, Boolean, Enum, Formatted, Number, Text};
use super::schema::{Component, list, optional, required};
use crate::wire::loan as wire;
use trapeza_app::application::Plan;
use trapeza_app::loan::LoanView;
use trapeza_domain::id::LoanId;
use trapeza_domain::loan::{Contract, Loan, NewLoan};
use trapeza_domain::time::Date;

pub static SIMULATE: Doc = Doc {
    parameters: &[&BASKET_NUMBER, &IS_SUCCESS, &SANDBOX_VERSION],
    answer: Some(Payload::json(
        "The basket was decided.",
        || Schema::Object(vec![required("message", Text, "A description of the result.")]),
        || value(&wire::simulated(true)),
    )),
    ..EMPTY
};

pub static FETCH: Doc = Doc {
    parameters: &[&BASKET_ID, &ORDER_IDENTIFIER, &API_VERSION],
    answer: Some(Payload::json(
        "The loan. It exists once the shopper has opened the checkout.",
        || Schema::Component(&FOUND),
        || value(&wire::found(&view())),
    )),
    ..EMPTY
};

static LOAN: Component = Component {
    name: "Loan",
    description: "A loan as its merchant sees it, without its repayments.",
    schema: || {
        Schema::Object(vec![
            required("bnplRequestId", Formatted("uuid"), "The loan's id."),
            required("status", Enum(&["pending", "approved", "rejected"]), "The status."),
            optional("approvedLoanAmount", Number, "The approved amount."),
            optional("refundedAmount", Number, "The refunded amount."),
            required("orderIdentifier", Text, "Your identifier of the order."),
            required("basketId", Text, "The basket's publicBasketId."),
        ])
    },
};

static FOUND: Component = Component {
    name: "LoanFound",
    description: "A loan.",
    schema: || {
        let data = vec![required("payLaterInformation", Schema::Component(&LOAN), "The loan.")];
        Schema::Object(vec![
            required("success", Boolean, "True."),
            required("data", Schema::Object(data), "The result."),
            required("message", Text, "A description of the status."),
            required("errors", list(Schema::AnyObject), "Empty."),
            required("metadata", Schema::AnyObject, "Empty."),
        ])
    },
};

fn view() -> LoanView {
    let basket = basket();
    let id = LoanId::parse("3d1e7a52-5b0c-4f0e-8a3e-2f6c9b7d4e10").expect("the example is an id");
    let new = NewLoan {
        id,
        basket: basket.id,
        application: basket.application,
        merchant: basket.merchant,
        amount: basket.order.value,
        now: NOW,
    };
    let contract = Contract {
        plan: Plan { installments: 3, yearly_rate_bp: 0 },
        signed: Date(20_772),
        borrower: None,
        discount_minor: 300,
        schedule: Vec::new(),
    };
    let (basket, _) = basket.open(id, NOW).expect("a new basket can be opened");
    let (loan, _) = Loan::request(new).0.grant(contract, NOW).expect("a new loan can be granted");
    LoanView { loan, basket }
}
