//! Manual postings: two people, allowed pairs of accounts only, the funds of the payer, once per id, and their reversal.

use super::{events, reason, verify_audit};
use crate::http::checkout::check_ledger;
use crate::http::payment::{ELENI, JONAS, OTHER_BANK_IBAN, balance, iban, lines};
use clap::Parser;
use rstest::rstest;
use serde_json::json;
use trapeza::cli::{Cli, Command};
use trapeza::command::AdminRequest;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{StaffUser, TestBank};

pub const POST: StaffAction = StaffAction::LedgerPostManual;
const REVERSE: StaffAction = StaffAction::LedgerReverseManual;
pub const ID: &str = "6f9619ff-8b86-4011-b42d-00cf4fc964ff";

/// The parameters of a posting.
pub fn posting<'a>(
    id: &'a str,
    debit: &'a str,
    credit: &'a str,
    amount: &'a str,
) -> [(&'static str, &'a str); 6] {
    [
        ("posting", id),
        ("debit", debit),
        ("credit", credit),
        ("amount", amount),
        ("currency", "EUR"),
        ("text", "fee charged twice"),
    ]
}

pub async fn people(bank: &TestBank) -> [StaffUser; 2] {
    [
        StaffUser::enrol(bank, StaffRole::Operations, "anna@bank.example").await,
        StaffUser::enrol(bank, StaffRole::Risk, "rika@bank.example").await,
    ]
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn two_people_post_once_and_reverse_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, risk] = people(&bank).await;
    let account = iban(&bank, ELENI, 0);
    let before = balance(&bank, &account).await.0;
    let request = anna.request(POST, &posting(ID, "4000", &account, "12.34")).await;
    assert_eq!(balance(&bank, &account).await.0, before, "waits for the second person");
    bank.app.staff_request_approve(risk.id, request).await.unwrap();
    assert_eq!(balance(&bank, &account).await.0, before + 1_234);
    let line = lines(&bank, ELENI).await.body["transactions"]["booked"][0].clone();
    assert_eq!(line["transactionAmount"]["Amount"], json!("12.34"));
    assert_eq!(line["remittanceInformationUnstructured"], json!("fee charged twice"));
    let again = anna.run(POST, &posting(ID, "4000", &account, "12.34")).await;
    assert_eq!(reason(again), Some(RefusalReason::StatusInvalid), "the id is used");
    let reversal = [("posting", ID), ("text", "it was charged once")];
    let reverse = anna.request(REVERSE, &reversal).await;
    bank.app.staff_request_approve(risk.id, reverse).await.unwrap();
    assert_eq!(balance(&bank, &account).await.0, before);
    assert_eq!(reason(anna.run(REVERSE, &reversal).await), Some(RefusalReason::StatusInvalid), "once");
    let listed = bank.app.manual_posting_list(10).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].reversal.as_ref().unwrap().text, "it was charged once");
    assert_eq!(
        (events(&bank, "ledger.manually_posted"), events(&bank, "ledger.manual_posting_reversed")),
        (1, 1)
    );
    check_ledger(&bank).await;
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn posting_goes_to_the_account_of_its_currency(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, risk] = people(&bank).await;
    // One IBAN, an account in yen and one in dollars.
    let shared = iban(&bank, ELENI, 3);
    let sql = |currency: &str| {
        format!(
            "SELECT booked_minor FROM ledger_account WHERE id = (SELECT ledger_account FROM account \
             WHERE iban = '{shared}' AND currency = '{currency}')"
        )
    };
    let balances = || ["JPY", "USD"].map(|currency| bank.database.number(&sql(currency)));
    let [yen, dollars] = balances();
    for (number, currency, amount) in [(1, "USD", "12.34"), (2, "JPY", "500")] {
        let id = format!("6f9619ff-8b86-4011-b42d-00cf4fc964f{number}");
        let mut order = posting(&id, "4000", &shared, amount);
        order[4].1 = currency;
        let request = anna.request(POST, &order).await;
        bank.app.staff_request_approve(risk.id, request).await.unwrap();
    }
    assert_eq!(balances(), [yen + 500, dollars + 1_234]);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_pair_account_amount_or_text_is_refused_without_an_effect(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, risk] = people(&bank).await;
    let (own, blocked) = (iban(&bank, ELENI, 0), iban(&bank, ELENI, 2));
    let before = balance(&bank, &own).await;
    use RefusalReason::{Inconsistent, Malformed};
    for (debit, credit, amount, expected) in [
        ("1010", own.as_str(), "1.00", Inconsistent),
        ("3000", &own, "1.00", Inconsistent),
        (&own, "2200", "1.00", Inconsistent),
        ("2100", &own, "1.00", Malformed),
        ("4000", &own, "0.00", Malformed),
        ("4000", &own, "1.001", Malformed),
        ("4000", &blocked, "1.00", Malformed),
        ("4000", OTHER_BANK_IBAN, "1.00", Malformed),
        (&own, &own, "1.00", Malformed),
        ("4000", "GR00", "1.00", Malformed),
    ] {
        let refused = anna.run(POST, &posting(ID, debit, credit, amount)).await;
        assert_eq!(reason(refused), Some(expected), "{debit} {credit} {amount}");
    }
    let long = "x".repeat(141);
    let mut order = posting(ID, "4000", &own, "1.00");
    order[5].1 = &long;
    assert_eq!(reason(anna.run(POST, &order).await), Some(Malformed));
    // More than the account has: refused when it is booked, and the request has failed.
    let request = anna.request(POST, &posting(ID, &own, "4000", "99999999.00")).await;
    let refused = bank.app.staff_request_approve(risk.id, request).await;
    assert_eq!(reason(refused), Some(RefusalReason::StatusInvalid));
    let unknown = anna.run(REVERSE, &[("posting", ID), ("text", "none")]).await;
    assert_eq!(reason(unknown), Some(RefusalReason::ResourceUnknown));
    assert_eq!(balance(&bank, &own).await, before);
    assert!(bank.app.manual_posting_list(10).await.unwrap().is_empty());
    check_ledger(&bank).await;
}

