//! The language of the pages: a link on each page switches it, a cookie remembers it, and the flow goes on where it was.

use rstest::rstest;
use serde_json::json;
use trapeza_app::bank_profile::{BankProfile, Languages};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{Page, TestBank};

fn language(page: &Page) -> String {
    page.attribute("<html lang=\"")
}

/// The link to the other language.
fn switch(page: &Page) -> String {
    page.attribute("<div class=\"languages\" role=\"group\" aria-label=\"Language\"><a href=\"")
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn language_is_switched_in_the_middle_of_an_authorisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let psu = bank.sandbox_file["psus"][0].clone();
    let tpp = bank.tpp(0).with("PSU_ID", psu["psu_id"].as_str().unwrap());
    let order = json!({
        "access": { "balances": [{ "iban": psu["accounts"][0]["iban"] }] },
        "recurringIndicator": false, "validUntil": "2099-12-31", "frequencyPerDay": 1,
    });
    let consent = format!("/v1/consents/{}", tpp.post("/v1/consents", &order).await.text("/consentId"));
    let back = bank.sandbox_file["tpps"][0]["redirect_uris"][0].as_str().unwrap();
    let started = tpp
        .clone()
        .with("TPP-Redirect-URI", back)
        .post(&format!("{consent}/authorisations"), &json!({}))
        .await;
    let mut browser = bank.browser();
    let start = browser.get(started.text("/_links/scaRedirect/href")).await;
    let opened = browser.send(&start, &[("step", "open")]).await;
    let password = psu["password"].as_str().unwrap();
    let choose = browser.send(&opened, &[("step", "password"), ("password", password)]).await;
    assert!(choose.says("name=\"method\""), "{choose:?}");
    assert_eq!(language(&choose), "en");

    let link = started.text("/_links/scaRedirect/href");
    let switched = browser.get(&format!("{link}{}", switch(&choose))).await;
    assert_eq!(switched.status, 303);
    assert_eq!(
        switched.headers["set-cookie"],
        "trapeza-language=el; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly"
    );
    let same = browser.get(&switched.headers["location"]).await;
    assert_eq!(language(&same), "el");
    assert!(same.says("name=\"method\""), "the step is the same: {same:?}");

    let sms = psu["methods"].as_array().unwrap().iter().find(|method| method["type"] == "SMSOTP").unwrap();
    let method = [("step", "method"), ("method", sms["id"].as_str().unwrap())];
    let code_page = browser.send(&same, &method).await;
    assert_eq!(language(&code_page), "el");
    let messages = bank.tpp(0).get("/sandbox/messages").await;
    assert!(
        messages.body.to_string().contains("κωδικό"),
        "the message has the chosen language: {messages:?}"
    );
    let end = browser.send(&code_page, &[("step", "code"), ("code", "123456")]).await;
    assert!(end.says("Εγκρίθηκε"), "{end:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn chosen_language_wins_over_the_browsers_on_every_page() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut browser = bank.browser();
    browser.headers = vec![("accept-language", "en".to_owned()), ("accept", "text/html".to_owned())];
    for path in ["/", "/app", "/loan", "/statistics", "/sandbox/messages", "/checkout/unknown", "/app/none"] {
        let page = browser.get(path).await;
        assert_eq!(language(&page), "en", "{path}");
        assert!(switch(&page).contains("?lang=el"), "{path}");
    }
    let switched = browser.get("/app?lang=el").await;
    assert_eq!((switched.status, switched.headers["location"].as_str()), (303, "/app"));
    for path in ["/", "/app", "/loan", "/statistics", "/sandbox/messages", "/nothing"] {
        assert_eq!(language(&browser.get(path).await), "el", "{path}");
    }
    // Caches share the price widget, so its language is a parameter.
    let merchant = bank.sandbox_file["merchants"][0]["merchant_id"].as_i64().unwrap();
    let price = browser.get(&format!("/price/{merchant}?amount=120.30")).await;
    assert_eq!(language(&price), "en");
    assert!(price.says("href=\"?lang=el&#38;amount=120.30\""), "{price:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_language_changes_nothing() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut browser = bank.browser();
    let page = browser.get("/loan?lang=fr").await;
    assert_eq!((page.status, language(&page).as_str()), (200, "en"));
    browser.cookies.insert("trapeza-language".to_owned(), "\"><script>".to_owned());
    let page = browser.get("/loan").await;
    assert_eq!((page.status, language(&page).as_str()), (200, "en"));
}

#[tokio::test(flavor = "multi_thread")]
async fn bank_with_one_language_offers_no_other() {
    let languages = Languages::parse("el").unwrap();
    let bank_profile = Some(BankProfile { languages, ..BankProfile::default() });
    let options = TestBankOptions { bank_profile, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(Engine::Sqlite), options).await;
    let page = bank.browser().get("/loan").await;
    assert_eq!(language(&page), "el");
    assert!(!page.says("class=\"languages\""), "{page:?}");
    assert_eq!(bank.browser().get("/loan?lang=en").await.status, 200);
}
