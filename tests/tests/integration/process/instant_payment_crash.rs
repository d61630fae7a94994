//! Instant payments through the gateway while processes are killed between the submission and the response: each is sent once, and its
//! status is queried.

use crate::concurrency::revocation::two_processes;
use crate::http::payment::{JONAS, text};
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use trapeza_store::Store;
use trapeza_testkit::ApiClient;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};

const PAYMENTS: usize = 6;
const PRODUCT: &str = "/berlin-group/v1/payments/instant-sepa-credit-transfers";

/// The text of an element.
fn element<'a>(xml: &'a str, name: &str) -> &'a str {
    let (_, rest) = xml.split_once(&format!("<{name}>")).unwrap_or(("", ""));
    rest.split_once('<').map_or("", |(text, _)| text)
}

/// Reads the body of an HTTP/1.1 request that has a `Content-Length`.
async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&chunk[..read]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if Some(body.len()) == length {
            return Some(body.to_owned());
        }
    }
}

/// Starts a gateway that accepts every payment, never confirms it, and answers status queries; it rejects payments that it has not
/// received. Returns its address and the ids of the payments that it received.
async fn start_gateway() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let received = Arc::new(Mutex::new(Vec::new()));
    let seen = received.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let seen = seen.clone();
            tokio::spawn(async move {
                while let Some(body) = read_request(&mut stream).await {
                    if body.contains("FIToFICstmrCdtTrf") {
                        seen.lock().unwrap().push(element(&body, "TxId").to_owned());
                        tokio::time::sleep(Duration::from_secs(60)).await;
                        return;
                    }
                    let (message, id) = (element(&body, "OrgnlMsgId"), element(&body, "OrgnlTxId"));
                    let is_known = seen.lock().unwrap().iter().any(|known| known == id);
                    let status = if is_known { "ACCP" } else { "RJCT" };
                    let answer = format!(
                        "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:pacs.002.001.10\"><FIToFIPmtStsRpt><OrgnlGrpInfAndSts>\
                         <OrgnlMsgId>{message}</OrgnlMsgId></OrgnlGrpInfAndSts><TxInfAndSts><OrgnlTxId>{id}</OrgnlTxId>\
                         <TxSts>{status}</TxSts></TxInfAndSts></FIToFIPmtStsRpt></Document>"
                    );
                    let response =
                        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{answer}", answer.len());
                    if stream.write_all(response.as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (address, received)
}

async fn query_number(store: &Store, sql: &'static str) -> i64 {
    store.read(move |tx| Ok(tx.query_one(sql, &[], |row| row.read::<i64>())?)).await.unwrap()
}

fn api_client(program: &ServerProcess) -> ApiClient {
    let login = text(&program.sandbox_file["psus"][JONAS]["psu_id"]);
    let client =
        program.anonymous().with_request_id().with("PSU-ID", login).with("PSU-IP-Address", "192.0.2.1");
    client.with("TPP-Explicit-Authorisation-Preferred", "true")
}

/// An instant payment that the customer has authorised. Returns its path.
async fn create_authorised_payment(program: &ServerProcess) -> String {
    let (tpp, psu) = (api_client(program), &program.sandbox_file["psus"][JONAS]);
    let order = json!({
        "debtorAccount": { "iban": psu["accounts"][0]["iban"] },
        "instructedAmount": { "currency": "EUR", "amount": "0.01" },
        "creditorAccount": { "iban": "DE89370400440532013000" },
        "creditorName": "Anna Muster",
    });
    let created = tpp.post(PRODUCT, &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    let path = format!("{PRODUCT}/{}", created.text("/paymentId"));
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    let password = json!({ "psuData": { "password": psu["password"] } });
    tpp.put(&own, &password).await;
    let last = tpp.put(&own, &json!({ "scaAuthenticationData": program.sandbox_file["otp"] })).await;
    assert_eq!(last.text("/scaStatus"), "finalised", "{last:?}");
    path
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instant_payments_are_sent_once_and_resolved_despite_a_crash() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let (url, received) = start_gateway().await;
    let (config, token) = (directory.path().join("trapeza.toml"), directory.path().join("token"));
    std::fs::write(&token, "token").unwrap();
    let settings = format!("[instant_clearing]\nurl = {url:?}\ntoken_file = {:?}\n", token.to_str().unwrap());
    std::fs::write(&config, settings).unwrap();
    let options = ["--config", config.to_str().unwrap()];
    let mut programs = two_processes(&database, directory.path(), &options).await;
    let mut paths = Vec::new();
    for number in 0..PAYMENTS {
        paths.push(create_authorised_payment(&programs[number % 2]).await);
        // Both are killed in turn, with submissions that wait for their response.
        if number % 2 == 1 {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let killed = (number / 2) % 2;
            programs[killed].kill();
            let data = programs[killed].data.clone();
            programs[killed] = ServerProcess::sandbox(&data, &database.url(), &options).await;
        }
    }
    // Past the first status query about those that were rejected at their deadline.
    let advance = json!({ "advance": "PT5M" });
    let (store, started) = (database.open(), Instant::now());
    loop {
        programs[0].anonymous().post("/sandbox/clock", &advance).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        let open = "SELECT COUNT(*) FROM instant_submission WHERE next_at IS NOT NULL";
        if query_number(&store, open).await == 0 {
            break;
        }
        assert!(started.elapsed() < Duration::from_secs(90), "submissions stay open");
    }
    let tpp = api_client(&programs[0]);
    for path in &paths {
        let status = tpp.get(path).await.text("/transactionStatus").to_owned();
        assert!(["ACSC", "RJCT"].contains(&status.as_str()), "{path}: {status}");
    }
    let mut sent = received.lock().unwrap().clone();
    let count = i64::try_from(sent.len()).unwrap();
    sent.sort();
    sent.dedup();
    assert_eq!(i64::try_from(sent.len()).unwrap(), count, "none was sent twice");
    assert!(count > 0, "some were sent");
    // What the gateway has accepted is debited from the payer, or on the suspense account if it was rejected before.
    let settled = query_number(
        &store,
        "SELECT COUNT(*) FROM payment WHERE product LIKE 'instant%' AND status = 'ACSC'",
    );
    let late = query_number(&store, "SELECT COUNT(*) FROM instant_submission WHERE status = 'late'");
    assert_eq!(settled.await + late.await, count);
    let data = programs[0].data.clone();
    programs.iter_mut().for_each(|program| assert!(program.terminate().success()));
    let words = ["ledger", "check", "--data", data.to_str().unwrap(), "--database", &database.url()];
    let check = process::run(&words);
    assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stdout));
}
