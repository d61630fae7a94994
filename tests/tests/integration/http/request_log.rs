//! The request log of an application: what it contains, what it never contains, and its bounds.

use super::payment::{INTERNAL, JONAS, initiate, order, tpp};
use rstest::rstest;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use trapeza_app::request_log::{RequestFilter, RequestRecord, RequestSummary};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::TimeDelta;
use trapeza_http::request_log::flush;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

fn application(bank: &TestBank, number: usize) -> ApplicationId {
    ApplicationId::parse(bank.sandbox_file["tpps"][number]["client_id"].as_str().unwrap()).unwrap()
}

async fn list(bank: &TestBank, application: ApplicationId, filter: RequestFilter) -> Vec<RequestSummary> {
    flush(&bank.state).await.unwrap();
    bank.app.request_log_list(application, filter, 1_000).await.unwrap()
}

async fn records(bank: &TestBank, application: ApplicationId) -> Vec<RequestRecord> {
    let mut records = Vec::new();
    for summary in list(bank, application, RequestFilter::default()).await {
        records.push(bank.app.request_log_find(application, summary.id).await.unwrap().unwrap());
    }
    records
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn requests_are_logged_without_secrets(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (caller, own) = (tpp(&bank, JONAS), application(&bank, 0));
    let path = initiate(&caller, INTERNAL, &order(&bank, "1.00")).await;
    bank.authorise(&caller, &path, &bank.sandbox_file["psus"][JONAS]).await;
    let wrong = caller.get("/v1/accounts?planted=planted-in-the-query").await;
    assert_eq!(wrong.status, 400);

    let records = records(&bank, own).await;
    let text = format!("{records:?}");
    let sheet = &bank.sandbox_file["tpps"][0];
    let password = bank.sandbox_file["psus"][JONAS]["password"].as_str().unwrap();
    let otp = format!("\\\"{}\\\"", bank.sandbox_file["otp"].as_str().unwrap());
    let secrets = [
        sheet["subscription_key"].as_str().unwrap(),
        sheet["certificate"].as_str().unwrap(),
        password,
        &otp,
        "planted-in-the-query",
    ];
    for secret in secrets {
        assert!(!text.contains(secret), "{secret} is in the log");
    }
    let operations: Vec<_> = records.iter().map(|record| record.summary.operation.as_str()).collect();
    assert_eq!(operations.last(), Some(&"initiatePayment"), "{operations:?}");
    let (first, last) = (&records[records.len() - 1], &records[0]);
    assert_eq!((first.summary.status, first.summary.method.as_str()), (200, "POST"));
    assert!(first.request_body.as_ref().unwrap().contains("instructedAmount"));
    assert!(first.response_body.as_ref().unwrap().contains("transactionStatus"));
    assert_eq!((last.summary.status, last.summary.target.as_str()), (400, "/v1/accounts?***"));
    assert!(last.request_headers.contains("ocp-apim-subscription-key: ***\n"));
    assert_eq!(wrong.headers["x-correlation-id"], last.summary.correlation.to_string());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn log_belongs_to_the_application_of_the_key(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (own, foreign) = (application(&bank, 0), application(&bank, 1));
    let other_client = bank.tpp(0).with("ClientId", &foreign.to_string());
    assert_eq!(other_client.get("/v1/accounts").await.status, 401, "the client of another key");
    let unknown_key = bank.tpp(0).with("Ocp-Apim-Subscription-Key", "unknown");
    assert_eq!(unknown_key.get("/v1/accounts").await.status, 401);

    let logged = list(&bank, own, RequestFilter::default()).await;
    assert_eq!(logged.iter().map(|one| one.status).collect::<Vec<_>>(), [401], "{logged:?}");
    assert_eq!(list(&bank, foreign, RequestFilter::default()).await, []);
    assert_eq!(bank.app.request_log_find(foreign, logged[0].id).await.unwrap(), None);
    let found = bank.app.request_log_by_correlation(own, logged[0].correlation).await.unwrap();
    assert_eq!(found, logged);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn list_is_filtered_and_paged(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (caller, own) = (tpp(&bank, JONAS), application(&bank, 0));
    let consent = json!({ "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4 });
    for _ in 0..3 {
        assert_eq!(caller.post("/v1/consents", &consent).await.status, 201);
        assert_eq!(caller.get("/v1/accounts").await.status, 400);
    }
    let all = list(&bank, own, RequestFilter::default()).await;
    assert_eq!(all.len(), 6);
    assert!(all.is_sorted_by(|newer, older| newer.id > older.id), "{all:?}");
    let failed = RequestFilter { statuses: (400, 499), ..RequestFilter::default() };
    assert_eq!(list(&bank, own, failed).await.len(), 3);
    let created = RequestFilter { operation: "createConsent".into(), ..RequestFilter::default() };
    assert_eq!(list(&bank, own, created).await.len(), 3);
    let rest = RequestFilter { before: all[3].id, ..RequestFilter::default() };
    assert_eq!(list(&bank, own, rest).await, all[4..]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn log_is_bounded_by_rate_and_time(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (caller, own) = (tpp(&bank, JONAS), application(&bank, 0));
    let begun = Instant::now();
    let mut requests = JoinSet::new();
    for _ in 0..20 {
        let caller = caller.clone();
        requests.spawn(async move {
            for _ in 0..50 {
                assert_eq!(caller.get("/v1/accounts").await.status, 400);
            }
        });
    }
    requests.join_all().await;
    let logged = list(&bank, own, RequestFilter::default()).await.len();
    // 200 at once and 20 per second, however long the requests have taken.
    let allowed = 220.0 + 20.0 * begun.elapsed().as_secs_f64();
    assert!(logged >= 200 && f64::from(u32::try_from(logged).unwrap()) <= allowed, "{logged} of {allowed}");

    let week = TimeDelta::days(7);
    assert_eq!(bank.app.request_log_purge(week).await.unwrap(), 0);
    bank.advance("P8D").await;
    // The burst may have used up the rate; 200 milliseconds allow four more rows.
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(caller.get("/v1/accounts").await.status, 400);
    flush(&bank.state).await.unwrap();
    assert_eq!(bank.app.request_log_purge(week).await.unwrap(), logged);
    assert_eq!(list(&bank, own, RequestFilter::default()).await.len(), 1);
}
