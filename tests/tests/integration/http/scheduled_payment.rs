//! Payments with a date: authorised now, without a hold, and executed on their day. The native interface has no field for the date, so the
//! order is given to the use case; all other steps are HTTP.

use super::loan_access::psu_id;
use super::payment::{
    ELENI, JONAS, OTHER_BANK_IBAN, balance, challenged, check_ledger, code, floor, iban, psu, text, tpp,
};
use crate::staff::reason;
use rstest::rstest;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use trapeza_app::idempotency::RequestIdentity;
use trapeza_app::{Tpp, UseCaseError};
use trapeza_domain::application::ParsedCertificate;
use trapeza_domain::calendar::{is_target_day, next_target_day};
use trapeza_domain::field::Field;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::payment::{PaymentOrder, PaymentOrderFields, PaymentProduct, PaymentTiming};
use trapeza_domain::reference::{AccountReference, Iban};
use trapeza_domain::refusal::{FieldErrors, RefusalReason};
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{TestBank, Transcript};
use uuid::Uuid;

/// Numbers the requests to use cases.
static REQUESTS: AtomicU64 = AtomicU64::new(1);

/// The first third party of the demo, as the use cases see it.
pub(crate) fn caller(bank: &TestBank) -> Tpp {
    let application = ApplicationId::parse(text(&bank.sandbox_file["tpps"][0]["client_id"])).unwrap();
    let certificate = ParsedCertificate {
        fingerprint: [0; 32],
        organisation: "PSDGR-BOG-1".into(),
        name: "Demo".into(),
        host_names: [].into(),
        roles: Vec::new(),
        not_before: Timestamp(0),
        not_after: Timestamp(i64::MAX),
    };
    Tpp { application, certificate: Arc::new(certificate) }
}

/// From Jonas, in cents: to another bank with SEPA, otherwise to Eleni.
pub(crate) fn order(
    bank: &TestBank,
    product: PaymentProduct,
    minor: i64,
    timing: PaymentTiming,
) -> PaymentOrder {
    let payee = match product {
        PaymentProduct::InternalTransfers => iban(bank, ELENI, 0),
        PaymentProduct::SepaCreditTransfers | PaymentProduct::InstantSepaCreditTransfers => {
            OTHER_BANK_IBAN.to_owned()
        }
    };
    let account = |iban: &str| AccountReference::iban(Iban::parse(iban).unwrap(), None);
    let fields = PaymentOrderFields {
        debtor: Some(account(&iban(bank, JONAS, 0))),
        amount: Some(Money::new(minor, Currency::EUR)),
        creditor: Some(account(&payee)),
        creditor_name: Some("Papadaki Eleni"),
        timing,
        ..PaymentOrderFields::default()
    };
    let mut errors = FieldErrors::default();
    let order = PaymentOrder::parse(product, fields, &mut errors);
    errors.finish().unwrap();
    order.unwrap()
}

/// Creates the payment and returns its native path.
pub(crate) async fn initiate(bank: &TestBank, order: PaymentOrder) -> Result<String, UseCaseError> {
    let request = REQUESTS.fetch_add(1, Ordering::Relaxed);
    initiate_as(bank, order, request).await
}

/// The same under an idempotency key.
async fn initiate_as(bank: &TestBank, order: PaymentOrder, key: u64) -> Result<String, UseCaseError> {
    let (tpp, login) = (caller(bank), text(&psu(bank, JONAS)["psu_id"]).to_owned());
    let product = order.product;
    let request = bank.app.idempotent_request(&RequestIdentity {
        application: tpp.application,
        operation: "POST /test",
        idempotency_key: Uuid::from_u128(key.into()),
        field: Field::RequestId,
        path: "",
        psu: &login,
        consent: "",
        body: b"",
    });
    let initiated = bank.app.payment_initiate(request, &tpp, login, None, order).await?.value;
    Ok(format!("/v1/payments/{}/{}", product.name(), initiated.payment.id))
}

