//! Accounts, cards and funds inside a granted consent, and never outside.

use rstest::rstest;
use serde_json::{Value, json};
use std::collections::HashSet;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank, Transcript};

const SINCE: &str = "dateFrom=2000-01-01";

fn psu(bank: &TestBank, number: usize) -> Value {
    bank.sandbox_file["psus"][number].clone()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// A valid consent of a customer for this access, as a caller that reads under it.
async fn reader(bank: &TestBank, number: usize, access: Value, recurring: bool) -> ApiClient {
    let psu = psu(bank, number);
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let order = json!({
        "access": access,
        "recurringIndicator": recurring,
        "validUntil": "2099-12-31",
        "frequencyPerDay": if recurring { 4 } else { 1 },
    });
    let created = tpp.post("/v1/consents", &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    let id = created.text("/consentId").to_owned();
    bank.authorise(&tpp, &format!("/v1/consents/{id}"), &psu).await;
    let status = tpp.get(&format!("/v1/consents/{id}/status")).await;
    assert_eq!(status.body["consentStatus"], 2, "{status:?}");
    bank.tpp(0).with("consentID", &id)
}

fn attended(caller: &ApiClient) -> ApiClient {
    caller.clone().with("pSUIPAddress", "192.0.2.1")
}

async fn first_account(caller: &ApiClient) -> String {
    attended(caller).get("/v1/accounts").await.text("/accounts/0/resourceId").to_owned()
}

fn names(answer: &ApiResponse) -> Vec<String> {
    let messages = answer.body["tppMessages"].as_array().unwrap();
    messages.iter().map(|message| text(&message["text"]).split(':').next().unwrap().to_owned()).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn all_psd2_consent_reads_everything(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let caller = attended(&reader(&bank, 0, json!({ "allPsd2": "allAccounts" }), true).await);
    let mut transcript = Transcript::default();
    let accounts = caller.get("/v1/accounts?withBalance=true").await;
    transcript.push("accounts", &accounts);
    let account = accounts.text("/accounts/0/resourceId").to_owned();
    transcript.push("account", &caller.get(&format!("/v1/accounts/{account}?withBalance=true")).await);
    transcript.push("balances", &caller.get(&format!("/v1/accounts/{account}/balances")).await);
    let savings = accounts.text("/accounts/1/resourceId").to_owned();
    transcript.push("savings balances", &caller.get(&format!("/v1/accounts/{savings}/balances")).await);
    let path = format!("/v1/accounts/{account}/transactions");
    let page = caller.get(&format!("{path}?{SINCE}&bookingStatus=both&limit=4&withBalance=true")).await;
    transcript.push("transactions", &page);
    let line = page.text("/transactions/booked/0/transactionId").to_owned();
    transcript.push("transaction", &caller.get(&format!("{path}/{line}")).await);
    let cards = caller.get("/v1/cards?withBalance=true").await;
    transcript.push("cards", &cards);
    let card = cards.text("/cards/0/resourceId").to_owned();
    transcript.push("card", &caller.get(&format!("/v1/cards/{card}")).await);
    transcript.push("card balances", &caller.get(&format!("/v1/cards/{card}/balances")).await);
    let path = format!("/v1/cards/{card}/transactions?{SINCE}&bookingStatus=both&limit=3");
    transcript.push("card transactions", &caller.get(&path).await);
    insta::assert_snapshot!("reading", transcript.text());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn demo_bank_has_batch_and_exchange_transactions(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let mut seen = HashSet::new();
    let joint = "SELECT COUNT(*) FROM (SELECT account FROM account_owner GROUP BY account HAVING COUNT(*) > 1) AS joint";
    if bank.database.number(joint) > 0 {
        seen.insert("joint");
    }
    for number in 0..5 {
        let caller = attended(&reader(&bank, number, json!({ "allPsd2": "allAccounts" }), true).await);
        for account in caller.get("/v1/accounts").await.body["accounts"].as_array().unwrap() {
            let path = format!(
                "/v1/accounts/{}/transactions?{SINCE}&limit=1000&bookingStatus=both",
                text(&account["resourceId"])
            );
            let page = caller.get(&path).await;
            assert_eq!(page.status, 200, "{page:?}");
            for line in page.body["transactions"]["booked"].as_array().unwrap() {
                if line["batchIndicator"] == true {
                    let parts = line["entryDetails"].as_array().unwrap();
                    assert_eq!(line["batchNumberOfTransactions"], parts.len());
                    seen.insert("batch");
                }
                if line["currencyExchange"].is_array() {
                    seen.insert("exchange");
                }
                if line["purposeCode"].is_number() {
                    seen.insert("purpose");
                }
            }
            if !page.body["transactions"]["pending"].as_array().unwrap().is_empty() {
                seen.insert("pending");
            }
            if account["status"] == 2 {
                seen.insert("blocked");
            }
            if account["usage"] == 1 {
                seen.insert("company");
            }
            if account["currency"] == "JPY" {
                seen.insert("yen");
            }
        }
        for card in caller.get("/v1/cards").await.body["cards"].as_array().unwrap() {
            let path = format!(
                "/v1/cards/{}/transactions?{SINCE}&limit=1000&bookingStatus=both",
                text(&card["resourceId"])
            );
            let page = caller.get(&path).await;
            for line in page.body["cardTransactions"]["booked"].as_array().unwrap() {
                if line["markupFee"].is_object() {
                    seen.insert("markup");
                }
                if line["cardAcceptorAddress"].is_object() {
                    seen.insert("acceptor");
                }
                if line["merchantCategoryCode"].is_string() {
                    seen.insert("category");
                }
            }
            if !page.body["cardTransactions"]["pending"].as_array().unwrap().is_empty() {
                seen.insert("card pending");
            }
            assert!(!page.body.to_string().contains("\"pan\""), "no whole card number");
        }
    }
    let expected = [
        "batch",
        "exchange",
        "purpose",
        "pending",
        "blocked",
        "company",
        "joint",
        "yen",
        "markup",
        "acceptor",
        "category",
        "card pending",
    ];
    let missing: Vec<_> = expected.iter().filter(|name| !seen.contains(*name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn single_transaction_equals_the_entry_of_its_page(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let mut compared = 0;
    for number in 0..5 {
        let caller = attended(&reader(&bank, number, json!({ "allPsd2": "allAccounts" }), true).await);
        for account in caller.get("/v1/accounts").await.body["accounts"].as_array().unwrap() {
            let path = format!("/v1/accounts/{}/transactions", text(&account["resourceId"]));
            let whole = format!("{path}?{SINCE}&limit=1000&bookingStatus=both");
            let page = caller.get(&whole).await;
            let lines = page.body["transactions"]["booked"].as_array().unwrap();
            let Some(oldest) = lines.last() else { continue };
            let since = format!("{path}?entryReferenceFrom={}", text(&oldest["entryReference"]));
            let delta = caller.get(&since).await;
            assert_eq!(delta.status, 200, "{delta:?}");
            let newest = lines.first().unwrap();
            let one = caller.get(&format!("{path}/{}", text(&newest["transactionId"]))).await;
            for (name, value) in newest.as_object().unwrap() {
                assert_eq!(&one.body[name], value, "{name}");
            }
            compared += 1;
        }
    }
    assert!(compared > 5);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn each_access_type_grants_exactly_its_scope(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let iban = text(&psu(&bank, 0)["accounts"][0]["iban"]).to_owned();
    let pan = text(&psu(&bank, 0)["cards"][0]["pan"]).to_owned();
    let masked = text(&psu(&bank, 0)["cards"][1]["masked_pan"]).to_owned();
    let kinds = [
        ("accounts", json!({ "accounts": [{ "iban": iban }] })),
        ("balances", json!({ "balances": [{ "iban": iban }] })),
        ("transactions", json!({ "transactions": [{ "iban": iban }] })),
        (
            "cards",
            json!({ "accounts": [{ "pan": pan }], "balances": [{ "pan": pan }], "transactions": [{ "maskedPan": masked }] }),
        ),
        ("card without balances", json!({ "accounts": [{ "pan": pan }] })),
        ("card transactions", json!({ "transactions": [{ "pan": pan }] })),
        ("availableAccounts", json!({ "availableAccounts": "allAccounts" })),
        ("availableAccountsWithBalance", json!({ "availableAccountsWithBalance": "allAccounts" })),
        ("allPsd2", json!({ "allPsd2": "allAccounts" })),
    ];
    let all = attended(&reader(&bank, 0, json!({ "allPsd2": "allAccounts" }), true).await);
    let account = first_account(&all).await;
    let card = all.get("/v1/cards").await.text("/cards/0/resourceId").to_owned();
    let mut lines = Vec::new();
    for (name, access) in kinds {
        let caller = attended(&reader(&bank, 0, access, true).await);
        let list = caller.get("/v1/accounts?withBalance=true").await;
        let accounts = list.body["accounts"].as_array().unwrap();
        let cards = caller.get("/v1/cards?withBalance=true").await;
        let cards = cards.body["cards"].as_array().unwrap();
        let with_balances = |all: &[Value]| all.iter().filter(|one| one["balances"].is_array()).count();
        let mut line = format!(
            "{name}: {} accounts ({} with balances), {} cards ({} with balances)",
            accounts.len(),
            with_balances(accounts),
            cards.len(),
            with_balances(cards)
        );
        for path in [
            format!("/v1/accounts/{account}"),
            format!("/v1/accounts/{account}/balances"),
            format!("/v1/accounts/{account}/transactions?{SINCE}"),
            format!("/v1/cards/{card}"),
            format!("/v1/cards/{card}/balances"),
            format!("/v1/cards/{card}/transactions?{SINCE}"),
        ] {
            let answer = caller.get(&path).await;
            let tail = path.replace(&account, "A").replace(&card, "C");
            line.push_str(&format!("\n  {} {} {}", tail, answer.status, names(&answer).join(" ")));
        }
        lines.push(line);
    }
    insta::assert_snapshot!("grants", lines.join("\n"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unusable_consents_have_distinct_errors(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let valid = attended(&reader(&bank, 1, json!({ "allPsd2": "allAccounts" }), true).await);
    let account = first_account(&valid).await;
    let foreign =
        first_account(&attended(&reader(&bank, 0, json!({ "allPsd2": "allAccounts" }), true).await)).await;
    let order = json!({ "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4 });
    let waiting =
        bank.tpp(0).with("PSU_ID", text(&psu(&bank, 1)["psu_id"])).post("/v1/consents", &order).await;
    let waiting = bank.tpp(0).with("consentID", waiting.text("/consentId"));
    let other_tpp = bank.tpp(1).with("consentID", &consent_of(&valid));
    let path = format!("/v1/accounts/{account}/balances");
    let cases: Vec<(&str, ApiClient, String)> = vec![
        ("no consent", bank.tpp(0), path.clone()),
        (
            "no such consent",
            bank.tpp(0).with("consentID", "00000000-0000-4000-8000-000000000000"),
            path.clone(),
        ),
        ("no id", bank.tpp(0).with("consentID", "x"), path.clone()),
        ("another party's consent", other_tpp, path.clone()),
        ("not authorised", waiting, path.clone()),
        ("another customer's account", valid.clone(), format!("/v1/accounts/{foreign}/balances")),
        ("no such account", valid.clone(), "/v1/accounts/x/balances".to_owned()),
        ("odd address", valid.clone().with("pSUIPAddress", "here"), path.clone()),
        (
            "no role",
            bank.tpp(0)
                .with("consentID", &consent_of(&valid))
                .with("Certificate", text(&bank.sandbox_file["tpps"][0]["faulty"]["no_role"])),
            path.clone(),
        ),
    ];
    let mut lines = Vec::new();
    for (case, caller, path) in cases {
        let answer = caller.get(&path).await;
        let code = &answer.body["tppMessages"][0]["code"];
        lines.push(format!("{case}: {} code {code} {}", answer.status, names(&answer).join(" ")));
    }
    let id = consent_of(&valid);
    assert_eq!(bank.tpp(0).delete(&format!("/v1/consents/{id}")).await.status, 204);
    let gone = valid.get(&path).await;
    lines.push(format!(
        "given back: {} code {} {}",
        gone.status,
        gone.body["tppMessages"][0]["code"],
        names(&gone).join(" ")
    ));
    insta::assert_snapshot!("consents that do not open", lines.join("\n"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn pages_list_every_entry_once_during_new_bookings(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let caller = attended(&reader(&bank, 1, json!({ "allPsd2": "allAccounts" }), true).await);
    let account = first_account(&caller).await;
    let whole = caller.get(&format!("/v1/accounts/{account}/transactions?{SINCE}&limit=1000")).await;
    let expected: Vec<String> = whole.body["transactions"]["booked"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| text(&line["transactionId"]).to_owned())
        .collect();
    assert!(expected.len() > 20, "{}", expected.len());
    let mut path = format!("/v1/accounts/{account}/transactions?{SINCE}&limit=7");
    let mut seen = Vec::new();
    loop {
        let page = caller.get(&path).await;
        assert_eq!(page.status, 200, "{page:?}");
        seen.extend(
            page.body["transactions"]["booked"]
                .as_array()
                .unwrap()
                .iter()
                .map(|line| text(&line["transactionId"]).to_owned()),
        );
        bank.book_opening(text(&psu(&bank, 1)["accounts"][0]["iban"]), 100).await;
        match page.body.pointer("/transactions/_links/next/href") {
            Some(next) => path = text(next).to_owned(),
            None => break,
        }
    }
    assert_eq!(seen, expected);
    // What was booked meanwhile is what is new since the newest line that was known.
    let delta =
        caller.get(&format!("/v1/accounts/{account}/transactions?entryReferenceFrom={}", expected[0])).await;
    let fresh = delta.body["transactions"]["booked"].as_array().unwrap();
    assert_eq!(fresh.len(), expected.len().div_ceil(7));
    assert!(fresh.iter().all(|line| !expected.contains(&text(&line["transactionId"]).to_owned())));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn quota_of_four_allows_four_of_a_hundred_reads(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let caller = reader(&bank, 1, json!({ "allPsd2": "allAccounts" }), true).await;
    let account = first_account(&caller).await;
    let path = format!("/v1/accounts/{account}/balances");
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let (caller, path) = (caller.clone(), path.clone());
        calls.spawn(async move {
            loop {
                let answer = caller.get(&path).await;
                // A conflict with the others: the caller retries.
                if answer.status != 503 {
                    return answer;
                }
            }
        });
    }
    let answers = calls.join_all().await;
    let served = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(served, 4);
    let refused = answers.iter().find(|answer| answer.status == 429).unwrap();
    assert_eq!(
        (names(refused), &refused.body["tppMessages"][0]["code"]),
        (vec!["ACCESS_EXCEEDED".to_owned()], &json!(7))
    );
    assert!(refused.headers["retry-after"].parse::<i64>().unwrap() > 86_000);
    let with_customer = attended(&caller).get(&path).await;
    assert_eq!((with_customer.status, with_customer.headers["x-frequency-remaining"].as_str()), (200, "0"));
    assert_eq!(
        caller.get("/v1/accounts").await.headers["x-frequency-remaining"],
        "3",
        "each endpoint has its own"
    );
    bank.advance("PT25H").await;
    let later = caller.get(&path).await;
    assert_eq!((later.status, later.headers["x-frequency-remaining"].as_str()), (200, "3"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn further_page_has_no_balances_or_pending_entries(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let caller = reader(&bank, 0, json!({ "allPsd2": "allAccounts" }), true).await;
    let cards = attended(&caller).get("/v1/cards").await;
    let card = format!("/v1/cards/{}/transactions", cards.text("/cards/0/resourceId"));
    let account = format!("/v1/accounts/{}/transactions", first_account(&caller).await);
    for (path, lines) in [(account, "transactions"), (card, "cardTransactions")] {
        let both = format!("{path}?{SINCE}&limit=1&bookingStatus=both&withBalance=true");
        let first = caller.get(&both).await;
        assert!(first.body["balances"].is_array(), "{first:?}");
        assert_ne!(first.body[lines]["pending"], json!([]), "{first:?}");
        let next = first.text(&format!("/{lines}/_links/next/href")).to_owned();
        // Pages are not counted, so what changes from read to read is not on them.
        let page = caller.get(&next).await;
        assert_eq!((page.status, page.headers["x-frequency-remaining"].as_str()), (200, "3"));
        assert_eq!((page.body.get("balances"), &page.body[lines]["pending"]), (None, &json!([])), "{page:?}");
        // There are no further pages of what is pending: a cursor does not make a read of it one.
        let pending = caller.get(&next.replace("=both", "=pending")).await;
        assert_eq!((pending.status, pending.headers["x-frequency-remaining"].as_str()), (200, "2"));
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn pending_entries_are_not_paged(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let caller = attended(&reader(&bank, 0, json!({ "allPsd2": "allAccounts" }), true).await);
    let cards = caller.get("/v1/cards").await;
    let card = format!("/v1/cards/{}/transactions", cards.text("/cards/0/resourceId"));
    let account = format!("/v1/accounts/{}/transactions", first_account(&caller).await);
    let mut longest = 0;
    for (path, lines) in [(account, "transactions"), (card, "cardTransactions")] {
        let pending = async |limit: u32| {
            let page = caller.get(&format!("{path}?{SINCE}&limit={limit}&bookingStatus=pending")).await;
            page.body[lines]["pending"].as_array().unwrap().clone()
        };
        let all = pending(1000).await;
        assert_eq!(pending(1).await, all);
        longest = longest.max(all.len());
    }
    assert!(longest > 1, "with one line nothing is shown");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn one_off_consent_allows_each_read_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let caller = attended(&reader(&bank, 1, json!({ "allPsd2": "allAccounts" }), false).await);
    let list = caller.get("/v1/accounts").await;
    assert_eq!((list.status, list.headers["x-frequency-remaining"].as_str()), (200, "0"));
    let path = format!("/v1/accounts/{}/balances", list.text("/accounts/0/resourceId"));
    assert_eq!(caller.get(&path).await.status, 200);
    for path in [path.as_str(), "/v1/accounts"] {
        let again = caller.get(path).await;
        assert_eq!((again.status, again.headers["x-frequency-remaining"].as_str()), (429, "0"), "{path}");
    }
    bank.advance("PT21M").await;
    let late = caller.get(&path).await;
    assert_eq!((late.status, names(&late)), (401, vec!["CONSENT_EXPIRED".to_owned()]));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transactions_older_than_90_days_require_recent_sca(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let caller = attended(&reader(&bank, 1, json!({ "allPsd2": "allAccounts" }), true).await);
    let path = format!("/v1/accounts/{}/transactions?{SINCE}", first_account(&caller).await);
    let page = caller.get(&format!("{path}&limit=1000&bookingStatus=booked")).await;
    let booked = page.body["transactions"]["booked"].as_array().unwrap();
    let list = path.replace(&format!("?{SINCE}"), "");
    // One transaction, and a list since one, by the newest and by the oldest, which is more than 90 days old.
    let by_id = |line: &Value| {
        [
            format!("{list}/{}", text(&line["transactionId"])),
            format!("{list}?entryReferenceFrom={}", text(&line["entryReference"])),
        ]
    };
    let (new, old) = (by_id(booked.first().unwrap()), by_id(booked.last().unwrap()));
    for path in new.iter().chain(&old) {
        assert_eq!(caller.get(path).await.status, 200, "{path}");
    }
    bank.advance("PT21M").await;
    let late = caller.get(&path).await;
    assert_eq!((late.status, names(&late)), (401, vec!["CONSENT_INVALID".to_owned()]));
    assert!(late.text("/tppMessages/0/text").contains("90 days"), "{late:?}");
    for path in &old {
        let late = caller.get(path).await;
        assert_eq!((late.status, names(&late)), (401, vec!["CONSENT_INVALID".to_owned()]), "{path}");
    }
    for path in &new {
        assert_eq!(caller.get(path).await.status, 200, "{path}");
    }
    let recent = bank.days_ago(30);
    let path = path.replace("2000-01-01", &recent);
    assert_eq!(caller.get(&path).await.status, 200);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn funds_confirmation_respects_consent_and_quota(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let customer = psu(&bank, 0);
    let iban = text(&customer["accounts"][0]["iban"]).to_owned();
    let tpp = bank.tpp(0).with("PSU_ID", text(&customer["psu_id"]));
    let order =
        json!({ "account": { "iban": iban, "currency": "EUR" }, "cardNumber": customer["cards"][0]["pan"] });
    let created = tpp.post("/v2/consents/confirmation-of-funds", &order).await;
    let id = created.text("/consentId").to_owned();
    let path = format!("/v2/consents/confirmation-of-funds/{id}");
    let ask =
        |caller: ApiClient, body: Value| async move { caller.post("/v1/funds-confirmations", &body).await };
    let question = |amount: &str| json!({ "account": { "iban": iban, "currency": "EUR" }, "instructedAmount": { "currency": "EUR", "Amount": amount } });
    let caller = bank.tpp(0).with("consentId", &id);
    let early = ask(caller.clone(), question("1.00")).await;
    assert_eq!((early.status, names(&early)), (401, vec!["CONSENT_INVALID".to_owned()]));
    bank.authorise(&tpp, &path, &customer).await;
    let mut transcript = Transcript::default();
    transcript.push("there", &ask(caller.clone(), question("1.00")).await);
    transcript.push("not there", &ask(caller.clone(), question("99999999.00")).await);
    let mut card = question("1.00");
    card["cardNumber"] = json!("4111111111111111");
    transcript.push("another card", &ask(caller.clone(), card).await);
    let mut other = question("1.00");
    other["account"]["iban"] = customer["accounts"][1]["iban"].clone();
    transcript.push("another account", &ask(caller.clone(), other).await);
    let mut bare = question("1.00");
    bare["account"].as_object_mut().unwrap().remove("currency");
    transcript.push("no currency", &ask(caller.clone(), bare).await);
    transcript.push("no consent", &ask(bank.tpp(0), question("1.00")).await);
    transcript.push("unknown consent", &ask(bank.tpp(1).with("consentId", &id), question("1.00")).await);
    insta::assert_snapshot!("funds", transcript.text());

    let same = caller.clone().with("x-Request-ID", "11111111-2222-4333-8444-555555555555");
    for _ in 0..5 {
        assert_eq!(ask(same.clone(), question("2.00")).await.status, 200, "a repeated call spends nothing");
    }
    let mut statuses = Vec::new();
    for _ in 0..9 {
        statuses.push(ask(caller.clone(), question("3.00")).await.status);
    }
    assert_eq!(statuses, [200, 200, 200, 200, 200, 200, 200, 429, 429], "ten in ten minutes");
    bank.advance("PT11M").await;
    assert_eq!(ask(caller.clone(), question("3.00")).await.status, 200);
    let mut with_card = question("3.00");
    with_card["cardNumber"] = customer["cards"][0]["pan"].clone();
    let answer = ask(caller.clone(), with_card).await;
    assert_eq!(answer.status, 200, "the card of the consent: {answer:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn funds_are_confirmed_in_the_currency_of_the_account_and_for_its_cards(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let customer = psu(&bank, 0);
    let tpp = bank.tpp(0).with("PSU_ID", text(&customer["psu_id"]));
    let ask = async |account: usize, currency: &str, card: Option<&Value>| {
        let account = json!({ "iban": customer["accounts"][account]["iban"], "currency": "EUR" });
        let created = tpp.post("/v2/consents/confirmation-of-funds", &json!({ "account": account })).await;
        let id = created.text("/consentId").to_owned();
        bank.authorise(&tpp, &format!("/v2/consents/confirmation-of-funds/{id}"), &customer).await;
        bank.pass(TimeDelta::minutes(5)).await;
        let mut question =
            json!({ "account": account, "instructedAmount": { "currency": currency, "Amount": "1.00" } });
        if let Some(card) = card {
            question["cardNumber"] = card.clone();
        }
        let answer = bank.tpp(0).with("consentId", &id).post("/v1/funds-confirmations", &question).await;
        let refusals = if answer.status == 200 { Vec::new() } else { names(&answer) };
        (answer.status, refusals.join(" "))
    };
    let (own, foreign) = (&customer["cards"][0]["pan"], &psu(&bank, 2)["cards"][0]["pan"]);
    assert_eq!(ask(0, "EUR", None).await, (200, String::new()));
    assert_eq!(ask(0, "USD", None).await, (400, "PARAMETER_NOT_CONSISTENT".to_owned()));
    assert_eq!(ask(0, "EUR", Some(own)).await, (200, String::new()));
    assert_eq!(ask(1, "EUR", Some(own)).await, (400, "CARD_INVALID".to_owned()), "of another account");
    assert_eq!(ask(0, "EUR", Some(foreign)).await, (400, "CARD_INVALID".to_owned()), "of another customer");
}

/// A funds consent that a customer has authorised for an account, with a card; returns its path.
async fn funds_consent(bank: &TestBank, number: usize, iban: &str, pan: &Value) -> String {
    let customer = psu(bank, number);
    let tpp = bank.tpp(0).with("PSU_ID", text(&customer["psu_id"]));
    let order = json!({ "account": { "iban": iban, "currency": "EUR" }, "cardNumber": pan });
    let created = tpp.post("/v2/consents/confirmation-of-funds", &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    let path = format!("/v2/consents/confirmation-of-funds/{}", created.text("/consentId"));
    bank.authorise(&tpp, &path, &customer).await;
    path
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn funds_are_confirmed_sixty_times_a_day(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let customer = psu(&bank, 0);
    let iban = text(&customer["accounts"][0]["iban"]);
    let path = funds_consent(&bank, 0, iban, &customer["cards"][0]["pan"]).await;
    let caller = bank.tpp(0).with("consentId", path.rsplit('/').next().unwrap());
    let question = json!({
        "account": { "iban": iban, "currency": "EUR" },
        "instructedAmount": { "currency": "EUR", "Amount": "1.00" },
    });
    let ask = async || caller.post("/v1/funds-confirmations", &question).await.status;
    for round in 0..6 {
        for _ in 0..10 {
            assert_eq!(ask().await, 200, "round {round}");
        }
        bank.pass(TimeDelta::minutes(10)).await;
    }
    assert_eq!(ask().await, 429, "sixty in 24 hours");
    bank.pass(TimeDelta::hours(23)).await;
    assert_eq!(ask().await, 200, "the first ten are a day ago");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn funds_consent_with_the_card_of_another_account_is_rejected(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (pan, tpp) = (psu(&bank, 0)["cards"][0]["pan"].clone(), bank.tpp(0));
    let account = |number: usize| text(&bank.sandbox_file["psus"][number]["accounts"][0]["iban"]).to_owned();
    let own = funds_consent(&bank, 0, &account(0), &pan).await;
    assert_eq!(tpp.get(&format!("{own}/status")).await.body["consentStatus"], 2);
    let foreign = funds_consent(&bank, 1, &account(1), &pan).await;
    assert_eq!(tpp.get(&format!("{foreign}/status")).await.body["consentStatus"], 1);
}

fn consent_of(caller: &ApiClient) -> String {
    caller.header("consentID").unwrap().to_owned()
}
