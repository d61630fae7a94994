//! Baskets as merchants make and find them, over HTTP, with whole answers.

use reqwest::Method;
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::HashSet;
use trapeza_domain::time::Timestamp;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank, Transcript};
use uuid::Uuid;

const CREATE: &str = "/createbasket";

/// An id that no other basket of the test has.
fn request(number: u128) -> String {
    Uuid::from_u128(number).to_string()
}

fn order(number: u128) -> Value {
    json!({
        "basketValue": 120.30,
        "requestId": request(number),
        "orderIdentifier": "order-1138",
        "basketProducts": [
            {
                "Product Number": "B-204", "name": "Ιστορία των τραπεζών", "quantity": 3.0, "Quantity Units": "pieces",
                "Unit Price": 36.80, "Tax Rate": 6.0, "Total Amount": 105.4, "Total Discount Amount": 5,
                "Total Tax Amount": 5.97, "Product URL": "https://shop.example/b-204",
                "Product Image URL": "https://shop.example/b-204.png",
            },
            { "name": "Delivery", "quantity": 1, "Unit Price": 14.9, "Total Amount": 14.9 },
        ],
        "Merchant Data": "till 4",
        "phoneNumber": "+306900000001",
        "email": "maria@shop.example",
    })
}

async fn create(merchant: &ApiClient, number: u128) -> ApiResponse {
    let answer = merchant.post(CREATE, &order(number)).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer
}

fn found(answer: &ApiResponse) -> String {
    format!("/basket/id?basketId={}", answer.text("/publicBasketId"))
}

async fn rows(bank: &TestBank) -> (i64, i64) {
    let counted = bank.app.store().read(|tx| {
        let sql = "SELECT (SELECT COUNT(*) FROM basket), (SELECT COUNT(*) FROM audit_event) + (SELECT COUNT(*) FROM idempotency_record)";
        Ok(tx.query_one(sql, &[], |row| Ok((row.read::<i64>()?, row.read::<i64>()?)))?)
    });
    counted.await.expect("the store counts")
}

/// Status, and each fault with its field.
fn line(case: &str, answer: &ApiResponse) -> String {
    let errors = answer.body["errors"].as_array().cloned().unwrap_or_default();
    let reported: Vec<String> = errors
        .iter()
        .map(|error| {
            format!(
                "[{}] {}",
                error["field"].as_str().unwrap_or("?"),
                error["message"].as_str().unwrap_or("?")
            )
        })
        .collect();
    format!("{case}: {} {}", answer.status, reported.join(" | "))
}