/// Creates and authorises a payment.
pub(crate) async fn authorised(bank: &TestBank, order: PaymentOrder) -> String {
    let path = initiate(bank, order).await.unwrap();
    let tpp = tpp(bank, JONAS);
    let own = challenged(bank, &tpp, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    let answer = code(bank, &tpp, &own).await;
    assert_eq!(answer.text("/scaStatus"), "finalised", "{answer:?}");
    path
}

pub(crate) async fn status(bank: &TestBank, path: &str) -> String {
    tpp(bank, JONAS).get(path).await.text("/transactionStatus").to_owned()
}

/// The ISO code of a rejection.
pub(crate) async fn rejection(bank: &TestBank, path: &str) -> String {
    let answer = tpp(bank, JONAS).get(path).await;
    answer.body["tppMessages"][0]["text"].as_str().unwrap_or_default().to_owned()
}

/// Moves the clock to a time of a day in the bank's zone, in minutes after its start.
pub(crate) async fn move_to(bank: &TestBank, day: Date, minutes: i64) {
    let at = bank.app.clock().zone().start_of(day).0 + minutes * 60_000_000;
    let by = at - bank.app.now().0;
    assert!(by > 0, "the clock runs forward");
    bank.app.clock_advance(TimeDelta(by)).await.unwrap();
}

fn today(bank: &TestBank) -> Date {
    bank.app.clock().today()
}

pub(crate) async fn available(bank: &TestBank, iban: &str) -> i64 {
    let (booked, held) = balance(bank, iban).await;
    booked - held - floor(bank, iban).await
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn scheduled_payment_is_executed_once_on_its_target_day(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (payer, payee) = (iban(&bank, JONAS, 0), iban(&bank, ELENI, 0));
    let (payer_before, payee_before) = (balance(&bank, &payer).await, balance(&bank, &payee).await);
    // A Saturday, so that the payment is made on the Monday after it.
    let start = today(&bank);
    let saturday = (1..8).map(|days| Date(start.0 + days)).find(|day| !is_target_day(*day)).unwrap();
    let monday = next_target_day(saturday);
    let timing = PaymentTiming::OnDate(saturday);
    let internal = authorised(&bank, order(&bank, PaymentProduct::InternalTransfers, 700, timing)).await;
    let sepa = authorised(&bank, order(&bank, PaymentProduct::SepaCreditTransfers, 300, timing)).await;
    move_to(&bank, saturday, 600).await;
    for path in [&internal, &sepa] {
        assert_eq!(status(&bank, path).await, "ACTC");
        let answer = tpp(&bank, JONAS).get(&format!("{path}/status")).await;
        assert!(answer.body["fundsAvailable"].is_null(), "no money was looked at: {answer:?}");
    }
    assert_eq!(balance(&bank, &payer).await, payer_before, "nothing is booked or held");
    move_to(&bank, monday, 1).await;
    assert_eq!(status(&bank, &internal).await, "ACCC");
    assert_eq!(balance(&bank, &payee).await.0, payee_before.0 + 700);
    for _ in 0..3 {
        bank.advance("PT1H").await;
    }
    assert_eq!(status(&bank, &sepa).await, "ACSC");
    assert_eq!(balance(&bank, &payer).await, (payer_before.0 - 1000, payer_before.1));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn scheduled_payment_without_funds_is_tried_again_and_rejected_at_the_end_of_its_day(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let payer = iban(&bank, JONAS, 0);
    let day = next_target_day(Date(today(&bank).0 + 1));
    let too_much = available(&bank, &payer).await + 100;
    let timing = PaymentTiming::OnDate(day);
    let path = authorised(&bank, order(&bank, PaymentProduct::InternalTransfers, too_much, timing)).await;
    let unfunded = order(&bank, PaymentProduct::InternalTransfers, 90_000_000, timing);
    let unfunded = authorised(&bank, unfunded).await;
    for minutes in [1, 62, 22 * 60] {
        move_to(&bank, day, minutes).await;
        assert_eq!(
            (status(&bank, &path).await, status(&bank, &unfunded).await),
            ("ACTC".into(), "ACTC".into())
        );
    }
    bank.book_opening(&payer, 100).await;
    move_to(&bank, day, 23 * 60 + 54).await;
    assert_eq!(status(&bank, &path).await, "ACCC", "the money has come in time");
    assert_eq!(status(&bank, &unfunded).await, "ACTC", "the last attempt is to come");
    move_to(&bank, day, 23 * 60 + 55).await;
    assert_eq!(status(&bank, &unfunded).await, "RJCT");
    assert!(rejection(&bank, &unfunded).await.contains("AM04"));
    assert_eq!(available(&bank, &payer).await, 0);
    check_ledger(&bank).await;
    let id = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    let mut both = [&path, &unfunded].map(|path| format!("payment:{} by bank", id(path)));
    both.sort();
    assert_eq!(bank.database.events("payment.scheduled"), both);
    let mut postponed = bank.database.events("payment.postponed");
    postponed.dedup();
    assert_eq!(postponed, both);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn scheduled_payment_is_checked_again_on_its_day(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let day = next_target_day(Date(today(&bank).0 + 1));
    let timing = PaymentTiming::OnDate(day);
    let path = authorised(&bank, order(&bank, PaymentProduct::InternalTransfers, 100, timing)).await;
    let payee = Iban::parse(&iban(&bank, ELENI, 0)).unwrap();
    let block = bank.app.store().write(move |tx| {
        let sql = "UPDATE account SET status = 'blocked' WHERE iban = $1";
        let iban = payee.as_str();
        Ok(tx.execute(sql, trapeza_store::params![iban])?)
    });
    assert_eq!(block.await.unwrap(), 1);
    move_to(&bank, day, 1).await;
    assert_eq!(status(&bank, &path).await, "RJCT");
    assert!(rejection(&bank, &path).await.contains("AC06"));
    // What is known to be wrong at once is refused at once.
    let path = authorised(
        &bank,
        order(&bank, PaymentProduct::InternalTransfers, 100, PaymentTiming::OnDate(Date(day.0 + 9))),
    )
    .await;
    assert_eq!(status(&bank, &path).await, "RJCT");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn scheduled_payment_is_cancelled_with_sca_and_never_executed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, payer) = (tpp(&bank, JONAS), iban(&bank, JONAS, 0));
    let before = balance(&bank, &payer).await;
    let day = next_target_day(Date(today(&bank).0 + 1));
    let timing = PaymentTiming::OnDate(day);
    let cancelled = authorised(&bank, order(&bank, PaymentProduct::SepaCreditTransfers, 100, timing)).await;
    let suspended = authorised(&bank, order(&bank, PaymentProduct::InternalTransfers, 200, timing)).await;
    bank.pass(TimeDelta::seconds(31)).await;
    let other = authorised(&bank, order(&bank, PaymentProduct::InternalTransfers, 50, timing)).await;
    bank.pass(TimeDelta::seconds(31)).await;
    assert_eq!(tpp.delete(&cancelled).await.text("/transactionStatus"), "RECEIVED");
    let list = format!("{cancelled}/cancellation-authorisations");
    let own = challenged(&bank, &tpp, &list, &mut Transcript::default()).await;
    assert_eq!(code(&bank, &tpp, &own).await.text("/scaStatus"), "finalised");
    assert_eq!(status(&bank, &cancelled).await, "CANC");
    // Requested at the last minute and not approved: it is executed when the suspension is over.
    move_to(&bank, Date(day.0 - 1), 23 * 60 + 59).await;
    assert_eq!(tpp.delete(&suspended).await.text("/transactionStatus"), "RECEIVED");
    move_to(&bank, day, 5).await;
    let both = (status(&bank, &suspended).await, status(&bank, &other).await);
    assert_eq!(both, ("ACTC".into(), "ACCC".into()), "only the other one is executed");
    move_to(&bank, day, 20).await;
    assert_eq!(
        (status(&bank, &suspended).await, status(&bank, &cancelled).await),
        ("ACCC".into(), "CANC".into())
    );
    assert_eq!(tpp.delete(&suspended).await.status, 405);
    assert_eq!(balance(&bank, &payer).await, (before.0 - 250, before.1));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn execution_date_outside_its_range_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let start = today(&bank);
    for (days, is_valid) in [(-1, false), (0, true), (365, true), (366, false)] {
        let timing = PaymentTiming::OnDate(Date(start.0 + days));
        let initiated = initiate(&bank, order(&bank, PaymentProduct::InternalTransfers, 100, timing)).await;
        match initiated {
            Ok(_) => assert!(is_valid, "{days}"),
            Err(UseCaseError::Refused(refusal)) => {
                assert_eq!(refusal.reason, RefusalReason::ExecutionDateInvalid);
                assert_eq!(refusal.errors[0].path, Field::ExecutionDate.into());
                assert!(!is_valid, "{days}");
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    let now =
        authorised(&bank, order(&bank, PaymentProduct::InternalTransfers, 100, PaymentTiming::OnDate(start)))
            .await;
    assert_eq!(status(&bank, &now).await, "ACCC", "today is at once");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn changed_execution_date_needs_a_new_authorisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (client, day) = (tpp(&bank, JONAS), Date(today(&bank).0 + 40));
    let timing = PaymentTiming::OnDate(day);
    let path = initiate(&bank, order(&bank, PaymentProduct::SepaCreditTransfers, 100, timing)).await.unwrap();
    let own = challenged(&bank, &client, &format!("{path}/authorisations"), &mut Transcript::default()).await;
    // Another date after the challenge is another payment.
    let change = bank.app.store().write(move |tx| {
        let later = Date(day.0 + 1);
        Ok(tx.execute(
            "UPDATE payment SET execution_date = $1 WHERE execution_date IS NOT NULL",
            trapeza_store::params![later],
        )?)
    });
    assert_eq!(change.await.unwrap(), 1);
    let answer = code(&bank, &client, &own).await;
    assert_eq!(answer.status, 409, "{answer:?}");
    assert_eq!(status(&bank, &path).await, "RCVD");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn replayed_order_whose_date_has_passed_returns_the_first_payment(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let day = today(&bank);
    let dated = || order(&bank, PaymentProduct::InternalTransfers, 100, PaymentTiming::OnDate(day));
    let first = initiate_as(&bank, dated(), u64::MAX).await.unwrap();
    move_to(&bank, Date(day.0 + 1), 1).await;
    assert_eq!(initiate_as(&bank, dated(), u64::MAX).await.unwrap(), first);
    assert!(initiate(&bank, dated()).await.is_err(), "a new one is refused");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn scheduled_payment_is_cancelled_in_the_app_by_its_customer_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let payer = iban(&bank, JONAS, 0);
    let (before, day) = (balance(&bank, &payer).await, next_target_day(Date(today(&bank).0 + 1)));
    let timing = PaymentTiming::OnDate(day);
    let path = authorised(&bank, order(&bank, PaymentProduct::InternalTransfers, 100, timing)).await;
    let id = path.rsplit('/').next().unwrap();
    let (jonas, eleni) = (psu_id(&bank, JONAS).await, psu_id(&bank, ELENI).await);
    let unknown = Some(RefusalReason::ResourceUnknown);
    assert_eq!(reason(bank.app.customer_payment_find(eleni, id).await), unknown);
    assert_eq!(reason(bank.app.customer_payment_cancel(eleni, id).await), unknown);
    assert_eq!(status(&bank, &path).await, "ACTC");
    bank.app.customer_payment_cancel(jonas, id).await.unwrap();
    assert_eq!(status(&bank, &path).await, "CANC");
    assert_eq!(reason(bank.app.customer_payment_cancel(jonas, id).await), unknown, "it waits no more");
    move_to(&bank, day, 1).await;
    assert_eq!(balance(&bank, &payer).await, before);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn cancellation_in_the_app_ends_the_authorisation_that_the_third_party_has_started(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let day = next_target_day(Date(today(&bank).0 + 1));
    let timing = PaymentTiming::OnDate(day);
    let path = authorised(&bank, order(&bank, PaymentProduct::InternalTransfers, 100, timing)).await;
    let (tpp, jonas) = (tpp(&bank, JONAS), psu_id(&bank, JONAS).await);
    bank.pass(TimeDelta::seconds(31)).await;
    assert_eq!(tpp.delete(&path).await.text("/transactionStatus"), "RECEIVED");
    let list = format!("{path}/cancellation-authorisations");
    let own = challenged(&bank, &tpp, &list, &mut Transcript::default()).await;
    bank.app.customer_payment_cancel(jonas, path.rsplit('/').next().unwrap()).await.unwrap();
    assert_eq!(status(&bank, &path).await, "CANC");
    assert_eq!(tpp.get(&own).await.body["scaStatus"], 6, "failed");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn accepted_payment_of_a_third_party_is_not_cancelled_in_the_app(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (payer, jonas) = (iban(&bank, JONAS, 0), psu_id(&bank, JONAS).await);
    let before = balance(&bank, &payer).await;
    let order = order(&bank, PaymentProduct::SepaCreditTransfers, 100, PaymentTiming::Immediate);
    let order = PaymentOrder { creditor_name: "HOLD".to_owned(), ..order };
    let path = authorised(&bank, order).await;
    let id = path.rsplit('/').next().unwrap();
    let unknown = Some(RefusalReason::ResourceUnknown);
    assert_eq!(reason(bank.app.customer_payment_find(jonas, id).await), unknown);
    assert_eq!(reason(bank.app.customer_payment_cancel(jonas, id).await), unknown);
    assert_eq!(status(&bank, &path).await, "ACCP");
    assert_eq!(balance(&bank, &payer).await, (before.0, before.1 + 100));
}
