//! Commands that change third parties and customers while the server runs.

use super::production;
use rstest::rstest;
use serde_json::{Value, json};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ServerProcess};

/// A sandbox on either engine.
pub(super) struct Sandbox {
    pub(super) program: ServerProcess,
    database: Database,
    pub(super) directory: tempfile::TempDir,
}

impl Sandbox {
    pub(super) async fn start(engine: Engine) -> Self {
        Self::start_with(engine, &[]).await
    }

    pub(super) async fn start_with(engine: Engine, more: &[&str]) -> Self {
        let (database, directory) = (Database::new(engine), tempfile::tempdir().unwrap());
        let program = ServerProcess::sandbox(&directory.path().join("data"), &database.url(), more).await;
        Self { program, database, directory }
    }

    /// Starts the server again on the same data.
    pub(super) async fn restart(&mut self) {
        let data = self.directory.path().join("data");
        self.program = ServerProcess::sandbox(&data, &self.database.url(), &[]).await;
    }

    /// Runs commands in another thread.
    pub(super) fn command(&self) -> impl Fn(&[&str]) -> (String, bool) + Send + use<> {
        let data = self.directory.path().join("data").to_str().unwrap().to_owned();
        move |arguments| production::run_with("", &[arguments, &["--data", &data]].concat())
    }

    /// Runs a command with a line on its standard input; what it printed, and whether it succeeded.
    pub(super) fn run_with(&self, line: &str, arguments: &[&str]) -> (String, bool) {
        let data = self.directory.path().join("data");
        production::run_with(line, &[arguments, &["--data", data.to_str().unwrap()]].concat())
    }

    pub(super) fn run(&self, arguments: &[&str]) -> String {
        let (text, succeeded) = self.run_with("", arguments);
        assert!(succeeded, "{arguments:?}: {text}");
        text
    }

    pub(super) fn refused(&self, arguments: &[&str]) -> String {
        let (text, succeeded) = self.run_with("", arguments);
        assert!(!succeeded, "{arguments:?}: {text}");
        text
    }

    /// Whether an event names the user who runs the tests, as the operating system reports it.
    pub(super) fn audited(&self, action: &str) -> bool {
        let user = std::fs::metadata("/proc/self").unwrap().uid();
        let sql = format!(
            "SELECT COUNT(*) FROM audit_event WHERE action = '{action}' AND actor = 'operator:{user}'"
        );
        self.number(&sql) > 0
    }

    /// The result of a query.
    pub(super) fn number(&self, sql: &str) -> i64 {
        match self.database.directory() {
            None => self.database.number(sql),
            Some(_) => count(&self.directory.path().join("data").join("trapeza.db"), sql),
        }
    }

    pub(super) fn psu(&self) -> &Value {
        &self.program.sandbox_file["psus"][1]
    }

    /// A new consent of the second customer, who has one method, and its authorisation up to the password.
    async fn password_step(&self, password: &str) -> u16 {
        let tpp = self.program.tpp(0).with("PSU_ID", self.psu()["psu_id"].as_str().unwrap());
        let consent = tpp.post("/v1/consents", &order()).await;
        let path = format!("/v1/consents/{}/authorisations", consent.text("/consentId"));
        let started = tpp.post(&path, &json!({})).await;
        let own = format!("{path}/{}", started.text("/authorisationId"));
        tpp.put(&own, &json!({ "psuData": { "password": password } })).await.status
    }
}

