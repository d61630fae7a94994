//! A sandbox with TLS: its pages and samples call the program itself, and the bank calls the sample shop.

use super::production::Production;
use rustls::RootCertStore;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tokio::net::TcpStream;
use trapeza_testkit::process;

async fn open(directory: &Path) -> Production {
    let key = rcgen::KeyPair::generate().unwrap();
    let own = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let (certificate, key_file) = (directory.join("own.pem"), directory.join("own.key"));
    std::fs::write(&certificate, own.pem()).unwrap();
    std::fs::write(&key_file, key.serialize_pem()).unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let child = Command::new(process::binary())
        .args(["sandbox", "--listen", &format!("127.0.0.1:{port}"), "--data"])
        .arg(directory.join("data"))
        .env("TRAPEZA_PUBLIC_URL", format!("https://localhost:{port}"))
        .env("TRAPEZA_TLS_CERTIFICATE", &certificate)
        .env("TRAPEZA_TLS_KEY", key_file)
        // Third parties show their certificates in the header; any authority will do.
        .env("TRAPEZA_TLS_CLIENT_CA", &certificate)
        .stderr(std::fs::File::create(directory.join("sandbox.log")).unwrap())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(own.der().clone()).unwrap();
    while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Production { child, port, monitoring_port: 0, console_port: 0, roots }
}

/// One request of a browser: the head of the response and the page.
async fn visit(bank: &Production, line: &str, cookie: &str, form: &str) -> (String, String) {
    let head = format!(
        "{line} HTTP/1.1\r\nAccept: text/html\r\nCookie: {cookie}\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    );
    bank.with_roots(bank.roots.clone()).exchange(&head, form, None).await.unwrap()
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let rest = text.split(start).nth(1).unwrap_or_else(|| panic!("{start}: {text}"));
    rest.split(end).next().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn sandbox_with_tls_has_its_page_and_samples() {
    let directory = tempfile::tempdir().unwrap();
    let bank = open(directory.path()).await;
    let (head, page) = visit(&bank, "GET /sandbox", "", "").await;
    assert!(head.starts_with("HTTP/1.1 200") && page.contains("Eleni Papadaki"), "{head} {page}");
    let (head, page) = visit(&bank, "GET /sample/tpp", "", "").await;
    assert!(head.starts_with("HTTP/1.1 200") && page.contains("Jonas Weber"), "{head} {page}");

    let (head, page) = visit(&bank, "GET /sample/shop", "", "").await;
    assert!(head.contains("__Host-trapeza-sample="), "{head}");
    let cookie = format!("__Host-trapeza-sample={}", between(&head, "__Host-trapeza-sample=", ";"));
    let csrf = between(&page, "name=\"csrf\" value=\"", "\"");
    let (head, page) =
        visit(&bank, "POST /sample/shop", &cookie, &format!("csrf={csrf}&step=start&lamp=1")).await;
    assert!(head.starts_with("HTTP/1.1 303"), "{head} {page}");
    let (_, page) = visit(&bank, "GET /sample/shop", &cookie, "").await;
    assert!(page.contains("Continue at the bank"), "{page}");

    let number = between(&page, "&#34;basketId&#34;: ", ",");
    let file = std::fs::read_to_string(directory.path().join("data/sandbox.json")).unwrap();
    let file: Value = serde_json::from_str(&file).unwrap();
    let shop = file["merchants"].as_array().unwrap().iter().find(|one| one["name"] == "Sample Shop").unwrap();
    let text = |name: &str| shop[name].as_str().unwrap();
    let approve = format!(
        "POST /bnplsandbox/createbnpl?basketId={number}&isSuccessCallback=true HTTP/1.1\r\n\
         Ocp-Apim-Subscription-Key: {}\r\nX-Application-ID: {}\r\n",
        text("subscription_key"),
        text("application_id"),
    );
    assert_eq!(bank.call(&approve, "", None).await.unwrap().0, 200);
    let mut page = String::new();
    for _ in 0..100 {
        page = visit(&bank, "GET /sample/shop", &cookie, "").await.1;
        if page.contains("signature verified") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the callback has not arrived: {page}");
}
