//! Enrolment, sign-in and the end of sessions on the pages.

use rstest::rstest;
use trapeza_app::login::totp;
use trapeza_domain::staff::StaffRole;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::portal_user::{PASSWORD, base32_decode};
use trapeza_testkit::{ConsoleUser, StaffUser, TestBank};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn person_enrols_with_an_authenticator_app_and_signs_in(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let token = StaffUser::invite(&bank, StaffRole::Support, "anna@bank.example").await;
    let (mut browser, link) = (bank.browser(), format!("/console/enrol?token={token}"));
    let page = browser.get(&link).await;
    let secret = base32_decode(page.text("<dt>Key</dt><dd><code>"));
    let sealed = page.attribute("name=\"sealed\" value=\"");
    let code = |offset: i64| totp::code(&secret, totp::step(bank.app.clock().system_now()) + offset);
    let send = |password: &'static str, code: String| {
        [
            ("token", token.clone()),
            ("sealed", sealed.clone()),
            ("password", password.to_owned()),
            ("code", code),
        ]
    };
    for (password, code, field) in [("short", code(0), "password"), (PASSWORD, "000000".to_owned(), "code")] {
        let fields = send(password, code);
        let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let refused = browser.send_only(&page, &fields).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.says(&format!("id=\"{field}-error\"")), "{refused:?}");
    }
    let fields = send(PASSWORD, code(-1));
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let done = browser.send_only(&page, &fields).await;
    assert_eq!((done.status, done.title().as_str()), (200, "Keep your recovery codes"), "{done:?}");
    let again = browser.get(&link).await;
    assert_eq!((again.status, again.title().as_str()), (404, "The link is not valid"));
    let page = browser.get("/console/sign-in").await;
    let code = code(0);
    let wrong = [("email", "anna@bank.example"), ("password", "another password"), ("code", &code)];
    assert_eq!(browser.send_only(&page, &wrong).await.status, 401);
    let right = [("email", "anna@bank.example"), ("password", PASSWORD), ("code", &code)];
    let home = browser.send(&page, &right).await;
    assert_eq!((home.status, home.title().as_str()), (200, "Overview"), "{home:?}");
    assert!(home.says("support"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn session_ends_by_sign_out_by_the_account_page_and_when_the_login_is_disabled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut admin = ConsoleUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let mut anna = ConsoleUser::enrol(&bank, StaffRole::Support, "anna@bank.example").await;
    let before = anna.session().to_owned();
    assert_eq!(anna.post("/console/sign-out", &[]).await.status, 303);
    anna.browser.cookies.insert("trapeza-console".to_owned(), before);
    assert_eq!(anna.browser.get("/console").await.status, 303, "the old token is worth nothing");

    let mut jonas = ConsoleUser::enrol(&bank, StaffRole::Support, "jonas@bank.example").await;
    let id = jonas.staff.id.to_string();
    let disabled = admin.act(trapeza_domain::staff::StaffAction::StaffDisable, &[("staff", &id)]).await;
    assert_eq!(disabled.status, 200, "{disabled:?}");
    assert_eq!(jonas.browser.get("/console").await.status, 303);
}
