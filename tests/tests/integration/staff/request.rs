//! Actions that need a second person: never the same one, one effect, nothing after a change of the object.

use super::{application, events, reason, verify_audit};
use crate::http::checkout::check_ledger;
use crate::http::guest_refund::payable;
use crate::http::loan_servicing::{bought, iban, set_status, stands};
use crate::http::payment::OTHER_BANK_IBAN;
use rstest::rstest;
use trapeza_app::staff::ActionParameters;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::{ApplicationId, StaffRequestId};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{REQUEST_TTL, RequestStatus, StaffAction, StaffRequest, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{StaffUser, TestBank};

const DISABLE: StaffAction = StaffAction::ApplicationDisable;

/// Two of operations and one of risk.
async fn people(bank: &TestBank) -> [StaffUser; 3] {
    [
        StaffUser::enrol(bank, StaffRole::Operations, "anna@bank.example").await,
        StaffUser::enrol(bank, StaffRole::Operations, "jonas@bank.example").await,
        StaffUser::enrol(bank, StaffRole::Risk, "rika@bank.example").await,
    ]
}

async fn stored(bank: &TestBank, id: StaffRequestId) -> StaffRequest {
    let found = bank.app.store().read(move |tx| Ok(tx.staff_request_find(id)?));
    found.await.unwrap().unwrap()
}

async fn is_disabled(bank: &TestBank, id: &str) -> bool {
    let id = ApplicationId::parse(id).unwrap();
    let found = bank.app.store().read(move |tx| Ok(tx.application_find(id)?));
    found.await.unwrap().unwrap().disabled_at.is_some()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn two_people_write_off_a_loan_and_one_alone_cannot(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let loan = bought(&bank, 3).await;
    let [anna, jonas, risk] = people(&bank).await;
    let other_risk = StaffUser::enrol(&bank, StaffRole::Risk, "otto@bank.example").await;
    let id = loan.to_string();
    let early = anna.run(StaffAction::LoanWriteOff, &[("loan", &id)]).await;
    assert_eq!(reason(early), Some(RefusalReason::StatusInvalid), "nothing is late yet");
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P46D").await;
    let request = risk.request(StaffAction::LoanWriteOff, &[("loan", &id)]).await;
    for person in [&risk, &jonas] {
        let refused = bank.app.staff_request_approve(person.id, request).await;
        assert_eq!(reason(refused), Some(RefusalReason::RoleMissing), "the same person, and another role");
    }
    assert_eq!(stands(&bank, loan).await.0, "overdue");
    bank.app.staff_request_approve(other_risk.id, request).await.unwrap();
    assert_eq!(stands(&bank, loan).await.0, "writtenOff");
    let again = bank.app.staff_request_approve(other_risk.id, request).await;
    assert_eq!(reason(again), Some(RefusalReason::StatusInvalid), "once");
    let decided = stored(&bank, request).await;
    assert_eq!((decided.status, decided.decided_by), (RequestStatus::Approved, Some(other_risk.id)));
    let rows = bank.database.rows(
        "SELECT action, actor FROM audit_event WHERE action LIKE 'staff_request.%' OR action = 'loan.written_off'
         ORDER BY action",
    );
    let (by, approver) = (format!("staff:{}", risk.id), format!("staff:{}", other_risk.id));
    let expected = [
        ["loan.written_off", &approver],
        ["staff_request.approved", &approver],
        ["staff_request.created", &by],
    ];
    assert_eq!(rows, expected.map(|row| row.map(str::to_owned)));
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn race_of_approvals_has_one_effect(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, jonas, risk] = people(&bank).await;
    let id = application(&bank);
    for round in 1..=3 {
        let action = if round % 2 == 1 { DISABLE } else { StaffAction::ApplicationEnable };
        let request = anna.request(action, &[("application", &id)]).await;
        let approvals = [jonas.id, risk.id, jonas.id, risk.id].map(|person| {
            let app = bank.app.clone();
            tokio::spawn(async move { app.staff_request_approve(person, request).await })
        });
        let mut approved = 0;
        for approval in approvals {
            match reason(approval.await.unwrap()) {
                None => approved += 1,
                Some(refused) => assert_eq!(refused, RefusalReason::StatusInvalid),
            }
        }
        assert_eq!(approved, 1);
        assert_eq!(events(&bank, "staff_request.approved"), round);
        assert_eq!(events(&bank, "application.disabled") + events(&bank, "application.enabled"), round);
        assert_eq!(events(&bank, "staff_request.failed"), 0);
    }
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn same_request_is_made_again_by_another_person_or_when_the_first_has_expired(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, jonas, _] = people(&bank).await;
    let id = application(&bank);
    anna.request(DISABLE, &[("application", &id)]).await;
    let again = anna.run(DISABLE, &[("application", &id)]).await;
    assert_eq!(reason(again), Some(RefusalReason::StatusInvalid), "the first one is pending");
    jonas.request(DISABLE, &[("application", &id)]).await;
    // The sweep is late: the first request is stored as pending.
    bank.pass(REQUEST_TTL).await;
    anna.request(DISABLE, &[("application", &id)]).await;
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM staff_request WHERE status = 'pending'"), 3);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn approval_of_a_changed_object_fails_without_an_effect(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, jonas, _] = people(&bank).await;
    let id = application(&bank);
    let application = ApplicationId::parse(&id).unwrap();
    let renamed = anna.request(DISABLE, &[("application", &id)]).await;
    bank.app.application_update(application, Some("Renamed".to_owned()), None).await.unwrap();
    let refused = bank.app.staff_request_approve(jonas.id, renamed).await;
    assert_eq!(reason(refused), Some(RefusalReason::StatusInvalid));
    assert!(!is_disabled(&bank, &id).await);
    let request = stored(&bank, renamed).await;
    assert_eq!((request.status, request.decided_by), (RequestStatus::Failed, Some(jonas.id)));
    assert!(request.outcome.unwrap().contains("has changed"));
    // The action itself is not possible any more.
    let disabled = anna.request(DISABLE, &[("application", &id)]).await;
    bank.app.application_enabled_set(application, false).await.unwrap();
    assert!(bank.app.staff_request_approve(jonas.id, disabled).await.is_err());
    let request = stored(&bank, disabled).await;
    assert_eq!(request.status, RequestStatus::Failed);
    assert!(request.outcome.unwrap().contains("disabled already"));
    assert_eq!((events(&bank, "staff_request.failed"), events(&bank, "application.disabled")), (2, 1));
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn undecided_request_expires_on_read_and_by_the_sweep(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, jonas, _] = people(&bank).await;
    let id = application(&bank);
    let request = anna.request(DISABLE, &[("application", &id)]).await;
    // As if the sweep were late: the deadline passes, and nothing is stored.
    let due = bank.app.now();
    bank.database.tamper(match engine {
        Engine::Sqlite => "UPDATE staff_request SET expires_at = expires_at - 86400000000",
        Engine::Postgres => "UPDATE staff_request SET expires_at = expires_at - INTERVAL '1 day'",
    });
    let listed = bank.app.staff_request_list(jonas.id, 10).await.unwrap();
    assert_eq!(listed[0].status, RequestStatus::Expired);
    assert_eq!(stored(&bank, request).await.status, RequestStatus::Pending);
    let refused = bank.app.staff_request_approve(jonas.id, request).await;
    assert_eq!(reason(refused), Some(RefusalReason::StatusInvalid));
    assert_eq!(stored(&bank, request).await.status, RequestStatus::Expired, "stored by the attempt");
    assert!(due <= bank.app.now());
    let request = anna.request(DISABLE, &[("application", &id)]).await;
    bank.advance("PT23H").await;
    assert_eq!(stored(&bank, request).await.status, RequestStatus::Pending);
    bank.advance("PT1H").await;
    assert_eq!(stored(&bank, request).await.status, RequestStatus::Expired, "stored by the sweep");
    assert_eq!(events(&bank, "staff_request.expired"), 2);
    assert!(!is_disabled(&bank, &id).await);
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn approval_is_refused_when_a_role_was_lost_meanwhile(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, jonas, risk] = people(&bank).await;
    let administrator = StaffUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let id = application(&bank);
    let request = anna.request(DISABLE, &[("application", &id)]).await;
    let (jonas_id, anna_id) = (jonas.id.to_string(), anna.id.to_string());
    let change = [("staff", jonas_id.as_str()), ("role", "support")];
    administrator.run(StaffAction::StaffRoleChange, &change).await.unwrap();
    let refused = bank.app.staff_request_approve(jonas.id, request).await;
    assert_eq!(reason(refused), Some(RefusalReason::RoleMissing), "the approver's role");
    administrator.run(StaffAction::StaffDisable, &[("staff", &anna_id)]).await.unwrap();
    let refused = bank.app.staff_request_approve(risk.id, request).await;
    assert_eq!(reason(refused), Some(RefusalReason::RoleMissing), "the person who requested it");
    assert_eq!(stored(&bank, request).await.status, RequestStatus::Pending);
    assert!(!is_disabled(&bank, &id).await);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn request_is_rejected_or_cancelled_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, jonas, risk] = people(&bank).await;
    let id = application(&bank);
    let request = anna.request(DISABLE, &[("application", &id)]).await;
    for (person, reason_text, expected) in [
        (&anna, "no", RefusalReason::RoleMissing),
        (&jonas, " ", RefusalReason::Malformed),
        (&jonas, "a\u{202e}b", RefusalReason::Malformed),
    ] {
        let refused = bank.app.staff_request_reject(person.id, request, reason_text).await;
        assert_eq!(reason(refused), Some(expected), "{reason_text}");
    }
    bank.app.staff_request_reject(jonas.id, request, "not now").await.unwrap();
    let cancelled = anna.request(DISABLE, &[("application", &id)]).await;
    assert_eq!(
        reason(bank.app.staff_request_cancel(jonas.id, cancelled).await),
        Some(RefusalReason::RoleMissing)
    );
    bank.app.staff_request_cancel(anna.id, cancelled).await.unwrap();
    for decided in [request, cancelled] {
        assert_eq!(
            reason(bank.app.staff_request_approve(risk.id, decided).await),
            Some(RefusalReason::StatusInvalid)
        );
    }
    let statuses = bank.database.column("SELECT status FROM staff_request ORDER BY status");
    assert_eq!(statuses, ["cancelled", "rejected"]);
    assert!(!is_disabled(&bank, &id).await);
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn invalid_terms_are_refused_at_the_request_and_valid_ones_wait(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, _, risk] = people(&bank).await;
    let merchant = bank.app.merchant_list().await.unwrap().remove(0).merchant;
    let code = ("code", merchant.code.as_str());
    for wrong in [("minimum", "ten"), ("minimum", "-1"), ("discount_basis_points", "10000"), ("plans", "5:0")]
    {
        let refused = anna.run(StaffAction::MerchantTerms, &[code, wrong]).await;
        assert_eq!(reason(refused), Some(RefusalReason::Malformed), "{wrong:?}");
    }
    let change = [code, ("discount_basis_points", "777")];
    let request = anna.request(StaffAction::MerchantTerms, &change).await;
    let discount = async || {
        let merchants = bank.app.merchant_list().await.unwrap();
        merchants
            .into_iter()
            .find(|one| one.merchant.id == merchant.id)
            .unwrap()
            .merchant
            .discount_basis_points
    };
    assert_eq!(discount().await, merchant.discount_basis_points);
    bank.app.staff_request_approve(risk.id, request).await.unwrap();
    assert_eq!(discount().await, 777);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refused_payout_fails_and_a_possible_one_is_paid_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, jonas, risk] = people(&bank).await;
    let loan = payable(&bank).await;
    let id = loan.id.to_string();
    let to = |iban| [("loan", id.as_str()), ("iban", iban), ("name", "Maria Ioannou")];
    for name in [" ", "a\nb"] {
        let unnamed = [("loan", id.as_str()), ("iban", OTHER_BANK_IBAN), ("name", name)];
        let refused = anna.run(StaffAction::RefundPayout, &unnamed).await;
        assert_eq!(reason(refused), Some(RefusalReason::Malformed), "{name:?} is not even requested");
    }
    // No route leads to a bank outside of SEPA, which only the execution finds out.
    let unreachable = anna.request(StaffAction::RefundPayout, &to("TR330006100519786457841326")).await;
    let refused = bank.app.staff_request_approve(jonas.id, unreachable).await;
    assert_eq!(reason(refused), Some(RefusalReason::StatusInvalid));
    let failed = stored(&bank, unreachable).await;
    assert_eq!((failed.status, failed.decided_by), (RequestStatus::Failed, Some(jonas.id)));
    assert!(failed.outcome.unwrap().starts_with("no payment reaches this account"));
    // Two requests for the same money: the second one finds nothing payable.
    let first = anna.request(StaffAction::RefundPayout, &to(OTHER_BANK_IBAN)).await;
    let second = jonas.request(StaffAction::RefundPayout, &to(OTHER_BANK_IBAN)).await;
    bank.app.staff_request_approve(risk.id, first).await.unwrap();
    assert!(bank.app.staff_request_approve(risk.id, second).await.is_err());
    assert_eq!(stored(&bank, second).await.status, RequestStatus::Failed);
    assert_eq!(events(&bank, "loan.refund_paid_out"), 1);
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn second_of_two_changes_of_an_object_fails(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, jonas, risk] = people(&bank).await;
    let merchant = bank.app.merchant_list().await.unwrap().remove(0).merchant.code;
    let code = ("code", merchant.as_str());
    let discount = |points| [code, ("discount_basis_points", points)].to_vec();
    let account = |iban| [code, ("iban", iban), ("name", "Papyrus Books")].to_vec();
    let failed = async |request: StaffRequestId| {
        let request = stored(&bank, request).await;
        assert!(request.outcome.unwrap().contains("has changed"), "{:?}", request.action);
        request.status
    };
    for (action, first, second) in [
        (StaffAction::MerchantTerms, discount("777"), discount("778")),
        (StaffAction::MerchantSettlementAccount, account(OTHER_BANK_IBAN), account("DE89370400440532013000")),
    ] {
        let [first, second] = [anna.request(action, &first).await, jonas.request(action, &second).await];
        bank.app.staff_request_approve(risk.id, first).await.unwrap();
        let refused = bank.app.staff_request_approve(risk.id, second).await;
        assert_eq!(reason(refused), Some(RefusalReason::StatusInvalid), "{action:?}");
        assert_eq!(failed(second).await, RequestStatus::Failed, "{action:?}");
    }
    let merchants = bank.app.merchant_list().await.unwrap();
    let now = merchants.into_iter().find(|one| one.merchant.code == merchant).unwrap();
    assert_eq!(now.merchant.discount_basis_points, 777);
    assert_eq!(now.settlement.unwrap().iban.as_str(), OTHER_BANK_IBAN);

    let one = StaffUser::enrol(&bank, StaffRole::Administrator, "one@bank.example").await;
    let two = StaffUser::enrol(&bank, StaffRole::Administrator, "two@bank.example").await;
    let id = risk.id.to_string();
    let to = |role| [("staff", id.as_str()), ("role", role)];
    let first = one.request(StaffAction::StaffRoleChange, &to("auditor")).await;
    let second = two.request(StaffAction::StaffRoleChange, &to("operations")).await;
    bank.app.staff_request_approve(two.id, first).await.unwrap();
    let refused = bank.app.staff_request_approve(one.id, second).await;
    assert_eq!(reason(refused), Some(RefusalReason::StatusInvalid));
    assert_eq!(failed(second).await, RequestStatus::Failed);
    let staff = bank.app.staff_list().await.unwrap();
    assert_eq!(staff.iter().find(|person| person.id == risk.id).unwrap().role, StaffRole::Auditor);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn request_needs_a_reason(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, ..] = people(&bank).await;
    let parameters = ActionParameters::new([("application", application(&bank))]);
    for wrong in ["", " ", "a\nb", "a\u{202e}b", &"x".repeat(501)] {
        let refused = bank.app.staff_action_run(Actor::Staff(anna.id), DISABLE, &parameters, wrong).await;
        assert_eq!(reason(refused), Some(RefusalReason::Malformed), "{wrong:?}");
    }
    assert_eq!(events(&bank, "staff_request.created"), 0);
    let longest = "x".repeat(500);
    let requested = bank.app.staff_action_run(Actor::Staff(anna.id), DISABLE, &parameters, &longest).await;
    assert_eq!((reason(requested), events(&bank, "staff_request.created")), (None, 1));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn request_is_seen_by_who_may_request_approve_or_audit_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, ..] = people(&bank).await;
    let request = anna.request(DISABLE, &[("application", &application(&bank))]).await;
    for (role, sees) in [
        (StaffRole::Operations, true),
        (StaffRole::Risk, true),
        (StaffRole::Auditor, true),
        (StaffRole::Support, false),
        (StaffRole::Administrator, false),
    ] {
        let person = StaffUser::enrol(&bank, role, &format!("other-{}@bank.example", role.name())).await;
        let listed = bank.app.staff_request_list(person.id, 10).await.unwrap();
        assert_eq!(listed.len(), usize::from(sees), "{role:?}");
        let viewed = bank.app.staff_request_view(person.id, request).await;
        assert_eq!(reason(viewed), (!sees).then_some(RefusalReason::ResourceUnknown), "{role:?}");
    }
}
