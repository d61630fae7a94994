//! Termination by the third party.

use super::{access_order, audit_events, create, terminate_request};
use crate::fixture::refusal_at;
use rstest::rstest;
use trapeza_app::idempotency::IdempotentOutcome;
use trapeza_app::sca::ScaSettings;
use trapeza_domain::consent::{ConsentState, ConsentStatus};
use trapeza_domain::field::Field;
use trapeza_domain::refusal::RefusalReason;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::tpp_fixture;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn second_termination_changes_nothing(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let tpp = tpp_fixture::register(&app, "one").await;
    let made = create(&app, &tpp, 1, access_order(&app, 1)).await;
    let id = made.consent.id.to_string();
    let terminate = |request| app.consent_terminate(terminate_request(&app, &tpp, request, &id), &tpp, &id);
    assert_eq!(terminate(2).await, Ok(IdempotentOutcome::fresh(())));
    let ended = app.consent_find(&tpp, &id).await.unwrap().consent;
    assert_eq!(ended.state.status(), ConsentStatus::TerminatedByTpp);
    assert!(ended.last_action > made.consent.last_action);
    assert_eq!(terminate(3).await, Ok(IdempotentOutcome::fresh(())));
    assert_eq!(terminate(2).await, Ok(IdempotentOutcome::replayed(())));
    assert_eq!(app.consent_find(&tpp, &id).await.unwrap().consent, ended);
    assert_eq!(
        audit_events(&database),
        ["consent.created by application", "consent.terminated by application"]
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn idempotency_key_of_another_consent_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let tpp = tpp_fixture::register(&app, "one").await;
    let first = create(&app, &tpp, 1, access_order(&app, 1)).await.consent.id.to_string();
    let second = create(&app, &tpp, 2, access_order(&app, 1)).await.consent.id.to_string();
    app.consent_terminate(terminate_request(&app, &tpp, 3, &first), &tpp, &first).await.unwrap();
    let other = app.consent_terminate(terminate_request(&app, &tpp, 3, &second), &tpp, &second).await;
    assert_eq!(refusal_at(other), (RefusalReason::Inconsistent, Field::RequestId.into()));
    assert_eq!(app.consent_state(&tpp, &second).await.map(ConsentState::status), Ok(ConsentStatus::Received));
}