/// Makes the first basket meet another one that has its number already.
fn occupy_first_number(database: &Database) {
    let columns =
        "merchant, application, request_id, status, created_at, expires_at, last_action_at, deadline, currency,
        value_minor, order_identifier";
    let values: Vec<String> = columns.split(',').map(|column| format!("NEW.{}", column.trim())).collect();
    let insert = format!(
        "INSERT INTO basket (number, public_id, {columns}) VALUES (NEW.number, {}, {});",
        database.uuid_literal(Uuid::nil()),
        values.join(", ")
    );
    if database.directory().is_some() {
        database.tamper(&format!(
            "CREATE TRIGGER occupy BEFORE INSERT ON basket WHEN NOT EXISTS (SELECT 1 FROM basket) BEGIN {insert} END"
        ));
        return;
    }
    database.tamper(&format!(
        "CREATE FUNCTION occupy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF pg_trigger_depth() = 1 AND NOT EXISTS (SELECT 1 FROM basket) THEN {insert} END IF;
            RETURN NEW;
         END $$;
         CREATE TRIGGER occupy BEFORE INSERT ON basket FOR EACH ROW EXECUTE FUNCTION occupy()"
    ));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn basket_id_collision_generates_another_id(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    occupy_first_number(&bank.database);
    let merchant = bank.merchant(0);
    let created = create(&merchant, 1).await;
    let number = created.body["basketId"].as_i64().unwrap();
    let counted = bank.app.store().read(move |tx| {
        let sql = "SELECT (SELECT COUNT(*) FROM basket), (SELECT COUNT(*) FROM basket WHERE number = $1),
                          (SELECT COUNT(*) FROM audit_event WHERE object = $2)";
        let object = format!("basket:{number}");
        Ok(tx.query_one(sql, &[number.into(), (&object).into()], |row| {
            Ok([row.read::<i64>()?, row.read::<i64>()?, row.read::<i64>()?])
        })?)
    });
    assert_eq!(counted.await.unwrap(), [2, 1, 1], "one that was in the way, and this one with its note");
    assert_eq!(merchant.get(&found(&created)).await.body["basket"]["id"], number);
    assert_eq!(create(&merchant, 1).await.body, created.body);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn basket_is_created_and_found(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (merchant, mut transcript) = (bank.merchant(0), Transcript::default());
    transcript.push("configuration", &merchant.get("/configuration").await);
    let created = create(&merchant, 1).await;
    transcript.push("create", &created);
    transcript.push("find", &merchant.get(&found(&created)).await);
    assert_eq!(created.headers["location"], found(&created));
    transcript.push(
        "find by its other version",
        &merchant.get(&format!("{}&api-version=2", found(&created))).await,
    );

    // Only what must be there, with numbers as programs write them.
    let bare = r#"{"basketValue": 0.30000000000000004e2, "requestId": "6F9619FF-8B86-4011-B42D-00CF4FC964FF",
        "orderIdentifier": "x", "basketProducts": null, "unknown": [1]}"#;
    let bare = merchant.send(Method::POST, CREATE, Some(bare.as_bytes().to_vec())).await;
    transcript.push("create the least", &bare);
    transcript.push("find the least", &merchant.get(&found(&bare)).await);

    let picture =
        bank.anonymous().get(&format!("/checkout/{}/qr.png", created.text("/publicBasketId"))).await;
    assert_eq!((picture.status, picture.headers["content-type"].as_str()), (200, "image/png"));
    let nothing = bank.anonymous().get("/checkout/00000000000000000000000000000000/qr.png").await;
    assert_eq!((nothing.status, nothing.headers["content-type"].as_str()), (404, "application/json"));
    insta::assert_snapshot!("basket", transcript.text());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn repeated_request_creates_one_basket(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let merchant = bank.merchant(0);
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let merchant = merchant.clone();
        calls.spawn(async move {
            loop {
                let answer = merchant.post(CREATE, &order(1)).await;
                // Too busy to say: the same call again.
                if answer.status != 503 {
                    return answer;
                }
            }
        });
    }
    let answers = calls.join_all().await;
    assert!(answers.iter().all(|answer| answer.status == 201), "{answers:?}");
    let names: HashSet<&str> = answers.iter().map(|answer| answer.text("/publicBasketId")).collect();
    assert_eq!(names.len(), 1);
    let again = answers.iter().filter(|answer| answer.headers.contains_key("idempotent-replay")).count();
    assert_eq!((again, rows(&bank).await.0), (7, 1));
    assert!(answers.iter().all(|answer| answer.body == answers[0].body), "the same answer each time");

    let mut other = order(1);
    other["orderIdentifier"] = json!("another");
    let refused = merchant.post(CREATE, &other).await;
    assert_eq!((refused.status, refused.text("/errors/0/field")), (400, "requestId"), "{refused:?}");
    let theirs = bank.merchant(1).post(CREATE, &order(1)).await;
    assert_eq!(theirs.status, 201, "another merchant's ids are its own");
    assert_eq!(rows(&bank).await.0, 2);
    // Long after it has expired, the first answer still comes.
    bank.advance("P2D").await;
    let late = merchant.post(CREATE, &order(1)).await;
    assert_eq!((late.status, &late.body), (201, &answers[0].body));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn basket_of_another_merchant_is_unknown(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let created = create(&bank.merchant(0), 1).await;
    let unknown_path = format!("/basket/id?basketId={}", "0".repeat(32));
    let (foreign, missing) =
        (bank.merchant(1).get(&found(&created)).await, bank.merchant(1).get(&unknown_path).await);
    assert_eq!(foreign.status, 404);
    let without_instance = |answer: &ApiResponse| {
        let mut body = answer.body.clone();
        body["instance"] = Value::Null;
        body
    };
    assert_eq!(without_instance(&foreign), without_instance(&missing));
    let mut transcript = Transcript::default();
    for (step, path) in [
        ("no id", "/basket/id".to_owned()),
        ("empty id", "/basket/id?basketId=".to_owned()),
        ("not an id", "/basket/id?basketId=x".to_owned()),
        ("unknown", unknown_path.clone()),
        ("id twice", format!("{unknown_path}&basketId=1")),
        ("wrong version", format!("{unknown_path}&api-version=1.0")),
    ] {
        transcript.push(step, &bank.merchant(0).get(&path).await);
    }
    let without_json = bank.merchant(0).with("Accept", "application/xml");
    transcript.push("Accept without JSON", &without_json.get(&unknown_path).await);
    transcript.push("no application", &bank.merchant(0).without("X-Application-ID").get(&unknown_path).await);
    transcript.push("create, Accept without JSON", &without_json.post(CREATE, &order(2)).await);
    transcript.push(
        "create, wrong version",
        &bank.merchant(0).post(&format!("{CREATE}?api-version=3.0"), &order(2)).await,
    );
    let unknown = bank.merchant(0).with("X-Application-ID", "x");
    transcript.push("create, no application", &unknown.post(CREATE, &order(2)).await);
    insta::assert_snapshot!("basket_refused", transcript.text().replace("[id 1]", "[id 0]"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn undecided_basket_expires(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let created = create(&bank.merchant(0), 1).await;
    bank.advance("PT30M").await;
    let expired = bank.app.store().read(|tx| {
        Ok(tx.query_one("SELECT status, deadline FROM basket", &[], |row| {
            Ok((row.read::<String>()?, row.read::<Option<Timestamp>>()?))
        })?)
    });
    assert_eq!(expired.await.unwrap(), ("expired".to_owned(), None), "by the sweep");
    assert_eq!(bank.merchant(0).get(&found(&created)).await.status, 200, "it is still shown");
}

/// What a value of the wrong kind, size or form is, for each field that has one.
fn faulty() -> Vec<(String, String)> {
    let whole = order(7).to_string();
    let parsed: Value = serde_json::from_str(&whole).unwrap();
    let mut rows = Vec::new();
    let mut with = |case: String, pointer: &str, raw: &str| {
        let mut body = parsed.clone();
        let parent = &pointer[..pointer.rfind('/').unwrap()];
        let name = &pointer[parent.len() + 1..];
        let place = if parent.is_empty() { &mut body } else { body.pointer_mut(parent).unwrap() };
        place[name] = json!("@@");
        rows.push((case, body.to_string().replace("\"@@\"", raw)));
    };
    let numbers = [
        "\"12\"",
        "true",
        "[]",
        "{}",
        "-1",
        "1e99",
        "0.009",
        "0.001",
        "99999999999999999999",
        "1e400",
        "12345678901234567890123456789012345678901",
        "\"\"",
        "\"NaN\"",
        "\"-\"",
        "36.805",
        "\"-\"",
        "36.805",
        "\"1,5\"",
    ];
    let money = [
        "/basketValue",
        "/basketProducts/0/Unit Price",
        "/basketProducts/0/Total Amount",
        "/basketProducts/0/Total Discount Amount",
        "/basketProducts/0/Total Tax Amount",
    ];
    for pointer in money {
        for raw in numbers {
            with(format!("{pointer} {raw}"), pointer, raw);
        }
    }
    for pointer in ["/basketProducts/0/quantity", "/basketProducts/0/Tax Rate"] {
        for raw in
            ["\"3\"", "false", "[3]", "{}", "-3", "1e99", "12345678901234567890123456789012345678901", "\"\""]
        {
            with(format!("{pointer} {raw}"), pointer, raw);
        }
    }
    let (long, control) = (format!("\"{}\"", "x".repeat(2049)), "\"a\\u0000b\"");
    for pointer in [
        "/orderIdentifier",
        "/basketProducts/0/name",
        "/basketProducts/0/Product Number",
        "/basketProducts/0/Quantity Units",
        "/basketProducts/0/Product URL",
        "/basketProducts/0/Product Image URL",
    ] {
        for raw in ["7", "true", "[]", "{}", "\"\"", &long, control, "\"a\\u202eb\""] {
            with(format!("{pointer} {}", &raw[..raw.len().min(12)]), pointer, raw);
        }
    }
    for pointer in ["/basketProducts/0/Product URL", "/basketProducts/0/Product Image URL"] {
        for raw in [
            "\"javascript:alert(1)\"",
            "\"data:text/html,x\"",
            "\"shop.example/a\"",
            "\"ftp://shop.example/\"",
        ] {
            with(format!("{pointer} {raw}"), pointer, raw);
        }
    }
    for raw in [
        "7",
        "\"\"",
        "\"690000001\"",
        "\"+30 690\"",
        "\"+0690000001\"",
        "\"+3069000000012345\"",
        "\"phone\"",
        "[]",
        "{}",
        "true",
    ] {
        with(format!("/phoneNumber {raw}"), "/phoneNumber", raw);
    }
    for raw in ["7", "\"\"", "\"maria\"", "\"maria@\"", "\"@shop.example\"", "\"a b@c\"", "[]", "{}", "true"]
    {
        with(format!("/email {raw}"), "/email", raw);
    }
    for raw in ["7", "\"\"", "\"12345\"", "\"6f9619ff8b864011b42d00cf4fc964ff\"", "null", "[]"] {
        with(format!("/requestId {raw}"), "/requestId", raw);
    }
    let data = format!("\"{}\"", "x".repeat(4097));
    for raw in ["7", "[]", "{}", control, &data] {
        with(format!("/Merchant Data {}", &raw[..raw.len().min(12)]), "/Merchant Data", raw);
    }
    for raw in ["7", "\"x\"", "{}", "[7]", "[null]", "[{}]", "[[]]", "true"] {
        with(format!("/basketProducts {raw}"), "/basketProducts", raw);
    }
    for pointer in [
        "/basketValue",
        "/orderIdentifier",
        "/basketProducts/0/name",
        "/basketProducts/0/quantity",
        "/basketProducts/0/Unit Price",
        "/basketProducts/0/Total Amount",
    ] {
        with(format!("{pointer} null"), pointer, "null");
    }
    let many: Vec<Value> =
        (0..501).map(|_| json!({ "name": "x", "quantity": 1, "Unit Price": 1, "Total Amount": 1 })).collect();
    with("/basketProducts 501".to_owned(), "/basketProducts", &Value::from(many).to_string());
    for (value, quantity) in [("29.99", "1"), ("1500.01", "1"), ("120.29", "2"), ("120.31", "2")] {
        with(format!("/basketValue {value} ({quantity})"), "/basketValue", value);
    }
    for (case, body) in [("two at once", r#"{"basketValue": "x", "email": "y"}"#), ("nothing", "{}")] {
        rows.push((case.to_owned(), body.to_owned()));
    }
    rows
}

#[tokio::test]
async fn invalid_baskets_report_their_fields() {
    let bank =
        TestBank::start(trapeza_testkit::database::Database::new(trapeza_testkit::database::Engine::Sqlite))
            .await;
    let (merchant, before) = (bank.merchant(0), rows(&bank).await);
    let cases = faulty();
    assert!(cases.len() >= 200, "{} rows", cases.len());
    let mut lines = Vec::new();
    for (case, body) in cases {
        let answer = merchant.send(Method::POST, CREATE, Some(body.into_bytes())).await;
        assert_eq!(answer.status, 400, "{case}: {answer:?}");
        let field = case.split(' ').next().unwrap().trim_start_matches('/').replace("/0/", "[0].");
        let reported = answer.body["errors"].as_array().unwrap();
        // A field's name may have spaces, so its beginning has to do.
        let named = reported.iter().any(|error| error["field"].as_str().unwrap().starts_with(&field));
        assert!(named || case.starts_with("two") || case.starts_with("nothing"), "{case}: {answer:?}");
        lines.push(line(&case, &answer));
    }
    assert_eq!(rows(&bank).await, before, "a refused call leaves nothing behind");
    insta::assert_snapshot!("basket_faults", lines.join("\n"));
}

const SIMULATE: &str = "/bnplsandbox/createbnpl";

fn simulated(basket: &ApiResponse, good: bool) -> String {
    format!("{SIMULATE}?basketId={}&isSuccessCallback={good}", basket.body["basketId"])
}

fn lent(basket: &ApiResponse) -> String {
    format!("/loans/bnpl?basketId={}", basket.text("/publicBasketId"))
}

async fn check_ledger(bank: &TestBank) {
    let app = bank.app.clone();
    let report = tokio::task::spawn_blocking(move || app.ledger_check()).await.unwrap().unwrap();
    assert!(report.is_sound(), "{report:?}");
}

/// What all transfers of an event moved, each pair of kinds of account apart.
async fn moved(bank: &TestBank, event: &'static str) -> Vec<(i64, i64, i64)> {
    let read = bank.app.store().read(move |tx| {
        let sql = "SELECT d.kind, c.kind, CAST(SUM(t.amount_minor) AS BIGINT)
                   FROM transfer t JOIN ledger_account d ON d.id = t.debit_account JOIN ledger_account c ON c.id = t.credit_account
                   WHERE t.event = $1 GROUP BY d.kind, c.kind ORDER BY c.kind";
        Ok(tx.query(sql, &[event.into()], |row| Ok((row.read::<i64>()?, row.read::<i64>()?, row.read::<i64>()?)))?)
    });
    read.await.unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn simulated_purchase_approves_and_declines(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (merchant, mut transcript) = (bank.merchant(0), Transcript::default());
    let good = create(&merchant, 1).await;
    transcript.push("no loan yet", &merchant.get(&lent(&good)).await);
    transcript.push("approve", &merchant.post(&simulated(&good, true), &Value::Null).await);
    transcript.push("loan", &merchant.get(&lent(&good)).await);
    transcript.push(
        "loan of the order",
        &merchant.get(&format!("{}&orderIdentifier=order-1138", lent(&good))).await,
    );
    transcript.push(
        "loan of another order",
        &merchant.get(&format!("{}&orderIdentifier=other", lent(&good))).await,
    );
    transcript.push("approve again", &merchant.post(&simulated(&good, true), &Value::Null).await);
    // 120.30 less 2.5 % rounded down to the cent: 3.00 for the bank.
    assert_eq!(moved(&bank, "loan_approved").await, [(1100, 2100, 11_730), (1100, 4110, 300)]);
    check_ledger(&bank).await;

    let bad = create(&merchant, 2).await;
    transcript.push("decline", &merchant.post(&simulated(&bad, false), &Value::Null).await);
    transcript.push("rejected", &merchant.get(&lent(&bad)).await);
    let late = create(&merchant, 3).await;
    bank.advance("PT31M").await;
    transcript.push("too late", &merchant.post(&simulated(&late, true), &Value::Null).await);
    transcript.push("never opened", &merchant.get(&lent(&late)).await);
    // The contract stays what it was on its day.
    bank.advance("P40D").await;
    let kept = merchant.get(&found(&good)).await;
    assert_eq!(kept.text("/monthlyInstallments/0/originalDueDate"), "2035-04-15T00:00:00Z");
    insta::assert_snapshot!("simulated", transcript.text());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn simulation_requires_own_basket_and_test_application(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let (own, mut lines) = (create(&bank.merchant(0), 1).await, Vec::new());
    let real = bank.merchant(2).post(CREATE, &order(1)).await;
    for (case, caller, path) in [
        ("another's", bank.merchant(1), simulated(&own, true)),
        ("unknown", bank.merchant(1), format!("{SIMULATE}?basketId=1&isSuccessCallback=true")),
        ("not a number", bank.merchant(0), {
            format!("{SIMULATE}?basketId={}&isSuccessCallback=true", own.text("/publicBasketId"))
        }),
        ("none", bank.merchant(0), format!("{SIMULATE}?isSuccessCallback=true")),
        ("neither approved nor declined", bank.merchant(0), {
            format!("{SIMULATE}?basketId={}", own.body["basketId"])
        }),
        ("neither true nor false", bank.merchant(0), format!("{SIMULATE}?basketId=1&isSuccessCallback=yes")),
        ("wrong version", bank.merchant(0), format!("{}&api-version=2.0", simulated(&own, true))),
        ("not a test application", bank.merchant(2), simulated(&real, true)),
    ] {
        lines.push(line(case, &caller.post(&path, &Value::Null).await));
    }
    let unlike = |merchant: usize, basket: &ApiResponse| {
        let (merchant, path) = (bank.merchant(merchant), lent(basket));
        async move { merchant.get(&path).await.status }
    };
    assert_eq!((unlike(1, &own).await, unlike(0, &own).await), (404, 404), "there is no loan for either");
    assert_eq!(bank.merchant(0).post(&simulated(&own, true), &Value::Null).await.status, 200);
    assert_eq!((unlike(1, &own).await, unlike(0, &own).await), (404, 200));
    for path in ["/loans/bnpl", "/loans/bnpl?basketId=", "/loans/bnpl?basketId=x&api-version=1.0"] {
        let answer = bank.merchant(0).get(path).await;
        assert_eq!((answer.status, answer.text("/errors/0/code")), (400, "FORMAT_ERROR"), "{answer:?}");
    }
    insta::assert_snapshot!("simulated_refused", lines.join("\n"));
}
