//! An instant payment that was rejected at its deadline and is settled all the same, as a file of clearing reports it: the customer keeps
//! the money, and the amount is on the suspense account until the other bank returns it.

use super::clearing_files::{Setup, origin, report, returned};
use crate::http::berlin_group::instant_payment::{
    AMOUNT, advance, authorised, number, payer, rounds, status,
};
use crate::http::guest_refund::refusal_text;
use crate::http::payment::{balance, check_ledger};
use rstest::rstest;
use serde_json::json;
use trapeza_domain::clearing::{CreditTransfers, InterbankTransfer, ReasonCode, ReportedStatus};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};
use uuid::Uuid;

const LATE: &str =
    "SELECT CAST(COALESCE(SUM(amount_minor), 0) AS BIGINT) FROM transfer WHERE event = 'instant_out_late'";
const RETURNED: &str = "SELECT CAST(COALESCE(SUM(amount_minor), 0) AS BIGINT) FROM transfer
     WHERE event = 'instant_out_late_returned'";

/// A payment that clearing did not answer, after its deadline.
async fn unanswered(bank: &TestBank, tpp: &ApiClient) -> ApiResponse {
    let payment = authorised(bank, tpp, "SILENT").await;
    rounds(bank).await;
    advance(bank, 11).await;
    rounds(bank).await;
    let answer = status(bank, tpp, &payment).await;
    assert_eq!(answer["transactionStatus"], "RJCT");
    assert!(answer["psuMessage"].to_string().contains("AB05"), "{answer}");
    payment
}

/// The message in which the payment was sent, as far as answers name it.
async fn sent(bank: &TestBank) -> CreditTransfers {
    let read = bank.app.store().read(|tx| {
        let sql = "SELECT id, batch FROM clearing_transaction";
        Ok(tx.query_one(sql, &[], |row| Ok((row.read::<Uuid>()?, row.read::<Uuid>()?)))?)
    });
    let (id, batch) = read.await.unwrap();
    let transfer = InterbankTransfer {
        id: id.simple().to_string(),
        end_to_end_id: Some("INSTANT-7".to_owned()),
        amount: Money::new(AMOUNT, Currency::EUR),
        debtor_name: String::new(),
        debtor: None,
        debtor_agent: None,
        creditor_name: String::new(),
        creditor: String::new(),
        creditor_agent: None,
        creditor_address: None,
        ultimate_debtor: None,
        ultimate_creditor: None,
        purpose: None,
        remittance: None,
        creditor_reference: None,
    };
    let header = origin(&batch.simple().to_string());
    CreditTransfers { header, settlement_day: Date(23_800), transfers: vec![transfer] }
}

