//! The embedded approach: every step of an authorisation through the third party, in order and out of order.

use crate::fixture::refusal_reason;
use rstest::rstest;
use trapeza_app::UseCaseError;
use trapeza_app::ocra::{DEVICE_SUITE, Input, Suite};
use trapeza_app::sca::{ScaSettings, StartPreferences, Step};
use trapeza_domain::authorisation::{NextStep, ScaStatus};
use trapeza_domain::consent::{ConsentState, ConsentStatus};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{
    ANNA_IBAN, BERT_IBAN, PASSWORD, ScaBank, access_consent, funds_consent, otp, password, strict, wrong_otp,
};
use uuid::Uuid;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn password_method_and_otp_make_a_consent_valid(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("anna", ANNA_IBAN).await;
    let id = bank.start(&consent, "anna").await;
    let signed_in = bank.sign_in(&consent, &id).await;
    assert_eq!(signed_in.status, ScaStatus::PsuAuthenticated);
    assert_eq!(signed_in.next, [NextStep::SelectAuthenticationMethod]);
    assert_eq!(signed_in.methods.len(), 3);
    let sms = Step::Method(signed_in.methods[0].id.to_string());
    let selected = bank.step(access_consent(&consent), &id, sms).await.unwrap().value;
    assert_eq!(selected.status, ScaStatus::ScaMethodSelected);
    assert_eq!(selected.chosen, Some(signed_in.methods[0].clone()));
    assert_eq!(selected.next, [NextStep::SelectAuthenticationMethod, NextStep::AuthoriseTransaction]);
    let message = &bank.app.messages().await.unwrap()[0];
    assert_eq!((message.to.as_str(), message.channel.as_str()), ("+306912345678", "SMS"));
    assert!(message.text.contains("Best Pay asks to read account …0695 until "), "{}", message.text);
    assert!(!message.text.contains(ANNA_IBAN));
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Received);
    let sent = bank.latest_otp().await;
    let end = bank.submit_otp(&consent, &id, &sent).await.unwrap().value;
    assert_eq!((end.status, end.next), (ScaStatus::Finalised, vec![]));
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Valid);
    assert_eq!(bank.app.authorisation_list(&bank.tpp, access_consent(&consent)).await.unwrap().ids.len(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn only_method_is_selected_automatically_for_a_funds_consent(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.funds_consent("bert", BERT_IBAN).await;
    let started =
        bank.start_with(funds_consent(&consent), "bert", StartPreferences::default()).await.unwrap().value;
    let id = started.id.to_string();
    let view = bank.step(funds_consent(&consent), &id, password(PASSWORD)).await.unwrap().value;
    assert_eq!(view.status, ScaStatus::ScaMethodSelected);
    let newest = bank.app.authorisation_latest_status(&bank.tpp, funds_consent(&consent)).await;
    assert_eq!(newest, Ok(Some(ScaStatus::ScaMethodSelected)));
    let end = bank.step(funds_consent(&consent), &id, otp(&bank.latest_otp().await)).await.unwrap().value;
    assert_eq!(end.status, ScaStatus::Finalised);
    assert_eq!(
        bank.app.funds_consent_state(&bank.tpp, &consent).await.map(ConsentState::status),
        Ok(ConsentStatus::Valid)
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn chip_otp_finalises_and_push_accepts_no_otp(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("anna", ANNA_IBAN).await;
    let id = bank.start(&consent, "anna").await;
    let methods = bank.sign_in(&consent, &id).await.methods;
    let push = Step::Method(methods[2].id.to_string());
    let asked = bank.step(access_consent(&consent), &id, push).await.unwrap().value;
    assert_eq!(asked.next, [NextStep::SelectAuthenticationMethod], "the customer approves in the app");
    let number = asked.challenge.unwrap().display.unwrap();
    assert_eq!(refusal_reason(bank.submit_otp(&consent, &id, &number).await), RefusalReason::StepOutOfOrder);
    bank.clock_advance(TimeDelta::seconds(31)).await;
    let chip = Step::Method(methods[1].id.to_string());
    let view = bank.step(access_consent(&consent), &id, chip).await.unwrap().value;
    let question = view.challenge.unwrap().display.unwrap();
    let seed = bank.app.device_seed(methods[1].id).await.unwrap().unwrap();
    let input = Input { question: &question, ..Input::default() };
    let answer = Suite::parse(DEVICE_SUITE).unwrap().answer(seed.expose(), &input).unwrap();
    let end = bank.submit_otp(&consent, &id, &answer).await.unwrap().value;
    assert_eq!(end.status, ScaStatus::Finalised);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn step_out_of_order_is_refused(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("anna", ANNA_IBAN).await;
    let id = bank.start(&consent, "anna").await;
    let methods = bank.app.methods_for("anna").await.unwrap();
    let method = || Step::Method(methods[0].id.to_string());
    let unknown = || Step::Method(Uuid::from_u128(1).to_string());
    for step in [method(), unknown(), otp("123456")] {
        assert_eq!(
            refusal_reason(bank.step(access_consent(&consent), &id, step).await),
            RefusalReason::StepOutOfOrder
        );
    }
    bank.sign_in(&consent, &id).await;
    for step in [password(PASSWORD), otp("123456")] {
        assert_eq!(
            refusal_reason(bank.step(access_consent(&consent), &id, step).await),
            RefusalReason::StepOutOfOrder
        );
    }
    assert_eq!(
        refusal_reason(bank.step(access_consent(&consent), &id, unknown()).await),
        RefusalReason::ScaMethodUnknown
    );
    let berts = bank.app.methods_for("bert").await.unwrap()[0].id.to_string();
    assert_eq!(
        refusal_reason(bank.step(access_consent(&consent), &id, Step::Method(berts)).await),
        RefusalReason::ScaMethodUnknown
    );
    bank.step(access_consent(&consent), &id, method()).await.unwrap();
    assert_eq!(
        refusal_reason(bank.step(access_consent(&consent), &id, password(PASSWORD)).await),
        RefusalReason::StepOutOfOrder
    );
    let sent = bank.latest_otp().await;
    bank.submit_otp(&consent, &id, &sent).await.unwrap();
    for step in [password(PASSWORD), method(), otp(&sent)] {
        assert_eq!(
            refusal_reason(bank.step(access_consent(&consent), &id, step).await),
            RefusalReason::StepOutOfOrder
        );
    }
    let again = bank.start_with(access_consent(&consent), "anna", StartPreferences::default()).await;
    assert_eq!(refusal_reason(again), RefusalReason::StatusInvalid, "the consent is already valid");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unknown_customer_gets_the_same_responses_and_never_finalises(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, ScaSettings::sandbox("123456")).await;
    let ghosts = bank.consent("ghost", ANNA_IBAN).await;
    let annas = bank.consent("anna", ANNA_IBAN).await;
    // An unknown PSU_ID, and one of another customer than the consent's.
    for (consent, psu) in [(&ghosts, "ghost"), (&annas, "bert"), (&annas, "ghost")] {
        let started =
            bank.start_with(access_consent(consent), psu, StartPreferences::default()).await.unwrap().value;
        assert_eq!(started.status, ScaStatus::PsuIdentified);
        assert_eq!(started.next, [NextStep::UpdatePsuAuthentication, NextStep::ScaRedirect]);
        assert_eq!(started.methods, bank.app.methods_for(psu).await.unwrap(), "the decoy methods are stable");
        assert!(!started.methods.is_empty());
        let id = started.id.to_string();
        let tried = bank.step(access_consent(consent), &id, password(PASSWORD)).await;
        assert_eq!(refusal_reason(tried), RefusalReason::CredentialsInvalid);
        for step in [Step::Method(started.methods[0].id.to_string()), otp("123456")] {
            assert_eq!(
                refusal_reason(bank.step(access_consent(consent), &id, step).await),
                RefusalReason::StepOutOfOrder
            );
        }
        assert_eq!(bank.sca_status(consent, &id).await, ScaStatus::PsuIdentified);
    }
    assert_eq!(database.number("SELECT COUNT(*) FROM sca_counter WHERE failures > 0"), 2);
    assert!(bank.app.messages().await.unwrap().is_empty());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_request_is_replayed_and_counted_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let object = access_consent(&consent);
    let start = || {
        let preferences = StartPreferences::default();
        bank.app.authorisation_start(
            bank.request(900, ""),
            &bank.tpp,
            object,
            Some("bert".into()),
            preferences,
        )
    };
    let started = start().await.unwrap();
    let id = started.value.id.to_string();
    let update = |request, step| {
        bank.app.authorisation_update(bank.request(request, ""), &bank.tpp, object, &id, step)
    };
    let signed_in = update(901, password(PASSWORD)).await.unwrap();
    let sent = bank.latest_otp().await;
    let wrong = update(902, otp(&wrong_otp(&sent))).await;
    assert_eq!(refusal_reason(wrong.clone()), RefusalReason::CredentialsInvalid);
    let Err(UseCaseError::Refused(refusal)) = wrong.clone() else { panic!("not refused: {wrong:?}") };
    let wrong_again = Err(UseCaseError::Refused(refusal.as_replay()));
    assert_eq!(update(902, otp(&wrong_otp(&sent))).await, wrong_again);
    assert_eq!(database.number("SELECT challenge_attempts FROM authorisation"), 1, "counted once");
    let end = update(903, otp(&sent)).await.unwrap();
    for (first, again) in [
        (started, start().await.unwrap()),
        (signed_in, update(901, password(PASSWORD)).await.unwrap()),
        (end, update(903, otp(&sent)).await.unwrap()),
    ] {
        assert_eq!((first.replayed, again.replayed), (false, true));
        assert_eq!(first.value, again.value);
    }
    assert_eq!(update(902, otp(&sent)).await, wrong_again);
    let other = bank.app.authorisation_update(bank.request(903, "x"), &bank.tpp, object, &id, otp("1"));
    assert_eq!(refusal_reason(other.await), RefusalReason::Inconsistent);
    assert_eq!(bank.app.messages().await.unwrap().len(), 1);
}
