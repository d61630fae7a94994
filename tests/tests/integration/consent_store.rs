//! Consents through the use cases and the store, the same on both engines: made once, shown to their owner only,
//! terminated by its third party or customer, overtaken by time whether or not a sweep has come by.

use rstest::rstest;
use std::sync::Arc;
use trapeza_app::application::TppOrder;
use trapeza_app::idempotency::{IdempotentRequest, Replayable, RequestIdentity};
use trapeza_app::keyring::KeyPurpose;
use trapeza_app::{App, Clock, Entropy, Keyring, StoreError, Tpp, UseCaseError, Zone};
use trapeza_domain::application::ParsedCertificate;
use trapeza_domain::consent::{
    Access, AccessConsent, AccessConsentRequest, AccessLists, ConsentKind, ConsentStatus,
    FundsConsentRequest, ValidUntil,
};
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::id::ConsentId;
use trapeza_domain::money::Currency;
use trapeza_domain::reference::{
    AccountReference, Bban, Iban, Identifier, MaskedPan, Msisdn, Pan, StoredIdentifier,
};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

const ROOT: [u8; 32] = [5; 32];
const PAN: &str = "4111111111111111";

async fn open(database: &Database) -> Arc<App> {
    let mut options = Database::options();
    options.audit_key = Keyring::new(ROOT).derive(KeyPurpose::Audit);
    let store = database.open_with(&options);
    let clock = Clock::load(&store, Zone::parse("Europe/Athens").unwrap()).await.unwrap();
    Arc::new(App::new(store, clock, Entropy::os(), Keyring::new(ROOT)))
}

async fn tpp(app: &App, name: &str) -> Tpp {
    let order = TppOrder { name: name.into(), certificates: Vec::new(), redirect_uris: Vec::new() };
    let application = app.tpp_register(order).await.unwrap().application;
    let certificate = ParsedCertificate {
        fingerprint: [0; 32],
        organisation: "PSDGR-BOG-1".into(),
        name: name.into(),
        roles: Vec::new(),
        not_before: Timestamp(0),
        not_after: Timestamp(i64::MAX),
    };
    Tpp { application, certificate: Arc::new(certificate) }
}

fn call(app: &App, tpp: &Tpp, request: u128, body: &str) -> IdempotentRequest {
    app.idempotent_request(&RequestIdentity {
        application: tpp.application,
        operation: "POST /v1/consents",
        request: Uuid::from_u128(request),
        field: Field::RequestId,
        path: "/v1/consents",
        psu: "anna",
        consent: "",
        body: body.as_bytes(),
    })
}

fn delete(app: &App, tpp: &Tpp, request: u128, id: &str) -> IdempotentRequest {
    app.idempotent_request(&RequestIdentity {
        application: tpp.application,
        operation: "DELETE /v1/consents/{consentId}",
        request: Uuid::from_u128(request),
        field: Field::RequestId,
        path: id,
        psu: "",
        consent: "",
        body: b"",
    })
}

fn order(app: &App, days: i64) -> AccessConsentRequest {
    AccessConsentRequest {
        access: Access::AllPsd2,
        recurring: true,
        valid_until: ValidUntil::Timestamp(app.now().plus(TimeDelta::days(days))),
        frequency_per_day: 4,
        combined_service: false,
    }
}

async fn create(app: &App, tpp: &Tpp, request: u128, order: AccessConsentRequest) -> AccessConsent {
    let made = app.consent_create(call(app, tpp, request, "{}"), tpp, "anna".into(), order).await.unwrap();
    assert!(!made.replayed);
    made.value
}

fn funds_order() -> FundsConsentRequest {
    FundsConsentRequest {
        account: AccountReference::iban(
            Iban::parse("GR1601101250000000012300695").unwrap(),
            Some(Currency::EUR),
        ),
        card_number: Some(Pan::parse(PAN).unwrap()),
        card_expiry: None,
        card_information: Some("Gold, Ελλάδα".into()),
        registration_information: None,
    }
}

/// What the authorisation of a consent does to it.
async fn authorise(app: &App, tpp: &Tpp, id: ConsentId, kind: ConsentKind) {
    let (application, now) = (tpp.application, app.now());
    let work = app.store().write(move |tx| {
        let consent = tx.consent_lock(application, id, kind)?.expect("it was made");
        let (consent, _) = consent.authorise(now)?;
        Ok(tx.consent_update(&consent)?)
    });
    work.await.unwrap();
}

