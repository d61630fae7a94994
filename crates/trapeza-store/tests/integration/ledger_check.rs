//! The ledger check finds damage of every kind, and counts what it has read.

use rstest::rstest;
use std::collections::HashSet;
use trapeza_app::App;
use trapeza_app::ledger::LedgerReport;
use trapeza_domain::account::Account;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::ledger_fixture::{self, TODAY, debit_posting, funded_accounts, transfer_posting};

/// Two accounts with 1,000.00 each, a transfer between them and a hold.
async fn bank(database: &Database) -> (App, [Account; 2]) {
    let app = ledger_fixture::open_app(database.open()).await;
    let accounts: [Account; 2] = funded_accounts(&app, 2, 100_000).await.try_into().unwrap();
    let postings = vec![
        transfer_posting(&accounts[0], &accounts[1], 500, "p1"),
        debit_posting(&accounts[0], LedgerEvent::SepaOutAccepted, 100, "s1"),
    ];
    app.ledger_post(postings).await.unwrap();
    (app, accounts)
}

fn check(app: &App) -> LedgerReport {
    tokio::task::block_in_place(|| app.ledger_check()).unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn report_counts_every_row(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let (app, [first, _]) = bank(&database).await;
    let ended = [LedgerEvent::SepaOutAccepted, LedgerEvent::SepaOutRejected];
    app.ledger_post(ended.map(|event| debit_posting(&first, event, 70, "s2")).into()).await.unwrap();
    let report = check(&app);
    assert!(report.is_sound(), "{report:?}");
    let stored =
        |rows: &str| u64::try_from(database.number(&format!("SELECT COUNT(*) FROM {rows}"))).unwrap();
    assert_eq!(report.accounts, stored("ledger_account"));
    assert_eq!(report.transfers, stored("transfer"));
    assert_eq!(report.entries, stored("entry"));
    assert_eq!((report.holds, stored("hold")), (1, 2), "the hold that has ended reserves nothing");
    assert_eq!(report.sums.into_iter().collect::<Vec<_>>(), [("EUR".to_owned(), 0)]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn row_without_its_counterpart_is_reported(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let (app, [first, second]) = bank(&database).await;
    let (one, two) = (first.ledger.0, second.ledger.0);
    let transfer = database.number("SELECT id FROM transfer WHERE reference = 'p1'");
    // An account of the bank, whose balance is the sum of its transfers.
    let own_account = database.number("SELECT MIN(id) FROM ledger_account WHERE booked_minor IS NULL");
    let (today, tomorrow) = match engine {
        Engine::Sqlite => (TODAY.0.to_string(), (TODAY.0 + 1).to_string()),
        Engine::Postgres => {
            let day = |number: i32| format!("DATE '1970-01-01' + {number}");
            (day(TODAY.0), day(TODAY.0 + 1))
        }
    };
    let set = |table: &str, row: &str, from: &str, to: &str| {
        let update = |value: &str| format!("UPDATE {table} SET {value} WHERE {row}");
        (update(to), update(from))
    };
    let (own, entry) = (format!("id = {transfer}"), format!("account = {two} AND seq = 2"));
    let row = format!("id = {one}");
    for ((tamper, repair), expected) in [
        (
            set("transfer", &own, &format!("credit_account = {two}"), "credit_account = 999999"),
            format!("transfer {transfer}: ledger account 999999 is not there"),
        ),
        (
            set("transfer", &own, &format!("debit_account = {one}"), &format!("debit_account = {two}")),
            format!("transfer {transfer}: moves nothing, or from an account to itself"),
        ),
        (
            set("transfer", &own, "debit_seq = 2", "debit_seq = NULL"),
            format!("transfer {transfer}: names no line on ledger account {one}, or one too many"),
        ),
        (
            set("hold", "reference = 's1'", &format!("account = {one}"), "account = 999999"),
            "a hold is on ledger account 999999, which is not there".to_owned(),
        ),
        (
            (
                format!("UPDATE entry SET account = 999999 WHERE {entry}"),
                format!("UPDATE entry SET account = {two} WHERE account = 999999"),
            ),
            "1 entries are on accounts that have no statement or are not there".to_owned(),
        ),
        (
            set("entry", &entry, &format!("booking_date = {today}"), &format!("booking_date = {tomorrow}")),
            format!("ledger account {two}, entry 2: is booked on another day than its transfer {transfer}"),
        ),
        (
            set("ledger_account", &row, "entry_count = 2", "entry_count = 3"),
            format!("ledger account {one}: the number of entries is 3 and should be 2"),
        ),
        (
            set("ledger_account", &row, "booked_minor = 99500", "booked_minor = NULL"),
            format!("ledger account {one}: a balance where none belongs, or none where one does"),
        ),
        (
            set("ledger_account", &row, "kind = 2000", "kind = 7777"),
            format!("ledger account {one}: 7777 is no kind of account"),
        ),
        (
            set("ledger_account", &format!("id = {own_account}"), "booked_minor = NULL", "booked_minor = 0"),
            format!("ledger account {own_account}: a balance where none belongs, or none where one does"),
        ),
    ] {
        database.tamper(&tamper);
        let report = check(&app);
        let found = &report.findings;
        assert!(!report.is_sound() && found.contains(&expected), "{tamper}: {expected}: {found:#?}");
        database.tamper(&repair);
        assert_eq!(check(&app).findings, Vec::<String>::new(), "{repair}");
    }
}

/// A person who changes rows can also remove the constraint that forbids the amount.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transfer_of_nothing_is_reported(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let (app, _) = bank(&database).await;
    let unchecked = match engine {
        Engine::Sqlite => "PRAGMA ignore_check_constraints = ON",
        Engine::Postgres => "ALTER TABLE transfer DROP CONSTRAINT IF EXISTS transfer_amount_minor_check",
    };
    let transfer = database.number("SELECT id FROM transfer WHERE reference = 'p1'");
    for amount in [0, -500] {
        database.tamper(&format!(
            "{unchecked}; UPDATE transfer SET amount_minor = {amount} WHERE id = {transfer}"
        ));
        let found = check(&app).findings;
        let expected = format!("transfer {transfer}: moves nothing, or from an account to itself");
        assert!(found.contains(&expected), "{amount}: {found:#?}");
    }
}

/// PostgreS'''L checks its files itself.
#[tokio::test(flavor = "multi_thread")]
async fn damaged_index_of_the_file_is_reported() {
    let database = Database::new(Engine::Sqlite);
    let (app, [first, _]) = bank(&database).await;
    app.ledger_post(vec![debit_posting(&first, LedgerEvent::SepaOutRejected, 100, "s1")]).await.unwrap();
    // The index should have all holds from now on, but lacks the one that has ended.
    database.tamper(
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, ' WHERE status = ''active''', '') WHERE name = 'hold_active';
         PRAGMA schema_version = 4711;",
    );
    let found = check(&app).findings;
    let missing = "the database file is damaged: row 1 missing from index hold_active";
    assert!(found.iter().any(|finding| finding == missing), "{found:#?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn findings_are_in_the_order_of_the_accounts_and_at_most_a_thousand(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = ledger_fixture::open_app(database.open()).await;
    let accounts = funded_accounts(&app, 8, 100_000).await;
    database.tamper("UPDATE ledger_account SET held_minor = 7 WHERE kind = 2000");
    let mut ids: Vec<i64> = accounts.iter().map(|account| account.ledger.0).collect();
    ids.sort_unstable();
    let expected: Vec<String> =
        ids.iter().map(|id| format!("ledger account {id}: the amount held is 7 and should be 0")).collect();
    assert_eq!(check(&app).findings, expected);
    // More than anyone reads: the report of a ledger with any number of findings stays small.
    database.tamper(
        "INSERT INTO hold (account, currency, amount_minor, event, reference, status, placed_on)
         WITH RECURSIVE number(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < 1200)
         SELECT 999999, 'EUR', 1, 'sepa_out_accepted', 'lost-' || value, 'active',
            (SELECT MIN(booking_date) FROM transfer) FROM number",
    );
    let found = check(&app).findings;
    assert_eq!(found.len(), 1000);
    let texts: HashSet<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(texts.len(), 1, "the first ones: {texts:?}");
}
