//! What a new signing basket takes from its members: their customer, and how long they wait.

use super::payment::payer;
use super::signing_basket::{basket, consent, members, payment, status};
use super::{path, psu, refusal};
use rstest::rstest;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

const BASKETS: &str = "/v1/signing-baskets";

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn basket_has_the_customer_of_its_members(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let body = members(&[&payment(&bank, &tpp, "1.00").await], &[&consent(&bank, &tpp).await]);
    let other = tpp.clone().with("PSU-ID", psu(&bank, 1)["psu_id"].as_str().unwrap());
    let refused = other.post(&path(BASKETS), &body).await;
    assert_eq!(refusal(&refused), (400, "FORMAT_ERROR".to_owned()), "{refused:?}");
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM signing_basket"), 0);
    // A third party need not name the customer again.
    basket(&tpp.without("PSU-ID"), &body).await;
    let login = psu(&bank, 0)["psu_id"].as_str().unwrap();
    assert_eq!(bank.database.column("SELECT psu_login FROM signing_basket"), [login]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn basket_ends_with_the_member_that_ends_first(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let first = payment(&bank, &tpp, "1.00").await;
    bank.pass(TimeDelta::minutes(20 * 60)).await;
    let second = payment(&bank, &tpp, "2.00").await;
    let created = basket(&tpp, &members(&[&first, &second], &[])).await;
    bank.pass(TimeDelta::minutes(3 * 60)).await;
    assert_eq!(status(&bank, &tpp, &created).await, "RCVD");
    // The sweep is late.
    bank.pass(TimeDelta::minutes(60)).await;
    assert_eq!(status(&bank, &tpp, &created).await, "RJCT");
    assert_eq!(status(&bank, &tpp, &second).await, "RCVD", "the other member waits on its own");
}
