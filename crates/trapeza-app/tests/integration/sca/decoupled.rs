//! The decoupled approach: push messages, and approvals signed by an enrolled device.

use crate::fixture::refusal_reason;
use rstest::rstest;
use trapeza_app::sca::{ApprovalDecision, ScaSettings, StartPreferences, Step};
use trapeza_domain::authorisation::{ScaApproach, ScaStatus};
use trapeza_domain::consent::ConsentStatus;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{ANNA_IBAN, BERT_IBAN, ScaBank, access_consent, strict};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn decoupled_preference_sends_a_push_to_an_enrolled_customer_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let decoupled = StartPreferences { decoupled_preferred: true, ..Default::default() };
    let consent = bank.consent("anna", ANNA_IBAN).await;
    let view = bank.start_with(access_consent(&consent), "anna", decoupled.clone()).await.unwrap().value;
    assert_eq!((view.status, view.approach), (ScaStatus::Started, ScaApproach::Decoupled));
    assert_eq!(view.next, []);
    let number = view.challenge.unwrap().display.unwrap();
    assert!(view.psu_message.unwrap().contains(&number));
    let asked = &bank.app.messages().await.unwrap()[0];
    assert_eq!((asked.channel.as_str(), asked.code.as_deref()), ("PUSH", None));
    // The message does not contain the number, which only the other screen shows.
    let (words, rest) = asked.text.split_at(asked.text.find(" until ").unwrap());
    assert_eq!(words, "Best Pay asks to read account …0695");
    assert_eq!(rest.split_once(". ").unwrap().1, "Open the app to approve or reject it.");
    let id = view.id.to_string();
    assert_eq!(refusal_reason(bank.submit_otp(&consent, &id, &number).await), RefusalReason::StepOutOfOrder);
    let consent = bank.consent("bert", BERT_IBAN).await;
    let view = bank.start_with(access_consent(&consent), "bert", decoupled).await.unwrap().value;
    assert_eq!((view.status, view.approach), (ScaStatus::PsuIdentified, ScaApproach::Embedded));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn approval_requires_a_signature_over_the_shown_number(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, ScaSettings::sandbox("123456")).await;
    let decoupled = || StartPreferences { decoupled_preferred: true, ..Default::default() };
    let consent = bank.consent("anna", ANNA_IBAN).await;
    let view = bank.start_with(access_consent(&consent), "anna", decoupled()).await.unwrap().value;
    let (id, number) = (view.id.to_string(), view.challenge.unwrap().display.unwrap());
    let anna = bank.psu("anna").await;
    let approvals = bank.app.approval_list(anna).await.unwrap();
    assert_eq!((approvals.len(), approvals[0].id), (1, view.id));
    assert!(approvals[0].description.starts_with("read account …0695"));
    let bert = bank.psu("bert").await;
    assert!(bank.app.approval_list(bert).await.unwrap().is_empty());
    let device = bank.device_enrol("anna").await;
    let approve = |text: &str| device.approve(&approvals[0], text);
    let foreign = bank.app.approval_decide(bert, &device.session_token, &id, approve(&number)).await;
    assert_eq!(refusal_reason(foreign), RefusalReason::ResourceUnknown);
    let numbers = &approvals[0].numbers;
    assert!(numbers.len() == 3 && numbers.contains(&number), "{number} in {numbers:?}");
    assert_eq!(
        &bank.app.approval_list(anna).await.unwrap()[0].numbers,
        numbers,
        "the other numbers do not change"
    );
    // Unsigned, signed for another number, signed by another device: none is an approval, and none counts as an attempt.
    let unsigned =
        ApprovalDecision::Approve { number: Secret::new(number.clone()), signature: String::new() };
    let ApprovalDecision::Approve { signature, .. } = approve("00") else { unreachable!() };
    let other = ApprovalDecision::Approve { number: Secret::new(number.clone()), signature };
    let other_device = bank.device_enrol("bert").await;
    for (mark, decision) in [
        (&device.session_token, unsigned),
        (&device.session_token, other),
        (&device.session_token, other_device.approve(&approvals[0], &number)),
        (&other_device.session_token, other_device.approve(&approvals[0], &number)),
    ] {
        assert_eq!(
            refusal_reason(bank.app.approval_decide(anna, mark, &id, decision).await),
            RefusalReason::Malformed
        );
    }
    let decided = bank.app.approval_decide(anna, &device.session_token, &id, approve(&number)).await;
    assert_eq!(decided.map(|decided| decided.status), Ok(ScaStatus::Finalised));
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Valid);
    assert!(bank.app.approval_list(anna).await.unwrap().is_empty());
    let consent = bank.consent("anna", ANNA_IBAN).await;
    let view = bank.start_with(access_consent(&consent), "anna", decoupled()).await.unwrap().value;
    let refused = bank
        .app
        .approval_decide(anna, &device.session_token, &view.id.to_string(), ApprovalDecision::Reject)
        .await;
    assert_eq!(refused.map(|decided| decided.status), Ok(ScaStatus::Failed));
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Rejected);
    assert!(bank.app.approval_list(anna).await.unwrap().is_empty(), "it cannot be decided any more");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn first_wrong_number_fails_the_authorisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, ScaSettings::sandbox("123456")).await;
    let anna = bank.psu("anna").await;
    let decoupled = StartPreferences { decoupled_preferred: true, ..Default::default() };
    let consent = bank.consent("anna", ANNA_IBAN).await;
    let view = bank.start_with(access_consent(&consent), "anna", decoupled).await.unwrap().value;
    let (id, number) = (view.id.to_string(), view.challenge.unwrap().display.unwrap());
    let (device, approvals) = (bank.device_enrol("anna").await, bank.app.approval_list(anna).await.unwrap());
    let decide = async |text: &str| {
        refusal_reason(
            bank.app
                .approval_decide(anna, &device.session_token, &id, device.approve(&approvals[0], text))
                .await,
        )
    };
    // The sandbox's OTP is not accepted as the number.
    assert_eq!(decide("123456").await, RefusalReason::CredentialsInvalid);
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Failed);
    assert_eq!(decide(&number).await, RefusalReason::ResourceUnknown);
    assert!(bank.app.approval_list(anna).await.unwrap().is_empty());
    assert_eq!(
        bank.consent_status(&consent).await,
        ConsentStatus::Received,
        "the third party may start another authorisation"
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn approval_is_shown_for_as_long_as_its_number_is_accepted(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let anna = bank.psu("anna").await;
    let decoupled = StartPreferences { decoupled_preferred: true, ..Default::default() };
    let mut started = Vec::new();
    for _ in 0..3 {
        let consent = bank.consent("anna", ANNA_IBAN).await;
        let target = access_consent(&consent);
        let id = bank.start_with(target, "anna", decoupled.clone()).await.unwrap().value.id;
        started.push((consent, id.to_string()));
    }
    bank.clock_advance(TimeDelta::minutes(4)).await;
    let approvals = bank.app.approval_list(anna).await.unwrap();
    assert_eq!(approvals.len(), 3);
    // The place of the right number must not give it away.
    assert!(approvals.iter().all(|approval| approval.numbers.is_sorted()), "{approvals:?}");
    bank.clock_advance(TimeDelta::minutes(1)).await;
    assert!(bank.app.approval_list(anna).await.unwrap().is_empty());
    for (consent, id) in started {
        assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Started, "it has not ended yet");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn push_method_of_an_embedded_authorisation_is_approved_in_the_app(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let consent = bank.consent("anna", ANNA_IBAN).await;
    let id = bank.start(&consent, "anna").await;
    let methods = bank.sign_in(&consent, &id).await.methods;
    let push = Step::Method(methods[2].id.to_string());
    let number = bank
        .step(access_consent(&consent), &id, push)
        .await
        .unwrap()
        .value
        .challenge
        .unwrap()
        .display
        .unwrap();
    let anna = bank.psu("anna").await;
    let (device, approvals) = (bank.device_enrol("anna").await, bank.app.approval_list(anna).await.unwrap());
    let approval = device.approve(&approvals[0], &number);
    let approved = bank.app.approval_decide(anna, &device.session_token, &id, approval).await;
    assert_eq!(approved.map(|decided| decided.status), Ok(ScaStatus::Finalised));
    assert_eq!(bank.sca_status(&consent, &id).await, ScaStatus::Finalised);
}
