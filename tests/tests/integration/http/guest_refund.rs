//! Refunds of what borrowers without an account here have paid by transfer: the money goes back to the accounts that paid, or stays
//! payable where no payment reaches them.

use super::checkout::{Bought, check_ledger};
use super::loan_transfer::{GuestLoan, Incoming, bought_by_guest, pay};
use super::payment::{
    ELENI, INTERNAL, JONAS, OTHER_BANK_IBAN, balance, challenged, changed, code, iban, initiate, order, tpp,
};
use super::refund::booked;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza::demo;
use trapeza_app::UseCaseError;
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::payment::{PayeeAccount, TransactionStatus};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiResponse, TestBank, Transcript, ledger_fixture};
use uuid::Uuid;

pub async fn refund(bank: &TestBank, basket: &Bought, number: u128, euros: &str) -> ApiResponse {
    let amount: Value = serde_json::from_str(euros).unwrap();
    let request = Uuid::from_u128(number).to_string();
    let order = json!({ "basketId": basket.public, "requestId": request, "amount": amount });
    bank.merchant(0).post("/loans/bnpl/refund", &order).await
}

/// Status, amount and payee of the payments by which refunds went back, and what is still owed.
pub async fn sent_back(bank: &TestBank, loan: &GuestLoan) -> (Vec<(TransactionStatus, i64, String)>, i64) {
    let detail = bank.app.loan_detail(loan.id).await.unwrap();
    let payments = detail.refund_payments.iter().map(|payment| {
        let terms = &payment.instruction;
        (payment.state.status(), terms.amount.minor, terms.creditor.as_str().to_owned())
    });
    (payments.collect(), detail.payable_minor)
}

