//! The end of the relationship with a customer: refused while a loan is open, and then nothing of the customer works any more.

use super::checkout::JONAS;
use super::guest_refund::refusal_text;
use super::loan_servicing::{bought, iban};
use super::payment::{psu, text};
use crate::staff::{events, reason};
use rstest::rstest;
use serde_json::json;
use trapeza_domain::refusal::RefusalReason;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

const LOGIN: &str = "anna.test";

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_with_an_open_loan_is_not_closed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let loan = bought(&bank, 3).await;
    let refused = refusal_text(bank.app.psu_close(text(&psu(&bank, JONAS)["psu_id"])).await);
    assert!(refused.contains(&loan.to_string()), "{refused}");
    assert_eq!(events(&bank, "psu.closed"), 0);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn former_customer_has_no_permission_device_or_sign_in(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let anna = json!({
        "psuId": LOGIN, "password": "correct-horse-1", "name": "Anna Test", "phone": "+306900000200", "methods": ["SMSOTP"],
    });
    for (kind, body) in [("customers", anna.clone()), ("accounts", json!({ "owners": [LOGIN] }))] {
        let created = bank.anonymous().post(&format!("/sandbox/{kind}"), &body).await;
        assert!(created.status < 300, "{created:?}");
    }
    let tpp = bank.tpp(0).with("PSU_ID", LOGIN);
    let consent = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let id = tpp.post("/v1/consents", &consent).await.text("/consentId").to_owned();
    bank.authorise(&tpp, &format!("/v1/consents/{id}"), &anna).await;
    let reader = bank.tpp(0).with("consentID", &id);
    assert_eq!(reader.get("/v1/accounts").await.status, 200);
    bank.advance("PT1M").await;
    let sign_in = [("step", "sign-in"), ("user", LOGIN), ("password", "correct-horse-1")];
    let mut device = bank.browser();
    let page = device.get("/app").await;
    let code = device.send(&page, &sign_in).await;
    device.send(&code, &[("step", "code"), ("code", "123456")]).await;
    let devices = || bank.database.number("SELECT COUNT(*) FROM enrolled_device");
    assert_eq!(devices(), 1);

    bank.app.psu_close(LOGIN).await.unwrap();
    let mut browser = bank.browser();
    let page = browser.get("/app").await;
    let signed_in = browser.send(&page, &sign_in).await.status;
    let read = reader.get("/v1/accounts").await.status;
    let valid = "SELECT COUNT(*) FROM consent WHERE status = 'valid' AND psu_login = 'anna.test'";
    assert_eq!(
        (bank.database.number(valid), read, devices(), signed_in),
        (0, 401, 0, 401),
        "valid consents, a read under one, devices, a sign-in"
    );
    let again = bank.app.psu_close(LOGIN).await;
    assert_eq!(reason(again), Some(RefusalReason::ResourceUnknown));
    assert_eq!(events(&bank, "psu.closed"), 1);
    // The copy of the personal data is written down, and impossible after its erasure.
    bank.app.psu_export(LOGIN).await.unwrap();
    bank.app.psu_forget(LOGIN).await.unwrap();
    let exported = reason(bank.app.psu_export(LOGIN).await);
    assert_eq!((exported, events(&bank, "psu.exported")), (Some(RefusalReason::ResourceUnknown), 1));
}
