//! Callbacks: enqueued in the transaction of their decision, claimed by one courier, attempted until delivered or dead, and
//! never delayed by another merchant's queue.

use rstest::rstest;
use std::sync::Arc;
use trapeza_app::application::MerchantUrls;
use trapeza_app::callback::{self, AttemptOutcome, DeliveryAttempt, EnqueueContext};
use trapeza_app::{App, UseCaseError};
use trapeza_domain::callback::{CallbackKind, CallbackState, CallbackStatus, MAX_ATTEMPTS};
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ledger_fixture, merchant_fixture};

const URL: &str = "https://shop.example/hook";
const LEASE: TimeDelta = TimeDelta::seconds(30);

async fn bank(database: &Database) -> Arc<App> {
    Arc::new(ledger_fixture::open_app(database.open()).await)
}

async fn claim(app: &App, limit: i64) -> Vec<DeliveryAttempt> {
    let applications = app.callback_due_applications().await.unwrap();
    app.callback_claim(applications.into_iter().map(|application| (application, limit)).collect(), LEASE)
        .await
        .unwrap()
}

async fn record(app: &App, attempts: &[DeliveryAttempt], outcome: AttemptOutcome) {
    let results = attempts.iter().map(|one| one.result(outcome)).collect();
    app.callback_record_attempts(Arc::new(results)).await.unwrap();
}

async fn state(app: &App, id: CallbackId) -> CallbackState {
    app.callback_detail(id).await.unwrap().record.callback.state
}

async fn count(app: &App) -> Vec<(CallbackStatus, i64)> {
    app.callback_count().await.unwrap()
}

