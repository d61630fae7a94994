//! Rejection and expiry by time, whether or not the sweep has run.

use super::{
    access_order, audit_events, authorise, consent_unknown, create, create_request, funds_order,
    stored_statuses, terminate_request,
};
use crate::fixture::refusal_at;
use rstest::rstest;
use trapeza_app::idempotency::IdempotentOutcome;
use trapeza_app::sca::ScaSettings;
use trapeza_domain::consent::{AccessConsentRequest, ConsentKind, ConsentState, ConsentStatus};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::tpp_fixture::{self, clock_advance_without_sweep};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unauthorised_for_a_day_is_rejected_before_and_after_the_sweep(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let tpp = tpp_fixture::register(&app, "one").await;
    let made = create(&app, &tpp, 1, access_order(&app, 90)).await;
    let id = made.consent.id.to_string();
    clock_advance_without_sweep(&app, TimeDelta::hours(23)).await;
    assert_eq!(app.consent_state(&tpp, &id).await.map(ConsentState::status), Ok(ConsentStatus::Received));
    assert_eq!(app.sweep(app.now()).await, Ok(0));
    clock_advance_without_sweep(&app, TimeDelta::hours(1)).await;
    assert_eq!(stored_statuses(&database), ["received"], "the sweep has not run");
    let seen = app.consent_find(&tpp, &id).await.unwrap();
    assert_eq!(seen.consent.state.status(), ConsentStatus::Rejected);
    assert_eq!(seen.consent.last_action, made.consent.created_at.plus(TimeDelta::hours(24)));
    assert_eq!(app.sweep(app.now()).await, Ok(1));
    assert_eq!(app.sweep(app.now()).await, Ok(0));
    assert_eq!(stored_statuses(&database), ["rejected"]);
    assert_eq!(app.consent_find(&tpp, &id).await, Ok(seen));
    assert_eq!(audit_events(&database), ["consent.created by application", "consent.rejected by bank"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn termination_of_an_overdue_consent_stores_its_rejection(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let tpp = tpp_fixture::register(&app, "one").await;
    let id = create(&app, &tpp, 1, access_order(&app, 90)).await.consent.id.to_string();
    clock_advance_without_sweep(&app, TimeDelta::days(2)).await;
    let ended = app.consent_terminate(terminate_request(&app, &tpp, 2, &id), &tpp, &id).await;
    assert_eq!(ended, Ok(IdempotentOutcome::fresh(())));
    assert_eq!(stored_statuses(&database), ["rejected"]);
    assert_eq!(audit_events(&database), ["consent.created by application", "consent.rejected by bank"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn valid_consent_expires_at_its_end(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let tpp = tpp_fixture::register(&app, "one").await;
    let long = create(&app, &tpp, 1, access_order(&app, 30)).await.consent.id;
    let once = AccessConsentRequest { recurring: false, frequency_per_day: 1, ..access_order(&app, 30) };
    let once = create(&app, &tpp, 2, once).await.consent.id;
    authorise(&app, &tpp, long, ConsentKind::Access).await;
    authorise(&app, &tpp, once, ConsentKind::Access).await;
    assert_eq!(stored_statuses(&database), ["valid", "valid"]);
    let (long, once) = (long.to_string(), once.to_string());
    app.clock_advance(TimeDelta::minutes(19)).await.unwrap();
    assert_eq!(app.consent_state(&tpp, &once).await.map(ConsentState::status), Ok(ConsentStatus::Valid));
    app.clock_advance(TimeDelta::minutes(1)).await.unwrap();
    assert_eq!(app.consent_state(&tpp, &once).await.map(ConsentState::status), Ok(ConsentStatus::Expired));
    assert_eq!(app.consent_state(&tpp, &long).await.map(ConsentState::status), Ok(ConsentStatus::Valid));
    assert_eq!(stored_statuses(&database), ["valid", "expired"], "advancing the clock runs the sweep");
    app.clock_advance(TimeDelta::days(30)).await.unwrap();
    assert_eq!(app.consent_state(&tpp, &long).await.map(ConsentState::status), Ok(ConsentStatus::Expired));
    assert_eq!(stored_statuses(&database), ["expired", "expired"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sweep_stores_all_due_consents_in_several_jobs(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let tpp = tpp_fixture::register(&app, "one").await;
    for request in 0..205 {
        create(&app, &tpp, request, access_order(&app, 90)).await;
    }
    clock_advance_without_sweep(&app, TimeDelta::days(1)).await;
    let recent = create(&app, &tpp, 1000, access_order(&app, 90)).await.consent.id.to_string();
    assert_eq!(app.sweep(app.now()).await, Ok(205));
    let states = stored_statuses(&database);
    assert_eq!(states.iter().filter(|state| *state == "rejected").count(), 205);
    assert_eq!(app.consent_state(&tpp, &recent).await.map(ConsentState::status), Ok(ConsentStatus::Received));
    let heads = app.store().audit_heads();
    let report = tokio::task::spawn_blocking(move || app.audit_verify(heads)).await.unwrap().unwrap();
    assert_eq!(report.findings, Vec::<String>::new());
    // One registration, 206 consents created, 205 rejected.
    assert_eq!(report.rows, 412);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn funds_consent_never_expires_and_can_be_terminated(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let tpp = tpp_fixture::register(&app, "one").await;
    let make = |request| {
        app.funds_consent_create(create_request(&app, &tpp, request, "f"), &tpp, "anna".into(), funds_order())
    };
    let first = make(1).await.unwrap();
    assert!(!first.replayed);
    assert_eq!(make(1).await, Ok(IdempotentOutcome::replayed(first.value.clone())));
    let id = first.value.consent.id;
    assert_eq!(app.funds_consent_find(&tpp, &id.to_string()).await, Ok(first.value.clone()));
    assert_eq!(first.value.terms.card_number.unwrap().masked.as_str(), "411111******1111");
    authorise(&app, &tpp, id, ConsentKind::Funds).await;
    let waiting = make(2).await.unwrap().value.consent.id.to_string();
    app.clock_advance(TimeDelta::days(3650)).await.unwrap();
    let id = id.to_string();
    assert_eq!(app.funds_consent_state(&tpp, &id).await.map(ConsentState::status), Ok(ConsentStatus::Valid));
    assert_eq!(
        app.funds_consent_state(&tpp, &waiting).await.map(ConsentState::status),
        Ok(ConsentStatus::Rejected)
    );
    assert_eq!(
        refusal_at(app.consent_find(&tpp, &id).await),
        consent_unknown(),
        "a funds consent is no access consent"
    );
    app.funds_consent_terminate(terminate_request(&app, &tpp, 3, &id), &tpp, &id).await.unwrap();
    assert_eq!(
        app.funds_consent_state(&tpp, &id).await.map(ConsentState::status),
        Ok(ConsentStatus::TerminatedByTpp)
    );
}
