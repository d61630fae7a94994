//! A bank in production: mutual TLS, an operator who lets a third party in, and nothing of the sandbox.

use clap::Parser as _;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use trapeza::admin;
use trapeza::cli::Cli;
use trapeza::command::{AdminCall, AdminRequest};
use trapeza::demo::authority::{ApplicationOwner, Authority, Issued, Validity};
use trapeza_domain::application::Role;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_testkit::process;

/// A running bank, its address and how to trust it.
pub(super) struct Production {
    pub(super) child: Child,
    pub(super) port: u16,
    /// Of metrics and health.
    pub(super) monitoring_port: u16,
    /// Of the console.
    pub(super) console_port: u16,
    pub(super) roots: RootCertStore,
}

impl Drop for Production {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Timestamp(i64::try_from(since.as_micros()).unwrap())
}

/// A bank in the directory, with its configuration `bank.toml`, its log `bank.log` and a certificate of its own.
pub(super) async fn open(directory: &Path, authority: &Authority) -> Production {
    open_with(directory, &authority.certificate_pem(), "", "").await
}

/// The same with more settings in the sections `[tls]` and `[callers]`. The bank has no TLS when it is behind a proxy.
pub(super) async fn open_with(directory: &Path, client_ca: &str, tls: &str, callers: &str) -> Production {
    let key = rcgen::KeyPair::generate().unwrap();
    let own = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let free = [(); 3].map(|()| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let [port, monitoring_port, console_port] = free.map(|listener| listener.local_addr().unwrap().port());
    let write = |name: &str, content: &[u8]| {
        let file = directory.join(name);
        std::fs::write(&file, content).unwrap();
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&file, private).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (certificate, key) =
        (write("own.pem", own.pem().as_bytes()), write("own.key", key.serialize_pem().as_bytes()));
    let client_ca = write("ca.pem", client_ca.as_bytes());
    let secret: Vec<u8> = (0..4).flat_map(|_| *fresh().as_bytes()).collect();
    let secret = write("secret", &secret);
    let data = directory.join("data");
    let files = match callers.contains("proxy") {
        false => format!("certificate = {certificate:?}\nkey = {key:?}\nclient_ca = {client_ca:?}\n"),
        true => String::new(),
    };
    let config = format!(
        "listen = \"127.0.0.1:{port}\"\npublic_url = \"https://localhost:{port}\"\ndata = {data:?}\n\
         secret_file = {secret:?}\n[tls]\n{files}{tls}[callers]\n{callers}\
         [metrics]\nlisten = \"127.0.0.1:{monitoring_port}\"\n[console]\nlisten = \"127.0.0.1:{console_port}\"\n"
    );
    let file = write("bank.toml", config.as_bytes());
    let log = std::fs::File::create(directory.join("bank.log")).unwrap();
    let child =
        Command::new(process::binary()).args(["serve", "--config", &file]).stderr(log).spawn().unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(own.der().clone()).unwrap();
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    Production { child, port, monitoring_port, console_port, roots }
}

/// How a client reaches a bank.
pub(super) struct TlsClient {
    port: u16,
    roots: RootCertStore,
}

impl Production {
    /// A client that trusts other certificates.
    pub(super) fn with_roots(&self, roots: RootCertStore) -> TlsClient {
        TlsClient { port: self.port, roots }
    }

    /// One call on a connection of its own, with or without a client certificate. `None` when TLS refuses.
    pub(super) async fn call(&self, head: &str, body: &str, client: Option<&Issued>) -> Option<(u16, Value)> {
        self.with_roots(self.roots.clone()).call(head, body, client).await
    }
}

impl TlsClient {
    /// One call on a connection of its own, with or without a client certificate. `None` when TLS refuses.
    pub(super) async fn call(&self, head: &str, body: &str, client: Option<&Issued>) -> Option<(u16, Value)> {
        let (head, body) = self.exchange(head, body, client).await?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, serde_json::from_str(&body).unwrap_or(Value::Null)))
    }

    /// The same with the head and the body of the response as text.
    pub(super) async fn exchange(
        &self,
        head: &str,
        body: &str,
        client: Option<&Issued>,
    ) -> Option<(String, String)> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(self.roots.clone());
        let config = match client {
            None => config.with_no_client_auth(),
            Some(issued) => {
                let chain = vec![CertificateDer::from_pem_slice(issued.certificate_pem.as_bytes()).unwrap()];
                let key = PrivateKeyDer::from_pem_slice(issued.key_pem.as_bytes()).unwrap();
                config.with_client_auth_cert(chain, key).unwrap()
            }
        };
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.ok()?;
        let request = format!(
            "{head}Host: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some((head.to_owned(), body.to_owned()))
    }
}

