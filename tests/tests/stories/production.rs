//! A bank in production: mutual TLS, an operator who lets a third party in, and nothing of the sandbox.

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use trapeza::demo::authority::{Authority, Holder, Issued, Validity};
use trapeza_domain::application::Role;
use trapeza_domain::time::{Instant, Span};
use trapeza_testkit::program;

/// A running bank, its address and how to trust it.
struct Production {
    child: Child,
    port: u16,
    roots: RootCertStore,
}

impl Drop for Production {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn now() -> Instant {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Instant(i64::try_from(since.as_micros()).unwrap())
}

async fn open(directory: &Path, authority: &Authority) -> Production {
    let key = rcgen::KeyPair::generate().unwrap();
    let own = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let write = |name: &str, content: &[u8]| {
        let file = directory.join(name);
        std::fs::write(&file, content).unwrap();
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&file, private).unwrap();
        file.to_str().unwrap().to_owned()
    };
    let (certificate, key) =
        (write("own.pem", own.pem().as_bytes()), write("own.key", key.serialize_pem().as_bytes()));
    let client_ca = write("ca.pem", authority.certificate_pem().as_bytes());
    let secret: Vec<u8> = (0..4).flat_map(|_| *fresh().as_bytes()).collect();
    let secret = write("secret", &secret);
    let data = directory.join("data");
    let config = format!(
        "listen = \"127.0.0.1:{port}\"\npublic_url = \"https://localhost:{port}\"\ndata = {data:?}\n\
         secret_file = {secret:?}\n[tls]\ncertificate = {certificate:?}\nkey = {key:?}\nclient_ca = {client_ca:?}\n"
    );
    let file = write("bank.toml", config.as_bytes());
    let child = Command::new(program::binary()).args(["serve", "--config", &file]).spawn().unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(own.der().clone()).unwrap();
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    Production { child, port, roots }
}

impl Production {
    /// One call on a connection of its own, with or without a client certificate. `None` when TLS refuses.
    async fn call(&self, head: &str, body: &str, client: Option<&Issued>) -> Option<(u16, Value)> {
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
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, serde_json::from_str(body).unwrap_or(Value::Null)))
    }
}

fn said(lines: &str, name: &str) -> String {
    let line = lines.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {lines}"));
    line.split_whitespace().nth(1).unwrap().to_owned()
}

fn told(answer: &(u16, Value)) -> (u16, &str) {
    let text = answer.1.pointer("/tppMessages/0/text").and_then(Value::as_str).unwrap_or_default();
    (answer.0, text.split(':').next().unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_third_party_is_let_in_by_an_operator_and_proves_its_certificate_by_the_connection() {
    let directory = tempfile::tempdir().unwrap();
    let authority = Authority::generate(now().minus(Span::days(1))).unwrap();
    let holder =
        |organisation| Holder { name: "Kyklos Finance", organisation, roles: &[Role::AccountInformation] };
    let good = authority.issue(holder("PSDGR-BOG-000001"), Validity::TenYears).unwrap();
    let other = authority.issue(holder("PSDGR-BOG-000002"), Validity::TenYears).unwrap();
    let stranger = Authority::generate(now().minus(Span::days(1))).unwrap();
    let stranger = stranger.issue(holder("PSDGR-BOG-000001"), Validity::TenYears).unwrap();
    let mut bank = open(directory.path(), &authority).await;

    let pem = directory.path().join("tpp.pem");
    std::fs::write(&pem, &good.certificate_pem).unwrap();
    let (config, pem) = (directory.path().join("bank.toml"), pem.to_str().unwrap().to_owned());
    let config = config.to_str().unwrap();
    let added = program::run(&[
        "application",
        "add",
        "--config",
        config,
        "--name",
        "Kyklos",
        "--certificate",
        &pem,
        "--redirect-uri",
        "https://kyklos.example/back",
    ]);
    assert!(added.status.success(), "{added:?}");
    let lines = String::from_utf8(added.stdout).unwrap();
    assert!(lines.contains("PSP_AI") && lines.contains("PSDGR-BOG-000001"), "{lines}");
    let (client, key) = (said(&lines, "ClientId"), said(&lines, "key"));
    let listed = program::run(&["application", "list", "--config", config]);
    assert!(String::from_utf8(listed.stdout).unwrap().contains(&client));

    let body = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    })
    .to_string();
    let ask = |more: &str| {
        format!(
            "POST /v1/consents HTTP/1.1\r\nOcp-Apim-Subscription-Key: {key}\r\nClientId: {client}\r\n\
             x-Request-ID: {}\r\nPSU_ID: somebody\r\n{more}",
            fresh()
        )
    };
    let made = bank.call(&ask(""), &body, Some(&good)).await.unwrap();
    assert_eq!(made.0, 201, "{made:?}");
    let none = bank.call(&ask(""), &body, None).await.unwrap();
    assert_eq!(told(&none), (401, "CERTIFICATE_MISSING"));
    let header_only = format!("Certificate: {}\r\n", good.certificate_pem.replace('\n', " "));
    let public = bank.call(&ask(&header_only), &body, None).await.unwrap();
    assert_eq!(
        told(&public),
        (401, "CERTIFICATE_MISSING"),
        "a certificate is public and alone proves nothing"
    );
    let foreign = bank.call(&ask(""), &body, Some(&other)).await.unwrap();
    assert_eq!(told(&foreign), (401, "CERTIFICATE_INVALID"));
    let mixed = bank.call(&ask(&header_only), &body, Some(&other)).await.unwrap();
    assert_eq!(told(&mixed), (401, "CERTIFICATE_INVALID"), "the header is not the connection's");
    assert!(bank.call(&ask(""), &body, Some(&stranger)).await.is_none(), "another authority's certificate");
    let sandbox = bank.call("GET /sandbox/clock HTTP/1.1\r\n", "", None).await.unwrap();
    assert_eq!(sandbox.0, 404, "the sandbox's routes do not exist");

    let blocked = program::run(&[
        "application",
        "certificate",
        "--config",
        config,
        &client,
        "--certificate",
        &pem,
        "--standing",
        "blocked",
    ]);
    assert!(blocked.status.success(), "{blocked:?}");
    let refused = bank.call(&ask(""), &body, Some(&good)).await.unwrap();
    assert_eq!(told(&refused), (401, "CERTIFICATE_BLOCKED"), "the very next call");

    let ended = Command::new("kill").args(["-TERM", &bank.child.id().to_string()]).status().unwrap();
    assert!(ended.success());
    assert_eq!(bank.child.wait().unwrap().code(), Some(0));
}

/// Different each time; chance of any quality will do.
fn fresh() -> uuid::Uuid {
    trapeza_app::Entropy::machine().uuid()
}
