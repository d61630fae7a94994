//! Things that happen at the same time: one order of them is chosen, and everybody is reported of that one.

use rstest::rstest;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use trapeza_domain::consent::ConsentKind;
use trapeza_domain::id::{ApplicationId, ConsentId};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::process::ServerProcess;
use trapeza_testkit::{ApiClient, TestBank, iterations};

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn order() -> Value {
    json!({
        "access": { "allPsd2": "allAccounts" },
        "recurringIndicator": true,
        "validUntil": "2099-12-31",
        "frequencyPerDay": 4,
    })
}

/// A consent that the domain itself has authorised: the customer's part is reported in other tests, and takes its time.
async fn granted(bank: &TestBank, tpp: &ApiClient) -> String {
    let created = tpp.post("/v1/consents", &order()).await;
    let id = created.text("/consentId").to_owned();
    let application = ApplicationId::parse(text(&bank.sandbox_file["tpps"][0]["client_id"])).unwrap();
    let (consent, now) = (ConsentId::parse(&id).unwrap(), bank.app.now());
    let done = bank.app.store().write(move |tx| {
        let found =
            tx.consent_lock(application, consent, ConsentKind::Access)?.expect("the consent is there");
        let (valid, _) = found.authorise(now)?;
        Ok(tx.consent_update(&valid)?)
    });
    done.await.unwrap();
    id
}

/// So many authorisations of one customer that wait for their password: their paths.
async fn begun(tpp: &ApiClient, count: usize) -> Vec<String> {
    let mut own = Vec::new();
    for _ in 0..count {
        let created = tpp.post("/v1/consents", &order()).await;
        let path = format!("/v1/consents/{}/authorisations", created.text("/consentId"));
        let started = tpp.post(&path, &json!({})).await;
        own.push(format!("{path}/{}", started.text("/authorisationId")));
    }
    own
}

