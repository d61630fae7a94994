//! Standing orders: one authorisation, and executions that are payments of their own.

use super::loan_servicing::set_status;
use super::page_forms::enrol;
use super::payment::{ELENI, JONAS, balance, challenged, check_ledger, code, floor, iban, psu, text, tpp};
use super::scheduled_payment::{authorised, initiate, move_to, order, rejection, status};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_app::UseCaseError;
use trapeza_app::account_information::ConsentedRequest;
use trapeza_app::psu::NewPsu;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::calendar::next_target_day;
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::id::{PaymentId, PsuId};
use trapeza_domain::payment::{
    ExecutionRule, Frequency, Months, Payment, PaymentProduct, PaymentTiming, StandingOrder,
};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::Date;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{TestBank, Transcript};
use uuid::Uuid;

fn monthly(start: Date, end: Option<Date>) -> StandingOrder {
    StandingOrder {
        frequency: Frequency::Monthly,
        start,
        end,
        rule: ExecutionRule::Following,
        day: None,
        months: Months::default(),
    }
}

pub(super) async fn ordered(bank: &TestBank, minor: i64, terms: StandingOrder) -> String {
    let timing = PaymentTiming::Standing(terms);
    authorised(bank, order(bank, PaymentProduct::InternalTransfers, minor, timing)).await
}

fn id(path: &str) -> PaymentId {
    PaymentId::parse(path.rsplit('/').next().unwrap()).unwrap()
}

/// The executions of an order: number, date and status.
pub(super) async fn executions(bank: &TestBank, order: &str) -> Vec<(i64, Date, String)> {
    let order = id(order);
    let read = bank.app.store().read(move |tx| {
        let sql = "SELECT execution_number, execution_date, status FROM payment WHERE standing_order = $1
                   ORDER BY execution_number";
        Ok(tx.query(sql, trapeza_store::params![order], |row| Ok((row.read()?, row.read()?, row.read()?)))?)
    });
    read.await.unwrap()
}

/// How often an action is in the audit log.
async fn audited(bank: &TestBank, action: &'static str) -> i64 {
    let count = bank.app.store().read(move |tx| {
        let sql = "SELECT COUNT(*) FROM audit_event WHERE action = $1";
        Ok(tx.query_one(sql, trapeza_store::params![action], |row| row.read())?)
    });
    count.await.unwrap()
}

