//! Payments in the bank's app to accounts at other banks: form, payee check, approval, receipt, list and cancellation.

use super::app_confirmation;
use super::checkout::check_ledger;
use super::loan_access::psu_id;
use super::loan_servicing::stands;
use super::loan_transfer::bought_by_guest;
use super::page_forms::enrol;
use super::payment::{ELENI, JONAS, OTHER_BANK_IBAN, balance};
use super::scheduled_payment::order;
use crate::staff::reason;
use rstest::rstest;
use serde_json::Value;
use std::time::Duration;
use trapeza::demo;
use trapeza_app::UseCaseError;
use trapeza_app::idempotency::RequestIdentity;
use trapeza_domain::clearing::RoutingTable;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, PsuId};
use trapeza_domain::payment::{Fees, PaymentProduct, PaymentTiming};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::Date;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{Browser, Page, TestBank};
use uuid::Uuid;

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// A payment of the first customer, as the form sends it.
struct Order<'a> {
    account: usize,
    iban: &'a str,
    name: &'a str,
    key: u32,
}

impl Order<'_> {
    async fn send(&self, browser: &mut Browser) -> Page {
        let form = browser.get("/app/pay").await;
        let from = form.attributes("<option value=\"")[self.account].clone();
        let key = format!("00000000-0000-4000-8000-{:012}", self.key);
        let fields = [
            ("step", "pay"),
            ("idempotency_key", &*key),
            ("from", &*from),
            ("iban", self.iban),
            ("name", self.name),
            ("amount", "20,00"),
            ("remittance", "Ενοίκιο Νοεμβρίου"),
        ];
        browser.send(&form, &fields).await
    }
}

async fn approve(browser: &mut Browser, ordered: &Page) -> Page {
    let question = ordered.attribute("name=\"question\" value=\"");
    let number = ordered.attribute("<button name=\"number\" value=\"");
    browser.send(ordered, &[("step", "approve"), ("question", &question), ("number", &number)]).await
}

async fn app(engine: Engine) -> (TestBank, Browser) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(text(&bank.sandbox_file["psus"][0]["accounts"][0]["iban"]), 500_000).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    (bank, browser)
}

