//! Lines of a bulk payment that repay a loan, and lines to an unknown bank.

use super::bulk_payment::{authorised, extended, line, status};
use super::iban;
use super::payment::{OTHER_BANK_IBAN, payer};
use crate::http::loan_servicing::stands;
use crate::http::loan_transfer::bought_by_guest;
use crate::http::payment::{balance, check_ledger};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza::demo;
use trapeza_domain::clearing::RoutingTable;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;

const INTERNAL: &str = "/v1/bulk-payments/internal-transfers";
const SEPA: &str = "/v1/bulk-payments/sepa-credit-transfers";

fn repayment(number: usize, reference: &str, amount: &str) -> Value {
    let mut line = line(number, demo::collection_iban().as_str(), "Trapeza", amount);
    line["remittanceInformationUnstructured"] = json!(reference);
    line
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn lines_that_repay_one_loan_together_are_not_more_than_is_owed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from) = (payer(&bank), iban(&bank, 0));
    let loan = bought_by_guest(&bank, "120", 3).await;
    let open = stands(&bank, loan.id).await.1;
    assert_eq!(open, 12_000);
    let before = balance(&bank, from).await;
    let lines = [(1, "50.00"), (2, "40.00"), (3, "60.00"), (4, "5.00")];
    let lines = lines.map(|(number, amount)| repayment(number, &loan.reference, amount)).to_vec();
    let initiated = authorised(&bank, &tpp, INTERNAL, lines).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    assert_eq!(status(&bank, &tpp, &initiated).await, "PART");
    let rejected = json!([{ "originalEndToEndId": "LINE-3", "transactionStatus": "RJCT",
        "statusReasonInformationCode": "AM02" }]);
    let all = extended(&bank, &tpp, &initiated).await;
    assert_eq!(all["originalTransactionInformationAndStatus"], rejected);
    assert_eq!(balance(&bank, from).await, (before.0 - 9_500, before.1));
    assert_eq!(stands(&bank, loan.id).await.1, open - 9_500, "every line was booked to the loan");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn line_without_a_route_is_rejected_and_the_others_are_made(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let options = TestBankOptions { routing: Some(RoutingTable::default()), ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let (tpp, from) = (payer(&bank), iban(&bank, 0));
    let before = balance(&bank, from).await;
    let mut routed = line(2, OTHER_BANK_IBAN, "Anna Muster", "2.00");
    routed["creditorAgent"] = json!("COBADEFFXXX");
    let lines = vec![line(1, OTHER_BANK_IBAN, "Anna Muster", "1.00"), routed];
    let initiated = authorised(&bank, &tpp, SEPA, lines).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    assert_eq!(status(&bank, &tpp, &initiated).await, "PART");
    let rejected = json!([{ "originalEndToEndId": "LINE-1", "transactionStatus": "RJCT",
        "statusReasonInformationCode": "RC01" }]);
    let all = extended(&bank, &tpp, &initiated).await;
    assert_eq!(all["originalTransactionInformationAndStatus"], rejected);
    assert_eq!(balance(&bank, from).await, (before.0, before.1 + 200));
    check_ledger(&bank).await;
}