/// Money may come back to a closed account, so it can be taken from there, but none is sent to it.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn closed_account_can_be_debited_and_not_credited(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, risk] = people(&bank).await;
    let (closed, own, blocked) = (iban(&bank, ELENI, 0), iban(&bank, JONAS, 0), iban(&bank, ELENI, 2));
    bank.database.tamper(&format!("UPDATE account SET status = 'deleted' WHERE iban = '{closed}'"));
    let before = [balance(&bank, &closed).await.0, balance(&bank, &own).await.0];
    for (debit, credit) in [(&own, &closed), (&blocked, &own)] {
        let refused = anna.run(POST, &posting(ID, debit, credit, "1.00")).await;
        assert_eq!(reason(refused), Some(RefusalReason::Malformed), "{debit} {credit}");
    }
    let request = anna.request(POST, &posting(ID, &closed, &own, "1.00")).await;
    bank.app.staff_request_approve(risk.id, request).await.unwrap();
    let after = [balance(&bank, &closed).await.0, balance(&bank, &own).await.0];
    assert_eq!(after, [before[0] - 100, before[1] + 100]);
    check_ledger(&bank).await;
}

/// Output and exit code of `trapeza ledger` on this bank.
fn command(bank: &TestBank, arguments: &[&str]) -> (String, i32) {
    let cli = Cli::parse_from(["trapeza", "ledger"].iter().chain(arguments));
    let Command::Ledger(command) = cli.command else { panic!("not a ledger command") };
    let app = bank.app.clone();
    let response = std::thread::spawn(move || AdminRequest::Ledger(command).execute(&app, 7)).join().unwrap();
    (response.text, response.exit)
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_post_once_per_id_reverse_and_list() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (from, to) = (iban(&bank, JONAS, 0), iban(&bank, ELENI, 0));
    let before = balance(&bank, &to).await.0;
    let post = |amount| {
        ["post", "--id", ID, "--debit", &from, "--credit", &to, "--amount", amount, "--text", "mix-up"]
    };
    let (text, exit) = command(&bank, &post("5.00"));
    assert!(exit == 0 && text.starts_with("posted 5.00 EUR from "), "{text}");
    assert_eq!(command(&bank, &post("5.00")).1, 0, "the same again");
    let (text, exit) = command(&bank, &post("6.00"));
    assert_eq!((text.as_str(), exit), ("id: another manual posting has this id\n", 1));
    assert_eq!(balance(&bank, &to).await.0, before + 500);
    assert_eq!(command(&bank, &["reverse", ID, "--text", "no mix-up"]).1, 0);
    assert_eq!(balance(&bank, &to).await.0, before);
    // The rules of pairs and amounts hold for the operator as well.
    let other = "6f9619ff-8b86-4011-b42d-00cf4fc964fe";
    for (debit, amount, reason) in
        [("1010", "5.00", "must not be credited from 1010"), (&*from, "0.00", "zero")]
    {
        let wrong =
            ["post", "--id", other, "--debit", debit, "--credit", &to, "--amount", amount, "--text", "wrong"];
        let (text, exit) = command(&bank, &wrong);
        assert!(exit == 1 && text.contains(reason), "{debit} {amount}: {text}");
    }
    assert_eq!(balance(&bank, &to).await.0, before);
    let (text, _) = command(&bank, &["postings"]);
    assert!(text.contains("\"mix-up\"  by operator:7") && text.contains("reversed at "), "{text}");
    let accounts = command(&bank, &["accounts", "--kind", "2000"]).0;
    assert!(accounts.contains(&to), "{accounts}");
    assert_eq!(command(&bank, &["accounts", "--kind", "7"]).1, 1);
    assert_eq!(command(&bank, &["report", "--date", "2035-03-99"]).1, 1);
    let report = command(&bank, &["report", "--date", "2035-03-15"]).0;
    assert!(report.contains("manual_posting_reversed") && report.ends_with("0 differences\n"), "{report}");
    let report = command(&bank, &["report", "--date", "2035-03-15", "--format", "csv"]).0;
    assert!(report.starts_with("section,name,currency,count,"), "{report}");
    assert!(report.lines().all(|line| line.matches(',').count() == 8), "{report}");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reversal_debits_a_closed_account_and_does_not_credit_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let [anna, risk] = people(&bank).await;
    let (from, to) = (iban(&bank, JONAS, 0), iban(&bank, ELENI, 0));
    let balances = async || [balance(&bank, &from).await.0, balance(&bank, &to).await.0];
    let set = |account: &str, status: &str| {
        bank.database.tamper(&format!("UPDATE account SET status = '{status}' WHERE iban = '{account}'"));
    };
    let before = balances().await;
    let request = anna.request(POST, &posting(ID, &from, &to, "1.00")).await;
    bank.app.staff_request_approve(risk.id, request).await.unwrap();
    let posted = balances().await;
    let reversal = [("posting", ID), ("text", "no mix-up")];

    let request = anna.request(REVERSE, &reversal).await;
    set(&from, "deleted");
    let refused = bank.app.staff_request_approve(risk.id, request).await;
    assert_eq!(reason(refused), Some(RefusalReason::Malformed), "the money would be on a closed account");
    let refused = anna.run(REVERSE, &reversal).await;
    assert_eq!(reason(refused), Some(RefusalReason::Malformed), "it is not even requested");
    assert_eq!(balances().await, posted);

    set(&from, "enabled");
    set(&to, "deleted");
    let request = anna.request(REVERSE, &reversal).await;
    bank.app.staff_request_approve(risk.id, request).await.unwrap();
    assert_eq!(balances().await, before);
    check_ledger(&bank).await;
}
