//! What staff do by SQL instead of an action is noticed by `audit verify`.

use super::{application, verify_audit};
use rstest::rstest;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{StaffUser, TestBank};

async fn findings(bank: &TestBank) -> Vec<String> {
    let app = bank.app.clone();
    tokio::task::spawn_blocking(move || app.audit_verify(Vec::new())).await.unwrap().unwrap().findings
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn change_by_sql_contradicts_the_audit_log(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let anna = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "risk@bank.example").await;
    let admin = StaffUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let application = application(&bank);
    // Everything that staff can do leaves the log and the state in agreement.
    let request = anna.request(StaffAction::ApplicationDisable, &[("application", &application)]).await;
    bank.app.staff_request_approve(risk.id, request).await.unwrap();
    let request = anna.request(StaffAction::ApplicationEnable, &[("application", &application)]).await;
    bank.app.staff_request_reject(risk.id, request, "no").await.unwrap();
    let id = risk.id.to_string();
    admin.run(StaffAction::StaffRoleChange, &[("staff", &id), ("role", "auditor")]).await.unwrap();
    let new = [("email", "new@bank.example"), ("name", "New"), ("role", "risk")];
    let created = admin.run(StaffAction::StaffCreate, &new).await.unwrap();
    let trapeza_app::staff::ActionResult::Done(outcome) = created else { panic!("{created:?}") };
    let new = StaffUser::accept(&bank, outcome.enrolment.unwrap().expose()).await;
    verify_audit(&bank).await;
    for (change, undo, expected) in [
        (
            "UPDATE staff SET role = 'administrator' WHERE role = 'operations'",
            "UPDATE staff SET role = 'operations' WHERE id IN (SELECT id FROM login WHERE email = 'anna@bank.example')",
            "has the role administrator, and the audit log says operations",
        ),
        (
            "UPDATE staff SET link_holder = NULL WHERE name = 'New'",
            "UPDATE staff SET link_holder = (SELECT s.id FROM staff s WHERE s.role = 'administrator') WHERE name = 'New'",
            "is active, and the audit log has no confirmation",
        ),
        (
            "UPDATE staff_request SET status = 'approved' WHERE status = 'rejected'",
            "UPDATE staff_request SET status = 'rejected' WHERE action = 'application.enable'",
            "is approved, and the audit log says rejected",
        ),
        (
            "UPDATE staff_request SET decided_by = requested_by WHERE status = 'approved'",
            "",
            "is approved, and the audit log says approved, or another person",
        ),
    ] {
        bank.database.tamper(change);
        let found = findings(&bank).await;
        assert!(found.iter().any(|text| text.contains(expected)), "{change}: {found:?}");
        if !undo.is_empty() {
            bank.database.tamper(undo);
            verify_audit(&bank).await;
        }
    }
    bank.database.tamper("UPDATE application SET disabled_at = NULL");
    let found = findings(&bank).await;
    assert!(
        found.iter().any(|text| text.contains("is enabled, and the audit log says disabled")),
        "{found:?}"
    );
    new.confirm(Actor::Operator(Some(0))).await.unwrap();
}
