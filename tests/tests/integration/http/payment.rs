//! Payments from their order to the ledger, over HTTP, with whole answers.

use rstest::rstest;
use serde_json::{Value, json};
use std::collections::HashSet;
use trapeza_domain::clearing::RoutingTable;
use trapeza_domain::reference::Iban;
use trapeza_store::IncomeQuery;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{ApiClient, ApiResponse, TestBank, Transcript};

pub(crate) const INTERNAL: &str = "/v1/payments/internal-transfers";
pub(crate) const SEPA: &str = "/v1/payments/sepa-credit-transfers";
/// The IBAN of an account at another bank.
pub(crate) const OTHER_BANK_IBAN: &str = "FR1420041010050500013M02606";

/// Eleni has several of everything, Jonas one account and one method.
pub(crate) const ELENI: usize = 0;
pub(crate) const JONAS: usize = 1;

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

pub(crate) fn psu(bank: &TestBank, number: usize) -> &Value {
    &bank.sandbox_file["psus"][number]
}

pub(crate) fn iban(bank: &TestBank, number: usize, account: usize) -> String {
    text(&psu(bank, number)["accounts"][account]["iban"]).to_owned()
}

pub(crate) fn tpp(bank: &TestBank, number: usize) -> ApiClient {
    bank.tpp(0).with("PSU_ID", text(&psu(bank, number)["psu_id"])).with("pSUIPAddress", "192.0.2.1")
}

/// From Jonas to Eleni.
pub(crate) fn order(bank: &TestBank, amount: &str) -> Value {
    json!({
        "endToEndIdentification": "invoice-114",
        "debtorAccount": { "iban": iban(bank, JONAS, 0) },
        "instructedAmount": { "currency": "EUR", "Amount": amount },
        "creditorAccount": { "iban": iban(bank, ELENI, 0) },
        "creditorName": "Papadaki Eleni",
        "remittanceInformationUnstructured": "Rent of November",
    })
}

pub(crate) fn changed(mut order: Value, pointer: &str, value: Value) -> Value {
    *order.pointer_mut(pointer).unwrap() = value;
    order
}

/// A number of this bank's, with right check digits, that has no account.
pub(crate) fn unissued_iban(bank: &TestBank) -> String {
    unissued_beside(&iban(bank, ELENI, 0))
}

/// The same for a bank of which an account is known.
pub(crate) fn unissued_beside(own: &str) -> String {
    let (country, bban) = (&own[..2], format!("{}9999", &own[4..own.len() - 4]));
    let is_iban = |text: &String| trapeza_domain::reference::Iban::parse(text).is_ok();
    (2..=98).map(|check| format!("{country}{check:02}{bban}")).find(is_iban).unwrap()
}

pub(crate) async fn initiate(tpp: &ApiClient, product: &str, order: &Value) -> String {
    let answer = tpp.post(product, order).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    format!("{product}/{}", answer.text("/paymentId"))
}

/// Jonas's steps up to the code, which is not sent yet: where to send it.
pub(crate) async fn challenged(
    bank: &TestBank,
    tpp: &ApiClient,
    authorisations: &str,
    transcript: &mut Transcript,
) -> String {
    let started = tpp.post(authorisations, &json!({})).await;
    transcript.push("start", &started);
    let own = format!("{authorisations}/{}", started.text("/authorisationId"));
    let password = tpp.put(&own, &json!({ "psuData": { "password": psu(bank, JONAS)["password"] } })).await;
    transcript.push("password", &password);
    assert_eq!(password.text("/scaStatus"), "scaMethodSelected", "{password:?}");
    own
}

pub(crate) async fn code(bank: &TestBank, tpp: &ApiClient, own: &str) -> ApiResponse {
    tpp.put(own, &json!({ "scaAuthenticationData": bank.sandbox_file["otp"] })).await
}

