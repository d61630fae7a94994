//! The samples at `/sample/tpp` and `/sample/shop` beyond their happy paths: foreign and stale sessions, a second tab, forms without a
//! CSRF token, rejected payments, declined purchases and forged callbacks.

use rstest::rstest;
use serde_json::json;

use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{Browser, Page, TestBank};

const TPP: &str = "/sample/tpp";
const SHOP: &str = "/sample/shop";

/// Starts a walkthrough of the third party with Eleni as the customer and Jonas as the payee.
async fn start(browser: &mut Browser, purpose: &str, amount: &str) -> Page {
    let page = browser.get(TPP).await;
    let (customer, payee) = (("customer", "eleni.papadaki"), ("payee", "jonas.weber"));
    browser.send(&page, &[("step", "start"), ("purpose", purpose), customer, payee, ("amount", amount)]).await
}

/// Submits a step of the walkthrough that the page shows.
async fn step(browser: &mut Browser, page: &Page, step: &str, field: (&str, &str)) -> Page {
    let walkthrough = page.attribute("name=\"walkthrough\" value=\"");
    browser.send(page, &[("step", step), ("walkthrough", &walkthrough), field]).await
}

/// The embedded authorisation up to its code.
async fn to_the_code(bank: &TestBank, browser: &mut Browser, amount: &str) -> Page {
    let psu = &bank.sandbox_file["psus"][0];
    let page = start(browser, "embedded", amount).await;
    let page = step(browser, &page, "password", ("password", psu["password"].as_str().unwrap())).await;
    step(browser, &page, "method", ("method", psu["methods"][0]["id"].as_str().unwrap())).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_above_the_balance_is_shown_as_rejected(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let page = to_the_code(&bank, &mut browser, "999999.00").await;
    let page = step(&mut browser, &page, "code", ("code", "123456")).await;
    assert!(page.says("The payment was rejected: no money has moved."), "{page:?}");
    assert!(page.says("RJCT"), "{page:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_code_is_reported_and_the_right_one_pays(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let page = to_the_code(&bank, &mut browser, "12.50").await;
    let page = step(&mut browser, &page, "code", ("code", "000000")).await;
    assert!(page.says("PSU_CREDENTIALS_INVALID") && page.says("role=\"alert\""), "{page:?}");
    let page = step(&mut browser, &page, "code", ("code", "123456")).await;
    assert!(page.says("The payment is done: 12.50 EUR have arrived."), "{page:?}");
    // A step that is out of order changes nothing.
    let page = step(&mut browser, &page, "code", ("code", "123456")).await;
    assert!(page.says("The payment is done: 12.50 EUR have arrived."), "{page:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refused_order_is_shown_again_with_the_field(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let hostile = "<script>alert(1)</script>";
    for amount in ["", "-1", "0", "1e3", hostile] {
        let page = start(&mut browser, "redirect", amount).await;
        assert!(page.says("aria-invalid=\"true\""), "{amount}: {page:?}");
        assert!(page.says("id=\"start-amount-error\""), "{amount}: {page:?}");
        assert!(!page.html.contains(hostile), "{page:?}");
    }
    let page = browser.get(TPP).await;
    let unknown = [("step", "start"), ("purpose", "consent"), ("customer", hostile), ("payee", "x")];
    let page = browser.send(&page, &unknown).await;
    assert!(page.says("Choose a customer") && !page.html.contains(hostile), "{page:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn walkthrough_of_another_browser_or_tab_is_not_continued(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let first = start(&mut browser, "consent", "1").await;
    let state = first.attribute("name=\"walkthrough\" value=\"");
    let back = format!("{TPP}/return?state={state}");
    // Another browser, which has no walkthrough, and one with a walkthrough of its own.
    let mut foreign = bank.browser();
    let page = foreign.get(&back).await;
    assert_eq!((page.status, page.title().as_str()), (410, "The walkthrough has ended"));
    start(&mut foreign, "consent", "1").await;
    let page = foreign.get(&back).await;
    assert_eq!((page.status, page.title().as_str()), (409, "Another walkthrough is in progress"));
    // A second tab of the same browser starts a new walkthrough: the first one's forms and return are refused.
    start(&mut browser, "embedded", "1").await;
    let fields = [("step", "check"), ("walkthrough", state.as_str())];
    assert_eq!(browser.send_only(&first, &fields).await.status, 409);
    assert_eq!(browser.get(&back).await.status, 409);
    assert_eq!(browser.get(&format!("{TPP}/return")).await.status, 409);
    // A walkthrough that does not exist any more.
    let newer = browser.get(TPP).await;
    let page = step(&mut browser, &newer, "new", ("", "")).await;
    assert!(page.says("name=\"purpose\""), "{page:?}");
    assert_eq!(browser.send_only(&newer, &fields).await.status, 410);
    assert_eq!(browser.get(&format!("{SHOP}/return?state={state}")).await.status, 410);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn form_without_csrf_token_or_from_another_site_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    for path in [TPP, SHOP] {
        assert_eq!(browser.post(path, &[("step", "start")]).await.status, 403);
        let page = browser.get(path).await;
        assert_eq!(browser.post(path, &[("step", "start"), ("csrf", "no")]).await.status, 403);
        browser.headers = vec![("origin", "https://elsewhere.example".to_owned())];
        assert_eq!(browser.send_only(&page, &[("step", "start")]).await.status, 403);
        browser.headers = Vec::new();
        assert!(page.headers["content-security-policy"].contains("script-src 'none'"));
    }
    // The token of one sample is not valid in the other.
    let page = browser.get(TPP).await;
    let csrf = page.attribute("name=\"csrf\" value=\"");
    assert_eq!(browser.post(SHOP, &[("step", "start"), ("csrf", &csrf)]).await.status, 403);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn declined_purchase_and_empty_cart_are_shown(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let page = browser.get(SHOP).await;
    let page = browser.send(&page, &[("step", "start"), ("lamp", "0")]).await;
    assert!(page.says("Choose at least one product"), "{page:?}");
    let page = browser.send(&page, &[("step", "start"), ("lamp", "99999")]).await;
    assert!(page.says("Choose at least one product"), "{page:?}");
    let page = browser.send(&page, &[("step", "start"), ("lamp", "1"), ("chair", "2")]).await;
    let checkout = page.attribute("<a class=\"button\" href=\"");
    assert!(checkout.contains("/checkout/"), "{page:?}");
    let shown = page.html.split("basketId&#34;: ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
    let path = format!("/bnplsandbox/createbnpl?basketId={shown}&isSuccessCallback=false");
    let samples = bank.sandbox_file["merchants"].as_array().unwrap();
    let own = samples.iter().find(|merchant| merchant["name"] == "Sample Shop").unwrap();
    let declined = bank.anonymous().as_merchant(own).post(&path, &json!({})).await;
    assert_eq!(declined.status, 200, "{declined:?}");
    let page = step(&mut browser, &page, "check", ("", "")).await;
    assert!(page.says("The bank has not financed the order"), "{page:?}");
    assert!(!page.says("name=\"amount\""), "{page:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_callback_is_refused() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let forged = bank.anonymous().with("webhook-id", "1").with("webhook-timestamp", "1");
    let forged = forged.with("webhook-signature", "v1,AAAA");
    let answer = forged.post("/sample/shop/callback", &json!({ "data": { "publicBasketId": "1" } })).await;
    assert_eq!(answer.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn production_has_no_samples() {
    let options = TestBankOptions { production: true, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(Engine::Sqlite), options).await;
    for path in
        ["/sample/tpp", "/sample/tpp/return", "/sample/shop", "/sample/shop/return", "/sample/shop/callback"]
    {
        assert_eq!(bank.anonymous().get(path).await.status, 404, "{path}");
        assert_eq!(bank.anonymous().post(path, &json!({})).await.status, 404, "{path}");
    }
}
