//! An IBAN may belong to an account in each of several currencies: the amount of a payment decides which one pays and which one is paid.

use super::payment::{ELENI, INTERNAL, JONAS, check_ledger, iban, initiate, psu, text, tpp};
use rstest::rstest;
use serde_json::json;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_goes_from_and_to_the_account_in_its_currency(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    // One IBAN, an account in yen and one in dollars.
    let shared = iban(&bank, ELENI, 3);
    let booked = |currency: &str| {
        bank.database.number(&format!(
            "SELECT booked_minor FROM ledger_account WHERE id = (SELECT ledger_account FROM account \
             WHERE iban = '{shared}' AND currency = '{currency}')"
        ))
    };
    let before = ["JPY", "USD"].map(booked);
    for (currency, there, back) in [("USD", "12.34", "2.34"), ("JPY", "500", "100")] {
        let account = json!({
            "owners": [psu(&bank, JONAS)["psu_id"]], "currency": currency, "openingBalance": "1000",
        });
        let created = bank.anonymous().post("/sandbox/accounts", &account).await;
        assert!(created.status < 300, "{created:?}");
        let other = created.text("/iban").to_owned();
        for (customer, payer, payee, amount) in
            [(ELENI, &shared, &other, there), (JONAS, &other, &shared, back)]
        {
            let tpp = tpp(&bank, customer);
            let order = json!({
                "debtorAccount": { "iban": payer },
                "instructedAmount": { "currency": currency, "Amount": amount },
                "creditorAccount": { "iban": payee },
                "creditorName": text(&psu(&bank, ELENI + JONAS - customer)["name"]),
            });
            let path = initiate(&tpp, INTERNAL, &order).await;
            bank.authorise(&tpp, &path, psu(&bank, customer)).await;
            let made = tpp.get(&path).await;
            assert_eq!(made.text("/transactionStatus"), "ACCC", "{currency} {amount}: {made:?}");
            bank.pass(TimeDelta::seconds(31)).await;
        }
    }
    assert_eq!(["JPY", "USD"].map(booked), [before[0] - 400, before[1] - 1_000]);
    check_ledger(&bank).await;
}
