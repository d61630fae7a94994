//! The log of requests, on both engines: filters, and deletions that leave the rows of others.

use rstest::rstest;
use trapeza_domain::application::{Application, ApplicationOwner, MerchantUrls};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;
use trapeza_store::{ApplicationRecord, RequestFilter, RequestRecord, RequestSummary, Store};
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

const OTHER: ApplicationId = ApplicationId::new(Uuid::from_u128(7));

fn request(application: ApplicationId, number: u128, method: &str, status: i64) -> RequestRecord {
    RequestRecord {
        application,
        summary: RequestSummary {
            id: Uuid::from_u128(number),
            recorded_at: Timestamp(1),
            correlation: Uuid::from_u128(100 + number),
            operation: "createConsent".to_owned(),
            method: method.to_owned(),
            target: "/v1/consents".to_owned(),
            status,
            micros: 1,
        },
        request_headers: String::new(),
        request_body: None,
        response_headers: String::new(),
        response_body: None,
    }
}

/// Five requests of the bank's application and one of another.
async fn logged(database: &Database) -> Store {
    let store = database.open();
    let other = ApplicationRecord {
        application: Application {
            id: OTHER,
            owner: ApplicationOwner::ThirdParty,
            name: "other".to_owned(),
            sandbox: true,
        },
        created_at: Timestamp(1),
        urls: MerchantUrls::default(),
        disabled_at: None,
    };
    let inserted = store.write(move |tx| {
        tx.application_insert(&other)?;
        tx.request_log_insert(&request(OTHER, 2, "GET", 200))?;
        for (number, method, status) in
            [(1, "GET", 200), (2, "POST", 299), (3, "GET", 300), (4, "POST", 404), (5, "GET", 500)]
        {
            tx.request_log_insert(&request(ApplicationId::BANK, number, method, status))?;
        }
        Ok(())
    });
    inserted.await.unwrap();
    store
}

async fn listed(store: &Store, application: ApplicationId, filter: RequestFilter) -> Vec<u128> {
    let read = store.read(move |tx| Ok(tx.request_log_list(application, &filter, 10)?));
    read.await.unwrap().iter().map(|summary| summary.id.as_u128()).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn each_filter_bounds_the_list(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = logged(&database).await;
    let all = RequestFilter::default;
    for (filter, expected) in [
        (all(), vec![5, 4, 3, 2, 1]),
        (RequestFilter { since: Uuid::from_u128(2), ..all() }, vec![5, 4, 3, 2]),
        (RequestFilter { before: Uuid::from_u128(4), ..all() }, vec![3, 2, 1]),
        (RequestFilter { statuses: (200, 299), ..all() }, vec![2, 1]),
        (RequestFilter { statuses: (300, 404), ..all() }, vec![4, 3]),
        (RequestFilter { method: "POST".to_owned(), ..all() }, vec![4, 2]),
        (RequestFilter { operation: "getAccounts".to_owned(), ..all() }, vec![]),
    ] {
        assert_eq!(listed(&store, ApplicationId::BANK, filter.clone()).await, expected, "{filter:?}");
    }
    let found = store.read(|tx| Ok(tx.request_log_by_correlation(OTHER, Uuid::from_u128(101))?)).await;
    assert_eq!(found, Ok(vec![]), "the correlation id of another application's request");
    let found = store.read(|tx| Ok(tx.request_log_find(OTHER, Uuid::from_u128(5))?)).await;
    assert_eq!(found, Ok(None), "the request of another application");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn purge_deletes_up_to_an_id_and_only_of_its_application(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = logged(&database).await;
    let excess = async |rows: i64| {
        store.read(move |tx| Ok(tx.request_log_excess(ApplicationId::BANK, rows)?)).await.unwrap()
    };
    assert_eq!(excess(2).await, Some(Uuid::from_u128(3)), "two are newer");
    assert_eq!(excess(5).await, None);
    let purged =
        store.write(|tx| Ok(tx.request_log_purge(ApplicationId::BANK, Uuid::from_u128(3))?)).await.unwrap();
    assert_eq!(purged, 3);
    assert_eq!(listed(&store, ApplicationId::BANK, RequestFilter::default()).await, [5, 4]);
    assert_eq!(listed(&store, OTHER, RequestFilter::default()).await, [2]);
}
