//! The largest bulk, in which a tenth of the lines cannot be paid for reasons that only the execution finds.

use super::bulk_payment::{SEPA, authorised_order, bulk, extended, line, status};
use super::payment::{OTHER_BANK_IBAN, payer};
use super::{iban, link};
use crate::http::payment::{balance, check_ledger, unissued_iban};
use rstest::rstest;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use trapeza_domain::payment::MAX_BULK_LINES;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

/// One line in this number of lines cannot be paid.
const BAD_EVERY: usize = 10;

/// Payees that cannot be paid, each with the name that the line has and the code of its rejection.
fn bad_payees(bank: &TestBank) -> Vec<(String, &'static str, &'static str)> {
    let database = &bank.database;
    let own = [iban(bank, 0), iban(bank, 1)];
    let foreign =
        "SELECT iban FROM account GROUP BY iban HAVING MAX(CASE WHEN currency = 'EUR' THEN 1 ELSE 0 END) = 0
                   ORDER BY iban LIMIT 1";
    let others = format!(
        "SELECT iban FROM account WHERE currency = 'EUR' AND status = 'enabled' AND iban NOT IN ('{}', '{}')
         ORDER BY iban LIMIT 2",
        own[0], own[1]
    );
    let others = database.column(&others);
    for (iban, status) in others.iter().zip(["blocked", "deleted"]) {
        database.tamper(&format!("UPDATE account SET status = '{status}' WHERE iban = '{iban}'"));
    }
    vec![
        (unissued_iban(bank), "Niemand", "AC03"),
        (others[0].clone(), "Blocked", "AC06"),
        (others[1].clone(), "Closed", "AC03"),
        (database.column(foreign).remove(0), "Other currency", "AM03"),
        (own[0].to_owned(), "The payer", "AG01"),
        (trapeza::demo::collection_iban().as_str().to_owned(), "No loan", "MS03"),
        (OTHER_BANK_IBAN.to_owned(), "REJECT AC04", "AC04"),
    ]
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn tenth_of_the_largest_bulk_is_rejected_and_the_rest_is_paid_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
    #[values(false, true)] batch_booking: bool,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, from, to) = (payer(&bank), iban(&bank, 0), iban(&bank, 1));
    bank.book_opening(from, 10_000_000).await;
    let bad = bad_payees(&bank);
    let (before, payee_before) = (balance(&bank, from).await, balance(&bank, to).await);
    let (mut lines, mut expected) = (Vec::new(), BTreeMap::new());
    let (mut within, mut beyond) = (0, 0);
    for number in 1..=MAX_BULK_LINES {
        let minor = i64::try_from(100 + number).unwrap();
        let amount = format!("{}.{:02}", minor / 100, minor % 100);
        if number % BAD_EVERY == 0 {
            let (payee, name, code) = &bad[number / BAD_EVERY % bad.len()];
            lines.push(line(number, payee, name, &amount));
            expected.insert(format!("LINE-{number}"), (*code).to_owned());
        } else if number % 2 == 0 {
            lines.push(line(number, to, "Any Name", &amount));
            within += minor;
        } else {
            lines.push(line(number, OTHER_BANK_IBAN, "Anna Muster", &amount));
            beyond += minor;
        }
    }
    assert_eq!(expected.len(), 50);
    let mut order = bulk(&bank, lines);
    // By another reference than the IBAN, so that only the execution finds that a line pays to the payer.
    order["debtorAccount"] = json!({ "bban": &from[4..] });
    order["batchBookingPreferred"] = json!(batch_booking);
    let initiated = authorised_order(&bank, &tpp, SEPA, &order).await;
    bank.app.sweep(bank.app.now()).await.unwrap();
    assert_eq!(status(&bank, &tpp, &initiated).await, "PART");
    assert_eq!(balance(&bank, to).await, (payee_before.0 + within, payee_before.1));
    for _ in 0..3 {
        bank.advance("PT10S").await;
    }
    let outcome = extended(&bank, &tpp, &initiated).await;
    assert_eq!(outcome["groupStatus"], "PART");
    let rejected = outcome["originalTransactionInformationAndStatus"].as_array().expect("lines");
    let text = |line: &Value, name: &str| line[name].as_str().expect(name).to_owned();
    let found: BTreeMap<String, String> = rejected
        .iter()
        .map(|line| (text(line, "originalEndToEndId"), text(line, "statusReasonInformationCode")))
        .collect();
    assert_eq!((rejected.len(), found), (50, expected));
    assert_eq!(balance(&bank, from).await, (before.0 - within - beyond, before.1), "to the cent");
    assert_eq!(balance(&bank, to).await, (payee_before.0 + within, payee_before.1), "once");
    let id = bank.database.uuid_literal(initiated.text("/paymentId").parse().unwrap());
    for (status, count) in [("ACCC", 200), ("ACSC", 250), ("RJCT", 50)] {
        let sql = format!("SELECT COUNT(*) FROM payment WHERE bulk = {id} AND status = '{status}'");
        assert_eq!(bank.database.number(&sql), count, "{status}");
    }
    let view = if engine == Engine::Sqlite { "report_payments" } else { "report.payments" };
    let reported =
        |rest: &str| bank.database.rows(&format!("SELECT kind, status, COUNT(*) FROM {view} {rest}"));
    let id = initiated.text("/paymentId");
    assert_eq!(
        reported(&format!("WHERE payment_id = '{id}' GROUP BY kind, status")),
        [["bulk", "partly accepted", "1"]]
    );
    assert_eq!(
        reported(&format!("WHERE part_of = '{id}' GROUP BY kind, status ORDER BY status")),
        [["single", "credited", "200"], ["single", "rejected", "50"], ["single", "settled", "250"]]
    );
    assert_eq!(
        tpp.get(&link(&bank, &initiated, "self")).await.body["payments"].as_array().unwrap().len(),
        500
    );
    check_ledger(&bank).await;
}
