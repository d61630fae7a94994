//! Browsers that are enrolled as the bank's app: whose password opens them, how long an enrolment waits, and what resets the count of wrong
//! credentials.

use crate::fixture::refusal_reason;
use rstest::rstest;
use trapeza_app::Language;
use trapeza_app::device::DeviceSession;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::DeviceKey;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{PASSWORD, ScaBank, strict, wrong_otp};

fn secret(text: &str) -> Secret<String> {
    Secret::new(text.to_owned())
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn password_of_another_customer_does_not_open_an_enrolled_device(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let device = bank.device_enrol("anna").await;
    let (old, next) = (&device.session_token, bank.app.session_token_new());
    let entered = bank.app.device_sign_in(old, &next, Language::English, "bert", secret(PASSWORD)).await;
    assert_eq!(entered, Ok(DeviceSession::OtpSent), "bert has not enrolled this browser");
    assert_eq!(bank.app.device_session(&next).await, Ok(DeviceSession::OtpSent));
    for (login, devices) in [("anna", 1), ("bert", 0)] {
        let psu = bank.psu(login).await;
        assert_eq!(bank.app.customer_device_list(psu, "").await.unwrap().len(), devices, "{login}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sign_in_changes_the_session_token(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let device = bank.device_enrol("bert").await;
    let (old, next) = (&device.session_token, bank.app.session_token_new());
    bank.app.device_sign_in(old, &next, Language::English, "bert", secret(PASSWORD)).await.unwrap();
    assert_eq!(bank.app.device_session(old).await, Ok(DeviceSession::SignedOut));
    let opened = bank.app.device_session(&next).await;
    assert!(matches!(opened, Ok(DeviceSession::SignedIn { .. })), "{opened:?}");
}

#[rstest]
#[case::in_time(14, true)]
#[case::too_late(15, false)]
#[tokio::test(flavor = "multi_thread")]
async fn enrolment_waits_fifteen_minutes_for_its_code(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[case] minutes: i64,
    #[case] in_time: bool,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let [before, token, next] = [(); 3].map(|()| bank.app.session_token_new());
    bank.app.device_sign_in(&before, &token, Language::English, "bert", secret(PASSWORD)).await.unwrap();
    bank.clock_advance(TimeDelta::minutes(minutes)).await;
    let sent = bank.app.device_otp_resend(&token, Language::English).await;
    assert_eq!(sent.is_ok(), in_time, "{sent:?}");
    let otp = Secret::new(bank.latest_otp().await);
    let enrolled = bank.app.device_enrol(&token, &next, otp, &DeviceKey::default().public()).await;
    if in_time {
        assert!(matches!(enrolled, Ok(DeviceSession::SignedIn { .. })), "{enrolled:?}");
    } else {
        assert_eq!(refusal_reason(enrolled), RefusalReason::StepOutOfOrder);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn right_credentials_reset_the_count_of_wrong_ones(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let failures = || database.number("SELECT CAST(COALESCE(SUM(failures), 0) AS BIGINT) FROM sca_counter");
    let [unknown, waiting, enrolled, opened] = [(); 4].map(|()| bank.app.session_token_new());
    let key = DeviceKey::default().public();
    // A browser that is not enrolled, then its code, then the enrolled device.
    for (token, next) in [(&unknown, &waiting), (&enrolled, &opened)] {
        let wrong = bank.app.device_sign_in(token, next, Language::English, "bert", secret("wrong")).await;
        assert_eq!((refusal_reason(wrong), failures()), (RefusalReason::CredentialsInvalid, 1));
        bank.clock_advance(TimeDelta::seconds(2)).await;
        bank.app.device_sign_in(token, next, Language::English, "bert", secret(PASSWORD)).await.unwrap();
        assert_eq!(failures(), 0);
        if token == &unknown {
            let sent = bank.latest_otp().await;
            let wrong = bank.app.device_enrol(&waiting, &enrolled, secret(&wrong_otp(&sent)), &key).await;
            assert_eq!((refusal_reason(wrong), failures()), (RefusalReason::CredentialsInvalid, 1));
            bank.app.device_enrol(&waiting, &enrolled, secret(&sent), &key).await.unwrap();
            assert_eq!(failures(), 0);
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn password_that_is_reset_while_it_is_verified_does_not_open_the_device(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let (token, next) = (bank.device_enrol("bert").await.session_token, bank.app.session_token_new());
    let failures = || database.number("SELECT CAST(COALESCE(SUM(failures), 0) AS BIGINT) FROM sca_counter");
    // After these the next password waits before it is verified.
    for count in 1..=2 {
        let wrong = bank.app.device_sign_in(&token, &next, Language::English, "bert", secret("wrong")).await;
        assert_eq!((refusal_reason(wrong), failures()), (RefusalReason::CredentialsInvalid, count));
    }
    let (app, entered) = (bank.app.clone(), next.clone());
    let attempt = tokio::spawn(async move {
        app.device_sign_in(&token, &entered, Language::English, "bert", secret(PASSWORD)).await
    });
    while failures() < 3 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    bank.app.psu_password_reset("bert", &secret("correct-horse-2")).await.unwrap();
    assert_eq!(refusal_reason(attempt.await.unwrap()), RefusalReason::CredentialsInvalid);
    assert_eq!(bank.app.device_session(&next).await, Ok(DeviceSession::SignedOut));
}