async fn found(bank: &TestBank, path: &str) -> Payment {
    let (tpp, id) = (super::scheduled_payment::caller(bank), id(path).to_string());
    bank.app.payment_find(&tpp, PaymentProduct::InternalTransfers, &id).await.unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn standing_order_is_executed_on_every_day_until_its_end(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let payer = iban(&bank, JONAS, 0);
    let (before, start) = (balance(&bank, &payer).await, Date(bank.app.clock().today().0 + 1));
    let terms = monthly(start, Some(start.plus_months(3)));
    let path = ordered(&bank, 150, terms).await;
    assert_eq!((status(&bank, &path).await, balance(&bank, &payer).await), ("ACTC".into(), before));
    for number in 0..3_u32 {
        let day = terms.execution_day(number).unwrap();
        move_to(&bank, day, 1).await;
        let made = executions(&bank, &path).await;
        assert_eq!(made.last().unwrap(), &(i64::from(number) + 1, day, "ACCC".to_owned()));
        assert_eq!(balance(&bank, &payer).await.0, before.0 - 150 * i64::from(number + 1));
        assert_eq!(found(&bank, &path).await.next_execution_day(), terms.execution_day(number + 1));
        assert_eq!(status(&bank, &path).await, "ACTC", "the order lives");
    }
    // Several sweeps at once, and the clock goes past the end.
    let day = terms.execution_day(3).unwrap();
    move_to(&bank, Date(day.0 - 1), 1).await;
    let at = bank.app.clock().zone().start_of(day);
    let sweeps = tokio::join!(bank.app.sweep(at), bank.app.sweep(at), bank.app.sweep(at), bank.app.sweep(at));
    for swept in [sweeps.0, sweeps.1, sweeps.2, sweeps.3] {
        swept.unwrap();
    }
    move_to(&bank, start.plus_months(9), 1).await;
    assert_eq!(executions(&bank, &path).await.len(), 4);
    assert_eq!(status(&bank, &path).await, "ACSC");
    assert_eq!(balance(&bank, &payer).await, (before.0 - 600, before.1));
    assert_eq!((audited(&bank, "payment.repeated").await, audited(&bank, "payment.completed").await), (3, 1));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn failed_execution_does_not_end_the_order(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let payer = iban(&bank, JONAS, 0);
    let start = Date(bank.app.clock().today().0 + 1);
    let (booked, held) = balance(&bank, &payer).await;
    let available = booked - held - floor(&bank, &payer).await;
    let terms = monthly(start, None);
    let path = ordered(&bank, available + 100, terms).await;
    let [first, second] = [0, 1].map(|number| terms.execution_day(number).unwrap());
    move_to(&bank, first, 1).await;
    assert_eq!(executions(&bank, &path).await, [(1, first, "ACTC".to_owned())], "tried again on its day");
    move_to(&bank, first, 23 * 60 + 56).await;
    assert_eq!(executions(&bank, &path).await, [(1, first, "RJCT".to_owned())]);
    assert_eq!(status(&bank, &path).await, "ACTC");
    bank.book_opening(&payer, 100).await;
    move_to(&bank, second, 1).await;
    assert_eq!(executions(&bank, &path).await[1], (2, second, "ACCC".to_owned()));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn standing_order_of_a_closed_account_ends(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let start = Date(bank.app.clock().today().0 + 1);
    let terms = StandingOrder { frequency: Frequency::Weekly, ..monthly(start, None) };
    let path = ordered(&bank, 100, terms).await;
    move_to(&bank, terms.execution_day(0).unwrap(), 1).await;
    assert_eq!(executions(&bank, &path).await.len(), 1);
    let closed = iban(&bank, JONAS, 0);
    let change = bank.app.store().write(move |tx| {
        Ok(tx.execute(
            "UPDATE account SET status = 'deleted' WHERE iban = $1",
            trapeza_store::params![closed.as_str()],
        )?)
    });
    assert_eq!(change.await.unwrap(), 1);
    move_to(&bank, terms.execution_day(3).unwrap(), 1).await;
    assert_eq!(executions(&bank, &path).await.len(), 1, "no execution is created any more");
    assert_eq!(status(&bank, &path).await, "RJCT");
    assert_eq!(audited(&bank, "payment.rejected").await, 1);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn cancelled_standing_order_is_not_executed_again(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = tpp(&bank, JONAS);
    let start = Date(bank.app.clock().today().0 + 1);
    let weekly = StandingOrder { frequency: Frequency::Weekly, ..monthly(start, None) };
    let path = ordered(&bank, 100, weekly).await;
    move_to(&bank, weekly.execution_day(1).unwrap(), 1).await;
    assert_eq!(executions(&bank, &path).await.len(), 2, "the first was caught up with");
    assert_eq!(tpp.delete(&path).await.text("/transactionStatus"), "RECEIVED");
    let list = format!("{path}/cancellation-authorisations");
    let own = challenged(&bank, &tpp, &list, &mut Transcript::default()).await;
    assert_eq!(code(&bank, &tpp, &own).await.text("/scaStatus"), "finalised");
    assert_eq!(status(&bank, &path).await, "CANC");
    move_to(&bank, Date(start.0 + 60), 1).await;
    assert_eq!(executions(&bank, &path).await.len(), 2);
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn start_that_is_not_after_today_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let today = bank.app.clock().today();
    for (days, is_valid) in [(0, false), (1, true), (365, true), (366, false)] {
        let timing = PaymentTiming::Standing(monthly(Date(today.0 + days), None));
        match initiate(&bank, order(&bank, PaymentProduct::InternalTransfers, 100, timing)).await {
            Ok(_) => assert!(is_valid, "{days}"),
            Err(UseCaseError::Refused(refusal)) => {
                assert_eq!(refusal.reason, RefusalReason::ExecutionDateInvalid);
                assert_eq!(refusal.errors[0].path, Field::StartDate.into());
                assert!(!is_valid, "{days}");
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn standing_orders_of_an_account_are_listed_while_they_live(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let start = Date(bank.app.clock().today().0 + 1);
    let terms = StandingOrder {
        frequency: Frequency::MonthlyVariable,
        day: Some(31),
        months: Months::of(&[4, 10]).unwrap(),
        rule: ExecutionRule::Preceding,
        ..monthly(start, Some(start.plus_months(30)))
    };
    let path = ordered(&bank, 100, terms).await;
    let ended = ordered(&bank, 100, monthly(start, Some(start))).await;
    move_to(&bank, terms.execution_day(0).unwrap(), 1).await;
    assert_eq!(status(&bank, &ended).await, "ACSC");
    let login = text(&psu(&bank, JONAS)["psu_id"]).to_owned();
    let listed = bank.app.store().read(move |tx| Ok(tx.payment_upcoming_list(&login)?)).await.unwrap();
    assert_eq!(listed.iter().map(|order| order.id).collect::<Vec<_>>(), [id(&path)]);
    assert_eq!(listed[0].instruction.timing, PaymentTiming::Standing(terms), "the terms survive storage");
    assert_eq!((listed[0].execution_number, listed[0].next_execution_day()), (1, terms.execution_day(1)));
    // The same through account information, with the right to transactions.
    let references = json!([{ "iban": iban(&bank, JONAS, 0) }]);
    for (access, is_granted) in [
        (json!({ "accounts": references, "transactions": references }), true),
        (json!({ "accounts": references, "balances": references }), false),
    ] {
        let client = tpp(&bank, JONAS);
        let consent = json!({
            "access": access, "recurringIndicator": false, "validUntil": "2099-12-31", "frequencyPerDay": 1,
        });
        let consent = client.post("/v1/consents", &consent).await.text("/consentId").to_owned();
        bank.authorise(&client, &format!("/v1/consents/{consent}"), psu(&bank, JONAS)).await;
        let account = client.with("consentID", &consent).get("/v1/accounts").await;
        let account = account.text("/accounts/0/resourceId").to_owned();
        let request = ConsentedRequest::new(&super::scheduled_payment::caller(&bank), &consent, true);
        match bank.app.account_standing_orders(&request, &account).await {
            Ok(read) => {
                assert!(is_granted);
                assert_eq!(read.value.1, listed);
            }
            Err(UseCaseError::Refused(refusal)) => {
                assert_eq!((refusal.reason, is_granted), (RefusalReason::ConsentLacksRight, false));
            }
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// What a third party or the customer reads does not depend on the sweep having run.
#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn unauthorised_standing_order_is_rejected_after_a_day(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let start = Date(bank.app.clock().today().0 + 1);
    let timing = PaymentTiming::Standing(monthly(start, None));
    let path = initiate(&bank, order(&bank, PaymentProduct::InternalTransfers, 100, timing)).await.unwrap();
    move_to(&bank, Date(start.0 + 40), 1).await;
    let answer = tpp(&bank, JONAS).get(&format!("{path}/status")).await;
    assert_eq!(answer.body["transactionStatus"], json!(7));
    assert_eq!(executions(&bank, &path).await, Vec::new());
    assert_eq!(answer.body["fundsAvailable"], Value::Null);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_sees_and_cancels_upcoming_payments_of_third_parties_in_the_app(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let start = Date(bank.app.clock().today().0 + 10);
    let repeated = ordered(&bank, 100, monthly(start, None)).await;
    let once = order(&bank, PaymentProduct::InternalTransfers, 200, PaymentTiming::OnDate(start));
    let once = authorised(&bank, once).await;
    let [mut own, mut other] = [bank.browser(), bank.browser()];
    enrol(&bank, &mut own, JONAS).await;
    enrol(&bank, &mut other, ELENI).await;
    let list = own.get("/app/payments").await;
    for part in ["Scheduled payments and standing orders", "every month from", "€1.00", "€2.00"] {
        assert!(list.says(part), "{part} in {list:?}");
    }
    assert!(!other.get("/app/payments").await.says("standing orders"));
    for path in [&repeated, &once] {
        let cancellation = format!("/app/payments/{}/cancellation", id(path));
        assert_eq!(other.get(&cancellation).await.headers["location"], "/app/payments");
        let page = own.get(&cancellation).await;
        assert_eq!(page.title(), "Cancel this payment?", "{page:?}");
        let done = own.send(&page, &[("step", "confirm")]).await;
        assert!(done.says("The payment was cancelled."), "{done:?}");
        assert_eq!(status(&bank, path).await, "CANC");
    }
    // What a third party initiated is shown while it waits for its day only.
    let receipt = own.get(&format!("/app/payments/{}", id(&once))).await;
    assert_eq!(receipt.headers["location"], "/app/accounts");
    move_to(&bank, Date(start.0 + 40), 1).await;
    assert_eq!(executions(&bank, &repeated).await, Vec::new());
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payment_that_cannot_be_processed_does_not_stop_the_others(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let day = next_target_day(Date(bank.app.clock().today().0 + 1));
    let mut paths = Vec::new();
    for minor in [100, 200, 300] {
        let timing = PaymentTiming::OnDate(day);
        paths.push(authorised(&bank, order(&bank, PaymentProduct::InternalTransfers, minor, timing)).await);
    }
    // A row that the program cannot read.
    let (broken, application) = (id(&paths[0]), super::scheduled_payment::caller(&bank).application);
    let damage = bank.app.store().write(move |tx| {
        let sql = "UPDATE payment SET product = 'unknown' WHERE id = $1 AND application = $2";
        Ok(tx.execute(sql, trapeza_store::params![broken, application])?)
    });
    assert_eq!(damage.await.unwrap(), 1);
    move_to(&bank, day, 1).await;
    for path in &paths[1..] {
        assert_eq!(status(&bank, path).await, "ACCC");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn closing_a_customer_rejects_what_would_be_paid_later(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let start = Date(bank.app.clock().today().0 + 10);
    let path = ordered(&bank, 100, monthly(start, None)).await;
    // A customer without money can be closed; the order becomes theirs.
    let anna = NewPsu {
        id: PsuId::new(Uuid::from_u128(77)),
        login: "anna".to_owned(),
        name: "Anna Example".to_owned(),
        phone: Phone::parse("+306900000077").unwrap(),
        password: None,
        methods: Vec::new(),
    };
    bank.app.psu_register(anna).await.unwrap();
    let order = id(&path);
    let given = bank.app.store().write(move |tx| {
        let sql = "UPDATE payment SET psu_login = 'anna' WHERE id = $1";
        Ok(tx.execute(sql, trapeza_store::params![order])?)
    });
    assert_eq!(given.await.unwrap(), 1);
    bank.app.psu_close("anna").await.unwrap();
    assert_eq!(status(&bank, &path).await, "RJCT");
    assert!(rejection(&bank, &path).await.contains("AC04"));
    assert_eq!(audited(&bank, "payment.rejected").await, 1);
    move_to(&bank, Date(start.0 + 40), 1).await;
    assert_eq!(executions(&bank, &path).await, Vec::new());
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn standing_order_of_a_blocked_account_goes_on(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let terms = monthly(Date(bank.app.clock().today().0 + 1), None);
    let path = ordered(&bank, 100, terms).await;
    let [first, second] = [0, 1].map(|number| terms.execution_day(number).unwrap());
    set_status(&bank, AccountStatus::Blocked).await;
    move_to(&bank, first, 1).await;
    assert_eq!(executions(&bank, &path).await, [(1, first, "RJCT".to_owned())]);
    assert_eq!(status(&bank, &path).await, "ACTC");
    set_status(&bank, AccountStatus::Enabled).await;
    move_to(&bank, second, 1).await;
    assert_eq!(executions(&bank, &path).await[1], (2, second, "ACCC".to_owned()));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn standing_order_ends_with_the_ownership_of_the_account(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let terms = monthly(Date(bank.app.clock().today().0 + 1), None);
    let path = ordered(&bank, 100, terms).await;
    let (payer, owner) = (iban(&bank, JONAS, 0), text(&psu(&bank, ELENI)["psu_id"]));
    let before = balance(&bank, &payer).await;
    bank.database.tamper(&format!(
        "UPDATE account_owner SET psu = (SELECT id FROM psu WHERE login = '{owner}')
         WHERE account = (SELECT id FROM account WHERE iban = '{payer}')"
    ));
    move_to(&bank, terms.execution_day(0).unwrap(), 1).await;
    assert!(executions(&bank, &path).await.is_empty());
    assert_eq!(status(&bank, &path).await, "RJCT");
    assert_eq!(balance(&bank, &payer).await, before);
}
