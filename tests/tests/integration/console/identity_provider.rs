//! Sign-in with an identity provider that runs beside the test.

use crate::staff::{events, verify_audit};
use rstest::rstest;
use serde_json::json;
use trapeza_app::staff::{ActionParameters, ActionResult, LocalSignIn};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::staff::{StaffAction, StaffRole, StaffStatus};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::identity_provider::TestIdentityProvider;
use trapeza_testkit::portal_user::PASSWORD;
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{Browser, ConsoleUser, Page, StaffUser, TestBank};

const ANNA: &str = "anna@bank.example";

async fn bank_with(engine: Engine, issuer: &str, local_sign_in: LocalSignIn) -> TestBank {
    let option = TestIdentityProvider::option(issuer, local_sign_in);
    let options = TestBankOptions { identity_provider: Some(option), ..TestBankOptions::default() };
    TestBank::with_options(Database::new(engine), options).await
}

/// A bank whose provider signs with RS256 and has addresses in the user info, or with ES256 and has them in the ID token.
async fn start(engine: Engine) -> (TestIdentityProvider, TestBank) {
    let provider = TestIdentityProvider::start();
    let bank = bank_with(engine, &provider.issuer, LocalSignIn::Everyone).await;
    let (algorithm, claims) = match engine {
        Engine::Sqlite => ("RS256", "user_info"),
        Engine::Postgres => ("ES256", "id_token"),
    };
    provider.register(&bank, algorithm, claims).await;
    (provider, bank)
}

async fn status(bank: &TestBank, email: &str) -> StaffStatus {
    let staff = bank.app.staff_list().await.unwrap();
    staff.into_iter().find(|one| one.email.as_str() == email).unwrap().status
}

fn signed_in(page: &Page) -> bool {
    page.status == 303 && page.headers["location"] == "/console"
}