fn count(file: &Path, sql: &str) -> i64 {
    let connection = rusqlite::Connection::open(file).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn order() -> Value {
    json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    })
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn disabled_application_is_refused_until_it_is_enabled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let sandbox = Sandbox::start(engine).await;
    let file = &sandbox.program.sandbox_file;
    let (tpp, merchant) = (
        file["tpps"][1]["client_id"].as_str().unwrap(),
        file["merchants"][0]["application_id"].as_str().unwrap(),
    );
    let consent =
        async |client: ApiClient| client.with("PSU_ID", "x").post("/v1/consents", &order()).await.status;
    assert_eq!(consent(sandbox.program.tpp(1)).await, 201);
    assert_eq!(sandbox.program.merchant(0).get("/configuration").await.status, 200);
    for id in [tpp, merchant] {
        assert!(sandbox.run(&["application", "disable", id]).contains("disabled"));
    }
    assert_eq!(consent(sandbox.program.tpp(1)).await, 401, "the very next request");
    assert_eq!(sandbox.program.merchant(0).get("/configuration").await.status, 401);
    assert_eq!(consent(sandbox.program.tpp(0)).await, 201, "others are not concerned");
    assert!(sandbox.run(&["application", "list"]).contains("(disabled)"));
    for id in [tpp, merchant] {
        assert!(!sandbox.run(&["application", "enable", id]).contains("disabled"));
    }
    assert_eq!(consent(sandbox.program.tpp(1)).await, 201);
    assert_eq!(sandbox.program.merchant(0).get("/configuration").await.status, 200);
    assert!(sandbox.audited("application.disabled") && sandbox.audited("application.enabled"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn removed_key_is_refused_and_the_other_stays(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let sandbox = Sandbox::start(engine).await;
    let id = sandbox.program.sandbox_file["tpps"][0]["client_id"].as_str().unwrap();
    let consent =
        async |client: ApiClient| client.with("PSU_ID", "x").post("/v1/consents", &order()).await.status;
    let issued = sandbox.run(&["application", "key", id]);
    let new = issued.lines().find_map(|line| line.strip_prefix("key       ")).unwrap();
    let new = new.split_whitespace().next().unwrap().to_owned();
    let shown = sandbox.run(&["application", "show", id]);
    let keys: Vec<&str> = shown.lines().filter_map(|line| line.strip_prefix("key          ")).collect();
    assert_eq!(keys.len(), 2, "{shown}");
    let first = keys[0].split_whitespace().next().unwrap();
    let refused = sandbox.refused(&["application", "remove-key", id, "00000000"]);
    assert!(refused.starts_with("key: "), "{refused}");
    let shown = sandbox.run(&["application", "remove-key", id, first]);
    assert_eq!((shown.matches("retired").count(), shown.matches("active").count()), (1, 1), "{shown}");
    assert_eq!(consent(sandbox.program.tpp(0)).await, 401, "the very next request");
    let other = sandbox.program.tpp(0).without("Ocp-Apim-Subscription-Key");
    assert_eq!(consent(other.with("Ocp-Apim-Subscription-Key", &new)).await, 201);
    sandbox.refused(&["application", "remove-key", id, first]);
    assert!(sandbox.audited("application.key_removed"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn redirect_uris_of_an_application_are_changed(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let sandbox = Sandbox::start(engine).await;
    let id = sandbox.program.sandbox_file["tpps"][0]["client_id"].as_str().unwrap();
    let set = ["application", "set", id, "--redirect-uri"];
    let refused = sandbox.refused(&[&set[..], &["javascript:alert(1)"]].concat());
    assert!(refused.starts_with("redirect-uri: "), "{refused}");
    let shown = sandbox.run(&[&set[..], &["https://new.example/back"]].concat());
    assert!(shown.contains("redirect     https://new.example/back") && !shown.contains("9090"), "{shown}");
    assert!(sandbox.audited("application.changed"));

    let tpp = sandbox.program.tpp(0).with("PSU_ID", "x");
    let consent = tpp.post("/v1/consents", &order()).await;
    let path = format!("/v1/consents/{}/authorisations", consent.text("/consentId"));
    let start = async |uri: &str| {
        let redirecting = tpp.clone().with("TPP-Redirect-Preferred", "true").with("TPP-Redirect-URI", uri);
        redirecting.post(&path, &json!({})).await.status
    };
    assert_eq!(start("http://127.0.0.1:9090/back").await, 400, "the old one is not registered any more");
    assert_eq!(start("https://new.example/back").await, 200);
    let merchant = sandbox.program.sandbox_file["merchants"][0]["application_id"].as_str().unwrap();
    sandbox.refused(&["application", "set", merchant, "--redirect-uri", "https://shop.example/back"]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_with_a_reset_password_signs_in_with_the_new_one_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let sandbox = Sandbox::start(engine).await;
    let (login, old) =
        (sandbox.psu()["psu_id"].as_str().unwrap(), sandbox.psu()["password"].as_str().unwrap());
    assert_eq!(sandbox.password_step(old).await, 200);
    let (short, succeeded) = sandbox.run_with("short\n", &["psu", "reset-password", login]);
    assert!(!succeeded && short.starts_with("password: "), "{short}");
    let (reset, succeeded) = sandbox.run_with("new-harbour-18\n", &["psu", "reset-password", login]);
    assert!(succeeded, "{reset}");
    assert_eq!(sandbox.password_step(old).await, 401);
    assert_eq!(sandbox.password_step("new-harbour-18").await, 200);
    assert!(sandbox.audited("psu.password_reset"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn code_is_sent_to_the_changed_telephone_number(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let sandbox = Sandbox::start(engine).await;
    let login = sandbox.psu()["psu_id"].as_str().unwrap();
    let refused = sandbox.refused(&["psu", "set", login, "--phone", "123"]);
    assert!(refused.starts_with("phone: "), "{refused}");
    let shown =
        sandbox.run(&["psu", "set", login, "--phone", "+4915100000099", "--name", "Jonas Maria Weber"]);
    assert!(shown.contains("+4915100000099") && shown.contains("Jonas Maria Weber"), "{shown}");
    assert_eq!(sandbox.password_step(sandbox.psu()["password"].as_str().unwrap()).await, 200);
    let messages = sandbox.program.anonymous().get("/sandbox/messages").await;
    assert_eq!(messages.text("/messages/0/to"), "+4915100000099", "{messages:?}");
    assert!(sandbox.audited("psu.changed"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_is_closed_when_accounts_are_empty(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let sandbox = Sandbox::start(engine).await;
    let login = sandbox.psu()["psu_id"].as_str().unwrap();
    let refused = sandbox.refused(&["psu", "close", login]);
    assert!(refused.contains("is not empty"), "{refused}");

    let add = ["psu", "add", "--login", "anna", "--name", "Anna Example", "--phone", "+306912345678"];
    let (added, succeeded) = sandbox.run_with("olive-tree-7\n", &add);
    assert!(succeeded, "{added}");
    let account = ["psu", "account", "add", "anna", "--bic", "TRPZGRAA", "--account"];
    let shown = sandbox.run(&[&account[..], &["GR1601101250000000012300695"]].concat());
    assert!(shown.contains("GR1601101250000000012300695  EUR  enabled"), "{shown}");
    sandbox.refused(&[&account[..], &["GR1601101250000000012300695"]].concat());

    sandbox.run(&["psu", "close", "anna"]);
    assert!(!sandbox.run(&["psu", "list"]).contains("anna"));
    let again = sandbox.refused(&["psu", "close", "anna"]);
    assert!(again.contains("no customer"), "{again}");
    let browser_login = sandbox.run_with("olive-tree-7\n", &add);
    assert!(!browser_login.1, "the login stays reserved");
    assert!(sandbox.audited("psu.closed") && sandbox.audited("account.status_set"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn portal_commands_invite_and_list(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let sandbox = Sandbox::start(engine).await;
    let invited = sandbox.run(&["portal", "invite", "Eleni@example.org"]);
    assert!(invited.contains("eleni@example.org (owner)"), "{invited}");
    let path =
        invited.split_whitespace().find(|word| word.starts_with("/portal/sign-up?invitation=")).unwrap();
    let page = reqwest::get(format!("{}{path}", sandbox.program.base_url)).await.unwrap();
    assert_eq!(page.status(), 200);
    assert!(sandbox.audited("invitation.created"));
    assert_eq!(sandbox.run(&["portal", "list"]), "no organisations\n");
    assert!(sandbox.refused(&["portal", "invite", "eleni"]).contains("email: must be an e-mail address"));
    let refused = sandbox.refused(&["portal", "invite", "a@example.org", "--role", "viewer"]);
    assert!(refused.contains("role: the first member"), "{refused}");
    let unknown = "00000000-0000-4000-8000-000000000001";
    let refused = sandbox.refused(&["portal", "invite", "a@example.org", "--organisation", unknown]);
    assert!(refused.contains("organisation: unknown organisation"), "{refused}");
}
