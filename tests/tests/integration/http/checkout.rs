//! The checkout in a customer's browser, from the basket to the loan, and everything that may come between.

use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::contact::Phone;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiResponse, Browser, Page, TestBank};
use uuid::Uuid;

/// Jonas has one account, and one telephone that the bank knows.
pub const JONAS: usize = 1;
const PHONE: &str = "+306900000042";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// A basket of this number of euros, and the address of its checkout.
pub struct Bought {
    pub public: String,
    pub checkout: String,
}

pub async fn basket(bank: &TestBank, number: u128, euros: &str) -> Bought {
    basket_at(bank, 0, number, euros).await
}

pub async fn basket_at(bank: &TestBank, merchant: usize, number: u128, euros: &str) -> Bought {
    let value: Value = serde_json::from_str(euros).unwrap();
    let order = json!({
        "basketValue": value, "requestId": Uuid::from_u128(number).to_string(), "orderIdentifier": format!("order-{number}"),
        "basketProducts": [{ "name": "Lamp <b>", "quantity": 1, "Unit Price": value, "Total Amount": value }],
    });
    let created = bank.merchant(merchant).post("/createbasket", &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    let public = created.text("/publicBasketId").to_owned();
    Bought { checkout: format!("/checkout/{public}"), public }
}

async fn loan(bank: &TestBank, basket: &Bought) -> ApiResponse {
    bank.merchant(0).get(&format!("/loans/bnpl?basketId={}", basket.public)).await
}

async fn loan_status(bank: &TestBank, basket: &Bought) -> String {
    let answer = loan(bank, basket).await;
    if answer.status == 404 {
        "none".to_owned()
    } else {
        answer.text("/data/payLaterInformation/status").to_owned()
    }
}

/// What is kept of a decision: the loan's status, reason, figures.
async fn decided(bank: &TestBank, basket: &Bought) -> String {
    let public = Uuid::from_u128(u128::from_str_radix(&basket.public, 16).unwrap());
    let read = bank.app.store().read(move |tx| {
        let sql = "SELECT l.decline_reason, b.status, l.status, l.decision_inputs FROM basket b JOIN loan l ON l.basket = b.number WHERE b.public_id = $1";
        Ok(tx.query_one(sql, &[public.into()], |row| {
            let reason = row.read::<Option<String>>()?.unwrap_or_else(|| "-".to_owned());
            Ok(format!("{} {} {reason} ({})", row.read::<String>()?, row.read::<String>()?, row.read::<Option<String>>()?.unwrap_or_default()))
        })?)
    });
    read.await.unwrap()
}

/// From the first page up to the choice of a plan.
pub async fn proven(bank: &TestBank, browser: &mut Browser, basket: &Bought, phone: &str) -> Page {
    let start = browser.get(&basket.checkout).await;
    assert_eq!(start.status, 200, "{start:?}");
    let phone_page = browser.send(&start, &[("step", "open")]).await;
    let sent = browser.send(&phone_page, &[("step", "phone"), ("phone", phone)]).await;
    browser.send(&sent, &[("step", "code"), ("code", text(&bank.sandbox_file["otp"]))]).await
}

pub async fn agree(browser: &mut Browser, basket: &Bought, plan: u32) -> Page {
    let terms = read_terms(browser, basket, plan).await;
    send_agreement(browser, &terms, plan).await
}

/// The terms of a plan, before the agreement.
pub async fn read_terms(browser: &mut Browser, basket: &Bought, plan: u32) -> Page {
    let terms = browser.get(&format!("{}?plan={plan}", basket.checkout)).await;
    assert!(terms.title().starts_with(&format!("{plan} × €")), "{terms:?}");
    assert!(
        terms.says("Read this before you agree") && terms.says("Borrowing money costs money"),
        "{terms:?}"
    );
    terms
}

/// Agrees to terms that were read.
pub async fn send_agreement(browser: &mut Browser, terms: &Page, plan: u32) -> Page {
    let day = terms.attribute("name=\"day\" value=\"");
    browser
        .send(terms, &[("step", "agree"), ("plan", &plan.to_string()), ("day", &day), ("agreed", "yes")])
        .await
}

/// Buys on a telephone alone, or as far as that is possible.
pub async fn buy(bank: &TestBank, basket: &Bought, phone: &str) -> Page {
    let mut browser = bank.browser();
    let plans = proven(bank, &mut browser, basket, phone).await;
    if plans.says("?plan=3") { agree(&mut browser, basket, 3).await } else { plans }
}

pub async fn sign_in(bank: &TestBank, browser: &mut Browser, basket: &Bought, password: &str) -> Page {
    sign_in_as(browser, basket, text(&bank.sandbox_file["psus"][JONAS]["psu_id"]), password).await
}

pub async fn sign_in_as(browser: &mut Browser, basket: &Bought, user: &str, password: &str) -> Page {
    let page = browser.get(&format!("{}?sign-in=1", basket.checkout)).await;
    browser.send(&page, &[("step", "sign-in"), ("user", user), ("password", password)]).await
}

async fn set_addresses(bank: &TestBank) {
    let id = text(&bank.sandbox_file["merchants"][0]["application_id"]).to_owned();
    let urls = json!({
        "successRedirectURI": "http://127.0.0.1:9090/thanks?a=1&b=2", "failureRedirectURI": "http://127.0.0.1:9090/basket",
    });
    let set = bank.merchant(0).patch(&format!("/sandbox/applications/{id}"), &urls).await;
    assert_eq!(set.status, 200, "{set:?}");
}

pub async fn check_ledger(bank: &TestBank) {
    let app = bank.app.clone();
    let report = tokio::task::spawn_blocking(move || app.ledger_check()).await.unwrap().unwrap();
    assert!(report.is_sound(), "{report:?}");
}

/// A text without the loan's reference, which is as random as its id.
fn without_reference(text: &str) -> String {
    match text.split_once("RF") {
        Some((before, after)) => {
            // Printed in groups of four, or in an address without spaces.
            let length = if after.as_bytes()[2] == b' ' { 17 } else { 14 };
            format!("{before}[reference]{}", without_reference(&after[length..]))
        }
        None => text.to_owned(),
    }
}

/// What precedes the address of the link back to the merchant.
const BACK: &str = "id=\"back\" rel=\"noreferrer\" href=\"";

/// The address to which a shopper returns who has not bought.
fn returned(order: &str, basket: &Bought, outcome: &str) -> String {
    let public = &basket.public;
    format!("http://127.0.0.1:9090/basket?orderIdentifier={order}&publicBasketId={public}&outcome={outcome}")
}

/// The page's main part, without what differs from run to run.
fn reported(page: &Page, basket: &Bought) -> String {
    let main = page.html.split("<main>").nth(1).and_then(|rest| rest.split("</main>").next()).unwrap();
    let mut main = main.replace(&basket.public, "[basket]");
    for mark in page.attributes("name=\"csrf\" value=\"") {
        main = main.replace(&mark, "[csrf]");
    }
    main = without_reference(&main);
    // The time of day moves with the machine.
    let before = main.find("You can decide until ");
    if let Some(at) = before {
        let at = at + "You can decide until ".len();
        main.replace_range(at..at + 5, "[time]");
    }
    let lines: Vec<&str> = main.lines().filter(|line| !line.trim().is_empty()).collect();
    format!("# {} {}\n{}", page.status, page.title(), lines.join("\n"))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn checkout_grants_a_loan(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    set_addresses(&bank).await;
    let (bought, mut browser, mut transcript) = (basket(&bank, 1, "120.3").await, bank.browser(), Vec::new());
    let start = browser.get(&bought.checkout).await;
    transcript.push(reported(&start, &bought));
    assert_eq!(loan_status(&bank, &bought).await, "none", "looking asks for nothing");
    let phone_page = browser.send(&start, &[("step", "open")]).await;
    transcript.push(reported(&phone_page, &bought));
    assert_eq!(loan_status(&bank, &bought).await, "pending");
    let wrong = browser.send(&phone_page, &[("step", "phone"), ("phone", "690 000")]).await;
    assert_eq!((wrong.status, wrong.says("That is no telephone number")), (400, true));
    // As it is dialled within the country; the page shows what was understood.
    let sent = browser.send(&phone_page, &[("step", "phone"), ("phone", "690-000 0042")]).await;
    assert!(sent.says("+306900000042"), "{sent:?}");
    transcript.push(reported(&sent, &bought));
    let message = bank.anonymous().get("/sandbox/messages").await.body["messages"][0].clone();
    assert_eq!((text(&message["to"]), text(&message["channel"])), (PHONE, "SMS"));
    assert!(
        text(&message["text"]).starts_with("Trapeza: your code to pay €120.30 later at Papyrus Books is ")
    );
    let plans = browser.send(&sent, &[("step", "code"), ("code", text(&message["code"]))]).await;
    transcript.push(reported(&plans, &bought));
    let terms = browser.get(&format!("{}?plan=12", bought.checkout)).await;
    transcript.push(reported(&terms, &bought));
    let day = terms.attribute("name=\"day\" value=\"");
    let unticked = browser.send(&terms, &[("step", "agree"), ("plan", "12"), ("day", &day)]).await;
    assert_eq!((unticked.status, unticked.says("Tick the box")), (400, true));
    let end = agree(&mut browser, &bought, 12).await;
    transcript.push(reported(&end, &bought));
    let public = &bought.public;
    let thanks = "http://127.0.0.1:9090/thanks?a=1&b=2&orderIdentifier=order-1";
    assert_eq!(end.attribute(BACK), format!("{thanks}&publicBasketId={public}&outcome=approved"));
    assert_eq!(loan_status(&bank, &bought).await, "approved");
    let shown = bank.merchant(0).get(&format!("/basket/id?basketId={}", bought.public)).await;
    assert_eq!(shown.body["monthlyInstallments"].as_array().unwrap().len(), 12);
    transcript.push(decided(&bank, &bought).await);
    check_ledger(&bank).await;
    insta::assert_snapshot!("checkout", transcript.join("\n\n"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn basket_may_have_redirect_addresses_of_its_own(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let create = async |number: u128, success: &str, failure: &str| {
        let order = json!({
            "basketValue": 120, "requestId": Uuid::from_u128(number).to_string(), "orderIdentifier": "A 1&2",
            "successRedirectURI": success, "failureRedirectURI": failure,
        });
        bank.merchant(0).post("/createbasket", &order).await
    };
    let refused = |answer: &ApiResponse| {
        let errors = answer.body["errors"].as_array().unwrap().iter();
        errors.map(|error| text(&error["field"]).to_owned()).collect::<Vec<_>>()
    };
    let (good, bad) = ("http://127.0.0.1:9999/own?x=1", "http://127.0.0.1:9090/own");
    let without = create(1, good, bad).await;
    assert_eq!(without.status, 400, "the application has no addresses yet: {without:?}");
    set_addresses(&bank).await;
    let faulty = create(2, "https://shop.example/", "javascript:alert(1)").await;
    assert_eq!(refused(&faulty), ["successRedirectURI", "failureRedirectURI"], "{faulty:?}");
    let created = create(3, good, bad).await;
    assert_eq!(created.status, 201, "{created:?}");
    let public = created.text("/publicBasketId").to_owned();
    let bought = Bought { checkout: format!("/checkout/{public}"), public };
    let mut browser = bank.browser();
    proven(&bank, &mut browser, &bought, PHONE).await;
    let end = agree(&mut browser, &bought, 3).await;
    let query = format!("orderIdentifier=A+1%262&publicBasketId={}&outcome=approved", bought.public);
    assert_eq!(end.attribute(BACK), format!("{good}&{query}"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn signed_in_customer_has_a_higher_limit(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (bought, mut browser) = (basket(&bank, 1, "450").await, bank.browser());
    proven(&bank, &mut browser, &bought, text(&jonas["phone"])).await;
    let wrong = sign_in(&bank, &mut browser, &bought, "wrong").await;
    assert_eq!((wrong.status, wrong.says("do not belong together")), (401, true), "{wrong:?}");
    let plans = sign_in(&bank, &mut browser, &bought, text(&jonas["password"])).await;
    let iban = text(&jonas["accounts"][0]["iban"]);
    let masked = format!("{} … {}", &iban[..4], &iban[iban.len() - 4..]);
    assert!(plans.says(&format!("Installments are collected from {masked}.")), "{plans:?}");
    let terms = read_terms(&mut browser, &bought, 3).await;
    assert!(terms.says(&format!("<dt>Collected from</dt><dd>{masked}</dd>")), "{terms:?}");
    assert!(terms.says("<dt>Amount lent</dt><dd>€450.00</dd>"), "{terms:?}");
    assert!(!terms.says("Transfer to (IBAN)") && !terms.says(iban), "{terms:?}");
    let end = agree(&mut browser, &bought, 3).await;
    assert_eq!(end.title(), "Bought", "{} {end:?}", decided(&bank, &bought).await);
    let kept = bank.app.store().read(|tx| {
        let sql = "SELECT COUNT(*) FROM loan l JOIN account_owner o ON o.account = l.account AND o.psu = l.psu JOIN shopper c ON c.id = l.shopper AND c.psu = l.psu";
        Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?)
    });
    assert_eq!(kept.await.unwrap(), 1, "the loan is collected from Jonas's own account");
    // Another customer's telephone is refused with this password.
    let (other, mut browser) = (basket(&bank, 2, "450").await, bank.browser());
    proven(&bank, &mut browser, &other, PHONE).await;
    let refused = sign_in(&bank, &mut browser, &other, text(&jonas["password"])).await;
    assert_eq!((refused.status, refused.says("do not belong together")), (401, true));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn guest_over_the_limit_is_offered_no_plan_and_may_sign_in(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (bought, mut browser) = (basket(&bank, 1, "450").await, bank.browser());
    let plans = proven(&bank, &mut browser, &bought, text(&jonas["phone"])).await;
    assert_eq!(plans.title(), "How do you want to pay?");
    assert!(plans.says("you would owe more at a time") && plans.says("Not available to you"), "{plans:?}");
    assert!(!plans.says("?plan="), "no plan can be chosen: {plans:?}");
    let terms = browser.get(&format!("{}?plan=3", bought.checkout)).await;
    assert_eq!(terms.title(), "How do you want to pay?", "nor by its address");
    // An agreement that is sent nevertheless is declined, and the basket stays open.
    let day = bank.days_ago(0);
    let forged = [("step", "agree"), ("plan", "3"), ("day", day.as_str()), ("agreed", "yes")];
    assert_eq!(browser.send(&terms, &forged).await.title(), "How do you want to pay?");
    assert_eq!(loan_status(&bank, &bought).await, "pending");
    let plans = sign_in(&bank, &mut browser, &bought, text(&jonas["password"])).await;
    assert!(plans.says("?plan=3") && !plans.says("Not available to you"), "{plans:?}");
    assert_eq!(agree(&mut browser, &bought, 3).await.title(), "Bought");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn each_sandbox_phone_forces_its_outcome(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    set_addresses(&bank).await;
    let mut lines = Vec::new();
    for (number, phone) in (1_u128..).zip(["00", "01", "02", "03", "04", "05", "06"]) {
        let bought = basket(&bank, number, "120.3").await;
        let end = buy(&bank, &bought, &format!("+3069000001{phone}")).await;
        let status = loan_status(&bank, &bought).await;
        let way = end.attribute(BACK).replace(&bought.public, "[basket]");
        lines.push(format!(
            "{phone}: {} | {} | {status} | {way} | {}",
            end.title(),
            without_reference(end.text("<p>")),
            decided(&bank, &bought).await
        ));
    }
    insta::assert_snapshot!("outcomes", lines.join("\n"));
    // At a merchant_fixture that is not a test these are telephones like any other.
    let real = basket_at(&bank, 2, 99, "120.3").await;
    assert_eq!(buy(&bank, &real, "+306900000101").await.title(), "Bought");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn credit_rules_use_stored_history(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let mut lines = Vec::new();
    let mut try_it = async |case: &str, number: u128, euros: &str, phone: &str| {
        let bought = basket(&bank, number, euros).await;
        let end = buy(&bank, &bought, phone).await;
        lines.push(format!("{case}: {} | {}", end.title(), decided(&bank, &bought).await));
    };
    try_it("more than 200 on a telephone alone", 1, "200.01", PHONE).await;
    try_it("all of 200", 2, "200", PHONE).await;
    try_it("and a little more", 3, "30", PHONE).await;
    let other = "+306900000043";
    try_it("first of three", 4, "30", other).await;
    try_it("second of three", 5, "30", other).await;
    try_it("third of three", 6, "30", other).await;
    try_it("a fourth", 7, "30", other).await;
    bank.advance("P1D").await;
    try_it("a fourth, a day later", 8, "30", other).await;
    let blocked = Phone::parse("+306900000044").unwrap();
    try_it("before it is blocked", 9, "30", blocked.as_str()).await;
    let phone = blocked.clone();
    assert!(bank.app.store().write(move |tx| Ok(tx.shopper_set_blocked(&phone, true)?)).await.unwrap());
    try_it("blocked", 10, "30", blocked.as_str()).await;
    bank.advance("P62D").await;
    try_it("an installment 31 days late", 11, "30", other).await;
    check_ledger(&bank).await;
    insta::assert_snapshot!("rules", lines.join("\n"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn affordability_uses_the_income_of_the_account(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    // What came in three months ago or earlier does not count, nor does opening money.
    bank.advance("P95D").await;
    let iban = text(&jonas["accounts"][0]["iban"]).to_owned();
    bank.book_opening(&iban, 10_000_000).await;
    let (bought, mut browser) = (basket(&bank, 1, "300").await, bank.browser());
    proven(&bank, &mut browser, &bought, text(&jonas["phone"])).await;
    let end = sign_in(&bank, &mut browser, &bought, text(&jonas["password"])).await;
    assert_eq!(
        end.title(),
        "Not bought",
        "no plan fits, and the shopper is refused before any is shown: {end:?}"
    );
    let kept = decided(&bank, &bought).await;
    assert!(kept.starts_with("declined rejected AFFORDABILITY (monthly=10000 inflow="), "{kept}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_baskets_do_not_exceed_the_exposure_limit(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let mut ready = Vec::new();
    for number in 1..=2 {
        let (bought, mut browser) = (basket(&bank, number, "150").await, bank.browser());
        proven(&bank, &mut browser, &bought, PHONE).await;
        ready.push((bought, browser));
    }
    let both = ready.iter_mut().map(|(bought, browser)| agree(browser, bought, 3));
    let mut both: Vec<_> = both.collect();
    let (first, second) = (both.remove(0), both.remove(0));
    let (first, second) = tokio::join!(first, second);
    let mut titles = [first.title(), second.title()];
    titles.sort();
    assert_eq!(titles, ["Bought", "How do you want to pay?"]);
    let page = if first.title() == "Bought" { &second } else { &first };
    assert!(page.says("you would owe more at a time") && !page.says("?plan="), "{page:?}");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_agreement_grants_one_loan(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (bought, mut browser) = (basket(&bank, 1, "120.3").await, bank.browser());
    proven(&bank, &mut browser, &bought, PHONE).await;
    let mut second = bank.browser();
    second.cookies = browser.cookies.clone();
    let first_terms = read_terms(&mut browser, &bought, 3).await;
    let second_terms = read_terms(&mut second, &bought, 4).await;
    let (one, two) = tokio::join!(
        send_agreement(&mut browser, &first_terms, 3),
        send_agreement(&mut second, &second_terms, 4)
    );
    assert_eq!(
        (one.title(), two.title()),
        ("Bought".to_owned(), "Bought".to_owned()),
        "each tab shows what is"
    );
    let transfers = bank.app.store().read(|tx| {
        let sql = "SELECT COUNT(*) FROM transfer WHERE event = 'loan_approved'";
        Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?)
    });
    assert_eq!(transfers.await.unwrap(), 2, "one amount and one discount");
    // The back button leads to the end, whatever the old page sends.
    let back = browser.get(&format!("{}?plan=3", bought.checkout)).await;
    assert_eq!(back.title(), "Bought");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn leaving_and_expiry_end_the_checkout(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    set_addresses(&bank).await;
    let mut lines = Vec::new();
    let mut note = async |case: &str, bought: &Bought, page: &Page| {
        let loan = loan_status(&bank, bought).await;
        lines.push(format!(
            "{case}: {} | {} | {loan} | {}",
            page.title(),
            page.text("<p>"),
            decided(&bank, bought).await
        ));
    };
    let (bought, mut browser) = (basket(&bank, 1, "120.3").await, bank.browser());
    let plans = proven(&bank, &mut browser, &bought, PHONE).await;
    let left = browser.send(&plans, &[("step", "leave")]).await;
    note("left late", &bought, &left).await;
    assert_eq!(left.attribute(BACK), returned("order-1", &bought, "cancelled"));
    let (bought, mut browser) = (basket(&bank, 2, "120.3").await, bank.browser());
    let start = browser.get(&bought.checkout).await;
    let left = browser.send(&start, &[("step", "leave")]).await;
    note("left at once", &bought, &left).await;
    let (bought, mut browser) = (basket(&bank, 3, "120.3").await, bank.browser());
    let plans = proven(&bank, &mut browser, &bought, PHONE).await;
    bank.advance("PT30M").await;
    let late = browser.send(&plans, &[("step", "leave")]).await;
    note("expired, found by the sweep", &bought, &late).await;
    let missed = basket(&bank, 4, "120.3").await;
    bank.advance("PT30M").await;
    let page = bank.browser().get(&missed.checkout).await;
    assert_eq!((page.status, page.title().as_str()), (410, "This purchase has ended"));
    assert!(page.says("The time to decide is over"), "{page:?}");
    assert_eq!(page.attribute(BACK), returned("order-4", &missed, "expired"));
    assert_eq!(loan_status(&bank, &missed).await, "none");
    insta::assert_snapshot!("ends", lines.join("\n"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn expired_basket_is_refused_before_the_sweep(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (bought, mut browser) = (basket(&bank, 1, "120.3").await, bank.browser());
    let plans = proven(&bank, &mut browser, &bought, PHONE).await;
    // Time passes for the row alone, so that no sweep has seen it.
    bank.app
        .store()
        .write(|tx| {
            let past = Timestamp(1);
            tx.execute("UPDATE basket SET expires_at = $1, deadline = $1", &[past.into()])?;
            Ok(())
        })
        .await
        .unwrap();
    assert_eq!(loan_status(&bank, &bought).await, "rejected", "a read knows");
    let late = browser
        .send(&plans, &[("step", "agree"), ("plan", "3"), ("day", &bank.days_ago(0)), ("agreed", "yes")])
        .await;
    assert!(late.says("The time to decide is over"), "{late:?}");
    assert_eq!(decided(&bank, &bought).await, "expired rejected EXPIRED ()");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn checkout_is_bound_to_one_browser_and_csrf_token(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (bought, mut own, mut other) = (basket(&bank, 1, "120.3").await, bank.browser(), bank.browser());
    let theirs = other.get(&bought.checkout).await;
    let phone_page = {
        let start = own.get(&bought.checkout).await;
        own.send(&start, &[("step", "open")]).await
    };
    let late = other.send(&theirs, &[("step", "open")]).await;
    assert_eq!((late.status, late.title().as_str()), (409, "Open in another browser"));
    let strange = other.send_only(&phone_page, &[("step", "leave")]).await;
    assert_eq!(strange.status, 403, "a form of another browser: {strange:?}");
    other.headers.push(("sec-fetch-site", "cross-site".to_owned()));
    assert_eq!(other.send_only(&theirs, &[("step", "leave")]).await.status, 403);
    assert_eq!(loan_status(&bank, &bought).await, "pending");
    let left = own.send(&phone_page, &[("step", "leave")]).await;
    assert_eq!(left.title(), "Not bought");
    let over = bank.browser().get(&bought.checkout).await;
    assert_eq!((over.status, over.title().as_str()), (410, "This purchase has ended"));
    for nothing in ["/checkout/x", "/checkout/00000000000000000000000000000000", "/checkout/%ff"] {
        let page = bank.browser().get(nothing).await;
        assert_eq!((page.status, page.title().as_str()), (404, "Basket not found"), "{nothing}");
    }
    let policy = &own.get(&bought.checkout).await.headers["content-security-policy"];
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn checkout_codes_are_limited(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (bought, mut browser) = (basket(&bank, 1, "120.3").await, bank.browser());
    let start = browser.get(&bought.checkout).await;
    let phone_page = browser.send(&start, &[("step", "open")]).await;
    let sent = browser.send(&phone_page, &[("step", "phone"), ("phone", PHONE)]).await;
    for _ in 0..3 {
        let wrong = browser.send(&sent, &[("step", "code"), ("code", "000000")]).await;
        assert_eq!(wrong.status, 401, "{wrong:?}");
    }
    // The fourth is not looked at, though it is right.
    let right = [("step", "code"), ("code", text(&bank.sandbox_file["otp"]))];
    let page = browser.send(&sent, &right).await;
    assert_eq!((page.status, page.says("is no longer good")), (401, true), "{page:?}");
    let soon = browser.send(&sent, &[("step", "phone")]).await;
    assert_eq!(
        (soon.status, soon.says("A code was asked for a moment ago")),
        (429, true),
        "half a minute apart"
    );
    for _ in 0..3 {
        bank.advance("PT31S").await;
        let again = browser.send(&sent, &[("step", "phone"), ("phone", "+306900000045")]).await;
        assert_eq!(again.status, 200, "{again:?}");
    }
    bank.advance("PT31S").await;
    let fifth = browser.send(&sent, &[("step", "phone")]).await;
    assert_eq!(fifth.status, 429, "three times again, whichever the telephone");
    bank.advance("PT5M").await;
    assert_eq!(browser.send(&sent, &right).await.status, 401, "five minutes");
    let messages = bank.anonymous().get("/sandbox/messages").await;
    assert_eq!(messages.body["messages"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn slow_decision_keeps_the_loan_pending() {
    let bank =
        TestBank::start(trapeza_testkit::database::Database::new(trapeza_testkit::database::Engine::Sqlite))
            .await;
    let (bought, mut browser) = (basket(&bank, 1, "120.3").await, bank.browser());
    proven(&bank, &mut browser, &bought, "+306900000110").await;
    let (end, meanwhile) = tokio::join!(agree(&mut browser, &bought, 3), async {
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        loan_status(&bank, &bought).await
    });
    assert_eq!((meanwhile.as_str(), end.title().as_str()), ("pending", "Bought"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn terms_that_were_shown_on_another_day_are_not_agreed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (bought, mut browser) = (basket(&bank, 1, "120.3").await, bank.browser());
    proven(&bank, &mut browser, &bought, PHONE).await;
    let terms = read_terms(&mut browser, &bought, 3).await;
    for days in [1, -1] {
        let day = bank.days_ago(days);
        let fields = [("step", "agree"), ("plan", "3"), ("day", day.as_str()), ("agreed", "yes")];
        let page = browser.send(&terms, &fields).await;
        assert_ne!(page.title(), "Bought", "{day}");
        assert_eq!(loan_status(&bank, &bought).await, "pending", "{day}");
    }
    assert_eq!(send_agreement(&mut browser, &terms, 3).await.title(), "Bought");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn only_a_sign_in_resets_the_count_of_wrong_passwords_at_a_checkout(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let failures = || {
        bank.database.number(
            "SELECT CAST(COALESCE(SUM(failures), 0) AS BIGINT) FROM sca_counter WHERE kind = 'password'",
        )
    };
    // The right password with the telephone number of another person.
    let (other, mut browser) = (basket(&bank, 1, "60").await, bank.browser());
    proven(&bank, &mut browser, &other, PHONE).await;
    assert_eq!(sign_in(&bank, &mut browser, &other, text(&jonas["password"])).await.status, 401);
    assert_eq!(failures(), 1);
    bank.pass(TimeDelta::seconds(2)).await;
    let (bought, mut browser) = (basket(&bank, 2, "60").await, bank.browser());
    proven(&bank, &mut browser, &bought, text(&jonas["phone"])).await;
    assert_eq!(sign_in(&bank, &mut browser, &bought, "wrong").await.status, 401);
    assert_eq!(failures(), 2);
    bank.pass(TimeDelta::seconds(3)).await;
    let plans = sign_in(&bank, &mut browser, &bought, text(&jonas["password"])).await;
    assert!(plans.says("Installments are collected from"), "{plans:?}");
    assert_eq!(failures(), 0);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn verified_telephone_number_is_not_replaced_by_another_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (bought, mut browser) = (basket(&bank, 1, "60").await, bank.browser());
    let plans = proven(&bank, &mut browser, &bought, PHONE).await;
    browser.send(&plans, &[("step", "phone"), ("phone", text(&jonas["phone"]))]).await;
    assert_eq!(bank.database.events("checkout.otp_sent").len(), 1);
    // A stolen password alone borrows nothing: the code went to the number of the thief.
    assert_eq!(sign_in(&bank, &mut browser, &bought, text(&jonas["password"])).await.status, 401);
    assert!(bank.database.events("checkout.signed_in").is_empty());
}
