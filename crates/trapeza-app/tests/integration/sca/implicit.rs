//! The implicit start: target and authorisation in one transaction and under one idempotency key.

use crate::fixture::refusal_reason;
use rstest::rstest;
use trapeza_app::sca::{CreatedTarget, RedirectRule, StartOption, StartPreferences};
use trapeza_domain::authorisation::{NextStep, ScaApproach, ScaStatus};
use trapeza_domain::consent::ConsentStatus;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::status_change::NotificationContent;
use trapeza_store::Tx;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::sca_fixture::{
    ANNA_IBAN, BERT_IBAN, PASSWORD, ScaBank, access_consent, password, strict,
};
use trapeza_testkit::tpp_fixture::REDIRECT_URI;

fn exclusive() -> StartPreferences {
    StartPreferences { exclusive: true, ..Default::default() }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_and_its_authorisation_are_created_together_and_replayed_together(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let create = |key: u32| {
        let (order, start) = (bank.consent_order(BERT_IBAN), StartOption::Implicit(exclusive()));
        bank.app.consent_create_with_start(bank.request(key, "x"), &bank.tpp, "bert".into(), order, start)
    };
    let first = create(900).await.unwrap();
    let CreatedTarget { object, authorisation } = first.value.clone();
    let started = authorisation.expect("the authorisation is started");
    assert_eq!((started.status, started.approach), (ScaStatus::PsuIdentified, ScaApproach::Embedded));
    assert_eq!(started.next, [NextStep::UpdatePsuAuthentication], "one approach only");
    let (consent, id) = (object.consent.id.to_string(), started.id.to_string());
    bank.sign_in(&consent, &id).await;
    let sent = bank.latest_otp().await;
    bank.submit_otp(&consent, &id, &sent).await.unwrap();
    assert_eq!(bank.consent_status(&consent).await, ConsentStatus::Valid);
    let again = create(900).await.unwrap();
    assert!(again.replayed);
    assert_eq!(again.value, first.value, "the replay shows what the first response showed");
    let list = bank.app.authorisation_list(&bank.tpp, access_consent(&consent)).await.unwrap();
    assert_eq!(list.ids, [started.id]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unregistered_redirect_uri_refuses_the_creation_as_a_whole(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let uri = |uri: &str, rule: RedirectRule| StartPreferences {
        redirect_uri: Some(uri.into()),
        redirect_rule: rule,
        ..exclusive()
    };
    let below = || RedirectRule::RegisteredOrBelow(["tpp.example".into()].into());
    for (start, is_allowed) in [
        (StartOption::Implicit(uri("https://evil.example", RedirectRule::Registered)), false),
        (StartOption::Explicit(uri("https://evil.example", below())), false),
        (StartOption::Implicit(uri("https://nottpp.example/done", below())), false),
        (StartOption::Implicit(uri("https://customer@app.tpp.example/done", below())), false),
        (StartOption::Implicit(uri("https://app.tpp.example/do\tne", below())), false),
        (StartOption::Implicit(uri("http://app.tpp.example/done", below())), false),
        (StartOption::Implicit(uri("https://app.tpp.example/done", below())), true),
        (StartOption::Implicit(uri("http://localhost:3000/", RedirectRule::Any)), true),
    ] {
        let (key, order) = (bank.new_request(), bank.consent_order(ANNA_IBAN));
        let created = bank.app.consent_create_with_start(key, &bank.tpp, "anna".into(), order, start).await;
        match is_allowed {
            true => {
                let started = created.unwrap().value.authorisation.unwrap();
                assert_eq!(
                    (started.approach, started.next),
                    (ScaApproach::Redirect, vec![NextStep::ScaRedirect])
                );
            }
            false => assert_eq!(refusal_reason(created), RefusalReason::Malformed),
        }
    }
    let count =
        |tx: &mut Tx<'_>| Ok(tx.query_one("SELECT COUNT(*) FROM consent", &[], |row| row.read::<i64>())?);
    let stored: i64 = bank.app.store().read(count).await.unwrap();
    assert_eq!(stored, 2, "a refused creation leaves no consent");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn redirect_uri_of_the_creation_serves_a_later_start(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let stored = StartPreferences { redirect_uri: Some(REDIRECT_URI.into()), ..exclusive() };
    let (order, start) = (bank.consent_order(BERT_IBAN), StartOption::Explicit(stored));
    let created =
        bank.app.consent_create_with_start(bank.new_request(), &bank.tpp, "bert".into(), order, start).await;
    let CreatedTarget { object, authorisation } = created.unwrap().value;
    assert_eq!(authorisation, None);
    let consent = object.consent.id.to_string();
    let started = bank.start_with(access_consent(&consent), "bert", exclusive()).await.unwrap().value;
    assert_eq!(started.approach, ScaApproach::Redirect);
    let token = started.redirect_token.unwrap();
    let opened = bank.app.redirect_open(&token, "mine").await.unwrap();
    assert_eq!(opened.redirect_uri.as_deref(), Some(REDIRECT_URI));
    let tried = bank.step(access_consent(&consent), &started.id.to_string(), password(PASSWORD)).await;
    assert_eq!(refusal_reason(tried), RefusalReason::StepOutOfOrder);
    // The URI of the start comes first.
    let own = StartPreferences {
        redirect_uri: Some("https://app.tpp.example/other".into()),
        redirect_rule: RedirectRule::RegisteredOrBelow(["tpp.example".into()].into()),
        ..exclusive()
    };
    let started = bank.start_with(access_consent(&consent), "bert", own).await.unwrap().value;
    let opened = bank.app.redirect_open(&started.redirect_token.unwrap(), "mine").await.unwrap();
    assert_eq!(opened.redirect_uri.as_deref(), Some("https://app.tpp.example/other"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn notifications_go_to_hosts_of_the_third_party_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = ScaBank::seed(&database, strict()).await;
    let certified = || RedirectRule::RegisteredOrBelow(["tpp.example".into()].into());
    for (uri, redirect_rule, is_allowed) in [
        ("https://hooks.tpp.example/status", certified(), true),
        ("https://hooks.tpp.example/status", RedirectRule::Registered, false),
        // The host of the registered redirect URI.
        ("https://tpp.example/status", RedirectRule::Registered, true),
        ("https://evil.example/status", certified(), false),
    ] {
        let notification = Some((uri.to_owned(), NotificationContent::ALL));
        let start = StartOption::Explicit(StartPreferences { notification, redirect_rule, ..exclusive() });
        let (key, order) = (bank.new_request(), bank.consent_order(ANNA_IBAN));
        let created = bank.app.consent_create_with_start(key, &bank.tpp, "anna".into(), order, start).await;
        match is_allowed {
            true => drop(created.unwrap()),
            false => assert_eq!(refusal_reason(created), RefusalReason::Malformed, "{uri}"),
        }
    }
    assert_eq!(database.number("SELECT COUNT(*) FROM status_subscription"), 2);
}
