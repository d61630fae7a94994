//! The bank's staff: enrolment, sign-in and sessions, who may do what, and actions that need a second person.

mod access;
mod admin_api;
mod command;
pub mod enrolment;
mod ledger_report;
mod loan_request;
pub mod manual_posting;
mod merchant;
pub mod object_view;
mod request;
mod reset;
mod session;
mod suspense;
mod tampering;
mod work_list;

use trapeza_app::UseCaseError;
use trapeza_domain::refusal::RefusalReason;
use trapeza_testkit::TestBank;

/// The reason of a refused use case.
pub fn reason<T>(result: Result<T, UseCaseError>) -> Option<RefusalReason> {
    match result {
        Err(UseCaseError::Refused(refusal)) => Some(refusal.reason),
        Err(UseCaseError::Failed(error)) => panic!("failed: {error}"),
        Ok(_) => None,
    }
}

/// The id of an application of the demo bank.
pub fn application(bank: &TestBank) -> String {
    let sql = match bank.database.column("SELECT CAST(id AS TEXT) FROM application LIMIT 1") {
        ids if ids[0].len() == 36 => {
            "SELECT CAST(id AS TEXT) FROM application WHERE name <> 'Trapeza' ORDER BY name"
        }
        _ => "SELECT lower(hex(id)) FROM application WHERE name <> 'Trapeza' ORDER BY name",
    };
    let id = bank.database.column(sql).remove(0).replace('-', "");
    uuid::Uuid::parse_str(&id).unwrap().to_string()
}

pub fn events(bank: &TestBank, action: &str) -> i64 {
    bank.database.number(&format!("SELECT COUNT(*) FROM audit_event WHERE action = '{action}'"))
}

/// Asserts that all chains of the audit log are intact.
pub async fn verify_audit(bank: &TestBank) {
    let app = bank.app.clone();
    let report = tokio::task::spawn_blocking(move || app.audit_verify(Vec::new())).await.unwrap().unwrap();
    assert!(report.findings.is_empty(), "{report:?}");
}
