//! Boundaries to the microsecond and to the cent: one before, at, and beside what is reserved.

use crate::http::checkout::basket;
use crate::http::payment::{
    INTERNAL, JONAS, OTHER_BANK_IBAN, SEPA, balance, challenged, changed, check_ledger, code, floor, iban,
    initiate, order, psu, standing, tpp,
};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::id::ConsentId;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{ConsentUsage, Tx};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, TestBank, Transcript};

/// How many rows the sweep finds at a time.
async fn due(bank: &TestBank, at: Timestamp, count: fn(&mut Tx<'_>, Timestamp) -> usize) -> usize {
    bank.app.store().write(move |tx| Ok(count(tx, at))).await.unwrap()
}

/// Two columns of a query, which are times.
async fn times(bank: &TestBank, sql: &'static str) -> Vec<(Timestamp, Timestamp)> {
    let read = bank.app.store().read(move |tx| {
        Ok(tx.query(sql, &[], |row| Ok((row.read::<Timestamp>()?, row.read::<Timestamp>()?)))?)
    });
    read.await.unwrap()
}

async fn consent(bank: &TestBank, tpp: &ApiClient, recurring: bool) -> String {
    let order = json!({
        "access": { "balances": [{ "iban": iban(bank, JONAS, 0) }] },
        "recurringIndicator": recurring, "validUntil": "2099-12-31", "frequencyPerDay": if recurring { 4 } else { 1 },
    });
    format!("/v1/consents/{}", tpp.post("/v1/consents", &order).await.text("/consentId"))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn deadline_is_reached_at_its_microsecond(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let path = consent(&bank, &tpp, true).await;
    tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    basket(&bank, 1, "120.3").await;
    type Count = fn(&mut Tx<'_>, Timestamp) -> usize;
    macro_rules! times_of {
        ($table:literal) => {
            concat!("SELECT created_at, deadline FROM ", $table, " WHERE deadline IS NOT NULL")
        };
    }
    let kinds: [(&str, i64, Count); 4] = [
        (times_of!("consent"), 24 * 60, |tx, at| tx.consent_expired(at).unwrap().len()),
        (times_of!("payment"), 24 * 60, |tx, at| tx.payment_expired(at).unwrap().len()),
        (times_of!("authorisation"), 15, |tx, at| tx.authorisation_expired(at).unwrap().len()),
        (times_of!("basket"), 30, |tx, at| tx.basket_expired(at).unwrap().len()),
    ];
    for (table, minutes, count) in kinds {
        let times = times(&bank, table).await;
        let [(created, deadline)] = times[..] else { panic!("{table}: {times:?}") };
        assert_eq!(deadline, created.plus(TimeDelta::minutes(minutes)), "{table}");
        assert_eq!(due(&bank, deadline.minus(TimeDelta(1)), count).await, 0, "{table} a microsecond before");
        assert_eq!(due(&bank, deadline, count).await, 1, "{table} at its deadline");
    }
}

/// Monitoring notices a sweep that leaves out any of the tables.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn deadline_that_the_sweep_has_missed_is_in_the_backlog(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let path = consent(&bank, &tpp, true).await;
    tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    initiate(&tpp, INTERNAL, &order(&bank, "1.00")).await;
    basket(&bank, 1, "120.3").await;
    let now = bank.app.now();
    let oldest =
        async || bank.app.store().read(move |tx| Ok(tx.backlog_find(now)?.sweep_oldest)).await.unwrap();
    for table in ["authorisation", "basket", "consent", "payment"] {
        assert_eq!(oldest().await, None, "before that of {table}");
        bank.database.tamper(&format!("UPDATE {table} SET deadline = created_at WHERE deadline IS NOT NULL"));
        assert!(oldest().await.is_some_and(|deadline| deadline <= now), "{table}");
        bank.database.tamper(&format!("UPDATE {table} SET deadline = NULL"));
    }
}

/// A consent that is authorised, and a caller who reads under it without the customer.
async fn reader(bank: &TestBank, tpp: &ApiClient) -> (String, ApiClient) {
    let path = consent(bank, tpp, true).await;
    bank.authorise(tpp, &path, psu(bank, JONAS)).await;
    let id = path.rsplit('/').next().unwrap().to_owned();
    (id.clone(), bank.tpp(0).with("consentID", &id))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn use_of_a_consent_counts_for_exactly_24_hours(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let (id, caller) = reader(&bank, &tpp).await;
    for left in ["3", "2", "1", "0"] {
        let read = caller.get("/v1/accounts").await;
        assert_eq!((read.status, read.headers["x-frequency-remaining"].as_str()), (200, left), "{read:?}");
        bank.pass(TimeDelta::minutes(1)).await;
    }
    let sql = "SELECT used_at, used_at FROM consent_usage WHERE endpoint = 'accounts' ORDER BY used_at";
    let used = times(&bank, sql).await;
    assert_eq!(used.len(), 4);
    let first = used[0].0;
    let consent = ConsentId::parse(&id).unwrap();
    let application =
        bank.sandbox_file["tpps"][0]["client_id"].as_str().and_then(trapeza_domain::id::ApplicationId::parse);
    let count = |since| {
        let read = bank.app.store().read(move |tx| {
            let usage = ConsentUsage { consent, endpoint: "accounts", subject: None };
            let read = tx.access_consent_for_read(application.unwrap(), usage, since)?.unwrap();
            Ok((tx.consent_usage_count(usage, since)?.0, read.used))
        });
        async { read.await.unwrap() }
    };
    // At the time of the first use plus 24 hours it counts no more; a microsecond earlier it does.
    assert_eq!(count(first.minus(TimeDelta(1))).await, (4, 4));
    assert_eq!(count(first).await, (3, 3));

    let refused = caller.get("/v1/accounts").await;
    assert_eq!(refused.status, 429, "{refused:?}");
    let wait: i64 = refused.headers["retry-after"].parse().unwrap();
    bank.pass(TimeDelta::seconds(wait - 30)).await;
    assert_eq!(caller.get("/v1/accounts").await.status, 429, "before the time that was stated");
    bank.pass(TimeDelta::seconds(30)).await;
    assert_eq!(caller.get("/v1/accounts").await.status, 200, "at the time that was stated");
    assert_eq!(caller.get("/v1/accounts").await.status, 429, "one use has ended, and one was made");
}

fn euros(minor: i64) -> String {
    format!("{}.{:02}", minor / 100, minor % 100)
}

/// Orders and authorises a payment of so much; its status and whether there were funds.
async fn pay(bank: &TestBank, tpp: &ApiClient, product: &str, order: Value, minor: i64) -> (Value, Value) {
    let order = changed(order, "/instructedAmount/Amount", json!(euros(minor)));
    let path = initiate(tpp, product, &order).await;
    bank.pass(TimeDelta::seconds(31)).await;
    let steps = format!("{path}/authorisations");
    let own = challenged(bank, tpp, &steps, &mut Transcript::default()).await;
    assert_eq!(code(bank, tpp, &own).await.text("/scaStatus"), "finalised");
    standing(tpp, &path).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn funds_beside_a_hold_are_available_to_the_cent(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let away = changed(order(&bank, "1.00"), "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    let before = balance(&bank, &payer).await;
    assert_eq!(pay(&bank, &tpp, SEPA, away.clone(), 123).await.1, json!(true));
    assert_eq!(balance(&bank, &payer).await, (before.0, before.1 + 123), "held");
    let available = before.0 - before.1 - 123 - floor(&bank, &payer).await;
    assert!(available > 0);
    let funds = json!({ "account": { "iban": payer, "currency": "EUR" } });
    let funds = tpp.post("/v2/consents/confirmation-of-funds", &funds).await.text("/consentId").to_owned();
    bank.pass(TimeDelta::seconds(31)).await;
    bank.authorise(&tpp, &format!("/v2/consents/confirmation-of-funds/{funds}"), psu(&bank, JONAS)).await;
    let funds_tpp = bank.tpp(0).with("consentID", &funds);
    for (minor, expected) in [(available - 1, true), (available, true), (available + 1, false)] {
        let amount = json!({ "currency": "EUR", "Amount": euros(minor) });
        let body = json!({ "account": { "iban": payer, "currency": "EUR" }, "instructedAmount": amount });
        let answer = funds_tpp.post("/v1/funds-confirmations", &body).await;
        assert_eq!((answer.status, &answer.body["fundsAvailable"]), (200, &json!(expected)), "{answer:?}");
    }
    for product in [INTERNAL, SEPA] {
        let order = if product == SEPA { away.clone() } else { order(&bank, "1.00") };
        let refused = pay(&bank, &tpp, product, order, available + 1).await;
        assert_eq!(refused, (json!(3), json!(false)), "{product}: a cent too much");
    }
    assert_eq!(balance(&bank, &payer).await, (before.0, before.1 + 123), "nothing moved");
    let whole = pay(&bank, &tpp, INTERNAL, order(&bank, "1.00"), available).await;
    assert_eq!(whole, (json!(4), json!(true)), "everything that is available");
    let refused = pay(&bank, &tpp, INTERNAL, order(&bank, "1.00"), 1).await;
    assert_eq!(refused, (json!(3), json!(false)), "nothing is left for one cent");
    check_ledger(&bank).await;
}