/// Registers a third party with its certificate and returns what the command prints.
pub(super) fn add_application(config: &str, certificate: &str) -> String {
    let name = ["--name", "Kyklos", "--redirect-uri", "https://kyklos.example/back"];
    let command =
        [&["application", "add", "--config", config, "--certificate", certificate][..], &name].concat();
    let added = process::run(&command);
    assert!(added.status.success(), "{added:?}");
    String::from_utf8(added.stdout).unwrap()
}

pub(super) fn printed_value(lines: &str, name: &str) -> String {
    let line = lines.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {lines}"));
    line.split_whitespace().nth(1).unwrap().to_owned()
}

pub(super) fn reported(answer: &(u16, Value)) -> (u16, &str) {
    let text = answer.1.pointer("/tppMessages/0/text").and_then(Value::as_str).unwrap_or_default();
    (answer.0, text.split(':').next().unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn registered_third_party_authenticates_by_mutual_tls() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let holder = |organisation| ApplicationOwner {
        name: "Kyklos Finance",
        organisation,
        roles: &[Role::AccountInformation],
    };
    let good = authority.issue(holder("PSDGR-BOG-000001"), Validity::TenYears).unwrap();
    let other = authority.issue(holder("PSDGR-BOG-000002"), Validity::TenYears).unwrap();
    let other_authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let wrong_issuer = other_authority.issue(holder("PSDGR-BOG-000001"), Validity::TenYears).unwrap();
    let mut bank = open(directory.path(), &authority).await;

    let pem = directory.path().join("tpp.pem");
    std::fs::write(&pem, &good.certificate_pem).unwrap();
    let (config, pem) = (directory.path().join("bank.toml"), pem.to_str().unwrap().to_owned());
    let config = config.to_str().unwrap();
    let lines = add_application(config, &pem);
    assert!(lines.contains("PSP_AI") && lines.contains("PSDGR-BOG-000001"), "{lines}");
    let (client, key) = (printed_value(&lines, "ClientId"), printed_value(&lines, "key"));
    let listed = process::run(&["application", "list", "--config", config]);
    assert!(String::from_utf8(listed.stdout).unwrap().contains(&client));

    let body = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    })
    .to_string();
    let ask = |more: &str| {
        format!(
            "POST /v1/consents HTTP/1.1\r\nOcp-Apim-Subscription-Key: {key}\r\nClientId: {client}\r\n\
             x-Request-ID: {}\r\nPSU_ID: customer\r\n{more}",
            fresh()
        )
    };
    let made = bank.call(&ask(""), &body, Some(&good)).await.unwrap();
    assert_eq!(made.0, 201, "{made:?}");
    let none = bank.call(&ask(""), &body, None).await.unwrap();
    assert_eq!(reported(&none), (401, "CERTIFICATE_MISSING"));
    let header_only = format!("Certificate: {}\r\n", good.certificate_pem.replace('\n', " "));
    let public = bank.call(&ask(&header_only), &body, None).await.unwrap();
    assert_eq!(
        reported(&public),
        (401, "CERTIFICATE_MISSING"),
        "a certificate is public and alone proves nothing"
    );
    let foreign = bank.call(&ask(""), &body, Some(&other)).await.unwrap();
    assert_eq!(reported(&foreign), (401, "CERTIFICATE_INVALID"));
    let mixed = bank.call(&ask(&header_only), &body, Some(&other)).await.unwrap();
    assert_eq!(reported(&mixed), (401, "CERTIFICATE_INVALID"), "the header is not the connection's");
    assert!(
        bank.call(&ask(""), &body, Some(&wrong_issuer)).await.is_none(),
        "another authority's certificate"
    );
    let sandbox = bank.call("GET /sandbox/clock HTTP/1.1\r\n", "", None).await.unwrap();
    assert_eq!(sandbox.0, 404, "the sandbox's routes do not exist");

    let blocked = process::run(&[
        "application",
        "certificate",
        "--config",
        config,
        &client,
        "--certificate",
        &pem,
        "--status",
        "blocked",
    ]);
    assert!(blocked.status.success(), "{blocked:?}");
    let refused = bank.call(&ask(""), &body, Some(&good)).await.unwrap();
    assert_eq!(reported(&refused), (401, "CERTIFICATE_BLOCKED"), "the very next call");

    let ended = Command::new("kill").args(["-TERM", &bank.child.id().to_string()]).status().unwrap();
    assert!(ended.success());
    assert_eq!(bank.child.wait().unwrap().code(), Some(0));
}

