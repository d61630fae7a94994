//! `trapeza gen`: pages of the documentation that are made from the code. Hidden: `cargo xtask gen` is its only caller.

use crate::cli::Page;
use trapeza_api::docs::refusal;
use trapeza_domain::{basket, callback, consent, loan, payment};

pub fn run(page: Page) -> (String, bool) {
    let text = match page {
        Page::Refusals => refusal::table(),
        Page::StatesBasket => states("a basket", &basket::transition_table()),
        Page::StatesLoan => states("a loan", &loan::transition_table()),
        Page::StatesConsent => states("a consent", &consent::transition_table()),
        Page::StatesPayment => states("a payment", &payment::transition_table()),
        Page::StatesCallback => states("a callback", &callback::transition_table()),
    };
    (text, true)
}

fn states(of: &str, matrix: &str) -> String {
    format!(
        "# States of {of}\n\nA row a state, a column a command: the state it leads to, with what is noted in the audit log, or\n\
         the refusal. This page is printed from the code (`cargo xtask gen`).\n\n{matrix}"
    )
}
