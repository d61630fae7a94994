//! The ledger on both engines: postings balance, refused postings change nothing, and the ledger check reports changed rows.

use rstest::rstest;
use trapeza_app::ledger::{Posted, Posting, PostingDetail, post};
use trapeza_app::{App, UseCaseError};
use trapeza_domain::account::Account;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::ledger::{LedgerError, StatementBalance};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{
    BatchEntry, CurrencyExchange, Party, TransactionDetail, TransactionFields,
};
use trapeza_store::Cursor;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::ledger_fixture::{
    self, TODAY, account, customer, debit_posting, opening_posting, posting, transfer_posting,
};

async fn open_app(database: &Database) -> App {
    ledger_fixture::open_app(database.open()).await
}

/// An account with 1,000.00 and a credit limit of 200.00, and an empty one, of one customer.
async fn two_accounts(app: &App) -> (Account, Account) {
    let owner = customer(app).await;
    let first = account(app, owner, "GR1601101250000000012300695", Currency::EUR, 20_000).await;
    let second = account(app, owner, "DE89370400440532013000", Currency::EUR, 0).await;
    let posting = opening_posting(&first, 100_000);
    app.ledger_post(vec![posting]).await.unwrap();
    (first, second)
}

/// Posts in a transaction of its own and returns the ledger's refusal instead of failing.
async fn try_post(app: &App, postings: Vec<Posting>) -> Result<Vec<Posted>, LedgerError> {
    app.store().write(move |tx| Ok(post(tx, &postings)?)).await.unwrap()
}

async fn balance(app: &App, account: &Account) -> StatementBalance {
    let id = account.ledger;
    let found = app.store().read(move |tx| Ok(tx.ledger_account_find(id)?)).await.unwrap();
    found.and_then(|account| account.statement).unwrap()
}

async fn assert_ledger_consistent(app: &App) {
    assert_eq!(ledger_check_findings(app).await, Vec::<String>::new());
}

