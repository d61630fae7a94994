//! SIGHUP: new TLS files and another log level without a restart.

use super::production::{Production, now, open};
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::ServerName;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use trapeza::demo::authority::Authority;
use trapeza_domain::time::TimeDelta;

/// A second self-signed certificate in place of the bank's own; returns what trusts it.
fn replace_certificate(directory: &Path) -> RootCertStore {
    let key = rcgen::KeyPair::generate().unwrap();
    let own = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    std::fs::write(directory.join("own.pem"), own.pem()).unwrap();
    std::fs::write(directory.join("own.key"), key.serialize_pem()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(own.der().clone()).unwrap();
    roots
}

/// Sends SIGHUP and waits until the log has this message once more.
async fn reload(bank: &Production, directory: &Path, message: &str) -> String {
    let log = || std::fs::read_to_string(directory.join("bank.log")).unwrap();
    let before = log().matches(message).count();
    let sent = Command::new("kill").args(["-HUP", &bank.child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    while log().matches(message).count() == before {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    log()
}

pub(super) async fn connect(bank: &Production) -> TlsStream<TcpStream> {
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(bank.roots.clone())
        .with_no_client_auth();
    let stream = TcpStream::connect(("127.0.0.1", bank.port)).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap()
}

/// A request on a connection that stays open; the beginning of its response.
pub(super) async fn request(stream: &mut TlsStream<TcpStream>) -> String {
    stream.write_all(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut buffer = [0; 1024];
    let length = stream.read(&mut buffer).await.unwrap();
    String::from_utf8_lossy(&buffer[..length]).into_owned()
}

const LIVEZ: &str = "GET /livez HTTP/1.1\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn sighup_reloads_the_certificate_and_keeps_connections() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let mut bank = open(directory, &authority).await;
    let mut existing = connect(&bank).await;
    assert!(request(&mut existing).await.starts_with("HTTP/1.1 200"));

    let roots = replace_certificate(directory);
    reload(&bank, directory, "reload: completed").await;
    assert!(request(&mut existing).await.starts_with("HTTP/1.1 200"), "the existing connection goes on");
    assert!(bank.call(LIVEZ, "", None).await.is_none(), "the old certificate is not presented any more");
    bank.roots = roots;
    assert_eq!(bank.call(LIVEZ, "", None).await.unwrap().0, 200, "a new connection gets the new certificate");

    std::fs::write(directory.join("own.key"), "not a key").unwrap();
    let log = reload(&bank, directory, "the old ones stay in use").await;
    let line = log.lines().find(|line| line.contains("the old ones stay in use")).unwrap();
    assert!(line.contains("ERROR") && line.contains("own.key"), "{line}");
    assert_eq!(bank.call(LIVEZ, "", None).await.unwrap().0, 200, "the last good files are still used");
}

#[tokio::test(flavor = "multi_thread")]
async fn sighup_reloads_the_log_level_and_an_invalid_configuration_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let bank = open(directory, &authority).await;
    let file = directory.join("bank.toml");
    let config = std::fs::read_to_string(&file).unwrap();

    let failed_handshakes = || {
        let log = std::fs::read_to_string(directory.join("bank.log")).unwrap();
        log.matches("TLS handshake failed").count()
    };
    std::fs::write(&file, format!("{config}[log]\nlevel = \"debug\"\n")).unwrap();
    reload(&bank, directory, "reload: log level set").await;
    while failed_handshakes() == 0 {
        // A failed handshake is logged at debug level only.
        drop(TcpStream::connect(("127.0.0.1", bank.port)).await.unwrap());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    std::fs::write(&file, "lisen = 1\n").unwrap();
    let log = reload(&bank, directory, "reload: cannot load the configuration").await;
    let line = log.lines().find(|line| line.contains("cannot load the configuration")).unwrap();
    assert!(line.contains("ERROR") && line.contains("bank.toml"), "{line}");
    assert_eq!(bank.call(LIVEZ, "", None).await.unwrap().0, 200);
}