/// Time passes, and no sweep comes by.
async fn pass(app: &App, span: TimeDelta) {
    app.store().write(move |tx| Ok(tx.clock_advance(span)?)).await.unwrap();
    app.clock().synchronise(app.store()).await.unwrap();
}

/// The states as the rows have them, whatever they are by now.
async fn rows(app: &App) -> Vec<String> {
    let read = app.store().read(|tx| {
        Ok(tx.query("SELECT status FROM consent ORDER BY created_at, status", &[], |row| {
            row.read::<String>()
        })?)
    });
    read.await.unwrap()
}

async fn audited(app: &App) -> Vec<String> {
    let sql = "SELECT actor, action FROM audit_event WHERE action <> 'application.registered'
               AND action <> 'clock.advanced' ORDER BY occurred_at, action";
    let read = app.store().read(move |tx| {
        Ok(tx.query(sql, &[], |row| {
            let actor = row.read::<String>()?;
            Ok(format!("{} by {}", row.read::<String>()?, actor.split(':').next().unwrap_or_default()))
        })?)
    });
    read.await.unwrap()
}

fn reason<T: std::fmt::Debug>(result: Result<T, UseCaseError>) -> (RefusalReason, FieldPath) {
    match result {
        Err(UseCaseError::Refused(refusal)) => (refusal.reason, refusal.errors[0].path.clone()),
        other => panic!("not refused: {other:?}"),
    }
}

