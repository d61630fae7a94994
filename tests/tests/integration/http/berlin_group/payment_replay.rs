//! Repeated requests to create a payment.

use super::path;
use super::payment::{OTHER_BANK_IBAN, order, payer};
use rstest::rstest;
use serde_json::json;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

/// Each kind of creation has its own way to its idempotency record.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_with_one_id_create_one_payment(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values("explicit", "implicit", "with redirect URI", "dated")] kind: &str,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank).with("X-Request-ID", "99391c7e-ad88-49ec-a2ad-99ddcb1f7722");
    let mut order = order(&bank, OTHER_BANK_IBAN);
    let tpp = match kind {
        "implicit" => tpp.with("TPP-Explicit-Authorisation-Preferred", "false"),
        "with redirect URI" => tpp.with("TPP-Redirect-URI", "http://127.0.0.1:9090/back"),
        "dated" => {
            order["requestedExecutionDate"] = json!(bank.days_ago(-3));
            tpp
        }
        _ => tpp,
    };
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (tpp, order) = (tpp.clone(), order.clone());
        calls.spawn(async move {
            loop {
                let answer = tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order).await;
                if answer.status != 503 {
                    return answer;
                }
            }
        });
    }
    let answers = calls.join_all().await;
    for answer in &answers {
        assert_eq!((answer.status, &answer.body), (201, &answers[0].body), "{answer:?}");
    }
    let fresh = answers.iter().filter(|answer| !answer.headers.contains_key("idempotent-replay")).count();
    assert_eq!(fresh, 1, "one request created it");
    for (table, expected) in [
        ("SELECT COUNT(*) FROM payment", 1),
        ("SELECT COUNT(*) FROM audit_event WHERE action = 'payment.initiated'", 1),
        ("SELECT COUNT(*) FROM authorisation", i64::from(kind == "implicit")),
    ] {
        let count = bank.app.store().read(move |tx| Ok(tx.query_one(table, &[], |row| row.read::<i64>())?));
        assert_eq!(count.await.unwrap(), expected, "{table}");
    }
}
