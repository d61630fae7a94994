//! Many payments and standing orders that are due on one day: each is executed on its day, once. `TRAPEZA_TEST_FACTOR=34` makes more than
//! ten thousand of the three hundred.

use super::payment::{ELENI, JONAS, balance, check_ledger, iban, psu, text};
use super::scheduled_payment::{caller, move_to, order};
use rstest::rstest;
use std::time::Instant;
use trapeza_domain::calendar::next_target_day;
use trapeza_domain::id::PaymentId;
use trapeza_domain::payment::{
    ExecutionRule, Fees, Frequency, Months, NewPayment, Payment, PaymentProduct, PaymentTiming, StandingOrder,
};
use trapeza_domain::time::{Date, TimeDelta};
use trapeza_store::params;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{TestBank, iterations};
use uuid::Uuid;

const PAYMENTS: usize = 300;
const MINUTES_OF_A_DAY: i64 = 24 * 60;

/// A third of them are transfers within the bank, SEPA credit transfers and standing orders.
fn product_and_timing(number: usize, day: Date) -> (PaymentProduct, PaymentTiming) {
    let monthly = StandingOrder {
        frequency: Frequency::Monthly,
        start: day,
        end: None,
        rule: ExecutionRule::Following,
        day: None,
        months: Months::default(),
    };
    match number % 3 {
        0 => (PaymentProduct::InternalTransfers, PaymentTiming::OnDate(day)),
        1 => (PaymentProduct::SepaCreditTransfers, PaymentTiming::OnDate(day)),
        _ => (PaymentProduct::InternalTransfers, PaymentTiming::Standing(monthly)),
    }
}

/// Stores payments of one cent for a day, as if the customer had authorised them: the steps of so many customers take their time.
async fn scheduled(bank: &TestBank, count: usize, day: Date) {
    let (application, login) = (caller(bank).application, text(&psu(bank, JONAS)["psu_id"]).to_owned());
    let (now, execute_at) = (bank.app.now(), bank.app.clock().zone().start_of(day));
    let numbers: Vec<usize> = (0..count).collect();
    for some in numbers.chunks(100) {
        let payments: Vec<Payment> = some
            .iter()
            .map(|number| {
                let (product, timing) = product_and_timing(*number, day);
                let instruction = order(bank, product, 1, timing).instruction(&Fees::default(), |_| [0; 32]);
                let id = PaymentId::new(Uuid::from_u128(1 + *number as u128));
                let (payment, _) =
                    Payment::initiate(NewPayment { id, application, psu: login.clone(), now }, instruction);
                let (payment, _) = payment.authorise(now).unwrap();
                payment.schedule(execute_at, now).unwrap().0
            })
            .collect();
        let stored = bank.app.store().write(move |tx| {
            for payment in &payments {
                tx.payment_insert(payment)?;
                tx.payment_update(payment)?;
            }
            Ok(())
        });
        stored.await.unwrap();
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn everything_that_is_due_on_one_day_is_executed_on_it_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (payer, payee) = (iban(&bank, JONAS, 0), iban(&bank, ELENI, 0));
    let before = [balance(&bank, &payer).await, balance(&bank, &payee).await];
    let (count, day) = (iterations(PAYMENTS), next_target_day(Date(bank.app.clock().today().0 + 5)));
    scheduled(&bank, count, day).await;
    let each = i64::try_from(count / 3).unwrap();
    let number = |sql: &str| bank.database.number(sql);
    let executed = "SELECT COUNT(*) FROM transfer WHERE event = 'internal_transfer'";
    let executed_before = number(executed);

    move_to(&bank, Date(day.0 - 1), MINUTES_OF_A_DAY - 1).await;
    assert_eq!(balance(&bank, &payer).await, before[0], "nothing is executed a minute before the day");
    let started = Instant::now();
    move_to(&bank, day, 1).await;
    println!("{engine:?}: {count} due payments were executed in {:.1} s", started.elapsed().as_secs_f64());
    let credited = "SELECT COUNT(*) FROM payment WHERE status = 'ACCC' AND execution_date IS NOT NULL";
    assert_eq!(number(credited), 2 * each);
    assert_eq!(number(executed) - executed_before, 2 * each, "each once");
    let first = number("SELECT MAX(id) FROM transfer") - 2 * each;
    let other_day = bank.app.store().read(move |tx| {
        let sql = "SELECT COUNT(*) FROM transfer WHERE id > $1 AND booking_date <> $2";
        Ok(tx.query_one(sql, params![first, day], |row| row.read::<i64>())?)
    });
    assert_eq!(other_day.await.unwrap(), 0, "on its day");
    let executions = "SELECT COUNT(*) FROM payment WHERE standing_order IS NOT NULL AND execution_number = 1";
    assert_eq!(number(executions), each);
    let orders = "SELECT COUNT(*) FROM payment WHERE frequency IS NOT NULL AND execution_number = 1
        AND status = 'ACTC' AND execute_at IS NOT NULL";
    assert_eq!(number(orders), each, "each order waits for the next month");

    let open = "SELECT COUNT(*) FROM payment
        WHERE product = 'sepa-credit-transfers' AND execution_date IS NOT NULL AND status <> 'ACSC'";
    for _ in 0..200 {
        bank.app.clock_advance(TimeDelta::minutes(1)).await.unwrap();
        if number(open) == 0 {
            break;
        }
    }
    assert_eq!(number(open), 0, "every SEPA credit transfer is settled");
    bank.app.clock_advance(TimeDelta::minutes(MINUTES_OF_A_DAY)).await.unwrap();
    assert_eq!(balance(&bank, &payer).await, (before[0].0 - 3 * each, before[0].1), "once, to the cent");
    assert_eq!(balance(&bank, &payee).await, (before[1].0 + 2 * each, before[1].1));
    check_ledger(&bank).await;
}
