//! The work lists of staff: what is on them, who sees them, and that looks at personal data are recorded.

use super::object_view::{callbacks, kill, something_of_everything};
use super::{application, events, reason, verify_audit};
use crate::http::checkout::{JONAS, basket};
use crate::http::clearing::{authorised, away};
use crate::http::credential_limits::block_app;
use crate::http::loan_servicing::set_status;
use crate::http::loan_transfer::Incoming;
use crate::http::payment::{text, tpp};
use rstest::rstest;
use trapeza_app::search::SearchKind;
use trapeza_app::work_list::{WorkList, WorkListKind};
use trapeza_domain::account::AccountStatus;
use trapeza_domain::application::CertificateStatus;
use trapeza_domain::clearing::UnmatchedPolicy;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_domain::time::TimeDelta;
use trapeza_store::CertificateRecord;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{StaffUser, TestBank};

async fn list(bank: &TestBank, person: &StaffUser, kind: WorkListKind) -> WorkList {
    let list = bank.app.work_list(person.id, kind, 50).await.unwrap();
    for row in &list.rows {
        assert_eq!(row.cells.len(), list.columns.len(), "{kind:?}: {row:?}");
    }
    list
}

/// What the rows are about, and their actions.
async fn found(
    bank: &TestBank,
    person: &StaffUser,
    kind: WorkListKind,
) -> Vec<(Option<SearchKind>, Vec<StaffAction>)> {
    let rows = list(bank, person, kind).await.rows.into_iter();
    let row = rows.map(|row| {
        let actions = row.actions.iter().map(|available| available.action).collect();
        (row.object.map(|(kind, _)| kind), actions)
    });
    row.collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn list_is_refused_to_other_roles_and_recorded_when_it_has_personal_data(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut looks = 0;
    for role in StaffRole::ALL {
        let person = StaffUser::enrol(&bank, *role, &format!("{}@bank.example", role.name())).await;
        for kind in WorkListKind::ALL {
            let seen = reason(bank.app.work_list(person.id, *kind, 10).await);
            let may = kind.roles().contains(role);
            assert_eq!(seen, (!may).then_some(RefusalReason::RoleMissing), "{role:?} {kind:?}");
            looks += i64::from(may && kind.is_personal());
            assert_eq!(events(&bank, "personal_data.viewed"), looks, "{role:?} {kind:?}");
        }
        let counts = bank.app.work_list_counts(person.id).await.unwrap();
        let counted: Vec<WorkListKind> = counts.iter().map(|count| count.kind).collect();
        let visible = WorkListKind::ALL.iter().copied().filter(|kind| kind.roles().contains(role));
        assert_eq!(counted, visible.collect::<Vec<_>>(), "{role:?}");
        assert_eq!(events(&bank, "personal_data.viewed"), looks, "counts show no person");
    }
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payments_are_listed_when_they_were_rejected_or_are_not_answered(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let operations = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let client = tpp(&bank, JONAS);
    authorised(&bank, &client, &away(&bank, "REJECT AC04")).await;
    authorised(&bank, &client, &away(&bank, "SILENT")).await;
    bank.advance("PT5S").await;
    let (rejected, stuck) = (WorkListKind::RejectedPayments, WorkListKind::StuckPayments);
    let one = vec![(Some(SearchKind::Payment), vec![])];
    assert_eq!(found(&bank, &operations, rejected).await, one);
    assert!(list(&bank, &operations, rejected).await.rows[0].cells[4].contains("AC04"));
    assert_eq!(found(&bank, &operations, stuck).await, [], "clearing has a day");
    bank.advance("PT25H").await;
    assert_eq!(found(&bank, &operations, stuck).await, one);
    // The id is the one that the view takes.
    let (kind, id) = list(&bank, &operations, stuck).await.rows[0].object.clone().unwrap();
    let view = bank.app.object_view(operations.id, kind, &id).await.unwrap();
    assert_eq!(view.status.as_deref(), Some("ACSP"));
    bank.advance("P31D").await;
    assert_eq!(found(&bank, &operations, rejected).await, [], "a month later");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loans_callbacks_problems_certificates_and_requests_are_listed_with_their_actions(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let operations = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let auditor = StaffUser::enrol(&bank, StaffRole::Auditor, "otto@bank.example").await;
    something_of_everything(&bank).await;
    for kind in WorkListKind::ALL {
        assert_eq!(found(&bank, &operations, *kind).await, [], "{kind:?}");
    }
    kill(&bank, &callbacks(&bank).await[0].to_string()).await;
    bank.app.clearing_problem_record("file.xml", "is not XML").await.unwrap();
    let (id, now) = (ApplicationId::parse(&application(&bank)).unwrap(), bank.app.now());
    let expires = |days| CertificateRecord {
        fingerprint: [7; 32],
        organisation: "PSDGR-BOG-1".to_owned(),
        status: CertificateStatus::Active,
        expires_at: now.plus(TimeDelta::days(days)),
    };
    // The other certificates of the application are blocked, so that its last one expires soon.
    let soon = expires(20);
    let changed = bank.app.store().write(move |tx| {
        for other in tx.certificate_list(id)? {
            let blocked = CertificateRecord { status: CertificateStatus::Blocked, ..other };
            tx.certificate_upsert(id, &blocked, now)?;
        }
        Ok(tx.certificate_upsert(id, &soon, now)?)
    });
    changed.await.unwrap();
    let request =
        operations.request(StaffAction::ApplicationDisable, &[("application", &id.to_string())]).await;

    let replay = vec![StaffAction::CallbackReplay];
    assert_eq!(
        found(&bank, &operations, WorkListKind::DeadCallbacks).await,
        [(Some(SearchKind::Callback), replay)]
    );
    assert_eq!(
        found(&bank, &auditor, WorkListKind::DeadCallbacks).await,
        [(Some(SearchKind::Callback), vec![])],
        "an auditor looks"
    );
    let acknowledge = vec![StaffAction::ClearingAcknowledge];
    assert_eq!(found(&bank, &operations, WorkListKind::ClearingProblems).await, [(None, acknowledge)]);
    assert_eq!(
        found(&bank, &operations, WorkListKind::ExpiringCertificates).await,
        [(Some(SearchKind::Application), vec![])]
    );
    let pending = list(&bank, &auditor, WorkListKind::PendingRequests).await;
    assert_eq!(pending.rows.len(), 1);
    assert!(pending.rows[0].cells.contains(&request.to_string()));
    let support = StaffUser::enrol(&bank, StaffRole::Support, "support@bank.example").await;
    assert_eq!(found(&bank, &support, WorkListKind::PendingRequests).await, [], "of other roles");
    bank.app.staff_request_cancel(operations.id, request).await.unwrap();
    assert_eq!(found(&bank, &auditor, WorkListKind::PendingRequests).await, []);

    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P46D").await;
    assert_eq!(
        found(&bank, &operations, WorkListKind::OverdueLoans).await,
        [(Some(SearchKind::Loan), vec![StaffAction::LoanWriteOff])]
    );
    let counts = bank.app.work_list_counts(operations.id).await.unwrap();
    let overdue = counts.iter().find(|count| count.kind == WorkListKind::OverdueLoans).unwrap();
    assert_eq!((overdue.count, overdue.more), (Some(1), false));
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn blocked_customers_and_telephone_numbers_are_listed_until_they_are_unblocked(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let support = StaffUser::enrol(&bank, StaffRole::Support, "support@bank.example").await;
    let psu = bank.sandbox_file["psus"][JONAS].clone();
    let (login, phone) = (text(&psu["psu_id"]), text(&psu["phone"]));
    let (customers, phones) = (WorkListKind::BlockedCustomers, WorkListKind::BlockedPhones);
    // A block of a login that does not exist is on no list.
    block_app(&bank, "no-customer").await;
    assert_eq!(found(&bank, &support, customers).await, []);
    block_app(&bank, login).await;
    assert_eq!(
        found(&bank, &support, customers).await,
        [(Some(SearchKind::Customer), vec![StaffAction::PsuUnblock])]
    );
    assert_eq!(found(&bank, &support, phones).await, []);
    let (bought, mut browser) = (basket(&bank, 1, "450").await, bank.browser());
    let start = browser.get(&bought.checkout).await;
    let phone_page = browser.send(&start, &[("step", "open")]).await;
    let sent = browser.send(&phone_page, &[("step", "phone"), ("phone", phone)]).await;
    for _ in 0..2 {
        for _ in 0..3 {
            assert_eq!(browser.send(&sent, &[("step", "code"), ("code", "000000")]).await.status, 401);
        }
        bank.advance("PT31S").await;
        browser.send(&sent, &[("step", "phone"), ("phone", phone)]).await;
    }
    let listed = list(&bank, &support, phones).await;
    assert_eq!(listed.rows.len(), 1, "{listed:?}");
    assert_eq!(listed.rows[0].cells[0], phone);
    assert_eq!(listed.rows[0].object.as_ref().unwrap().0, SearchKind::Customer);
    support.run(StaffAction::PsuUnblock, &[("login", login)]).await.unwrap();
    support.run(StaffAction::PhoneUnblock, &[("phone", phone)]).await.unwrap();
    for kind in [customers, phones] {
        assert_eq!(found(&bank, &support, kind).await, [], "{kind:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn list_says_when_there_are_more_rows(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let operations = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    for number in 0..3 {
        bank.app.clearing_problem_record(&format!("{number}.xml"), "is not XML").await.unwrap();
    }
    for (limit, rows, more) in [(0, 1, true), (2, 2, true), (3, 3, false), (usize::MAX, 3, false)] {
        let list = bank.app.work_list(operations.id, WorkListKind::ClearingProblems, limit).await.unwrap();
        assert_eq!((list.rows.len(), list.more), (rows, more), "{limit}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn suspended_transfers_are_listed_until_they_are_returned(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let options = TestBankOptions { unmatched: UnmatchedPolicy::Suspend, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let operations = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    Incoming { unstructured: Some("my debt"), ..Incoming::of(5_000) }.receive(&bank).await;
    let listed = list(&bank, &operations, WorkListKind::SuspendedTransfers).await;
    assert_eq!(listed.rows.len(), 1, "{listed:?}");
    let actions: Vec<StaffAction> = listed.rows[0].actions.iter().map(|one| one.action).collect();
    assert_eq!(actions, [StaffAction::ClearingReturn, StaffAction::ClearingMatch]);
    let (kind, id) = listed.rows[0].object.clone().unwrap();
    let view = bank.app.object_view(operations.id, kind, &id).await.unwrap();
    assert_eq!(view.actions, listed.rows[0].actions, "the same actions on the page of the transfer");
    operations.run(StaffAction::ClearingReturn, &[("transfer", &id)]).await.unwrap();
    assert_eq!(found(&bank, &operations, WorkListKind::SuspendedTransfers).await, []);
}
