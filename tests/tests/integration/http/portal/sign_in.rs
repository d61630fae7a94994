//! Sign-in with password and code, replayed codes, recovery codes, blocks after failures, and sessions.

use super::is_marked;
use rstest::rstest;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::portal_user::PASSWORD;
use trapeza_testkit::{PortalUser, TestBank};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn code_signs_in_once_and_recovery_code_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    user.browser.cookies.clear();
    let used = user.used_code();
    let replayed = user.sign_in(PASSWORD, &used).await;
    assert!(replayed.status == 401 && is_marked(&replayed, "code"), "{replayed:?}");
    let code = user.code();
    let signed_in = user.sign_in(PASSWORD, &code).await;
    assert_eq!(signed_in.status, 303, "{signed_in:?}");
    assert!(user.browser.get("/portal").await.says("Overview"));
    for (status, recovery) in [(303, 0), (401, 0), (303, 1)] {
        user.browser.cookies.clear();
        let recovery = user.recovery_codes[recovery].clone();
        assert_eq!(user.sign_in(PASSWORD, &recovery).await.status, status);
    }
    assert!(user.browser.get("/portal/account").await.says("<dt>Recovery codes left</dt><dd>6</dd>"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_password_wrong_code_and_unknown_address_get_the_same_answer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    user.browser.cookies.clear();
    let code = user.code();
    let wrong_password = user.sign_in("another password", &code).await;
    let wrong_code = user.sign_in(PASSWORD, "000000").await;
    user.email = "unknown@example.org".to_owned();
    let unknown = user.sign_in(PASSWORD, &code).await;
    let alerts = [&wrong_password, &wrong_code, &unknown].map(|page| page.text("role=\"alert\">").to_owned());
    assert!(alerts.iter().all(|alert| *alert == alerts[0]), "{alerts:?}");
    assert!(
        [wrong_password, wrong_code, unknown].iter().all(|page| page.status == 401 && !page.says(PASSWORD))
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn right_credentials_are_refused_after_many_failures(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let mut bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    user.browser.cookies.clear();
    assert_eq!(user.sign_in("another password", "000000").await.status, 401);
    // As after ten wrong passwords; waiting out their back-offs would take minutes.
    bank.database.tamper(
        "UPDATE sca_counter SET failures = 10, blocked_until = last_failure_at WHERE channel = 'portal'",
    );
    bank.database.tamper(match engine {
        Engine::Sqlite => "UPDATE sca_counter SET blocked_until = last_failure_at + 900000000 WHERE channel = 'portal'",
        Engine::Postgres => {
            "UPDATE sca_counter SET blocked_until = last_failure_at + INTERVAL '15 minutes' WHERE channel = 'portal'"
        }
    });
    let code = user.code();
    assert_eq!(user.sign_in(PASSWORD, &code).await.status, 401, "blocked");
    bank.advance("PT16M").await;
    assert_eq!(user.sign_in(PASSWORD, &code).await.status, 303, "the block is over");
    bank.stop().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn session_ends_by_sign_out_by_idleness_and_by_age(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let mut bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let first = user.browser.cookies.clone();
    user.post("/portal/sign-out", &[]).await;
    user.browser.cookies = first;
    assert_eq!(user.browser.get("/portal/account").await.status, 303, "signed out on the server");
    for (number, expired) in [("last_seen_at", 31), ("created_at", 12 * 60 + 1)].into_iter().enumerate() {
        user.browser.cookies.clear();
        let recovery = user.recovery_codes[number].clone();
        assert_eq!(user.sign_in(PASSWORD, &recovery).await.status, 303);
        assert_eq!(user.browser.get("/portal/account").await.status, 200);
        let (column, minutes) = expired;
        bank.database.tamper(&match engine {
            Engine::Sqlite => {
                format!("UPDATE login_session SET {column} = {column} - {}", minutes * 60_000_000_i64)
            }
            Engine::Postgres => {
                format!("UPDATE login_session SET {column} = {column} - INTERVAL '{minutes} minutes'")
            }
        });
        assert_eq!(user.browser.get("/portal/account").await.status, 303, "{column}");
    }
    // The clock of the sandbox ends no session.
    user.browser.cookies.clear();
    let recovery = user.recovery_codes[2].clone();
    user.sign_in(PASSWORD, &recovery).await;
    bank.advance("P30D").await;
    assert_eq!(user.browser.get("/portal/account").await.status, 200);
    bank.stop().await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn member_ends_another_session(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let first = user.browser.cookies.clone();
    user.browser.cookies.clear();
    let recovery = user.recovery_codes[0].clone();
    user.sign_in(PASSWORD, &recovery).await;
    let account = user.browser.get("/portal/account").await;
    let ends = account.attributes("action=\"/portal/account/sessions/");
    assert_eq!(ends.len(), 1, "{account:?}");
    let mut other = PortalUser::sign_up(&bank, "Papyrus", "jonas@example.org").await;
    let sessions = || bank.database.number("SELECT COUNT(*) FROM login_session");
    let before = sessions();
    other.post(&format!("/portal/account/sessions/{}", ends[0]), &[]).await;
    assert_eq!(sessions(), before, "it is another person's");
    user.post(&format!("/portal/account/sessions/{}", ends[0]), &[]).await;
    assert_eq!(user.browser.get("/portal/account").await.status, 200);
    user.browser.cookies = first;
    assert_eq!(user.browser.get("/portal/account").await.status, 303);
}
