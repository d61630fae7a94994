//! Payments that the bank executes later, together or at once, with their events.

use super::Scenario;
use crate::http::app_confirmation::pay;
use crate::http::berlin_group::account_information::standing_order;
use crate::http::berlin_group::bulk_payment::{self, INTERNAL, line};
use crate::http::berlin_group::iban;
use crate::http::berlin_group::instant_payment::{advance, authorised, payer, rounds};
use crate::http::berlin_group::signing_basket::some_basket;
use crate::http::page_forms::enrol;
use crate::http::payment::{ELENI, psu, tpp, unissued_iban};
use rstest::rstest;
use serde_json::json;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payments_of_every_kind_have_their_events(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(iban(&bank, 0), 500_000).await;
    let tpp_of_dialect = payer(&bank);
    let mut scenario = Scenario::begin(&bank);
    let good = line(1, iban(&bank, 1), "Jonas", "1.00");
    let lines = vec![good, line(2, &unissued_iban(&bank), "Niemand", "1.00")];
    bulk_payment::authorised(&bank, &tpp_of_dialect, INTERNAL, lines).await;
    scenario.step("bulk of two lines, authorised");
    bank.advance("PT31S").await;
    scenario.step("executed: one line is paid, one is rejected");
    for name in ["Anna Muster", "SILENT"] {
        authorised(&bank, &tpp_of_dialect, name).await;
        scenario.step(&format!("instant payment to {name}, authorised"));
        rounds(&bank).await;
        scenario.step("sent");
        advance(&bank, 31).await;
        rounds(&bank).await;
        scenario.step("past its deadline");
    }
    some_basket(&bank).await;
    scenario.step("payment, consent, signing basket of both, started");
    bank.pass(TimeDelta::seconds(31)).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, ELENI).await;
    scenario.step("device enrolled");
    bank.pass(TimeDelta::seconds(31)).await;
    pay(&bank, &mut browser, "1.00", 1).await;
    scenario.step("payment in the app, approved there");
    let (tpp, customer) = (tpp(&bank, ELENI), psu(&bank, ELENI).clone());
    for number in ["first", "second"] {
        let order = json!({
            "access": { "balances": [{ "iban": iban(&bank, 0) }] }, "recurringIndicator": true,
            "validUntil": "2099-12-31", "frequencyPerDay": 4,
        });
        let created = tpp.post("/v1/consents", &order).await;
        bank.pass(TimeDelta::seconds(31)).await;
        bank.authorise(&tpp, &format!("/v1/consents/{}", created.text("/consentId")), &customer).await;
        scenario.step(&format!("{number} recurring consent"));
    }
    bank.pass(TimeDelta::seconds(31)).await;
    standing_order(&bank).await;
    scenario.step("standing order");
    bank.advance("P8D").await;
    scenario.step("its first execution");
    insta::assert_snapshot!("payment", scenario.end().await);
}
