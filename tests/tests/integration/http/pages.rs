//! Pages for customers, over HTTP: the redirect way from a consent to its end, and the bank's app. Everything that must
//! not lead there is tried as well.

use super::checkout::basket;
use super::page_forms::enrol;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiResponse, Browser, Page, TestBank};

/// A demo bank's customer with the consent they are asked for.
struct Asked {
    bank: TestBank,
    psu: Value,
    /// The path of the consent, and of its authorisation.
    consent: String,
    authorisation: String,
    started: ApiResponse,
    back: String,
    nok: String,
}

impl Asked {
    /// The first customer has several methods.
    async fn new(bank: TestBank, headers: &[(&str, &str)]) -> Self {
        let psu = bank.sandbox_file["psus"][0].clone();
        let nok = "http://127.0.0.1:9/refused?by=\"customer\"".to_owned();
        let back = bank.sandbox_file["tpps"][0]["redirect_uris"][0].as_str().unwrap().to_owned();
        let client = bank.sandbox_file["tpps"][0]["client_id"].as_str().unwrap().to_owned();
        let own = format!("/sandbox/applications/{client}");
        let changed = bank.tpp(0).patch(&own, &json!({ "redirectURIs": [back, nok] })).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        let tpp = bank.tpp(0).with("PSU_ID", psu["psu_id"].as_str().unwrap());
        let order = json!({
            "access": { "balances": [{ "iban": psu["accounts"][0]["iban"] }] },
            "recurringIndicator": true,
            "validUntil": "2099-12-31",
            "frequencyPerDay": 4,
        });
        let created = tpp.post("/v1/consents", &order).await;
        let consent = format!("/v1/consents/{}", created.text("/consentId"));
        let mut starter = tpp.with("TPP-Redirect-URI", &back).with("TPP-Nok-Redirect-URI", &nok);
        for (name, value) in headers {
            starter = starter.with(name, value);
        }
        let started = starter.post(&format!("{consent}/authorisations"), &json!({})).await;
        let authorisation = format!("{consent}/authorisations/{}", started.text("/authorisationId"));
        Self { bank, psu, consent, authorisation, started, back, nok }
    }

    fn link(&self) -> String {
        self.started.text("/_links/scaRedirect/href").to_owned()
    }

    fn password(&self) -> &str {
        self.psu["password"].as_str().unwrap()
    }

    fn method(&self, kind: &str) -> String {
        let methods = self.psu["methods"].as_array().unwrap();
        let found = methods.iter().find(|method| method["type"] == kind).unwrap();
        found["id"].as_str().unwrap().to_owned()
    }

    /// The number of the consent's status (2 is valid, 1 rejected), and of its authorisation's (5 finalised, 6 failed).
    async fn statuses(&self) -> (i64, i64) {
        let tpp = self.bank.tpp(0);
        let consent = tpp.get(&format!("{}/status", self.consent)).await;
        let own = tpp.get(&self.authorisation).await;
        (consent.body["consentStatus"].as_i64().unwrap(), own.body["scaStatus"].as_i64().unwrap())
    }

    /// From the link to the choice of a method.
    async fn signed_in(&self, browser: &mut Browser) -> Page {
        let start = browser.get(&self.link()).await;
        let opened = browser.send(&start, &[("step", "open")]).await;
        browser.send(&opened, &[("step", "password"), ("password", self.password())]).await
    }

