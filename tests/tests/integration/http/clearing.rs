//! SEPA credit transfers from their order to the accounts of both customers, through the sandbox's clearing house and its
//! files.

use crate::http::payment::{
    ELENI, JONAS, OTHER_BANK_IBAN, SEPA, balance, challenged, changed, check_ledger, code, iban, initiate,
    lines, order, psu, standing, tpp, unissued_iban,
};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_app::staff::ActionResult;
use trapeza_domain::payment::Fees;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{ApiClient, StaffUser, TestBank, Transcript};

/// To a payee of this name at another bank.
pub fn away(bank: &TestBank, name: &str) -> Value {
    let order = changed(order(bank, "20.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    changed(order, "/creditorName", json!(name))
}

/// Ordered and authorised: the money is set aside, and clearing comes next.
pub async fn authorised(bank: &TestBank, tpp: &ApiClient, order: &Value) -> String {
    let path = initiate(tpp, SEPA, order).await;
    let own = challenged(bank, tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    let last = code(bank, tpp, &own).await;
    assert_eq!((last.status, last.text("/scaStatus")), (200, "finalised"), "{last:?}");
    assert_eq!(transaction_status(tpp, &path).await, "ACCP");
    path
}

async fn transaction_status(tpp: &ApiClient, path: &str) -> String {
    tpp.get(path).await.text("/transactionStatus").to_owned()
}

fn hidden(bank: &TestBank, transcript: &Transcript) -> String {
    transcript.text().replace(&iban(bank, JONAS, 0), "[payer]").replace(&iban(bank, ELENI, 0), "[payee]")
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sepa_transfer_is_settled_and_visible_to_both_customers(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer, payee) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0), iban(&bank, ELENI, 0));
    let (payer_before, payee_before) = (balance(&bank, &payer).await, balance(&bank, &payee).await);
    let mut transcript = Transcript::default();
    let path = authorised(&bank, &tpp, &order(&bank, "20.00")).await;
    transcript.push("status, accepted", &tpp.get(&format!("{path}/status")).await);
    assert_eq!(balance(&bank, &payer).await, (payer_before.0, payer_before.1 + 2000));
    bank.advance("PT5S").await;
    transcript.push("status, settled", &tpp.get(&format!("{path}/status")).await);
    transcript.push("fetch", &tpp.get(&path).await);
    transcript.push("cancel", &tpp.delete(&path).await);
    assert_eq!(balance(&bank, &payer).await, (payer_before.0 - 2000, payer_before.1));
    assert_eq!(balance(&bank, &payee).await, (payee_before.0 + 2000, payee_before.1));
    transcript.push("the payer's transactions", &lines(&bank, JONAS).await);
    transcript.push("the payee's transactions", &lines(&bank, ELENI).await);
    insta::assert_snapshot!("settled", hidden(&bank, &transcript));
    check_ledger(&bank).await;
    bank.advance("P2D").await;
    assert_eq!(balance(&bank, &payer).await, (payer_before.0 - 2000, payer_before.1), "once");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_of_a_former_customer_is_submitted(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await;
    let path = authorised(&bank, &tpp, &away(&bank, "Maria Ioannou")).await;
    let login = psu(&bank, JONAS)["psu_id"].as_str().unwrap();
    bank.database.tamper(&format!("UPDATE psu SET closed_at = created_at WHERE login = '{login}'"));
    bank.advance("PT5S").await;
    assert_eq!(transaction_status(&tpp, &path).await, "ACSC");
    assert_eq!(balance(&bank, &payer).await, (before.0 - 2000, before.1));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn rejected_transfer_releases_its_hold_and_reports_the_reason(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await;
    let mut transcript = Transcript::default();
    let path = authorised(&bank, &tpp, &away(&bank, "REJECT AC04")).await;
    bank.advance("PT5S").await;
    transcript.push("status", &tpp.get(&format!("{path}/status")).await);
    transcript.push("fetch", &tpp.get(&path).await);
    transcript.push("cancel", &tpp.delete(&path).await);
    transcript.push("the payer's transactions", &lines(&bank, JONAS).await);
    insta::assert_snapshot!("rejected", hidden(&bank, &transcript));
    assert_eq!(balance(&bank, &payer).await, before);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn returned_transfer_is_a_new_entry_and_stays_settled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await;
    let mut transcript = Transcript::default();
    let path = authorised(&bank, &tpp, &away(&bank, "RETURN")).await;
    bank.advance("PT5S").await;
    transcript.push("status", &tpp.get(&format!("{path}/status")).await);
    transcript.push("fetch", &tpp.get(&path).await);
    transcript.push("the payer's transactions", &lines(&bank, JONAS).await);
    insta::assert_snapshot!("returned", hidden(&bank, &transcript));
    assert_eq!(balance(&bank, &payer).await, before);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unanswered_transfer_stays_held_and_is_reported_after_a_day(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let (booked, held) = balance(&bank, &payer).await;
    let path = authorised(&bank, &tpp, &away(&bank, "SILENT")).await;
    bank.advance("PT23H59M").await;
    assert_eq!(transaction_status(&tpp, &path).await, "ACSP");
    assert_eq!(standing(&tpp, &path).await, (json!(2), json!(true)));
    assert_eq!(tpp.delete(&path).await.status, 405, "it has left");
    let unanswered = || async {
        let app = bank.app.clone();
        tokio::task::spawn_blocking(move || app.clearing_status()).await.unwrap().unwrap().unanswered
    };
    assert_eq!(unanswered().await.len(), 0);
    bank.advance("PT24H").await;
    let reported = unanswered().await;
    assert_eq!(reported.len(), 1);
    assert!(path.ends_with(&reported[0].payment.to_string()));
    bank.advance("P30D").await;
    assert_eq!(transaction_status(&tpp, &path).await, "ACSP", "no timer gives it back");
    assert_eq!(balance(&bank, &payer).await, (booked, held + 2000));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transfer_to_an_unknown_account_is_returned(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await;
    // Eleni's third account is blocked; the last number is one of this bank's that was never issued.
    for account in [iban(&bank, ELENI, 2), unissued_iban(&bank)] {
        let order = changed(order(&bank, "20.00"), "/creditorAccount/iban", json!(account));
        let path = authorised(&bank, &tpp, &order).await;
        bank.advance("PT5S").await;
        assert_eq!(transaction_status(&tpp, &path).await, "ACSC", "it was settled, and came back");
        assert_eq!(balance(&bank, &payer).await, before);
    }
    let lines = lines(&bank, JONAS).await;
    let reported: Vec<(&Value, &Value)> = lines.body["transactions"]["booked"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|line| line["endToEndId"] == "invoice-114")
        .map(|line| (&line["transactionAmount"]["Amount"], &line["additionalInformation"]))
        .collect();
    let (out, back) = (json!("-20.00"), json!("20.00"));
    let (unknown, blocked) = (json!("Returned: AC01"), json!("Returned: AC06"));
    assert_eq!(reported, [(&back, &unknown), (&out, &Value::Null), (&back, &blocked), (&out, &Value::Null)]);
    let suspense = bank.app.store().read(|tx| {
        let sql = "SELECT CAST(COALESCE(SUM(CASE WHEN t.credit_account = a.id THEN t.amount_minor ELSE -t.amount_minor END), 0) AS BIGINT), COUNT(*)
                   FROM transfer t JOIN ledger_account a ON a.id = t.credit_account OR a.id = t.debit_account WHERE a.kind = 1010";
        Ok(tx.query_one(sql, &[], |row| Ok((row.read::<i64>()?, row.read::<i64>()?)))?)
    });
    assert_eq!(suspense.await.unwrap(), (0, 4), "in and out again, twice");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn held_payment_can_be_cancelled(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await;
    let path = authorised(&bank, &tpp, &away(&bank, "HOLD")).await;
    bank.advance("PT59M").await;
    assert_eq!(transaction_status(&tpp, &path).await, "ACCP");
    assert_eq!(tpp.delete(&path).await.text("/transactionStatus"), "RECEIVED");
    bank.advance("PT10M").await;
    assert_eq!(transaction_status(&tpp, &path).await, "ACCP", "cancellation requested, so not submitted");
    let own =
        challenged(&bank, &tpp, &format!("{path}/cancellation-authorisations"), &mut Transcript::default())
            .await;
    assert_eq!(code(&bank, &tpp, &own).await.text("/scaStatus"), "finalised");
    assert_eq!(standing(&tpp, &path).await.0, 6);
    bank.advance("P1D").await;
    assert_eq!(
        (transaction_status(&tpp, &path).await.as_str(), balance(&bank, &payer).await),
        ("CANC", before)
    );
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_cancellation_requests_do_not_delay_a_payment(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = tpp(&bank, JONAS);
    let path = authorised(&bank, &tpp, &away(&bank, "Maria Ioannou")).await;
    assert_eq!(tpp.delete(&path).await.text("/transactionStatus"), "RECEIVED");
    bank.advance("PT14M").await;
    assert_eq!(tpp.delete(&path).await.text("/transactionStatus"), "RECEIVED");
    assert_eq!(transaction_status(&tpp, &path).await, "ACCP");
    bank.advance("PT1M").await;
    assert_eq!(transaction_status(&tpp, &path).await, "ACSC", "the first wish was over");
    assert_eq!(tpp.delete(&path).await.status, 405);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn fee_is_reported_held_and_booked(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let fees = Fees { internal_minor: 10, sepa_minor: 35 };
    let bank = TestBank::with_options(database, TestBankOptions { fees, ..TestBankOptions::default() }).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let (booked, held) = balance(&bank, &payer).await;
    let reported = tpp.post(SEPA, &away(&bank, "Maria Ioannou")).await;
    assert_eq!(reported.body["transactionFees"], json!({ "currency": "EUR", "Amount": "0.35" }));
    assert_eq!(reported.body["transactionFeeIndicator"], true);
    authorised(&bank, &tpp, &away(&bank, "Maria Ioannou")).await;
    assert_eq!(balance(&bank, &payer).await, (booked, held + 2035));
    bank.advance("PT5S").await;
    assert_eq!(balance(&bank, &payer).await, (booked - 2035, held));
    authorised(&bank, &tpp, &away(&bank, "REJECT MS03")).await;
    bank.advance("PT5S").await;
    assert_eq!(balance(&bank, &payer).await, (booked - 2035, held), "a rejected payment costs nothing");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn acknowledged_problem_leaves_the_list_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    for file in ["one.xml", "two.xml"] {
        bank.app.clearing_problem_record(file, "set aside: not XML").await.unwrap();
    }
    let open = || async {
        let app = bank.app.clone();
        tokio::task::spawn_blocking(move || app.clearing_status()).await.unwrap().unwrap().problems
    };
    let problems = open().await;
    let one = problems.iter().find(|open| open.problem.file == "one.xml").unwrap().id;
    let anna = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let id = one.to_string();
    let acknowledge = async |note: &str| {
        let done = anna.run(StaffAction::ClearingAcknowledge, &[("problem", &id), ("note", note)]).await;
        matches!(done, Ok(ActionResult::Done(_)))
    };
    for wrong in ["", " ", "a\nb", &"x".repeat(141)] {
        assert!(!acknowledge(wrong).await, "{wrong:?}");
    }
    assert_eq!(open().await.len(), 2, "a refused note has no effect");
    assert!(acknowledge("the sender has repeated the file").await);
    let left = open().await;
    assert_eq!(left.iter().map(|open| open.problem.file.as_str()).collect::<Vec<_>>(), ["two.xml"]);
    assert!(!acknowledge("again").await);
    // The file is read again after a crash: its problem stays acknowledged.
    bank.app.clearing_problem_record("one.xml", "set aside: not XML").await.unwrap();
    assert_eq!(open().await.len(), 1);
    let events = "SELECT COUNT(*) FROM audit_event WHERE action = 'clearing.problem_acknowledged'";
    assert_eq!(bank.database.number(events), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_with_a_requested_cancellation_is_not_sent_with_the_others(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    for number in [JONAS, ELENI] {
        let tpp = tpp(&bank, number);
        let order = changed(order(&bank, "3.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
        let order = changed(order, "/debtorAccount/iban", json!(iban(&bank, number, 0)));
        let path = initiate(&tpp, SEPA, &order).await;
        bank.authorise(&tpp, &path, psu(&bank, number)).await;
        if number == JONAS {
            assert_eq!(tpp.delete(&path).await.text("/transactionStatus"), "RECEIVED");
        }
    }
    let statuses = || bank.database.column("SELECT status FROM payment ORDER BY created_at");
    bank.advance("PT5S").await;
    assert_eq!(statuses(), ["ACCP", "ACSC"], "the first one is suspended");
    bank.advance("PT1H").await;
    bank.advance("PT5S").await;
    assert_eq!(statuses(), ["ACSC", "ACSC"], "its cancellation was not approved");
    check_ledger(&bank).await;
}
