//! What merchants take back: loans refunded in part and whole, baskets voided, and the ledger after each.

use crate::http::app_confirmation::repay;
use crate::http::checkout::{Bought, JONAS, agree, basket, check_ledger, proven, sign_in};
use crate::http::guest_refund::refusal_text;
use crate::http::loan_servicing::{balance, bought_at_checkout, iban, set_status, stands};
use crate::http::merchant_payout::settle_to;
use crate::http::payment::OTHER_BANK_IBAN;
use crate::http::statement::app;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::account::AccountStatus;
use trapeza_domain::id::{LoanId, MerchantId};
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::loan::{InstallmentState, LoanState};
use trapeza_domain::money::{Currency, Money};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank, Transcript};
use trapeza_texts::{Language, format};
use uuid::Uuid;

const REFUND: &str = "/loans/bnpl/refund";
const VOID: &str = "/basket/void";

fn order(basket: &str, number: u128, euros: &str) -> Value {
    let amount: Value = serde_json::from_str(euros).unwrap();
    json!({ "basketId": basket, "requestId": Uuid::from_u128(number).to_string(), "amount": amount })
}

async fn refund(bank: &TestBank, basket: &Bought, number: u128, euros: &str) -> ApiResponse {
    bank.merchant(0).post(REFUND, &order(&basket.public, number, euros)).await
}

pub async fn void(merchant: &ApiClient, basket: &str, number: u128) -> ApiResponse {
    let order = json!({ "basketId": basket, "requestId": Uuid::from_u128(number).to_string() });
    merchant.post(VOID, &order).await
}

async fn push_basket_and_loan(transcript: &mut Transcript, bank: &TestBank, basket: &Bought, what: &str) {
    let merchant = bank.merchant(0);
    let found = merchant.get(&format!("/basket/id?basketId={}", basket.public)).await;
    transcript.push(&format!("the basket {what}"), &found);
    let loan = merchant.get(&format!("/loans/bnpl?basketId={}", basket.public)).await;
    transcript.push(&format!("the loan {what}"), &loan);
}

/// What the transfers of one kind of account under an owner come to.
pub async fn booked(bank: &TestBank, kind: LedgerAccountKind, owner: Uuid) -> i64 {
    let read = bank.app.store().read(move |tx| {
        let sql = "SELECT CAST(COALESCE(SUM(CASE WHEN t.credit_account = a.id THEN t.amount_minor ELSE -t.amount_minor END), 0) AS BIGINT)
                   FROM ledger_account a JOIN transfer t ON t.credit_account = a.id OR t.debit_account = a.id
                   WHERE a.kind = $1 AND a.owner = $2";
        Ok(tx.query_one(sql, &[kind.code().into(), owner.into()], |row| row.read::<i64>())?)
    });
    read.await.unwrap()
}

async fn merchant_id(bank: &TestBank, loan: LoanId) -> MerchantId {
    bank.app.loan_detail(loan).await.unwrap().loan.merchant
}