/// The address of the receipt of the newest payment in the list.
async fn newest(browser: &mut Browser) -> String {
    let list = browser.get("/app/payments").await;
    format!("/app/payments/{}", list.attribute("href=\"/app/payments/"))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_that_comes_back_is_not_called_paid(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (bank, mut browser) = app(engine).await;
    let order = Order { account: 0, iban: OTHER_BANK_IBAN, name: "RETURN", key: 1 };
    let ordered = order.send(&mut browser).await;
    approve(&mut browser, &ordered).await;
    let path = newest(&mut browser).await;
    bank.advance("PT5S").await;
    bank.advance("PT5S").await;
    let receipt = browser.get(&path).await;
    assert_eq!(receipt.title(), "Returned", "{receipt:?}");
    assert!(receipt.says("has sent €20.00 back") && !receipt.says("end good"), "{receipt:?}");
    assert!(browser.get("/app/payments").await.says("· Returned</small>"));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_to_another_bank_is_accepted_sent_and_settled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (bank, mut browser) = app(engine).await;
    let order = Order { account: 0, iban: OTHER_BANK_IBAN, name: "Zoë Müller-Παππά", key: 1 };
    let ordered = order.send(&mut browser).await;
    assert!(ordered.says("Zoë Müller-Παππά") && ordered.says("Name check: not possible"), "{ordered:?}");
    let receipt = approve(&mut browser, &ordered).await;
    assert_eq!(receipt.title(), "Accepted");
    assert!(receipt.says("The amount is reserved.") && !receipt.says("end good"), "{receipt:?}");
    for part in ["€20.00", "Zoë Müller-Παππά", "FR14 2004", "Ενοίκιο Νοεμβρίου", "Payment number"]
    {
        assert!(receipt.says(part), "{part} in {receipt:?}");
    }
    let path = newest(&mut browser).await;
    bank.advance("PT5S").await;
    let settled = browser.get(&path).await;
    assert_eq!(settled.title(), "Paid", "{settled:?}");
    assert!(settled.says("The money is at the payee&#39;s bank."), "{settled:?}");
    let file = browser.get(&format!("{path}/receipt.pdf")).await;
    assert_eq!(file.headers["content-type"], "application/pdf");
    assert!(file.html.starts_with("%PDF-"));
    let list = browser.get("/app/payments").await;
    assert!(list.says("· Paid</small>") && list.says("Zoë Müller-Παππά"), "{list:?}");
    assert!(!settled.says("/cancellation"), "{settled:?}");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn receipt_has_each_fact_under_its_label(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let fees = Fees { internal_minor: 10, sepa_minor: 35 };
    let options = TestBankOptions { fees, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let own = &bank.sandbox_file["psus"][0]["accounts"][0];
    bank.book_opening(text(&own["iban"]), 500_000).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    let order = Order { account: 0, iban: OTHER_BANK_IBAN, name: "Maria Ioannou", key: 1 };
    let ordered = order.send(&mut browser).await;
    approve(&mut browser, &ordered).await;
    let path = newest(&mut browser).await;
    let receipt = browser.get(&path).await;
    let grouped: Vec<&str> =
        text(&own["iban"]).as_bytes().chunks(4).map(|part| std::str::from_utf8(part).unwrap()).collect();
    let from = format!("{} · {}", text(&own["name"]), grouped.join(" "));
    for (label, value) in [
        ("To", "Maria Ioannou"),
        ("IBAN", "FR14 2004 1010 0505 0001 3M02 606"),
        ("Reference", "Ενοίκιο Νοεμβρίου"),
        ("From this account", from.as_str()),
        ("Fee", "€0.35"),
        ("Status", "Accepted"),
        ("Payment number", path.trim_start_matches("/app/payments/")),
    ] {
        assert!(receipt.says(&format!("<dt>{label}</dt><dd>{value}</dd>")), "{label} {value}: {receipt:?}");
    }
    assert!(receipt.says("<dt>Amount</dt><dd class=\"large\">€20.00</dd>"), "{receipt:?}");
}

#[rstest]
#[case::close("CLOSE MATCH", "Name check: close match")]
#[case::no_match("NO MATCH", "Name check: no match")]
#[tokio::test(flavor = "multi_thread")]
async fn payee_at_another_bank_is_checked_before_the_approval(#[case] name: &str, #[case] shown: &str) {
    let (_bank, mut browser) = app(Engine::Sqlite).await;
    let ordered = Order { account: 0, iban: OTHER_BANK_IBAN, name, key: 1 }.send(&mut browser).await;
    assert!(ordered.says(shown) && ordered.says("data-link="), "{ordered:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn rejection_by_the_other_bank_is_on_the_receipt(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (bank, mut browser) = app(engine).await;
    let ordered =
        Order { account: 0, iban: OTHER_BANK_IBAN, name: "REJECT AC04", key: 1 }.send(&mut browser).await;
    approve(&mut browser, &ordered).await;
    bank.advance("PT5S").await;
    let path = newest(&mut browser).await;
    let receipt = browser.get(&path).await;
    assert_eq!(receipt.title(), "Not paid");
    assert!(receipt.says("account is closed. (AC04)"), "{receipt:?}");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_is_cancelled_by_its_customer_after_a_confirmation_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (bank, mut browser) = app(engine).await;
    let ordered = Order { account: 0, iban: OTHER_BANK_IBAN, name: "HOLD", key: 1 }.send(&mut browser).await;
    let receipt = approve(&mut browser, &ordered).await;
    assert_eq!(receipt.title(), "Accepted");
    let path = newest(&mut browser).await;
    let cancellation = format!("{path}/cancellation");
    // Another customer finds neither the payment nor its cancellation.
    let mut other = bank.browser();
    enrol(&bank, &mut other, 1).await;
    assert_eq!(other.get(&path).await.headers["location"], "/app/accounts");
    assert_eq!(other.get(&format!("{path}/receipt.pdf")).await.headers["location"], "/app/accounts");
    assert_eq!(other.get(&cancellation).await.headers["location"], "/app/payments");
    assert!(other.get("/app/payments").await.says("You have made no payment in the app."));
    let page = browser.get(&cancellation).await;
    assert_eq!(page.title(), "Cancel this payment?");
    let csrf = bank.app.csrf_token(&other.cookies["trapeza-app"], &cancellation);
    let forged =
        Page { html: page.html.replace(&page.attribute("name=\"csrf\" value=\""), &csrf), ..page.clone() };
    other.send(&forged, &[("step", "confirm")]).await;
    assert_eq!(browser.get(&path).await.title(), "Accepted", "a question changes nothing");
    let done = browser.send(&page, &[("step", "confirm")]).await;
    assert!(done.says("The payment was cancelled.") && done.says("· Cancelled</small>"), "{done:?}");
    let again = browser.send(&page, &[("step", "confirm")]).await;
    assert!(again.says("can no longer be cancelled"), "{again:?}");
    bank.advance("PT1M").await;
    assert_eq!(browser.get(&path).await.title(), "Cancelled");
    // One that waits for its approval is cancelled with its request.
    Order { account: 0, iban: OTHER_BANK_IBAN, name: "Anna", key: 2 }.send(&mut browser).await;
    let path = newest(&mut browser).await;
    let page = browser.get(&format!("{path}/cancellation")).await;
    browser.send(&page, &[("step", "confirm")]).await;
    assert_eq!(browser.get(&path).await.title(), "Cancelled");
    assert!(!browser.get("/app").await.says("name=\"number\""));
    for (action, times) in
        [("payment.initiated", 2), ("payment.cancellation_requested", 1), ("payment.cancelled", 2)]
    {
        let events = bank.database.events(action);
        assert_eq!(events.len(), times, "{action}: {events:?}");
        assert!(events.iter().all(|event| event.contains(" by psu:")), "{action}: {events:?}");
    }
    assert_eq!(browser.get("/app/payments?before=x").await.status, 400);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_that_cannot_be_made_is_refused_at_its_field(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let (bank, mut browser) = app(engine).await;
    let own = text(&bank.sandbox_file["psus"][0]["accounts"][0]["iban"]).to_owned();
    let unknown = "GR9099900010000000000999999";
    // The last account is in dollars.
    let foreign = browser.get("/app/pay").await.attributes("<option value=\"").len() - 1;
    for (account, iban, field, words) in [
        (0, "BR1800360305000010009795493C1", "iban", "does not take part in SEPA"),
        (0, own.as_str(), "iban", "the account that you pay from"),
        (0, "GR00", "iban", "This IBAN is not right"),
        (foreign, OTHER_BANK_IBAN, "from", "Choose an account in euros"),
        (0, unknown, "iban", "No account at this bank has this IBAN"),
    ] {
        let page = Order { account, iban, name: "Anna", key: 9 }.send(&mut browser).await;
        assert_eq!(page.status, 400, "{iban}: {page:?}");
        assert!(page.says(&format!("id=\"{field}-error\"")) && page.says(words), "{iban}: {page:?}");
        assert!(page.says("value=\"Anna\"") && page.says("value=\"20,00\""), "{page:?}");
    }
    assert!(browser.get("/app/payments").await.says("You have made no payment in the app."));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn second_click_orders_no_second_payment(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let (bank, mut browser) = app(engine).await;
    let order = Order { account: 0, iban: OTHER_BANK_IBAN, name: "Anna", key: 1 };
    let first = order.send(&mut browser).await;
    let again = order.send(&mut browser).await;
    let question = "name=\"question\" value=\"";
    assert_eq!(again.attribute(question), first.attribute(question));
    approve(&mut browser, &again).await;
    order.send(&mut browser).await;
    assert_eq!(bank.database.events("payment.initiated").len(), 1);
    assert_eq!(bank.database.events("payment.accepted").len(), 1);
    check_ledger(&bank).await;
}

/// A payment of Jonas to another bank, as the app creates it.
async fn create(bank: &TestBank, jonas: PsuId, key: u128, timing: PaymentTiming) -> Result<(), UseCaseError> {
    let request = bank.app.idempotent_request(&RequestIdentity {
        application: ApplicationId::BANK,
        operation: "POST /test",
        idempotency_key: Uuid::from_u128(key),
        field: Field::RequestId,
        path: "",
        psu: "",
        consent: "",
        body: b"",
    });
    let order = order(bank, PaymentProduct::SepaCreditTransfers, 100, timing);
    bank.app.customer_payment_create(request, jonas, order).await.map(drop)
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_for_a_day_that_has_passed_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (jonas, today) = (psu_id(&bank, JONAS).await, bank.app.clock().today());
    let yesterday = create(&bank, jonas, 1, PaymentTiming::OnDate(Date(today.0 - 1))).await;
    assert_eq!(reason(yesterday), Some(RefusalReason::ExecutionDateInvalid));
    create(&bank, jonas, 2, PaymentTiming::OnDate(today)).await.unwrap();
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payments_of_the_app_are_listed_page_by_page(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (jonas, eleni) = (psu_id(&bank, JONAS).await, psu_id(&bank, ELENI).await);
    for number in 1..=31 {
        if number == 31 {
            let (all, has_more) = bank.app.customer_payment_list(jonas, None).await.unwrap();
            assert_eq!((all.len(), has_more), (30, false), "one page");
        }
        create(&bank, jonas, number, PaymentTiming::Immediate).await.unwrap();
        // The list is in the order of the ids, which have the time in milliseconds.
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let (newest, has_more) = bank.app.customer_payment_list(jonas, None).await.unwrap();
    assert_eq!((newest.len(), has_more), (30, true));
    // On a fast disk two are created in the same millisecond.
    assert!(newest.windows(2).all(|pair| pair[0].created_at >= pair[1].created_at), "newest first");
    assert!(newest[0].created_at > newest[29].created_at, "not oldest first");
    let last = newest[29].id.to_string();
    let (oldest, has_more) = bank.app.customer_payment_list(jonas, Some(&last)).await.unwrap();
    assert_eq!((oldest.len(), has_more), (1, false));
    assert!(newest.iter().all(|one| one.id != oldest[0].id));
    let (others, _) = bank.app.customer_payment_list(eleni, None).await.unwrap();
    assert!(others.is_empty(), "{others:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loan_is_paid_in_the_app_to_the_collection_account(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    // Without a routing table the bank knows its own collection account all the same.
    let options = TestBankOptions { routing: Some(RoutingTable::default()), ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let loan = bought_by_guest(&bank, "120", 3).await;
    let own = text(&bank.sandbox_file["psus"][0]["accounts"][0]["iban"]).to_owned();
    bank.book_opening(&own, 500_000).await;
    let before = balance(&bank, &own).await.0;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    let form = browser.get("/app/pay").await;
    let (from, collection) = (form.attribute("<option value=\""), demo::collection_iban());
    let fields = [
        ("step", "pay"),
        ("idempotency_key", "00000000-0000-4000-8000-000000000001"),
        ("from", &*from),
        ("iban", collection.as_str()),
        ("name", "Trapeza"),
        ("amount", "20,00"),
        ("remittance", &loan.reference),
    ];
    let ordered = browser.send(&form, &fields).await;
    assert!(ordered.says("€20.00") && ordered.says("data-link="), "{ordered:?}");
    let receipt = approve(&mut browser, &ordered).await;
    assert_eq!(receipt.title(), "Paid", "inside the bank, so at once: {receipt:?}");
    assert_eq!((stands(&bank, loan.id).await.1, balance(&bank, &own).await.0), (10_000, before - 2_000));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_to_a_customer_is_internal_without_a_routing_table(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let options = TestBankOptions { routing: Some(RoutingTable::default()), ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    bank.book_opening(text(&bank.sandbox_file["psus"][0]["accounts"][0]["iban"]), 500_000).await;
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    let receipt = app_confirmation::pay(&bank, &mut browser, "1.00", 1).await;
    assert_eq!(receipt.title(), "Paid", "{receipt:?}");
    // No other bank can be reached.
    let away = Order { account: 0, iban: OTHER_BANK_IBAN, name: "Anna", key: 2 }.send(&mut browser).await;
    assert_eq!((away.status, away.says("id=\"iban-error\"")), (400, true), "{away:?}");
    check_ledger(&bank).await;
}
