//! Bulk payments while processes are killed between their day and their execution, and during it: a bulk is executed as a whole or not at
//! all, each line once.

use super::scheduled_payment_cluster::{advance, booked_at};
use crate::concurrency::revocation::two_processes;
use crate::http::payment::{ELENI, JONAS, text, unissued_beside};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use trapeza_app::format_date;
use trapeza_domain::calendar::next_target_day;
use trapeza_domain::time::Date;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};
use trapeza_testkit::{ApiClient, iterations};

const PRODUCT: &str = "/berlin-group/v1/bulk-payments/sepa-credit-transfers";
const BULKS: usize = 4;
/// The last line of a bulk cannot be paid, half of the others stay in the bank.
const LINES: usize = 121;
const KILLS: usize = 5;
const OTHER_BANK_IBAN: &str = "DE89370400440532013000";

fn caller(program: &ServerProcess) -> ApiClient {
    let login = text(&program.sandbox_file["psus"][JONAS]["psu_id"]);
    let client =
        program.anonymous().with_request_id().with("PSU-ID", login).with("PSU-IP-Address", "192.0.2.1");
    client.with("TPP-Explicit-Authorisation-Preferred", "true")
}

/// A bulk of one cent a line that the customer has authorised for a day. Returns its path.
async fn authorised(program: &ServerProcess, day: Date, batch_booking: bool) -> String {
    let (tpp, psus) = (caller(program), &program.sandbox_file["psus"]);
    let own = text(&psus[ELENI]["accounts"][0]["iban"]);
    let unissued = unissued_beside(own);
    let line = |number: usize| {
        let payee = match number {
            number if number + 1 == LINES => &unissued,
            number if number % 2 == 0 => own,
            _ => OTHER_BANK_IBAN,
        };
        json!({
            "endToEndIdentification": format!("LINE-{number}"),
            "instructedAmount": { "currency": "EUR", "amount": "0.01" },
            "creditorAccount": { "iban": payee },
            "creditorName": "Anna Muster",
        })
    };
    let order = json!({
        "debtorAccount": { "iban": psus[JONAS]["accounts"][0]["iban"] },
        "requestedExecutionDate": format_date(day),
        "batchBookingPreferred": batch_booking,
        "payments": (0..LINES).map(line).collect::<Vec<_>>(),
    });
    let created = tpp.post(PRODUCT, &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    let path = format!("{PRODUCT}/{}", created.text("/paymentId"));
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    tpp.put(&own, &json!({ "psuData": { "password": psus[JONAS]["password"] } })).await;
    let last = tpp.put(&own, &json!({ "scaAuthenticationData": program.sandbox_file["otp"] })).await;
    assert_eq!(last.text("/scaStatus"), "finalised", "{last:?}");
    path
}

/// Every bulk has all of its lines, or none and still waits.
fn check_atomicity(database: &Database) {
    let torn = format!(
        "SELECT COUNT(*) FROM (SELECT bulk FROM payment WHERE bulk IS NOT NULL GROUP BY bulk HAVING COUNT(*) <> {LINES}) AS torn"
    );
    assert_eq!(database.number(&torn), 0, "a bulk was executed in part");
    let contradicting = "SELECT COUNT(*) FROM payment b WHERE b.bulk_line_count IS NOT NULL
        AND (b.execute_at IS NULL) <> EXISTS (SELECT 1 FROM payment l WHERE l.bulk = b.id)";
    assert_eq!(
        database.number(contradicting),
        0,
        "a bulk waits after its execution, or does not wait before it"
    );
}

async fn killed_again_and_again(database: &Database, mut programs: Vec<ServerProcess>) {
    let psus = programs[0].sandbox_file["psus"].clone();
    let ibans: [&Value; 2] = [JONAS, ELENI].map(|number| &psus[number]["accounts"][0]["iban"]);
    let before = ibans.map(|iban| booked_at(database, iban));
    let today = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs() / 86_400;
    let day = next_target_day(Date(i32::try_from(today).unwrap() + 2));
    let mut paths = Vec::new();
    for number in 0..BULKS {
        let program = &programs[number % programs.len()];
        paths.push(authorised(program, day, number % 2 == 1).await);
    }
    for round in 0..iterations(KILLS) {
        // In the first round nothing may have been executed; later ones kill a process that makes up for it.
        let moves: Vec<_> =
            programs.iter().map(|program| tokio::spawn(advance(program.anonymous(), "P2D"))).collect();
        tokio::time::sleep(Duration::from_millis(3 + round as u64 * 41 % 230)).await;
        let killed = round % programs.len();
        programs[killed].kill();
        for moved in moves {
            moved.await.unwrap();
        }
        check_atomicity(database);
        let data = programs[killed].data.clone();
        programs[killed] = ServerProcess::sandbox(&data, &database.url(), &[]).await;
    }
    let open = "SELECT COUNT(*) FROM payment WHERE bulk_line_count IS NOT NULL AND (execute_at IS NOT NULL
        OR EXISTS (SELECT 1 FROM payment l WHERE l.bulk = payment.id AND l.status NOT IN ('ACCC', 'ACSC', 'RJCT')))";
    for _ in 0..60 {
        advance(programs[0].anonymous(), "PT1M").await;
        if database.number(open) == 0 {
            break;
        }
    }
    assert_eq!(database.number(open), 0, "every line ends");
    for path in &paths {
        let status = caller(&programs[0]).get(&format!("{path}/extended-status")).await;
        assert_eq!(status.text("/groupStatus"), "PART", "{status:?}");
        let rejected = &status.body["originalTransactionInformationAndStatus"];
        assert_eq!(rejected.as_array().unwrap().len(), 1, "{status:?}");
        assert_eq!(rejected[0]["statusReasonInformationCode"], "AC03", "{status:?}");
    }
    let data = programs[0].data.clone();
    programs.iter_mut().for_each(|program| assert!(program.terminate().success()));
    check_atomicity(database);
    let paid = i64::try_from(BULKS * (LINES - 1)).unwrap();
    assert_eq!(booked_at(database, ibans[0]), before[0] - paid, "each line left once");
    assert_eq!(booked_at(database, ibans[1]), before[1] + paid / 2, "each line arrived once");
    check_ledger(&data, database);
}

fn check_ledger(data: &Path, database: &Database) {
    let url = database.url();
    let mut words = vec!["ledger", "check", "--data", data.to_str().unwrap()];
    if !url.is_empty() {
        words.extend(["--database", &url]);
    }
    let check = process::run(&words);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bulks_are_executed_once_by_two_processes_despite_crashes() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let programs = two_processes(&database, directory.path(), &[]).await;
    killed_again_and_again(&database, programs.into()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bulks_are_executed_once_on_sqlite_despite_crashes() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let program = ServerProcess::sandbox(&data, "", &[]).await;
    killed_again_and_again(&Database::at(&data), vec![program]).await;
}
