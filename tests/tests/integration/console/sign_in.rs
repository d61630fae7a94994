//! Enrolment, sign-in and the end of sessions on the pages.

use rstest::rstest;
use trapeza_app::login::totp;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::portal_user::{PASSWORD, base32_decode};
use trapeza_testkit::{ConsoleUser, StaffUser, TestBank, TestPasskey};

const ACCOUNT: &str = "/console/account";

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
    let disabled = admin.act(StaffAction::StaffDisable, &[("staff", &id)]).await;
    assert_eq!(disabled.status, 200, "{disabled:?}");
    assert_eq!(jonas.browser.get("/console").await.status, 303);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn login_whose_link_an_administrator_has_seen_is_confirmed_by_another_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut anna = ConsoleUser::enrol(&bank, StaffRole::Administrator, "anna@bank.example").await;
    let mut jonas = ConsoleUser::enrol(&bank, StaffRole::Administrator, "jonas@bank.example").await;
    let person = [("email", "eleni@bank.example"), ("name", "Eleni"), ("role", "operations")];
    let requested = anna.act(StaffAction::StaffCreate, &person).await.headers["location"].clone();
    let created = jonas.post(&format!("{requested}/approve"), &[]).await;
    let link = created.text("<dt>Link, shown only now</dt><dd><code>").to_owned();
    // Jonas has the link and could enrol in Eleni's place.
    let mut eleni = StaffUser::accept(&bank, link.split_once("token=").unwrap().1).await;
    let (id, code) = (eleni.id.to_string(), eleni.confirmation.clone().unwrap());
    let sign_in = async |eleni: &mut StaffUser| {
        let (mut browser, code) = (bank.browser(), eleni.code());
        let page = browser.get("/console/sign-in").await;
        let fields = [("email", eleni.email.as_str()), ("password", PASSWORD), ("code", code.as_str())];
        browser.send_only(&page, &fields).await
    };
    let early = sign_in(&mut eleni).await;
    assert_eq!(early.status, 401, "{early:?}");
    assert!(early.says("an administrator must confirm this login first"), "{early:?}");
    let refused = jonas.act(StaffAction::StaffConfirm, &[("staff", &id), ("code", &code)]).await;
    assert_eq!((refused.status, refused.title().as_str()), (403, "Not permitted"), "{refused:?}");
    let wrong = anna.act(StaffAction::StaffConfirm, &[("staff", &id), ("code", "AAAAAAAA")]).await;
    assert_eq!(wrong.status, 400, "{wrong:?}");
    let confirmed =
        anna.act(StaffAction::StaffConfirm, &[("staff", &id), ("code", &code.to_lowercase())]).await;
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    assert_eq!(sign_in(&mut eleni).await.status, 303);
    let again = anna.act(StaffAction::StaffConfirm, &[("staff", &id), ("code", &code)]).await;
    assert!(again.status == 400 && again.says("the member of the staff is active"), "{again:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn requests_are_seen_by_the_roles_that_decide_them_and_by_auditors(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut operations = ConsoleUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let application = crate::staff::application(&bank);
    let requested = operations.act(StaffAction::ApplicationDisable, &[("application", &application)]).await;
    let path = requested.headers["location"].clone();
    for (role, status) in [
        (StaffRole::Risk, 200),
        (StaffRole::Auditor, 200),
        (StaffRole::Support, 404),
        (StaffRole::Administrator, 404),
    ] {
        let mut person = ConsoleUser::enrol(&bank, role, &format!("{}@bank.example", role.name())).await;
        assert_eq!(person.browser.get(&path).await.status, status, "{role:?}");
        let listed = person.browser.get("/console/requests").await.says(&path);
        assert_eq!(listed, status == 200, "{role:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn token_is_shown_once_and_revoked_by_its_owner_alone(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    const TOKENS: &str = "/console/account/tokens";
    let bank = TestBank::start(Database::new(engine)).await;
    let mut anna = ConsoleUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let mut jonas = ConsoleUser::enrol(&bank, StaffRole::Operations, "jonas@bank.example").await;
    let created = anna.post(TOKENS, &[("name", "night export"), ("days", "30")]).await;
    let token = created.text("<dt>Token, shown only now</dt><dd><code>").to_owned();
    let client = bank.anonymous().with("Authorization", &format!("Bearer {token}"));
    let list = anna.browser.get(TOKENS).await;
    assert!(list.says("<td>night export</td>") && list.says("<td>never</td>"), "{list:?}");
    assert!(!list.says(&token) && !jonas.browser.get(TOKENS).await.says("night export"));
    let revoke = format!("{TOKENS}/{}", list.attribute(&format!("action=\"{TOKENS}/")));
    assert_eq!(jonas.post(&revoke, &[]).await.status, 404);
    assert_eq!(client.get("/admin/v1/actions").await.status, 200);
    assert_eq!(anna.post(&revoke, &[]).await.status, 303);
    assert_eq!(client.get("/admin/v1/actions").await.status, 401);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn passkey_is_added_and_removed_with_an_event(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut anna = ConsoleUser::enrol(&bank, StaffRole::Support, "anna@bank.example").await;
    let mut other = ConsoleUser::enrol(&bank, StaffRole::Support, "bert@bank.example").await;
    let page = anna.browser.get(ACCOUNT).await;
    let passkey = TestPasskey::new(&bank.base_url, page.attribute("data-user=\"").parse().unwrap());
    let sent = passkey.create(&page.attribute("data-challenge=\""));
    let mut fields = vec![("name", "Laptop")];
    fields.extend(sent.iter().map(|(name, value)| (*name, value.as_str())));
    let create = format!("{ACCOUNT}/passkeys/create");
    assert_eq!(anna.post(&create, &fields).await.status, 303);
    let own = [format!("staff:{0} by staff:{0}", anna.staff.id)];
    assert_eq!(bank.database.events("staff.passkey_added"), own);
    assert_eq!(anna.post(&create, &fields).await.status, 400, "the challenge is used");
    assert_eq!(bank.database.events("staff.passkey_added").len(), 1, "a refused one has no event");
    let page = anna.browser.get(ACCOUNT).await;
    assert!(page.says("<td>Laptop</td>"), "{page:?}");
    let remove = page.attributes(&format!("action=\"{ACCOUNT}/passkeys/"));
    let remove = remove.iter().find(|path| path.ends_with("/remove")).unwrap();
    let remove = format!("{ACCOUNT}/passkeys/{remove}");
    assert_eq!(other.post(&remove, &[]).await.status, 404, "it is another person's");
    assert_eq!(bank.database.events("staff.passkey_removed"), [] as [String; 0]);
    assert_eq!(anna.post(&remove, &[]).await.status, 303);
    assert_eq!(bank.database.events("staff.passkey_removed"), own);
    assert_eq!(anna.post(&remove, &[]).await.status, 404, "it is removed");
    assert_eq!(bank.database.events("staff.passkey_removed").len(), 1);
}
