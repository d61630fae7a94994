//! `batchBookingPreferred`: one debit for all lines of a bulk; what comes back of a line is booked on its own.

use super::bulk_payment::{INTERNAL, SEPA, authorised_order, bulk, extended, line, status};
use super::payment::{OTHER_BANK_IBAN, payer};
use super::{consented_client, iban, path};
use crate::http::payment::{
    ELENI, JONAS, balance, check_ledger, income, initiate, order, tpp, unissued_iban,
};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::payment::Fees;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;

fn batch(bank: &TestBank, lines: Vec<Value>) -> Value {
    let mut order = bulk(bank, lines);
    order["batchBookingPreferred"] = json!(true);
    order
}

/// What was booked on the payer's account today, the newest first.
async fn booked(bank: &TestBank) -> Vec<Value> {
    let reader = consented_client(bank, 0).await;
    let accounts = reader.get(&path("/v1/accounts")).await;
    let own = accounts.body["accounts"].as_array().expect("accounts").iter();
    let account = own.clone().find(|account| account["iban"] == iban(bank, 0)).expect("the payer's account");
    let id = account["resourceId"].as_str().expect("an id");
    let today = bank.days_ago(0);
    let query = format!("/v1/accounts/{id}/transactions?dateFrom={today}&bookingStatus=booked");
    let page = reader.get(&path(&query)).await;
    assert_eq!(page.status, 200, "{page:?}");
    page.body["transactions"]["booked"].as_array().expect("booked").clone()
}

fn amounts(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["transactionAmount"]["amount"].as_str().expect("an amount")).collect()
}

