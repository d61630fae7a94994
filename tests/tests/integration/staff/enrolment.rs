//! Enrolment links: used once, with an authenticator app or a passkey.

use super::{events, reason};
use rstest::rstest;
use trapeza_app::login::{Ceremony, PasskeyResponse, RelyingParty, SignInRequest};
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_domain::staff::{StaffRole, StaffStatus};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::staff_user::password;
use trapeza_testkit::{PasskeyFields, StaffUser, TestBank, TestPasskey};

/// The response of a passkey as the pages send it.
pub fn response(fields: &PasskeyFields) -> PasskeyResponse {
    let field = |name| fields.iter().find(|(known, _)| *known == name).unwrap().1.clone();
    PasskeyResponse {
        credential: field("credential"),
        client_data: field("client_data"),
        authenticator_data: field("authenticator_data"),
        signature: field("signature"),
        user_handle: field("user_handle"),
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn enrolment_link_works_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let token = StaffUser::invite(&bank, StaffRole::Administrator, "Anna@Bank.example").await;
    assert_eq!(bank.app.staff_list().await.unwrap()[0].status, StaffStatus::Invited);
    let mut anna = StaffUser::accept(&bank, &token).await;
    assert_eq!(bank.app.staff_list().await.unwrap()[0].status, StaffStatus::Active);
    assert!(bank.app.staff_enrolment(&token).await.unwrap().is_none(), "the link is used");
    let again = bank.app.staff_enrol(&token, password(), "", "000000").await;
    assert_eq!(reason(again), Some(RefusalReason::ResourceUnknown));
    let code = anna.code();
    let caller = anna.sign_in(&code, "first").await.unwrap();
    assert_eq!((caller.staff.id, caller.staff.email.as_str()), (anna.id, "anna@bank.example"));
    assert_eq!(reason(anna.sign_in(&code, "second").await), Some(RefusalReason::CredentialsInvalid), "used");
    anna.sign_in(&anna.recovery_codes[0], "third").await.unwrap();
    assert_eq!((events(&bank, "staff.created"), events(&bank, "staff.enrolled")), (1, 1));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn invalid_enrolment_changes_nothing(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let token = StaffUser::invite(&bank, StaffRole::Support, "anna@bank.example").await;
    let sealed = bank.app.staff_enrolment(&token).await.unwrap().unwrap().sealed;
    let short = Secret::new("short".to_owned());
    let refused = bank.app.staff_enrol(&token, short, &sealed, "000000").await;
    assert_eq!(reason(refused), Some(RefusalReason::Malformed));
    for (sealed, code) in [(sealed.as_str(), "abcdef"), ("AAAA", "000000"), ("<", "000000")] {
        let refused = bank.app.staff_enrol(&token, password(), sealed, code).await;
        assert_eq!(reason(refused), Some(RefusalReason::CredentialsInvalid), "{sealed}");
    }
    // The page of another person.
    let other = StaffUser::invite(&bank, StaffRole::Support, "jonas@bank.example").await;
    let foreign = bank.app.staff_enrolment(&other).await.unwrap().unwrap().sealed;
    let refused = bank.app.staff_enrol(&token, password(), &foreign, "000000").await;
    assert_eq!(reason(refused), Some(RefusalReason::CredentialsInvalid));
    assert!(bank.app.staff_list().await.unwrap().iter().all(|one| one.status == StaffStatus::Invited));
    bank.database.tamper(match engine {
        Engine::Sqlite => "UPDATE staff_enrolment SET expires_at = expires_at - 3 * 86400000000",
        Engine::Postgres => "UPDATE staff_enrolment SET expires_at = expires_at - INTERVAL '3 days'",
    });
    assert!(bank.app.staff_enrolment(&token).await.unwrap().is_none(), "expired");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn passkey_of_an_enrolment_signs_in_to_the_console_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let token = StaffUser::invite(&bank, StaffRole::Risk, "anna@bank.example").await;
    let staff = bank.app.staff_enrolment(&token).await.unwrap().unwrap().staff;
    let mut passkey = TestPasskey::new(&bank.base_url, staff.id.uuid());
    let party = RelyingParty { id: passkey.party.clone(), origin: passkey.origin.clone() };
    let challenge = bank.app.login_challenge(LoginKind::Staff, &token, Ceremony::Create);
    let (sent, short) = (response(&passkey.create(&challenge)), Secret::new("short".to_owned()));
    let refused = bank.app.staff_enrol_with_passkey(&token, short, &party, "Laptop", &sent).await;
    assert_eq!(reason(refused), Some(RefusalReason::Malformed));
    assert_eq!(events(&bank, "staff.enrolled"), 0);
    let mut codes = Vec::new();
    // A challenge of the portal does not count.
    for (kind, expected) in
        [(LoginKind::Member, Some(RefusalReason::CredentialsInvalid)), (LoginKind::Staff, None)]
    {
        let challenge = bank.app.login_challenge(kind, &token, Ceremony::Create);
        let sent = response(&passkey.create(&challenge));
        let enrolled = bank.app.staff_enrol_with_passkey(&token, password(), &party, "Laptop", &sent).await;
        match (enrolled, expected) {
            (Ok(enrolled), None) => codes = enrolled.codes.0,
            (enrolled, expected) => assert_eq!(reason(enrolled), expected, "{kind:?}"),
        }
    }
    let enrolled = format!("staff:{0} by staff:{0}", staff.id);
    assert_eq!(bank.database.events("staff.enrolled"), [enrolled]);
    assert!(bank.app.staff_enrolment(&token).await.unwrap().is_none(), "the link is used");
    // The password and the recovery codes of the enrolment work, too.
    let code = codes[0].expose().clone();
    let order = SignInRequest { email: "anna@bank.example".to_owned(), password: password(), code };
    bank.app.staff_sign_in(order, "first", "").await.unwrap();
    let challenge = bank.app.login_challenge(LoginKind::Member, "browser", Ceremony::Get);
    let sent = response(&passkey.get(&challenge));
    let portal = bank.app.portal_passkey_sign_in(("browser", &party), &sent, "portal", "").await;
    assert_eq!(reason(portal), Some(RefusalReason::CredentialsInvalid));
    let challenge = bank.app.login_challenge(LoginKind::Staff, "browser", Ceremony::Get);
    let sent = response(&passkey.get(&challenge));
    let caller = bank.app.staff_passkey_sign_in(("browser", &party), &sent, "console", "").await.unwrap();
    assert_eq!(caller.staff.id, staff.id);
    assert!(bank.app.portal_session("portal").await.unwrap().is_none());
}
