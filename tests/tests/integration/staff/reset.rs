//! A reset takes everything that a person had: after a new enrolment no session, token, recovery code or passkey of before works.

use super::enrolment::response;
use super::{events, reason};
use rstest::rstest;
use trapeza_app::login::{Ceremony, RelyingParty, SignInRequest};
use trapeza_app::staff::{ActionParameters, ActionResult};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole, StaffStatus};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::staff_user::password;
use trapeza_testkit::{StaffUser, TestBank, TestPasskey};

/// Runs an action as an operator; returns the token of the enrolment link that it issues.
async fn operate(bank: &TestBank, action: StaffAction, staff: &str) -> Option<String> {
    let parameters = ActionParameters::new([("staff", staff)]);
    let done = bank.app.staff_action_run(Actor::Operator(None), action, &parameters, "").await.unwrap();
    let ActionResult::Done(outcome) = done else { panic!("an operator needs no second person") };
    outcome.enrolment.map(|token| token.expose().clone())
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_from_before_a_reset_works_after_the_new_enrolment(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let link = StaffUser::invite(&bank, StaffRole::Risk, "anna@bank.example").await;
    let staff = bank.app.staff_enrolment(&link).await.unwrap().unwrap().staff;
    let mut passkey = TestPasskey::new(&bank.base_url, staff.id.uuid());
    let party = RelyingParty { id: passkey.party.clone(), origin: passkey.origin.clone() };
    let challenge = bank.app.login_challenge(LoginKind::Staff, &link, Ceremony::Create);
    let sent = response(&passkey.create(&challenge));
    let enrolled =
        bank.app.staff_enrol_with_passkey(&link, password(), &party, "Laptop", &sent).await.unwrap();
    let recovery: Vec<String> = enrolled.codes.0.iter().map(|code| code.expose().clone()).collect();
    let order = |code: &str| SignInRequest {
        email: "anna@bank.example".to_owned(),
        password: password(),
        code: code.to_owned(),
    };
    bank.app.staff_sign_in(order(&recovery[0]), "before", "").await.unwrap();
    let (_, token) = bank.app.staff_token_create(staff.id, "report", 30).await.unwrap();
    assert!(bank.app.staff_token_authenticate(token.expose()).await.unwrap().is_some());

    let link = operate(&bank, StaffAction::StaffReset, &staff.id.to_string()).await.unwrap();
    let stored = |table: &str| bank.database.number(&format!("SELECT COUNT(*) FROM {table}"));
    let left = ["login_recovery_code", "login_session", "login_passkey"].map(stored);
    let again = StaffUser::accept(&bank, &link).await;
    assert_eq!(again.id, staff.id);
    let challenge = bank.app.login_challenge(LoginKind::Staff, "browser", Ceremony::Get);
    let sent = response(&passkey.get(&challenge));
    let by_passkey = bank.app.staff_passkey_sign_in(("browser", &party), &sent, "passkey", "").await;
    let by_code = bank.app.staff_sign_in(order(&recovery[1]), "code", "").await;
    let session = bank.app.staff_session("before").await.unwrap().is_some();
    let by_token = bank.app.staff_token_authenticate(token.expose()).await.unwrap().is_some();
    let refused = Some(RefusalReason::CredentialsInvalid);
    assert_eq!(
        (left, reason(by_passkey), reason(by_code), session, by_token),
        ([0; 3], refused, refused, false, false)
    );
    // What is new works.
    again.sign_in(&again.recovery_codes[0], "after").await.unwrap();
    assert_eq!((events(&bank, "staff.reset"), events(&bank, "staff.enrolled")), (1, 2));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn disabled_person_is_not_reset_and_does_nothing_with_tokens(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let anna = StaffUser::enrol(&bank, StaffRole::Support, "anna@bank.example").await;
    let administrator = StaffUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let (record, _) = bank.app.staff_token_create(anna.id, "report", 30).await.unwrap();
    let id = anna.id.to_string();
    assert_eq!(operate(&bank, StaffAction::StaffDisable, &id).await, None);
    let reset = administrator.run(StaffAction::StaffReset, &[("staff", &id)]).await;
    let created = bank.app.staff_token_create(anna.id, "another", 30).await;
    let listed = bank.app.staff_token_list(anna.id).await;
    let revoked = bank.app.staff_token_revoke(anna.id, record.id).await;
    let refused = Some(RefusalReason::RoleMissing);
    assert_eq!(
        (reason(reset), [reason(created), reason(listed), reason(revoked)]),
        (Some(RefusalReason::StatusInvalid), [refused; 3])
    );
    let status = async || {
        let all = bank.app.staff_list().await.unwrap();
        all.into_iter().find(|one| one.id == anna.id).unwrap().status
    };
    assert_eq!((status().await, events(&bank, "staff.reset")), (StaffStatus::Disabled, 0));
}