    /// From a new browser to the list of questions.
    async fn app(&self, browser: &mut Browser) -> Page {
        let asked = browser.app_sign_in(self.psu["psu_id"].as_str().unwrap(), self.password()).await;
        assert_eq!(asked.title(), "A code for this device");
        browser.send(&asked, &[("step", "code"), ("code", "123456")]).await
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn redirect_pages_authorise_a_consent(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[]).await;
    let mut browser = asked.bank.browser();
    let start = browser.get(&asked.link()).await;
    assert_eq!((start.status, start.title().as_str()), (200, "Kyklos Finance needs your agreement"));
    assert_eq!(asked.statuses().await, (0, 1), "looking binds nothing");
    let opened = browser.send(&start, &[("step", "open")]).await;
    assert_eq!((opened.status, opened.title().as_str()), (200, "Sign in"));
    assert_eq!(asked.statuses().await, (0, 4));
    let iban = asked.psu["accounts"][0]["iban"].as_str().unwrap();
    assert!(!opened.says(&iban[..4]), "what is asked is shown to its customer only");
    let wrong = browser.send(&opened, &[("step", "password"), ("password", "wrong")]).await;
    assert_eq!((wrong.status, wrong.says("role=\"alert\"")), (401, true));
    let choose = browser.send(&wrong, &[("step", "password"), ("password", asked.password())]).await;
    assert_eq!((choose.status, choose.title().as_str()), (200, "Kyklos Finance wants to see one account"));
    assert!(choose.says("Kyklos Finance asks to read these accounts") && choose.says("PSDGR-BOG-000001"));
    assert!(choose.says(&iban[..4]) && choose.says(asked.psu["accounts"][0]["name"].as_str().unwrap()));
    let confirm = browser.send(&choose, &[("step", "method"), ("method", &asked.method("SMSOTP"))]).await;
    assert_eq!((confirm.status, confirm.title()), (200, choose.title()));
    let wrong = browser.send(&confirm, &[("step", "code"), ("code", "000000")]).await;
    assert_eq!(
        (wrong.status, wrong.title().as_str(), wrong.says("role=\"alert\"")),
        (401, "Kyklos Finance wants to see one account", true)
    );
    let end = browser.send(&wrong, &[("step", "code"), ("code", " 123456 ")]).await;
    assert_eq!((end.status, end.title().as_str()), (200, "Approved"));
    assert_eq!(end.attribute("id=\"back\" rel=\"noreferrer\" href=\""), asked.back);
    assert!(end.says("id=\"stay\""), "and it goes back by itself, unless the customer stays");
    assert_eq!(asked.statuses().await, (2, 5));
    // The back button and a second click show where it stands.
    let again = browser.send(&confirm, &[("step", "code"), ("code", "123456")]).await;
    assert_eq!((again.status, again.title().as_str()), (200, "Approved"));
    let again = browser.send(&choose, &[("step", "refuse")]).await;
    assert_eq!((again.status, again.title().as_str()), (200, "Approved"));
    assert_eq!(asked.statuses().await, (2, 5));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refusal_rejects_the_consent_and_uses_the_nok_uri(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[]).await;
    let mut browser = asked.bank.browser();
    let choose = asked.signed_in(&mut browser).await;
    let end = browser.send(&choose, &[("step", "refuse")]).await;
    assert_eq!((end.status, end.title().as_str()), (200, "Nothing was approved"));
    assert_eq!(end.attribute("id=\"back\" rel=\"noreferrer\" href=\""), asked.nok);
    assert_eq!(asked.statuses().await, (1, 6));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn redirect_link_works_in_one_browser(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[]).await;
    let (mut browser, mut other) = (asked.bank.browser(), asked.bank.browser());
    let (mine, theirs) = (browser.get(&asked.link()).await, other.get(&asked.link()).await);
    browser.send(&mine, &[("step", "open")]).await;
    for page in [other.get(&asked.link()).await, other.send(&theirs, &[("step", "open")]).await] {
        assert_eq!((page.status, page.title().as_str()), (410, "This link cannot be used"));
        assert!(page.says("id=\"back\""), "and there is a way back");
    }
    let fields = [("step", "password"), ("password", asked.password())];
    assert_eq!(other.send(&theirs, &fields).await.status, 410);
    assert_eq!(asked.signed_in(&mut browser).await.title(), "Kyklos Finance wants to see one account");
    let forged = other.get(&format!("{}x", asked.link())).await;
    assert_eq!((forged.status, forged.title().as_str()), (404, "This link cannot be used"));
    assert_eq!(other.get("/sca/%ff").await.status, 404);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn cross_site_form_is_refused(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[]).await;
    let mut browser = asked.bank.browser();
    let start = browser.get(&asked.link()).await;
    let elsewhere: [(&str, &str); 4] = [
        ("origin", "https://evil.example"),
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "http://127.0.0.1:1"),
    ];
    for (name, value) in elsewhere {
        browser.headers = vec![(name, value.to_owned())];
        let page = browser.send_only(&start, &[("step", "open")]).await;
        assert_eq!(
            (page.status, page.title().as_str()),
            (403, "This form is no longer valid"),
            "{name} {value}"
        );
    }
    browser.headers.clear();
    let forged = Page {
        html: start.html.replace("name=\"csrf\" value=\"", "name=\"csrf\" value=\"x"),
        ..start.clone()
    };
    assert_eq!(browser.send_only(&forged, &[("step", "open")]).await.status, 403);
    let cookies = std::mem::take(&mut browser.cookies);
    assert_eq!(browser.send_only(&start, &[("step", "open")]).await.status, 403, "without the cookie");
    assert_eq!(asked.statuses().await, (0, 1), "nothing was done");
    browser.cookies = cookies;
    browser.headers = vec![("origin", "null".to_owned()), ("sec-fetch-site", "same-origin".to_owned())];
    assert_eq!(browser.send_only(&start, &[("step", "open")]).await.status, 303);
    let app = browser.get("/app").await;
    let odd = [("step", "sign-in"), ("user", "a\0b"), ("password", "wrong")];
    assert_eq!(browser.send_only(&app, &odd).await.status, 401, "an invalid name is refused");
    browser.headers = vec![("origin", "https://evil.example".to_owned())];
    assert_eq!(browser.send_only(&app, &[("step", "sign-in")]).await.status, 403);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn expired_link_is_reported_and_returns(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[]).await;
    let mut browser = asked.bank.browser();
    let choose = asked.signed_in(&mut browser).await;
    asked.bank.advance("PT6M").await;
    let idle = browser.send(&choose, &[("step", "method"), ("method", &asked.method("SMSOTP"))]).await;
    assert_eq!((idle.status, idle.title().as_str()), (410, "This link cannot be used"));
    assert!(idle.says("id=\"back\""));
    asked.bank.advance("PT10M").await;
    let over = browser.get(&asked.link()).await;
    assert_eq!((over.status, over.title().as_str()), (200, "Nothing was approved"));
    assert_eq!(asked.statuses().await, (0, 6));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn app_approves_with_the_right_number(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[("TPP-Decoupled-Preferred", "true")]).await;
    let number = asked.started.body["challengeData"]["data"].clone();
    let number = number.as_str().or_else(|| number[0].as_str()).unwrap().to_owned();
    let mut browser = asked.bank.browser();
    let questions = asked.app(&mut browser).await;
    assert_eq!((questions.status, questions.title().as_str()), (200, "The bank's app"));
    assert!(questions.says("Kyklos Finance asks to read these accounts"));
    let numbers = questions.attributes("<button name=\"number\" value=\"");
    assert!(numbers.len() == 3 && numbers.contains(&number), "{number} in {numbers:?}");
    let question = questions.attribute("name=\"question\" value=\"");
    let fields = [("step", "approve"), ("question", question.as_str()), ("number", &number)];
    let reported = browser.send(&questions, &fields).await;
    assert!(reported.status == 200 && reported.says("Approved."), "{reported:?}");
    assert_eq!(asked.statuses().await, (2, 5));
    assert!(browser.send(&reported, &fields).await.says("already ended"), "a second click");
    let locked = browser.send(&reported, &[("step", "sign-out")]).await;
    assert!(locked.says("name=\"password\""));
    // The browser is known now: its customer's password is enough.
    let user = asked.psu["psu_id"].as_str().unwrap();
    let fields = [("step", "sign-in"), ("user", user), ("password", asked.password())];
    assert!(browser.send(&locked, &fields).await.says("Waiting for you"));
    asked.bank.advance("PT16M").await;
    assert!(browser.get("/app").await.says("name=\"password\""), "locked again by itself");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_number_fails_the_authorisation(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[("TPP-Decoupled-Preferred", "true")]).await;
    let number = asked.started.body["challengeData"]["data"].clone();
    let number = number.as_str().or_else(|| number[0].as_str()).unwrap().to_owned();
    let mut browser = asked.bank.browser();
    let questions = asked.app(&mut browser).await;
    let numbers = questions.attributes("<button name=\"number\" value=\"");
    let wrong = numbers.iter().find(|offered| **offered != number).unwrap();
    let question = questions.attribute("name=\"question\" value=\"");
    let fields = [("step", "approve"), ("question", question.as_str()), ("number", wrong.as_str())];
    assert!(browser.send(&questions, &fields).await.says("not the number"));
    assert_eq!(asked.statuses().await, (0, 6));
    let fields = [("step", "approve"), ("question", question.as_str()), ("number", number.as_str())];
    assert!(browser.send(&questions, &fields).await.says("already ended"));
    assert_eq!(asked.statuses().await, (0, 6));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn app_selected_on_the_redirect_page_completes_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[]).await;
    let (mut browser, mut phone) = (asked.bank.browser(), asked.bank.browser());
    let choose = asked.signed_in(&mut browser).await;
    let wait = browser.send(&choose, &[("step", "method"), ("method", &asked.method("PUSHOTP"))]).await;
    let number = wait.text("<p class=\"shown\">").to_owned();
    assert!(wait.says("id=\"waiting\""));
    let questions = asked.app(&mut phone).await;
    let question = questions.attribute("name=\"question\" value=\"");
    phone.send(&questions, &[("step", "approve"), ("question", &question), ("number", &number)]).await;
    assert_eq!(browser.get(&asked.link()).await.title(), "Approved");
    assert_eq!(asked.statuses().await, (2, 5));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn app_refuses_wrong_password_and_code(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[]).await;
    let mut browser = asked.bank.browser();
    let form = browser.get("/app").await;
    let user = asked.psu["psu_id"].as_str().unwrap();
    let mut reported = Vec::new();
    for name in [user, "unknown-customer"] {
        let fields = [("step", "sign-in"), ("user", name), ("password", "wrong")];
        let page = browser.send(&form, &fields).await;
        assert_eq!(page.status, 401);
        reported.push(page.html.replace(name, "NAME"));
    }
    assert_eq!(reported[0], reported[1], "the answer does not tell who is a customer");
    let before = browser.cookies["trapeza-app"].clone();
    let fields = [("step", "sign-in"), ("user", user), ("password", asked.password())];
    let code = browser.send(&form, &fields).await;
    assert_ne!(browser.cookies["trapeza-app"], before, "a mark that was planted before is worth nothing");
    for _ in 0..3 {
        assert_eq!(browser.send(&code, &[("step", "code"), ("code", "000000")]).await.status, 401);
    }
    let late = browser.send(&code, &[("step", "code"), ("code", "123456")]).await;
    assert_eq!(late.status, 401, "three attempts are all");
    assert_eq!(browser.send(&code, &[("step", "code-again")]).await.status, 429, "not at once");
    asked.bank.advance("PT31S").await;
    let again = browser.send(&code, &[("step", "code-again")]).await;
    assert_eq!(again.status, 200);
    let open = browser.send(&again, &[("step", "code"), ("code", "123456")]).await;
    assert!(open.says("Waiting for you"), "{open:?}");
    let mut other = asked.bank.browser();
    other.cookies.insert("trapeza-app".to_owned(), before);
    assert!(other.get("/app").await.says("name=\"password\""));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn pages_are_translated_and_send_security_headers(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[]).await;
    let mut browser = asked.bank.browser();
    browser.headers = vec![("accept-language", "el-GR,el;q=0.9".to_owned())];
    for address in [asked.link(), "/app".to_owned()] {
        let page = browser.get(&address).await;
        assert!(page.says("<html lang=\"el\">") && page.says("τράπεζα"), "{page:?}");
        let policy = &page.headers["content-security-policy"];
        for part in
            ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "style-src 'sha256-"]
        {
            assert!(policy.contains(part), "{policy}");
        }
        assert_eq!(page.headers["referrer-policy"], "no-referrer");
        assert_eq!(page.headers["cache-control"], "no-store");
        assert_eq!(page.headers["x-content-type-options"], "nosniff");
    }
    let mut fresh = asked.bank.browser();
    let cookie = fresh.get("/app").await.headers["set-cookie"].clone();
    assert!(cookie.contains("; Path=/app; HttpOnly; SameSite=Strict"), "{cookie}");
    let cookie = fresh.get(&asked.link()).await.headers["set-cookie"].clone();
    assert!(cookie.contains("; Path=/sca; HttpOnly; SameSite=Lax"), "{cookie}");
}