/// The program refuses it before it asks the server; the server must not rely on that.
#[tokio::test(flavor = "multi_thread")]
async fn server_in_production_simulates_no_device() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let _bank = open(directory.path(), &authority).await;
    let method = fresh().to_string();
    let cli = Cli::parse_from(["trapeza", "device", "--method", &method, "123456"]);
    let trapeza::cli::Command::Device(device) = cli.command else { panic!("not a device command") };
    let call = AdminCall { database: None, request: AdminRequest::Device(device) };
    // The port is bound a moment before the admin socket.
    let response = loop {
        match admin::call(&directory.path().join("data"), &call).unwrap() {
            Some(response) => break response,
            None => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
        }
    };
    assert_eq!((response.text.as_str(), response.exit), ("only a sandbox simulates devices\n", 2));
}

/// Runs a command with a line on its standard input; what it printed, and whether it succeeded.
pub fn run_with(line: &str, arguments: &[&str]) -> (String, bool) {
    let mut child = Command::new(process::binary())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.success())
}

/// A command on the bank of this configuration, its words split at spaces.
fn reported_by(config: &str, words: &str, more: &[&str]) -> (String, bool) {
    let mut arguments: Vec<&str> = words.split(' ').collect();
    arguments.extend(["--config", config]);
    arguments.extend(more);
    run_with("olive-tree-7\n", &arguments)
}

