//! Instant payments: accepted, rejected, unanswered and answered too late. The sandbox's clearing house decides by the payee's name.

use super::{authorise, client, iban, link, path, psu, refusal};
use crate::http::payment::{balance, check_ledger};
use rstest::rstest;
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use trapeza_app::InstantPort;
use trapeza_domain::clearing::{CreditTransfers, ReportedStatus};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

pub(crate) const OTHER_BANK_IBAN: &str = "DE89370400440532013000";
pub(crate) const PRODUCT: &str = "/v1/payments/instant-sepa-credit-transfers";
pub const AMOUNT: i64 = 1_234;

pub fn payer(bank: &TestBank) -> ApiClient {
    client(bank, 0).with("PSU-IP-Address", "192.0.2.7").with("TPP-Explicit-Authorisation-Preferred", "true")
}

fn order(bank: &TestBank, creditor: &str, name: &str) -> Value {
    json!({
        "endToEndIdentification": "INSTANT-7",
        "debtorAccount": { "iban": iban(bank, 0) },
        "instructedAmount": { "currency": "EUR", "amount": "12.34" },
        "creditorAccount": { "iban": creditor },
        "creditorName": name,
    })
}

/// A payment that the customer has authorised and that was not sent yet.
pub async fn authorised(bank: &TestBank, tpp: &ApiClient, name: &str) -> ApiResponse {
    let initiated = tpp.post(&path(PRODUCT), &order(bank, OTHER_BANK_IBAN, name)).await;
    authorise(bank, tpp, &initiated, 0).await;
    initiated
}

pub async fn status(bank: &TestBank, tpp: &ApiClient, payment: &ApiResponse) -> Value {
    tpp.get(&link(bank, payment, "status")).await.body
}

pub async fn advance(bank: &TestBank, seconds: i64) {
    bank.app.clock_advance(TimeDelta::seconds(seconds)).await.unwrap();
}

/// Does what is due until nothing is.
pub async fn rounds(bank: &TestBank) {
    while bank.app.instant_round().await.unwrap() > 0 {}
}