/// Each pair: a consent is terminated while it is used. A read that starts after the 204 returns no data.
const PAIRS: usize = 250;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn read_after_revocation_returns_no_data(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let psu = text(&bank.sandbox_file["psus"][1]["psu_id"]).to_owned();
    let tpp = bank.tpp(0).with("PSU_ID", &psu);
    let (mut before, mut after) = (0, 0);
    for round in 0..iterations(PAIRS) {
        let id = granted(&bank, &tpp).await;
        let reader = bank.tpp(0).with("consentID", &id).with("pSUIPAddress", "192.0.2.1");
        let path = format!("/v1/consents/{id}");
        // Both orders of sending are tried, so that both outcomes of the race occur.
        let (ended, during) = if round % 2 == 0 {
            tokio::join!(tpp.delete(&path), reader.get("/v1/accounts"))
        } else {
            let (during, ended) = tokio::join!(reader.get("/v1/accounts"), tpp.delete(&path));
            (ended, during)
        };
        assert_eq!(ended.status, 204, "{ended:?}");
        match during.status {
            200 => before += 1,
            401 => after += 1,
            _ => panic!("{during:?}"),
        }
        let late = reader.get("/v1/accounts").await;
        assert_eq!(late.status, 401, "{late:?}");
        assert!(late.body.get("accounts").is_none());
    }
    println!("read before the revocation: {before}, refused: {after}");
    assert!(before > 0 && after > 0, "both outcomes must occur: {before} and {after}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_right_codes_finalise_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let psu = bank.sandbox_file["psus"][1].clone();
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let created = tpp.post("/v1/consents", &order()).await;
    let path = format!("/v1/consents/{}/authorisations", created.text("/consentId"));
    let started = tpp.post(&path, &json!({})).await;
    let own = format!("{path}/{}", started.text("/authorisationId"));
    let password = tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
    assert_eq!(password.text("/scaStatus"), "scaMethodSelected");
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (tpp, own) = (tpp.clone(), own.clone());
        calls.spawn(async move {
            loop {
                let answer = tpp.put(&own, &json!({ "scaAuthenticationData": "123456" })).await;
                if answer.status != 503 {
                    return answer;
                }
            }
        });
    }
    let answers = calls.join_all().await;
    let finalised = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(finalised, 1, "{answers:?}");
    assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 400 | 401)));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_right_passwords_are_all_accepted(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let psu = bank.sandbox_file["psus"][1].clone();
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let mut calls = tokio::task::JoinSet::new();
    for own in begun(&tpp, 8).await {
        let (tpp, body) = (tpp.clone(), json!({ "psuData": { "password": psu["password"] } }));
        calls.spawn(async move { tpp.put(&own, &body).await });
    }
    for answer in calls.join_all().await {
        assert_eq!((answer.status, answer.text("/scaStatus")), (200, "scaMethodSelected"), "{answer:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_wrong_passwords_block_the_channel(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let psu = bank.sandbox_file["psus"][1].clone();
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let mut own = begun(&tpp, 9).await;
    let last = own.pop().unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for own in own {
        let (tpp, body) = (tpp.clone(), json!({ "psuData": { "password": "guessed" } }));
        calls.spawn(async move { tpp.put(&own, &body).await.status });
    }
    assert!(calls.join_all().await.iter().all(|status| *status == 401));
    let counted = bank.app.store().read(|tx| {
        Ok(tx.query_one("SELECT failures FROM sca_counter WHERE kind = 'password'", &[], |row| {
            row.read::<i64>()
        })?)
    });
    assert_eq!(counted.await.unwrap(), 8);
    let right = tpp.put(&last, &json!({ "psuData": { "password": psu["password"] } })).await;
    assert_eq!(right.status, 401, "after eight wrong ones it is not evaluated: {right:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_wrong_codes_count_as_three_attempts(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let bank = TestBank::start(database).await;
    let psu = bank.sandbox_file["psus"][1].clone();
    let tpp = bank.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let created = tpp.post("/v1/consents", &order()).await;
    let path = format!("/v1/consents/{}/authorisations", created.text("/consentId"));
    let started = tpp.post(&path, &json!({})).await;
    let own = format!("{path}/{}", started.text("/authorisationId"));
    tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (tpp, own) = (tpp.clone(), own.clone());
        calls.spawn(async move {
            loop {
                let answer = tpp.put(&own, &json!({ "scaAuthenticationData": "000000" })).await;
                if answer.status != 503 {
                    return answer.status;
                }
            }
        });
    }
    assert!(calls.join_all().await.iter().all(|status| matches!(status, 400 | 401)));
    let failures = bank.app.store().read(|tx| {
        Ok(tx.query_one("SELECT COUNT(*) FROM sca_event WHERE kind = 'failure'", &[], |row| {
            row.read::<i64>()
        })?)
    });
    assert_eq!(failures.await.unwrap(), 3, "three were looked at, and no more");
    // The code is used up: even the right one comes too late.
    let late = tpp.put(&own, &json!({ "scaAuthenticationData": "123456" })).await;
    assert_ne!(late.status, 200, "{late:?}");
}

/// Two processes of one bank: one database, one secret, one clearing folder, a data directory each.
pub async fn two_processes(database: &Database, directory: &Path, more: &[&str]) -> [ServerProcess; 2] {
    let (one, two) = two_data_directories(directory);
    let first = ServerProcess::sandbox(&one, &database.url(), more).await;
    [first, second_process(database, &one, &two, more).await]
}

/// Their data directories.
pub fn two_data_directories(directory: &Path) -> (PathBuf, PathBuf) {
    (directory.join("one"), directory.join("two"))
}

/// Starts the second process of the bank whose first one has the data directory `one`.
pub async fn second_process(database: &Database, one: &Path, two: &Path, more: &[&str]) -> ServerProcess {
    std::fs::create_dir(two).unwrap();
    std::fs::copy(one.join("secret.key"), two.join("secret.key")).unwrap();
    std::fs::set_permissions(two.join("secret.key"), PermissionsExt::from_mode(0o600)).unwrap();
    std::fs::set_permissions(two, PermissionsExt::from_mode(0o700)).unwrap();
    std::os::unix::fs::symlink(one.join("clearing"), two.join("clearing")).unwrap();
    ServerProcess::sandbox(two, &database.url(), more).await
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_right_passwords_are_accepted_by_two_processes() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let programs = two_processes(&database, directory.path(), &[]).await;
    let psu = programs[0].sandbox_file["psus"][1].clone();
    let tpps = programs.each_ref().map(|program| program.tpp(0).with("PSU_ID", text(&psu["psu_id"])));
    let mut calls = tokio::task::JoinSet::new();
    for (number, own) in begun(&tpps[0], 8).await.into_iter().enumerate() {
        let (tpp, body) = (tpps[number % 2].clone(), json!({ "psuData": { "password": psu["password"] } }));
        calls.spawn(async move { tpp.put(&own, &body).await });
    }
    for answer in calls.join_all().await {
        assert_eq!((answer.status, answer.text("/scaStatus")), (200, "scaMethodSelected"), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_share_quota_and_revocation() {
    let (database, directory) = (Database::new(Engine::Postgres), tempfile::tempdir().unwrap());
    let [first, second] = two_processes(&database, directory.path(), &[]).await;

    let psu = first.sandbox_file["psus"][1].clone();
    let tpp = first.tpp(0).with("PSU_ID", text(&psu["psu_id"]));
    let created = tpp.post("/v1/consents", &order()).await;
    let path = format!("/v1/consents/{}", created.text("/consentId"));
    let started = tpp.post(&format!("{path}/authorisations"), &json!({})).await;
    let own = format!("{path}/authorisations/{}", started.text("/authorisationId"));
    tpp.put(&own, &json!({ "psuData": { "password": psu["password"] } })).await;
    let last = tpp.put(&own, &json!({ "scaAuthenticationData": first.sandbox_file["otp"] })).await;
    assert_eq!(last.text("/scaStatus"), "finalised");

    let readers =
        [&first, &second].map(|program| program.tpp(0).with("consentID", created.text("/consentId")));
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..100 {
        let reader = readers[number % 2].clone();
        calls.spawn(async move {
            loop {
                let status = reader.get("/v1/accounts").await.status;
                if status != 503 {
                    return status;
                }
            }
        });
    }
    let answers = calls.join_all().await;
    assert_eq!(answers.iter().filter(|status| **status == 200).count(), 4, "{answers:?}");

    assert_eq!(tpp.delete(&path).await.status, 204);
    let elsewhere = readers[1].clone().with("pSUIPAddress", "192.0.2.1").get("/v1/accounts").await;
    assert_eq!(elsewhere.status, 401, "the other process knows at once: {elsewhere:?}");
}