fn unknown() -> (RefusalReason, FieldPath) {
    (RefusalReason::ConsentUnknown, Field::ConsentId.into())
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_consent_is_kept_as_it_was_granted(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let tpp = tpp(&app, "one").await;
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
        recurring: true,
        valid_until: ValidUntil::Date(app.clock().today()),
        frequency_per_day: 9,
        combined_service: true,
    };
    let made = create(&app, &tpp, 1, order).await;
    assert_eq!(made.terms.frequency_per_day, 4);
    assert_eq!(made.terms.end, app.clock().zone().end_of(app.clock().today()));
    assert_eq!(app.consent_find(&tpp, &made.consent.id.to_string()).await, Ok(made.clone()));
    let Access::Listed(kept) = made.terms.access else { panic!("the lists are gone") };
    let StoredIdentifier::Pan(card) = &kept.transactions[0].identifier else { panic!("no card") };
    assert_eq!(card.hash, Keyring::new(ROOT).pan_hash(&Pan::parse(PAN).unwrap()));
    let values = app
        .store()
        .read(|tx| Ok(tx.query("SELECT value FROM consent_access", &[], |row| row.read::<String>())?));
    let values = values.await.unwrap();
    assert_eq!(values.len(), 5);
    assert!(values.iter().all(|value| !value.contains(PAN)), "a whole card number was stored");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_call_is_answered_as_the_first_was(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let tpp = tpp(&app, "one").await;
    let first = create(&app, &tpp, 1, order(&app, 1)).await;
    let id = first.consent.id.to_string();
    app.consent_terminate(delete(&app, &tpp, 2, &id), &tpp, &id).await.unwrap();
    pass(&app, TimeDelta::days(10)).await;
    // By now the order itself would be refused: its end is past.
    let stale =
        AccessConsentRequest { valid_until: ValidUntil::Timestamp(first.terms.end), ..order(&app, 1) };
    let again = app.consent_create(call(&app, &tpp, 1, "{}"), &tpp, "anna".into(), stale.clone()).await;
    assert_eq!(again, Ok(Replayable::replayed(first)));
    let fresh = app.consent_create(call(&app, &tpp, 3, "{}"), &tpp, "anna".into(), stale).await;
    assert_eq!(reason(fresh), (RefusalReason::Malformed, Field::ValidUntil.into()));
    let other = app.consent_create(call(&app, &tpp, 1, "{ }"), &tpp, "anna".into(), order(&app, 1)).await;
    assert_eq!(reason(other), (RefusalReason::Inconsistent, Field::RequestId.into()));
    assert_eq!(rows(&app).await, ["terminatedByTpp"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn eight_calls_at_once_make_one_consent(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let tpp = tpp(&app, "one").await;
    let mut jobs = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (app, tpp) = (app.clone(), tpp.clone());
        jobs.spawn(async move {
            loop {
                let order = order(&app, 1);
                match app.consent_create(call(&app, &tpp, 1, "{}"), &tpp, "anna".into(), order).await {
                    Ok(answered) => return (answered.value.consent.id, answered.replayed),
                    // After many clashes a caller is reported to send the same id again.
                    Err(UseCaseError::Failed(StoreError::OutcomeUnknown(_))) => {}
                    Err(stop) => panic!("{stop}"),
                }
            }
        });
    }
    let answers = jobs.join_all().await;
    assert!(answers.iter().all(|(id, _)| *id == answers[0].0), "{answers:?}");
    assert_eq!(answers.iter().filter(|(_, replayed)| !replayed).count(), 1);
    assert_eq!(rows(&app).await, ["received"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn another_third_partys_consent_is_unknown(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let (owner, other) = (tpp(&app, "one").await, tpp(&app, "two").await);
    let id = create(&app, &owner, 1, order(&app, 1)).await.consent.id.to_string();
    for (tpp, id) in [(&other, id.as_str()), (&owner, "nonsense"), (&owner, &Uuid::from_u128(7).to_string())]
    {
        assert_eq!(reason(app.consent_find(tpp, id).await), unknown());
        assert_eq!(reason(app.consent_status(tpp, id).await), unknown());
        assert_eq!(reason(app.consent_terminate(delete(&app, tpp, 2, id), tpp, id).await), unknown());
    }
    // Nor is it a consent of the other kind.
    assert_eq!(reason(app.funds_consent_find(&owner, &id).await), unknown());
    assert_eq!(reason(app.funds_consent_status(&owner, &id).await), unknown());
    assert_eq!(
        reason(app.funds_consent_terminate(delete(&app, &owner, 2, &id), &owner, &id).await),
        unknown()
    );
    assert_eq!(rows(&app).await, ["received"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn terminating_twice_is_as_good_as_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let tpp = tpp(&app, "one").await;
    let made = create(&app, &tpp, 1, order(&app, 1)).await;
    let id = made.consent.id.to_string();
    let terminate = |request| app.consent_terminate(delete(&app, &tpp, request, &id), &tpp, &id);
    assert_eq!(terminate(2).await, Ok(Replayable::fresh(())));
    let ended = app.consent_find(&tpp, &id).await.unwrap().consent;
    assert_eq!(ended.state.status(), ConsentStatus::TerminatedByTpp);
    assert!(ended.last_action > made.consent.last_action);
    assert_eq!(terminate(3).await, Ok(Replayable::fresh(())));
    assert_eq!(terminate(2).await, Ok(Replayable::replayed(())));
    assert_eq!(app.consent_find(&tpp, &id).await.unwrap().consent, ended);
    assert_eq!(audited(&app).await, ["consent.created by application", "consent.terminated by application"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn one_request_id_ends_one_consent(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let tpp = tpp(&app, "one").await;
    let first = create(&app, &tpp, 1, order(&app, 1)).await.consent.id.to_string();
    let second = create(&app, &tpp, 2, order(&app, 1)).await.consent.id.to_string();
    app.consent_terminate(delete(&app, &tpp, 3, &first), &tpp, &first).await.unwrap();
    let other = app.consent_terminate(delete(&app, &tpp, 3, &second), &tpp, &second).await;
    assert_eq!(reason(other), (RefusalReason::Inconsistent, Field::RequestId.into()));
    assert_eq!(app.consent_status(&tpp, &second).await, Ok(ConsentStatus::Received));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unauthorised_for_a_day_is_rejected_before_and_after_the_sweep(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let tpp = tpp(&app, "one").await;
    let made = create(&app, &tpp, 1, order(&app, 90)).await;
    let id = made.consent.id.to_string();
    pass(&app, TimeDelta::hours(23)).await;
    assert_eq!(app.consent_status(&tpp, &id).await, Ok(ConsentStatus::Received));
    assert_eq!(app.sweep(app.now()).await, Ok(0));
    pass(&app, TimeDelta::hours(1)).await;
    assert_eq!(rows(&app).await, ["received"], "nothing has swept yet");
    let seen = app.consent_find(&tpp, &id).await.unwrap();
    assert_eq!(seen.consent.state.status(), ConsentStatus::Rejected);
    assert_eq!(seen.consent.last_action, made.consent.created_at.plus(TimeDelta::hours(24)));
    assert_eq!(app.sweep(app.now()).await, Ok(1));
    assert_eq!(app.sweep(app.now()).await, Ok(0));
    assert_eq!(rows(&app).await, ["rejected"]);
    assert_eq!(app.consent_find(&tpp, &id).await, Ok(seen));
    assert_eq!(audited(&app).await, ["consent.created by application", "consent.rejected by bank"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_write_that_finds_an_overdue_consent_moves_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let tpp = tpp(&app, "one").await;
    let id = create(&app, &tpp, 1, order(&app, 90)).await.consent.id.to_string();
    pass(&app, TimeDelta::days(2)).await;
    let ended = app.consent_terminate(delete(&app, &tpp, 2, &id), &tpp, &id).await;
    assert_eq!(ended, Ok(Replayable::fresh(())));
    assert_eq!(rows(&app).await, ["rejected"]);
    assert_eq!(audited(&app).await, ["consent.created by application", "consent.rejected by bank"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_valid_consent_expires_when_the_clock_passes_its_end(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let tpp = tpp(&app, "one").await;
    let long = create(&app, &tpp, 1, order(&app, 30)).await.consent.id;
    let once = AccessConsentRequest { recurring: false, frequency_per_day: 1, ..order(&app, 30) };
    let once = create(&app, &tpp, 2, once).await.consent.id;
    authorise(&app, &tpp, long, ConsentKind::Access).await;
    authorise(&app, &tpp, once, ConsentKind::Access).await;
    assert_eq!(rows(&app).await, ["valid", "valid"]);
    let (long, once) = (long.to_string(), once.to_string());
    app.clock_advance(TimeDelta::minutes(19)).await.unwrap();
    assert_eq!(app.consent_status(&tpp, &once).await, Ok(ConsentStatus::Valid));
    app.clock_advance(TimeDelta::minutes(1)).await.unwrap();
    assert_eq!(app.consent_status(&tpp, &once).await, Ok(ConsentStatus::Expired));
    assert_eq!(app.consent_status(&tpp, &long).await, Ok(ConsentStatus::Valid));
    assert_eq!(rows(&app).await, ["valid", "expired"], "the clock's move sweeps");
    app.clock_advance(TimeDelta::days(30)).await.unwrap();
    assert_eq!(app.consent_status(&tpp, &long).await, Ok(ConsentStatus::Expired));
    assert_eq!(rows(&app).await, ["expired", "expired"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_sweep_takes_all_that_is_due_in_several_jobs(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let tpp = tpp(&app, "one").await;
    for request in 0..205 {
        create(&app, &tpp, request, order(&app, 90)).await;
    }
    pass(&app, TimeDelta::days(1)).await;
    let kept = create(&app, &tpp, 1000, order(&app, 90)).await.consent.id.to_string();
    assert_eq!(app.sweep(app.now()).await, Ok(205));
    let states = rows(&app).await;
    assert_eq!(states.iter().filter(|state| *state == "rejected").count(), 205);
    assert_eq!(app.consent_status(&tpp, &kept).await, Ok(ConsentStatus::Received));
    let heads = app.store().audit_heads();
    let report = tokio::task::spawn_blocking(move || app.audit_verify(heads)).await.unwrap().unwrap();
    assert_eq!(report.findings, Vec::<String>::new());
    // One registration, 206 made, 205 rejected.
    assert_eq!(report.rows, 412);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_funds_consent_lives_until_it_is_ended(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = open(&database).await;
    let tpp = tpp(&app, "one").await;
    let make = |request| {
        app.funds_consent_create(call(&app, &tpp, request, "f"), &tpp, "anna".into(), funds_order())
    };
    let first = make(1).await.unwrap();
    assert!(!first.replayed);
    assert_eq!(make(1).await, Ok(Replayable::replayed(first.value.clone())));
    let id = first.value.consent.id;
    assert_eq!(app.funds_consent_find(&tpp, &id.to_string()).await, Ok(first.value.clone()));
    assert_eq!(first.value.terms.card_number.unwrap().masked.as_str(), "411111******1111");
    authorise(&app, &tpp, id, ConsentKind::Funds).await;
    let waiting = make(2).await.unwrap().value.consent.id.to_string();
    app.clock_advance(TimeDelta::days(3650)).await.unwrap();
    let id = id.to_string();
    assert_eq!(app.funds_consent_status(&tpp, &id).await, Ok(ConsentStatus::Valid));
    assert_eq!(app.funds_consent_status(&tpp, &waiting).await, Ok(ConsentStatus::Rejected));
    assert_eq!(reason(app.consent_find(&tpp, &id).await), unknown(), "it reads no accounts");
    app.funds_consent_terminate(delete(&app, &tpp, 3, &id), &tpp, &id).await.unwrap();
    assert_eq!(app.funds_consent_status(&tpp, &id).await, Ok(ConsentStatus::TerminatedByTpp));
}
