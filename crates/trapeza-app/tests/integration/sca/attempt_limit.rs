//! Limits on wrong passwords and OTPs, per challenge, per third party and per customer.

use crate::fixture::refusal_reason;
use rstest::rstest;
use std::sync::Arc;
use trapeza_app::sca::Step;
use trapeza_domain::authorisation::ScaStatus;
use trapeza_domain::consent::ConsentStatus;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{
    BERT_IBAN, PASSWORD, ScaBank, access_consent, password, strict, wrong_otp,
};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_wrong_otps_count_three_per_challenge_and_five_block(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = Arc::new(ScaBank::seed(&database, strict()).await);
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    assert_eq!(bank.submit_otp_concurrently(&consent, &id, &wrong_otp(&sent)).await, 0);
    assert_eq!(database.number("SELECT challenge_attempts FROM authorisation"), 3);
    assert_eq!(database.number("SELECT failures FROM sca_counter WHERE kind = 'otp'"), 3);
    assert_eq!(
        refusal_reason(bank.submit_otp(&consent, &id, &sent).await),
        RefusalReason::CredentialsInvalid
    );
    bank.clock_advance(TimeDelta::seconds(31)).await;
    let bert = bank.app.methods_for("bert").await.unwrap()[0].id.to_string();
    bank.step(access_consent(&consent), &id, Step::Method(bert.clone())).await.unwrap();
    let sent = bank.latest_otp().await;
    assert_eq!(bank.submit_otp_concurrently(&consent, &id, &wrong_otp(&sent)).await, 0);
    assert_eq!(database.number("SELECT failures FROM sca_counter WHERE kind = 'otp'"), 5);
    let wrong = "SELECT COUNT(*) FROM audit_event WHERE action = 'authorisation.otp_wrong'";
    assert_eq!(database.number(wrong), 5);
    // Counters survive a restart and a new OTP, and the right OTP is not evaluated while blocked.
    let bank = bank.restart(&database, strict()).await;
    bank.clock_advance(TimeDelta::seconds(31)).await;
    bank.step(access_consent(&consent), &id, Step::Method(bert)).await.unwrap();
    let sent = bank.latest_otp().await;
    assert_eq!(
        refusal_reason(bank.submit_otp(&consent, &id, &sent).await),
        RefusalReason::CredentialsInvalid
    );
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Received);
    bank.clock_advance(TimeDelta::minutes(15)).await;
    let (id, sent) = bank.challenge(&consent).await;
    bank.submit_otp(&consent, &id, &sent).await.unwrap();
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Valid);
    assert_eq!(database.number("SELECT COUNT(*) FROM sca_counter WHERE kind = 'otp'"), 0);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn twenty_failures_in_a_day_block_every_tpp(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    for name in ["A", "B", "C", "D"] {
        let bank = bank.with_new_tpp(name).await;
        let consent = bank.consent("bert", BERT_IBAN).await;
        for attempts in [3, 2] {
            let (id, sent) = bank.challenge(&consent).await;
            for _ in 0..attempts {
                let wrong = bank.submit_otp(&consent, &id, &wrong_otp(&sent)).await;
                assert_eq!(refusal_reason(wrong), RefusalReason::CredentialsInvalid);
            }
        }
    }
    // This third party never failed and is blocked too, for 24 hours.
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    assert_eq!(
        refusal_reason(bank.submit_otp(&consent, &id, &sent).await),
        RefusalReason::CredentialsInvalid
    );
    bank.clock_advance(TimeDelta::hours(24)).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    bank.submit_otp(&consent, &id, &sent).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_passwords_delay_longer_and_ten_block(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let mut id = bank.start(&consent, "bert").await;
    for n in 0..10 {
        let wrong = bank.step(access_consent(&consent), &id, password("wrong")).await;
        assert_eq!(refusal_reason(wrong), RefusalReason::CredentialsInvalid);
        // The delays together are longer than one authorisation lasts.
        bank.clock_advance(TimeDelta::seconds(1 << n)).await;
        id = bank.start(&consent, "bert").await;
    }
    let blocked = bank.step(access_consent(&consent), &id, password(PASSWORD)).await;
    assert_eq!(refusal_reason(blocked), RefusalReason::CredentialsInvalid);
    let other_tpp = bank.with_new_tpp("Other").await;
    other_tpp.challenge(&other_tpp.consent("bert", BERT_IBAN).await).await;
    bank.clock_advance(TimeDelta::minutes(15)).await;
    bank.challenge(&consent).await;
    assert_eq!(database.number("SELECT CAST(COALESCE(SUM(failures), 0) AS BIGINT) FROM sca_counter"), 0);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn right_password_after_a_wrong_one_is_delayed_and_accepted(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let id = bank.start(&consent, "bert").await;
    let wrong = bank.step(access_consent(&consent), &id, password("wrong")).await;
    assert_eq!(refusal_reason(wrong), RefusalReason::CredentialsInvalid);
    assert_eq!(bank.sign_in(&consent, &id).await.status, ScaStatus::ScaMethodSelected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn password_out_of_order_is_not_counted(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, _) = bank.challenge(&consent).await;
    let wrong = bank.step(access_consent(&consent), &id, password("wrong")).await;
    assert_eq!(refusal_reason(wrong), RefusalReason::StepOutOfOrder);
    assert_eq!(database.number("SELECT CAST(COALESCE(SUM(failures), 0) AS BIGINT) FROM sca_counter"), 0);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn otp_beyond_thirty_an_hour_is_not_sent_by_itself(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    for _ in 0..30 {
        bank.challenge(&consent).await;
    }
    let id = bank.start(&consent, "bert").await;
    assert_eq!(bank.sign_in(&consent, &id).await.status, ScaStatus::PsuAuthenticated);
    assert_eq!(database.number("SELECT COUNT(*) FROM notification"), 30);
    bank.clock_advance(TimeDelta::hours(1)).await;
    bank.challenge(&consent).await;
}
