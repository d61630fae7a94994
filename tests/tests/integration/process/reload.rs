//! New TLS files and another log level without a restart, on SIGHUP and when a file changes.

use super::production::{Production, now, open, open_with};
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::ServerName;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use trapeza::demo::authority::{Authority, Issued};
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

fn log(directory: &Path) -> String {
    std::fs::read_to_string(directory.join("bank.log")).unwrap()
}

/// Does something and waits until the log has a message once more.
pub(super) async fn logged_after(directory: &Path, message: &str, action: impl FnOnce()) -> String {
    let before = log(directory).matches(message).count();
    action();
    while log(directory).matches(message).count() == before {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    log(directory)
}

/// Sends SIGHUP and waits until the log has this message once more.
async fn reload(bank: &Production, directory: &Path, message: &str) -> String {
    let id = bank.child.id().to_string();
    let signal = || assert!(Command::new("kill").args(["-HUP", &id]).status().unwrap().success());
    logged_after(directory, message, signal).await
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

const CHANGED: &str = "reload: the TLS files have changed and are in use";

#[tokio::test(flavor = "multi_thread")]
async fn changed_certificate_is_used_without_a_refused_connection() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let bank = open(directory, &authority).await;
    let key = rcgen::KeyPair::generate().unwrap();
    let new = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let mut both = bank.roots.clone();
    both.add(new.der().clone()).unwrap();
    let client = Arc::new(bank.with_roots(both));

    let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let load: Vec<_> = (0..4)
        .map(|_| {
            let (client, stop, answered) = (client.clone(), stop.clone(), answered.clone());
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    let (status, _) = client.call(LIVEZ, "", None).await.expect("the handshake succeeds");
                    assert_eq!(status, 200);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let at_least = async |count: usize| {
        let before = answered.load(Ordering::Relaxed);
        while answered.load(Ordering::Relaxed) < before + count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    at_least(20).await;
    // The certificate first, as most tools do: for a moment it does not fit the key.
    let replace = || {
        std::fs::write(directory.join("own.pem"), new.pem()).unwrap();
        std::fs::write(directory.join("own.key"), key.serialize_pem()).unwrap();
    };
    logged_after(directory, CHANGED, replace).await;
    at_least(20).await;
    stop.store(true, Ordering::Relaxed);
    for task in load {
        task.await.expect("no connection was refused");
    }
    assert!(bank.call(LIVEZ, "", None).await.is_none(), "the old certificate is not presented any more");

    let unusable = || std::fs::write(directory.join("own.key"), "not a key").unwrap();
    logged_after(directory, "cannot use the changed TLS files, the old ones stay in use", unusable).await;
    assert_eq!(client.call(LIVEZ, "", None).await.unwrap().0, 200, "the last good files are still used");
}

/// A CA with a client certificate, and its revocation list with or without that certificate.
fn revocable() -> (String, Issued, impl Fn(bool) -> Vec<u8>) {
    let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let ca = rcgen::CertifiedIssuer::self_signed(params, rcgen::KeyPair::generate().unwrap()).unwrap();
    let serial = rcgen::SerialNumber::from(7_u64);
    let mut params = rcgen::CertificateParams::new(vec!["tpp".to_owned()]).unwrap();
    params.serial_number = Some(serial.clone());
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, &ca).unwrap();
    let issued = Issued { certificate_pem: certificate.pem(), key_pem: key.serialize_pem() };
    let pem = ca.pem();
    let list = move |is_revoked: bool| {
        let revoked = rcgen::RevokedCertParams {
            serial_number: serial.clone(),
            revocation_time: rcgen::date_time_ymd(2024, 1, 1),
            reason_code: None,
            invalidity_date: None,
        };
        let list = rcgen::CertificateRevocationListParams {
            this_update: rcgen::date_time_ymd(2024, 1, 1),
            next_update: rcgen::date_time_ymd(2025, 1, 1),
            crl_number: rcgen::SerialNumber::from(1_u64),
            issuing_distribution_point: None,
            revoked_certs: if is_revoked { vec![revoked] } else { Vec::new() },
            key_identifier_method: rcgen::KeyIdMethod::Sha256,
        };
        list.signed_by(&ca).unwrap().der().to_vec()
    };
    (pem, issued, list)
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_client_certificate_is_refused_when_the_list_changes() {
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let (ca, client, list) = revocable();
    let file = directory.join("clients.crl");
    std::fs::write(&file, list(false)).unwrap();
    let bank = open_with(directory, &ca, &format!("client_crl = {file:?}\n"), "").await;
    assert_eq!(bank.call(LIVEZ, "", Some(&client)).await.unwrap().0, 200);
    logged_after(directory, CHANGED, || std::fs::write(&file, list(true)).unwrap()).await;
    assert!(bank.call(LIVEZ, "", Some(&client)).await.is_none(), "the certificate is revoked");
    assert_eq!(bank.call(LIVEZ, "", None).await.unwrap().0, 200, "others are served");
    let log = log(directory);
    let ended = log.lines().find(|line| line.contains("certificate: it has ended")).unwrap();
    assert!(ended.contains("ERROR") && ended.contains("client_crl"), "the list is out of date: {ended}");
}
