//! Views of the ledger and the end-of-day report: every figure is compared with another way to compute it.

use super::reason;
use crate::http::loan_transfer::Incoming;
use crate::http::payment::{ELENI, JONAS, balance, iban};
use crate::http::refund::booked;
use rstest::rstest;
use std::collections::BTreeMap;
use trapeza_app::staff::ActionParameters;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::clearing::UnmatchedPolicy;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{LedgerAccountId, LedgerAccountKind};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::StaffAction;
use trapeza_domain::time::Date;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use uuid::Uuid;

async fn bank(engine: Engine) -> TestBank {
    let options = TestBankOptions { unmatched: UnmatchedPolicy::Suspend, ..TestBankOptions::default() };
    TestBank::with_options(Database::new(engine), options).await
}

async fn post(bank: &TestBank, debit: &str, credit: &str, amount: &str) {
    let id = bank.app.entropy().uuid().to_string();
    let parameters = ActionParameters::new([
        ("posting", id.as_str()),
        ("debit", debit),
        ("credit", credit),
        ("amount", amount),
        ("currency", "EUR"),
        ("text", "test"),
    ]);
    let action = StaffAction::LedgerPostManual;
    bank.app.staff_action_run(Actor::Operator(Some(0)), action, &parameters, "").await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn report_of_a_day_agrees_with_the_ledger_and_with_the_next_day(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = bank(engine).await;
    let account = iban(&bank, ELENI, 0);
    assert_eq!(Incoming::of(5_000).receive(&bank).await.suspended, 1);
    post(&bank, "4000", &account, "12.34").await;
    post(&bank, "1000", "1010", "1.00").await;
    let today = bank.app.clock().today();
    let report = bank.app.ledger_day_report(today).await.unwrap();
    assert_eq!(report.differences, []);
    for total in report.kinds.iter().filter(|total| total.currency.code() == "EUR" && !total.kind.has_owner())
    {
        let expected = booked(&bank, total.kind, Uuid::nil()).await;
        // The bank's own accounts of all currencies have the same owner.
        let others = report.kinds.iter().filter(|one| one.kind == total.kind).map(|one| one.closing_minor());
        assert_eq!(others.sum::<i64>(), expected, "{:?}", total.kind);
    }
    let stored =
        "SELECT CAST(SUM(booked_minor) AS BIGINT) FROM ledger_account WHERE kind = 2000 AND currency = 'EUR'";
    let find = |kind: LedgerAccountKind| {
        *report.kinds.iter().find(|one| one.kind == kind && one.currency.code() == "EUR").unwrap()
    };
    assert_eq!(find(LedgerAccountKind::Customer).closing_minor(), bank.database.number(stored));
    let fees = find(LedgerAccountKind::Fees);
    assert_eq!((fees.debit_minor, fees.credit_minor), (1_234, 0));
    let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
    for total in &report.kinds {
        *sums.entry(total.currency.code()).or_default() += total.closing_minor();
    }
    assert!(sums.values().all(|sum| *sum == 0), "{sums:?}");
    let manual = report.events.iter().find(|(event, _)| *event == LedgerEvent::ManualPosting).unwrap().1;
    assert_eq!((manual.count, manual.sum.minor), (2, 1_334));
    let received: Vec<_> = report.received.iter().map(|(event, sum)| (*event, sum.sum.minor)).collect();
    assert!(received.contains(&(LedgerEvent::SepaInUnknown, 5_000)), "{received:?}");
    let open = report.open.unwrap();
    assert_eq!((open.suspended[0].count, open.suspended[0].sum.minor), (1, 5_000));
    assert_eq!(open.suspended_manually[0].sum.minor, 100);
    // The next day opens with the closing balances.
    bank.advance("P1D").await;
    let next = bank.app.ledger_day_report(Date(today.0 + 1)).await.unwrap();
    for total in &next.kinds {
        let before = report.kinds.iter().find(|one| (one.kind, one.currency) == (total.kind, total.currency));
        assert_eq!(before.map_or(0, |one| one.closing_minor()), total.opening_minor, "{:?}", total.kind);
    }
    assert_eq!(bank.app.ledger_day_report(today).await.unwrap().kinds, report.kinds, "a past day stays");
    let future = bank.app.ledger_day_report(Date(today.0 + 2)).await;
    assert_eq!(reason(future), Some(RefusalReason::Malformed));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn suspense_without_its_transfer_is_a_difference(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = bank(engine).await;
    Incoming::of(5_000).receive(&bank).await;
    bank.database.tamper("DELETE FROM clearing_incoming");
    let report = bank.app.ledger_day_report(bank.app.clock().today()).await.unwrap();
    let found: Vec<_> = report.differences.iter().map(|one| (one.expected.minor, one.actual.minor)).collect();
    assert_eq!(found, [(0, 5_000)]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn accounts_and_entries_are_listed_page_by_page(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = bank(engine).await;
    let account = iban(&bank, JONAS, 0);
    for amount in ["1.00", "2.00", "3.00"] {
        post(&bank, "4000", &account, amount).await;
    }
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let page = bank.app.ledger_account_list(None, after, 7).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        all.extend(page);
    }
    let stored = bank.database.number("SELECT COUNT(*) FROM ledger_account");
    assert_eq!(i64::try_from(all.len()).unwrap(), stored);
    let customers =
        bank.app.ledger_account_list(Some(LedgerAccountKind::Customer), None, 1000).await.unwrap();
    let found = customers.iter().find(|one| one.name.as_deref() == Some(&account)).unwrap();
    assert_eq!((found.balance.minor, found.held.minor), balance(&bank, &account).await);
    let sum: i64 = all.iter().filter(|one| one.currency.code() == "EUR").map(|one| one.balance.minor).sum();
    assert_eq!(sum, 0, "accounts with and without a stored balance");
    let page = bank.app.ledger_account_page(found.id, None, 2).await.unwrap();
    let amounts = |entries: &[trapeza_app::ledger::LedgerEntryRow]| {
        entries.iter().map(|entry| entry.amount_minor).collect::<Vec<_>>()
    };
    assert_eq!(amounts(&page.entries), [300, 200]);
    assert_eq!(page.entries[0].balance_minor, Some(found.balance.minor));
    let next = bank.app.ledger_account_page(found.id, page.next, 2).await.unwrap();
    assert_eq!(next.entries[0].amount_minor, 100);
    let fees =
        all.iter().find(|one| one.kind == LedgerAccountKind::Fees && one.currency.code() == "EUR").unwrap();
    let page = bank.app.ledger_account_page(fees.id, None, 3).await.unwrap();
    assert_eq!(amounts(&page.entries), [-300, -200, -100]);
    assert_eq!((page.entries[0].counter_account, page.entries[0].balance_minor), (found.id, None));
    let unknown = bank.app.ledger_account_page(LedgerAccountId(999_999), None, 1).await;
    assert_eq!(reason(unknown), Some(RefusalReason::ResourceUnknown));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn accounts_that_do_not_sum_to_zero_are_a_difference(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = bank(engine).await;
    let today = bank.app.clock().today();
    assert_eq!(bank.app.ledger_day_report(today).await.unwrap().differences, []);
    // The credit of the last transfer is on no account.
    bank.database
        .tamper("UPDATE transfer SET credit_account = 999999 WHERE id = (SELECT MAX(id) FROM transfer)");
    let report = bank.app.ledger_day_report(today).await.unwrap();
    let names: Vec<_> = report.differences.iter().map(|one| one.name).collect();
    assert!(names.contains(&"sum of all accounts"), "{:?}", report.differences);
}
