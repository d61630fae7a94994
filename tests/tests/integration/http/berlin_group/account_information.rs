//! Accounts, balances, transactions and cards.

use super::{consented_client, link, links, path};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn accounts_are_read_with_the_names_of_the_standard(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = consented_client(&bank, 0).await;
    let list = tpp.get(&path("/v1/accounts?withBalance=true")).await;
    assert_eq!(list.status, 200, "{list:?}");
    assert!(list.headers.contains_key("x-frequency-remaining"));
    let account = &list.body["accounts"][0];
    assert_eq!((&account["status"], &account["usage"]), (&json!("enabled"), &json!("PRIV")));
    assert!(account.get("ownerName").is_none(), "{account}");
    let types: Vec<&str> = texts(&account["balances"], "balanceType");
    assert_eq!(types, ["interimBooked", "interimAvailable", "expected", "closingBooked"]);
    assert!(account["balances"][0]["balanceAmount"]["amount"].is_string(), "{account}");

    let id = account["resourceId"].as_str().expect("an id");
    let details = tpp.get(&path(&format!("/v1/accounts/{id}"))).await;
    assert_eq!(details.body["account"]["resourceId"], *id);
    assert_eq!(details.body.as_object().map(|body| body.len()), Some(1), "no envelope: {details:?}");
    let balances = tpp.get(&path(&format!("/v1/accounts/{id}/balances"))).await;
    assert_eq!(balances.body["account"]["iban"], account["iban"]);
    assert_eq!(texts(&balances.body["balances"], "balanceType"), types);
    let with_balance = tpp.get(&path(&format!("/v1/accounts/{id}?withBalance=true"))).await;
    assert_eq!(with_balance.body["account"]["balances"], account["balances"]);

    let from = bank.days_ago(60);
    let query = format!("/v1/accounts/{id}/transactions?dateFrom={from}&bookingStatus=both&limit=2");
    let page = tpp.get(&path(&query)).await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.body.get("_links").is_none(), "no links at the top: {page:?}");
    let booked = page.body["transactions"]["booked"].as_array().expect("booked").clone();
    let first = &booked[0];
    assert_eq!(first["entryReference"].as_str().map(str::len), Some(32));
    assert_eq!(
        page.body["transactions"]["_links"]["account"]["href"],
        format!("{}/berlin-group/v1/accounts/{id}", bank.base_url)
    );
    let lists = trapeza_testkit::ApiResponse { body: page.body["transactions"].clone(), ..page.clone() };
    assert_eq!(links(&lists), ["account", "first", "next"]);
    let next = tpp.get(&link(&bank, &lists, "next")).await;
    assert_eq!(next.status, 200, "{next:?}");
    assert_ne!(next.body["transactions"]["booked"][0]["transactionId"], first["transactionId"]);

    let one = first["transactionId"].as_str().expect("an id");
    let details = tpp.get(&path(&format!("/v1/accounts/{id}/transactions/{one}"))).await;
    let inner = &details.body["transactionsDetails"]["transactionDetails"];
    assert_eq!(inner["transactionAmount"], first["transactionAmount"], "{details:?}");
    assert!(first["_links"]["transactionDetails"].is_object(), "{first}");
    assert!(inner.get("_links").is_none(), "it does not link to itself: {inner}");
    let since = first["entryReference"].as_str().expect("a reference");
    let delta = format!("/v1/accounts/{id}/transactions?entryReferenceFrom={since}&bookingStatus=booked");
    assert_eq!(tpp.get(&path(&delta)).await.status, 200, "the short form of an id is accepted");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn card_is_shown_as_card_account_and_as_card() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let number = (0..5)
        .find(|number| super::psu(&bank, *number)["cards"].as_array().is_some_and(|cards| !cards.is_empty()))
        .expect("a customer with a card");
    let tpp = consented_client(&bank, number).await;
    let accounts = tpp.get(&path("/v1/card-accounts?withBalance=true")).await;
    let cards = tpp.get(&path("/v1/cards?withBalance=true")).await;
    let (account, card) = (&accounts.body["cardAccounts"][0], &cards.body["cards"][0]);
    assert_eq!(account["resourceId"], card["resourceId"], "{accounts:?}");
    assert!(account["maskedPan"].as_str().is_some_and(|pan| pan.contains('*')), "{account}");
    assert!(texts(&account["balances"], "balanceType").contains(&"nonInvoiced"));
    let id = card["resourceId"].as_str().expect("an id");
    for (resource, one, reference) in
        [("card-accounts", "cardAccount", "cardAccount"), ("cards", "card", "card")]
    {
        let details = tpp.get(&path(&format!("/v1/{resource}/{id}"))).await;
        assert_eq!(details.body[one]["resourceId"], *id, "{details:?}");
        let balances = tpp.get(&path(&format!("/v1/{resource}/{id}/balances"))).await;
        assert_eq!(balances.body[reference]["maskedPan"], card["maskedPan"], "{balances:?}");
        let from = bank.days_ago(60);
        let query = format!("/v1/{resource}/{id}/transactions?dateFrom={from}&bookingStatus=both");
        let page = tpp.get(&path(&query)).await;
        assert_eq!(page.body[reference]["maskedPan"], card["maskedPan"], "{page:?}");
        assert!(page.body["cardTransactions"]["booked"].is_array(), "{page:?}");
    }
    assert!(card["creditLimit"]["amount"].is_string(), "{card}");
    bank.database.tamper("UPDATE card SET credit_limit_minor = 0");
    let without = tpp.get(&path(&format!("/v1/cards/{id}"))).await;
    assert_eq!((without.status, without.body["card"].get("creditLimit")), (200, None), "{without:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn accounts_and_cards_have_the_values_of_the_other_dialect(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let here = consented_client(&bank, 0).await;
    let consent = here.header("Consent-ID").expect("a consent");
    let there = bank.tpp(0).with("consentID", consent).with("pSUIPAddress", "192.0.2.1");
    for (list, fields) in [
        ("accounts", vec!["iban", "currency", "name", "product", "cashAccountType", "bic"]),
        ("cards", vec!["maskedPan", "currency", "name", "product"]),
    ] {
        let (ours, theirs) =
            (here.get(&path(&format!("/v1/{list}"))).await, there.get(&format!("/v1/{list}")).await);
        let (ours, theirs) = (ours.body[list].as_array().expect("ours"), theirs.body[list].as_array());
        let theirs = theirs.expect("theirs");
        assert!(!ours.is_empty() && ours.len() == theirs.len(), "{ours:?} {theirs:?}");
        for one in ours {
            let other = theirs.iter().find(|other| other["resourceId"] == one["resourceId"]);
            let other = other.expect("the same one");
            for field in &fields {
                assert_eq!(one[field], other[field], "{field} of {one}");
            }
        }
    }
}