async fn check_day(bank: &TestBank) {
    let report = bank.app.ledger_day_report(bank.app.clock().today()).await.unwrap();
    assert!(report.differences.is_empty(), "{:?}", report.differences);
    check_ledger(bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn lines_are_one_debit_and_come_back_singly(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let fees = Fees { internal_minor: 10, sepa_minor: 35 };
    let options = TestBankOptions { fees, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let (tpp, from, to) = (payer(&bank), iban(&bank, 0), iban(&bank, 1));
    let (before, payee_before) = (balance(&bank, from).await, balance(&bank, to).await);
    let older = booked(&bank).await.len();
    let lines = vec![
        line(1, to, "Any Name", "10.01"),
        line(2, OTHER_BANK_IBAN, "Anna Muster", "20.02"),
        line(3, OTHER_BANK_IBAN, "REJECT AC04", "4.00"),
        line(4, OTHER_BANK_IBAN, "RETURN", "8.00"),
        line(5, &unissued_iban(&bank), "Niemand", "1.00"),
    ];
    let initiated = authorised_order(&bank, &tpp, SEPA, &batch(&bank, lines)).await;
    assert_eq!(initiated.text("/transactionFees/amount"), "1.25");
    bank.app.sweep(bank.app.now()).await.unwrap();
    assert_eq!(status(&bank, &tpp, &initiated).await, "PART");
    assert_eq!(
        balance(&bank, from).await,
        (before.0 - 4203 - 115, before.1),
        "debited at once, nothing held"
    );
    assert_eq!(balance(&bank, to).await, (payee_before.0 + 1001, payee_before.1));
    let entries = booked(&bank).await;
    assert_eq!(entries.len(), older + 2, "the sum and the fees: {entries:?}");
    assert_eq!(amounts(&entries)[..2], ["-1.15", "-42.03"]);
    let entry = &entries[1];
    assert_eq!(entry["batchIndicator"], true);
    assert_eq!(entry["batchNumberOfTransactions"], 4);
    assert_eq!(entry["additionalInformation"], "Bulk payment, 4 payments");
    assert_eq!(entry["bankTransactionCode"], "PMNT-ICDT-ESCT");
    let details = entry["entryDetails"].as_array().expect("details");
    assert_eq!(amounts(details), ["-10.01", "-20.02", "-4.00", "-8.00"]);
    assert_eq!(details[1]["creditorName"], "Anna Muster");
    assert_eq!(details[1]["endToEndId"], "LINE-2");
    assert_eq!(details[1]["remittanceInformationUnstructured"], "Invoice 2");
    assert!(entries[0].get("entryDetails").is_none(), "{}", entries[0]);
    check_day(&bank).await;

    bank.advance("PT5S").await;
    bank.advance("PT5S").await;
    let after = extended(&bank, &tpp, &initiated).await;
    assert_eq!(after["groupStatus"], "PART");
    let rejected = after["originalTransactionInformationAndStatus"].as_array().expect("lines");
    assert_eq!(rejected.len(), 2, "{after}");
    let entries = booked(&bank).await;
    let mut back = amounts(&entries)[..3].to_vec();
    back.sort_unstable();
    assert_eq!(back, ["0.35", "4.00", "8.00"], "the rejected line, its fee, and the return");
    let rejection = entries.iter().find(|entry| entry["transactionAmount"]["amount"] == "4.00").unwrap();
    assert_eq!(rejection["additionalInformation"], "Rejected: AC04");
    assert_eq!(rejection["debtorName"], "REJECT AC04");
    assert_eq!(rejection["endToEndId"], "LINE-3");
    assert_eq!(balance(&bank, from).await, (before.0 - 3003 - 80, before.1));
    check_day(&bank).await;
    bank.advance("P1D").await;
    assert_eq!(balance(&bank, from).await, (before.0 - 3003 - 80, before.1), "once");
    check_day(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn batch_is_rejected_without_funds_for_the_sum_and_booked_nowhere_without_a_line(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from, to) = (payer(&bank), iban(&bank, 0), iban(&bank, 1));
    let before = balance(&bank, from).await;
    let amount = format!("{}.00", before.0 / 100);
    let lines = vec![line(1, to, "Any Name", &amount), line(2, OTHER_BANK_IBAN, "Anna", &amount)];
    let short = authorised_order(&bank, &tpp, SEPA, &batch(&bank, lines)).await;
    let lines = vec![line(1, &unissued_iban(&bank), "Niemand", "1.00")];
    let unpayable = authorised_order(&bank, &tpp, INTERNAL, &batch(&bank, lines)).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    assert_eq!(status(&bank, &tpp, &short).await, "RJCT");
    assert_eq!(status(&bank, &tpp, &unpayable).await, "RJCT");
    assert_eq!(balance(&bank, from).await, before);
    check_day(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn what_a_batch_sends_back_and_what_clearing_rejects_is_no_income(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let before = income(&bank, ELENI).await;
    let received = initiate(&tpp(&bank, JONAS), crate::http::payment::INTERNAL, &order(&bank, "50.00")).await;
    bank.authorise(&tpp(&bank, JONAS), &received, &bank.sandbox_file["psus"][JONAS]).await;
    assert_eq!(income(&bank, ELENI).await, before + 5000);
    let lines =
        vec![line(1, iban(&bank, JONAS), "Jonas", "50.00"), line(2, OTHER_BANK_IBAN, "REJECT AC04", "20.00")];
    authorised_order(&bank, &payer(&bank), SEPA, &batch(&bank, lines)).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    bank.advance("PT5S").await;
    assert_eq!(income(&bank, ELENI).await, before);
    check_day(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn debit_that_is_not_the_sum_of_its_lines_is_reported(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let lines = vec![line(1, iban(&bank, 1), "Any Name", "1.00"), line(2, OTHER_BANK_IBAN, "Anna", "2.00")];
    let initiated = authorised_order(&bank, &payer(&bank), SEPA, &batch(&bank, lines)).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    check_ledger(&bank).await;
    let id = initiated.text("/paymentId");
    let literal = bank.database.uuid_literal(id.parse().unwrap());
    let open = format!("UPDATE payment SET status = 'RJCT' WHERE bulk = {literal} AND execution_number = 2");
    bank.database.tamper(&open);
    let app = bank.app.clone();
    let report = tokio::task::spawn_blocking(move || app.ledger_check()).await.unwrap().unwrap();
    assert_eq!(report.findings.len(), 1, "a rejected line was not credited: {:?}", report.findings);
    bank.database.tamper(&format!("DELETE FROM payment WHERE bulk = {literal} AND execution_number = 2"));
    let app = bank.app.clone();
    let report = tokio::task::spawn_blocking(move || app.ledger_check()).await.unwrap().unwrap();
    assert_eq!(report.findings, [format!("payment {id}: debits 100, its transfers 300")]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transaction_code_of_a_batch_says_whether_money_leaves_the_bank(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, here) = (payer(&bank), iban(&bank, 1));
    for (payees, code) in [
        ([here, here], "PMNT-ICDT-BOOK"),
        ([OTHER_BANK_IBAN, OTHER_BANK_IBAN], "PMNT-ICDT-ESCT"),
        ([here, OTHER_BANK_IBAN], "PMNT-ICDT-ESCT"),
    ] {
        let lines = payees.iter().zip(1..).map(|(payee, number)| line(number, payee, "Any Name", "1.00"));
        authorised_order(&bank, &tpp, SEPA, &batch(&bank, lines.collect())).await;
        bank.app.sweep(bank.app.now()).await.unwrap();
        let entry = booked(&bank).await[0].clone();
        assert_eq!(entry["bankTransactionCode"], code, "{payees:?}");
        assert_eq!(entry["debtorName"], "Eleni Papadaki", "{entry}");
    }
}
