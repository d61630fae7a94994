//! Two customers in the app, and what the bank changes of them: devices, sessions, permissions, payments, contact data, the end.

use super::{Side, Turns, take_turns};
use crate::http::app_confirmation::order;
use crate::http::checkout::{basket_at, proven, sign_in_as};
use crate::http::page_forms::{enrol, request_code};
use crate::http::payment::{ELENI, JONAS, iban, psu, text};
use serde_json::json;
use trapeza_app::psu::PsuChange;
use trapeza_domain::contact::Phone;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Browser, Page, TestBank};

/// Orders a payment to the other customer in the app; returns the page that asks for the approval.
async fn ordered(bank: &TestBank, browser: &mut Browser, side: Side, once: u32) -> Page {
    order(browser, psu(bank, side.of(ELENI, JONAS)), "1.00", once + side.of(0, 100)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn apps_of_two_customers_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let customer = psu(bank, scenario.side.of(JONAS, ELENI));
        let (mut phone, mut laptop, mut tablet) = (bank.browser(), bank.browser(), bank.browser());
        for browser in [&mut phone, &mut laptop] {
            bank.pass(TimeDelta::seconds(31)).await;
            let code = request_code(browser, customer).await;
            scenario.step("password on a new device").await;
            browser.send(&code, &[("step", "code"), ("code", "123456")]).await;
            scenario.step("code").await;
        }
        bank.pass(TimeDelta::seconds(31)).await;
        request_code(&mut tablet, customer).await;
        scenario.step("password on a third device").await;
        let tpp = bank.tpp(scenario.side.of(0, 1)).with("PSU_ID", text(&customer["psu_id"]));
        let consent = json!({
            "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
        });
        let created = tpp.post("/v1/consents", &consent).await;
        bank.pass(TimeDelta::seconds(31)).await;
        bank.authorise(&tpp, &format!("/v1/consents/{}", created.text("/consentId")), customer).await;
        scenario.step("consent").await;
        let question = ordered(bank, &mut phone, scenario.side, 1).await;
        scenario.step("payment ordered in the app").await;
        let (id, number) = (
            question.attribute("name=\"question\" value=\""),
            question.attribute("<button name=\"number\" value=\""),
        );
        phone.send(&question, &[("step", "approve"), ("question", &id), ("number", &number)]).await;
        scenario.step("approved").await;
        let refused = ordered(bank, &mut phone, scenario.side, 2).await;
        let id = refused.attribute("name=\"question\" value=\"");
        phone.send(&refused, &[("step", "refuse"), ("question", &id)]).await;
        scenario.step("second payment, refused").await;
        let permissions = phone.get("/app/permissions").await.attributes("href=\"/app/permissions/");
        assert_eq!(permissions.len(), 1, "{permissions:?}");
        let confirm = phone.get(&format!("/app/permissions/{}", permissions[0])).await;
        phone.send(&confirm, &[]).await;
        scenario.step("permission revoked").await;
        let devices = phone.get("/app/devices").await;
        let others = devices.attributes("class=\"button no\" href=\"/app/devices/");
        assert_eq!(others.len(), 1, "{others:?}");
        let confirm = phone.get(&format!("/app/devices/{}", others[0])).await;
        phone.send(&confirm, &[("step", "confirm")]).await;
        scenario.step("other device removed").await;
        let device = phone.get("/app/device").await;
        phone.send(&device, &[("step", "confirm")]).await;
        scenario.step("own device removed").await;
    })
    .await;
    insta::assert_snapshot!("app", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_two_customers_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    let changes = take_turns(&turns, |scenario| async move {
        let login = scenario.side.of("anna.test", "nikos.test");
        let person = json!({
            "psuId": login, "password": "correct-horse-1", "name": "Anna Test",
            "phone": scenario.side.of("+306900000200", "+306900000201"), "methods": ["SMSOTP", "PUSHOTP"],
        });
        for (kind, body) in [
            ("customers", person.clone()),
            ("accounts", json!({ "owners": [login] })),
            ("accounts", json!({ "owners": [login] })),
        ] {
            let created = bank.anonymous().post(&format!("/sandbox/{kind}"), &body).await;
            assert!(created.status < 300, "{created:?}");
            scenario.step(kind).await;
        }
        let customer = json!({ "psu_id": login, "password": "correct-horse-1" });
        let (mut phone, mut laptop) = (bank.browser(), bank.browser());
        let code = request_code(&mut phone, &customer).await;
        phone.send(&code, &[("step", "code"), ("code", "123456")]).await;
        scenario.step("device").await;
        bank.pass(TimeDelta::seconds(31)).await;
        request_code(&mut laptop, &customer).await;
        scenario.step("device that waits for its code").await;
        let tpp = bank.tpp(0).with("PSU_ID", login);
        let consent = json!({
            "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
        });
        let id = tpp.post("/v1/consents", &consent).await.text("/consentId").to_owned();
        bank.pass(TimeDelta::seconds(31)).await;
        bank.authorise(&tpp, &format!("/v1/consents/{id}"), &customer).await;
        let open = tpp.post("/v1/consents", &consent).await.text("/consentId").to_owned();
        tpp.post(&format!("/v1/consents/{open}/authorisations"), &json!({})).await;
        scenario.step("consent, and another one that is started").await;
        let bought = basket_at(bank, 0, scenario.side.of(101, 201), "50").await;
        let mut shop = bank.browser();
        bank.pass(TimeDelta::seconds(31)).await;
        proven(bank, &mut shop, &bought, text(&person["phone"])).await;
        let declined = sign_in_as(&mut shop, &bought, login, "correct-horse-1").await;
        assert_eq!(declined.title(), "Not bought");
        scenario.step("declined at a checkout for the income").await;
        let number = scenario.side.of("+306900000277", "+306900000278");
        let change = PsuChange { phone: Some(Phone::parse(number).unwrap()), ..PsuChange::default() };
        bank.app.psu_update(login, change).await.unwrap();
        scenario.step("telephone").await;
        bank.app.psu_password_reset(login, &Secret::new("correct-horse-2".to_owned())).await.unwrap();
        scenario.step("password").await;
        bank.app.psu_export(login).await.unwrap();
        scenario.step("copy of the personal data").await;
        bank.app.psu_close(login).await.unwrap();
        scenario.step("closed").await;
        bank.app.psu_erase(login).await.unwrap();
        scenario.step("erased").await;
    })
    .await;
    insta::assert_snapshot!("change", changes);
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_of_two_customers_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns) = (&bank, Turns::begin(&bank));
    take_turns(&turns, |scenario| async move {
        let (own, other) = (scenario.side.of(JONAS, ELENI), scenario.side.of(ELENI, JONAS));
        let mut browser = bank.browser();
        enrol(bank, &mut browser, own).await;
        scenario.step("device").await;
        for path in ["/app/accounts", "/app/pay", "/app/permissions", "/app/payments", "/app/devices"] {
            let page = browser.get(path).await;
            assert_eq!(page.status, 200, "{path}");
            let html = page.html.replace(' ', "");
            assert!(!html.contains(&iban(bank, other, 0)), "{path} of another customer: {page:?}");
        }
        scenario.step("pages").await;
    })
    .await;
}
