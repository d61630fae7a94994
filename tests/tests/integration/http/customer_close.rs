//! The end of the relationship with a customer: refused while a loan is open, and then nothing of the customer works any more.

use super::checkout::JONAS;
use super::clearing::{authorised, away};
use super::guest_refund::refusal_text;
use super::loan_servicing::{bought, iban};
use super::payment::{psu, text, tpp};
use crate::staff::manual_posting::{ID, POST, people, posting};
use crate::staff::{events, reason};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::refusal::RefusalReason;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

const LOGIN: &str = "anna.test";
const OTHER_LOGIN: &str = "petra.test";
const PASSWORD: &str = "correct-horse-1";

/// A customer with an empty account.
async fn create_customer(bank: &TestBank) -> Value {
    let anna = json!({
        "psuId": LOGIN, "password": PASSWORD, "name": "Anna Test", "phone": "+306900000200", "methods": ["SMSOTP"],
    });
    for (kind, body) in [("customers", anna.clone()), ("accounts", json!({ "owners": [LOGIN] }))] {
        let created = bank.anonymous().post(&format!("/sandbox/{kind}"), &body).await;
        assert!(created.status < 300, "{created:?}");
    }
    anna
}

/// A customer without an account.
async fn create_other_customer(bank: &TestBank) {
    let other = json!({
        "psuId": OTHER_LOGIN, "password": PASSWORD, "name": "Petra Test", "phone": "+306900000201", "methods": ["SMSOTP"],
    });
    let created = bank.anonymous().post("/sandbox/customers", &other).await;
    assert!(created.status < 300, "{created:?}");
}

fn consent() -> Value {
    json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
    })
}

