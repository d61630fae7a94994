//! Payments, their cancellation, and the verification of the payee.

use super::{authorise, authorise_embedded, client, iban, link, links, login, path, psu, refusal};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_app::PayeeLimits;
use trapeza_domain::payment::Fees;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

pub(super) const OTHER_BANK_IBAN: &str = "DE89370400440532013000";

pub(super) fn payer(bank: &TestBank) -> ApiClient {
    client(bank, 0).with("PSU-IP-Address", "192.0.2.7").with("TPP-Explicit-Authorisation-Preferred", "true")
}

pub(super) fn order(bank: &TestBank, creditor: &str) -> Value {
    json!({
        "endToEndIdentification": "ORDER-7",
        "debtorAccount": { "iban": iban(bank, 0) },
        "instructedAmount": { "currency": "EUR", "amount": "12.34" },
        "creditorAccount": { "iban": creditor },
        "creditorName": "Anna Muster",
        "creditorAddress": { "streetName": "Main Street", "buildingNumber": "7", "townName": "Berlin", "postCode": "10115", "country": "DE" },
        "remittanceInformationUnstructured": "Invoice 7",
    })
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_is_initiated_authorised_and_read_in_both_dialects(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let initiated =
        tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order(&bank, OTHER_BANK_IBAN)).await;
    assert_eq!((initiated.status, initiated.text("/transactionStatus")), (201, "RCVD"), "{initiated:?}");
    assert_eq!(links(&initiated), ["self", "startAuthorisationWithPsuAuthentication", "status"]);
    assert_eq!(initiated.headers["location"], initiated.text("/_links/self/href"));
    authorise(&bank, &tpp, &initiated, 0).await;
    let status = tpp.get(&link(&bank, &initiated, "status")).await;
    assert_eq!(status.body, json!({ "transactionStatus": "ACCP", "fundsAvailable": true }));
    let mut expected = order(&bank, OTHER_BANK_IBAN);
    expected["transactionStatus"] = json!("ACCP");
    assert_eq!(tpp.get(&link(&bank, &initiated, "self")).await.body, expected);
    let id = initiated.text("/paymentId");
    let native = bank.tpp(0).get(&format!("/v1/payments/sepa-credit-transfers/{id}/status")).await;
    assert_eq!((native.status, &native.body["transactionStatus"]), (200, &json!(2)), "{native:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bank_of_the_payee_and_the_fee_are_shown(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let fees = Fees { internal_minor: 10, sepa_minor: 35 };
    let options = TestBankOptions { fees, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let tpp = payer(&bank);
    let mut order = order(&bank, OTHER_BANK_IBAN);
    order["creditorAgent"] = json!("COBADEFFXXX");
    order["creditorAgentName"] = json!("Commerzbank");
    let initiated = tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order).await;
    assert_eq!(initiated.status, 201, "{initiated:?}");
    assert_eq!(initiated.body["transactionFees"], json!({ "currency": "EUR", "amount": "0.35" }));
    assert_eq!(initiated.body["transactionFeeIndicator"], true);
    order["transactionStatus"] = json!("RCVD");
    assert_eq!(tpp.get(&link(&bank, &initiated, "self")).await.body, order);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_is_cancelled_at_once_or_with_the_customer(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let product = path("/v1/payments/sepa-credit-transfers");
    let waiting = tpp.post(&product, &order(&bank, OTHER_BANK_IBAN)).await;
    assert_eq!(tpp.delete(&link(&bank, &waiting, "self")).await.status, 204);
    let status = tpp.get(&link(&bank, &waiting, "status")).await;
    assert_eq!(status.text("/transactionStatus"), "CANC");

    let accepted = tpp.post(&product, &order(&bank, OTHER_BANK_IBAN)).await;
    authorise(&bank, &tpp, &accepted, 0).await;
    let called = tpp.delete(&link(&bank, &accepted, "self")).await;
    assert_eq!((called.status, called.text("/transactionStatus")), (202, "ACCP"), "{called:?}");
    assert_eq!(links(&called), ["self", "startAuthorisation", "status"]);
    let started = tpp.post(&link(&bank, &called, "startAuthorisation"), &json!({})).await;
    assert_eq!(started.status, 201, "{started:?}");
    authorise_embedded(&bank, &tpp, &started, 0).await;
    let status = tpp.get(&link(&bank, &accepted, "status")).await;
    assert_eq!(status.text("/transactionStatus"), "CANC");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_is_named_at_the_start_or_with_the_password(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (named, unnamed) = (payer(&bank), payer(&bank).without("PSU-ID"));
    let product = path("/v1/payments/sepa-credit-transfers");
    let initiated = unnamed.post(&product, &order(&bank, OTHER_BANK_IBAN)).await;
    assert_eq!(links(&initiated), ["self", "startAuthorisation", "status"], "{initiated:?}");
    authorise(&bank, &named.clone().with("TPP-Redirect-Preferred", "false"), &initiated, 0).await;
    assert_eq!(named.get(&link(&bank, &initiated, "status")).await.text("/transactionStatus"), "ACCP");
    let events = "SELECT COUNT(*) FROM audit_event WHERE action = 'payment.identified'";
    let count = bank.app.store().read(move |tx| Ok(tx.query_one(events, &[], |row| row.read::<i64>())?));
    assert_eq!(count.await.unwrap(), 1);
    let start = unnamed.with("TPP-Redirect-Preferred", "false");
    let initiated = start.post(&product, &order(&bank, OTHER_BANK_IBAN)).await;
    let started =
        start.post(&format!("{}/authorisations", link(&bank, &initiated, "self")), &json!({})).await;
    let own = link(&bank, &started, "updatePsuIdentification");
    let password = json!({ "psuData": { "password": psu(&bank, 0)["password"] } });
    assert_eq!(refusal(&start.put(&own, &password).await), (400, "SERVICE_INVALID".to_owned()));
    let signed_in = named.put(&own, &password).await;
    assert_eq!((signed_in.status, signed_in.text("/scaStatus")), (200, "psuAuthenticated"), "{signed_in:?}");
    let other = client(&bank, 1).put(&own, &json!({ "psuData": { "password": "any" } })).await;
    assert_eq!(refusal(&other), (400, "SERVICE_INVALID".to_owned()), "the customer stays");
    let named_again = named.send(reqwest::Method::PUT, &own, None).await;
    let reached = (named_again.status, named_again.text("/scaStatus"));
    assert_eq!(reached, (200, "psuAuthenticated"), "the state that was reached: {named_again:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_within_the_bank_is_booked_on_the_spot(
    #[values("internal-transfers", "sepa-credit-transfers")] product: &str,
) {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let mut order = order(&bank, iban(&bank, 1));
    order["creditorName"] = psu(&bank, 1)["name"].clone();
    let initiated = tpp.post(&path(&format!("/v1/payments/{product}")), &order).await;
    authorise(&bank, &tpp, &initiated, 0).await;
    let status = link(&bank, &initiated, "status");
    assert!(status.contains(&format!("/v1/payments/{product}/")), "{status}");
    assert_eq!(tpp.get(&status).await.text("/transactionStatus"), "ACCC");
    let called = tpp.delete(&link(&bank, &initiated, "self")).await;
    assert_eq!(refusal(&called), (405, "CANCELLATION_INVALID".to_owned()));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn rejected_payment_says_why() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let mut order = order(&bank, OTHER_BANK_IBAN);
    order["instructedAmount"]["amount"] = json!("99999999.00");
    let initiated = tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order).await;
    authorise(&bank, &tpp, &initiated, 0).await;
    let status = tpp.get(&link(&bank, &initiated, "status")).await;
    assert_eq!((status.text("/transactionStatus"), &status.body["fundsAvailable"]), ("RJCT", &json!(false)));
    assert_eq!(status.text("/tppMessage/code"), "FUNDS_NOT_AVAILABLE");
    assert!(status.text("/tppMessage/text").starts_with("AM04"), "{status:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_name_of_the_payee_is_reported_once() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let mut order = order(&bank, iban(&bank, 1));
    order["creditorName"] = json!("Another Person Entirely");
    let initiated = tpp.post(&path("/v1/payments/internal-transfers"), &order).await;
    let start = format!("{}/authorisations", link(&bank, &initiated, "self"));
    let started = tpp.post(&start, &json!({})).await;
    assert_eq!(
        started.body["originalTransactionInformationAndVopStatus"],
        json!({ "originalEndToEndId": "ORDER-7", "transactionStatus": "RCVD", "creditorNameMatch": "NMTC" }),
        "{started:?}"
    );
    let again = tpp.post(&start, &json!({})).await;
    assert!(again.body.get("originalTransactionInformationAndVopStatus").is_none(), "{again:?}");
    let status = tpp.get(&link(&bank, &initiated, "status")).await;
    let reported = &status.body["originalTransactionInformationAndVopStatus"];
    assert_eq!(*reported, json!([started.body["originalTransactionInformationAndVopStatus"]]), "{status:?}");
}

/// A customer with one method gets a code with the password.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn warning_about_the_payee_is_in_the_answer_to_a_start_with_the_password(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank).with("PSU-ID", login(&bank, 1));
    let password = json!({ "psuData": { "password": psu(&bank, 1)["password"] } });
    let name = psu(&bank, 0)["name"].as_str().expect("a name");
    let mut answers = Vec::new();
    for (name, step) in
        [("Another Person Entirely", &json!({})), (name, &password), ("Another Person Entirely", &password)]
    {
        let mut order = order(&bank, iban(&bank, 0));
        order["debtorAccount"]["iban"] = json!(iban(&bank, 1));
        order["creditorName"] = json!(name);
        let initiated = tpp.post(&path("/v1/payments/internal-transfers"), &order).await;
        let started = tpp.post(&format!("{}/authorisations", link(&bank, &initiated, "self")), step).await;
        assert_eq!(started.status, 201, "{started:?}");
        answers.push(started);
        bank.pass(TimeDelta::seconds(31)).await;
    }
    let [warning, instruction, both] = [0, 1, 2].map(|number| answers[number].text("/psuMessage"));
    assert_eq!(both, format!("{warning} {instruction}"));
    let reported = "originalTransactionInformationAndVopStatus";
    assert_eq!(answers[1].body.get(reported), None);
    assert_eq!(answers[2].body[reported]["creditorNameMatch"], "NMTC", "{:?}", answers[2]);
}

/// Guessing the names of owners is limited for third parties that let the bank start the authorisation, as for others.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn mismatches_of_implicit_starts_spend_the_budget(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let limit = |n| std::num::NonZeroU32::new(n).expect("not zero");
    let payee_limits = Some(PayeeLimits { per_application: limit(20), per_iban: limit(2) });
    let options = TestBankOptions { payee_limits, ..TestBankOptions::default() };
    let bank = TestBank::with_options(Database::new(engine), options).await;
    let (explicit, product) = (payer(&bank), path("/v1/payments/internal-transfers"));
    let implicit = explicit.clone().without("TPP-Explicit-Authorisation-Preferred");
    let mut wrong = order(&bank, iban(&bank, 1));
    wrong["creditorName"] = json!("Another Person Entirely");
    let is_reported = |answer: &ApiResponse| answer.body.to_string().contains("NMTC");
    let mut reported = Vec::new();
    for _ in 0..3 {
        reported.push(is_reported(&implicit.post(&product, &wrong).await));
    }
    assert_eq!(reported, [true, true, false], "payments");

    wrong["creditorAccount"]["iban"] = json!(iban(&bank, 2));
    for _ in 0..2 {
        let member = explicit.post(&product, &wrong).await;
        let members = json!({ "paymentIds": [member.body["paymentId"]] });
        let created = implicit.post(&path("/v1/signing-baskets"), &members).await;
        assert_eq!(created.status, 201, "{created:?}");
    }
    let last = is_reported(&implicit.post(&product, &wrong).await);
    assert!(!last, "the baskets have spent the budget of the account");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_changes_what_is_paid_is_ignored() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let send = |name: &'static str, value: Value| {
        let mut order = order(&bank, OTHER_BANK_IBAN);
        order[name] = value;
        let tpp = tpp.clone();
        async move { tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order).await }
    };
    for name in ["requestedExecutionTime", "ultimateCreditor", "purposeCode", "chargeBearer", "frequency"] {
        let refused = send(name, json!("x")).await;
        assert_eq!(refusal(&refused), (400, "PARAMETER_NOT_SUPPORTED".to_owned()), "{name}");
        assert_eq!(refused.text("/tppMessages/0/path"), name);
    }
    assert_eq!(send("unknownToTheStandard", json!(1)).await.status, 201);
    let address = json!({ "townName": "Berlin" });
    let refused = send("creditorAddress", address).await;
    assert_eq!(refused.text("/tppMessages/0/path"), "creditorAddress.country", "{refused:?}");
    let all = tpp
        .post(
            &path("/v1/payments/sepa-credit-transfers"),
            &json!({ "instructedAmount": { "currency": "EUR", "amount": "-1" } }),
        )
        .await;
    let paths: Vec<&str> = all.body["tppMessages"]
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|each| each["path"].as_str())
        .collect();
    assert_eq!(
        paths,
        ["debtorAccount", "instructedAmount.amount", "creditorAccount", "creditorName"],
        "{all:?}"
    );
    assert_eq!(login(&bank, 0), tpp.header("PSU-ID").expect("a header"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_and_its_cancellation_start_their_authorisation_themselves(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank).without("TPP-Explicit-Authorisation-Preferred");
    let mut order = order(&bank, OTHER_BANK_IBAN);
    order["creditorName"] = json!("Sandbox No Match");
    let initiated = tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order).await;
    assert_eq!(initiated.status, 201, "{initiated:?}");
    assert_eq!(initiated.headers["aspsp-sca-approach"], "EMBEDDED");
    assert_eq!(links(&initiated), ["scaStatus", "self", "status", "updatePsuAuthentication"]);
    if let Some(verified) = initiated.body.get("originalTransactionInformationAndVopStatus") {
        assert_eq!(verified.as_array().map(Vec::len), Some(1), "an array of one: {initiated:?}");
    }
    authorise_embedded(&bank, &tpp, &initiated, 0).await;
    let called = tpp.delete(&link(&bank, &initiated, "self")).await;
    assert_eq!(called.status, 202, "{called:?}");
    assert_eq!(links(&called), ["scaStatus", "self", "status", "updatePsuAuthentication"]);
    assert!(link(&bank, &called, "scaStatus").contains("/cancellation-authorisations/"));
    authorise_embedded(&bank, &tpp, &called, 0).await;
    let status = tpp.get(&link(&bank, &initiated, "status")).await;
    assert_eq!(status.text("/transactionStatus"), "CANC");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_of_a_later_day_is_accepted_and_a_wrong_day_refused() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let product = path("/v1/payments/sepa-credit-transfers");
    let mut order = order(&bank, OTHER_BANK_IBAN);
    for day in [bank.days_ago(1), bank.days_ago(-400)] {
        order["requestedExecutionDate"] = json!(day);
        let refused = tpp.post(&product, &order).await;
        assert_eq!(refusal(&refused), (400, "EXECUTION_DATE_INVALID".to_owned()), "{refused:?}");
        assert_eq!(refused.text("/tppMessages/0/path"), "requestedExecutionDate");
    }
    let day = bank.days_ago(-10);
    order["requestedExecutionDate"] = json!(format!("{day}T08:00:00Z"));
    let initiated = tpp.post(&product, &order).await;
    authorise(&bank, &tpp, &initiated, 0).await;
    let read = tpp.get(&link(&bank, &initiated, "self")).await;
    assert_eq!(
        (read.text("/requestedExecutionDate"), read.text("/transactionStatus")),
        (day.as_str(), "ACTC")
    );
    assert_eq!(tpp.delete(&link(&bank, &initiated, "self")).await.status, 202);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn periodic_payment_is_ordered_read_and_cancelled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let product = path("/v1/periodic-payments/sepa-credit-transfers");
    let mut order = order(&bank, OTHER_BANK_IBAN);
    for (name, value) in [
        ("startDate", json!(bank.days_ago(-7))),
        ("frequency", json!("Monthly")),
        ("dayOfExecution", json!("31")),
        ("executionRule", json!("preceding")),
    ] {
        order[name] = value;
    }
    let initiated = tpp.post(&product, &order).await;
    assert_eq!(initiated.status, 201, "{initiated:?}");
    let own = link(&bank, &initiated, "self");
    assert!(own.starts_with(&product), "{own}");
    authorise(&bank, &tpp, &initiated, 0).await;
    let read = tpp.get(&own).await;
    for name in ["startDate", "frequency", "dayOfExecution", "executionRule"] {
        assert_eq!(read.body[name], order[name], "{read:?}");
    }
    let elsewhere = tpp.get(&own.replace("periodic-payments", "payments")).await;
    assert_eq!(refusal(&elsewhere), (403, "RESOURCE_UNKNOWN".to_owned()), "{elsewhere:?}");
    assert_eq!(tpp.delete(&own).await.status, 202);
    order["frequency"] = json!("Sometimes");
    order["requestedExecutionDate"] = json!(bank.days_ago(-7));
    assert_eq!(refusal(&tpp.post(&product, &order).await), (400, "PARAMETER_NOT_SUPPORTED".to_owned()));
    order.as_object_mut().expect("an object").remove("requestedExecutionDate");
    let refused = tpp.post(&product, &order).await;
    assert_eq!(
        (refusal(&refused), refused.text("/tppMessages/0/path")),
        ((400, "FORMAT_ERROR".to_owned()), "frequency")
    );
}
