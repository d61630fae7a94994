//! What a new signing basket takes from its members: their customer, and how long they wait.

use super::payment::payer;
use super::signing_basket::{basket, consent, members, payment, start, status};
use super::{consent_order, link, path, psu, refusal};
use rstest::rstest;
use serde_json::json;
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

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn start_of_a_basket_fails_the_authorisations_of_its_members(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let member = payment(&bank, &tpp, "1.00").await;
    let created = basket(&tpp, &members(&[&member], &[])).await;
    let alone = start(&bank, &tpp, &member).await;
    assert_eq!(alone.status, 201, "{alone:?}");
    assert_eq!(start(&bank, &tpp, &created).await.status, 201);
    let ended = tpp.get(&link(&bank, &alone, "scaStatus")).await;
    assert_eq!(ended.text("/scaStatus"), "failed", "the customer approves it with the others now");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_creation_has_one_basket(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank).with("X-Request-ID", "6f9619ff-8b86-4011-b42d-00cf4fc964ff");
    let body = members(&[&payment(&bank, &payer(&bank), "1.00").await], &[]);
    let first = basket(&tpp, &body).await;
    let again = tpp.post(&path(BASKETS), &body).await;
    let is_replay = again.headers.get("idempotent-replay").map(String::as_str);
    assert_eq!((again.status, is_replay), (201, Some("true")), "{again:?}");
    assert_eq!(again.text("/basketId"), first.text("/basketId"));
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM signing_basket"), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_whose_accounts_the_customer_chooses_is_no_member(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let offered = tpp.post(&path("/v1/consents"), &consent_order(json!({ "accounts": [] }))).await;
    assert_eq!(offered.status, 201, "{offered:?}");
    let refused = tpp.post(&path(BASKETS), &members(&[], &[&offered])).await;
    assert_eq!(refusal(&refused), (400, "REFERENCE_MIX_INVALID".to_owned()), "{refused:?}");
}
