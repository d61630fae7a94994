//! TLS that ends in a proxy: the header `Client-Cert` is used from trusted addresses only.

use super::production::{add_application, fresh, now, open_with, printed_value, reported};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use trapeza::demo::authority::{ApplicationOwner, Authority, Validity};
use trapeza_domain::application::Role;
use trapeza_domain::time::TimeDelta;

/// A request from an address of this machine.
async fn call(from: &str, port: u16, request: &str) -> (u16, Value) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(from.parse().unwrap(), 0)).unwrap();
    let mut stream = socket.connect(SocketAddr::from(([127, 0, 0, 1], port))).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

#[tokio::test(flavor = "multi_thread")]
async fn certificate_of_the_header_counts_from_a_trusted_proxy_only() {
    const PROXY: &str = "127.0.0.2";
    const OTHER_CALLER: &str = "127.0.0.1";
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let authority = Authority::generate(now().minus(TimeDelta::days(1))).unwrap();
    let holder = ApplicationOwner {
        name: "Kyklos Finance",
        organisation: "PSDGR-BOG-000001",
        roles: &[Role::AccountInformation],
    };
    let issued = authority.issue(holder, Validity::TenYears).unwrap();
    let callers = format!("certificate_mode = \"proxy\"\ntrusted_proxies = \"{PROXY}\"\n");
    let bank = open_with(directory, "", "", &callers).await;

    let (pem, config) = (directory.join("tpp.pem"), directory.join("bank.toml"));
    std::fs::write(&pem, &issued.certificate_pem).unwrap();
    let (pem, config) = (pem.to_str().unwrap(), config.to_str().unwrap());
    let lines = add_application(config, pem);
    let (client, key) = (printed_value(&lines, "ClientId"), printed_value(&lines, "key"));
    let der = CertificateDer::from_pem_slice(issued.certificate_pem.as_bytes()).unwrap();
    let header = format!("Client-Cert: :{}:\r\n", STANDARD.encode(&der));
    let body = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
        "validUntil": "2099-12-31", "frequencyPerDay": 4,
    })
    .to_string();
    let create = async |from: &str, header: &str| {
        let request = format!(
            "POST /v1/consents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nPSU_ID: customer\r\n\
             Ocp-Apim-Subscription-Key: {key}\r\nClientId: {client}\r\nx-Request-ID: {}\r\n{header}\
             Content-Length: {}\r\n\r\n{body}",
            fresh(),
            body.len()
        );
        call(from, bank.port, &request).await
    };
    let trusted = create(PROXY, &header).await;
    assert_eq!(trusted.0, 201, "{trusted:?}");
    let other_caller = create(OTHER_CALLER, &header).await;
    assert_eq!(reported(&other_caller), (401, "CERTIFICATE_MISSING"), "anyone can send a header");
    let none = create(PROXY, "").await;
    assert_eq!(reported(&none), (401, "CERTIFICATE_MISSING"));
    let twice = create(PROXY, &format!("{header}{header}")).await;
    assert_eq!(
        reported(&twice),
        (401, "CERTIFICATE_MISSING"),
        "the proxy did not replace the client's header"
    );
}