/// transactionStatus and fundsAvailable.
pub(crate) async fn standing(tpp: &ApiClient, path: &str) -> (Value, Value) {
    let answer = tpp.get(&format!("{path}/status")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    (answer.body["transactionStatus"].clone(), answer.body["fundsAvailable"].clone())
}

/// Booked and held, in minor units.
pub(crate) async fn balance(bank: &TestBank, iban: &str) -> (i64, i64) {
    let iban = Iban::parse(iban).unwrap();
    let read = bank.app.store().read(move |tx| {
        let account = tx.account_by_iban(&iban)?.remove(0);
        let balance = tx.ledger_account_find(account.ledger)?.unwrap().statement.unwrap();
        Ok((balance.booked, balance.held))
    });
    read.await.unwrap()
}

/// What the account may fall to.
pub(crate) async fn floor(bank: &TestBank, iban: &str) -> i64 {
    let iban = Iban::parse(iban).unwrap();
    let read = bank.app.store().read(move |tx| Ok(tx.account_by_iban(&iban)?.remove(0).credit_limit_minor));
    -read.await.unwrap()
}

/// The newest lines of a customer's first account, as an account-information service sees them.
pub(crate) async fn lines(bank: &TestBank, number: usize) -> ApiResponse {
    let (tpp, customer) = (tpp(bank, number), psu(bank, number));
    let iban = json!([{ "iban": iban(bank, number, 0) }]);
    let consent = json!({
        "access": { "accounts": iban, "transactions": iban },
        "recurringIndicator": false, "validUntil": "2099-12-31", "frequencyPerDay": 1,
    });
    let created = tpp.post("/v1/consents", &consent).await;
    let id = created.text("/consentId").to_owned();
    bank.authorise(&tpp, &format!("/v1/consents/{id}"), customer).await;
    let reader = tpp.with("consentID", &id);
    let account = reader.get("/v1/accounts").await.text("/accounts/0/resourceId").to_owned();
    let path =
        format!("/v1/accounts/{account}/transactions?dateFrom={}&bookingStatus=both", bank.days_ago(0));
    reader.get(&path).await
}

pub(crate) fn line_of<'a>(answer: &'a ApiResponse, list: &str) -> &'a Value {
    let lines = answer.body["transactions"][list].as_array().unwrap();
    let own = lines.iter().find(|line| line["endToEndId"] == "invoice-114");
    own.unwrap_or_else(|| panic!("the payment is not among {list}: {answer:?}"))
}

pub(crate) async fn check_ledger(bank: &TestBank) {
    let app = bank.app.clone();
    let report = tokio::task::spawn_blocking(move || app.ledger_check()).await.unwrap().unwrap();
    assert!(report.is_sound(), "{report:?}");
}

