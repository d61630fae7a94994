//! Two processes of one bank on one clearing folder, and one of them killed repeatedly while messages go out and
//! answers come in: every message is written once, every answer is applied once, and the ledger is in balance. Both bring their
//! clearing house, so that answers come twice as well.

use crate::concurrency::revocation::two_processes;
use crate::http::payment::{JONAS, OTHER_BANK_IBAN, SEPA, text};
use reqwest::Method;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::time::Duration;
use trapeza_courier::clearing::pacs;
use trapeza_domain::clearing::ClearingMessage;
use trapeza_domain::reference::Iban;
use trapeza_store::Store;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};
use trapeza_testkit::{ApiClient, iterations};

/// How often one of the two is killed.
const KILLS: usize = 6;
/// The payees of one lot, by whose names the clearing house decides, and what becomes of their payments.
pub(super) const PAYEES: [(&str, &str); 4] =
    [("Maria Ioannou", "ACSC"), ("REJECT AC04", "RJCT"), ("RETURN", "ACSC"), ("Another Name", "ACSC")];
/// Those of a lot that leave the account and stay away.
const GONE_MINOR: i64 = 200;

fn caller(program: &ServerProcess) -> ApiClient {
    program
        .tpp(0)
        .with("PSU_ID", text(&program.sandbox_file["psus"][JONAS]["psu_id"]))
        .with("pSUIPAddress", "192.0.2.1")
}

/// Ordered and authorised: its path.
pub(super) async fn authorised(program: &ServerProcess, name: &str) -> String {
    let (tpp, psu) = (caller(program), &program.sandbox_file["psus"][JONAS]);
    let order = json!({
        "debtorAccount": { "iban": psu["accounts"][0]["iban"] },
        "instructedAmount": { "currency": "EUR", "Amount": "1.00" },
        "creditorAccount": { "iban": OTHER_BANK_IBAN },
        "creditorName": name,
    });
    let path = format!("{SEPA}/{}", tpp.post(SEPA, &order).await.text("/paymentId"));
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
    let last = tpp.put(&own, &json!({ "scaAuthenticationData": program.sandbox_file["otp"] })).await;
    assert_eq!(last.text("/scaStatus"), "finalised", "{last:?}");
    path
}

/// Moves the clock, which also hands over, writes and reads. The process may die under it.
pub(super) async fn advance(client: ApiClient, span: &'static str) {
    let body = json!({ "advance": span }).to_string().into_bytes();
    let _ = client.try_send(Method::POST, "/sandbox/clock", Some(body)).await;
}

pub(super) async fn booked(store: &Store, iban: &Value) -> (i64, i64) {
    let iban = Iban::parse(text(iban)).unwrap();
    let read = store.read(move |tx| {
        let account = tx.account_by_iban(&iban)?.remove(0);
        let balance = tx.ledger_account_find(account.ledger)?.unwrap().statement.unwrap();
        Ok((balance.booked, balance.held))
    });
    read.await.unwrap()
}

/// How often each transfer went out, by its id, from all messages that clearing ever took. A message that was put down
/// twice is kept under a second name.
pub(super) fn sent(done: &Path) -> BTreeMap<String, usize> {
    let mut times = BTreeMap::new();
    for entry in std::fs::read_dir(done).unwrap() {
        let path = entry.unwrap().path();
        if let Ok(ClearingMessage::CreditTransfers(message)) = pacs::parse(&std::fs::read(&path).unwrap()) {
            message.transfers.iter().for_each(|transfer| *times.entry(transfer.id.clone()).or_default() += 1);
        }
    }
    times
}

/// Waits until every payment has its end; a message that a dead process had claimed is free again after a minute.
pub(super) async fn ended(programs: &[ServerProcess; 2], paths: &BTreeMap<String, &str>) {
    let tpp = caller(&programs[0]);
    let mut open = Vec::new();
    for _ in 0..30 {
        let moves = programs.each_ref().map(|program| advance(program.anonymous(), "PT2M"));
        let [one, two] = moves;
        tokio::join!(one, two);
        open.clear();
        for path in paths.keys() {
            let status = tpp.get(path).await.text("/transactionStatus").to_owned();
            if !matches!(status.as_str(), "ACSC" | "RJCT") {
                open.push((path, status));
            }
        }
        if open.is_empty() {
            return;
        }
    }
    panic!("payments stay on their way: {open:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_exchange_each_file_once_despite_a_crash() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let mut programs = two_processes(&database, directory.path(), &[]).await;
    let (store, iban) =
        (database.open(), programs[0].sandbox_file["psus"][JONAS]["accounts"][0]["iban"].clone());
    let before = booked(&store, &iban).await;
    let mut paths = BTreeMap::new();
    for round in 0..iterations(KILLS) {
        for (number, (name, end)) in PAYEES.into_iter().enumerate() {
            paths.insert(authorised(&programs[(round + number) % 2], name).await, end);
        }
        let moves = programs.each_ref().map(|program| tokio::spawn(advance(program.anonymous(), "PT5S")));
        // A little later each time, so that it is killed before, while and after it writes and reads.
        tokio::time::sleep(Duration::from_millis(round as u64 * 13 % 120)).await;
        let killed = round % 2;
        programs[killed].kill();
        for moved in moves {
            moved.await.unwrap();
        }
        let data = programs[killed].data.clone();
        programs[killed] = ServerProcess::sandbox(&data, &database.url(), &[]).await;
    }
    ended(&programs, &paths).await;

    let tpp = caller(&programs[1]);
    for (path, end) in &paths {
        assert_eq!(tpp.get(path).await.text("/transactionStatus"), *end, "{path}");
    }
    let lots = i64::try_from(iterations(KILLS)).unwrap();
    assert_eq!(booked(&store, &iban).await, (before.0 - lots * GONE_MINOR, before.1));
    let times = sent(&directory.path().join("one").join("clearing").join("done"));
    assert_eq!(times.len(), paths.len(), "every payment went out");
    assert_eq!(times.values().copied().collect::<HashSet<_>>(), HashSet::from([1]), "{times:?}");

    let data = programs[0].data.clone();
    programs.iter_mut().for_each(|program| assert!(program.terminate().success()));
    let words = ["ledger", "check", "--data", data.to_str().unwrap(), "--database", &database.url()];
    let check = process::run(&words);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}
