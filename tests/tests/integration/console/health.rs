//! The page of the bank's health: figures of now, and graphs from samples that the bank has stored.

use rstest::rstest;
use trapeza_domain::health::{HealthFigure, HealthSample, SAMPLE_TTL};
use trapeza_domain::staff::StaffRole;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ConsoleUser, TestBank};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn graphs_have_the_samples_of_the_period_and_old_ones_are_deleted(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut auditor = ConsoleUser::enrol(&bank, StaffRole::Auditor, "auditor@bank.example").await;
    let page = auditor.browser.get("/console/health").await;
    assert!(page.status == 200 && page.says("There are no samples yet."), "{page:?}");
    let now = bank.app.clock().system_now();
    let earlier = |minutes| now.minus(TimeDelta::minutes(minutes));
    let sample = |at: Timestamp, value| HealthSample {
        process: uuid::Uuid::nil(),
        at,
        figure: HealthFigure::CallbacksDead,
        value,
    };
    let samples = [
        sample(now.minus(SAMPLE_TTL).minus(TimeDelta::minutes(1)), 99),
        sample(now.minus(TimeDelta::days(5)), 41),
        sample(earlier(10), 7),
        sample(earlier(5), 3),
    ];
    let insert = bank.app.store().write(move |tx| {
        for sample in &samples {
            tx.health_sample_insert(sample)?;
        }
        Ok(())
    });
    insert.await.unwrap();
    let metrics = "trapeza_callbacks_dead_messages 2\ntrapeza_sweep_lag_seconds 0\n";
    bank.app.health_record(metrics).await.unwrap();
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM health_sample WHERE value = 99"), 0, "too old");
    let page = auditor.browser.get("/console/health").await;
    assert!(page.says("now 2 messages, at most 7 messages"), "{page:?}");
    assert_eq!(page.html.matches("<polyline").count(), 2, "one line for each figure: {page:?}");
    let week = auditor.browser.get("/console/health?period=week").await;
    assert!(week.says("at most 41 messages"), "{week:?}");
}
