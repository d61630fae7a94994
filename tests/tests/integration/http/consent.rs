//! A consent from its creation to its end, over HTTP, with whole answers: the embedded way.

use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank, Transcript};

fn psu(bank: &TestBank, number: usize) -> &Value {
    &bank.sandbox_file["psus"][number]
}

fn login(bank: &TestBank, number: usize) -> String {
    psu(bank, number)["psu_id"].as_str().unwrap().to_owned()
}

fn order(iban: &str) -> Value {
    json!({
        "access": { "balances": [{ "iban": iban }], "transactions": [{ "iban": iban }] },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    })
}

fn iban(bank: &TestBank, number: usize) -> String {
    psu(bank, number)["accounts"][0]["iban"].as_str().unwrap().to_owned()
}

/// Password, method, code: answers the last step.
async fn authorise(tpp: &ApiClient, path: &str, psu: &Value, transcript: &mut Transcript) -> ApiResponse {
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    transcript.push("start", &started);
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    let password = tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
    transcript.push("password", &password);
    if password.text("/scaStatus") == "psuAuthenticated" {
        let method = password.text("/scaMethods/0/authenticationMethodId").to_owned();
        let chosen = tpp.put(&own, &json!({ "authenticationMethodId": method })).await;
        transcript.push("method", &chosen);
    }
    let answer = tpp.put(&own, &json!({ "scaAuthenticationData": "123456" })).await;
    transcript.push("code", &answer);
    transcript.push("status", &tpp.get(&own).await);
    answer
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_is_created_authorised_read_and_terminated(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 0));
    let mut transcript = Transcript::default();
    let created = tpp.post("/v1/consents", &order(&iban(&bank, 0))).await;
    transcript.push("create", &created);
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    transcript.push("status before", &tpp.get(&format!("{path}/status")).await);
    authorise(&tpp, &path, psu(&bank, 0), &mut transcript).await;
    transcript.push("authorisations", &tpp.get(&format!("{path}/authorisations")).await);
    transcript.push("fetch", &tpp.get(&path).await);
    transcript.push("start again", &tpp.post(&format!("{path}/authorisations"), &json!({})).await);
    transcript.push("delete", &tpp.delete(&path).await);
    transcript.push("delete again", &tpp.delete(&path).await);
    transcript.push("status after", &tpp.get(&format!("{path}/status")).await);
    insta::assert_snapshot!("consent", transcript.text());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn step_sent_with_the_start_is_executed_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 0));
    let created = tpp.post("/v1/consents", &order(&iban(&bank, 0))).await;
    let start = format!("/v1/consents/{}/authorisations", created.text("/consentId"));
    let password = json!({ "psuData": { "password": psu(&bank, 0)["password"] } });

    let wrong = tpp.post(&start, &json!({ "psuData": { "password": "wrong" } })).await;
    assert_eq!(wrong.status, 401, "{wrong:?}");
    let both = json!({ "psuData": password["psuData"], "scaAuthenticationData": "123456" });
    assert_eq!(tpp.post(&start, &both).await.status, 400);

    let same = tpp.clone().with("x-Request-ID", "7d1c6d0e-0c7a-4f0a-9d3b-3a2f0f9b6c11");
    let first = same.post(&start, &password).await;
    assert_eq!(first.status, 200, "{first:?}");
    assert!(["psuAuthenticated", "scaMethodSelected"].contains(&first.text("/scaStatus")), "{first:?}");
    let again = same.post(&start, &password).await;
    assert_eq!((again.status, &again.body), (200, &first.body));
    let open = tpp.get(&start).await;
    assert_eq!(open.body["authorisationIds"].as_array().unwrap().len(), 2, "the replay starts nothing");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn funds_consent_is_created_authorised_and_terminated(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 1));
    let mut transcript = Transcript::default();
    let order =
        json!({ "account": { "iban": iban(&bank, 1), "currency": "EUR" }, "cardInformation": "My card" });
    let created = tpp.post("/v2/consents/confirmation-of-funds", &order).await;
    transcript.push("create", &created);
    let path = format!("/v2/consents/confirmation-of-funds/{}", created.text("/consentId"));
    transcript.push("status before", &tpp.get(&format!("{path}/status")).await);
    authorise(&tpp, &path, psu(&bank, 1), &mut transcript).await;
    transcript.push("status after", &tpp.get(&format!("{path}/status")).await);
    transcript.push("fetch", &tpp.get(&path).await);
    transcript.push("delete", &tpp.delete(&path).await);
    transcript.push("fetch at the end", &tpp.get(&path).await);
    insta::assert_snapshot!("funds_consent", transcript.text());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn card_of_a_funds_consent_is_read_back_masked(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, card) = (bank.tpp(0).with("PSU_ID", &login(&bank, 0)), &psu(&bank, 0)["cards"][0]);
    let order = json!({
        "account": { "iban": iban(&bank, 0), "currency": "EUR" },
        "cardNumber": card["pan"],
        "cardInformation": "My card",
        "registrationInformation": "Registered",
    });
    let created = tpp.post("/v2/consents/confirmation-of-funds", &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    let path = format!("/v2/consents/confirmation-of-funds/{}", created.text("/consentId"));
    let read = tpp.get(&path).await;
    assert_eq!(read.body["cardNumber"], card["masked_pan"], "{read:?}");
    assert_eq!(read.body["cardInformation"], "My card");
    assert_eq!(read.body["registrationInformation"], "Registered");
    assert_eq!(read.body["account"], order["account"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_request_has_one_effect_and_the_same_response(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let id = "5b1f1b0e-6d5f-4a36-9d0c-0f5a1c3e7a11";
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 0)).with("x-Request-ID", id);
    let first = tpp.post("/v1/consents", &order(&iban(&bank, 0))).await;
    assert_eq!(first.status, 201);
    assert!(!first.headers.contains_key("idempotent-replay"));
    let again = tpp.clone().with("x-Request-ID", &id.to_uppercase());
    let again = again.post("/v1/consents", &order(&iban(&bank, 0))).await;
    assert_eq!((again.status, &again.body), (201, &first.body));
    assert_eq!(again.headers["idempotent-replay"], "true");
    assert_eq!(again.headers["x-request-id"], id.to_uppercase(), "echoed as it was sent");
    let other = tpp.post("/v1/consents", &order(&iban(&bank, 1))).await;
    assert_eq!(other.status, 400);
    assert!(other.text("/tppMessages/0/text").starts_with("PARAMETER_NOT_CONSISTENT"));
    let other_tpp = bank.tpp(1).with("PSU_ID", &login(&bank, 0)).with("x-Request-ID", id);
    let theirs = other_tpp.post("/v1/consents", &order(&iban(&bank, 0))).await;
    assert_eq!(theirs.status, 201, "another application's ids are its own");
    assert_ne!(theirs.body["consentId"], first.body["consentId"]);

    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let tpp = tpp.clone().with("x-Request-ID", "7d1f1b0e-6d5f-4a36-9d0c-0f5a1c3e7a11");
        let body = order(&iban(&bank, 0));
        calls.spawn(async move { tpp.post("/v1/consents", &body).await });
    }
    let answers = calls.join_all().await;
    let ids: std::collections::HashSet<&str> =
        answers.iter().map(|answer| answer.text("/consentId")).collect();
    assert_eq!(ids.len(), 1, "eight at once are one");
    let firsts = answers.iter().filter(|answer| !answer.headers.contains_key("idempotent-replay")).count();
    assert_eq!(firsts, 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consents_expire_with_time(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 1));
    let status = |id: String| {
        let tpp = tpp.clone();
        async move { tpp.get(&format!("/v1/consents/{id}/status")).await.body["consentStatus"].clone() }
    };
    let create = |until: &'static str, recurring: bool| {
        let (tpp, iban) = (tpp.clone(), iban(&bank, 1));
        async move {
            let mut body = order(&iban);
            body["validUntil"] = json!(until);
            body["recurringIndicator"] = json!(recurring);
            body["frequencyPerDay"] = json!(if recurring { 4 } else { 1 });
            let answer = tpp.post("/v1/consents", &body).await;
            assert_eq!(answer.status, 201, "{answer:?}");
            answer.text("/consentId").to_owned()
        }
    };
    let mut transcript = Transcript::default();
    let waiting = create("2099-12-31", true).await;
    let first = create("2099-12-31", true).await;
    authorise(&tpp, &format!("/v1/consents/{first}"), psu(&bank, 1), &mut transcript).await;
    assert_eq!(status(first.clone()).await, 2);
    let second = create("2099-12-31", true).await;
    authorise(&tpp, &format!("/v1/consents/{second}"), psu(&bank, 1), &mut transcript).await;
    assert_eq!(
        (status(first).await, status(second.clone()).await),
        (json!(5), json!(2)),
        "the new one ends the old"
    );
    let one_off = create("2099-12-31", false).await;
    authorise(&tpp, &format!("/v1/consents/{one_off}"), psu(&bank, 1), &mut transcript).await;
    assert_eq!((status(one_off.clone()).await, status(second.clone()).await), (json!(2), json!(2)));
    bank.advance("PT21M").await;
    assert_eq!(status(one_off).await, 4, "a one-off can be used for twenty minutes");
    assert_eq!(status(waiting.clone()).await, 0);
    bank.advance("PT24H").await;
    assert_eq!(status(waiting).await, 1, "not authorised in a day");
    assert_eq!(status(second.clone()).await, 2);
    bank.advance("P181D").await;
    assert_eq!(status(second).await, 4, "180 days at the most");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn account_of_another_customer_rejects_at_authorisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 1));
    let mut transcript = Transcript::default();
    let created = tpp.post("/v1/consents", &order(&iban(&bank, 0))).await;
    assert_eq!(created.status, 201);
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    let last = authorise(&tpp, &path, psu(&bank, 1), &mut transcript).await;
    assert_eq!((last.status, last.text("/scaStatus")), (200, "finalised"));
    for path in [format!("{path}/status"), path] {
        let rejected = tpp.get(&path).await;
        assert_eq!(rejected.body["consentStatus"], 1, "{path}");
        assert_eq!(reason(&rejected), Some("AC01"), "{path}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unauthorised_consent_is_rejected_as_overdue(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 0));
    let created = tpp.post("/v1/consents", &order(&iban(&bank, 0))).await;
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    assert_eq!(reason(&tpp.get(&path).await), None, "a pending consent has no reason");
    bank.advance("PT25H").await;
    assert_eq!(reason(&tpp.get(&path).await), Some("DS24"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_can_approve_only_references_to_own_open_accounts(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (own, other) = (psu(&bank, 0).clone(), psu(&bank, 2).clone());
    let iban = |account: usize| own["accounts"][account]["iban"].clone();
    let bban = |iban: &Value| json!(&iban.as_str().unwrap()[4..]);
    for (table, column, value) in
        [("card", "masked_pan", &own["cards"][1]["masked_pan"]), ("account", "iban", &iban(1))]
    {
        let value = value.as_str().unwrap();
        bank.database.tamper(&format!("UPDATE {table} SET status = 'deleted' WHERE {column} = '{value}'"));
    }
    let (card, deleted, foreign) = (&own["cards"][0], &own["cards"][1], &other["cards"][0]);
    let cases = [
        (json!({ "iban": iban(0) }), 2),
        (json!({ "iban": iban(0), "currency": "EUR" }), 2),
        (json!({ "iban": iban(0), "currency": "USD" }), 1),
        (json!({ "iban": iban(1) }), 1),
        (json!({ "iban": iban(3), "currency": "USD" }), 2),
        (json!({ "iban": iban(3), "currency": "EUR" }), 1),
        (json!({ "iban": other["accounts"][0]["iban"] }), 1),
        (json!({ "bban": bban(&iban(0)) }), 2),
        (json!({ "bban": bban(&other["accounts"][0]["iban"]) }), 1),
        (json!({ "pan": card["pan"] }), 2),
        (json!({ "pan": card["pan"], "currency": "EUR" }), 2),
        (json!({ "pan": card["pan"], "currency": "USD" }), 1),
        (json!({ "pan": deleted["pan"] }), 1),
        (json!({ "pan": foreign["pan"] }), 1),
        (json!({ "maskedPan": card["masked_pan"] }), 2),
        (json!({ "maskedPan": card["masked_pan"], "currency": "USD" }), 1),
        (json!({ "maskedPan": deleted["masked_pan"] }), 1),
        (json!({ "maskedPan": foreign["masked_pan"] }), 1),
    ];
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 0));
    for (reference, status) in cases {
        let mut order = order("");
        order["access"] = json!({ "accounts": [reference] });
        let created = tpp.post("/v1/consents", &order).await;
        assert_eq!(created.status, 201, "{reference}: {created:?}");
        let path = format!("/v1/consents/{}", created.text("/consentId"));
        bank.authorise(&tpp, &path, &own).await;
        assert_eq!(tpp.get(&path).await.body["consentStatus"], status, "{reference}");
        // Codes are limited.
        bank.pass(TimeDelta::minutes(5)).await;
    }
}

/// The ISO 20022 reason of a rejection.
fn reason(reply: &ApiResponse) -> Option<&str> {
    reply.body["tppMessages"][0]["text"].as_str().and_then(|text| text.split(':').next())
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reference_without_account_rejects_at_authorisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let customer = psu(&bank, 0).clone();
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 0));
    let mut by_phone = order("");
    by_phone["access"] = json!({ "accounts": [{ "msisdn": customer["phone"] }] });
    let by_card = json!({ "account": { "pan": customer["cards"][0]["pan"] } });
    let orders = [("/v1/consents", by_phone), ("/v2/consents/confirmation-of-funds", by_card)];
    for (path, order) in orders {
        let created = tpp.post(path, &order).await;
        assert_eq!(created.status, 201, "{created:?}");
        let path = format!("{path}/{}", created.text("/consentId"));
        bank.authorise(&tpp, &path, &customer).await;
        assert_eq!(tpp.get(&path).await.body["consentStatus"], 1, "{path}");
        bank.advance("PT1H").await;
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unknown_customer_gets_the_same_responses(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let shape = |answer: &ApiResponse| {
        let keys: Vec<String> = answer.body.as_object().unwrap().keys().cloned().collect();
        (answer.status, keys)
    };
    let mut shapes = Vec::new();
    for name in [login(&bank, 1), "unknown.customer".to_owned()] {
        let tpp = bank.tpp(0).with("PSU_ID", &name);
        let created = tpp.post("/v1/consents", &order(&iban(&bank, 1))).await;
        let path = format!("/v1/consents/{}/authorisations", created.text("/consentId"));
        let started = tpp.post(&path, &json!({})).await;
        let own = format!("{path}/{}", started.text("/authorisationId"));
        let wrong = tpp.put(&own, &json!({ "psuData": { "password": "wrong" } })).await;
        let status = tpp.get(&own).await;
        shapes.push([shape(&created), shape(&started), shape(&wrong), shape(&status)]);
        assert_eq!(wrong.status, 401);
    }
    assert_eq!(shapes[0], shapes[1]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_of_another_third_party_is_unknown(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 1));
    let created = tpp.post("/v1/consents", &order(&iban(&bank, 1))).await;
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    let never = "/v1/consents/00000000-0000-4000-8000-000000000000";
    let other = bank.tpp(1).with("PSU_ID", &login(&bank, 1));
    for tail in ["", "/status", "/authorisations"] {
        let (theirs, none) =
            (other.get(&format!("{path}{tail}")).await, other.get(&format!("{never}{tail}")).await);
        assert_eq!((theirs.status, &theirs.body), (403, &none.body), "{tail}");
    }
    let theirs = other.delete(&path).await;
    assert_eq!((theirs.status, theirs.body), (403, other.delete(never).await.body));
    let start = |path: String| {
        let other = other.clone();
        async move { other.post(&format!("{path}/authorisations"), &json!({})).await }
    };
    assert_eq!(start(path.clone()).await.body, start(never.to_owned()).await.body);
    let funds =
        bank.tpp(0).get(&format!("/v2/consents/confirmation-of-funds/{}", created.text("/consentId"))).await;
    assert_eq!(funds.status, 403, "an account-access consent is no funds consent");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_id_that_is_not_utf8_is_unknown(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = bank.tpp(0).with("PSU_ID", &login(&bank, 1));
    for tail in ["", "/status", "/authorisations"] {
        let unreadable = tpp.get(&format!("/v1/consents/%ff{tail}")).await;
        let unknown = tpp.get(&format!("/v1/consents/no-id{tail}")).await;
        assert_eq!((unreadable.status, &unreadable.body), (403, &unknown.body), "{tail}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn recurring_consent_ends_the_older_one_of_the_same_third_party_and_customer_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    for (tpp, customer, recurring) in
        [(0, 0, true), (1, 0, true), (0, 1, true), (0, 0, false), (0, 0, true), (0, 0, false)]
    {
        let tpp = bank.tpp(tpp).with("PSU_ID", &login(&bank, customer));
        let mut order = order(&iban(&bank, customer));
        order["recurringIndicator"] = json!(recurring);
        order["frequencyPerDay"] = json!(if recurring { 4 } else { 1 });
        let created = tpp.post("/v1/consents", &order).await;
        let path = format!("/v1/consents/{}", created.text("/consentId"));
        bank.authorise(&tpp, &path, psu(&bank, customer)).await;
        bank.pass(TimeDelta::seconds(31)).await;
    }
    let statuses = bank.database.column("SELECT status FROM consent ORDER BY created_at");
    assert_eq!(statuses, ["terminatedByTpp", "valid", "valid", "valid", "valid", "valid"]);
}
