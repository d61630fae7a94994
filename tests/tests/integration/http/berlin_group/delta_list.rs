//! Delta lists: what was booked since the last list of this kind.

use super::{consented_client, iban, link, path, refusal};
use rstest::rstest;
use serde_json::Value;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

/// The path of the transactions of the customer's first account.
pub async fn transactions(bank: &TestBank, tpp: &ApiClient) -> String {
    let accounts = tpp.get(&path("/v1/accounts")).await;
    let list = accounts.body["accounts"].as_array().expect("accounts");
    let account = list.iter().find(|account| account["iban"] == *iban(bank, 0)).expect("the account");
    path(&format!("/v1/accounts/{}/transactions", account["resourceId"].as_str().expect("an id")))
}

fn booked(answer: &ApiResponse) -> Vec<&str> {
    assert_eq!(answer.status, 200, "{answer:?}");
    let list = answer.body["transactions"]["booked"].as_array().expect("booked");
    list.iter().filter_map(|entry| entry["transactionId"].as_str()).collect()
}

/// The answer to the link `next`.
async fn next(bank: &TestBank, tpp: &ApiClient, answer: &ApiResponse) -> ApiResponse {
    let lists = ApiResponse { body: answer.body["transactions"].clone(), ..answer.clone() };
    tpp.get(&link(bank, &lists, "next")).await
}

fn has_next(answer: &ApiResponse) -> bool {
    answer.body.pointer("/transactions/_links/next").is_some()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn delta_list_answers_what_came_after_the_last_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = consented_client(&bank, 0).await;
    let list = transactions(&bank, &tpp).await;
    let delta = format!("{list}?bookingStatus=both&deltaList=true");
    let all = tpp.get(&format!("{list}?bookingStatus=booked&dateFrom={}", bank.days_ago(90))).await;
    let first = tpp.get(&delta).await;
    assert_eq!(booked(&first), booked(&all), "the first list begins 90 days ago");
    assert!(booked(&tpp.get(&delta).await).is_empty(), "everything was delivered");

    bank.book_opening(iban(&bank, 0), 100).await;
    let pending = tpp.get(&format!("{list}?bookingStatus=pending&deltaList=true")).await;
    assert_eq!(pending.status, 200, "{pending:?}");
    let second = tpp.get(&delta).await;
    assert_eq!(booked(&second).len(), 1, "a list without booked transactions delivers none: {second:?}");
    assert!(booked(&tpp.get(&delta).await).is_empty());

    let both = tpp.get(&format!("{delta}&entryReferenceFrom={}", booked(&second)[0])).await;
    assert_eq!(refusal(&both), (400, "FORMAT_ERROR".to_owned()), "{both:?}");
    let dated = format!("{delta}&dateFrom={}", bank.days_ago(90));
    assert!(booked(&tpp.get(&dated).await).len() > 1, "dates go before deltaList");
    let other = consented_client(&bank, 0).await;
    assert!(booked(&other.get(&delta).await).len() > 1, "another consent has its own position");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn delta_list_with_pages_is_delivered_with_its_last_page(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = consented_client(&bank, 0).await;
    let list = transactions(&bank, &tpp).await;
    let delta = format!("{list}?bookingStatus=booked&deltaList=true");
    let expected = tpp.get(&format!("{list}?bookingStatus=booked&dateFrom={}", bank.days_ago(90))).await;
    let expected = booked(&expected).len();
    assert!(expected > 2, "the demo has entries");

    let half = format!("{delta}&limit={}", expected.div_ceil(2));
    let page = tpp.get(&half).await;
    assert!(has_next(&page), "{page:?}");
    let again = tpp.get(&half).await;
    assert_eq!(booked(&page), booked(&again), "nothing is delivered before the last page");
    // What is booked between two pages belongs to the next list; another reader does not shorten this one.
    bank.book_opening(iban(&bank, 0), 100).await;
    assert_eq!(booked(&tpp.get(&delta).await).len(), expected + 1, "another reader gets all of it");
    let last = next(&bank, &tpp, &page).await;
    assert!(!has_next(&last), "{last:?}");
    assert_eq!(booked(&page).len() + booked(&last).len(), expected);
    assert!(booked(&tpp.get(&delta).await).is_empty(), "the position never goes back");

    for minor in 1..=3 {
        bank.book_opening(iban(&bank, 0), minor).await;
    }
    let page = tpp.get(&format!("{delta}&limit=2")).await;
    let last = next(&bank, &tpp, &page).await;
    assert_eq!((booked(&page).len(), booked(&last).len()), (2, 1));
    assert!(booked(&tpp.get(&delta).await).is_empty());
    let forged = format!("{delta}&cursor={0}&deltaFrom={0}&deltaTo={0}", booked(&last)[0]);
    assert_eq!(refusal(&tpp.get(&forged).await), (400, "FORMAT_ERROR".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn all_lists_booked_pending_and_standing_orders(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    super::account_information::standing_order(&bank).await;
    let tpp = consented_client(&bank, 0).await;
    let list = transactions(&bank, &tpp).await;
    let all = tpp.get(&format!("{list}?bookingStatus=all&dateFrom={}&limit=1", bank.days_ago(60))).await;
    let lists = &all.body["transactions"];
    let lengths = |name: &str| lists[name].as_array().map(Vec::len);
    assert_eq!((lengths("booked"), lengths("information")), (Some(1), Some(1)), "{all:?}");
    assert!(lists["pending"].is_array(), "{all:?}");
    let next = next(&bank, &tpp, &all).await;
    assert_eq!(next.body["transactions"]["information"], Value::Array(Vec::new()), "once: {next:?}");
    let undated = tpp.get(&format!("{list}?bookingStatus=all")).await;
    assert_eq!(refusal(&undated), (400, "FORMAT_ERROR".to_owned()), "dateFrom is required: {undated:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn delta_list_that_begins_more_than_90_days_ago_requires_recent_sca(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = consented_client(&bank, 0).await;
    let list = transactions(&bank, &tpp).await;
    let delta = format!("{list}?bookingStatus=booked&deltaList=true");
    booked(&tpp.get(&delta).await);
    bank.book_opening(iban(&bank, 0), 100).await;
    bank.pass(TimeDelta::days(91)).await;
    let late = tpp.get(&delta).await;
    assert_eq!(refusal(&late), (401, "CONSENT_INVALID".to_owned()), "{late:?}");
    booked(&tpp.get(&format!("{list}?bookingStatus=booked&dateFrom={}", bank.days_ago(90))).await);
}
