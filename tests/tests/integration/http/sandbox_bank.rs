//! The API for the content of a sandbox: customers, accounts, cards and transactions of the developer; export, import and reset.

use crate::http::payment::{JONAS, OTHER_BANK_IBAN, SEPA, changed, check_ledger, initiate, order, tpp};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiResponse, TestBank};

const MARIA: &str = "maria.test";

async fn create(bank: &TestBank, kind: &str, body: Value) -> ApiResponse {
    let created = bank.anonymous().post(&format!("/sandbox/{kind}"), &body).await;
    assert_eq!(created.status, 201, "{created:?}");
    created
}

/// A customer with an account that was opened 30 days ago, its IBAN, and a card with its number.
async fn create_maria(bank: &TestBank) -> (String, String) {
    create(
        bank,
        "customers",
        json!({
            "psuId": MARIA, "password": "correct-horse-1", "name": "Maria Test", "phone": "+306900000200",
            "language": "el", "methods": ["SMSOTP"],
        }),
    )
    .await;
    let account = json!({ "owners": [MARIA], "openingBalance": "1000.00", "openedOn": bank.days_ago(30), "name": "Travel" });
    let account = create(bank, "accounts", account).await;
    let iban = account.text("/iban").to_owned();
    let card = create(bank, "cards", json!({ "psuId": MARIA, "iban": iban, "creditLimit": "500" })).await;
    (iban, card.text("/pan").to_owned())
}

async fn list_customers(bank: &TestBank) -> Value {
    bank.anonymous().get("/sandbox/customers").await.body
}

/// The customers without the ids of their methods, which are new in every bank.
fn without_ids(mut customers: Value) -> Value {
    for customer in customers["customers"].as_array_mut().unwrap() {
        for method in customer["methods"].as_array_mut().unwrap() {
            method.as_object_mut().unwrap().remove("id");
        }
    }
    customers
}

