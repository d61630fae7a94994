//! What people see of pages and programs do not: errors at their fields, the language of messages and names, and pages where programs
//! get JSON.

use super::checkout::basket;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Browser, Page, TestBank};

/// What browsers send when a person opens an address.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// Makes a browser a customer's app.
pub async fn enrol(bank: &TestBank, browser: &mut Browser, psu: usize) -> Page {
    let code = request_code(browser, &bank.sandbox_file["psus"][psu]).await;
    browser.send(&code, &[("step", "code"), ("code", "123456")]).await
}

/// Enters user name and password on a new device; returns the page that asks for the code.
pub async fn request_code(browser: &mut Browser, psu: &Value) -> Page {
    browser.app_sign_in(text(&psu["psu_id"]), text(&psu["password"])).await
}

/// Whether an input is marked as invalid and described by an error that the page has.
fn is_marked(page: &Page, field: &str) -> bool {
    let input = page.html.split(&format!("id=\"{field}\"")).nth(1).and_then(|rest| rest.split('>').next());
    input.is_some_and(|input| {
        input.contains("aria-invalid=\"true\"")
            && input.contains(&format!("aria-describedby=\"{field}-error\""))
    }) && page.says(&format!("id=\"{field}-error\" role=\"alert\""))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn form_errors_are_at_their_fields_and_typed_values_stay(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let sign_in = browser.get("/app").await;
    let fields = [("step", "sign-in"), ("user", "eleni\""), ("password", "wrong-secret")];
    let refused = browser.send(&sign_in, &fields).await;
    assert!(refused.status == 401 && is_marked(&refused, "password"), "{refused:?}");
    assert_eq!(refused.attribute("name=\"user\" value=\""), "eleni\"");
    assert!(!refused.says("wrong-secret"));
    enrol(&bank, &mut browser, 0).await;
    let pay = browser.get("/app/pay").await;
    assert!(!pay.says("aria-invalid=\"true\""));
    let own = pay.attributes("<option value=\"")[1].clone();
    let fields = [
        ("step", "pay"),
        ("idempotency_key", "00000000-0000-4000-8000-000000000001"),
        ("from", own.as_str()),
        ("iban", "GR00 1"),
        ("name", "Jonas"),
        ("amount", "7.x"),
        ("remittance", "Rent"),
    ];
    let refused = browser.send(&pay, &fields).await;
    assert_eq!(refused.status, 400);
    for (field, marked) in
        [("from", false), ("iban", true), ("name", false), ("amount", true), ("remittance", false)]
    {
        assert_eq!(is_marked(&refused, field), marked, "{field} of {refused:?}");
    }
    for (field, typed) in [("iban", "GR00 1"), ("name", "Jonas"), ("amount", "7.x"), ("remittance", "Rent")] {
        assert_eq!(refused.attribute(&format!("name=\"{field}\" value=\"")), typed);
    }
    assert!(refused.says(&format!("<option value=\"{own}\" selected>")));
    let checkout = browser.get(&basket(&bank, 1, "90").await.checkout).await;
    let phone = browser.send(&checkout, &[("step", "open")]).await;
    let refused = browser.send(&phone, &[("step", "phone"), ("phone", "069")]).await;
    assert!(refused.status == 400 && is_marked(&refused, "phone"), "{refused:?}");
    assert_eq!(refused.attribute("name=\"phone\" value=\""), "069");
    let code = browser.send(&phone, &[("step", "phone"), ("phone", "+306900000042")]).await;
    let refused = browser.send(&code, &[("step", "code"), ("code", "999999")]).await;
    assert!(refused.status == 401 && is_marked(&refused, "code") && !refused.says("999999"), "{refused:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn browsers_get_pages_where_programs_get_json(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (mut browser, mut program) = (bank.browser(), bank.browser());
    enrol(&bank, &mut bank.browser(), 0).await;
    browser.headers = vec![("accept", BROWSER.to_owned())];
    for (path, page_status, json_status, words) in [
        ("/", 200, 200, "First steps in the sandbox"),
        ("/unknown", 404, 404, "id=\"docs\" href=\"/docs\""),
        ("/app/unknown", 404, 404, "href=\"/app\""),
        ("/app/accounts/1/2", 404, 404, "href=\"/app\""),
        ("/sandbox/messages", 200, 200, "your code to use the bank&#39;s app"),
    ] {
        let page = browser.get(path).await;
        assert_eq!((page.status, page.says("<html lang=\"en\">")), (page_status, true), "{path}: {page:?}");
        assert!(page.says(words), "{path}: {page:?}");
        for accept in ["*/*", "application/json"] {
            program.headers = vec![("accept", accept.to_owned())];
            let answer = program.get(path).await;
            assert_eq!(answer.status, json_status, "{path}");
            assert!(serde_json::from_str::<Value>(&answer.html).is_ok(), "{path}: {answer:?}");
        }
    }
    browser.headers.push(("accept-language", "el".to_owned()));
    for path in ["/", "/unknown", "/app/unknown", "/sandbox/messages"] {
        assert!(browser.get(path).await.says("<html lang=\"el\">"), "{path}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn messages_are_in_the_language_of_the_page(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = bank.sandbox_file["psus"][0].clone();
    let mut browser = bank.browser();
    browser.headers = vec![("accept-language", "el".to_owned())];
    enrol(&bank, &mut browser, 0).await;
    assert!(browser.get("/app/accounts").await.says(">Τρεχούμενος λογαριασμός</a>"));
    let checkout = browser.get(&basket(&bank, 1, "1290.5").await.checkout).await;
    let phone = browser.send(&checkout, &[("step", "open")]).await;
    browser.send(&phone, &[("step", "phone"), ("phone", "+306900000042")]).await;
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let order = json!({
        "access": { "balances": [{ "iban": psu["accounts"][0]["iban"] }] },
        "recurringIndicator": true,
        "validUntil": "2035-06-30",
        "frequencyPerDay": 4,
    });
    let created = tpp.post("/v1/consents", &order).await;
    let path = format!("/v1/consents/{}/authorisations", created.text("/consentId"));
    let started = tpp.post(&path, &json!({})).await;
    let link = browser.get(started.text("/_links/scaRedirect/href")).await;
    let opened = browser.send(&link, &[("step", "open")]).await;
    let fields = [("step", "password"), ("password", text(&psu["password"]))];
    let choose = browser.send(&opened, &fields).await;
    let methods = psu["methods"].as_array().unwrap();
    let sms = methods.iter().find(|method| method["type"] == "SMSOTP").unwrap();
    browser.send(&choose, &[("step", "method"), ("method", text(&sms["id"]))]).await;
    let sent: Vec<String> =
        bank.app.messages().await.unwrap().into_iter().map(|message| message.text).collect();
    assert_eq!(sent.len(), 3, "{sent:?}");
    assert!(sent[0].contains("ζητά να διαβάσει") && sent[0].contains("30 Ιουνίου 2035"), "{}", sent[0]);
    assert!(sent[1].contains("αργότερα 1.290,50\u{a0}€ στο κατάστημα"), "{}", sent[1]);
    assert!(sent[2].contains("σε νέα συσκευή"), "{}", sent[2]);
}