/// Ids and secrets replaced by what they are.
fn redacted(text: &str) -> String {
    let word = |word: &str| match word {
        id if uuid::Uuid::try_parse(id).is_ok() => "[id]".to_owned(),
        secret if secret.starts_with("whsec_") => "[secret]".to_owned(),
        hex if hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => "[seed]".to_owned(),
        key if key.len() == 43 => "[key]".to_owned(),
        word => word.to_owned(),
    };
    let lines = text.lines().map(|line| line.split(' ').map(word).collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_commands_register_customers_and_merchants() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let holder = ApplicationOwner {
        name: "Kyklos Finance",
        organisation: "PSDGR-BOG-000001",
        roles: &[Role::AccountInformation],
    };
    let certificate = authority.issue(holder, Validity::TenYears).unwrap();
    let bank = open(directory.path(), &authority).await;
    let config = directory.path().join("bank.toml").to_str().unwrap().to_owned();
    let tell = |words: &str, more: &[&str]| reported_by(&config, words, more);
    let mut transcript = Vec::new();

    // Customers.
    transcript.push(tell("psu list", &[]));
    let phone = "psu add --login eleni --phone +306912345678 --method sms --method chip --bic TRPZGRAA";
    let account = ["--account", "GR1601101250000000012300695", "--name", "Eleni Papadaki"];
    transcript.push(tell(phone, &account));
    transcript.push(tell(phone, &account));
    let second = phone.replace("eleni", "eleni2");
    transcript.push(tell(&second, &account));
    let wrong = phone.replace("+306912345678", "690").replace("eleni", "eleni3");
    transcript.push(tell(&wrong, &account));
    let words =
        ["psu", "add", "--config", &config, "--login", "x", "--name", "X", "--phone", "+306912345678"];
    transcript.push(run_with("short\n", &words));
    transcript.push(tell("psu list", &[]));

    // Merchants.
    transcript.push(tell("merchant list", &[]));
    let terms = "merchant add --code PAPYRUS --number 1001 --minimum 30 --maximum 1500.00 --plan 3 --plan 12:9.99 --discount 2.5";
    let named = ["--name", "Papyrus Books", "--fail-callback", "https://shop.example/failed"];
    let added = tell(terms, &named);
    transcript.push(added.clone());
    transcript.push(tell(&terms.replace("1001", "1002"), &named));
    transcript
        .push(tell(&terms.replace("PAPYRUS", "OTHER").replace("--plan 3", "--plan 5"), &["--name", "Other"]));
    transcript.push(tell(
        "merchant add --code A --number 7 --minimum 1 --maximum 2 --plan 3",
        &["--name", "A", "--success-callback", "http://shop.example/"],
    ));
    transcript.push(tell(
        "merchant set PAPYRUS --maximum 2000 --plan 6:12.9 --discount 3",
        &["--fail-callback", ""],
    ));
    transcript.push(tell("merchant set UNKNOWN --maximum 2000", &[]));
    for iban in ["DE89370400440532013001", "TR330006100519786457841326", "DE89370400440532013000"] {
        transcript.push(tell(&format!("merchant set PAPYRUS --settlement-iban {iban}"), &[]));
    }
    transcript.push(tell("merchant payout PAPYRUS", &[]));
    transcript.push(tell("merchant payouts PAPYRUS", &[]));
    transcript.push(tell("merchant payout UNKNOWN", &[]));
    transcript.push(tell("merchant list", &[]));
    let transcript: Vec<String> = transcript
        .iter()
        .map(|(text, well)| format!("# {}\n{}", if *well { "done" } else { "refused" }, redacted(text)))
        .collect();
    insta::assert_snapshot!("seeded", transcript.join("\n"));

    // The merchant is authenticated, under its new terms.
    let (application, key) = (printed_value(&added.0, "X-Application-ID"), printed_value(&added.0, "key"));
    let merchant_fixture = format!("Ocp-Apim-Subscription-Key: {key}\r\nX-Application-ID: {application}\r\n");
    let terms =
        bank.call(&format!("GET /configuration HTTP/1.1\r\n{merchant_fixture}"), "", None).await.unwrap();
    assert_eq!((terms.0, &terms.1["plans"][0]["yearlyRate"]), (200, &json!(12.9)), "{terms:?}");
    let basket =
        json!({ "basketValue": 1999.5, "requestId": fresh().to_string(), "orderIdentifier": "order-1" })
            .to_string();
    let made = bank
        .call(&format!("POST /createbasket HTTP/1.1\r\n{merchant_fixture}"), &basket, None)
        .await
        .unwrap();
    assert_eq!(made.0, 201, "{made:?}");

    // The customer proves herself by the password that was typed.
    let pem = directory.path().join("tpp.pem");
    std::fs::write(&pem, &certificate.certificate_pem).unwrap();
    let (added, well) = tell("application add --name Kyklos", &["--certificate", pem.to_str().unwrap()]);
    assert!(well, "{added}");
    let (client, key) = (printed_value(&added, "ClientId"), printed_value(&added, "key"));
    let head = |line: &str| {
        format!(
            "{line} HTTP/1.1\r\nOcp-Apim-Subscription-Key: {key}\r\nClientId: {client}\r\nx-Request-ID: {}\r\nPSU_ID: eleni\r\n",
            fresh()
        )
    };
    let body = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    })
    .to_string();
    let consent = bank.call(&head("POST /v1/consents"), &body, Some(&certificate)).await.unwrap();
    let registered = consent.1["scaMethods"].as_array().unwrap().clone();
    let consent = format!("/v1/consents/{}/authorisations", consent.1["consentId"].as_str().unwrap());
    let started = bank.call(&head(&format!("POST {consent}")), "{}", Some(&certificate)).await.unwrap();
    let own = format!("{consent}/{}", started.1["authorisationId"].as_str().unwrap());
    // Nothing in the methods of a registered customer differs from those of an unknown one.
    let mut decoys = Vec::new();
    for number in 0..40 {
        let unknown = head("POST /v1/consents").replace("PSU_ID: eleni", &format!("PSU_ID: unknown{number}"));
        let created = bank.call(&unknown, &body, Some(&certificate)).await.unwrap();
        decoys.extend(created.1["scaMethods"].as_array().unwrap().clone());
    }
    for method in &registered {
        let same_kind = |decoy: &&Value| decoy["authenticationType"] == method["authenticationType"];
        let mut decoy = decoys.iter().find(same_kind).expect("a decoy of every kind").clone();
        decoy["authenticationMethodId"] = method["authenticationMethodId"].clone();
        assert_eq!(&decoy, method);
    }
    for (password, expected) in [("olive-tree-8", 401), ("olive-tree-7", 200)] {
        let proof = json!({ "psuData": { "password": password } }).to_string();
        let answer = bank.call(&head(&format!("PUT {own}")), &proof, Some(&certificate)).await.unwrap();
        assert_eq!(answer.0, expected, "{answer:?}");
    }
}

/// Different each time; chance of any quality will do.
pub(super) fn fresh() -> uuid::Uuid {
    trapeza_app::Entropy::os().uuid()
}