fn customer<'a>(all: &'a Value, login: &str) -> &'a Value {
    all["customers"].as_array().unwrap().iter().find(|one| one["psuId"] == login).unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn own_customer_is_read_by_a_third_party(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (iban, pan) = create_maria(&bank).await;
    for (amount, day, pending) in [("250.00", 20, false), ("-12.50", 10, false), ("-40.00", 0, true)] {
        let body = json!({
            "iban": iban, "amount": amount, "bookingDate": bank.days_ago(day), "pending": pending,
            "counterpartyName": "Bakery <b>", "counterpartyIban": OTHER_BANK_IBAN, "remittance": "Bread & more",
        });
        create(&bank, "transactions", body).await;
    }
    create(&bank, "transactions", json!({ "pan": pan, "amount": "-99.90", "counterpartyName": "Book shop" }))
        .await;
    create(&bank, "transactions", json!({ "iban": iban, "pan": pan, "amount": "-99.90" })).await;

    let all = list_customers(&bank).await;
    let found = &customer(&all, MARIA)["accounts"][0];
    assert_eq!((&found["booked"], &found["available"]), (&json!("1137.60"), &json!("1097.60")), "{all}");

    let tpp = bank.tpp(0).with("PSU_ID", MARIA);
    let access = json!({ "access": { "balances": [{ "iban": iban }], "transactions": [{ "iban": iban }] },
        "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4 });
    let consent = tpp.post("/v1/consents", &access).await;
    let path = format!("/v1/consents/{}", consent.text("/consentId"));
    bank.authorise(&tpp, &path, &json!({ "password": "correct-horse-1" })).await;
    let reader = tpp.with("consentID", consent.text("/consentId"));
    let accounts = reader.get("/v1/accounts").await;
    assert_eq!(accounts.status, 200, "{accounts:?}");
    let id = accounts.text("/accounts/0/resourceId");
    let history = format!("/v1/accounts/{id}/transactions?dateFrom={}&bookingStatus=both", bank.days_ago(40));
    let history = reader.get(&history).await;
    let booked = history.body["transactions"]["booked"].as_array().unwrap_or_else(|| panic!("{history:?}"));
    assert_eq!(booked.len(), 4, "{history:?}");
    assert!(history.body.to_string().contains("Bread & more"), "{history:?}");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn invalid_fields_are_named_and_nothing_changes(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (iban, pan) = create_maria(&bank).await;
    let before = list_customers(&bank).await;
    let tomorrow = bank.days_ago(-1);
    let person =
        json!({ "psuId": "new", "name": "New", "phone": "+306900000201", "password": "long-enough" });
    let file = |accounts: Value, transactions: Value| json!({ "customers": [person], "accounts": accounts, "transactions": transactions });
    let own = "GR9899900010050000000000001";
    let opened = json!([{ "owners": ["new"], "iban": own, "openingBalance": "10" }]);
    let cases = [
        ("customers", json!({}), vec!["psuId", "name", "phone"]),
        ("customers", changed(person.clone(), "/psuId", json!(MARIA)), vec!["psuId"]),
        ("customers", changed(person.clone(), "/phone", json!("12")), vec!["phone"]),
        ("customers", changed(person.clone(), "/password", json!("short")), vec!["password"]),
        ("customers", json!({ "psuId": "x", "name": "\u{202e}", "phone": "+306900000201" }), vec!["name"]),
        (
            "customers",
            json!({ "psuId": 1, "name": "X", "phone": "+306900000201", "langage": "el" }),
            vec!["langage", "psuId"],
        ),
        ("accounts", json!({ "owners": [] }), vec!["owners"]),
        ("accounts", json!({ "owners": ["unknown.customer"], "iban": iban }), vec!["owners[0]", "iban"]),
        (
            "accounts",
            json!({ "owners": [MARIA], "iban": "GR00", "currency": "XXX", "openingBalance": "-1" }),
            vec!["iban", "currency"],
        ),
        (
            "accounts",
            json!({ "owners": [MARIA], "openingBalance": "1.005", "kind": "other" }),
            vec!["openingBalance", "kind"],
        ),
        (
            "accounts",
            json!({ "owners": [MARIA], "openingBalance": "1", "openedOn": tomorrow }),
            vec!["openedOn"],
        ),
        ("cards", json!({ "psuId": MARIA, "iban": own }), vec!["iban"]),
        ("cards", json!({ "psuId": MARIA, "iban": iban, "pan": pan }), vec!["pan"]),
        ("transactions", json!({ "amount": "1" }), vec!["iban"]),
        ("transactions", json!({ "iban": iban, "amount": "-1000.01" }), vec!["amount"]),
        ("transactions", json!({ "iban": iban, "amount": "0" }), vec!["amount"]),
        ("transactions", json!({ "iban": iban, "amount": "5", "pending": true }), vec!["amount"]),
        ("transactions", json!({ "pan": pan, "amount": "5" }), vec!["amount"]),
        (
            "transactions",
            json!({ "iban": iban, "amount": "5", "bookingDate": tomorrow }),
            vec!["bookingDate"],
        ),
        (
            "transactions",
            json!({ "iban": iban, "amount": "5", "bookingDate": bank.days_ago(31) }),
            vec!["bookingDate"],
        ),
        ("bank", json!({ "now": "yesterday" }), vec!["customers", "now"]),
        ("bank", file(json!([{ "owners": ["new", MARIA] }]), json!([])), vec!["accounts[0].owners[1]"]),
        (
            "bank",
            file(
                opened.clone(),
                json!([{ "iban": own, "amount": "-10" }, { "iban": own, "amount": "-0.01" }]),
            ),
            vec!["transactions[1].amount"],
        ),
        ("bank", file(opened, json!([{ "iban": iban, "amount": "1" }])), vec!["transactions[0].iban"]),
    ];
    for (kind, body, expected) in cases {
        let refused = bank.anonymous().post(&format!("/sandbox/{kind}"), &body).await;
        assert_eq!(refused.status, 400, "{body}: {refused:?}");
        let errors = refused.body["errors"].as_array().unwrap().iter();
        let mut fields: Vec<&str> = errors.map(|error| error["field"].as_str().unwrap()).collect();
        fields.sort_unstable();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(fields, expected, "{body}: {refused:?}");
    }
    assert_eq!(list_customers(&bank).await, before);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_field_of_created_objects_is_stored_and_exported(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    create_maria(&bank).await;
    let iban = "GR9899900010050000000000001";
    let account = json!({
        "owners": [MARIA], "iban": iban, "bic": "TRPZGRAA", "currency": "EUR", "openingBalance": "800.00",
        "openedOn": bank.days_ago(30), "creditLimit": "250.00", "name": "Reserve", "product": "Savings Plus",
        "kind": "savings", "usage": "organisation", "status": "enabled",
    });
    assert_eq!(create(&bank, "accounts", account.clone()).await.body, account);
    let card = json!({
        "psuId": MARIA, "iban": iban, "currency": "EUR", "creditLimit": "500.00", "product": "Gold",
        "name": "For travelling", "expiryDate": "2040-12-31", "status": "blocked",
    });
    let mut created = create(&bank, "cards", card.clone()).await.body;
    created.as_object_mut().unwrap().remove("pan");
    assert_eq!(created, card);
    let transaction = json!({
        "iban": iban, "currency": "EUR", "amount": "-12.50", "bookingDate": bank.days_ago(10),
        "valueDate": bank.days_ago(9), "pending": false, "counterpartyName": "Bakery",
        "counterpartyIban": OTHER_BANK_IBAN, "remittance": "Bread", "endToEndId": "E2E-7",
        "bankTransactionCode": "PMNT-ICDT-ESCT", "additionalInformation": "Breakfast",
    });
    assert_eq!(create(&bank, "transactions", transaction.clone()).await.body, transaction);
    let listed = bank.anonymous().get(&format!("/sandbox/transactions?account={iban}")).await;
    assert_eq!(listed.body["transactions"][0], transaction, "{listed:?}");

    let file = bank.anonymous().get("/sandbox/bank").await.body;
    let exported = |list: &str| {
        let all = file[list].as_array().unwrap();
        all.iter().find(|one| one["iban"] == iban).cloned().unwrap_or_else(|| panic!("{list} of {file}"))
    };
    for (list, created) in [("accounts", account), ("cards", card)] {
        for (name, value) in created.as_object().unwrap() {
            assert_eq!(exported(list)[name], *value, "{name} of {list}");
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn exported_bank_is_imported_into_another_with_the_same_balances(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    create_maria(&bank).await;
    bank.advance("P3D").await;
    let file = bank.anonymous().get("/sandbox/bank").await;
    assert_eq!(file.status, 200, "{file:?}");
    let other = TestBank::start(Database::new(engine)).await;
    let imported = other.anonymous().post("/sandbox/bank", &file.body).await;
    assert_eq!((imported.status, &imported.body["customers"]), (200, &json!(6)), "{imported:?}");
    assert_eq!(without_ids(list_customers(&other).await), without_ids(list_customers(&bank).await));
    check_ledger(&other).await;

    let again = other.anonymous().get("/sandbox/bank").await.body;
    assert!(again["now"].as_str() >= file.body["now"].as_str(), "the clock is not behind the file");
    for list in ["customers", "accounts", "cards", "transactions"] {
        assert_eq!(
            again[list].as_array().unwrap().len(),
            file.body[list].as_array().unwrap().len(),
            "{list}"
        );
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn reset_returns_to_the_demo_bank_and_keys_stay_valid(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let before = list_customers(&bank).await;
    create_maria(&bank).await;
    let tpp = tpp(&bank, JONAS);
    let payment = initiate(&tpp, SEPA, &order(&bank, "12.50")).await;
    bank.authorise(&tpp, &payment, &bank.sandbox_file["psus"][JONAS]).await;

    let reset = bank.anonymous().post("/sandbox/reset", &json!({})).await;
    assert_eq!((reset.status, &reset.body["customers"]), (200, &json!(5)), "{reset:?}");
    assert_eq!(list_customers(&bank).await, before, "same customers, methods, balances and cards");
    assert_eq!(tpp.get(&payment).await.status, 404);
    assert_eq!(bank.anonymous().get("/sandbox/messages").await.body["messages"], json!([]));
    check_ledger(&bank).await;
    // The keys of sandbox.json and its customers work as before.
    let payment = initiate(&tpp, SEPA, &order(&bank, "12.50")).await;
    bank.authorise(&tpp, &payment, &bank.sandbox_file["psus"][JONAS]).await;
    assert_eq!(bank.merchant(0).get("/configuration").await.status, 200);
    bank.advance("PT1M").await;
    check_ledger(&bank).await;
    let app = bank.app.clone();
    let report = tokio::task::spawn_blocking(move || app.audit_verify(Vec::new())).await.unwrap().unwrap();
    assert!(report.findings.is_empty(), "{report:?}");
}

#[rstest]
#[case("CLOSE MATCH", "CMTC")]
#[case("NO MATCH", "NMTC")]
#[tokio::test(flavor = "multi_thread")]
async fn name_of_a_payee_decides_its_verification(#[case] name: &str, #[case] result: &str) {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let outcomes = bank.anonymous().get("/sandbox/outcomes").await.body;
    let listed = outcomes["outcomes"].as_array().unwrap().iter().find(|one| one["value"] == name).unwrap();
    assert!(listed["outcome"].as_str().unwrap().contains(result));
    let tpp = tpp(&bank, JONAS);
    let order = changed(order(&bank, "12.50"), "/creditorName", json!(name));
    let order = changed(order, "/creditorAccount/iban", json!(OTHER_BANK_IBAN));
    let path = initiate(&tpp, SEPA, &order).await;
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    assert!(started.body.to_string().contains(result), "{started:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transactions_are_listed_newest_first_without_gaps(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (iban, _) = create_maria(&bank).await;
    let cents = |number: i32| format!("-{}.{:02}", number / 100, number % 100);
    for number in 1..=102 {
        let body = json!({
            "iban": iban, "amount": cents(number), "counterpartyName": "Bakery",
            "bookingDate": bank.days_ago(3), "pending": number == 102,
        });
        create(&bank, "transactions", body).await;
    }
    let path = format!("/sandbox/transactions?account={iban}");
    let first = bank.anonymous().get(&path).await;
    assert_eq!(first.status, 200, "{first:?}");
    let amounts = |page: &ApiResponse| -> Vec<String> {
        let all = page.body["transactions"].as_array().unwrap();
        all.iter().map(|one| one["amount"].as_str().unwrap().to_owned()).collect()
    };
    let second = bank.anonymous().get(&format!("{path}&after={}", first.text("/cursor"))).await;
    let expected: Vec<String> = (1..=102).rev().map(cents).collect();
    // The pending one is in addition to the hundred of the first page; the opening balance is the oldest.
    assert_eq!(amounts(&first), expected[..101], "{first:?}");
    assert_eq!(amounts(&second), ["-0.01", "1000.00"], "{second:?}");
    assert_eq!(second.body["cursor"], Value::Null, "{second:?}");
    assert_eq!(first.body["transactions"][0]["pending"], true);
    assert_eq!(first.body["transactions"][1]["counterpartyName"], "Bakery");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transaction_list_with_a_wrong_query_names_the_field(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (iban, _) = create_maria(&bank).await;
    for (query, status, field) in [
        (String::new(), 400, "account"),
        ("account=GR00".to_owned(), 400, "account"),
        (format!("account={iban}&currency=EURO"), 400, "currency"),
        (format!("account={iban}&after=-1"), 400, "after"),
        (format!("account={iban}&currency=USD"), 404, "account"),
        (format!("account={OTHER_BANK_IBAN}"), 404, "account"),
    ] {
        let refused = bank.anonymous().get(&format!("/sandbox/transactions?{query}")).await;
        assert_eq!(refused.status, status, "{query}: {refused:?}");
        assert!(refused.body.to_string().contains(&format!("\"{field}\"")), "{query}: {refused:?}");
    }
}