/// The ledger is sound, and agrees with the rows of the loan.
async fn check_loan(bank: &TestBank, id: LoanId) {
    check_ledger(bank).await;
    let detail = bank.app.loan_detail(id).await.unwrap();
    let LoanState::Granted { open_minor, refunded_minor, .. } = detail.loan.state else {
        panic!("not granted")
    };
    let owner = id.uuid();
    assert_eq!(booked(bank, LedgerAccountKind::LoanPrincipal, owner).await, -open_minor, "principal");
    let open = detail.installments.iter().filter(|one| one.settled.is_none());
    assert_eq!(open.clone().map(|one| one.installment.principal_minor).sum::<i64>(), open_minor);
    let interest: i64 = open.filter(|one| one.accrued).map(|one| one.installment.interest_minor).sum();
    assert_eq!(booked(bank, LedgerAccountKind::LoanInterest, owner).await, -interest, "interest");
    assert_eq!(detail.refunds.last().map_or(0, |last| last.refund.total_minor), refunded_minor);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loan_is_refunded_partially_and_in_full(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let before = balance(&bank).await;
    let (bought, id) = bought_at_checkout(&bank, 12).await;
    let payable = booked(&bank, LedgerAccountKind::Merchant, merchant_id(&bank, id).await.uuid()).await;
    assert!(payable > 0 && payable < 45_000, "less the discount: {payable}");
    bank.advance("P32D").await;
    let (_, open, paid, _) = stands(&bank, id).await;
    assert_eq!(paid, 1);
    let spent = before - balance(&bank).await;
    let mut transcript = Transcript::default();

    let part = refund(&bank, &bought, 1, "100").await;
    transcript.push("refund a part", &part);
    assert_eq!(stands(&bank, id).await.1, open - 10_000, "the customer owes less");
    assert_eq!(before - balance(&bank).await, spent, "and gets nothing back");
    check_loan(&bank, id).await;
    push_basket_and_loan(&mut transcript, &bank, &bought, "refunded in part").await;
    transcript.push("refund too much", &refund(&bank, &bought, 2, "350.01").await);
    bank.advance("P31D").await;
    let installments = bank.app.loan_detail(id).await.unwrap().installments;
    assert!(
        installments[1].settled.is_some() && installments[2].settled.is_none(),
        "the next month is collected as before"
    );
    check_loan(&bank, id).await;

    let spent = before - balance(&bank).await;
    let interest: i64 = {
        let paid = bank.app.loan_detail(id).await.unwrap().installments;
        paid.iter().filter(|one| one.settled.is_some()).map(|one| one.installment.interest_minor).sum()
    };
    transcript.push("refund the rest", &refund(&bank, &bought, 3, "350").await);
    assert_eq!(stands(&bank, id).await.0, "repaid");
    assert_eq!(before - balance(&bank).await, interest, "{spent} were paid; what stays is the interest");
    check_loan(&bank, id).await;
    push_basket_and_loan(&mut transcript, &bank, &bought, "refunded whole").await;
    transcript.push("refund once more", &refund(&bank, &bought, 4, "0.01").await);
    transcript.push("void", &void(&bank.merchant(0), &bought.public, 5).await);
    let left = booked(&bank, LedgerAccountKind::Merchant, merchant_id(&bank, id).await.uuid()).await;
    assert_eq!(left, 0, "the merchant gave back what it got, and the bank its discount");
    bank.advance("P1Y").await;
    assert_eq!(before - balance(&bank).await, interest, "nothing is collected afterwards");
    check_loan(&bank, id).await;
    insta::assert_snapshot!("refund", transcript.text());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn borrower_sees_what_is_financed_refunded_paid_and_left(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let (bought, id) = bought_at_checkout(&bank, 12).await;
    bank.advance("P32D").await;
    assert_eq!(refund(&bank, &bought, 1, "100").await.status, 200);
    let detail = bank.app.loan_detail(id).await.unwrap();
    let paid: i64 = detail.installments.iter().map(InstallmentState::paid_minor).sum();
    let (_, open, ..) = stands(&bank, id).await;
    let mut browser = app(&bank).await;
    let page = browser.get(&format!("/app/loans/{id}")).await;
    for (label, class, minor) in [
        ("Financed", "", 45_000),
        ("Refunded by the shop", "", 10_000),
        ("Paid so far", "", paid),
        ("Left to pay", " class=\"large\"", open),
    ] {
        let sum = format::money(Language::English, Money::new(minor, Currency::EUR));
        assert!(page.says(&format!("<dt>{label}</dt><dd{class}>{sum}</dd>")), "{label} {sum}: {page:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn basket_can_be_voided_in_every_open_state(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (merchant, mut transcript) = (bank.merchant(0), Transcript::default());
    let application = bank.sandbox_file["merchants"][0]["application_id"].as_str().unwrap().to_owned();
    let urls = json!({ "failCallbackUrl": "http://127.0.0.1:9090/failed" });
    assert_eq!(merchant.patch(&format!("/sandbox/applications/{application}"), &urls).await.status, 200);

    let created = basket(&bank, 1, "120.3").await;
    transcript.push("void a new one", &void(&merchant, &created.public, 11).await);
    push_basket_and_loan(&mut transcript, &bank, &created, "voided before it was opened").await;

    let (opened, mut browser) = (basket(&bank, 2, "120.3").await, bank.browser());
    let start = browser.get(&opened.checkout).await;
    browser.send(&start, &[("step", "open")]).await;
    transcript.push("void an opened one", &void(&merchant, &opened.public, 12).await);
    push_basket_and_loan(&mut transcript, &bank, &opened, "voided at the checkout").await;
    assert!(browser.get(&opened.checkout).await.says("The shop took the basket back"));

    let approved = basket(&bank, 3, "120.3").await;
    let found = merchant.get(&format!("/basket/id?basketId={}", approved.public)).await;
    let number = found.body["basket"]["id"].clone();
    let simulate = format!("/bnplsandbox/createbnpl?basketId={number}&isSuccessCallback=true");
    assert_eq!(merchant.post(&simulate, &json!({})).await.status, 200);
    assert_eq!(refund(&bank, &approved, 13, "20.3").await.status, 200);
    let whole = void(&merchant, &approved.public, 14).await;
    transcript.push("void an approved one", &whole);
    push_basket_and_loan(&mut transcript, &bank, &approved, "voided after its approval").await;
    check_ledger(&bank).await;
    // Sent again, all of them are answered as they were.
    let voided_again = void(&merchant, &created.public, 15).await;
    transcript.push("void a voided one", &voided_again);
    for (basket, number) in [(&created, 11), (&opened, 12), (&approved, 14), (&created, 15)] {
        let again = void(&merchant, &basket.public, number).await;
        assert_eq!(again.status, 200, "{again:?}");
        let is_replay = again.headers.get("idempotent-replay").map(String::as_str);
        assert_eq!(is_replay, Some("true"), "{number}: {again:?}");
        if number == 14 {
            assert_eq!(again.body, whole.body, "the refund of the void, as it was answered");
        }
    }
    transcript.push("void a refunded one", &void(&merchant, &approved.public, 18).await);
    let again = void(&merchant, &approved.public, 18).await;
    assert_eq!((again.status, again.headers["idempotent-replay"].as_str()), (200, "true"), "{again:?}");
    check_ledger(&bank).await;
    transcript.push("refund a voided one", &refund(&bank, &opened, 16, "1").await);

    let late = basket(&bank, 4, "120.3").await;
    bank.advance("PT31M").await;
    transcript.push("void an expired one", &void(&merchant, &late.public, 17).await);
    insta::assert_snapshot!("void", transcript.text());

    let reported = bank.app.store().read(|tx| {
        Ok(tx.query("SELECT body FROM callback ORDER BY created_at", &[], |row| row.read::<String>())?)
    });
    let reported: Vec<Value> =
        reported.await.unwrap().iter().map(|body| serde_json::from_str(body).unwrap()).collect();
    let reported: Vec<String> = reported
        .iter()
        .map(|news| {
            format!(
                "{} {} {}",
                news["type"],
                news["data"]["reason"],
                news["data"]["bnplRequestId"].is_string()
            )
        })
        .collect();
    assert_eq!(
        reported,
        [
            r#""basket.declined" "VOIDED" true"#,
            r#""basket.declined" "VOIDED" true"#,
            r#""basket.expired" "EXPIRED" false"#,
        ]
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_identical_refunds_have_one_effect(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let (bought, id) = bought_at_checkout(&bank, 3).await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (merchant, order) = (bank.merchant(0), order(&bought.public, 1, "100"));
        calls.spawn(async move {
            loop {
                let answer = merchant.post(REFUND, &order).await;
                // Too busy to say: the same call again.
                if answer.status != 503 {
                    return answer;
                }
            }
        });
    }
    let answers = calls.join_all().await;
    assert!(
        answers.iter().all(|answer| answer.status == 200 && answer.body == answers[0].body),
        "{answers:?}"
    );
    let again = answers.iter().filter(|answer| answer.headers.contains_key("idempotent-replay")).count();
    assert_eq!(again, 7);
    assert_eq!(stands(&bank, id).await.1, 35_000);
    // Under the same id something else is refused, and later the first answer is still the same.
    let other = refund(&bank, &bought, 1, "99").await;
    assert_eq!(
        (other.status, other.body["errors"][0]["field"].as_str()),
        (400, Some("requestId")),
        "{other:?}"
    );
    assert_eq!(refund(&bank, &bought, 2, "50").await.status, 200);
    assert_eq!(refund(&bank, &bought, 1, "100").await.body, answers[0].body);
    check_loan(&bank, id).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_refund_and_collection_keep_the_ledger_consistent(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let before = balance(&bank).await;
    let (bought, id) = bought_at_checkout(&bank, 12).await;
    for round in 0..6_u128 {
        let (merchant, order) = (bank.merchant(0), order(&bought.public, round + 1, "75"));
        let racing = tokio::spawn(async move {
            loop {
                let answer = merchant.post(REFUND, &order).await;
                if answer.status != 503 {
                    return answer;
                }
            }
        });
        bank.advance("P31D").await;
        let answer = racing.await.unwrap();
        assert_eq!(answer.status, 200, "{answer:?}");
        check_loan(&bank, id).await;
    }
    let (state, open, _, _) = stands(&bank, id).await;
    assert_eq!((state, open), ("repaid", 0));
    let detail = bank.app.loan_detail(id).await.unwrap();
    let interest: i64 = detail.installments.iter().map(|one| one.installment.interest_minor).sum();
    assert_eq!(before - balance(&bank).await, interest, "all of the principal is back");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refund_waives_unpaid_interest_and_clears_arrears(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let before = balance(&bank).await;
    let (bought, id) = bought_at_checkout(&bank, 12).await;
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P70D").await;
    assert_eq!(stands(&bank, id).await.0, "overdue");
    check_loan(&bank, id).await;
    // Everything but the last 40 euros of the first installment, and then that.
    let first = bank.app.loan_detail(id).await.unwrap().installments[0].installment.principal_minor;
    assert!(first < 4_000 && first > 3_000, "{first}");
    assert_eq!(refund(&bank, &bought, 1, "420").await.status, 200);
    assert_eq!(stands(&bank, id).await.0, "overdue", "the first installment is unpaid");
    check_loan(&bank, id).await;
    assert_eq!(refund(&bank, &bought, 2, "30").await.status, 200);
    assert_eq!(stands(&bank, id).await.0, "repaid");
    check_loan(&bank, id).await;
    assert_eq!(balance(&bank).await, before, "nothing was paid, and nothing is");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refund_of_a_withdrawn_loan_is_paid_out(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let before = balance(&bank).await;
    let (bought, id) = bought_at_checkout(&bank, 3).await;
    bank.app.loan_withdraw(id).await.unwrap();
    assert_eq!(before - balance(&bank).await, 45_000);
    // Nothing can be debited from a blocked account, but it receives.
    set_status(&bank, AccountStatus::Blocked).await;
    assert_eq!(void(&bank.merchant(0), &bought.public, 1).await.status, 200);
    assert_eq!((balance(&bank).await, stands(&bank, id).await.0), (before, "withdrawn"));
    assert_eq!(bank.database.events("loan.refund_payable"), [""; 0], "it went to the account");
    check_loan(&bank, id).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refund_to_a_customer_whose_account_is_closed_stays_payable(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let (bought, id) = bought_at_checkout(&bank, 3).await;
    bank.app.loan_withdraw(id).await.unwrap();
    let before = balance(&bank).await;
    set_status(&bank, AccountStatus::Deleted).await;
    assert_eq!(void(&bank.merchant(0), &bought.public, 1).await.status, 200);
    assert_eq!(balance(&bank).await, before, "nothing is booked on a closed account");
    assert_eq!(bank.app.loan_detail(id).await.unwrap().payable_minor, 45_000);
    assert_eq!(booked(&bank, LedgerAccountKind::Customer, id.uuid()).await, 45_000);
    check_loan(&bank, id).await;
    // The customer still has to say where it goes.
    let login = bank.sandbox_file["psus"][JONAS]["psu_id"].as_str().unwrap();
    bank.database.tamper(&format!("UPDATE psu SET closed_at = created_at WHERE login = '{login}'"));
    let refused = refusal_text(bank.app.psu_erase(login).await);
    assert!(refused.contains("is still owed money"), "{refused}");
    bank.advance("P1900D").await;
    let report = bank.app.retention_apply(5).await.unwrap();
    assert_eq!((report.customers, report.owed, report.loan_payers), (0, 1, 0));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refund_of_a_guest_loan_paid_in_the_app_is_paid_out(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (phone, password) = (jonas["phone"].as_str().unwrap(), jonas["password"].as_str().unwrap());
    let (bought, mut browser) = (basket(&bank, 1, "120").await, bank.browser());
    proven(&bank, &mut browser, &bought, phone).await;
    assert_eq!(agree(&mut browser, &bought, 3).await.title(), "Bought");
    // Signing in for another purchase tells the bank whose telephone it is.
    let (other, mut browser) = (basket(&bank, 2, "100").await, bank.browser());
    proven(&bank, &mut browser, &other, phone).await;
    sign_in(&bank, &mut browser, &other, password).await;
    assert_eq!(agree(&mut browser, &other, 3).await.title(), "Bought");
    let login = jonas["psu_id"].as_str().unwrap().to_owned();
    let found = bank.app.store().read(move |tx| Ok(tx.psu_by_login(&login)?.map(|(psu, _)| psu.id)));
    let psu = found.await.unwrap().unwrap();
    let loan = bank.merchant(0).get(&format!("/loans/bnpl?basketId={}", bought.public)).await;
    let loan = loan.text("/data/payLaterInformation/bnplRequestId").to_owned();

    let before = balance(&bank).await;
    repay(&bank, JONAS, &loan).await;
    assert_eq!(before - balance(&bank).await, 12_000);
    assert_eq!(refund(&bank, &bought, 1, "70").await.status, 200);
    assert_eq!(before - balance(&bank).await, 5_000);
    check_loan(&bank, LoanId::parse(&loan).unwrap()).await;
    let own = bank.app.customer_loan_list(psu).await.unwrap();
    let detail = &own.iter().find(|own| own.detail.loan.id.to_string() == loan).unwrap().detail;
    assert_eq!((detail.loan.state.name(), detail.refunds.len()), ("repaid", 1));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reopened_checkout_shows_the_outstanding_amount(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (bought, mut browser) = (basket(&bank, 1, "450").await, bank.browser());
    proven(&bank, &mut browser, &bought, jonas["phone"].as_str().unwrap()).await;
    sign_in(&bank, &mut browser, &bought, jonas["password"].as_str().unwrap()).await;
    let end = agree(&mut browser, &bought, 3).await;
    assert!(end.says("You pay 3 installments to the bank, the first on"), "{end:?}");
    bank.advance("P32D").await;
    let end = browser.get(&bought.checkout).await;
    assert!(end.says("Installments left to pay to the bank: 2, the next due on"), "{end:?}");
    assert_eq!(refund(&bank, &bought, 1, "200").await.status, 200);
    let end = browser.get(&bought.checkout).await;
    assert!(end.says("refunded") && end.says("left to pay to the bank: 1, the next due on"), "{end:?}");
    assert_eq!(refund(&bank, &bought, 2, "250").await.status, 200);
    let end = browser.get(&bought.checkout).await;
    assert!(end.says("cancelled the whole purchase. Nothing is left to pay to the bank."), "{end:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refund_is_limited_to_the_merchant_balance(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let (bought, id) = bought_at_checkout(&bank, 3).await;
    let owner = merchant_id(&bank, id).await;
    let all = bank.app.merchant_list().await.unwrap();
    let merchant = all.into_iter().find(|view| view.merchant.id == owner).unwrap();
    let (code, euros) = (merchant.merchant.code.as_str(), |minor| Money::new(minor, Currency::EUR));
    settle_to(&bank, code, OTHER_BANK_IBAN, "Papyrus Books").await;
    let payable = booked(&bank, LedgerAccountKind::Merchant, owner.uuid()).await;
    assert_eq!(merchant.payable, euros(payable));
    for wrong in [euros(payable + 1), euros(0), euros(-1), Money::new(1, Currency::JPY)] {
        assert!(bank.app.merchant_payout(code, Some(wrong)).await.is_err(), "{wrong:?}");
    }
    let paid = bank.app.merchant_payout(code, Some(euros(40_000))).await.unwrap();
    assert_eq!((paid.amount, paid.left), (euros(40_000), euros(payable - 40_000)));
    let mut transcript = Transcript::default();
    transcript.push("refund", &refund(&bank, &bought, 1, "100").await);
    transcript.push("void", &void(&bank.merchant(0), &bought.public, 2).await);
    assert_eq!(stands(&bank, id).await.1, 45_000, "nothing happened");
    check_loan(&bank, id).await;
    assert_eq!(refund(&bank, &bought, 1, "10").await.status, 200, "a refused call is not remembered");
    insta::assert_snapshot!("short", transcript.text());
    let rest = bank.app.merchant_payout(code, None).await.unwrap();
    assert_eq!(rest.left, euros(0));
    assert!(bank.app.merchant_payout(code, None).await.is_err(), "the balance is zero");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn invalid_refund_names_its_field(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let mine = basket(&bank, 1, "120.3").await;
    let (good, merchant) = (order(&mine.public, 1, "1"), bank.merchant(0));
    let mut lines = Vec::new();
    for (field, value) in [
        ("basketId", Value::Null),
        ("basketId", json!(7)),
        ("basketId", json!("nonsense")),
        ("requestId", Value::Null),
        ("requestId", json!("7")),
        ("amount", Value::Null),
        ("amount", json!("1.00")),
        ("amount", json!(1.005)),
        ("amount", json!(0)),
        ("amount", json!(-1)),
        ("reason", json!("x".repeat(256))),
        ("reason", json!(1)),
        ("reason", json!("\u{1b}[2J")),
    ] {
        let mut bad = good.clone();
        bad[field] = value.clone();
        let answer = merchant.post(REFUND, &bad).await;
        let value = value.to_string().chars().take(12).collect::<String>();
        lines.push(format!("{field} = {value}: {} {}", answer.status, answer.body["errors"]));
    }
    let answer = merchant.post(&format!("{REFUND}?api-version=1.0"), &good).await;
    lines.push(format!("api-version: {} {}", answer.status, answer.body["errors"]));
    let answer = merchant.post(VOID, &json!({})).await;
    lines.push(format!("void nothing: {} {}", answer.status, answer.body["errors"]));
    insta::assert_snapshot!("problems", lines.join("\n"));

    for path in [REFUND, VOID] {
        let theirs = bank.merchant(1).post(path, &good).await;
        let unknown = bank.merchant(1).post(path, &order(&"0".repeat(32), 1, "1")).await;
        assert_eq!((theirs.status, &theirs.body["errors"]), (404, &unknown.body["errors"]), "{path}");
    }
    assert_eq!(merchant.get(&format!("/basket/id?basketId={}", mine.public)).await.status, 200);
}
