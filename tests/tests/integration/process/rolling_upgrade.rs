//! A rolling upgrade on PostgreSQL: a server of the old version goes on while the schema is expanded, one of the new version joins, and
//! the old one is stopped, all of it under load.
//!
//! Nothing was released yet, so that both servers are the same program. What makes the second one "new" is the schema: a migration
//! that this program does not know was applied before it starts, as the migration of the next version would be. Therefore the test
//! shows that a program works on a schema that was expanded after it was built, while it runs and when it starts.

use crate::concurrency::revocation::{second_process, two_data_directories};
use crate::http::payment::{ELENI, INTERNAL, JONAS, text};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tokio::task::JoinSet;
use trapeza_testkit::ApiClient;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::{self, ServerProcess};

/// The migration of the next version: new columns that may be empty, a table and an index, and the row that declares them compatible
/// with this program.
const EXPAND: &str = "BEGIN;
    ALTER TABLE payment ADD COLUMN purpose_code TEXT;
    ALTER TABLE consent ADD COLUMN channel TEXT;
    ALTER TABLE ledger_account ADD COLUMN branch BIGINT;
    CREATE TABLE payment_template (id BIGINT PRIMARY KEY, payment UUID NOT NULL);
    CREATE INDEX payment_purpose_code ON payment (purpose_code);
    INSERT INTO migration (name, number, minimum_number) VALUES ('0002_expand', 2, 1);
    COMMIT";

/// A migration that removes what this program uses.
const CONTRACT: &str = "INSERT INTO migration (name, number, minimum_number) VALUES ('0003_contract', 3, 2)";

/// Between two requests of a caller. In a database that is almost empty all rows are on the same pages, and PostgreSQL takes
/// transactions for conflicting that are not: more load would end in transactions that are given up, with any version.
const PAUSE: Duration = Duration::from_millis(20);

/// The servers that requests are sent to, in turn, as a load balancer does.
#[derive(Clone)]
struct Balancer {
    servers: Arc<RwLock<Vec<ApiClient>>>,
    served: Arc<AtomicUsize>,
}

impl Balancer {
    fn set(&self, servers: &[&ServerProcess]) {
        let clients = servers.iter().map(|server| server.tpp(0).with("pSUIPAddress", "192.0.2.1"));
        *self.servers.write().unwrap() = clients.collect();
    }

    /// A client of the next server, for this customer.
    fn next(&self, psu: &Value) -> ApiClient {
        let servers = self.servers.read().unwrap();
        let server = &servers[self.served.fetch_add(1, Ordering::SeqCst) % servers.len()];
        server.clone().with("PSU_ID", text(&psu["psu_id"]))
    }