async fn callback_url_set(app: &App, application: ApplicationId, url: &str) {
    let urls = MerchantUrls { success_callback: Some(url.to_owned()), ..MerchantUrls::default() };
    app.store().write(move |tx| Ok(tx.application_urls_set(application, &urls)?)).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn callback_of_a_rolled_back_decision_is_not_enqueued(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let id = CallbackId::new(app.entropy().uuid());
    let context = EnqueueContext { id, now: app.now(), trace: None, sandbox_system_time: None };
    let event = merchant_fixture::event(CallbackKind::Approved, 1);
    let refused: Result<(), UseCaseError> = app
        .store()
        .write(move |tx| {
            callback::enqueue(tx, application, &event, &context)?;
            Err(Refusal::new(RefusalReason::StatusInvalid, "the basket is already decided or expired").into())
        })
        .await;
    assert!(refused.is_err());
    assert_eq!(count(&app).await, [], "the decision was rolled back, and its callback with it");
    let ids = merchant_fixture::enqueue(&app, application, 1..2).await;
    assert!(matches!(state(&app, ids[0]).await, CallbackState::Waiting { failed: 0, .. }));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn merchant_without_a_callback_url_gets_no_callback(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, None).await;
    merchant_fixture::enqueue(&app, application, 1..3).await;
    assert_eq!(count(&app).await, []);
    // The success URL is not the failure URL.
    callback_url_set(&app, application, URL).await;
    let id = CallbackId::new(app.entropy().uuid());
    let context = EnqueueContext { id, now: app.now(), trace: None, sandbox_system_time: None };
    let declined = merchant_fixture::event(CallbackKind::Declined, 1);
    let enqueued = app
        .store()
        .write(move |tx| Ok(callback::enqueue(tx, application, &declined, &context)?))
        .await
        .unwrap();
    assert!(!enqueued);
    merchant_fixture::enqueue(&app, application, 3..4).await;
    assert_eq!(count(&app).await, [(CallbackStatus::Waiting, 1)]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_claims_return_each_callback_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let ids = merchant_fixture::enqueue(&app, application, 0..40).await;
    let (one, other) = tokio::join!(claim(&app, 30), claim(&app, 30));
    let mut claimed: Vec<CallbackId> = one.iter().chain(&other).map(|one| one.id).collect();
    // On PostgreSQL the second claim may skip rows that the first has locked and then leaves.
    claimed.extend(claim(&app, 30).await.iter().map(|one| one.id));
    claimed.sort();
    let mut ids = ids;
    ids.sort();
    assert_eq!(claimed, ids, "each callback is claimed once");
    assert!(claim(&app, 30).await.is_empty());
    assert!(app.callback_due_applications().await.unwrap().is_empty(), "no application is due any more");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn abandoned_claim_expires_by_the_system_clock(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    merchant_fixture::enqueue(&app, application, 0..1).await;
    assert_eq!(claim(&app, 1).await.len(), 1);
    app.clock_advance(TimeDelta::days(1)).await.unwrap();
    assert!(claim(&app, 1).await.is_empty(), "the lease does not follow the bank's clock");
    let ids = merchant_fixture::enqueue(&app, application, 1..2).await;
    let limits = vec![(application, 1)];
    for _ in 0..2 {
        let again = app.callback_claim(limits.clone(), TimeDelta(1)).await.unwrap();
        assert_eq!(again.iter().map(|one| one.id).collect::<Vec<_>>(), ids, "the lease has expired");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn claim_limit_applies_per_application(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (slow, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let (quick, _) = merchant_fixture::merchant(&app, 2, Some(URL)).await;
    merchant_fixture::enqueue(&app, slow, 0..90).await;
    let ids = merchant_fixture::enqueue(&app, quick, 90..91).await;
    let attempts = claim(&app, 5).await;
    assert_eq!(attempts.iter().filter(|one| one.application == slow).count(), 5);
    assert!(attempts.iter().any(|one| one.id == ids[0]));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn batch_of_attempts_records_each_outcome(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (mine, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let (other, _) = merchant_fixture::merchant(&app, 2, Some(URL)).await;
    merchant_fixture::enqueue(&app, mine, 0..90).await;
    merchant_fixture::enqueue(&app, other, 90..180).await;
    let attempts = claim(&app, 90).await;
    assert_eq!(attempts.len(), 180);
    let outcomes = [AttemptOutcome::Delivered, AttemptOutcome::Failed, AttemptOutcome::Gone];
    let results = attempts.iter().enumerate().map(|(index, one)| one.result(outcomes[index % 3]));
    // The first attempt is reported twice; the late failure changes nothing.
    let late = attempts[0].result(AttemptOutcome::Failed);
    app.callback_record_attempts(Arc::new(results.chain([late]).collect())).await.unwrap();
    let mut counted = count(&app).await;
    counted.sort_by_key(|(enqueued, _)| enqueued.name());
    assert_eq!(
        counted,
        [(CallbackStatus::Delivered, 60), (CallbackStatus::Disabled, 60), (CallbackStatus::Waiting, 60)]
    );
    assert!(matches!(state(&app, attempts[0].id).await, CallbackState::Delivered { .. }));
    assert_eq!(app.callback_detail(attempts[0].id).await.unwrap().attempts.len(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn delivered_callbacks_are_purged_after_retention_and_disabled_ones_stay(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    merchant_fixture::enqueue(&app, application, 0..120).await;
    let attempts = claim(&app, 120).await;
    record(&app, &attempts[..1], AttemptOutcome::Gone).await;
    app.clock_advance(TimeDelta::days(1)).await.unwrap();
    record(&app, &attempts[1..], AttemptOutcome::Delivered).await;
    // Retention starts at the delivery, not when the callback was enqueued.
    app.clock_advance(TimeDelta::hours(90 * 24 - 1)).await.unwrap();
    assert_eq!(count(&app).await, [(CallbackStatus::Delivered, 119), (CallbackStatus::Disabled, 1)]);
    app.clock_advance(TimeDelta::hours(1)).await.unwrap();
    assert_eq!(count(&app).await, [(CallbackStatus::Disabled, 1)]);
    let attempts_stored = database.number("SELECT COUNT(*) FROM callback_attempt");
    assert_eq!(attempts_stored, 1, "their attempts are deleted too");
    let purged = database.events("callback.purged");
    assert!(!purged.is_empty() && purged.iter().all(|event| event.ends_with(" by bank")), "{purged:?}");
    assert!(app.callback_detail(attempts[1].id).await.is_err());
    assert!(app.callback_detail(attempts[0].id).await.is_ok());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn callback_is_dead_after_twelve_failures_and_can_be_replayed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let id = merchant_fixture::enqueue(&app, application, 0..1).await[0];
    let mut bodies = Vec::new();
    for failed in 1..=MAX_ATTEMPTS {
        let attempts = claim(&app, 1).await;
        assert_eq!(attempts.len(), 1, "attempt {failed}");
        bodies.push(attempts[0].body.clone());
        record(&app, &attempts, AttemptOutcome::Failed).await;
        assert!(claim(&app, 1).await.is_empty(), "not before its time");
        if let CallbackState::Waiting { due, .. } = state(&app, id).await {
            app.clock_advance(due.since(app.now())).await.unwrap();
        }
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "every attempt sends the same bytes");
    assert!(matches!(state(&app, id).await, CallbackState::Dead { .. }));
    let dead = app.callback_list(CallbackStatus::Dead, 10).await.unwrap();
    assert_eq!(dead.iter().map(|record| record.callback.id).collect::<Vec<_>>(), [id]);
    let detail = app.callback_detail(id).await.unwrap();
    assert_eq!(
        detail.attempts.iter().map(|one| one.number).collect::<Vec<_>>(),
        (1..=12).collect::<Vec<_>>()
    );
    // Replayed, it has all its attempts again under the same id; only the latest 20 attempts are stored.
    assert_eq!(app.callback_replay_dead().await.unwrap(), 1);
    for _ in 0..MAX_ATTEMPTS {
        record(&app, &claim(&app, 1).await, AttemptOutcome::Failed).await;
        app.clock_advance(TimeDelta::days(2)).await.unwrap();
    }
    let detail = app.callback_detail(id).await.unwrap();
    assert_eq!((detail.attempts.len(), detail.attempts[0].number), (20, 5));
    app.callback_replay(id).await.unwrap();
    record(&app, &claim(&app, 1).await, AttemptOutcome::Delivered).await;
    assert!(matches!(state(&app, id).await, CallbackState::Delivered { .. }));
    assert!(app.callback_replay(id).await.is_err(), "a delivered callback cannot be replayed");
    assert_eq!(count(&app).await, [(CallbackStatus::Delivered, 1)]);
    for (action, actor) in [("callback.dead", "bank"), ("callback.replayed", "operator")] {
        assert_eq!(database.events(action), vec![format!("callback:{id} by {actor}"); 2], "{action}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn late_failure_of_an_expired_claim_changes_nothing(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let id = merchant_fixture::enqueue(&app, application, 0..1).await[0];
    let limits = vec![(application, 1)];
    let slow = app.callback_claim(limits.clone(), TimeDelta(1)).await.unwrap();
    let quick = app.callback_claim(limits.clone(), LEASE).await.unwrap();
    record(&app, &slow, AttemptOutcome::Failed).await;
    assert!(
        matches!(state(&app, id).await, CallbackState::Waiting { failed: 0, .. }),
        "its claim has expired"
    );
    record(&app, &quick, AttemptOutcome::Delivered).await;
    record(&app, &slow, AttemptOutcome::Gone).await;
    record(&app, &slow, AttemptOutcome::Delivered).await;
    assert!(matches!(state(&app, id).await, CallbackState::Delivered { .. }));
    assert_eq!(app.callback_detail(id).await.unwrap().attempts.len(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn two_attempts_of_one_callback_in_one_batch_are_both_evaluated(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let id = merchant_fixture::enqueue(&app, application, 0..1).await[0];
    let limits = vec![(application, 1)];
    let first = app.callback_claim(limits.clone(), TimeDelta(1)).await.unwrap();
    let second = app.callback_claim(limits, LEASE).await.unwrap();
    let results = vec![first[0].result(AttemptOutcome::Delivered), second[0].result(AttemptOutcome::Failed)];
    app.callback_record_attempts(Arc::new(results)).await.unwrap();
    assert!(matches!(state(&app, id).await, CallbackState::Delivered { .. }));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn corrected_url_and_new_secret_apply_to_the_next_attempt(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, first) = merchant_fixture::merchant(&app, 1, Some("https://shop.example/typo")).await;
    merchant_fixture::enqueue(&app, application, 0..1).await;
    let attempts = claim(&app, 1).await;
    assert_eq!(attempts[0].address.as_deref(), Some("https://shop.example/typo"));
    record(&app, &attempts, AttemptOutcome::Failed).await;
    callback_url_set(&app, application, URL).await;
    let second = app.webhook_secret_rotate(application).await.unwrap();
    assert!(app.webhook_secret_rotate(application).await.is_err(), "two at most");
    app.clock_advance(TimeDelta::seconds(6)).await.unwrap();
    let attempts = claim(&app, 1).await;
    assert_eq!(attempts[0].address.as_deref(), Some(URL));
    let secrets: Vec<String> = attempts[0].secrets.iter().map(|secret| secret.expose().clone()).collect();
    assert_eq!(secrets, [second.expose().clone(), first]);
    app.webhook_secret_retire(application).await.unwrap();
    assert!(app.webhook_secret_retire(application).await.is_err(), "there is no older secret");
    let left: Vec<String> = app
        .webhook_secrets(application)
        .await
        .unwrap()
        .iter()
        .map(|secret| secret.expose().clone())
        .collect();
    assert_eq!(left, [second.expose().clone()]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn callback_the_receiver_reports_gone_is_disabled_and_can_be_replayed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let id = merchant_fixture::enqueue(&app, application, 0..1).await[0];
    record(&app, &claim(&app, 1).await, AttemptOutcome::Gone).await;
    app.clock_advance(TimeDelta::days(3)).await.unwrap();
    assert!(claim(&app, 1).await.is_empty());
    assert_eq!(app.callback_list(CallbackStatus::Disabled, 10).await.unwrap().len(), 1);
    app.callback_replay(id).await.unwrap();
    assert_eq!(claim(&app, 1).await.len(), 1);
}