async fn ledger_check_findings(app: &App) -> Vec<String> {
    tokio::task::block_in_place(|| app.ledger_check()).unwrap().findings
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn transfer_adds_an_entry_to_both_statements_and_its_fee_to_one(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open_app(&database).await;
    let (first, second) = two_accounts(&app).await;
    let mut paid = transfer_posting(&first, &second, 30_000, "p1");
    paid.amounts = paid.amounts.fee(150);
    let posted = app.ledger_post(vec![paid]).await.unwrap();
    assert_eq!(posted[0].transfers.len(), 2);
    let expected = StatementBalance { booked: 69_850, held: 0, entry_count: 3, floor: -20_000 };
    assert_eq!(balance(&app, &first).await, expected);
    assert_eq!(balance(&app, &second).await.booked, 30_000);
    assert_eq!(database.events("ledger.posted"), ["posting:opening by bank", "posting:p1 by bank"]);
    assert_ledger_consistent(&app).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refused_posting_changes_nothing_and_the_transaction_continues(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open_app(&database).await;
    let (first, second) = two_accounts(&app).await;
    let before = balance(&app, &first).await;
    let good = transfer_posting(&first, &second, 100, "p1");
    let short = transfer_posting(&first, &second, 120_000, "p2");
    let refused = try_post(&app, vec![good, short]).await;
    assert_eq!(refused, Err(LedgerError::InsufficientFunds));
    assert_eq!(balance(&app, &first).await, before);
    // The credit limit may be used completely.
    assert!(try_post(&app, vec![transfer_posting(&first, &second, 120_000, "p3")]).await.is_ok());
    assert_eq!(balance(&app, &first).await.booked, -20_000);
    assert_ledger_consistent(&app).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn posting_in_another_currency_or_role_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open_app(&database).await;
    let (first, second) = two_accounts(&app).await;
    let yen = account(&app, first.owners[0], "GR1601101250000000012300695", Currency::JPY, 0).await;
    assert_eq!(
        try_post(&app, vec![transfer_posting(&first, &yen, 1, "p1")]).await,
        Err(LedgerError::CurrenciesMixed)
    );
    assert_eq!(
        try_post(&app, vec![transfer_posting(&first, &first, 1, "p2")]).await,
        Err(LedgerError::SameAccount)
    );
    let mut as_card = posting(LedgerEvent::CardAuthorised, 1, "c1");
    as_card.parties.card = Some(second.ledger);
    assert_eq!(try_post(&app, vec![as_card]).await, Err(LedgerError::PartyMissing));
    assert_ledger_consistent(&app).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn hold_is_captured_or_released_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = open_app(&database).await;
    let (first, _) = two_accounts(&app).await;
    let run = |event, minor, reference| try_post(&app, vec![debit_posting(&first, event, minor, reference)]);
    run(LedgerEvent::SepaOutAccepted, 50_000, "s1").await.unwrap();
    assert_eq!(run(LedgerEvent::SepaOutAccepted, 1, "s1").await, Err(LedgerError::DuplicateReference));
    assert_eq!(run(LedgerEvent::SepaOutAccepted, 70_001, "s2").await, Err(LedgerError::InsufficientFunds));
    run(LedgerEvent::SepaOutAccepted, 70_000, "s3").await.unwrap();
    assert_eq!(balance(&app, &first).await.held, 120_000);
    run(LedgerEvent::SepaOutRejected, 70_000, "s3").await.unwrap();
    run(LedgerEvent::SepaOutSettled, 50_000, "s1").await.unwrap();
    assert_eq!(run(LedgerEvent::SepaOutSettled, 50_000, "s1").await, Err(LedgerError::HoldClosed));
    assert_eq!(run(LedgerEvent::SepaOutRejected, 50_000, "s3").await, Err(LedgerError::HoldClosed));
    assert_eq!(run(LedgerEvent::SepaOutSettled, 50_000, "s9").await, Err(LedgerError::HoldUnknown));
    let after = balance(&app, &first).await;
    assert_eq!((after.booked, after.held), (50_000, 0));
    assert_ledger_consistent(&app).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_payments_over_half_the_balance_execute_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = std::sync::Arc::new(open_app(&database).await);
    let (first, second) = two_accounts(&app).await;
    let mut payments = tokio::task::JoinSet::new();
    for number in 0..100 {
        let (app, posting) = (app.clone(), transfer_posting(&first, &second, 70_000, &format!("p{number}")));
        payments.spawn(async move {
            match app.ledger_post(vec![posting]).await {
                Ok(_) => true,
                Err(UseCaseError::Refused(refusal)) => {
                    assert_eq!(refusal.reason, RefusalReason::StatusInvalid);
                    false
                }
                Err(UseCaseError::Failed(error)) => panic!("none is given up: {error}"),
            }
        });
    }
    let executed = payments.join_all().await.into_iter().filter(|executed| *executed).count();
    assert_eq!(executed, 1);
    assert_eq!(balance(&app, &second).await.booked, 70_000);
    assert_ledger_consistent(&app).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn statement_pages_are_newest_first_with_all_details(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open_app(&database).await;
    let (first, second) = two_accounts(&app).await;
    let mut postings = Vec::new();
    for number in 0..25i32 {
        let mut paid = transfer_posting(&first, &second, 100 + i64::from(number), &format!("p{number}"));
        paid.booking_day = Date(TODAY.0 + number / 5);
        postings.push(paid);
    }
    postings[24].detail = PostingDetail::Account(Box::new(rich_detail(&second)));
    let posted = app.ledger_post(postings).await.unwrap();
    let account = second.ledger;
    let pages = app
        .store()
        .read(move |tx| {
            let (mut pages, mut cursor) = (Vec::new(), Cursor::end_of(Date(TODAY.0 + 4)));
            loop {
                let page = tx.transaction_page(account, Date(TODAY.0 + 1), cursor, 8)?;
                let Some(last) = page.last() else { return Ok(pages) };
                cursor = Cursor { date: last.booking_day, seq: last.seq };
                pages.push(page);
            }
        })
        .await
        .unwrap();
    let numbers: Vec<i64> = pages.iter().flatten().map(|line| line.seq).collect();
    assert_eq!(numbers, (6..=25).rev().collect::<Vec<_>>());
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [8, 8, 4]);
    assert_eq!(pages[0][0].detail, Some(rich_detail(&second)));
    assert_eq!(pages[0][0].amount, Money::new(124, Currency::EUR));

    let transfer = posted[24].transfers[0];
    let payer = first.ledger;
    let (line, other, delta, midnight) = app
        .store()
        .read(move |tx| {
            let line = tx.transaction_find(payer, transfer)?;
            let other = tx.transaction_find(trapeza_domain::ledger::LedgerAccountId(999), transfer)?;
            let delta = tx.transaction_delta(account, 22, i64::MAX, 100)?;
            Ok((line, other, delta, tx.entry_balance_before(account, Date(TODAY.0 + 1))?))
        })
        .await
        .unwrap();
    assert_eq!(line.map(|line| (line.amount.minor, line.detail)), Some((-124, Some(rich_detail(&second)))));
    assert_eq!(other, None);
    assert_eq!(delta.iter().map(|line| line.seq).collect::<Vec<_>>(), [25, 24, 23]);
    assert_eq!(midnight, 100 + 101 + 102 + 103 + 104);
    assert_ledger_consistent(&app).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn booked_hold_keeps_its_details(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = open_app(&database).await;
    let (first, second) = two_accounts(&app).await;
    let mut held = debit_posting(&first, LedgerEvent::SepaOutAccepted, 500, "s1");
    held.detail = PostingDetail::Account(Box::new(rich_detail(&second)));
    app.ledger_post(vec![held]).await.unwrap();
    let account = first.ledger;
    let pending = app
        .store()
        .read(move |tx| Ok(tx.pending_transaction_list(account, Date(0), TODAY, 10)?))
        .await
        .unwrap();
    assert_eq!(pending.len(), 1);
    assert_eq!(pending[0].amount.minor, -500);
    assert_eq!(pending[0].detail, Some(rich_detail(&second)));
    app.ledger_post(vec![debit_posting(&first, LedgerEvent::SepaOutSettled, 500, "s1")]).await.unwrap();
    let (pending, booked) = app
        .store()
        .read(move |tx| {
            let booked = tx.transaction_page(account, Date(0), Cursor::end_of(TODAY), 1)?;
            Ok((tx.pending_transaction_list(account, Date(0), TODAY, 10)?, booked))
        })
        .await
        .unwrap();
    assert_eq!(pending, []);
    assert_eq!(booked[0].detail, Some(rich_detail(&second)));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ledger_check_reports_a_changed_row(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = open_app(&database).await;
    let (first, second) = two_accounts(&app).await;
    app.ledger_post(vec![
        transfer_posting(&first, &second, 500, "p1"),
        transfer_posting(&first, &second, 700, "p2"),
        debit_posting(&first, LedgerEvent::SepaOutAccepted, 100, "s1"),
    ])
    .await
    .unwrap();
    assert_ledger_consistent(&app).await;
    let (one, two) = (first.ledger.0, second.ledger.0);
    let tampered: [(String, String, &str); 9] = [
        (
            format!("UPDATE ledger_account SET booked_minor = booked_minor + 1 WHERE id = {one}"),
            format!("UPDATE ledger_account SET booked_minor = booked_minor - 1 WHERE id = {one}"),
            "the booked balance is 98801 and should be 98800",
        ),
        (
            format!("UPDATE ledger_account SET held_minor = 0 WHERE id = {one}"),
            format!("UPDATE ledger_account SET held_minor = 100 WHERE id = {one}"),
            "the amount held is 0 and should be 100",
        ),
        (
            format!("UPDATE ledger_account SET floor_minor = 98701 WHERE id = {one}"),
            format!("UPDATE ledger_account SET floor_minor = -20000 WHERE id = {one}"),
            "is under its floor of 98701",
        ),
        (
            format!("UPDATE entry SET amount_minor = 501 WHERE account = {two} AND seq = 1"),
            format!("UPDATE entry SET amount_minor = 500 WHERE account = {two} AND seq = 1"),
            "entry 1: is 501, its transfer 2 says 500",
        ),
        (
            format!("UPDATE entry SET balance_minor = 1 WHERE account = {two} AND seq = 2"),
            format!("UPDATE entry SET balance_minor = 1200 WHERE account = {two} AND seq = 2"),
            "entry 2: the balance after it is 1 and should be 1200",
        ),
        (
            format!("UPDATE entry SET seq = 7 WHERE account = {two} AND seq = 2"),
            format!("UPDATE entry SET seq = 2 WHERE account = {two} AND seq = 7"),
            "entry 7: follows entry 1",
        ),
        (
            format!("UPDATE entry SET transfer = 2 WHERE account = {two} AND seq = 2"),
            format!("UPDATE entry SET transfer = 3 WHERE account = {two} AND seq = 2"),
            "entry 2: transfer 2 knows nothing of it",
        ),
        (
            "UPDATE transfer SET amount_minor = 600 WHERE id = 2".into(),
            "UPDATE transfer SET amount_minor = 500 WHERE id = 2".into(),
            "the booked balance against its transfers is 1200 and should be 1300",
        ),
        (
            format!("UPDATE ledger_account SET currency = 'JPY' WHERE id = {two}"),
            format!("UPDATE ledger_account SET currency = 'EUR' WHERE id = {two}"),
            "the accounts in JPY sum to 1200 minor units, not to zero",
        ),
    ];
    for (tamper, repair, expected) in tampered {
        database.tamper(&tamper);
        let found = ledger_check_findings(&app).await;
        assert!(found.iter().any(|finding| finding.ends_with(expected)), "{tamper}: {found:#?}");
        database.tamper(&repair);
        assert_ledger_consistent(&app).await;
    }
    database.tamper(&format!("DELETE FROM entry WHERE account = {two} AND seq = 2"));
    let found = ledger_check_findings(&app).await;
    assert!(
        found.iter().any(|finding| finding.contains("entries against its transfers is 1 and should be 2"))
    );
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn entries_are_in_the_order_of_their_days(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let app = open_app(&database).await;
    let (first, second) = two_accounts(&app).await;
    // At midnight a transaction may have read the clock before another one that books on the next day.
    let tomorrow = Date(TODAY.0 + 1);
    let next_day = Posting { booking_day: tomorrow, ..transfer_posting(&first, &second, 500, "p1") };
    app.ledger_post(vec![next_day]).await.unwrap();
    app.ledger_post(vec![transfer_posting(&second, &first, 100, "p2")]).await.unwrap();
    assert_ledger_consistent(&app).await;
    let (one, two) = (first.ledger, second.ledger);
    let days = app.store().read(move |tx| {
        let last = tx.entry_booking_day(two, 2)?;
        Ok((last, tx.entry_balance_before(one, tomorrow)?, tx.entry_balance_before(two, tomorrow)?))
    });
    assert_eq!(days.await.unwrap(), (Some(tomorrow), 100_000, 0), "closing balances of today");
    // Rows that were changed together are in no order of their own.
    let (today, two) = (TODAY.0, two.0);
    let date = match engine {
        Engine::Sqlite => today.to_string(),
        Engine::Postgres => format!("DATE '1970-01-01' + {today}"),
    };
    database.tamper(&format!("UPDATE entry SET booking_date = {date} WHERE seq = 2"));
    let found = ledger_check_findings(&app).await;
    let expected = format!("ledger account {two}, entry 2: is booked on an earlier day than entry 1");
    assert!(found.contains(&expected), "{found:#?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ledger_check_reports_a_consistent_transfer_that_was_written_by_hand(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open_app(&database).await;
    let (first, second) = two_accounts(&app).await;
    app.ledger_post(vec![transfer_posting(&first, &second, 500, "p1")]).await.unwrap();
    assert_ledger_consistent(&app).await;
    let (one, two) = (first.ledger.0, second.ledger.0);
    // A copy of the transfer with the next numbers, its entries and its balances.
    database.tamper(&format!(
        "INSERT INTO transfer (debit_account, credit_account, currency, amount_minor, debit_seq, credit_seq, event,
            reference, booking_date, value_date, mac)
         SELECT debit_account, credit_account, currency, amount_minor, debit_seq + 1, credit_seq + 1, event, 'p2',
            booking_date, value_date, mac FROM transfer WHERE reference = 'p1' AND credit_account = {two};
         INSERT INTO entry (account, seq, transfer, amount_minor, balance_minor, booking_date)
         SELECT e.account, e.seq + 1, (SELECT MAX(id) FROM transfer), e.amount_minor, e.balance_minor + e.amount_minor,
            e.booking_date
         FROM entry e JOIN transfer t ON t.id = e.transfer WHERE t.reference = 'p1';
         UPDATE ledger_account SET booked_minor = booked_minor - 500, entry_count = entry_count + 1 WHERE id = {one};
         UPDATE ledger_account SET booked_minor = booked_minor + 500, entry_count = entry_count + 1 WHERE id = {two};"
    ));
    let found = ledger_check_findings(&app).await;
    assert!(
        matches!(&found[..], [one] if one.ends_with("was not written by the bank, or was changed")),
        "{found:#?}"
    );
}

/// Each change is made alone, so that a column that the MAC leaves out is noticed.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn ledger_check_reports_a_transfer_of_which_any_column_was_changed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = open_app(&database).await;
    let (first, second) = two_accounts(&app).await;
    app.ledger_post(vec![transfer_posting(&first, &second, 500, "p1")]).await.unwrap();
    let id = database.number("SELECT id FROM transfer WHERE reference = 'p1'");
    let (one, two) = (first.ledger.0, second.ledger.0);
    for (change, undo) in [
        (format!("debit_account = {two}"), format!("debit_account = {one}")),
        (format!("credit_account = {one}"), format!("credit_account = {two}")),
        ("currency = 'USD'".to_owned(), "currency = 'EUR'".to_owned()),
        ("amount_minor = 501".to_owned(), "amount_minor = 500".to_owned()),
        ("debit_seq = 3".to_owned(), "debit_seq = 2".to_owned()),
        ("credit_seq = 2".to_owned(), "credit_seq = 1".to_owned()),
        ("event = 'sepa_out_settled'".to_owned(), "event = 'internal_transfer'".to_owned()),
        ("reference = 'p2'".to_owned(), "reference = 'p1'".to_owned()),
        ("booking_date = booking_date + 1".to_owned(), "booking_date = booking_date - 1".to_owned()),
        ("value_date = value_date + 1".to_owned(), "value_date = value_date - 1".to_owned()),
    ] {
        database.tamper(&format!("UPDATE transfer SET {change} WHERE id = {id}"));
        let found = ledger_check_findings(&app).await;
        let expected = format!("transfer {id}: was not written by the bank, or was changed");
        assert!(found.contains(&expected), "{change}: {found:#?}");
        database.tamper(&format!("UPDATE transfer SET {undo} WHERE id = {id}"));
        assert_ledger_consistent(&app).await;
    }
}

/// A detail with every field, so that a column that is read as another is noticed.
fn rich_detail(account: &Account) -> TransactionDetail {
    let party = |name: &str| Party {
        name: Some(name.to_owned()),
        account: Some(account.reference()),
        ultimate: Some(format!("{name} ultimate")),
    };
    let exchange = CurrencyExchange {
        source: Currency::USD,
        target: Currency::EUR,
        unit: Currency::USD,
        rate: "1.0825".into(),
        quotation_day: Date(19_999),
        contract: Some("FX-1".into()),
    };
    let particulars = |prefix: &str| TransactionFields {
        end_to_end_id: Some(format!("{prefix} e2e")),
        mandate_id: Some(format!("{prefix} mandate")),
        check_id: Some(format!("{prefix} check")),
        creditor_id: Some(format!("{prefix} creditor")),
        creditor: party(&format!("{prefix} creditor")),
        debtor: party(&format!("{prefix} debtor")),
        remittance_unstructured: Some(format!("{prefix} text")),
        remittance_structured: Some(format!("{prefix} RF18")),
        purpose: trapeza_domain::purpose_code::PurposeCode::from_index(15),
        exchanges: vec![exchange.clone()],
    };
    TransactionDetail {
        particulars: particulars("whole"),
        additional_information: Some("information".into()),
        bank_transaction_code: Some("PMNT-ICDT-ESCT".into()),
        proprietary_code: Some("T01".into()),
        batch: vec![
            BatchEntry { amount: Money::new(60, Currency::EUR), particulars: particulars("one") },
            BatchEntry { amount: Money::new(64, Currency::EUR), particulars: TransactionFields::default() },
        ],
    }
}
