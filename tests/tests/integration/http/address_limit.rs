//! Limits by address, with two addresses: the failures of one never refuse the other.

use reqwest::StatusCode;
use rstest::rstest;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;

const KEY: &str = "Ocp-Apim-Subscription-Key";

fn client(address: &str) -> reqwest::Client {
    let builder = reqwest::Client::builder().local_address(address.parse::<std::net::IpAddr>().unwrap());
    builder.redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

async fn wrong_key(bank: &TestBank, client: &reqwest::Client) -> StatusCode {
    let merchant = bank.merchant(0);
    let request = client
        .get(format!("{}/configuration", bank.base_url))
        .header(KEY, "wrong")
        .header("X-Application-ID", merchant.header("X-Application-ID").unwrap());
    request.send().await.unwrap().status()
}

/// A sign-in on a page with a wrong password.
async fn wrong_password(bank: &TestBank, client: &reqwest::Client, place: &str, fields: &str) -> StatusCode {
    let page = client.get(format!("{}{place}", bank.base_url)).send().await.unwrap();
    let cookie = page.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let session = cookie.split_once('=').unwrap().1.to_owned();
    let body = format!("csrf={}&{fields}", bank.app.csrf_token(&session, place));
    let request = client
        .post(format!("{}{place}", bank.base_url))
        .header("cookie", cookie)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body);
    request.send().await.unwrap().status()
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_authentications_of_an_address_do_not_limit_another_one() {
    let bank = TestBank::with_options(Database::new(Engine::Sqlite), TestBankOptions::limited()).await;
    let (one, other) = (client("127.0.0.1"), client("127.0.0.2"));
    for _ in 0..10 {
        assert_eq!(wrong_key(&bank, &one).await, 401);
    }
    assert_eq!(wrong_key(&bank, &one).await, 429);
    // An address in a header that no trusted proxy sent changes nothing.
    let forwarded = one
        .get(format!("{}/configuration", bank.base_url))
        .header(KEY, "wrong")
        .header("X-Application-ID", bank.merchant(0).header("X-Application-ID").unwrap())
        .header("X-Forwarded-For", "192.0.2.7");
    assert_eq!(forwarded.send().await.unwrap().status(), 429);
    for _ in 0..10 {
        assert_eq!(wrong_key(&bank, &other).await, 401, "the other address has its own budget");
    }
    assert_eq!(wrong_key(&bank, &other).await, 429);
}

#[rstest]
#[case::app("/app", "step=sign-in&user=unknown&password=wrong")]
#[case::portal("/portal/sign-in", "email=unknown%40example.org&password=wrong&code=000000")]
#[case::console("/console/sign-in", "email=unknown%40example.org&password=wrong&code=000000")]
#[tokio::test(flavor = "multi_thread")]
async fn failed_sign_ins_of_an_address_do_not_limit_another_one(#[case] place: &str, #[case] fields: &str) {
    let bank = TestBank::with_options(Database::new(Engine::Sqlite), TestBankOptions::limited()).await;
    let (one, other) = (client("127.0.0.1"), client("127.0.0.2"));
    let mut statuses = Vec::new();
    while statuses.last() != Some(&StatusCode::TOO_MANY_REQUESTS) {
        statuses.push(wrong_password(&bank, &one, place, fields).await);
        assert!(statuses.len() < 30, "{place} is not limited: {statuses:?}");
    }
    assert!(statuses.len() > 2, "{place}: {statuses:?}");
    assert_ne!(wrong_password(&bank, &other, place, fields).await, 429, "{place}: the other address");
}
