//! The figures of a credit decision: which loans, installments and income of a customer they count.

use crate::http::loan_servicing::bought;
use rstest::rstest;
use trapeza_domain::id::{PsuId, ShopperId};
use trapeza_domain::money::Currency;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use uuid::Uuid;

const LATER: Date = Date(60_000);
const LONG_AGO: Timestamp = Timestamp(0);

/// Whose loans are counted: of the shopper or of the customer.
#[derive(Clone, Copy)]
struct Borrower {
    shopper: ShopperId,
    psu: Option<PsuId>,
}

/// The open principal, the number of loans, that of late installments, and the next installments together.
#[derive(Debug, PartialEq, Eq)]
struct Figures {
    open: i64,
    loans: i64,
    late: usize,
    monthly: i64,
}

const NONE: Figures = Figures { open: 0, loans: 0, late: 0, monthly: 0 };

async fn figures(bank: &TestBank, borrower: Borrower, currency: Currency) -> Figures {
    let Borrower { shopper, psu } = borrower;
    let read = bank.app.store().read(move |tx| {
        Ok(Figures {
            open: tx.shopper_open_principal(shopper, psu, currency)?,
            loans: tx.shopper_recent_loan_count(shopper, psu, LONG_AGO)?,
            late: tx.shopper_late_installments(shopper, psu, Date(0), LATER)?.len(),
            monthly: tx.shopper_monthly_commitment(shopper, psu, currency)?,
        })
    });
    read.await.unwrap()
}

/// The loan's borrower, when it was decided and when its first installment is collected.
async fn borrowed(bank: &TestBank) -> (Borrower, Timestamp, Date) {
    let read = bank.app.store().read(|tx| {
        let sql = "SELECT shopper, psu, decided_at FROM loan";
        let (shopper, psu, decided) =
            tx.query_one(sql, &[], |row| Ok((row.read()?, row.read()?, row.read()?)))?;
        let sql = "SELECT payment_date FROM loan_installment WHERE number = 1";
        let first = tx.query_one(sql, &[], |row| row.read())?;
        Ok((Borrower { shopper, psu }, decided, first))
    });
    read.await.unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn loans_count_by_their_status_borrower_and_currency(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bought(&bank, 3).await;
    let (borrower, decided, _) = borrowed(&bank).await;
    let (open, loans, late, monthly) = (45_000, 1, 3, 15_000);
    let counted = [
        ("pending", NONE),
        ("rejected", NONE),
        ("active", Figures { open, loans, late, monthly }),
        ("overdue", Figures { open, loans, late, monthly }),
        ("repaid", Figures { open: 0, loans, late, monthly: 0 }),
        ("writtenOff", Figures { open: 0, loans, late, monthly: 0 }),
        ("withdrawn", Figures { open: 0, loans, late: 0, monthly: 0 }),
    ];
    for (status, expected) in counted {
        bank.database.tamper(&format!("UPDATE loan SET status = '{status}'"));
        assert_eq!(figures(&bank, borrower, Currency::EUR).await, expected, "{status}");
    }
    bank.database.tamper("UPDATE loan SET status = 'active'");
    let all = Figures { open, loans, late, monthly };
    let other = ShopperId::new(Uuid::from_u128(7));
    let by_number = Borrower { psu: None, ..borrower };
    assert_eq!(figures(&bank, by_number, Currency::EUR).await, all, "by the telephone number alone");
    let by_customer = Borrower { shopper: other, ..borrower };
    assert_eq!(figures(&bank, by_customer, Currency::EUR).await, all, "with another number");
    bank.database.tamper("UPDATE loan SET psu = NULL");
    bank.database.tamper("UPDATE shopper SET psu = NULL");
    assert_eq!(
        figures(&bank, by_customer, Currency::EUR).await,
        NONE,
        "a guest with a number of no customer"
    );
    let Borrower { shopper, psu: Some(psu) } = borrower else { panic!("the borrower was signed in") };
    bank.app.store().write(move |tx| Ok(tx.shopper_link_psu(shopper, psu)?)).await.unwrap();
    assert_eq!(figures(&bank, by_customer, Currency::EUR).await, all, "a guest with the customer's number");
    let other_borrower = Borrower { shopper: other, psu: Some(PsuId::new(Uuid::from_u128(7))) };
    assert_eq!(figures(&bank, other_borrower, Currency::EUR).await, NONE);
    let dollars = figures(&bank, borrower, Currency::USD).await;
    assert_eq!(dollars, Figures { open: 0, monthly: 0, ..all }, "sums have one currency");
    let Borrower { shopper, psu } = borrower;
    let read = bank.app.store().read(move |tx| {
        let before = Timestamp(decided.0 - 1);
        Ok((
            tx.shopper_recent_loan_count(shopper, psu, before)?,
            tx.shopper_recent_loan_count(shopper, psu, decided)?,
        ))
    });
    assert_eq!(read.await.unwrap(), (1, 0), "granted after a time, not at it");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn installment_is_late_after_its_day_and_until_it_was_paid_long_ago(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bought(&bank, 3).await;
    let (Borrower { shopper, psu }, _, first) = borrowed(&bank).await;
    let late = async |since: Date, today: Date| {
        let read =
            bank.app.store().read(move |tx| Ok(tx.shopper_late_installments(shopper, psu, since, today)?));
        read.await.unwrap().len()
    };
    let next = Date(first.0 + 1);
    assert_eq!((late(Date(0), first).await, late(Date(0), next).await), (0, 1), "on its day and after it");
    bank.database.tamper("UPDATE loan_installment SET paid_on = payment_date WHERE number = 1");
    assert_eq!(late(Date(0), LATER).await, 2, "paid on its day");
    bank.database.tamper("UPDATE loan_installment SET paid_on = payment_date + 1 WHERE number = 1");
    assert_eq!(late(next, LATER).await, 3, "paid a day late, since that day");
    assert_eq!(late(Date(next.0 + 1), LATER).await, 2, "since a day later");
    let monthly = bank.app.store().read(move |tx| {
        let sql =
            "SELECT CAST(principal_minor + interest_minor AS BIGINT) FROM loan_installment WHERE number = 2";
        let second: i64 = tx.query_one(sql, &[], |row| row.read())?;
        Ok(tx.shopper_monthly_commitment(shopper, psu, Currency::EUR)? == second)
    });
    assert!(monthly.await.unwrap(), "the first one is paid, so the second one is next");
}
