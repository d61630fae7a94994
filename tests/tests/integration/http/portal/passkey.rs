//! Passkeys in the portal: added, used, removed; every wrong response is refused.

use super::is_marked;
use rstest::rstest;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Browser, Page, PasskeyFields, PortalUser, TestBank, TestPasskey};

const ACCOUNT: &str = "/portal/account";
const CREATE: &str = "/portal/account/passkeys/create";
const SIGN_IN: &str = "/portal/sign-in/passkey";

/// Adds a passkey to the account of a user.
pub async fn add(bank: &TestBank, user: &mut PortalUser) -> TestPasskey {
    let page = user.browser.get(ACCOUNT).await;
    let id = page.attribute("data-user=\"").parse().unwrap();
    let passkey = TestPasskey::new(&bank.base_url, id);
    let fields = passkey.create(&page.attribute("data-challenge=\""));
    let added = send(user, "Laptop", &fields).await;
    assert_eq!(added.status, 303, "{added:?}");
    passkey
}

async fn send(user: &mut PortalUser, name: &str, fields: &PasskeyFields) -> Page {
    let mut all = vec![("name", name)];
    all.extend(fields.iter().map(|(name, value)| (*name, value.as_str())));
    user.post(CREATE, &all).await
}

/// Sends the sign-in form of a page with the response of a passkey.
pub async fn sign_in(bank: &TestBank, browser: &mut Browser, fields: &PasskeyFields) -> Page {
    let csrf = bank.app.csrf_token(&browser.cookies["trapeza-portal"], SIGN_IN);
    let mut all = vec![("csrf", csrf.as_str())];
    all.extend(fields.iter().map(|(name, value)| (*name, value.as_str())));
    browser.post(SIGN_IN, &all).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn passkey_signs_in_until_it_is_removed(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let mut passkey = add(&bank, &mut user).await;
    let account = user.browser.get(ACCOUNT).await;
    assert!(account.says("<td>Laptop</td>") && account.says("<td>never</td>"), "{account:?}");
    for _ in 0..2 {
        let mut browser = bank.browser();
        let challenge = browser.get("/portal/sign-in").await.attribute("data-challenge=\"");
        let before = browser.cookies["trapeza-portal"].clone();
        let fields = passkey.get(&challenge);
        let signed_in = sign_in(&bank, &mut browser, &fields).await;
        assert_eq!(signed_in.status, 303, "{signed_in:?}");
        assert_ne!(browser.cookies["trapeza-portal"], before, "the session has another token");
        assert!(browser.get("/portal").await.says("Kyklos"));
    }
    let account = user.browser.get(ACCOUNT).await;
    assert!(!account.says("<td>never</td>"), "{account:?}");
    let remove = account.attributes(&format!("action=\"{ACCOUNT}/passkeys/"));
    let remove = remove.iter().find(|path| path.ends_with("/remove")).unwrap();
    let mut other = PortalUser::sign_up(&bank, "Papyrus", "jonas@example.org").await;
    other.post(&format!("{ACCOUNT}/passkeys/{remove}"), &[]).await;
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM login_passkey"), 1, "it is another person's");
    assert_eq!(user.post(&format!("{ACCOUNT}/passkeys/{remove}"), &[]).await.status, 303);
    let mut browser = bank.browser();
    let challenge = browser.get("/portal/sign-in").await.attribute("data-challenge=\"");
    let fields = passkey.get(&challenge);
    assert_eq!(sign_in(&bank, &mut browser, &fields).await.status, 401, "it is removed");
    let member = bank.app.portal_session(user.session()).await.unwrap().unwrap().member.id;
    for action in ["member.passkey_added", "member.passkey_removed"] {
        assert_eq!(bank.database.events(action), [format!("member:{member} by member:{member}")], "{action}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_responses_do_not_sign_in(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let mut passkey = add(&bank, &mut user).await;
    passkey.count = 10;
    let mut other = TestPasskey::new(&bank.base_url, passkey.user);
    other.credential.clone_from(&passkey.credential);
    type Change = fn(&mut TestPasskey);
    let changes: [(&str, Change); 8] = [
        ("another origin", |passkey| passkey.origin = "https://attacker.example".to_owned()),
        ("another party", |passkey| passkey.party = "attacker.example".to_owned()),
        ("a frame of another site", |passkey| passkey.cross_origin = true),
        ("an absent user", |passkey| passkey.flags = 4),
        ("an unverified user", |passkey| passkey.flags = 1),
        ("an unknown credential", |passkey| passkey.credential = vec![1; 16]),
        ("another user", |passkey| passkey.user = uuid::Uuid::from_u128(7)),
        ("no credential", |passkey| passkey.credential.clear()),
    ];
    let mut browser = bank.browser();
    let challenge = browser.get("/portal/sign-in").await.attribute("data-challenge=\"");
    for (name, change) in changes {
        let (origin, party, credential, user) =
            (passkey.origin.clone(), passkey.party.clone(), passkey.credential.clone(), passkey.user);
        change(&mut passkey);
        let fields = passkey.get(&challenge);
        assert_eq!(sign_in(&bank, &mut browser, &fields).await.status, 401, "{name}");
        (passkey.origin, passkey.party, passkey.credential, passkey.user) = (origin, party, credential, user);
        (passkey.cross_origin, passkey.flags) = (false, 5);
    }
    let fields = other.get(&challenge);
    assert_eq!(sign_in(&bank, &mut browser, &fields).await.status, 401, "the signature of another key");
    let fields = passkey.create(&challenge);
    assert_eq!(sign_in(&bank, &mut browser, &fields).await.status, 401, "a registration");
    for foreign in
        [bank.browser().get("/portal/sign-in").await.attribute("data-challenge=\""), "AAAA".to_owned()]
    {
        let fields = passkey.get(&foreign);
        assert_eq!(
            sign_in(&bank, &mut browser, &fields).await.status,
            401,
            "the challenge of another browser"
        );
    }
    for (place, _) in passkey.get(&challenge).into_iter().enumerate() {
        let mut fields = passkey.get(&challenge);
        fields[place].1 = "<script>".to_owned();
        let refused = sign_in(&bank, &mut browser, &fields).await;
        assert!(refused.status == 401 && !refused.says("<script>alert"), "{place}: {refused:?}");
    }
    // The right response signs in once; its repetition and a lower counter do not.
    let before = browser.cookies.clone();
    let fields = passkey.get(&challenge);
    assert_eq!(sign_in(&bank, &mut browser, &fields).await.status, 303);
    browser.cookies.clone_from(&before);
    assert_eq!(sign_in(&bank, &mut browser, &fields).await.status, 401, "replayed");
    let fields = passkey.get(&challenge);
    assert_eq!(sign_in(&bank, &mut browser, &fields).await.status, 401, "the challenge is used");
    let challenge = browser.get("/portal/sign-in").await.attribute("data-challenge=\"");
    passkey.count = 3;
    let fields = passkey.get(&challenge);
    assert_eq!(sign_in(&bank, &mut browser, &fields).await.status, 401, "a copy with a lower counter");
    assert!(!browser.get("/portal").await.says("Kyklos"), "no session began");
    // What was wrong with a known passkey of its person is written down.
    let failed = bank.database.events("member.sign_in_failed");
    let own = format!(
        "member:{} by bank",
        bank.app.portal_session(user.session()).await.unwrap().unwrap().member.id
    );
    assert!(failed.len() >= 4 && failed.iter().all(|event| *event == own), "{failed:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn passkey_of_a_disabled_login_does_not_sign_in_and_leaves_an_event(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let mut passkey = add(&bank, &mut user).await;
    let mut browser = bank.browser();
    let challenge = browser.get("/portal/sign-in").await.attribute("data-challenge=\"");
    bank.database.tamper("UPDATE login SET disabled_at = (SELECT MAX(created_at) FROM application)");
    let fields = passkey.get(&challenge);
    assert_eq!(sign_in(&bank, &mut browser, &fields).await.status, 401);
    assert_eq!(bank.database.events("member.sign_in_failed").len(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_registrations_add_nothing(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let page = user.browser.get(ACCOUNT).await;
    let challenge = page.attribute("data-challenge=\"");
    let mut passkey = TestPasskey::new(&bank.base_url, page.attribute("data-user=\"").parse().unwrap());
    let long = "x".repeat(200);
    for name in ["", "a\u{202e}b", &long] {
        let refused = send(&mut user, name, &passkey.create(&challenge)).await;
        assert!(refused.status == 400 && is_marked(&refused, "name"), "{name:?}: {refused:?}");
    }
    let mut wrong = vec![vec![], passkey.get(&challenge), passkey.create("AAAA")];
    passkey.flags = 1;
    wrong.push(passkey.create(&challenge));
    passkey.flags = 5;
    passkey.origin = "https://attacker.example".to_owned();
    wrong.push(passkey.create(&challenge));
    passkey = TestPasskey::new(&bank.base_url, passkey.user);
    let sign_in_challenge = bank.browser().get("/portal/sign-in").await.attribute("data-challenge=\"");
    wrong.push(passkey.create(&sign_in_challenge));
    for (number, fields) in wrong.iter().enumerate() {
        let refused = send(&mut user, "Laptop", fields).await;
        assert_eq!(refused.status, 400, "{number}: {refused:?}");
    }
    assert!(user.browser.get(ACCOUNT).await.says("You have no passkeys."));
    let fields = passkey.create(&challenge);
    assert_eq!(send(&mut user, "Laptop", &fields).await.status, 303);
    assert_eq!(send(&mut user, "Laptop", &fields).await.status, 400, "the same passkey again");
    // A session that was left open adds none.
    bank.database.tamper(match engine {
        Engine::Sqlite => "UPDATE login_session SET created_at = created_at - 960000000",
        Engine::Postgres => "UPDATE login_session SET created_at = created_at - INTERVAL '16 minutes'",
    });
    let page = user.browser.get(ACCOUNT).await;
    let second = TestPasskey::new(&bank.base_url, passkey.user);
    let late = send(&mut user, "Phone", &second.create(&page.attribute("data-challenge=\""))).await;
    assert_eq!(late.status, 400, "{late:?}");
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM login_passkey"), 1);
}
