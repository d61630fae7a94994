//! The redirect approach: preferences, the link, the browser session and the rejection on the page.

use crate::fixture::refusal_reason;
use rstest::rstest;
use trapeza_app::sca::{StartPreferences, Step};
use trapeza_app::{Language, UseCaseError};
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus};
use trapeza_domain::consent::ConsentStatus;
use trapeza_domain::field::Field;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{
    ANNA_IBAN, BERT_IBAN, PASSWORD, Redirect, ScaBank, access_consent, otp, password, strict, wrong_otp,
};
use trapeza_testkit::tpp_fixture::REDIRECT_URI;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn preferences_select_the_approach_and_unregistered_uris_are_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("anna", ANNA_IBAN).await;
    let odd = |text: &str| Some(text.to_owned());
    for (preferences, field) in [
        (
            StartPreferences { redirect_uri: odd("https://tpp.example/back/"), ..Default::default() },
            Field::RedirectUri,
        ),
        (
            StartPreferences { nok_redirect_uri: odd("https://evil.example"), ..Default::default() },
            Field::NokRedirectUri,
        ),
    ] {
        let Err(UseCaseError::Refused(refusal)) =
            bank.start_with(access_consent(&consent), "anna", preferences).await
        else {
            panic!("the URI is not registered")
        };
        assert_eq!(
            (refusal.reason, refusal.errors[0].path.clone()),
            (RefusalReason::Malformed, field.into())
        );
    }
    let back = StartPreferences {
        redirect_uri: odd(REDIRECT_URI),
        nok_redirect_uri: odd(REDIRECT_URI),
        ..Default::default()
    };
    let view = bank.start_with(access_consent(&consent), "anna", back.clone()).await.unwrap().value;
    assert_eq!(view.approach, ScaApproach::Redirect);
    assert_eq!(view.next, [NextStep::UpdatePsuAuthentication, NextStep::ScaRedirect]);
    assert!(view.redirect_token.unwrap().starts_with(&view.id.to_string()));
    let only = StartPreferences { redirect_preferred: Some(true), decoupled_preferred: true, ..back };
    let view = bank.start_with(access_consent(&consent), "anna", only).await.unwrap().value;
    assert_eq!((view.approach, view.next), (ScaApproach::Redirect, vec![NextStep::ScaRedirect]));
    let id = view.id.to_string();
    let tried = bank.step(access_consent(&consent), &id, password(PASSWORD)).await;
    assert_eq!(refusal_reason(tried), RefusalReason::StepOutOfOrder);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn redirect_finalises_in_the_browser_that_opened_it_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let Redirect { consent, id, token } = bank.start_redirect("anna", ANNA_IBAN).await;
    for forged in [id.clone(), format!("{id}."), token.replace('.', "_"), format!("{}{}", token, "A")] {
        assert_eq!(
            refusal_reason(bank.app.redirect_open(&forged, "mine").await),
            RefusalReason::ResourceUnknown
        );
    }
    let opened = bank.app.redirect_open(&token, "mine").await.unwrap();
    assert!(opened.description.starts_with("read account …0695 until "), "{}", opened.description);
    assert_eq!((opened.psu_name.as_str(), opened.tpp_name.as_str()), ("anna", "Best Pay"));
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Started);
    assert_eq!(
        refusal_reason(bank.app.redirect_open(&token, "theirs").await),
        RefusalReason::ResourceUnknown
    );
    assert_eq!(
        refusal_reason(bank.app.redirect_step(&token, "theirs", Language::English, password(PASSWORD)).await),
        RefusalReason::ResourceUnknown
    );
    assert_eq!(
        refusal_reason(bank.step(access_consent(&consent), &id, password(PASSWORD)).await),
        RefusalReason::StepOutOfOrder
    );
    let again = bank.app.redirect_open(&token, "mine").await.unwrap();
    assert!(!again.signed_in);
    let signed_in =
        bank.app.redirect_step(&token, "mine", Language::English, password(PASSWORD)).await.unwrap();
    assert!(signed_in.signed_in);
    let sms = Step::Method(signed_in.authorisation.methods[0].id.to_string());
    bank.app.redirect_step(&token, "mine", Language::English, sms).await.unwrap();
    let sent = bank.latest_otp().await;
    assert_eq!(refusal_reason(bank.submit_otp(&consent, &id, &sent).await), RefusalReason::StepOutOfOrder);
    let end = bank.app.redirect_step(&token, "mine", Language::English, otp(&sent)).await.unwrap();
    assert_eq!(end.authorisation.status, ScaStatus::Finalised);
    assert_eq!(end.redirect_uri.as_deref(), Some(REDIRECT_URI));
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Valid);
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Finalised);
    bank.clock_advance(TimeDelta::minutes(6)).await;
    let late = bank.app.redirect_open(&token, "mine").await.unwrap();
    assert_eq!(late.redirect_uri.as_deref(), Some(REDIRECT_URI), "the way back to the third party stays");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn redirect_link_expires_after_ten_minutes_and_idle_session_after_five(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let token = bank.start_redirect("bert", BERT_IBAN).await.token;
    assert!(bank.app.redirect_preview(&token).await.unwrap().unopened);
    bank.clock_advance(TimeDelta::minutes(10)).await;
    assert!(!bank.app.redirect_preview(&token).await.unwrap().unopened, "it cannot be opened any more");
    assert_eq!(refusal_reason(bank.app.redirect_open(&token, "mine").await), RefusalReason::ResourceUnknown);
    let token = bank.start_redirect("bert", BERT_IBAN).await.token;
    bank.app.redirect_open(&token, "mine").await.unwrap();
    bank.clock_advance(TimeDelta::minutes(4)).await;
    bank.app.redirect_step(&token, "mine", Language::English, password(PASSWORD)).await.unwrap();
    bank.clock_advance(TimeDelta::minutes(4)).await;
    let sent = bank.latest_otp().await;
    let wrong = bank.app.redirect_step(&token, "mine", Language::English, otp(&wrong_otp(&sent))).await;
    assert_eq!(refusal_reason(wrong), RefusalReason::CredentialsInvalid);
    bank.clock_advance(TimeDelta::minutes(5)).await;
    assert_eq!(refusal_reason(bank.app.redirect_view(&token, "mine").await), RefusalReason::ResourceUnknown);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn page_that_is_loaded_again_stays_open(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let token = bank.start_redirect("bert", BERT_IBAN).await.token;
    for _ in 0..3 {
        bank.app.redirect_open(&token, "mine").await.unwrap();
        bank.clock_advance(TimeDelta::minutes(4)).await;
    }
    assert!(!bank.app.redirect_view(&token, "mine").await.unwrap().signed_in);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_otps_on_the_page_do_not_block_tpps(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    for attempts in [3, 2] {
        let token = bank.start_redirect("bert", BERT_IBAN).await.token;
        bank.app.redirect_open(&token, "mine").await.unwrap();
        bank.app.redirect_step(&token, "mine", Language::English, password(PASSWORD)).await.unwrap();
        let other = wrong_otp(&bank.latest_otp().await);
        for _ in 0..attempts {
            let wrong = bank.app.redirect_step(&token, "mine", Language::English, otp(&other)).await;
            assert_eq!(refusal_reason(wrong), RefusalReason::CredentialsInvalid);
        }
    }
    let token = bank.start_redirect("bert", BERT_IBAN).await.token;
    bank.app.redirect_open(&token, "mine").await.unwrap();
    bank.app.redirect_step(&token, "mine", Language::English, password(PASSWORD)).await.unwrap();
    let sent = bank.latest_otp().await;
    assert_eq!(
        refusal_reason(bank.app.redirect_step(&token, "mine", Language::English, otp(&sent)).await),
        RefusalReason::CredentialsInvalid
    );
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    bank.submit_otp(&consent, &id, &sent).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn page_offers_another_otp_three_times(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let token = bank.start_redirect("bert", BERT_IBAN).await.token;
    let opened = bank.app.redirect_open(&token, "mine").await.unwrap();
    assert!(!opened.otp_open);
    let page = |step| bank.app.redirect_step(&token, "mine", Language::English, step);
    let mut shown = page(password(PASSWORD)).await.unwrap();
    for _ in 0..3 {
        assert!(shown.otp_open && shown.otp_resend);
        bank.clock_advance(TimeDelta::seconds(31)).await;
        shown = page(Step::Method(shown.authorisation.methods[0].id.to_string())).await.unwrap();
    }
    assert!(shown.otp_open && !shown.otp_resend, "a fourth one would be refused");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn rejection_rejects_the_consent_only_after_sign_in(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let Redirect { consent, id, token } = bank.start_redirect("bert", BERT_IBAN).await;
    bank.app.redirect_open(&token, "mine").await.unwrap();
    let left = bank.app.redirect_reject(&token, "mine").await.unwrap();
    assert_eq!(left.authorisation.status, ScaStatus::Failed);
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Received);
    let Redirect { consent, token, .. } = bank.start_redirect("bert", BERT_IBAN).await;
    bank.app.redirect_open(&token, "mine").await.unwrap();
    bank.app.redirect_step(&token, "mine", Language::English, password(PASSWORD)).await.unwrap();
    bank.app.redirect_reject(&token, "mine").await.unwrap();
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Rejected);
}
