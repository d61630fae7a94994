//! Creating consents: what is stored, idempotency, and who may see the result.

use super::{PAN, access_order, consent_unknown, create, create_request, stored_statuses, terminate_request};
use crate::fixture::refusal_at;
use rstest::rstest;
use trapeza_app::idempotency::IdempotentOutcome;
use trapeza_app::sca::ScaSettings;
use trapeza_app::{Keyring, StoreError, UseCaseError};
use trapeza_domain::consent::{Access, AccessConsentRequest, AccessLists, AccessOptions, ValidUntil};
use trapeza_domain::field::Field;
use trapeza_domain::money::Currency;
use trapeza_domain::reference::{
    AccountReference, Bban, Iban, Identifier, MaskedPan, Msisdn, Pan, StoredIdentifier,
};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::tpp_fixture::{self, ROOT_SECRET, clock_advance_without_sweep};
use uuid::Uuid;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_created_is_stored_without_card_numbers(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let tpp = tpp_fixture::register(&app, "one").await;
    let name = |identifier, currency| AccountReference { identifier, currency };
    let lists = AccessLists {
        accounts: vec![
            name(Identifier::Msisdn(Msisdn::parse("+306912345678").unwrap()), None),
            name(Identifier::Bban(Bban::parse("0110125000").unwrap()), None),
            name(Identifier::Iban(Iban::parse("GR1601101250000000012300695").unwrap()), Some(Currency::EUR)),
        ],
        balances: Vec::new(),
        transactions: vec![
            name(Identifier::Pan(Pan::parse(PAN).unwrap()), None),
            name(Identifier::MaskedPan(MaskedPan::parse("555555******4444").unwrap()), None),
        ],
    };
    let order = AccessConsentRequest {
        access: Access::Listed(lists),
        options: AccessOptions::default(),
        recurring: true,
        valid_until: ValidUntil::Date(app.clock().today()),
        frequency_per_day: 9,
        combined_service: true,
    };
    let made = create(&app, &tpp, 1, order).await;
    assert_eq!(made.terms.frequency_per_day, 4);
    assert_eq!(made.terms.end, app.clock().zone().end_of(app.clock().today()));
    assert_eq!(app.consent_find(&tpp, &made.consent.id.to_string()).await, Ok(made.clone()));
    let Access::Listed(lists) = made.terms.access else { panic!("the access is not a list") };
    let StoredIdentifier::Pan(card) = &lists.transactions[0].identifier else { panic!("not a card number") };
    assert_eq!(card.hash, Keyring::new(ROOT_SECRET).pan_hash(&Pan::parse(PAN).unwrap()));
    let values = app
        .store()
        .read(|tx| Ok(tx.query("SELECT value FROM consent_access", &[], |row| row.read::<String>())?));
    let values = values.await.unwrap();
    assert_eq!(values.len(), 5);
    assert!(values.iter().all(|value| !value.contains(PAN)), "a full card number was stored");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_request_is_replayed_after_its_terms_expired(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let tpp = tpp_fixture::register(&app, "one").await;
    let first = create(&app, &tpp, 1, access_order(&app, 1)).await;
    let id = first.consent.id.to_string();
    app.consent_terminate(terminate_request(&app, &tpp, 2, &id), &tpp, &id).await.unwrap();
    clock_advance_without_sweep(&app, TimeDelta::days(10)).await;
    // A new request with these terms would be refused, because their end has passed.
    let stale =
        AccessConsentRequest { valid_until: ValidUntil::Timestamp(first.terms.end), ..access_order(&app, 1) };
    let again =
        app.consent_create(create_request(&app, &tpp, 1, "{}"), &tpp, "anna".into(), stale.clone()).await;
    assert_eq!(again, Ok(IdempotentOutcome::replayed(first)));
    let fresh = app.consent_create(create_request(&app, &tpp, 3, "{}"), &tpp, "anna".into(), stale).await;
    assert_eq!(refusal_at(fresh), (RefusalReason::Malformed, Field::ValidUntil.into()));
    let other = app
        .consent_create(create_request(&app, &tpp, 1, "{ }"), &tpp, "anna".into(), access_order(&app, 1))
        .await;
    assert_eq!(refusal_at(other), (RefusalReason::Inconsistent, Field::RequestId.into()));
    assert_eq!(stored_statuses(&database), ["terminatedByTpp"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_create_one_consent(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let tpp = tpp_fixture::register(&app, "one").await;
    let mut jobs = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (app, tpp) = (app.clone(), tpp.clone());
        jobs.spawn(async move {
            loop {
                let order = access_order(&app, 1);
                match app
                    .consent_create(create_request(&app, &tpp, 1, "{}"), &tpp, "anna".into(), order)
                    .await
                {
                    Ok(answered) => return (answered.value.consent.id, answered.replayed),
                    // After many conflicts the caller must send the same request again.
                    Err(UseCaseError::Failed(StoreError::OutcomeUnknown(_))) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        });
    }
    let answers = jobs.join_all().await;
    assert!(answers.iter().all(|(id, _)| *id == answers[0].0), "{answers:?}");
    assert_eq!(answers.iter().filter(|(_, replayed)| !replayed).count(), 1);
    assert_eq!(stored_statuses(&database), ["received"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_of_another_tpp_or_kind_is_unknown(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = tpp_fixture::open(&database, ScaSettings::default()).await;
    let (owner, other) = (tpp_fixture::register(&app, "one").await, tpp_fixture::register(&app, "two").await);
    let id = create(&app, &owner, 1, access_order(&app, 1)).await.consent.id.to_string();
    for (tpp, id) in [(&other, id.as_str()), (&owner, "nonsense"), (&owner, &Uuid::from_u128(7).to_string())]
    {
        assert_eq!(refusal_at(app.consent_find(tpp, id).await), consent_unknown());
        assert_eq!(refusal_at(app.consent_state(tpp, id).await), consent_unknown());
        assert_eq!(
            refusal_at(app.consent_terminate(terminate_request(&app, tpp, 2, id), tpp, id).await),
            consent_unknown()
        );
    }
    // It is not found as a funds consent either.
    assert_eq!(refusal_at(app.funds_consent_find(&owner, &id).await), consent_unknown());
    assert_eq!(refusal_at(app.funds_consent_state(&owner, &id).await), consent_unknown());
    assert_eq!(
        refusal_at(app.funds_consent_terminate(terminate_request(&app, &owner, 2, &id), &owner, &id).await),
        consent_unknown()
    );
    assert_eq!(stored_statuses(&database), ["received"]);
}