/// Starts the authorisation of a consent; returns its path.
async fn begin_consent(bank: &TestBank) -> String {
    let tpp = bank.tpp(0).with("PSU_ID", LOGIN);
    let id = tpp.post("/v1/consents", &consent()).await.text("/consentId").to_owned();
    let authorisations = format!("/v1/consents/{id}/authorisations");
    let started = tpp.post(&authorisations, &json!({ "psuData": { "password": PASSWORD } })).await;
    assert_eq!(started.status, 200, "{started:?}");
    format!("{authorisations}/{}", started.text("/authorisationId"))
}

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
    let anna = create_customer(&bank).await;
    let tpp = bank.tpp(0).with("PSU_ID", LOGIN);
    let id = tpp.post("/v1/consents", &consent()).await.text("/consentId").to_owned();
    bank.authorise(&tpp, &format!("/v1/consents/{id}"), &anna).await;
    let reader = bank.tpp(0).with("consentID", &id);
    assert_eq!(reader.get("/v1/accounts").await.status, 200);
    bank.advance("PT1M").await;
    let mut device = bank.browser();
    let code = device.app_sign_in(LOGIN, PASSWORD).await;
    device.send(&code, &[("step", "code"), ("code", "123456")]).await;
    let devices = || bank.database.number("SELECT COUNT(*) FROM enrolled_device");
    assert_eq!(devices(), 1);

    bank.app.psu_close(LOGIN).await.unwrap();
    let signed_in = bank.browser().app_sign_in(LOGIN, PASSWORD).await.status;
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
    bank.app.psu_erase(LOGIN).await.unwrap();
    let exported = reason(bank.app.psu_export(LOGIN).await);
    assert_eq!((exported, events(&bank, "psu.exported")), (Some(RefusalReason::ResourceUnknown), 1));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_with_a_payment_in_progress_is_not_closed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let path = authorised(&bank, &tpp(&bank, JONAS), &away(&bank, "Maria Ioannou")).await;
    let id = path.rsplit('/').next().unwrap();
    let login = text(&psu(&bank, JONAS)["psu_id"]);
    let refused = refusal_text(bank.app.psu_close(login).await);
    assert!(refused.contains(id), "{refused}");
    bank.advance("PT5S").await;
    let refused = refusal_text(bank.app.psu_close(login).await);
    assert!(!refused.contains(id), "the payment is settled; the balance is not zero: {refused}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn closing_a_customer_ends_what_was_begun(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    create_customer(&bank).await;
    let own = begin_consent(&bank).await;
    bank.app.psu_close(LOGIN).await.unwrap();
    assert_eq!(bank.tpp(0).get(&own).await.body["scaStatus"], 6, "failed");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn erasure_deletes_messages_unless_another_customer_has_the_number(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    create_customer(&bank).await;
    let other = json!({
        "psuId": OTHER_LOGIN, "password": PASSWORD, "name": "Petra Test", "phone": "+306900000200", "methods": ["SMSOTP"],
    });
    bank.anonymous().post("/sandbox/customers", &other).await;
    begin_consent(&bank).await;
    let messages =
        || bank.database.number("SELECT COUNT(*) FROM notification WHERE recipient = '+306900000200'");
    assert_eq!(messages(), 1, "the code of the authorisation");
    for (login, left) in [(LOGIN, 1), (OTHER_LOGIN, 0)] {
        bank.app.psu_close(login).await.unwrap();
        bank.app.psu_erase(login).await.unwrap();
        assert_eq!(messages(), left, "after the erasure of {login}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn export_has_no_messages_to_a_number_that_another_customer_has(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    create_customer(&bank).await;
    begin_consent(&bank).await;
    let messages = async |login: &str| bank.app.psu_export(login).await.unwrap().messages.len();
    assert_eq!(messages(LOGIN).await, 1, "the code of the authorisation");
    let other = json!({
        "psuId": OTHER_LOGIN, "password": PASSWORD, "name": "Petra Test", "phone": "+306900000200", "methods": ["SMSOTP"],
    });
    bank.anonymous().post("/sandbox/customers", &other).await;
    assert_eq!((messages(LOGIN).await, messages(OTHER_LOGIN).await), (0, 0), "no one knows whose they are");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn former_customer_whose_closed_account_has_money_is_not_erased(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    create_customer(&bank).await;
    create_other_customer(&bank).await;
    let opened = bank.anonymous().post("/sandbox/accounts", &json!({ "owners": [LOGIN] })).await;
    let closed = opened.text("/iban");
    bank.app.psu_close(LOGIN).await.unwrap();
    bank.app.psu_close(OTHER_LOGIN).await.unwrap();
    // As a payment that comes back.
    bank.book_opening(closed, 700).await;
    let refused = refusal_text(bank.app.psu_erase(LOGIN).await);
    assert!(refused.contains("is still owed money"), "{refused}");
    bank.advance("P1830D").await;
    let report = bank.app.retention_report(5).await.unwrap();
    assert_eq!((report.customers, report.owed), (1, 1));
    let report = bank.app.retention_apply(5).await.unwrap();
    assert_eq!((report.customers, report.owed), (1, 1), "the others are erased");
    let erased = "SELECT COUNT(*) FROM psu WHERE erased_at IS NOT NULL";
    assert_eq!(bank.database.number(erased), 1);
    let [anna, risk] = people(&bank).await;
    let request = anna.request(POST, &posting(ID, closed, &iban(&bank), "7.00")).await;
    bank.app.staff_request_approve(risk.id, request).await.unwrap();
    assert_eq!(bank.app.retention_apply(5).await.unwrap().customers, 1, "it was paid out");
    assert_eq!(bank.database.number(erased), 2);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn last_owner_of_a_joint_account_is_not_closed_while_it_has_money(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    create_customer(&bank).await;
    create_other_customer(&bank).await;
    let joint = json!({ "owners": [LOGIN, OTHER_LOGIN], "openingBalance": "100.00" });
    let opened = bank.anonymous().post("/sandbox/accounts", &joint).await;
    assert!(opened.status < 300, "{opened:?}");
    bank.app.psu_close(LOGIN).await.unwrap();
    let refused = refusal_text(bank.app.psu_close(OTHER_LOGIN).await);
    assert!(refused.contains(opened.text("/iban")) && refused.contains("is not empty"), "{refused}");
    let open = "SELECT COUNT(*) FROM psu WHERE login = 'petra.test' AND closed_at IS NULL";
    assert_eq!(bank.database.number(open), 1);
}