#[tokio::test(flavor = "multi_thread")]
async fn session_cookie_is_for_the_pages_of_its_site_and_hidden_from_scripts() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let checkout = basket(&bank, 1, "120.3").await.checkout;
    for (page, name, path) in [
        (checkout.as_str(), "trapeza-checkout", "/checkout"),
        ("/loan", "trapeza-loan", "/loan"),
        ("/portal/sign-in", "trapeza-portal", "/portal"),
        ("/console/sign-in", "trapeza-console", "/console"),
    ] {
        let mut browser = bank.browser();
        let cookie = browser.get(page).await.headers["set-cookie"].clone();
        assert!(cookie.starts_with(&format!("{name}=")), "{cookie}");
        assert!(cookie.ends_with(&format!("; Path={path}; HttpOnly; SameSite=Lax")), "{cookie}");
    }
}

impl Asked {
    /// The app's page of permissions, in a browser that is the customer's app.
    async fn permissions(&self, browser: &mut Browser) -> Page {
        self.app(browser).await;
        browser.get("/app/permissions").await
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn permission_is_revoked_by_its_customer_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let asked = Asked::new(TestBank::start(database).await, &[]).await;
    let tpp = asked.bank.tpp(0).with("PSU_ID", asked.psu["psu_id"].as_str().unwrap());
    let tpp = tpp.with("consentID", asked.consent.rsplit('/').next().unwrap());
    asked.bank.authorise(&tpp, &asked.consent, &asked.psu).await;
    assert_eq!(tpp.get("/v1/accounts").await.status, 200);
    let mut browser = asked.bank.browser();
    assert_eq!(browser.get("/app/permissions").await.headers["location"], "/app", "the app is locked");
    let page = asked.permissions(&mut browser).await;
    assert!(page.says("Kyklos Finance may read these accounts"), "{page:?}");
    let permission = page.attribute("href=\"/app/permissions/");
    let path = format!("/app/permissions/{permission}");
    let confirm = browser.get(&path).await;
    assert!(confirm.title() == "Withdraw this permission?" && confirm.says("Kyklos Finance"), "{confirm:?}");
    assert_eq!(tpp.get("/v1/accounts").await.status, 200, "a question changes nothing");
    // Another customer's app does not even see it.
    let mut other = asked.bank.browser();
    enrol(&asked.bank, &mut other, 1).await;
    let theirs = other.get("/app/permissions").await;
    assert!(theirs.status == 200 && !theirs.says("Kyklos Finance"), "{theirs:?}");
    assert_eq!(other.get(&path).await.headers["location"], "/app/permissions");
    let mark = asked.bank.app.csrf_token(&other.cookies["trapeza-app"], &path);
    let forged = Page {
        html: confirm.html.replace(&confirm.attribute("name=\"csrf\" value=\""), &mark),
        ..confirm.clone()
    };
    assert_eq!(other.send_only(&forged, &[("step", "confirm")]).await.status, 303);
    assert_eq!(tpp.get("/v1/accounts").await.status, 200, "another customer cannot revoke it");
    let done = browser.send(&confirm, &[("step", "confirm")]).await;
    assert!(done.says("Taken back.") && done.says("Withdrawn by you"), "{done:?}");
    assert_eq!(tpp.get("/v1/accounts").await.status, 401);
    assert_eq!(asked.statuses().await.0, 3);
    let again = browser.send(&confirm, &[("step", "confirm")]).await;
    assert_eq!(again.status, 200, "done already is done");
}