pub(crate) async fn rows(bank: &TestBank) -> i64 {
    let counted = bank.app.store().read(|tx| {
        let sql = "SELECT (SELECT COUNT(*) FROM audit_event) + (SELECT COUNT(*) FROM payment) + (SELECT COUNT(*) FROM idempotency_record)";
        Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?)
    });
    counted.await.unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn internal_transfer_is_authorised_and_booked(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer, payee) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0), iban(&bank, ELENI, 0));
    let (payer_before, payee_before) = (balance(&bank, &payer).await.0, balance(&bank, &payee).await.0);
    let mut transcript = Transcript::default();
    let mut order = order(&bank, "12.34");
    order["creditorAgentName"] = json!("Trapeza");
    order["creditorAddress"] = json!({ "city": "Athens", "country": "GR" });
    let created = tpp.post(INTERNAL, &order).await;
    transcript.push("initiate", &created);
    let path = format!("{INTERNAL}/{}", created.text("/paymentId"));
    transcript.push("status before", &tpp.get(&format!("{path}/status")).await);
    let own = challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut transcript).await;
    transcript.push("code", &code(&bank, &tpp, &own).await);
    transcript.push("authorisation", &tpp.get(&own).await);
    transcript.push("authorisations", &tpp.get(&format!("{path}/authorisations")).await);
    transcript.push("status after", &tpp.get(&format!("{path}/status")).await);
    transcript.push("fetch", &tpp.get(&path).await);
    transcript.push("start again", &tpp.post(&format!("{path}/authorisations"), &json!({})).await);
    transcript.push("cancel", &tpp.delete(&path).await);
    let text = transcript.text().replace(&payer, "[payer]").replace(&payee, "[payee]");
    insta::assert_snapshot!("internal", text);
    assert_eq!(balance(&bank, &payer).await.0, payer_before - 1234);
    assert_eq!(balance(&bank, &payee).await.0, payee_before + 1234);
    for (number, amount) in [(JONAS, "-12.34"), (ELENI, "12.34")] {
        let lines = lines(&bank, number).await;
        let line = line_of(&lines, "booked");
        assert_eq!(line["transactionAmount"]["Amount"], amount, "{line}");
        assert_eq!(line["creditorName"], "Papadaki Eleni", "{line}");
        assert_eq!(line["debtorName"], "Jonas Weber", "{line}");
        assert_eq!(line["remittanceInformationUnstructured"], "Rent of November", "{line}");
    }
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unpayable_payment_is_rejected_after_authorisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let jonas = tpp(&bank, JONAS);
    let good = order(&bank, "1.00");
    let yen = changed(order(&bank, "1"), "/instructedAmount/currency", json!("JPY"));
    let cases = [
        ("no funds", changed(good.clone(), "/instructedAmount/Amount", json!("99999999.99")), json!(false)),
        (
            "another's account",
            changed(good.clone(), "/debtorAccount/iban", json!(iban(&bank, 2, 0))),
            Value::Null,
        ),
        (
            "no such payee",
            changed(good.clone(), "/creditorAccount/iban", json!(unissued_iban(&bank))),
            Value::Null,
        ),
        (
            "payee blocked",
            changed(good.clone(), "/creditorAccount/iban", json!(iban(&bank, ELENI, 2))),
            Value::Null,
        ),
        (
            "payee in another currency",
            changed(good.clone(), "/creditorAccount/iban", json!(iban(&bank, ELENI, 3))),
            Value::Null,
        ),
        ("payer in another currency", yen, Value::Null),
    ];
    let before = balance(&bank, &iban(&bank, JONAS, 0)).await;
    for (case, order, funds) in cases {
        let path = initiate(&jonas, INTERNAL, &order).await;
        assert_eq!(
            standing(&jonas, &path).await,
            (json!(1), Value::Null),
            "{case}: nothing is reported before"
        );
        let own =
            challenged(&bank, &jonas, &format!("{path}/authorisations"), &mut Transcript::default()).await;
        let last = code(&bank, &jonas, &own).await;
        assert_eq!((last.status, last.text("/scaStatus")), (200, "finalised"), "{case}");
        assert_eq!(standing(&jonas, &path).await, (json!(3), funds), "{case}");
        let fetched = jonas.get(&path).await;
        assert_eq!(fetched.text("/transactionStatus"), "RJCT", "{case}");
        let reason = match case {
            "no funds" => "AM04",
            "another's account" => "AC01",
            "no such payee" => "AC03",
            "payee blocked" => "AC06",
            _ => "AM03",
        };
        let status = jonas.get(&format!("{path}/status")).await;
        for answer in [&fetched, &status] {
            assert!(
                answer.text("/tppMessages/0/text").starts_with(&format!("{reason}: ")),
                "{case}: {answer:?}"
            );
        }
    }
    assert_eq!(balance(&bank, &iban(&bank, JONAS, 0)).await, before);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_from_a_closed_account_is_rejected_with_its_reason(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let path = initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    let own = challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    let payer = iban(&bank, JONAS, 0);
    bank.database.tamper(&format!("UPDATE account SET status = 'deleted' WHERE iban = '{payer}'"));
    assert_eq!(code(&bank, &tpp, &own).await.text("/scaStatus"), "finalised");
    let rejected = tpp.get(&path).await;
    assert_eq!(rejected.text("/transactionStatus"), "RJCT");
    assert!(rejected.text("/tppMessages/0/text").starts_with("AC04: "), "{rejected:?}");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transfer_beyond_its_product_is_refused_at_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let jonas = tpp(&bank, JONAS);
    for (product, account) in [
        // Another bank's, and one outside of SEPA.
        (INTERNAL, OTHER_BANK_IBAN),
        (SEPA, "BR1800360305000010009795493C1"),
        (SEPA, "UA213223130000026007233566001"),
    ] {
        let order = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(account));
        let answer = jonas.post(product, &order).await;
        assert_eq!(
            (answer.status, answer.text("/tppMessages/0/path")),
            (400, "creditorAccount.iban"),
            "{answer:?}"
        );
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sepa_transfer_without_a_route_is_rejected_unless_the_order_names_the_bank(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let shape = TestBankOptions { routing: Some(RoutingTable::default()), ..TestBankOptions::default() };
    let bank = TestBank::with_options(database, shape).await;
    let jonas = tpp(&bank, JONAS);
    let before = balance(&bank, &iban(&bank, JONAS, 0)).await;
    let away = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    let mut named = away.clone();
    named["creditorAgent"] = json!("PSSTFRPPPAR");
    for (order, expected) in [(away, "RJCT"), (named, "ACCP")] {
        let path = initiate(&jonas, SEPA, &order).await;
        let own =
            challenged(&bank, &jonas, &format!("{path}/authorisations"), &mut Transcript::default()).await;
        assert_eq!(code(&bank, &jonas, &own).await.text("/scaStatus"), "finalised");
        assert_eq!(jonas.get(&path).await.text("/transactionStatus"), expected);
    }
    let (booked, held) = balance(&bank, &iban(&bank, JONAS, 0)).await;
    assert_eq!((booked, held), (before.0, before.1 + 100), "only the second one holds money");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn sepa_transfer_holds_money_and_can_be_cancelled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let (booked, held) = balance(&bank, &payer).await;
    let mut transcript = Transcript::default();
    let order = changed(order(&bank, "20.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    let path = initiate(&tpp, SEPA, &order).await;
    let own = challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut transcript).await;
    transcript.push("code", &code(&bank, &tpp, &own).await);
    transcript.push("status", &tpp.get(&format!("{path}/status")).await);
    assert_eq!(tpp.get(&path).await.text("/transactionStatus"), "ACCP");
    assert_eq!(balance(&bank, &payer).await, (booked, held + 2000), "set aside, not booked");
    let lines = lines(&bank, JONAS).await;
    assert_eq!(line_of(&lines, "pending")["transactionAmount"]["Amount"], "-20.00");

    let early = tpp.post(&format!("{path}/cancellation-authorisations"), &json!({})).await;
    assert_eq!(early.status, 409, "no cancellation was requested");
    transcript.push("call back", &tpp.delete(&path).await);
    transcript.push("call back again", &tpp.delete(&path).await);
    let cancellations = format!("{path}/cancellation-authorisations");
    let own = challenged(&bank, &tpp, &cancellations, &mut transcript).await;
    transcript.push("code of the cancellation", &code(&bank, &tpp, &own).await);
    transcript.push("authorisation of the cancellation", &tpp.get(&own).await);
    transcript.push("authorisations of the cancellation", &tpp.get(&cancellations).await);
    transcript.push("status after", &tpp.get(&format!("{path}/status")).await);
    transcript.push("fetch", &tpp.get(&path).await);
    transcript.push("call back at the end", &tpp.delete(&path).await);
    insta::assert_snapshot!("sepa", transcript.text().replace(&payer, "[payer]"));
    assert_eq!(balance(&bank, &payer).await, (booked, held), "free again");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unauthorised_payment_is_cancelled_at_once_or_expires(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = tpp(&bank, JONAS);
    let path = initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    let own = challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    let cancelled = tpp.delete(&path).await;
    assert_eq!(cancelled.text("/transactionStatus"), "CANCELLED");
    assert_eq!(cancelled.body["scaMethods"], json!([]), "no one has to authorise it");
    assert_eq!(standing(&tpp, &path).await, (json!(6), Value::Null));
    assert_eq!(tpp.get(&own).await.body["scaStatus"], 6, "with it goes its authorisation");
    assert_eq!(code(&bank, &tpp, &own).await.status, 400);
    let again = tpp.delete(&path).await;
    assert_eq!((again.status, again.headers["allow"].as_str()), (405, "GET,HEAD"));

    let path = initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    bank.advance("PT23H59M").await;
    assert_eq!(standing(&tpp, &path).await.0, 1);
    bank.advance("PT1M").await;
    assert_eq!(standing(&tpp, &path).await, (json!(7), Value::Null));
    assert_eq!(tpp.post(&format!("{path}/authorisations"), &json!({})).await.status, 409);
    assert_eq!(tpp.delete(&path).await.status, 405);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payee_verification_is_reported_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = tpp(&bank, JONAS);
    let reported = |answer: &ApiResponse| answer.body["originalTransactionInformationAndVopStatus"].clone();
    for (product, name, account, expected) in [
        (INTERNAL, "Papadaki Eleni", iban(&bank, ELENI, 0), Value::Null),
        (INTERNAL, "Eleni Papadakis", iban(&bank, ELENI, 0), json!("CMTC")),
        (INTERNAL, "Another Name", iban(&bank, ELENI, 0), json!("NMTC")),
        (SEPA, "Another Name", OTHER_BANK_IBAN.to_owned(), json!("NOAP")),
    ] {
        let order = changed(order(&bank, "1.00"), "/creditorName", json!(name));
        let path = initiate(&tpp, product, &changed(order, "/creditorAccount/iban", json!(account))).await;
        let path = format!("{path}/authorisations");
        let id = bank.app.entropy().uuid().to_string();
        let once = tpp.clone().with("x-Request-ID", &id);
        let first = once.post(&path, &json!({})).await;
        assert_eq!((first.status, reported(&first)), (200, expected.clone()), "{name}");
        let message = first.body["psuMessage"].as_str().unwrap_or_default();
        assert_eq!(message.contains("Eleni Papadaki"), expected == "CMTC", "{name}: {message}");
        assert_eq!(message.is_empty(), expected.is_null(), "{name}: {message}");
        let again = once.post(&path, &json!({})).await;
        assert_eq!(
            (again.headers["idempotent-replay"].as_str(), reported(&again)),
            ("true", expected),
            "{name}"
        );
        let second = tpp.post(&path, &json!({})).await;
        assert_eq!((second.status, reported(&second)), (200, Value::Null), "{name}");
    }
    let messages = bank.anonymous().get("/sandbox/messages").await;
    assert_eq!(messages.status, 200);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_of_a_payment_must_belong_to_its_customer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let eleni = tpp(&bank, ELENI);
    let consent = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let created = eleni.post("/v1/consents", &consent).await;
    let id = created.text("/consentId").to_owned();
    bank.authorise(&eleni, &format!("/v1/consents/{id}"), psu(&bank, ELENI)).await;
    let before = rows(&bank).await;
    let foreign = tpp(&bank, JONAS).with("consentID", &id).post(INTERNAL, &order(&bank, "1.00")).await;
    let unknown_consent = "00000000-0000-4000-8000-000000000000";
    let unknown =
        tpp(&bank, JONAS).with("consentID", unknown_consent).post(INTERNAL, &order(&bank, "1.00")).await;
    assert_eq!((foreign.status, &foreign.body), (403, &unknown.body), "{foreign:?}");
    assert_eq!(rows(&bank).await, before);
    let own = eleni.with("consentID", &id).post(INTERNAL, &order(&bank, "1.00")).await;
    assert_eq!(own.status, 200, "{own:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_initiation_has_one_effect(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let body = order(&bank, "1.00");
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let tpp = tpp(&bank, JONAS).with("x-Request-ID", "7d1f1b0e-6d5f-4a36-9d0c-0f5a1c3e7a11");
        let body = body.clone();
        calls.spawn(async move { tpp.post(INTERNAL, &body).await });
    }
    let answers = calls.join_all().await;
    let ids: HashSet<&str> = answers.iter().map(|answer| answer.text("/paymentId")).collect();
    assert_eq!(ids.len(), 1, "eight at once are one");
    let firsts = answers.iter().filter(|answer| !answer.headers.contains_key("idempotent-replay")).count();
    assert_eq!(firsts, 1);
    let same = tpp(&bank, JONAS).with("x-Request-ID", "7d1f1b0e-6d5f-4a36-9d0c-0f5a1c3e7a11");
    let other = same.post(INTERNAL, &order(&bank, "2.00")).await;
    assert_eq!(other.status, 400);
    assert!(other.text("/tppMessages/0/text").starts_with("PARAMETER_NOT_CONSISTENT"));

    // The last step, eight times at once: one booking, eight equal answers.
    let before = balance(&bank, &iban(&bank, JONAS, 0)).await.0;
    let tpp = tpp(&bank, JONAS);
    let path = format!("{INTERNAL}/{}", answers[0].text("/paymentId"));
    let own = challenged(&bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let tpp = tpp.clone().with("x-Request-ID", "8d1f1b0e-6d5f-4a36-9d0c-0f5a1c3e7a11");
        let (own, body) = (own.clone(), json!({ "scaAuthenticationData": bank.sandbox_file["otp"] }));
        calls.spawn(async move { tpp.put(&own, &body).await });
    }
    for answer in calls.join_all().await {
        assert_eq!((answer.status, answer.text("/scaStatus")), (200, "finalised"), "{answer:?}");
    }
    assert_eq!(balance(&bank, &iban(&bank, JONAS, 0)).await.0, before - 100);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn foreign_payment_and_wrong_product_have_distinct_errors(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = tpp(&bank, JONAS);
    let path = initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    let id = path.rsplit('/').next().unwrap();
    let other = bank.tpp(1).with("PSU_ID", text(&psu(&bank, JONAS)["psu_id"]));
    let never = format!("{INTERNAL}/00000000-0000-4000-8000-000000000000");
    for tail in ["", "/status", "/authorisations", "/cancellation-authorisations"] {
        let theirs = other.get(&format!("{path}{tail}")).await;
        let none = other.get(&format!("{never}{tail}")).await;
        assert_eq!((theirs.status, &theirs.body), (404, &none.body), "{tail}");
        let product = tpp.get(&format!("{SEPA}/{id}{tail}")).await;
        assert_eq!((product.status, product.text("/tppMessages/0/path")), (403, "payment-product"), "{tail}");
        let unknown = tpp.get(&format!("/v1/payments/gifts/{id}{tail}")).await;
        assert_eq!(
            (unknown.status, unknown.body["tppMessages"][0]["code"].clone()),
            (404, json!(1)),
            "{tail}"
        );
        let service = tpp.get(&format!("/v1/bulk-payments/internal-transfers/{id}{tail}")).await;
        assert_eq!((service.status, service.text("/tppMessages/0/path")), (405, "payment-service"), "{tail}");
        assert_eq!(service.headers["allow"], "", "{tail}");
    }
    assert_eq!(other.delete(&path).await.status, 404);
    assert_eq!(other.post(&format!("{path}/authorisations"), &json!({})).await.status, 404);
    assert_eq!(tpp.delete(&format!("{SEPA}/{id}")).await.status, 403);
    let authorisations = format!("{SEPA}/{id}/authorisations");
    assert_eq!(tpp.post(&authorisations, &json!({})).await.status, 403);
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    let step = format!("{authorisations}/{}", started.text("/authorisationId"));
    let password = json!({ "psuData": { "password": psu(&bank, JONAS)["password"] } });
    assert_eq!(tpp.put(&step, &password).await.status, 403);
    assert_eq!(standing(&tpp, &path).await.0, 1, "nothing of this did anything");
    for path in
        ["/v1/accounts/a/b", "/v1/cards/a/b/status", "/v1/funds-confirmations/a/b", "/v1/consents/a/b/c/d"]
    {
        assert_eq!(tpp.get(path).await.status, 404, "{path} is no payment");
    }
    let readers = bank.tpp(2).with("PSU_ID", text(&psu(&bank, JONAS)["psu_id"]));
    assert_eq!(readers.post(INTERNAL, &order(&bank, "1.00")).await.status, 401, "only with the role");
}

/// Every way we could think of to say it wrongly: where it is wrong, and what is then asked for.
fn faulty_orders(bank: &TestBank) -> Vec<(String, &'static str, Value)> {
    let mut all = Vec::new();
    let mut bad = |name: &str, product, pointer: &str, value: Value| {
        let shown = value.to_string();
        let shown: String = shown.chars().take(24).collect();
        all.push((format!("{name} {shown}"), product, changed(order(bank, "1.00"), pointer, value)));
    };
    let amounts = [
        json!("0"),
        json!("0.00"),
        json!("-1.00"),
        json!("+1.00"),
        json!("1,00"),
        json!("1.000,00"),
        json!("1.001"),
        json!("01.00"),
        json!(".50"),
        json!("1."),
        json!(""),
        json!(" 1.00"),
        json!("1e3"),
        json!("NaN"),
        json!("100000000000000"),
        json!("0x10"),
        json!("٣"),
        json!("1.00 EUR"),
        json!(1),
        json!(1.5),
        json!(true),
        json!(null),
        json!(["1.00"]),
        json!({ "Amount": "1.00" }),
    ];
    for amount in amounts {
        bad("amount", INTERNAL, "/instructedAmount/Amount", amount);
    }
    for currency in
        [json!(""), json!("eur"), json!("EURO"), json!("XXX"), json!("HRK"), json!(978), json!(null)]
    {
        bad("currency", INTERNAL, "/instructedAmount/currency", currency);
    }
    for object in [json!(null), json!({}), json!("1.00 EUR"), json!([])] {
        bad("instructedAmount", INTERNAL, "/instructedAmount", object);
    }
    let ibans = [
        json!(""),
        json!("GR16"),
        json!("GR1701101250000000012300695"),
        json!("GR16 0110 1250 0000 0001 2300 695"),
        json!("ZZ1601101250000000012300695"),
        json!("DE89370400440532013001"),
        json!(16),
        json!(null),
        json!("ΓR16"),
    ];
    for iban in ibans {
        bad("payer's iban", INTERNAL, "/debtorAccount/iban", iban.clone());
        bad("payee's iban", INTERNAL, "/creditorAccount/iban", iban);
    }
    for account in [json!(null), json!({}), json!("GR16"), json!({ "iban": OTHER_BANK_IBAN, "bban": "123" })]
    {
        bad("payer", INTERNAL, "/debtorAccount", account.clone());
        bad("payee", INTERNAL, "/creditorAccount", account);
    }
    bad("payee by card", INTERNAL, "/creditorAccount", json!({ "pan": "4111111111111111" }));
    bad("payee by telephone", SEPA, "/creditorAccount", json!({ "msisdn": "+306912345678" }));
    bad(
        "payer's currency",
        INTERNAL,
        "/debtorAccount",
        json!({ "iban": iban(bank, JONAS, 0), "currency": "USD" }),
    );
    bad(
        "payee's currency",
        INTERNAL,
        "/creditorAccount",
        json!({ "iban": OTHER_BANK_IBAN, "currency": "USD" }),
    );
    bad("payer and payee", INTERNAL, "/creditorAccount/iban", json!(iban(bank, JONAS, 0)));
    for name in [
        json!(""),
        json!("  "),
        json!("x".repeat(71)),
        json!("ä".repeat(71)),
        json!("A\nB"),
        json!(7),
        json!(null),
    ] {
        bad("name", INTERNAL, "/creditorName", name);
    }
    for reference in [json!(""), json!("x".repeat(36)), json!("a\u{7}b"), json!(114)] {
        bad("reference", INTERNAL, "/endToEndIdentification", reference);
    }
    for remittance in [json!(""), json!("x".repeat(141)), json!(["Rent"])] {
        bad("remittance", INTERNAL, "/remittanceInformationUnstructured", remittance);
    }
    bad("SEPA amount", SEPA, "/instructedAmount/Amount", json!("1000000000.00"));
    bad("SEPA currency", SEPA, "/instructedAmount/currency", json!("USD"));
    for (name, field, value) in [
        ("agent", "creditorAgent", json!("SHORT")),
        ("agent", "creditorAgent", json!("ETHNGRAAXXXX")),
        ("agent's name", "creditorAgentName", json!("x".repeat(71))),
        ("address", "creditorAddress", json!({ "city": "x".repeat(71), "street": "" })),
        ("address", "creditorAddress", json!("Athens")),
    ] {
        let mut body = order(bank, "1.00");
        body[field] = value;
        all.push((name.to_owned(), INTERNAL, body));
    }
    let many = json!({ "instructedAmount": { "currency": "EUR", "Amount": "0" }, "creditorName": "" });
    all.push(("many at once".to_owned(), INTERNAL, many));
    all.push(("no object".to_owned(), INTERNAL, json!([])));
    all
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn invalid_order_is_refused_and_stores_nothing(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = tpp(&bank, JONAS);
    let before = rows(&bank).await;
    let mut reported = Vec::new();
    for (case, product, body) in faulty_orders(&bank) {
        let answer = tpp.post(product, &body).await;
        assert_eq!(answer.status, 400, "{case}: {answer:?}");
        let problems: Vec<String> = answer.body["tppMessages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| {
                assert_eq!(message["code"], 0, "{case}");
                format!("[{}] {}", message["path"].as_str().unwrap_or_default(), text(&message["text"]))
            })
            .collect();
        assert!(!problems.is_empty(), "{case}");
        reported.push(format!("{case}: {}", problems.join(" | ")));
    }
    assert!(reported.len() >= 60, "{}", reported.len());
    assert_eq!(rows(&bank).await, before, "a refused order leaves nothing behind");
    let own = iban(&bank, JONAS, 0);
    insta::assert_snapshot!("faulty orders", reported.join("\n").replace(&own, "[payer]"));

    for (case, headers, status) in [
        ("no PSU_ID", tpp.clone().without("PSU_ID"), 400),
        ("an unknown consent", tpp.clone().with("consentID", "00000000-0000-4000-8000-000000000000"), 403),
        ("no address", tpp.clone().without("pSUIPAddress"), 400),
        ("a bad address", tpp.clone().with("pSUIPAddress", "here"), 400),
        ("a bad Accept", tpp.clone().with("Accept", "image/png"), 400),
    ] {
        assert_eq!(headers.post(INTERNAL, &order(&bank, "1.00")).await.status, status, "{case}");
    }
    assert_eq!(rows(&bank).await, before);
}

/// What counts as income of an account since three months.
pub(crate) async fn income(bank: &TestBank, number: usize) -> i64 {
    let (iban, since) = (iban(bank, number, 0), bank.app.clock().today().plus_months(-3));
    let (iban, login) = (Iban::parse(&iban).unwrap(), text(&psu(bank, number)["psu_id"]).to_owned());
    let sum = bank.app.store().read(move |tx| {
        let account = tx.account_by_iban(&iban)?.remove(0);
        let owner = tx.psu_by_login(&login)?.expect("the customer of the demo").0.id;
        Ok(tx.income_sum(IncomeQuery { account: account.ledger, owner, since })?)
    });
    sum.await.unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn money_that_was_sent_and_comes_back_is_no_income(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.advance("P95D").await;
    let (jonas, eleni) = (iban(&bank, JONAS, 0), iban(&bank, ELENI, 0));
    for account in [&jonas, &eleni] {
        bank.book_opening(account, 1_000_000).await;
    }
    let before = income(&bank, JONAS).await;
    let there = order(&bank, "50.00");
    let there = changed(there, "/debtorAccount/iban", json!(eleni));
    let there = changed(there, "/creditorAccount/iban", json!(jonas));
    let path = initiate(&tpp(&bank, ELENI), INTERNAL, &there).await;
    bank.authorise(&tpp(&bank, ELENI), &path, psu(&bank, ELENI)).await;
    assert_eq!(income(&bank, JONAS).await, before + 5000, "what was received is income");

    let back = changed(order(&bank, "50.00"), "/debtorAccount/iban", json!(jonas));
    let back = changed(back, "/creditorAccount/iban", json!(eleni));
    let path = initiate(&tpp(&bank, JONAS), INTERNAL, &back).await;
    bank.authorise(&tpp(&bank, JONAS), &path, psu(&bank, JONAS)).await;
    assert_eq!(income(&bank, JONAS).await, before, "what was sent back is not");
}