pub async fn number(bank: &TestBank, sql: &'static str) -> i64 {
    let read = bank.app.store().read(move |tx| Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?));
    read.await.unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn accepted_instant_payment_is_debited_on_the_answer_and_cannot_be_cancelled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, account) = (payer(&bank), iban(&bank, 0).to_owned());
    let (booked, held) = balance(&bank, &account).await;
    let payment = authorised(&bank, &tpp, "Anna Muster").await;
    assert_eq!(status(&bank, &tpp, &payment).await["transactionStatus"], "ACSP");
    assert_eq!(balance(&bank, &account).await, (booked, held + AMOUNT));
    let cancelled = tpp.delete(&link(&bank, &payment, "self")).await;
    assert_eq!(refusal(&cancelled), (405, "CANCELLATION_INVALID".to_owned()));
    // Two processes: one of them sends it.
    let (one, two) = tokio::join!(bank.app.instant_claim(), bank.app.instant_claim());
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!(one.len() + two.len(), 1);
    for step in one.into_iter().chain(two) {
        bank.app.instant_process(step).await.unwrap();
    }
    let expected = json!({ "transactionStatus": "ACSC", "fundsAvailable": true });
    assert_eq!(status(&bank, &tpp, &payment).await, expected);
    assert_eq!(balance(&bank, &account).await, (booked - AMOUNT, held));
    advance(&bank, 90_000).await;
    rounds(&bank).await;
    assert_eq!(status(&bank, &tpp, &payment).await, expected);
    assert_eq!(balance(&bank, &account).await, (booked - AMOUNT, held));
    let native = bank.tpp(0).get(&format!("{PRODUCT}/{}", payment.text("/paymentId"))).await;
    assert_eq!(native.status, 404, "the native interface has no such product");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn rejected_instant_payment_releases_its_hold_with_the_reason(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, account) = (payer(&bank), iban(&bank, 0).to_owned());
    let before = balance(&bank, &account).await;
    let payment = authorised(&bank, &tpp, "REJECT AC04").await;
    rounds(&bank).await;
    let answer = status(&bank, &tpp, &payment).await;
    assert_eq!(answer["transactionStatus"], "RJCT");
    assert!(answer["psuMessage"].to_string().contains("AC04"), "{answer}");
    assert_eq!(balance(&bank, &account).await, before);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unanswered_instant_payment_is_rejected_at_its_deadline(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, account) = (payer(&bank), iban(&bank, 0).to_owned());
    let before = balance(&bank, &account).await;
    let payment = authorised(&bank, &tpp, "SILENT").await;
    rounds(&bank).await;
    assert_eq!(status(&bank, &tpp, &payment).await["transactionStatus"], "ACSP");
    let interrupted = authorised(&bank, &tpp, "Anna Muster").await;
    // The process dies after it has sent the second one, before the answer.
    drop(bank.app.instant_claim().await.unwrap());
    advance(&bank, 11).await;
    rounds(&bank).await;
    let answer = status(&bank, &tpp, &payment).await;
    assert_eq!(answer["transactionStatus"], "RJCT");
    assert!(answer["psuMessage"].to_string().contains("AB05"), "{answer}");
    // The answer that was missed is asked for.
    assert_eq!(status(&bank, &tpp, &interrupted).await["transactionStatus"], "ACSC");
    let (booked, held) = balance(&bank, &account).await;
    assert_eq!((booked, held), (before.0 - AMOUNT, before.1));
    // After a day without an outcome it is listed for the operator.
    for _ in 0..16 {
        advance(&bank, 7_200).await;
        rounds(&bank).await;
    }
    let open = number(&bank, "SELECT COUNT(*) FROM instant_submission WHERE next_at IS NOT NULL").await;
    let problems = number(&bank, "SELECT COUNT(*) FROM clearing_problem").await;
    assert_eq!((open, problems), (0, 1));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn instant_payment_not_sent_in_time_is_rejected_without_a_query(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, account) = (payer(&bank), iban(&bank, 0).to_owned());
    let before = balance(&bank, &account).await;
    let payment = authorised(&bank, &tpp, "Anna Muster").await;
    advance(&bank, 11).await;
    rounds(&bank).await;
    let answer = status(&bank, &tpp, &payment).await;
    assert_eq!(answer["transactionStatus"], "RJCT");
    assert!(answer["psuMessage"].to_string().contains("AB11"), "the timeout is this bank's: {answer}");
    assert_eq!(balance(&bank, &account).await, before);
    let open = number(&bank, "SELECT COUNT(*) FROM instant_submission WHERE next_at IS NOT NULL").await;
    assert_eq!(open, 0);
    check_ledger(&bank).await;
}

/// A gateway that receives submissions and answers them when it is allowed to, with nothing; asked about them, it has settled them.
#[derive(Default)]
struct SlowGateway {
    may_answer: Notify,
}

