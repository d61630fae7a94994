//! The session of the bank's app: its end, the locked app, and the devices of a customer.

use super::loan_access::psu_id;
use super::page_forms::enrol;
use rstest::rstest;
use serde_json::Value;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Page, TestBank};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn session_that_times_out_asks_for_the_password_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = bank.sandbox_file["psus"][0].clone();
    let mut browser = bank.browser();
    let home = enrol(&bank, &mut browser, 0).await;
    assert!(home.says(" · Until ") && home.says("id=\"session-ends\" hidden"), "{home:?}");
    bank.advance("PT4M").await;
    let pay = browser.get("/app/pay").await;
    let stayed = browser.send(&session_form(&pay), &[("step", "stay"), ("next", "/app/loans")]).await;
    assert_eq!(stayed.title(), "Purchases that you pay later", "{stayed:?}");
    for _ in 0..3 {
        bank.advance("PT4M").await;
        assert_eq!(browser.get("/app/pay").await.status, 200, "a page extends the session");
    }
    bank.advance("PT30S").await;
    assert_eq!(browser.get("/app/pay").await.status, 200);
    for next in
        ["https://evil.example/app/", "//evil.example/app/", "/app/\\evil.example", "/app/\r\nx: y", "/apps"]
    {
        let elsewhere = [("step", "stay"), ("next", next)];
        let sent = browser.send_only(&session_form(&stayed), &elsewhere).await;
        assert_eq!(sent.headers["location"], "/app", "{next:?}");
    }
    bank.advance("PT5M").await;
    assert_eq!(browser.get("/app/pay").await.headers["location"], "/app");
    let locked = browser.get("/app").await;
    let first = text(&psu["name"]).split(' ').next().unwrap();
    assert_eq!(locked.title(), format!("Welcome back, {first}"));
    assert!(locked.says("Your session ended on ") && !locked.says("name=\"user\""), "{locked:?}");
    assert!(!locked.says(text(&psu["psu_id"])) || first == text(&psu["psu_id"]), "{locked:?}");
    let wrong = browser.send(&locked, &[("step", "sign-in"), ("password", "wrong")]).await;
    assert!(wrong.status == 401 && wrong.says("id=\"password-error\""), "{wrong:?}");
    let open = browser.send(&wrong, &[("step", "sign-in"), ("password", text(&psu["password"]))]).await;
    assert!(open.says("<h1>Accounts</h1>"), "{open:?}");
}

/// The page as a form of the app's first page, which has the buttons of the session.
fn session_form(page: &Page) -> Page {
    let html = page.html.split("id=\"stay\"").nth(1).unwrap();
    Page { html: format!("<form method=\"post\" action=\"/app\"{html}"), ..page.clone() }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn locked_app_knows_its_customer_and_sign_out_removes_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = bank.sandbox_file["psus"][0].clone();
    let mut browser = bank.browser();
    let home = enrol(&bank, &mut browser, 0).await;
    let locked = browser.send(&home, &[("step", "lock")]).await;
    assert!(locked.says("The app is locked.") && !locked.says("name=\"user\""), "{locked:?}");
    assert_eq!(browser.get("/app/accounts").await.headers["location"], "/app");
    let other = browser.get("/app?start=over").await;
    assert!(other.says("name=\"user\""), "{other:?}");
    let open = browser.send(&locked, &[("step", "sign-in"), ("password", text(&psu["password"]))]).await;
    assert!(open.says("<h1>Accounts</h1>"), "{open:?}");
    let out = browser.send(&open, &[("step", "sign-out")]).await;
    assert!(out.says("name=\"user\"") && !out.says("Welcome back"), "{out:?}");
    // After a sign-out the password needs its user name.
    let unnamed = browser.send(&out, &[("step", "sign-in"), ("password", text(&psu["password"]))]).await;
    assert_eq!(unnamed.status, 401);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn device_is_removed_from_another_device_of_its_customer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (mut phone, mut laptop, mut other_customer) = (bank.browser(), bank.browser(), bank.browser());
    enrol(&bank, &mut phone, 0).await;
    bank.advance("PT1M").await;
    enrol(&bank, &mut laptop, 0).await;
    enrol(&bank, &mut other_customer, 1).await;
    let list = laptop.get("/app/devices").await;
    assert!(list.says("<h2>This device</h2>") && list.says("<h2>Another device</h2>"), "{list:?}");
    let path = format!("/app/devices/{}", list.attribute("class=\"button no\" href=\"/app/devices/"));
    let page = laptop.get(&path).await;
    assert_eq!(page.title(), "Remove this other device?");
    // Another customer finds no such device.
    assert_eq!(other_customer.get(&path).await.headers["location"], "/app/devices");
    let csrf = bank.app.csrf_token(&other_customer.cookies["trapeza-app"], &path);
    let forged =
        Page { html: page.html.replace(&page.attribute("name=\"csrf\" value=\""), &csrf), ..page.clone() };
    other_customer.send(&forged, &[("step", "confirm")]).await;
    assert_eq!(phone.get("/app/accounts").await.status, 200);
    let removed = laptop.send(&page, &[("step", "confirm")]).await;
    assert!(removed.says("The device was removed.") && !removed.says("Another device"), "{removed:?}");
    assert_eq!(phone.get("/app/accounts").await.headers["location"], "/app");
    assert!(phone.get("/app").await.says("name=\"user\""), "the phone is unknown");
    assert!(laptop.get("/app/help").await.says("Lost your phone?"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn device_expires_after_90_days(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (mut browser, eleni) = (bank.browser(), psu_id(&bank, 0).await);
    enrol(&bank, &mut browser, 0).await;
    for (days, known) in [(89, true), (2, false)] {
        bank.pass(TimeDelta::days(days)).await;
        let listed = bank.app.customer_device_list(eleni, "").await.unwrap().len();
        assert_eq!((browser.get("/app").await.says("name=\"user\""), listed), (!known, usize::from(known)));
    }
}
