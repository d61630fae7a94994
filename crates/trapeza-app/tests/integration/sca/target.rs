//! An authorisation and the consent it approves: ownership, replacement, termination and tampering.

use crate::fixture::refusal_reason;
use rstest::rstest;
use trapeza_app::sca::StartPreferences;
use trapeza_domain::authorisation::ScaStatus;
use trapeza_domain::consent::{
    Access, AccessConsentRequest, AccessLists, ConsentRejection, ConsentState, ConsentStatus,
};
use trapeza_domain::reference::{AccountReference, Iban};
use trapeza_domain::refusal::RefusalReason;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{
    ANNA_IBAN, BERT_IBAN, PASSWORD, ScaBank, access_consent, funds_consent, otp, password, strict,
};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn authorisation_of_another_tpp_or_target_is_unknown(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let (consent, other) = (bank.consent("bert", BERT_IBAN).await, bank.consent("bert", BERT_IBAN).await);
    let (id, sent) = bank.challenge(&consent).await;
    let other_tpp = bank.with_new_tpp("Other").await;
    assert_eq!(
        refusal_reason(other_tpp.submit_otp(&consent, &id, &sent).await),
        RefusalReason::ConsentUnknown
    );
    let found = other_tpp.app.authorisation_find(&other_tpp.tpp, access_consent(&consent), &id).await;
    assert_eq!(refusal_reason(found), RefusalReason::ConsentUnknown);
    assert_eq!(refusal_reason(bank.submit_otp(&other, &id, &sent).await), RefusalReason::ResourceUnknown);
    assert_eq!(
        refusal_reason(bank.step(access_consent(&consent), "nonsense", otp(&sent)).await),
        RefusalReason::ResourceUnknown
    );
    assert_eq!(
        refusal_reason(bank.step(funds_consent(&consent), &id, otp(&sent)).await),
        RefusalReason::ConsentUnknown
    );
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Received);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn foreign_account_rejects_the_consent_after_authorisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", ANNA_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    let end = bank.submit_otp(&consent, &id, &sent).await.unwrap().value;
    assert_eq!(end.status, ScaStatus::Finalised);
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Rejected);
    let consent = bank.funds_consent("bert", ANNA_IBAN).await;
    let started =
        bank.start_with(funds_consent(&consent), "bert", StartPreferences::default()).await.unwrap().value;
    let id = started.id.to_string();
    bank.step(funds_consent(&consent), &id, password(PASSWORD)).await.unwrap();
    bank.step(funds_consent(&consent), &id, otp(&bank.latest_otp().await)).await.unwrap();
    let rejected = Ok(ConsentState::Rejected { reason: ConsentRejection::Account });
    assert_eq!(bank.app.funds_consent_state(&bank.tpp, &consent).await, rejected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn newer_authorisation_fails_the_open_one(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (old, sent) = bank.challenge(&consent).await;
    let (new, newer) = bank.challenge(&consent).await;
    assert_eq!(bank.sca_status(&consent, &old).await, ScaStatus::Failed);
    assert_eq!(refusal_reason(bank.submit_otp(&consent, &old, &sent).await), RefusalReason::StepOutOfOrder);
    bank.submit_otp(&consent, &new, &newer).await.unwrap();
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Valid);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn new_recurring_consent_terminates_the_older_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let mut consents = Vec::new();
    for _ in 0..2 {
        let consent = bank.consent("bert", BERT_IBAN).await;
        let (id, sent) = bank.challenge(&consent).await;
        bank.submit_otp(&consent, &id, &sent).await.unwrap();
        consents.push(consent);
    }
    assert_eq!(bank.consent_status(&consents[0]).await, ConsentStatus::TerminatedByTpp);
    assert_eq!(bank.consent_status(&consents[1]).await, ConsentStatus::Valid);
    // A rejected consent terminates none.
    let foreign = bank.consent("bert", ANNA_IBAN).await;
    let (id, sent) = bank.challenge(&foreign).await;
    bank.submit_otp(&foreign, &id, &sent).await.unwrap();
    assert_eq!(bank.consent_status(&consents[1]).await, ConsentStatus::Valid);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn terminated_consent_fails_its_authorisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    bank.app.consent_terminate(bank.new_request(), &bank.tpp, &consent).await.unwrap();
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(refusal_reason(bank.submit_otp(&consent, &id, &sent).await), RefusalReason::StepOutOfOrder);
    let again = bank.start_with(access_consent(&consent), "bert", StartPreferences::default()).await;
    assert_eq!(refusal_reason(again), RefusalReason::StatusInvalid);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn tampered_consent_is_not_authorised(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    database.tamper("UPDATE consent SET frequency_per_day = 3");
    assert_eq!(refusal_reason(bank.submit_otp(&consent, &id, &sent).await), RefusalReason::StatusInvalid);
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Received);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_code_for_a_tampered_consent_gets_the_same_refusal(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    database.tamper("UPDATE consent SET frequency_per_day = 3");
    let request = bank.request(1_000, "code");
    for _ in 0..2 {
        let target = access_consent(&consent);
        let step = bank.app.authorisation_update(request.clone(), &bank.tpp, target, &id, otp(&sent)).await;
        assert_eq!(refusal_reason(step), RefusalReason::StatusInvalid);
    }
    assert_eq!(database.number("SELECT COUNT(*) FROM audit_event WHERE action = 'authorisation.failed'"), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn account_of_another_customer_in_any_list_rejects_the_consent(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let account = |iban: &str| AccountReference::iban(Iban::parse(iban).unwrap(), None);
    for list in 0..3 {
        let mut lists = [(); 3].map(|()| vec![account(BERT_IBAN)]);
        lists[list].push(account(ANNA_IBAN));
        let [accounts, balances, transactions] = lists;
        let access = Access::Listed(AccessLists { accounts, balances, transactions });
        let order = AccessConsentRequest { access, ..bank.consent_order(BERT_IBAN) };
        let created = bank.app.consent_create(bank.new_request(), &bank.tpp, "bert".into(), order).await;
        let consent = created.unwrap().value.consent.id.to_string();
        let (id, sent) = bank.challenge(&consent).await;
        bank.submit_otp(&consent, &id, &sent).await.unwrap();
        assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Rejected, "list {list}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_that_its_customer_refuses_in_the_app_fails_its_authorisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("bert", BERT_IBAN).await;
    let (id, sent) = bank.challenge(&consent).await;
    let bert = bank.psu("bert").await;
    bank.app.permission_revoke(bert, &consent).await.unwrap();
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(refusal_reason(bank.submit_otp(&consent, &id, &sent).await), RefusalReason::StepOutOfOrder);
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Rejected);
}
