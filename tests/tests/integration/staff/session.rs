//! Sessions of the console: how they end, lock-out, and that they are worth nothing in the portal and vice versa.

use super::reason;
use rstest::rstest;
use trapeza_app::login::SignInRequest;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::staff_user::password;
use trapeza_testkit::{PortalUser, StaffUser, TestBank};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn session_of_one_kind_is_unknown_to_the_other(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    // The same person with the same password in both.
    let mut member = PortalUser::sign_up(&bank, "Kyklos", "anna@bank.example").await;
    let mut staff = StaffUser::enrol(&bank, StaffRole::Support, "anna@bank.example").await;
    let code = staff.code();
    staff.sign_in(&code, "console").await.unwrap();
    let portal = member.session().to_owned();
    assert!(bank.app.portal_session(&portal).await.unwrap().is_some());
    assert!(bank.app.staff_session("console").await.unwrap().is_some());
    assert!(bank.app.staff_session(&portal).await.unwrap().is_none());
    assert!(bank.app.portal_session("console").await.unwrap().is_none());
    // The second factor of the portal does not sign in to the console.
    let code = member.code();
    assert_eq!(reason(staff.sign_in(&code, "other").await), Some(RefusalReason::CredentialsInvalid));
    let order = SignInRequest { email: staff.email.clone(), password: password(), code: staff.code() };
    assert_eq!(
        reason(bank.app.portal_sign_in(order, "other", "").await),
        Some(RefusalReason::CredentialsInvalid)
    );
    // Not even when the rows of the sessions are moved to the other login.
    let logins = bank.database.uuid_literal(staff.id.uuid());
    bank.database.tamper(&format!("UPDATE login_session SET login = {logins}"));
    assert!(bank.app.staff_session(&portal).await.unwrap().is_none());
    assert!(bank.app.portal_session(&portal).await.unwrap().is_none());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn session_ends_by_sign_out_idleness_age_and_disabling(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let anna = StaffUser::enrol(&bank, StaffRole::Support, "anna@bank.example").await;
    let administrator = StaffUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let caller = anna.sign_in(&anna.recovery_codes[0], "first").await.unwrap();
    bank.app.login_session_revoke(&caller.login(), caller.session.id).await.unwrap();
    assert!(bank.app.staff_session("first").await.unwrap().is_none(), "signed out");
    let id = anna.id;
    assert_eq!(bank.database.events("staff.signed_out"), [format!("staff:{id} by staff:{id}")]);
    for (number, (column, minutes)) in
        [("last_seen_at", 16), ("created_at", 8 * 60 + 1)].into_iter().enumerate()
    {
        anna.sign_in(&anna.recovery_codes[number + 1], column).await.unwrap();
        assert!(bank.app.staff_session(column).await.unwrap().is_some());
        bank.database.tamper(&match engine {
            Engine::Sqlite => {
                format!("UPDATE login_session SET {column} = {column} - {}", minutes * 60_000_000_i64)
            }
            Engine::Postgres => {
                format!("UPDATE login_session SET {column} = {column} - INTERVAL '{minutes} minutes'")
            }
        });
        assert!(bank.app.staff_session(column).await.unwrap().is_none(), "{column}");
    }
    anna.sign_in(&anna.recovery_codes[3], "last").await.unwrap();
    administrator.run(StaffAction::StaffDisable, &[("staff", &anna.id.to_string())]).await.unwrap();
    assert!(bank.app.staff_session("last").await.unwrap().is_none(), "disabled");
    let refused = anna.sign_in(&anna.recovery_codes[4], "more").await;
    assert_eq!(reason(refused), Some(RefusalReason::CredentialsInvalid));
    let acts = anna.run(StaffAction::PsuUnblock, &[("login", "jonas")]).await;
    assert_eq!(reason(acts), Some(RefusalReason::RoleMissing));
    administrator.run(StaffAction::StaffEnable, &[("staff", &anna.id.to_string())]).await.unwrap();
    anna.sign_in(&anna.recovery_codes[4], "again").await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn right_credentials_are_refused_after_many_failures(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let anna = StaffUser::enrol(&bank, StaffRole::Support, "anna@bank.example").await;
    assert!(anna.sign_in("000000", "first").await.is_err());
    // As after ten wrong passwords; waiting out their back-offs would take minutes.
    bank.database.tamper(match engine {
        Engine::Sqlite => {
            "UPDATE sca_counter SET failures = 10, blocked_until = last_failure_at + 900000000 WHERE channel = 'console'"
        }
        Engine::Postgres => {
            "UPDATE sca_counter SET failures = 10, blocked_until = last_failure_at + INTERVAL '15 minutes' WHERE channel = 'console'"
        }
    });
    assert!(anna.sign_in(&anna.recovery_codes[0], "second").await.is_err(), "blocked");
    bank.advance("PT16M").await;
    assert!(anna.sign_in(&anna.recovery_codes[0], "third").await.is_ok(), "the block is over");
}