/// What is on the loan's credit account.
async fn credit(bank: &TestBank, loan: &GuestLoan) -> i64 {
    booked(bank, LedgerAccountKind::Customer, loan.id.uuid()).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refund_of_a_paid_guest_loan_goes_back_by_sepa_to_the_iban_that_paid(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    assert_eq!(pay(&bank, 12_000, &loan.reference).await.credited, 1);
    let answer = refund(&bank, &loan.bought, 1, "70").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let again = refund(&bank, &loan.bought, 1, "70").await;
    assert_eq!((again.status, again.headers["idempotent-replay"].as_str()), (200, "true"), "{again:?}");
    let accepted = (TransactionStatus::Accp, 7_000, OTHER_BANK_IBAN.to_owned());
    assert_eq!(sent_back(&bank, &loan).await, (vec![accepted], 0));
    assert_eq!(credit(&bank, &loan).await, 7_000, "held until clearing has settled it");
    bank.advance("PT5S").await;
    let settled = (TransactionStatus::Acsc, 7_000, OTHER_BANK_IBAN.to_owned());
    assert_eq!(sent_back(&bank, &loan).await, (vec![settled], 0));
    assert_eq!(credit(&bank, &loan).await, 0);
    assert_eq!(bank.database.events("loan.refund_payable"), [""; 0], "nothing is left for an operator");
    check_ledger(&bank).await;
    // The debtor is the bank, under its collection account.
    let debtor = bank.app.store().read(|tx| {
        let sql = "SELECT debtor_name, debtor_iban FROM clearing_transaction";
        Ok(tx.query_one(sql, &[], |row| Ok((row.read::<String>()?, row.read::<String>()?)))?)
    });
    let expected = ("Trapeza".to_owned(), demo::collection_iban().as_str().to_owned());
    assert_eq!(debtor.await.unwrap(), expected);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refund_goes_back_to_each_payer_at_most_what_it_paid(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    pay(&bank, 4_000, &loan.reference).await;
    // A customer of this bank pays the rest.
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await.0;
    let collection = demo::collection_iban().as_str().to_owned();
    let order = changed(order(&bank, "80.00"), "/creditorAccount/iban", json!(collection));
    let order = changed(order, "/creditorName", json!("Trapeza"));
    let order = changed(order, "/remittanceInformationUnstructured", json!(loan.reference));
    bank.advance("PT1S").await;
    let path = initiate(&tpp, INTERNAL, &order).await;
    let own = challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    assert_eq!(code(&bank, &tpp, &own).await.text("/scaStatus"), "finalised");
    assert_eq!(balance(&bank, &payer).await.0, before - 8_000);

    assert_eq!(refund(&bank, &loan.bought, 1, "50").await.status, 200);
    assert_eq!(balance(&bank, &payer).await.0, before - 3_000, "the last payer first, at once");
    assert_eq!(refund(&bank, &loan.bought, 2, "70").await.status, 200);
    assert_eq!(balance(&bank, &payer).await.0, before, "what is left of this payment, and no more");
    bank.advance("PT5S").await;
    let (mut payments, payable) = sent_back(&bank, &loan).await;
    payments.sort_by_key(|payment| payment.1);
    let expected = [
        (TransactionStatus::Accc, 3_000, payer.clone()),
        (TransactionStatus::Acsc, 4_000, OTHER_BANK_IBAN.to_owned()),
        (TransactionStatus::Accc, 5_000, payer.clone()),
    ];
    assert_eq!((payments, payable), (expected.to_vec(), 0));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refund_goes_back_to_one_payer_of_several_transfers(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    for minor in [4_000, 8_000] {
        assert_eq!(pay(&bank, minor, &loan.reference).await.credited, 1);
    }
    assert_eq!(refund(&bank, &loan.bought, 1, "120").await.status, 200);
    bank.advance("PT5S").await;
    let settled = (TransactionStatus::Acsc, 12_000, OTHER_BANK_IBAN.to_owned());
    assert_eq!(sent_back(&bank, &loan).await, (vec![settled], 0));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refunds_reach_more_payers_than_one_of_them_can(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let reference = loan.reference.replace(' ', "");
    // One refund goes to at most eight accounts, the newest ones.
    for (number, minor) in [
        (1, 1_000),
        (2, 4_000),
        (3, 1_000),
        (4, 1_000),
        (5, 1_000),
        (6, 1_000),
        (7, 1_000),
        (8, 1_000),
        (9, 1_000),
    ] {
        let iban = ledger_fixture::iban(number);
        let incoming = Incoming { structured: Some(&reference), from: Some(&iban), ..Incoming::of(minor) };
        incoming.receive(&bank).await;
        bank.pass(TimeDelta::seconds(1)).await;
    }
    for (number, euros) in [(1, "110"), (2, "10")] {
        assert_eq!(refund(&bank, &loan.bought, number, euros).await.status, 200);
    }
    bank.advance("PT5S").await;
    let (payments, payable) = sent_back(&bank, &loan).await;
    assert_eq!((payments.len(), payable), (9, 0), "{payments:?}");
    assert_eq!(payments.iter().map(|(_, minor, _)| minor).sum::<i64>(), 12_000);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refund_without_a_known_or_working_iban_stays_payable(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let reference = loan.reference.replace(' ', "");
    let incoming = Incoming { structured: Some(&reference), ..Incoming::of(4_000) };
    Incoming { from: None, ..incoming }.receive(&bank).await;
    Incoming { minor: 8_000, name: "REJECT AC04", ..incoming }.receive(&bank).await;
    assert_eq!(refund(&bank, &loan.bought, 1, "120").await.status, 200);
    assert_eq!(sent_back(&bank, &loan).await.1, 4_000, "of an unknown payer");
    bank.advance("PT5S").await;
    let rejected = (TransactionStatus::Rjct, 8_000, OTHER_BANK_IBAN.to_owned());
    assert_eq!(sent_back(&bank, &loan).await, (vec![rejected], 12_000));
    assert_eq!(credit(&bank, &loan).await, 12_000);
    let events = bank.database.events("loan.refund_payable");
    assert!(
        !events.is_empty() && events.iter().all(|event| event.starts_with(&format!("loan:{} by ", loan.id))),
        "{events:?}"
    );
    check_ledger(&bank).await;
}

/// A refund of 120 euros that stayed payable, because the payer's account is unknown.
pub async fn payable(bank: &TestBank) -> GuestLoan {
    let loan = bought_by_guest(bank, "120", 3).await;
    let reference = loan.reference.replace(' ', "");
    let incoming = Incoming { structured: Some(&reference), ..Incoming::of(12_000) };
    Incoming { from: None, ..incoming }.receive(bank).await;
    assert_eq!(refund(bank, &loan.bought, 1, "120").await.status, 200);
    assert_eq!(sent_back(bank, &loan).await, (Vec::new(), 12_000));
    loan
}

pub fn payee(iban: &str, name: &str) -> PayeeAccount {
    PayeeAccount { iban: Iban::parse(iban).unwrap(), name: name.to_owned(), agent: None }
}

/// The text of the refusal of a payout.
async fn payout_refused(bank: &TestBank, loan: &GuestLoan, payee: PayeeAccount) -> String {
    refusal_text(bank.app.loan_refund_payout(loan.id, payee).await)
}

/// The text of a result that must be a refusal.
pub fn refusal_text<T: std::fmt::Debug>(result: Result<T, UseCaseError>) -> String {
    match result {
        Err(UseCaseError::Refused(refusal)) => refusal.errors[0].text.clone(),
        other => panic!("not refused: {other:?}"),
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payable_refund_is_paid_out_once_to_the_iban_that_the_operator_names(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = payable(&bank).await;
    let paid = bank.app.loan_refund_payout(loan.id, payee(OTHER_BANK_IBAN, "Maria Ioannou")).await.unwrap();
    assert_eq!((paid.state.status(), paid.instruction.amount.minor), (TransactionStatus::Accp, 12_000));
    let again = payout_refused(&bank, &loan, payee(OTHER_BANK_IBAN, "Maria Ioannou")).await;
    assert_eq!(again, "nothing is payable to the borrower of this loan");
    bank.advance("PT5S").await;
    let settled = (TransactionStatus::Acsc, 12_000, OTHER_BANK_IBAN.to_owned());
    assert_eq!(sent_back(&bank, &loan).await, (vec![settled], 0));
    assert_eq!(credit(&bank, &loan).await, 0);
    let events = "SELECT COUNT(*) FROM audit_event WHERE action = 'loan.refund_paid_out'";
    assert_eq!(bank.database.number(events), 1);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payout_that_clearing_rejects_is_payable_again_and_can_go_inside_the_bank(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let loan = payable(&bank).await;
    bank.app.loan_refund_payout(loan.id, payee(OTHER_BANK_IBAN, "REJECT AC04")).await.unwrap();
    bank.advance("PT5S").await;
    let rejected = (TransactionStatus::Rjct, 12_000, OTHER_BANK_IBAN.to_owned());
    assert_eq!(sent_back(&bank, &loan).await, (vec![rejected], 12_000));
    for (name, text) in [
        (" ", "must have 1 to 70 characters and no control characters"),
        ("a\nb", "must have 1 to 70 characters and no control characters"),
    ] {
        assert_eq!(payout_refused(&bank, &loan, payee(OTHER_BANK_IBAN, name)).await, text);
    }
    // No route leads to a bank outside of SEPA, named or not, or to an account of this bank that is blocked or in another currency.
    let outside = payee("TR330006100519786457841326", "Maria Ioannou");
    let agent = Some(Bic::parse("TGBATRISXXX").unwrap());
    let [blocked, foreign] = [2, 3].map(|account| payee(&iban(&bank, ELENI, account), "Eleni Papadaki"));
    for unreachable in [outside.clone(), PayeeAccount { agent, ..outside }, blocked, foreign] {
        let text = payout_refused(&bank, &loan, unreachable.clone()).await;
        assert!(text.starts_with("no payment reaches this account"), "{unreachable:?}: {text}");
    }
    assert_eq!(sent_back(&bank, &loan).await.1, 12_000, "still payable");
    let own = iban(&bank, JONAS, 0);
    let before = balance(&bank, &own).await.0;
    let paid = bank.app.loan_refund_payout(loan.id, payee(&own, "Jonas")).await.unwrap();
    assert_eq!(paid.state.status(), TransactionStatus::Accc);
    assert_eq!(balance(&bank, &own).await.0, before + 12_000);
    assert_eq!(sent_back(&bank, &loan).await.1, 0);
    check_ledger(&bank).await;
}
