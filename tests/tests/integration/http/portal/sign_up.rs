//! Sign-up: bad input, the authenticator app, invitations, and what is shown once.

use super::is_marked;
use rstest::rstest;
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::time::Timestamp;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::portal_user::PASSWORD;
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{PortalUser, TestBank};

const FIELDS: [(&str, &str); 4] =
    [("organisation", "Kyklos"), ("name", "Eleni"), ("email", "eleni@example.org"), ("password", PASSWORD)];

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sign_up_shows_key_and_recovery_codes_once_and_signs_in(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let page = browser.get("/portal/sign-up").await;
    let enrolment = browser.send(&page, &FIELDS).await;
    assert!(enrolment.says("class=\"picture\"") && enrolment.says("<dt>Key</dt>"), "{enrolment:?}");
    let planted = browser.cookies["trapeza-portal"].clone();
    assert!(bank.app.organisation_list().await.unwrap().is_empty(), "nothing exists before the first code");
    let wrong = browser.send(&enrolment, &[("code", "000000")]).await;
    assert!(wrong.status == 401 && is_marked(&wrong, "code"), "{wrong:?}");
    let mut user = PortalUser::enrol(&bank, browser, enrolment, "eleni@example.org").await;
    assert_ne!(user.session(), planted, "the session has another token after the sign-in");
    assert_eq!(user.recovery_codes.len(), 8);
    let home = user.browser.get("/portal").await;
    assert!(home.says("Kyklos") && home.says("owner"), "{home:?}");
    assert_eq!(user.browser.get("/portal/enrol").await.status, 303, "the key is not shown again");
    let account = user.browser.get("/portal/account").await;
    assert!(user.recovery_codes.iter().all(|code| !account.says(code)), "{account:?}");
    assert_eq!(bank.app.organisation_list().await.unwrap().len(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bad_input_is_marked_at_its_field_and_creates_nothing(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    PortalUser::sign_up(&bank, "First", "first@example.org").await;
    let long = "x".repeat(200);
    for (field, values) in [
        ("organisation", vec!["", "a\u{202e}b", long.as_str()]),
        ("name", vec!["", "a\u{7}b", long.as_str()]),
        ("email", vec!["", "eleni", "a@b@c", "First@Example.org"]),
        ("password", vec!["", "elevenchars", long.as_str()]),
    ] {
        for value in values {
            let mut browser = bank.browser();
            let page = browser.get("/portal/sign-up").await;
            let fields = FIELDS.map(|(name, usual)| (name, if name == field { value } else { usual }));
            let refused = browser.send(&page, &fields).await;
            assert!(refused.status == 400 && is_marked(&refused, field), "{field} {value:?}: {refused:?}");
            let others = FIELDS.iter().filter(|(name, _)| *name != field);
            assert!(others.clone().all(|(name, _)| !is_marked(&refused, name)), "{refused:?}");
            assert!(!refused.says(PASSWORD), "a password is not echoed");
            assert_eq!(browser.get("/portal/enrol").await.status, 303, "no sign-up has begun");
        }
    }
    assert_eq!(bank.app.organisation_list().await.unwrap().len(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sign_up_ends_after_ten_wrong_codes(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let page = browser.get("/portal/sign-up").await;
    let enrolment = browser.send(&page, &FIELDS).await;
    for _ in 0..9 {
        assert_eq!(browser.send_only(&enrolment, &[("code", "000000")]).await.status, 401);
    }
    assert_eq!(browser.send_only(&enrolment, &[("code", "000000")]).await.status, 409);
    assert_eq!(browser.get("/portal/enrol").await.status, 303);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sign_up_ends_after_its_time(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let page = browser.get("/portal/sign-up").await;
    browser.send(&page, &FIELDS).await;
    assert_eq!(browser.get("/portal/enrol").await.status, 200);
    // Codes of an authenticator app are compared with the system's time, so that the sandbox's clock has no effect.
    let ended = bank
        .app
        .store()
        .write(|tx| Ok(tx.execute("UPDATE member_enrolment SET expires_at = $1", &[Timestamp(1).into()])?));
    assert_eq!(ended.await.unwrap(), 1);
    assert_eq!(browser.get("/portal/enrol").await.status, 303);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn production_accepts_an_invitation_once_and_for_its_address_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let options = TestBankOptions { production: true, ..TestBankOptions::default() };
    let mut bank = TestBank::with_options(Database::new(engine), options).await;
    let mut browser = bank.browser();
    assert_eq!(browser.get("/portal/sign-up").await.status, 403);
    let mut posted = vec![("csrf", "")];
    posted.extend(FIELDS);
    let token = browser.cookies["trapeza-portal"].clone();
    let csrf = bank.app.csrf_token(&token, "/portal/sign-up");
    posted[0].1 = &csrf;
    assert_eq!(browser.post("/portal/sign-up", &posted).await.status, 403, "a form without an invitation");

    let invited = bank.app.invitation_create(None, "Eleni@example.org", MemberRole::Owner).await.unwrap();
    let link = format!("/portal/sign-up?invitation={}", invited.token.expose());
    let page = browser.get(&link).await;
    let other = [
        ("invitation", invited.token.expose().as_str()),
        ("organisation", "Kyklos"),
        ("name", "Jonas"),
        ("email", "jonas@example.org"),
        ("password", PASSWORD),
    ];
    let refused = browser.send(&page, &other).await;
    assert!(refused.status == 400 && is_marked(&refused, "email"), "{refused:?}");
    PortalUser::accept(&bank, &link, "eleni@example.org").await;
    assert_eq!(bank.browser().get(&link).await.status, 403, "an invitation is accepted once");
    let expired = bank.app.invitation_create(None, "jonas@example.org", MemberRole::Owner).await.unwrap();
    let link = format!("/portal/sign-up?invitation={}", expired.token.expose());
    assert_eq!(bank.browser().get(&link).await.status, 200);
    bank.database.tamper("UPDATE member_invitation SET expires_at = created_at");
    assert_eq!(bank.browser().get(&link).await.status, 403, "an invitation expires");
    bank.stop().await;
}
