//! Lists of the bank's staff and of its customers read indexes: a page must not scan a table that grows with the bank.

use rstest::rstest;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{
    BLOCKED_SUBJECTS, ObjectRelation, PAYMENTS_OF_APP_POSTGRES, PAYMENTS_OF_APP_SQLITE, Param,
    REJECTED_PAYMENTS, STATEMENT_PAGES, SUBMITTED_PAYMENT, Store, UNSUBMITTED_PAYMENTS,
};
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

/// How the engine executes a query, one line per step. PostgreSQL scans a small table whatever indexes there are, unless it is
/// forbidden to.
async fn plan(store: &Store, engine: Engine, sql: &'static str, values: Vec<Value>) -> Vec<String> {
    let explain = match engine {
        Engine::Sqlite => "EXPLAIN QUERY PLAN ",
        Engine::Postgres => "EXPLAIN ",
    };
    let explained: &'static str = Box::leak(format!("{explain}{sql}").into_boxed_str());
    let read = store.read(move |tx| {
        let params: Vec<Param<'_>> = values.iter().map(Value::param).collect();
        if engine == Engine::Postgres {
            tx.execute("SET LOCAL enable_seqscan = off", &[])?;
            tx.execute("SET LOCAL enable_bitmapscan = off", &[])?;
        }
        Ok(tx.query(explained, &params, |row| {
            row.skip(if engine == Engine::Sqlite { 3 } else { 0 });
            row.read::<String>()
        })?)
    });
    read.await.unwrap()
}

#[derive(Clone)]
enum Value {
    Id,
    Text,
    Time,
    Day,
    Limit,
}

impl Value {
    fn param(&self) -> Param<'_> {
        match self {
            Self::Id => Uuid::from_u128(1).into(),
            Self::Text => "text".into(),
            Self::Time => Timestamp(1).into(),
            Self::Day => Date(1).into(),
            Self::Limit => 51_i64.into(),
        }
    }
}

/// Whether a step reads a whole table.
fn is_scan(step: &str) -> bool {
    step.starts_with("SCAN ") || step.contains("Seq Scan")
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn related_objects_are_found_by_an_index(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    for relation in ObjectRelation::ALL {
        let key = if relation.has_text_key() { Value::Text } else { Value::Id };
        let steps = plan(&store, engine, relation.query().1, vec![key, Value::Limit]).await;
        // A merchant has few applications, and so has the bank.
        let scans = *relation == ObjectRelation::MerchantApplications;
        assert_eq!(steps.iter().any(|step| is_scan(step)), scans, "{relation:?}: {steps:#?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn work_lists_read_indexes(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let store = database.open();
    for (query, index) in [
        (REJECTED_PAYMENTS, "payment_rejected_at"),
        (UNSUBMITTED_PAYMENTS, "payment_submit_at"),
        (BLOCKED_SUBJECTS, "sca_counter_blocked"),
    ] {
        let steps = plan(&store, engine, query, vec![Value::Time, Value::Limit]).await;
        assert!(steps.iter().any(|step| step.contains(index)), "{steps:#?}");
        assert!(
            !steps.iter().any(|step| step.contains("TEMP B-TREE") || step.contains("Sort")),
            "{steps:#?}"
        );
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_customers_read_indexes_in_order(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let store = database.open();
    let is_sorted = |steps: &[String]| {
        !steps.iter().any(|step| is_scan(step) || step.contains("TEMP B-TREE") || step.contains("Sort"))
    };
    let payments = match engine {
        Engine::Sqlite => PAYMENTS_OF_APP_SQLITE,
        Engine::Postgres => PAYMENTS_OF_APP_POSTGRES,
    };
    let steps = plan(&store, engine, payments, vec![Value::Text, Value::Id, Value::Limit]).await;
    assert!(is_sorted(&steps) && steps.iter().any(|step| step.contains("payment_of_app")), "{steps:#?}");
    let steps = plan(&store, engine, SUBMITTED_PAYMENT, vec![Value::Text]).await;
    assert!(is_sorted(&steps) && steps.iter().any(|step| step.contains("payment_submitted")), "{steps:#?}");
    for query in STATEMENT_PAGES {
        let values = vec![Value::Limit, Value::Day, Value::Day, Value::Limit, Value::Limit];
        let steps = plan(&store, engine, query, values).await;
        assert!(is_sorted(&steps), "{steps:#?}");
    }
}
