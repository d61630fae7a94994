//! The ledger check compares payments with their transfers.

use crate::http::payment::{INTERNAL, JONAS, check_ledger, initiate, order, tpp};
use rstest::rstest;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

async fn findings(bank: &TestBank) -> Vec<String> {
    let app = bank.app.clone();
    tokio::task::spawn_blocking(move || app.ledger_check()).await.unwrap().unwrap().findings
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_that_contradicts_its_transfers_is_reported(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, customer) = (tpp(&bank, JONAS), bank.sandbox_file["psus"][JONAS].clone());
    let path = initiate(&tpp, INTERNAL, &order(&bank, "12.50")).await;
    let id = path.rsplit('/').next().unwrap().to_owned();
    let literal = bank.database.uuid_literal(id.parse().unwrap());
    let set =
        |change: &str| bank.database.tamper(&format!("UPDATE payment SET {change} WHERE id = {literal}"));
    check_ledger(&bank).await;
    set("status = 'ACCC'");
    assert_eq!(findings(&bank).await, [format!("payment {id}: is ACCC and has no transfer")]);
    set("status = 'RCVD'");

    bank.authorise(&tpp, &path, &customer).await;
    check_ledger(&bank).await;
    set("amount_minor = 1251");
    assert_eq!(findings(&bank).await, [format!("payment {id}: debits 1251, its transfers 1250")]);
    set("amount_minor = 1250, creditor_iban = 'DE89370400440532013000'");
    let contradiction = format!("payment {id}: its transfers contradict its status ACCC, currency or payee");
    assert_eq!(findings(&bank).await, [contradiction]);
    let other = "00000000-0000-4000-8000-000000000001";
    bank.database.tamper(&format!(
        "UPDATE payment SET id = {} WHERE id = {literal}",
        bank.database.uuid_literal(other.parse().unwrap())
    ));
    let found = findings(&bank).await;
    assert!(found.contains(&format!("transfers name the payment {id}, which is not there")), "{found:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ledger_account_in_another_currency_than_its_transfers_is_reported(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let account = bank.database.number("SELECT MAX(credit_account) FROM transfer");
    let transfers = bank.database.column(&format!(
        "SELECT id FROM transfer WHERE credit_account = {account} OR debit_account = {account} ORDER BY id"
    ));
    bank.database.tamper(&format!("UPDATE ledger_account SET currency = 'SEK' WHERE id = {account}"));
    let found = findings(&bank).await;
    for id in transfers.iter().take(3) {
        let expected = format!("transfer {id}: ledger account {account} is of another currency");
        assert!(found.contains(&expected), "{expected}: {found:?}");
    }
}
