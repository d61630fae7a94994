//! Customers who are not known when the target is created: they give their name on the bank's page, or the third party names
//! them later.

use crate::fixture::refusal_reason;
use rstest::rstest;
use trapeza_app::Language;
use trapeza_app::sca::{AuthorisationView, StartOption, StartPreferences, Step};
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus};
use trapeza_domain::consent::ConsentStatus;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_store::Tx;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{BERT_IBAN, PASSWORD, ScaBank, access_consent, otp, password, strict};

/// Creates a consent without a customer, and starts its authorisation.
async fn start_unidentified(bank: &ScaBank, redirect: Option<bool>) -> (String, AuthorisationView) {
    let preferences =
        StartPreferences { exclusive: true, redirect_preferred: redirect, ..Default::default() };
    let (order, start) = (bank.consent_order(BERT_IBAN), StartOption::Implicit(preferences));
    let created =
        bank.app.consent_create_with_start(bank.new_request(), &bank.tpp, String::new(), order, start).await;
    let created = created.unwrap().value;
    (created.object.consent.id.to_string(), created.authorisation.unwrap())
}

fn sign_in(psu_name: &str, password: &str) -> Step {
    Step::SignIn { psu_name: psu_name.into(), password: Secret::new(password.into()) }
}

async fn psu_of(bank: &ScaBank, consent: &str) -> String {
    bank.app.consent_find(&bank.tpp, consent).await.unwrap().consent.psu
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_gives_the_name_on_the_page_and_the_right_password_binds_the_consent(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let (consent, started) = start_unidentified(&bank, None).await;
    assert_eq!((started.status, started.approach), (ScaStatus::Received, ScaApproach::Redirect));
    assert_eq!((started.next, started.methods), (vec![NextStep::ScaRedirect], vec![]));
    let token = started.redirect_token.unwrap();
    let opened = bank.app.redirect_open(&token, "mine").await.unwrap();
    assert_eq!((opened.psu_name.as_str(), opened.signed_in), ("", false));
    let page = |step| bank.app.redirect_step(&token, "mine", Language::English, step);
    for wrong in [sign_in("bert", "wrong"), sign_in("nemo", PASSWORD), password(PASSWORD)] {
        assert_eq!(refusal_reason(page(wrong).await), RefusalReason::CredentialsInvalid);
        assert_eq!(psu_of(&bank, &consent).await, "", "a wrong password binds no customer");
    }
    let signed_in = page(sign_in("bert", PASSWORD)).await.unwrap();
    assert_eq!((signed_in.psu_name.as_str(), signed_in.signed_in), ("bert", true));
    assert_eq!(psu_of(&bank, &consent).await, "bert");
    let (application, id) = (bank.tpp.application, consent.parse().unwrap());
    let is_private =
        bank.app.store().read(move |tx| Ok(tx.login_is_private(application, id)?)).await.unwrap();
    assert!(is_private, "the third party does not learn the name");
    let recorded = |tx: &mut Tx<'_>| {
        let sql = "SELECT COUNT(*) FROM audit_event WHERE action = 'consent.identified'";
        Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?)
    };
    assert_eq!(bank.app.store().read(recorded).await.unwrap(), 1);
    let sent = bank.latest_otp().await;
    page(otp(&sent)).await.unwrap();
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Valid);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn third_party_names_the_customer_later_and_an_unknown_name_looks_the_same(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    for (name, is_customer) in [("bert", true), ("nemo", false)] {
        let (consent, started) = start_unidentified(&bank, Some(false)).await;
        assert_eq!(
            (started.status, started.next),
            (ScaStatus::Received, vec![NextStep::UpdatePsuIdentification])
        );
        let (target, id) = (access_consent(&consent), started.id.to_string());
        let out_of_order = bank.step(target, &id, password(PASSWORD)).await;
        assert_eq!(refusal_reason(out_of_order), RefusalReason::StepOutOfOrder);
        let named =
            bank.app.authorisation_identify(bank.new_request(), &bank.tpp, target, &id, name.into()).await;
        let named = named.unwrap().value;
        assert_eq!(
            (named.status, named.next),
            (ScaStatus::PsuIdentified, vec![NextStep::UpdatePsuAuthentication])
        );
        assert!(!named.methods.is_empty(), "an unknown name has decoys");
        assert_eq!(psu_of(&bank, &consent).await, name);
        let own = format!("authorisation:{id} by application:{}", bank.tpp.application);
        let identified = database.events("authorisation.identified");
        assert_eq!(identified.iter().filter(|event| **event == own).count(), 1, "{identified:?}");
        let again =
            bank.app.authorisation_identify(bank.new_request(), &bank.tpp, target, &id, "anna".into());
        assert_eq!(refusal_reason(again.await), RefusalReason::StepOutOfOrder);
        let tried = bank.step(target, &id, password(PASSWORD)).await;
        match is_customer {
            true => assert_eq!(tried.unwrap().value.status, ScaStatus::ScaMethodSelected),
            false => assert_eq!(refusal_reason(tried), RefusalReason::CredentialsInvalid),
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn password_with_a_name_identifies_and_never_opens_the_authorisation_of_another(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let (consent, started) = start_unidentified(&bank, Some(false)).await;
    let (target, id) = (access_consent(&consent), started.id.to_string());
    let signed_in = bank.step(target, &id, sign_in("bert", PASSWORD)).await.unwrap().value;
    assert_eq!(signed_in.status, ScaStatus::ScaMethodSelected);
    assert_eq!(psu_of(&bank, &consent).await, "bert");
    let (consent, started) = start_unidentified(&bank, Some(false)).await;
    let (target, id) = (access_consent(&consent), started.id.to_string());
    bank.app.authorisation_identify(bank.new_request(), &bank.tpp, target, &id, "anna".into()).await.unwrap();
    // Anna and bert have the same password: only the name decides.
    let tried = bank.step(target, &id, sign_in("bert", PASSWORD)).await;
    assert_eq!(refusal_reason(tried), RefusalReason::StepOutOfOrder);
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::PsuIdentified);
    assert_eq!(psu_of(&bank, &consent).await, "anna");
}
