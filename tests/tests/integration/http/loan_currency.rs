//! Payments to the collection account in another currency than the loan's.

use super::checkout::check_ledger;
use super::loan_servicing::stands;
use super::loan_transfer::bought_by_guest;
use super::payment::{ELENI, INTERNAL, changed, iban, initiate, order, psu, tpp};
use rstest::rstest;
use serde_json::json;
use trapeza::demo;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_in_another_currency_does_not_pay_a_loan(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let tpp = tpp(&bank, ELENI);
    // Eleni's fourth account is in dollars.
    let dollars = iban(&bank, ELENI, 3);
    let collection = demo::collection_iban().as_str().to_owned();
    let mut order = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(collection));
    order["debtorAccount"] = json!({ "iban": dollars });
    order["instructedAmount"]["currency"] = json!("USD");
    order["remittanceInformationUnstructured"] = json!(loan.reference);
    let path = initiate(&tpp, INTERNAL, &order).await;
    bank.authorise(&tpp, &path, psu(&bank, ELENI)).await;
    let paid = tpp.get(&path).await;
    assert_eq!(paid.text("/transactionStatus"), "RJCT", "{paid:?}");
    assert!(paid.text("/tppMessages/0/text").starts_with("MS03"), "no loan in this currency: {paid:?}");
    assert_eq!(stands(&bank, loan.id).await.1, 12_000);
    check_ledger(&bank).await;
}
