//! One-time passwords: accepted once, for their own authorisation, in time, and never stored in plain text.

use crate::fixture::refusal_reason;
use rstest::rstest;
use std::sync::Arc;
use trapeza_app::sca::{ScaSettings, Step};
use trapeza_domain::authorisation::{NextStep, ScaStatus};
use trapeza_domain::consent::ConsentStatus;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{BERT_IBAN, PASSWORD, ScaBank, access_consent, strict, wrong_otp};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sandbox_otp_is_accepted_in_the_sandbox_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    let fixed = wrong_otp(&sent);
    assert_eq!(
        refusal_reason(bank.submit_otp(&consent, &id, &fixed).await),
        RefusalReason::CredentialsInvalid
    );
    let bank = bank.restart(&database, ScaSettings::sandbox(&fixed)).await;
    let end = bank.submit_otp(&consent, &id, &fixed).await.unwrap().value;
    assert_eq!(end.status, ScaStatus::Finalised);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn right_otp_submitted_concurrently_is_accepted_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = Arc::new(ScaBank::seed(&database, strict()).await);
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    assert_eq!(bank.submit_otp_concurrently(&consent, &id, &sent).await, 1);
    let finalised = "SELECT COUNT(*) FROM audit_event WHERE action = 'authorisation.finalised'";
    assert_eq!(database.number(finalised), 1);
    assert_eq!(database.number("SELECT COUNT(*) FROM audit_event WHERE action = 'consent.authorised'"), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn otp_of_another_authorisation_is_refused(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let (one, two) = (bank.consent("bert", BERT_IBAN).await, bank.consent("bert", BERT_IBAN).await);
    let (_, first) = bank.challenge(&one).await;
    let (id, second) = bank.challenge(&two).await;
    if first != second {
        assert_eq!(
            refusal_reason(bank.submit_otp(&two, &id, &first).await),
            RefusalReason::CredentialsInvalid
        );
    }
    // The keyed hash of one authorisation is not valid for another: the test copies it in the database.
    let moved = "UPDATE authorisation SET challenge_otp_hash = (SELECT a.challenge_otp_hash FROM authorisation a \
                 ORDER BY a.created_at LIMIT 1)";
    database.tamper(moved);
    for sent in [first, second] {
        assert_eq!(
            refusal_reason(bank.submit_otp(&two, &id, &sent).await),
            RefusalReason::CredentialsInvalid
        );
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn new_otp_invalidates_the_previous_one(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, old) = bank.challenge(&consent).await;
    let bert = bank.app.methods_for("bert").await.unwrap()[0].id.to_string();
    let resend = || bank.step(access_consent(&consent), &id, Step::Method(bert.clone()));
    assert_eq!(
        refusal_reason(resend().await),
        RefusalReason::RateExceeded,
        "30 seconds must pass between two OTPs"
    );
    bank.clock_advance(TimeDelta::seconds(31)).await;
    resend().await.unwrap();
    if bank.latest_otp().await != old {
        assert_eq!(
            refusal_reason(bank.submit_otp(&consent, &id, &old).await),
            RefusalReason::CredentialsInvalid
        );
    }
    for _ in 0..2 {
        bank.clock_advance(TimeDelta::seconds(31)).await;
        resend().await.unwrap();
    }
    bank.clock_advance(TimeDelta::seconds(31)).await;
    assert_eq!(refusal_reason(resend().await), RefusalReason::RateExceeded, "three OTPs can be sent again");
    assert_eq!(bank.app.messages().await.unwrap().len(), 4);
    let sent = bank.latest_otp().await;
    bank.submit_otp(&consent, &id, &sent).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn otp_expires_after_five_minutes_and_authorisation_after_fifteen(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    bank.clock_advance(TimeDelta::minutes(5)).await;
    assert_eq!(
        refusal_reason(bank.submit_otp(&consent, &id, &sent).await),
        RefusalReason::CredentialsInvalid
    );
    let view = bank.app.authorisation_find(&bank.tpp, access_consent(&consent), &id).await.unwrap();
    assert_eq!(view.next, [NextStep::SelectAuthenticationMethod]);
    bank.clock_advance(TimeDelta::minutes(10)).await;
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(database.column("SELECT status FROM authorisation"), ["scaMethodSelected"]);
    assert_eq!(bank.app.sweep(bank.app.now()).await, Ok(1));
    assert_eq!(database.column("SELECT status FROM authorisation"), ["failed"]);
    assert_eq!(bank.app.sweep(bank.app.now()).await, Ok(0));
    // An authorisation that starts late ends with its consent.
    bank.clock_advance(TimeDelta::minutes(23 * 60 + 40)).await;
    let late = bank.start(&consent, "bert").await;
    bank.clock_advance(TimeDelta::minutes(6)).await;
    assert_eq!(bank.sca_status(&consent, &late).await, ScaStatus::Failed);
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Rejected);
    assert_eq!(bank.app.sweep(bank.app.now()).await, Ok(1));
    assert_eq!(database.column("SELECT status FROM authorisation"), ["failed", "failed"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_not_stored_in_plain_text(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, ScaSettings::default()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let id = bank.start(&consent, "bert").await;
    bank.sign_in(&consent, &id).await;
    assert_eq!(
        refusal_reason(bank.submit_otp(&consent, &id, "918273").await),
        RefusalReason::CredentialsInvalid
    );
    let log = database.rows("SELECT object, detail FROM audit_event").concat().join("\n");
    for secret in [PASSWORD, "918273", BERT_IBAN, "bert", "+3069"] {
        assert!(!log.contains(secret), "{secret} is in the audit log");
    }
    let unsent = bank.app.store().read(|tx| Ok(tx.notification_unsent(10)?)).await.unwrap();
    let text = String::from_utf8_lossy(unsent[0].ciphertext.as_deref().unwrap()).into_owned();
    assert!(!text.contains("Best Pay"), "a message is encrypted");
    let (message, now) = (unsent[0].id, bank.app.now());
    bank.app.store().write(move |tx| Ok(tx.notification_mark_sent(message, now)?)).await.unwrap();
    assert_eq!(database.number("SELECT COUNT(*) FROM notification WHERE ciphertext IS NULL"), 1);
    assert!(bank.app.store().read(|tx| Ok(tx.notification_unsent(10)?)).await.unwrap().is_empty());
    let verified = tokio::task::spawn_blocking(move || bank.app.audit_verify(Vec::new())).await.unwrap();
    assert!(verified.is_ok());
}
