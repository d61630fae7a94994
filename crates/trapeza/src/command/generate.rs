//! `trapeza gen`: documentation pages that are generated from the code, for `cargo xtask gen`.

use crate::cli::Page;
use trapeza_api::docs::{DocVariant, refusal};
use trapeza_domain::{authorisation, basket, callback, consent, loan, payment, signing_basket, staff};

pub fn run(page: Page) -> (String, bool) {
    let text = match page {
        Page::Refusals => refusal::table(),
        Page::StatesAuthorisation => states("an authorisation (SCA)", &authorisation::transition_table()),
        Page::StatesBasket => states("a basket", &basket::transition_table()),
        Page::StatesLoan => states("a loan", &loan::transition_table()),
        Page::StatesConsent => states("a consent", &consent::transition_table()),
        Page::StatesPayment => states("a payment", &payment::transition_table()),
        Page::StatesSigningBasket => states("a signing basket", &signing_basket::transition_table()),
        Page::StatesCallback => states("a callback", &callback::transition_table()),
        Page::OpenapiBerlinGroup => {
            let variant = DocVariant::sandbox();
            format!("{:#}\n", trapeza_berlin_group::document(&variant.public_url, "/berlin-group"))
        }
        Page::StaffActions => staff_actions(&staff::action_table()),
    };
    (text, true)
}

fn staff_actions(table: &str) -> String {
    format!(
        "# Actions of the bank's staff\n\nWho may request an action and who may approve it, never the same person. See [staff](staff.md). This page is generated\n\
         from the code (`cargo xtask gen`).\n\n{table}"
    )
}

fn states(of: &str, table: &str) -> String {
    format!(
        "# State transitions of {of}\n\nOne row per state, one column per command: the resulting state with its audit event, or the\n\
         refusal. This page is generated from the code (`cargo xtask gen`).\n\n{table}"
    )
}
