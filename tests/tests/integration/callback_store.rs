//! Callbacks through the use cases and the store, the same on both engines: enqueued with their cause, claimed by one, tried
//! until they are taken or dead, and never behind another merchant's.

use rstest::rstest;
use std::sync::Arc;
use trapeza_app::application::MerchantUrls;
use trapeza_app::callback::{self, AttemptOutcome, DeliveryAttempt};
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
    Arc::new(ledger_fixture::open(database.open()).await)
}

async fn claim(app: &App, directory: i64) -> Vec<DeliveryAttempt> {
    let lanes = app.callback_due_applications().await.unwrap();
    app.callback_claim(lanes.into_iter().map(|lane| (lane, directory)).collect(), LEASE).await.unwrap()
}

async fn record(app: &App, attempts: &[DeliveryAttempt], verdict: AttemptOutcome) {
    let tried = attempts.iter().map(|one| one.result(verdict)).collect();
    app.callback_record_attempts(Arc::new(tried)).await.unwrap();
}

async fn state(app: &App, id: CallbackId) -> CallbackState {
    app.callback_detail(id).await.unwrap().record.callback.state
}

async fn count(app: &App) -> Vec<(CallbackStatus, i64)> {
    app.callback_count().await.unwrap()
}

async fn turn_to(app: &App, application: ApplicationId, url: &str) {
    let urls = MerchantUrls { success_callback: Some(url.to_owned()), ..MerchantUrls::default() };
    app.store().write(move |tx| Ok(tx.application_urls_set(application, &urls)?)).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn what_is_owed_goes_with_its_cause_or_not_at_all(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let (id, now) = (CallbackId::new(app.entropy().uuid()), app.now());
    let event = merchant_fixture::event(CallbackKind::Approved, 1);
    let refused: Result<(), UseCaseError> = app
        .store()
        .write(move |tx| {
            callback::enqueue(tx, application, &event, id, now)?;
            Err(Refusal::new(RefusalReason::StatusInvalid, "the basket is already decided or expired").into())
        })
        .await;
    assert!(refused.is_err());
    assert_eq!(count(&app).await, [], "the decision was undone, and so was the news of it");
    let ids = merchant_fixture::enqueue(&app, application, 1..2).await;
    assert!(matches!(state(&app, ids[0]).await, CallbackState::Waiting { failed: 0, .. }));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_merchant_without_an_address_is_owed_nothing(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, None).await;
    merchant_fixture::enqueue(&app, application, 1..3).await;
    assert_eq!(count(&app).await, []);
    // One address is not the other: declined baskets are reported elsewhere.
    turn_to(&app, application, URL).await;
    let (id, now, declined) = (
        CallbackId::new(app.entropy().uuid()),
        app.now(),
        merchant_fixture::event(CallbackKind::Declined, 1),
    );
    let enqueued = app
        .store()
        .write(move |tx| Ok(callback::enqueue(tx, application, &declined, id, now)?))
        .await
        .unwrap();
    assert!(!enqueued);
    merchant_fixture::enqueue(&app, application, 3..4).await;
    assert_eq!(count(&app).await, [(CallbackStatus::Waiting, 1)]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn of_two_couriers_only_one_has_a_callback_until_its_lease_ends(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let ids = merchant_fixture::enqueue(&app, application, 0..40).await;
    let (one, other) = tokio::join!(claim(&app, 30), claim(&app, 30));
    let mut claimed: Vec<CallbackId> = one.iter().chain(&other).map(|one| one.id).collect();
    // On PostgreSQL the second may find rows locked that the first then leaves.
    claimed.extend(claim(&app, 30).await.iter().map(|one| one.id));
    claimed.sort();
    let mut ids = ids;
    ids.sort();
    assert_eq!(claimed, ids, "each once");
    assert!(claim(&app, 30).await.is_empty());
    assert!(app.callback_due_applications().await.unwrap().is_empty(), "and no application is listed as due");
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
    assert!(claim(&app, 1).await.is_empty(), "moving the bank's clock sends nothing twice");
    let ids = merchant_fixture::enqueue(&app, application, 1..2).await;
    let directories = vec![(application, 1)];
    for _ in 0..2 {
        let again = app.callback_claim(directories.clone(), TimeDelta(1)).await.unwrap();
        assert_eq!(again.iter().map(|one| one.id).collect::<Vec<_>>(), ids, "over at once");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_long_lane_does_not_hold_another_s_callback_back(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
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
async fn of_one_batch_each_try_counts_as_if_it_were_alone(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (mine, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let (other, _) = merchant_fixture::merchant(&app, 2, Some(URL)).await;
    merchant_fixture::enqueue(&app, mine, 0..90).await;
    merchant_fixture::enqueue(&app, other, 90..180).await;
    let attempts = claim(&app, 90).await;
    assert_eq!(attempts.len(), 180);
    let verdicts = [AttemptOutcome::Delivered, AttemptOutcome::Failed, AttemptOutcome::Gone];
    let tried = attempts.iter().enumerate().map(|(index, one)| one.result(verdicts[index % 3]));
    // The first is reported twice: its failure is late, and changes nothing.
    let late = attempts[0].result(AttemptOutcome::Failed);
    app.callback_record_attempts(Arc::new(tried.chain([late]).collect())).await.unwrap();
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
async fn what_was_delivered_is_forgotten_in_time_and_what_is_dead_stays(
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
    // It counts from the delivery, not from when it was enqueued.
    app.clock_advance(TimeDelta::hours(90 * 24 - 1)).await.unwrap();
    assert_eq!(count(&app).await, [(CallbackStatus::Delivered, 119), (CallbackStatus::Disabled, 1)]);
    app.clock_advance(TimeDelta::hours(1)).await.unwrap();
    assert_eq!(count(&app).await, [(CallbackStatus::Disabled, 1)]);
    let left = app
        .store()
        .read(|tx| Ok(tx.query_one("SELECT COUNT(*) FROM callback_attempt", &[], |row| row.read::<i64>())?));
    assert_eq!(left.await.unwrap(), 1, "their attempts are gone too");
    assert!(app.callback_detail(attempts[1].id).await.is_err());
    assert!(app.callback_detail(attempts[0].id).await.is_ok());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_callback_is_tried_twelve_times_and_then_listed_as_dead(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let id = merchant_fixture::enqueue(&app, application, 0..1).await[0];
    let mut bodies = Vec::new();
    for failed in 1..=MAX_ATTEMPTS {
        let attempts = claim(&app, 1).await;
        assert_eq!(attempts.len(), 1, "try {failed}");
        bodies.push(attempts[0].body.clone());
        record(&app, &attempts, AttemptOutcome::Failed).await;
        assert!(claim(&app, 1).await.is_empty(), "not before its time");
        if let CallbackState::Waiting { due, .. } = state(&app, id).await {
            app.clock_advance(due.since(app.now())).await.unwrap();
        }
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "the same bytes on each try");
    assert!(matches!(state(&app, id).await, CallbackState::Dead { .. }));
    let dead = app.callback_list(CallbackStatus::Dead, 10).await.unwrap();
    assert_eq!(dead.iter().map(|record| record.callback.id).collect::<Vec<_>>(), [id]);
    let detail = app.callback_detail(id).await.unwrap();
    assert_eq!(
        detail.attempts.iter().map(|one| one.number).collect::<Vec<_>>(),
        (1..=12).collect::<Vec<_>>()
    );
    // Replayed, it has all its attempts again under the same id; the oldest of many are forgotten.
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
    assert!(app.callback_replay(id).await.is_err(), "what was delivered is done");
    assert_eq!(count(&app).await, [(CallbackStatus::Delivered, 1)]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_late_failure_does_not_undo_what_another_courier_delivered(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let id = merchant_fixture::enqueue(&app, application, 0..1).await[0];
    let directories = vec![(application, 1)];
    let slow = app.callback_claim(directories.clone(), TimeDelta(1)).await.unwrap();
    let quick = app.callback_claim(directories.clone(), LEASE).await.unwrap();
    record(&app, &slow, AttemptOutcome::Failed).await;
    assert!(
        matches!(state(&app, id).await, CallbackState::Waiting { failed: 0, .. }),
        "not its claim any more"
    );
    record(&app, &quick, AttemptOutcome::Delivered).await;
    record(&app, &slow, AttemptOutcome::Gone).await;
    record(&app, &slow, AttemptOutcome::Delivered).await;
    assert!(matches!(state(&app, id).await, CallbackState::Delivered { .. }));
    assert_eq!(app.callback_detail(id).await.unwrap().attempts.len(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn two_tries_of_one_callback_in_one_batch_are_both_looked_at(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, _) = merchant_fixture::merchant(&app, 1, Some(URL)).await;
    let id = merchant_fixture::enqueue(&app, application, 0..1).await[0];
    let directories = vec![(application, 1)];
    let first = app.callback_claim(directories.clone(), TimeDelta(1)).await.unwrap();
    let second = app.callback_claim(directories, LEASE).await.unwrap();
    let tried = vec![first[0].result(AttemptOutcome::Delivered), second[0].result(AttemptOutcome::Failed)];
    app.callback_record_attempts(Arc::new(tried)).await.unwrap();
    assert!(matches!(state(&app, id).await, CallbackState::Delivered { .. }));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_corrected_address_and_a_new_secret_count_from_the_next_try_on(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = bank(&database).await;
    let (application, first) = merchant_fixture::merchant(&app, 1, Some("https://shop.example/typo")).await;
    merchant_fixture::enqueue(&app, application, 0..1).await;
    let attempts = claim(&app, 1).await;
    assert_eq!(attempts[0].address.as_deref(), Some("https://shop.example/typo"));
    record(&app, &attempts, AttemptOutcome::Failed).await;
    turn_to(&app, application, URL).await;
    let second = app.webhook_secret_rotate(application).await.unwrap();
    assert!(app.webhook_secret_rotate(application).await.is_err(), "two at most");
    app.clock_advance(TimeDelta::seconds(6)).await.unwrap();
    let attempts = claim(&app, 1).await;
    assert_eq!(attempts[0].address.as_deref(), Some(URL));
    let secrets: Vec<String> = attempts[0].secrets.iter().map(|secret| secret.expose().clone()).collect();
    assert_eq!(secrets, [second.expose().clone(), first]);
    app.webhook_secret_retire(application).await.unwrap();
    assert!(app.webhook_secret_retire(application).await.is_err(), "there is no older one now");
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
async fn what_the_receiver_wants_no_more_is_turned_off_and_can_be_replayed(
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