fn texts<'a>(list: &'a Value, name: &str) -> Vec<&'a str> {
    list.as_array().into_iter().flatten().filter_map(|item| item[name].as_str()).collect()
}

/// A standing order from the customer's first account.
pub async fn standing_order(bank: &TestBank) -> Value {
    let order = json!({
        "debtorAccount": { "iban": super::iban(bank, 0) },
        "instructedAmount": { "currency": "EUR", "amount": "50.00" },
        "creditorAccount": { "iban": "DE89370400440532013000" },
        "creditorName": "Anna Muster",
        "startDate": bank.days_ago(-7),
        "frequency": "Monthly",
    });
    let payer = super::client(bank, 0)
        .with("PSU-IP-Address", "192.0.2.7")
        .with("TPP-Explicit-Authorisation-Preferred", "true");
    let initiated = payer.post(&path("/v1/periodic-payments/sepa-credit-transfers"), &order).await;
    super::authorise(bank, &payer, &initiated, 0).await;
    order
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn standing_orders_are_listed_as_information(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let order = standing_order(&bank).await;
    // A payment of a later day is no standing order.
    bank.pass(TimeDelta::seconds(31)).await;
    let (payer, mut later) =
        (super::payment::payer(&bank), super::payment::order(&bank, "DE89370400440532013000"));
    later["requestedExecutionDate"] = json!(bank.days_ago(-8));
    let later = payer.post(&path("/v1/payments/sepa-credit-transfers"), &later).await;
    super::authorise(&bank, &payer, &later, 0).await;
    bank.pass(TimeDelta::seconds(31)).await;
    let tpp = consented_client(&bank, 0).await;
    let accounts = tpp.get(&path("/v1/accounts")).await;
    let list = accounts.body["accounts"].as_array().expect("accounts").clone();
    let account = list.iter().find(|account| account["iban"] == *super::iban(&bank, 0)).expect("the account");
    let id = account["resourceId"].as_str().expect("an id");
    let found = tpp.get(&path(&format!("/v1/accounts/{id}/transactions?bookingStatus=information"))).await;
    assert_eq!(found.status, 200, "{found:?}");
    let information = &found.body["transactions"]["information"];
    assert_eq!(information.as_array().map(Vec::len), Some(1), "{found:?}");
    assert_eq!(information[0]["transactionAmount"], json!({ "currency": "EUR", "amount": "-50.00" }));
    let details = &information[0]["additionalInformationStructured"]["standingOrderDetails"];
    assert_eq!((&details["startDate"], &details["frequency"]), (&order["startDate"], &json!("Monthly")));
}
