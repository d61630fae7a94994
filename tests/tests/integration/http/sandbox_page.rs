//! The page at `/sandbox`: its forms create what the operations create, mark every invalid field, and replace the bank only after a
//! confirmation and for pages of this server.

use rstest::rstest;
use serde_json::{Value, json};
use trapeza_app::UseCaseError;
use trapeza_app::sandbox::BankContent;
use trapeza_domain::refusal::RefusalReason;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{Browser, TestBank};

const PATH: &str = "/sandbox";

async fn customers(bank: &TestBank) -> Vec<Value> {
    bank.anonymous().get("/sandbox/customers").await.body["customers"].as_array().unwrap().clone()
}

/// Uploads a file with the CSRF token of the page; returns the status and the page.
async fn upload(bank: &TestBank, browser: &mut Browser, file: &str) -> (u16, String) {
    let page = browser.get(PATH).await;
    let form = page.html.split("action=\"/sandbox/import\"").nth(1).unwrap();
    let token = form.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let part = |name: &str, value: &str| {
        format!("--b1\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"f\"\r\n\r\n{value}\r\n")
    };
    let body =
        [part("csrf", token), part("step", "import"), part("file", file), "--b1--\r\n".to_owned()].concat();
    let cookies: Vec<_> = browser.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let request =
        client.post(format!("{}/sandbox/import", bank.base_url)).header("cookie", cookies.join("; "));
    let request = request.header("content-type", "multipart/form-data; boundary=b1").body(body);
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn forms_create_customer_account_card_and_transaction(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let hostile = "<script>alert(1)</script>";
    let page = browser.get(PATH).await;
    let page = browser
        .send(
            &page,
            &[
                ("step", "customer"),
                ("psuId", "maria.test"),
                ("password", "correct-horse-1"),
                ("name", hostile),
                ("phone", "+306900000200"),
                ("methods", "SMSOTP, PUSHOTP"),
            ],
        )
        .await;
    assert!(page.says("The customer was created.") && !page.html.contains(hostile), "{page:?}");
    let account = [("step", "account"), ("owners", "maria.test"), ("openingBalance", "1000.00")];
    let page = browser.send(&page, &[&account[..], &[("openedOn", "2035-01-01")]].concat()).await;
    assert!(page.says("The account was created."), "{page:?}");
    let maria = customers(&bank).await.into_iter().find(|one| one["psuId"] == "maria.test").unwrap();
    assert_eq!(maria["methods"].as_array().unwrap().len(), 2);
    let iban = maria["accounts"][0]["iban"].as_str().unwrap();
    let card = [("step", "card"), ("psuId", "maria.test"), ("iban", iban)];
    let page = browser.send(&page, &card).await;
    assert!(page.says("The card was created."), "{page:?}");
    let transaction = [("step", "transaction"), ("iban", iban), ("amount", "-12.50")];
    let page = browser.send(&page, &transaction).await;
    assert!(page.says("The transaction was created.") && page.says("987.50"), "{page:?}");
    let pending = [("step", "transaction"), ("iban", iban), ("amount", "-10"), ("pending", "yes")];
    browser.send(&page, &pending).await;
    let maria = customers(&bank).await.into_iter().find(|one| one["psuId"] == "maria.test").unwrap();
    let account = &maria["accounts"][0];
    assert_eq!((account["booked"].as_str(), account["available"].as_str()), (Some("987.50"), Some("977.50")));
    let page = browser.send(&page, &[("step", "clock"), ("advance", "P1D")]).await;
    assert!(page.says("The clock was moved") && page.says("It is 2035-03-16"), "{page:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transactions_of_an_account_are_shown_page_by_page(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let iban = customers(&bank).await[0]["accounts"][0]["iban"].as_str().unwrap().to_owned();
    for number in 0..101 {
        let body = json!({ "iban": iban, "amount": "0.01", "counterpartyName": format!("<i>{number}") });
        assert_eq!(bank.anonymous().post("/sandbox/transactions", &body).await.status, 201);
    }
    let mut browser = bank.browser();
    let link = format!("/sandbox?account={iban}&#38;currency=EUR");
    let page = browser.get(PATH).await;
    assert!(page.says(&format!("href=\"{link}\"")), "{page:?}");
    let page = browser.get(&format!("/sandbox?account={iban}&currency=EUR")).await;
    assert!(page.says("&#60;i&#62;100<") && !page.says("<i>") && !page.says("&#60;i&#62;0<"), "{page:?}");
    let older = page.html.split("href=\"").find(|part| part.contains("after=")).unwrap();
    let older = older.split('"').next().unwrap().replace("&#38;", "&");
    let page = browser.get(&older).await;
    assert!(page.says("&#60;i&#62;0<") && !page.says("&#60;i&#62;100<"), "{page:?}");
    for (query, status) in [("account=", 400), ("account=GR9899900010050000000000001", 404)] {
        let refused = browser.get(&format!("/sandbox?{query}")).await;
        assert_eq!(refused.status, status, "{query}");
        assert!(refused.says("account: "), "{query}: {refused:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn invalid_form_marks_its_fields_and_changes_nothing(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let before = customers(&bank).await;
    let mut browser = bank.browser();
    let page = browser.get(PATH).await;
    let hostile = "\"><script>alert(1)</script>";
    for (step, fields, marked) in [
        (
            "customer",
            vec![("psuId", hostile), ("phone", "12"), ("methods", "FAX")],
            vec!["name", "phone", "methods"],
        ),
        ("account", vec![("openingBalance", "many")], vec!["owners", "openingBalance"]),
        ("card", vec![("psuId", "eleni.papadaki"), ("iban", hostile)], vec!["iban"]),
        (
            "transaction",
            vec![("amount", "0"), ("bookingDate", "tomorrow")],
            vec!["iban", "amount", "bookingDate"],
        ),
        ("clock", vec![("advance", "yesterday")], vec!["advance"]),
        ("reset", vec![], vec!["sure"]),
    ] {
        let refused = browser.send(&page, &[&[("step", step)][..], &fields].concat()).await;
        assert_eq!(refused.status, 400, "{step}");
        for field in marked {
            assert!(refused.says(&format!("id=\"{step}-{field}-error\"")), "{step} {field}: {refused:?}");
        }
        assert!(!refused.html.contains("<script>"), "{step}");
    }
    assert_eq!(customers(&bank).await, before);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bank_is_replaced_by_an_upload_and_by_a_confirmed_reset(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut browser = bank.browser();
    let file = json!({ "customers": [{ "psuId": "only", "name": "Only One", "phone": "+306900000201" }] });
    for (file, text) in [("", "is required"), ("{", "import-file"), ("{\"customers\": 1}", "customers")] {
        let (status, page) = upload(&bank, &mut browser, file).await;
        assert_eq!(status, 400, "{file}");
        assert!(page.contains(text), "{file}");
    }
    assert!(customers(&bank).await.len() > 1);
    let (status, page) = upload(&bank, &mut browser, &file.to_string()).await;
    assert_eq!(status, 303, "{page}");
    assert_eq!(customers(&bank).await.len(), 1);
    let page = browser.get(PATH).await;
    let page = browser.send(&page, &[("step", "reset"), ("sure", "yes")]).await;
    assert!(page.says("The bank is the demo bank again."), "{page:?}");
    assert_eq!(customers(&bank).await.len(), 5);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn page_of_another_site_cannot_replace_the_bank(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let file = json!({ "customers": [] });
    for (name, value) in [("Origin", "https://elsewhere.example"), ("Sec-Fetch-Site", "cross-site")] {
        let foreign = bank.anonymous().with(name, value);
        for path in ["reset", "bank", "clock", "customers", "accounts", "cards", "transactions"] {
            let refused = foreign.post(&format!("/sandbox/{path}"), &file).await;
            assert_eq!(refused.status, 403, "{name} {path}: {refused:?}");
        }
        let own = bank.sandbox_file["merchants"][0]["application_id"].as_str().unwrap();
        let merchant = bank.merchant(0).with(name, value);
        let refused = merchant.patch(&format!("/sandbox/applications/{own}"), &json!({})).await;
        assert_eq!(refused.status, 403, "{name}: {refused:?}");
    }
    assert_eq!(customers(&bank).await.len(), 5);
    let own = bank.anonymous().with("Origin", &bank.base_url).with("Sec-Fetch-Site", "same-origin");
    assert_eq!(own.post("/sandbox/bank", &file).await.status, 200);
    let mut browser = bank.browser();
    assert_eq!(browser.post(PATH, &[("step", "reset"), ("sure", "yes")]).await.status, 403);
    assert_eq!(browser.post("/sandbox/import", &[]).await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn production_has_no_sandbox_page_and_its_bank_is_not_replaced() {
    let options = TestBankOptions { production: true, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(Engine::Sqlite), options).await;
    assert_eq!(bank.anonymous().get(PATH).await.status, 404);
    assert_eq!(bank.anonymous().post("/sandbox/import", &json!({})).await.status, 404);
    let Err(UseCaseError::Refused(refusal)) = bank.app.sandbox_replace(BankContent::default()).await else {
        panic!("the bank was replaced");
    };
    assert_eq!(refusal.reason, RefusalReason::StatusInvalid);
}