    async fn wait_for(&self, more: usize) {
        let target = self.served.load(Ordering::SeqCst) + more;
        while self.served.load(Ordering::SeqCst) < target {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

fn order(payer: &Value, payee: &Value) -> Value {
    json!({
        "debtorAccount": { "iban": payer["accounts"][0]["iban"] },
        "instructedAmount": { "currency": "EUR", "Amount": "0.01" },
        "creditorAccount": { "iban": payee["accounts"][0]["iban"] },
        "creditorName": payee["name"],
    })
}

/// Initiates payments and creates consents until it is stopped; every request must succeed. Returns the paths of what was created.
fn start_load(
    balancer: &Balancer,
    payer: &Value,
    order: &Value,
    stop: &Arc<AtomicBool>,
) -> JoinSet<Vec<String>> {
    let consent = json!({
        "access": { "allPsd2": "allAccounts" },
        "recurringIndicator": true, "validUntil": "2099-12-31", "frequencyPerDay": 4,
    });
    let mut callers = JoinSet::new();
    for caller in 0..2 {
        let (balancer, payer, stop) = (balancer.clone(), payer.clone(), stop.clone());
        let (path, body, id, status) = match caller {
            0 => (INTERNAL, order.clone(), "/paymentId", 200),
            _ => ("/v1/consents", consent.clone(), "/consentId", 201),
        };
        callers.spawn(async move {
            let mut created = Vec::new();
            while !stop.load(Ordering::SeqCst) {
                let response = balancer.next(&payer).post(path, &body).await;
                assert_eq!(response.status, status, "{response:?}");
                created.push(format!("{path}/{}", response.text(id)));
                tokio::time::sleep(PAUSE).await;
            }
            created
        });
    }
    callers
}

/// Initiates and authorises a payment, each step on the next server, and returns its path.
async fn authorised(balancer: &Balancer, order: &Value, psu: &Value, otp: &Value) -> String {
    let path = format!("{INTERNAL}/{}", balancer.next(psu).post(INTERNAL, order).await.text("/paymentId"));
    let started = balancer.next(psu).post(&format!("{path}/authorisations"), &json!({})).await;
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    balancer.next(psu).put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
    let last = balancer.next(psu).put(&own, &json!({ "scaAuthenticationData": otp })).await;
    assert_eq!(last.text("/scaStatus"), "finalised", "{last:?}");
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn rolling_upgrade_under_load_fails_no_request_and_loses_nothing() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let (one, two) = two_data_directories(directory.path());
    let mut old = ServerProcess::sandbox(&one, &database.url(), &[]).await;
    let (jonas, otp) = (old.sandbox_file["psus"][JONAS].clone(), old.sandbox_file["otp"].clone());
    let eleni = old.sandbox_file["psus"][ELENI].clone();
    let order = order(&jonas, &eleni);
    let balancer = Balancer { servers: Arc::default(), served: Arc::default() };
    let stop = Arc::new(AtomicBool::new(false));
    let mut booked = Vec::new();

    balancer.set(&[&old]);
    let callers = start_load(&balancer, &eleni, &self::order(&eleni, &jonas), &stop);
    booked.push(authorised(&balancer, &order, &jonas, &otp).await);
    balancer.wait_for(50).await;

    database.tamper(EXPAND);
    booked.push(authorised(&balancer, &order, &jonas, &otp).await);
    balancer.wait_for(50).await;

    let new = second_process(&database, &one, &two, &[]).await;
    assert!(new.log().contains("was migrated by a newer program"), "the start is logged");
    balancer.set(&[&old, &new]);
    booked.push(authorised(&balancer, &order, &jonas, &otp).await);
    booked.push(authorised(&balancer, &order, &jonas, &otp).await);
    balancer.wait_for(50).await;

    // Requests in progress at the old server are finished by its shutdown.
    balancer.set(&[&new]);
    let stopped = tokio::task::spawn_blocking(move || old.terminate()).await.unwrap();
    assert!(stopped.success(), "{stopped}");
    booked.push(authorised(&balancer, &order, &jonas, &otp).await);
    balancer.wait_for(50).await;
    stop.store(true, Ordering::SeqCst);

    let client = balancer.next(&jonas);
    let created: Vec<String> = callers.join_all().await.concat();
    assert!(created.len() > 100, "{}", created.len());
    for path in &created {
        assert_eq!(client.get(path).await.status, 200, "{path}");
    }
    for path in &booked {
        assert_eq!(client.get(path).await.text("/transactionStatus"), "ACCC", "{path}");
    }
    let url = database.url();
    for command in [["ledger", "check"], ["audit", "verify"]] {
        let output =
            process::run(&[&command[..], &["--data", two.to_str().unwrap(), "--database", &url]].concat());
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stdout));
    }

    // After a contract step this program must not start any more.
    database.tamper(CONTRACT);
    let migrate = process::run(&["migrate", "--data", one.to_str().unwrap(), "--database", &url]);
    let text = String::from_utf8_lossy(&migrate.stdout);
    assert_eq!(migrate.status.code(), Some(1), "{text}");
    assert!(text.contains("0003_contract, which requires a program with the migration 0002"), "{text}");
}
