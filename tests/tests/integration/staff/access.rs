//! Which role may do what, and when a second person is needed.

use super::{events, reason, verify_audit};
use rstest::rstest;
use trapeza_app::staff::ActionResult;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole, StaffStatus};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{StaffUser, TestBank};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_action_is_refused_to_the_roles_that_may_not_request_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let before = events(&bank, "staff_request.created");
    for role in StaffRole::ALL {
        let user = StaffUser::enrol(&bank, *role, &format!("{}@bank.example", role.name())).await;
        for action in StaffAction::ALL {
            let refused = reason(user.run(*action, &[]).await);
            // Without parameters no action is executed; who has the role learns that they are missing.
            let expected = match action.rule().request.contains(role) {
                true => [Some(RefusalReason::Malformed), Some(RefusalReason::Unsupported)],
                false => [Some(RefusalReason::RoleMissing); 2],
            };
            assert!(expected.contains(&refused), "{role:?} {action:?}: {refused:?}");
        }
    }
    assert_eq!(events(&bank, "staff_request.created"), before);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unblock_needs_a_second_person_after_two_times(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let support = StaffUser::enrol(&bank, StaffRole::Support, "support@bank.example").await;
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "risk@bank.example").await;
    let login = bank.sandbox_file["psus"][0]["psu_id"].as_str().unwrap().to_owned();
    for (action, parameter) in [
        (StaffAction::PsuUnblock, ("login", login.as_str())),
        (StaffAction::PhoneUnblock, ("phone", "+306912345678")),
    ] {
        for _ in 0..2 {
            let done = support.run(action, &[parameter]).await.unwrap();
            assert!(matches!(done, ActionResult::Done(_)), "{done:?}");
        }
        let request = support.request(action, &[parameter]).await;
        assert!(bank.app.staff_request_approve(support.id, request).await.is_err());
        bank.app.staff_request_approve(risk.id, request).await.unwrap();
    }
    assert_eq!((events(&bank, "psu.unblocked"), events(&bank, "phone.unblocked")), (3, 3));
    let other = bank.sandbox_file["psus"][1]["psu_id"].as_str().unwrap().to_owned();
    let done = support.run(StaffAction::PsuUnblock, &[("login", &other)]).await.unwrap();
    assert!(matches!(done, ActionResult::Done(_)), "another customer");
    bank.advance("P31D").await;
    let done = support.run(StaffAction::PsuUnblock, &[("login", &login)]).await.unwrap();
    assert!(matches!(done, ActionResult::Done(_)), "a month later");
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn administrator_creates_staff_alone_until_there_is_another_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let first = StaffUser::enrol(&bank, StaffRole::Administrator, "first@bank.example").await;
    let new = |email, role| [("email", email), ("name", "Staff"), ("role", role)];
    let alone = first.run(StaffAction::StaffCreate, &new("second@bank.example", "administrator")).await;
    let ActionResult::Done(outcome) = alone.unwrap() else { panic!("there is no other administrator") };
    let token = outcome.enrolment.unwrap();
    let second = StaffUser::accept(&bank, token.expose()).await;
    // There is no other administrator who could confirm it.
    second.confirm(Actor::Operator(Some(0))).await.unwrap();
    let used = first.run(StaffAction::StaffCreate, &new("SECOND@bank.example", "risk")).await;
    assert_eq!(reason(used), Some(RefusalReason::Malformed), "the address is used");
    let request = first.request(StaffAction::StaffCreate, &new("third@bank.example", "risk")).await;
    assert_eq!(bank.app.staff_list().await.unwrap().len(), 2, "nothing is created before the approval");
    let approved = bank.app.staff_request_approve(second.id, request).await.unwrap();
    let third = StaffUser::accept(&bank, approved.enrolment.unwrap().expose()).await;
    // A sign-in before the confirmation is recorded as failed, and has no session that the confirmation would make valid.
    let early = third.sign_in(&third.recovery_codes[0], "early").await;
    assert_eq!(reason(early), Some(RefusalReason::StatusInvalid));
    assert_eq!((events(&bank, "staff.signed_in"), events(&bank, "staff.sign_in_failed")), (0, 1));
    let refused = third.confirm(Actor::Staff(second.id)).await;
    assert_eq!(reason(refused), Some(RefusalReason::RoleMissing), "the approver has seen the link");
    third.confirm(Actor::Staff(first.id)).await.unwrap();
    assert_eq!(bank.app.staff_session("early").await.unwrap(), None);
    let third_id = third.id.to_string();
    let change = [("staff", third_id.as_str()), ("role", "auditor")];
    let request = second.request(StaffAction::StaffRoleChange, &change).await;
    bank.app.staff_request_approve(first.id, request).await.unwrap();
    let staff = bank.app.staff_list().await.unwrap();
    assert_eq!((staff[2].role, staff[2].status), (StaffRole::Auditor, StaffStatus::Active));
    assert!(
        !bank.database.column("SELECT outcome FROM staff_request").iter().any(|text| text.contains("token"))
    );
    // The last administrator stays.
    let (first_id, second_id) = (first.id.to_string(), second.id.to_string());
    first.run(StaffAction::StaffDisable, &[("staff", &second_id)]).await.unwrap();
    for (action, parameters) in [
        (StaffAction::StaffDisable, vec![("staff", first_id.as_str())]),
        (StaffAction::StaffRoleChange, vec![("staff", first_id.as_str()), ("role", "risk")]),
    ] {
        assert_eq!(reason(first.run(action, &parameters).await), Some(RefusalReason::StatusInvalid));
    }
    // Who has disabled the other one is not the only one who decides: the operator is the second person then.
    for (action, parameters) in [
        (StaffAction::StaffCreate, new("fourth@bank.example", "administrator").to_vec()),
        (StaffAction::StaffRoleChange, vec![("staff", third_id.as_str()), ("role", "administrator")]),
        (StaffAction::StaffEnable, vec![("staff", second_id.as_str())]),
        (StaffAction::StaffReset, vec![("staff", third_id.as_str())]),
    ] {
        let requested = first.run(action, &parameters).await.unwrap();
        assert!(matches!(requested, ActionResult::Requested(_)), "{action:?}: {requested:?}");
    }
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn look_at_personal_data_is_recorded_with_its_person(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let auditor = StaffUser::enrol(&bank, StaffRole::Auditor, "auditor@bank.example").await;
    let parameters = [("object", "psu"), ("id", "6f9619ff-8b86-d011-b42d-00cf4fc964ff")];
    auditor.run(StaffAction::PersonalDataView, &parameters).await.unwrap();
    let rows =
        bank.database.rows("SELECT actor, object FROM audit_event WHERE action = 'personal_data.viewed'");
    assert_eq!(rows, [[format!("staff:{}", auditor.id), format!("psu:{}", parameters[1].1)]]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn login_is_confirmed_with_the_code_that_its_person_was_shown(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let first = StaffUser::enrol(&bank, StaffRole::Administrator, "first@bank.example").await;
    let second = StaffUser::enrol(&bank, StaffRole::Administrator, "second@bank.example").await;
    let new = [("email", "third@bank.example"), ("name", "Staff"), ("role", "risk")];
    let request = first.request(StaffAction::StaffCreate, &new).await;
    let approved = bank.app.staff_request_approve(second.id, request).await.unwrap();
    let third = StaffUser::accept(&bank, approved.enrolment.unwrap().expose()).await;
    let (id, code) = (third.id.to_string(), third.confirmation.clone().unwrap());
    let confirm = async |code: &str| {
        reason(first.run(StaffAction::StaffConfirm, &[("staff", id.as_str()), ("code", code)]).await)
    };
    for wrong in ["", "AAAAAAAA", &code[1..]] {
        assert_eq!(confirm(wrong).await, Some(RefusalReason::Malformed), "{wrong:?}");
    }
    let early = third.sign_in(&third.recovery_codes[0], "early").await;
    assert_eq!(reason(early), Some(RefusalReason::StatusInvalid));
    assert_eq!(events(&bank, "staff.confirmed"), 0);
    assert_eq!(confirm(&format!(" {} ", code.to_lowercase())).await, None);
    assert_eq!(confirm(&code).await, Some(RefusalReason::StatusInvalid), "once");
    assert_eq!(events(&bank, "staff.confirmed"), 1);
}