impl InstantPort for SlowGateway {
    fn submit<'a>(
        &'a self,
        _: &'a CreditTransfers,
    ) -> Pin<Box<dyn Future<Output = Option<ReportedStatus>> + Send + 'a>> {
        Box::pin(async {
            self.may_answer.notified().await;
            None
        })
    }

    fn query<'a>(
        &'a self,
        _: &'a CreditTransfers,
        _: Timestamp,
    ) -> Pin<Box<dyn Future<Output = Option<ReportedStatus>> + Send + 'a>> {
        Box::pin(async { Some(ReportedStatus::Settled) })
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn clearing_is_asked_about_a_submission_that_is_not_answered_until_the_deadline(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let gateway = Arc::new(SlowGateway::default());
    let options = TestBankOptions { instant_clearing: Some(gateway.clone()), ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let tpp = payer(&bank);
    let payment = authorised(&bank, &tpp, "Anna").await;
    let app = bank.app.clone();
    let submission = tokio::spawn(async move { app.instant_round().await });
    let sent = "SELECT COUNT(*) FROM instant_submission WHERE status = 'sent'";
    while number(&bank, sent).await == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    advance(&bank, 11).await;
    gateway.may_answer.notify_one();
    submission.await.unwrap().unwrap();
    rounds(&bank).await;
    assert_eq!(status(&bank, &tpp, &payment).await["transactionStatus"], "ACSC");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn late_settlement_is_booked_to_suspense_once_and_reported(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, account) = (payer(&bank), iban(&bank, 0).to_owned());
    let before = balance(&bank, &account).await;
    let payment = authorised(&bank, &tpp, "LATE").await;
    rounds(&bank).await;
    advance(&bank, 11).await;
    rounds(&bank).await;
    assert_eq!(status(&bank, &tpp, &payment).await["transactionStatus"], "RJCT");
    assert_eq!(balance(&bank, &account).await, before);
    for _ in 0..3 {
        advance(&bank, 120).await;
        rounds(&bank).await;
    }
    assert_eq!(status(&bank, &tpp, &payment).await["transactionStatus"], "RJCT");
    assert_eq!(balance(&bank, &account).await, before);
    let late = "SELECT CAST(COALESCE(SUM(amount_minor), 0) AS BIGINT) FROM transfer WHERE event = 'instant_out_late'";
    assert_eq!(number(&bank, late).await, AMOUNT);
    let app = bank.app.clone();
    let listed = tokio::task::spawn_blocking(move || app.clearing_status()).await.unwrap().unwrap();
    let problem = &listed.problems.iter().map(|open| open.problem.clone()).collect::<Vec<_>>();
    assert_eq!(problem.len(), 1, "{problem:?}");
    assert_eq!(problem[0].file, format!("payment {}", payment.text("/paymentId")));
    let events = "SELECT COUNT(*) FROM audit_event WHERE action = 'payment.settled_late'";
    assert_eq!(number(&bank, events).await, 1);
    let report = bank.app.ledger_day_report(bank.app.clock().today()).await.unwrap();
    assert!(report.differences.is_empty(), "{:?}", report.differences);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn returned_instant_payment_comes_back_to_the_payer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, account) = (payer(&bank), iban(&bank, 0).to_owned());
    let before = balance(&bank, &account).await;
    let payment = authorised(&bank, &tpp, "RETURN").await;
    rounds(&bank).await;
    assert_eq!(balance(&bank, &account).await, (before.0 - AMOUNT, before.1));
    advance(&bank, 1).await;
    assert_eq!(status(&bank, &tpp, &payment).await["transactionStatus"], "ACSC");
    assert_eq!(balance(&bank, &account).await, before);
    check_ledger(&bank).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn instant_payment_has_no_date_no_repetition_and_stays_here_for_own_payees() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let mut dated = order(&bank, OTHER_BANK_IBAN, "Anna Muster");
    dated["requestedExecutionDate"] = json!("2035-03-20");
    let refused = tpp.post(&path(PRODUCT), &dated).await;
    assert_eq!(refusal(&refused), (400, "PARAMETER_NOT_SUPPORTED".to_owned()));
    let periodic = path("/v1/periodic-payments/instant-sepa-credit-transfers");
    let refused = tpp.post(&periodic, &order(&bank, OTHER_BANK_IBAN, "Anna Muster")).await;
    assert_eq!(refusal(&refused), (404, "PRODUCT_UNKNOWN".to_owned()));
    let name = psu(&bank, 1)["name"].as_str().unwrap();
    let here = tpp.post(&path(PRODUCT), &order(&bank, iban(&bank, 1), name)).await;
    authorise(&bank, &tpp, &here, 0).await;
    let internal = status(&bank, &tpp, &here).await;
    assert_eq!(internal["transactionStatus"], "ACCC", "{internal}");
    let mismatch = tpp.post(&path(PRODUCT), &order(&bank, OTHER_BANK_IBAN, "NO MATCH")).await;
    let start = format!("{}/authorisations", link(&bank, &mismatch, "self"));
    let started = tpp.post(&start, &json!({})).await;
    assert!(started.body.to_string().contains("NMTC"), "{started:?}");
}