async fn check(setup: &Setup, tpp: &ApiClient, payment: &ApiResponse, before: (i64, i64), sums: (i64, i64)) {
    let bank = &setup.bank;
    assert_eq!((number(bank, LATE).await, number(bank, RETURNED).await), sums);
    assert_eq!(status(bank, tpp, payment).await["transactionStatus"], "RJCT", "that was reported");
    let account = crate::http::berlin_group::iban(bank, 0);
    assert_eq!(balance(bank, account).await, before, "the customer is not concerned");
    check_ledger(bank).await;
    let report = bank.app.ledger_day_report(bank.app.clock().today()).await.unwrap();
    assert!(report.differences.is_empty(), "{:?}", report.differences);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn late_settlement_in_a_file_is_on_suspense_until_it_is_returned(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::start(Database::new(engine)).await;
    let (bank, tpp) = (&setup.bank, payer(&setup.bank));
    let before = balance(bank, crate::http::berlin_group::iban(bank, 0)).await;
    let payment = unanswered(bank, &tpp).await;
    let about = sent(bank).await;

    let settled = report("REPORT-1", &about, ReportedStatus::Settled);
    setup.give_message("one.xml", &settled).await;
    check(&setup, &tpp, &payment, before, (AMOUNT, 0)).await;
    let problem = format!("payment {}", payment.text("/paymentId"));
    assert!(setup.problem_files().await.contains(&problem), "an operator learns of it");
    let events = "SELECT COUNT(*) FROM audit_event WHERE action = 'payment.settled_late'";
    assert_eq!(number(bank, events).await, 1);
    // The same file again, and the same report in another message.
    setup.give_message("two.xml", &settled).await;
    setup.give_message("three.xml", &report("REPORT-2", &about, ReportedStatus::Settled)).await;
    check(&setup, &tpp, &payment, before, (AMOUNT, 0)).await;
    assert_eq!(number(bank, events).await, 1);
    // A rejection contradicts what was reported before. It moves nothing, and the settlement is still known.
    let code = ReasonCode::ACCOUNT_CLOSED;
    setup.give_message("rejected.xml", &report("REPORT-3", &about, ReportedStatus::Rejected(code))).await;
    assert!(setup.problem_files().await.contains(&"rejected.xml".to_owned()));
    setup.give_message("settled.xml", &report("REPORT-4", &about, ReportedStatus::Settled)).await;
    check(&setup, &tpp, &payment, before, (AMOUNT, 0)).await;

    let back = returned("RETURN-1", &about, AMOUNT);
    setup.give_message("four.xml", &back).await;
    check(&setup, &tpp, &payment, before, (AMOUNT, AMOUNT)).await;
    setup.give_message("five.xml", &back).await;
    setup.give_message("six.xml", &returned("RETURN-2", &about, AMOUNT)).await;
    check(&setup, &tpp, &payment, before, (AMOUNT, AMOUNT)).await;
    let open = "SELECT COUNT(*) FROM instant_submission WHERE next_at IS NOT NULL";
    assert_eq!(number(bank, open).await, 0, "clearing is not asked any more");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn return_without_a_report_settles_late_as_well(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let setup = Setup::start(Database::new(engine)).await;
    let (bank, tpp) = (&setup.bank, payer(&setup.bank));
    let before = balance(bank, crate::http::berlin_group::iban(bank, 0)).await;
    let payment = unanswered(bank, &tpp).await;
    let about = sent(bank).await;
    setup.give_message("one.xml", &returned("RETURN-1", &about, AMOUNT)).await;
    check(&setup, &tpp, &payment, before, (AMOUNT, AMOUNT)).await;
    setup.give_message("two.xml", &report("REPORT-1", &about, ReportedStatus::Settled)).await;
    check(&setup, &tpp, &payment, before, (AMOUNT, AMOUNT)).await;
}

/// A customer with the amount of one payment, who takes the place of the demo's first one in this test.
async fn customer_with_one_amount(bank: &mut TestBank) {
    let (login, password) = ("anna.test", "correct-horse-1");
    let customer = json!({
        "psuId": login, "password": password, "name": "Anna Test", "phone": "+306900000200", "methods": ["SMSOTP"],
    });
    let created = bank.anonymous().post("/sandbox/customers", &customer).await;
    assert!(created.status < 300, "{created:?}");
    let account = json!({ "owners": [login], "openingBalance": "12.34" });
    let opened = bank.anonymous().post("/sandbox/accounts", &account).await;
    assert!(opened.status < 300, "{opened:?}");
    let accounts = json!([{ "iban": opened.text("/iban") }]);
    bank.sandbox_file["psus"][0] = json!({ "psu_id": login, "password": password, "accounts": accounts });
}

/// A payment that clearing did not answer, of a customer with the amount of one payment; and the message in which it was sent.
async fn unanswered_of_one_amount(engine: Engine) -> (Setup, ApiClient, CreditTransfers) {
    let mut setup = Setup::start(Database::new(engine)).await;
    customer_with_one_amount(&mut setup.bank).await;
    let tpp = payer(&setup.bank);
    unanswered(&setup.bank, &tpp).await;
    let about = sent(&setup.bank).await;
    (setup, tpp, about)
}

/// Pays the amount to another bank, after which the customer has nothing, and closes the customer.
async fn empty_and_close(bank: &TestBank, tpp: &ApiClient) {
    let rest = authorised(bank, tpp, "Anna Muster").await;
    rounds(bank).await;
    assert_eq!(status(bank, tpp, &rest).await["transactionStatus"], "ACSC");
    assert_eq!(balance(bank, crate::http::berlin_group::iban(bank, 0)).await, (0, 0));
    bank.app.psu_close("anna.test").await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_is_closed_after_an_instant_payment_that_clearing_did_not_answer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (setup, tpp, about) = unanswered_of_one_amount(engine).await;
    let bank = &setup.bank;
    let not_sent = authorised(bank, &tpp, "Anna Muster").await;
    let refused = refusal_text(bank.app.psu_close("anna.test").await);
    assert!(refused.contains(not_sent.text("/paymentId")), "the one on its way: {refused}");
    advance(bank, 11).await;
    rounds(bank).await;
    assert_eq!(status(bank, &tpp, &not_sent).await["transactionStatus"], "RJCT");
    empty_and_close(bank, &tpp).await;
    // The bank pays what is settled after that.
    setup.give_message("one.xml", &report("REPORT-1", &about, ReportedStatus::Settled)).await;
    assert_eq!(number(bank, LATE).await, AMOUNT);
    check_ledger(bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn return_without_a_report_answers_the_payment(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (setup, tpp, about) = unanswered_of_one_amount(engine).await;
    let bank = &setup.bank;
    setup.give_message("one.xml", &returned("RETURN-1", &about, AMOUNT)).await;
    let answered =
        "SELECT COUNT(*) FROM clearing_transaction WHERE answered_at IS NOT NULL AND returned_at IS NOT NULL";
    assert_eq!(number(bank, answered).await, 1);
    empty_and_close(bank, &tpp).await;
    check_ledger(bank).await;
}
