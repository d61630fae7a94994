//! Documentation of loans (§2.6, §4.5).

use super::NOW;
use super::basket::basket;
use super::content::{Doc, EMPTY, Payload, value};
use super::parameter::{
    API_VERSION, BASKET_ID, BASKET_NUMBER, IS_SUCCESS, ORDER_IDENTIFIER, SANDBOX_VERSION,
};
use crate::wire::loan as wire;
use trapeza_app::application::Plan;
use trapeza_app::loan::LoanView;
use trapeza_domain::id::LoanId;
use trapeza_domain::loan::{Contract, Loan, NewLoan};
use trapeza_domain::time::Date;

pub static SIMULATE: Doc = Doc {
    parameters: &[&BASKET_NUMBER, &IS_SUCCESS, &SANDBOX_VERSION],
    response: Some(Payload::json::<wire::Simulated>("The basket was decided.", || {
        value(&wire::simulated(true))
    })),
    ..EMPTY
};

pub static GET: Doc = Doc {
    parameters: &[&BASKET_ID, &ORDER_IDENTIFIER, &API_VERSION],
    response: Some(Payload::json::<wire::Found<'_>>(
        "The loan. It exists once the shopper has opened the checkout.",
        || value(&wire::found(&view())),
    )),
    ..EMPTY
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