/// Asserts that a page refuses the sign-in with a text, and that the browser has no session.
async fn assert_refused(page: &Page, browser: &mut Browser, text: &str) {
    assert_eq!((page.status, page.title().as_str()), (401, "You are not signed in"), "{page:?}");
    assert!(page.says(text), "{page:?}");
    assert_eq!(browser.get("/console").await.status, 303, "no session");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn invited_person_becomes_active_by_the_provider(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (provider, bank) = start(engine).await;
    let token = StaffUser::invite(&bank, StaffRole::Support, ANNA).await;
    let mut browser = bank.browser();
    assert!(browser.get("/console/sign-in").await.says("Sign in with Bank ID"));
    provider.person("7", "Anna@Bank.example").await;
    let page = provider.sign_in(&mut browser).await;
    assert!(signed_in(&page), "{page:?}");
    let home = browser.get("/console").await;
    assert_eq!((home.status, home.title().as_str()), (200, "Overview"), "{home:?}");
    assert_eq!(status(&bank, ANNA).await, StaffStatus::Active);
    let link = bank.browser().get(&format!("/console/enrol?token={token}")).await;
    assert_eq!(link.status, 404, "the link is not needed any more: {link:?}");
    let factor = "SELECT COUNT(*) FROM audit_event WHERE action = 'staff.signed_in' AND detail LIKE '%identity_provider%'";
    assert_eq!((events(&bank, "staff.provider_linked"), bank.database.number(factor)), (1, 1));
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn callback_of_another_browser_or_of_a_finished_sign_in_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (provider, bank) = start(engine).await;
    StaffUser::invite(&bank, StaffRole::Support, ANNA).await;
    provider.person("7", ANNA).await;
    let (mut anna, mut other) = (bank.browser(), bank.browser());
    let back = provider.visit(&mut anna).await;
    let started = anna.cookies["trapeza-console"].clone();
    let page = other.get(&back).await;
    assert_refused(&page, &mut other, "not begun in this browser").await;
    assert!(signed_in(&anna.get(&back).await));
    let session = anna.cookies["trapeza-console"].clone();
    assert_ne!(started, session, "the session has another token than the sign-in");
    assert_eq!(anna.get(&back).await.status, 401, "the sign-in is finished");
    assert_eq!(anna.get("/console").await.status, 200, "the session goes on");
    // With the token of its sign-in, the provider refuses the code, which was used.
    other.cookies.insert("trapeza-console".to_owned(), started);
    let replayed = other.get(&back).await;
    assert_refused(&replayed, &mut other, "was not accepted").await;
    let wrong = format!("{}&state=x", back.replace("state=", "other="));
    let page = other.get(&wrong).await;
    assert_refused(&page, &mut other, "not begun in this browser").await;
    assert_eq!(events(&bank, "staff.sign_in_failed"), 4);
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn person_without_a_login_and_one_who_is_disabled_are_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (provider, bank) = start(engine).await;
    let admin = StaffUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let anna = StaffUser::enrol(&bank, StaffRole::Support, ANNA).await;
    let mut browser = bank.browser();
    provider.person("8", "unknown@bank.example").await;
    let page = provider.sign_in(&mut browser).await;
    assert_refused(&page, &mut browser, "you have no login in this console").await;

    let unverified = json!({ "sub": "9", "email": ANNA, "email_verified": false });
    provider.control("person", &unverified).await;
    let mut browser = bank.browser();
    let page = provider.sign_in(&mut browser).await;
    assert_refused(&page, &mut browser, "no verified e-mail address").await;

    provider.control("person", &json!({})).await;
    let mut browser = bank.browser();
    let page = provider.sign_in(&mut browser).await;
    assert_refused(&page, &mut browser, "has refused the sign-in").await;

    provider.person("7", ANNA).await;
    let mut linked = bank.browser();
    assert!(signed_in(&provider.sign_in(&mut linked).await));
    admin.run(StaffAction::StaffDisable, &[("staff", &anna.id.to_string())]).await.unwrap();
    assert_eq!(linked.get("/console").await.status, 303, "the session has ended");
    let mut browser = bank.browser();
    let page = provider.sign_in(&mut browser).await;
    assert_refused(&page, &mut browser, "your login is disabled").await;
    assert_eq!(events(&bank, "staff.sign_in_failed"), 4);
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn linked_person_is_identified_by_the_provider_and_not_by_the_address(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (provider, bank) = start(engine).await;
    let anna = StaffUser::enrol(&bank, StaffRole::Support, ANNA).await;
    let name = async |browser: &Browser| {
        let token = &browser.cookies["trapeza-console"];
        bank.app.staff_session(token).await.unwrap().map(|caller| caller.staff.id)
    };
    let mut browser = bank.browser();
    provider.person("7", ANNA).await;
    assert!(signed_in(&provider.sign_in(&mut browser).await));

    provider.person("7", "anna.pappa@bank.example").await;
    let mut browser = bank.browser();
    assert!(signed_in(&provider.sign_in(&mut browser).await));
    assert_eq!(name(&browser).await, Some(anna.id), "the address has changed, the person has not");

    provider.person("8", ANNA).await;
    let mut browser = bank.browser();
    let page = provider.sign_in(&mut browser).await;
    assert_refused(&page, &mut browser, "belongs to another person at the identity provider").await;

    // A reset removes the link; then the address finds the login again.
    let admin = StaffUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    admin.run(StaffAction::StaffReset, &[("staff", &anna.id.to_string())]).await.unwrap();
    assert_eq!(status(&bank, ANNA).await, StaffStatus::Invited);
    let mut browser = bank.browser();
    assert!(signed_in(&provider.sign_in(&mut browser).await));
    assert_eq!(name(&browser).await, Some(anna.id));
    assert_eq!(events(&bank, "staff.provider_linked"), 2);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn password_of_an_unconfirmed_enrolment_is_removed_when_the_provider_identifies_the_person(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (provider, bank) = start(engine).await;
    let admin = StaffUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let person = [("email", ANNA), ("name", "Anna"), ("role", "support")];
    let created = admin.run(StaffAction::StaffCreate, &person).await.unwrap();
    let ActionResult::Done(outcome) = created else { panic!("{created:?}") };
    // The administrator uses the link in the person's place.
    let mut attacker = StaffUser::accept(&bank, outcome.enrolment.unwrap().expose()).await;
    assert_eq!(status(&bank, ANNA).await, StaffStatus::Unconfirmed);
    provider.person("7", ANNA).await;
    assert!(signed_in(&provider.sign_in(&mut bank.browser()).await));
    assert_eq!(status(&bank, ANNA).await, StaffStatus::Active);
    let code = attacker.code();
    assert!(attacker.sign_in(&code, &bank.app.session_token_new()).await.is_err(), "the password is removed");
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn without_local_sign_in_only_administrators_have_passwords_and_links(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let provider = TestIdentityProvider::start();
    let bank = bank_with(engine, &provider.issuer, LocalSignIn::Administrators).await;
    provider.register(&bank, "RS256", "user_info").await;
    // The console must stay open to administrators when the provider fails.
    ConsoleUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let mut anna = StaffUser::enrol(&bank, StaffRole::Administrator, ANNA).await;
    let parameters = [("staff", anna.id.to_string()), ("role", "support".to_owned())];
    let parameters = ActionParameters::new(parameters);
    let operator = Actor::Operator(Some(0));
    bank.app.staff_action_run(operator, StaffAction::StaffRoleChange, &parameters, "").await.unwrap();
    let (mut browser, code) = (bank.browser(), anna.code());
    let page = browser.get("/console/sign-in").await;
    assert!(page.says("Administrators only"), "{page:?}");
    let fields = [("email", ANNA), ("password", PASSWORD), ("code", code.as_str())];
    assert_eq!(browser.send_only(&page, &fields).await.status, 401);
    let link = StaffUser::invite(&bank, StaffRole::Risk, "eleni@bank.example").await;
    let page = browser.get(&format!("/console/enrol?token={link}")).await;
    assert!(page.status == 409 && page.says("sign in with the identity provider"), "{page:?}");
    provider.person("7", ANNA).await;
    assert!(signed_in(&provider.sign_in(&mut bank.browser()).await));
}

#[tokio::test(flavor = "multi_thread")]
async fn new_keys_of_the_provider_are_read_and_a_provider_that_is_not_reachable_is_reported() {
    let (mut provider, bank) = start(Engine::Sqlite).await;
    StaffUser::invite(&bank, StaffRole::Support, ANNA).await;
    for algorithm in ["RS256", "ES256"] {
        provider.register(&bank, algorithm, "user_info").await;
        provider.person("7", ANNA).await;
        let page = provider.sign_in(&mut bank.browser()).await;
        assert!(signed_in(&page), "{algorithm}: {page:?}");
    }
    let mut browser = bank.browser();
    let back = provider.visit(&mut browser).await;
    provider.stop();
    let page = browser.get(&back).await;
    let expected = (503, "The identity provider is not available");
    assert_eq!((page.status, page.title().as_str()), expected, "{page:?}");
    let fresh = bank_with(Engine::Sqlite, &provider.issuer, LocalSignIn::Everyone).await;
    let page = fresh.browser().get("/console/sign-in/identity-provider").await;
    assert_eq!((page.status, page.title().as_str()), expected, "{page:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_whose_metadata_names_another_issuer_is_not_used() {
    let provider = TestIdentityProvider::start();
    let bank = bank_with(Engine::Sqlite, &format!("{}/", provider.issuer), LocalSignIn::Everyone).await;
    provider.register(&bank, "RS256", "user_info").await;
    assert_eq!(bank.browser().get("/console/sign-in/identity-provider").await.status, 503);
}

#[tokio::test(flavor = "multi_thread")]
async fn console_without_a_provider_has_no_such_sign_in() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut browser = bank.browser();
    assert!(!browser.get("/console/sign-in").await.says("identity-provider"));
    assert_eq!(browser.get("/console/sign-in/identity-provider").await.status, 404);
    assert_eq!(browser.get("/console/sign-in/identity-provider/callback?code=c&state=s").await.status, 404);
}
