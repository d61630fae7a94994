//! Client certificates, with authorities made for each test.

use super::*;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

type Authority = CertifiedIssuer<'static, KeyPair>;
type Client = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn authority(name: &str) -> Authority {
    let mut params = params(name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    Authority::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    params
}

fn issued(authority: &Authority, params: CertificateParams) -> (rcgen::Certificate, KeyPair) {
    let key = KeyPair::generate().unwrap();
    (params.signed_by(&key, authority).unwrap(), key)
}

fn client(authority: &Authority, params: CertificateParams) -> Client {
    let (certificate, key) = issued(authority, params);
    (vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
}

/// A server called `bank` whose clients must come from the same authority as itself.
async fn start(authority: &Authority, options: ServerOptions) -> Running {
    let (certificate, key) = issued(authority, params("bank"));
    let ca = authority.pem();
    let config =
        tls_config(certificate.pem().as_bytes(), key.serialize_pem().as_bytes(), ca.as_bytes()).unwrap();
    Running::start(ServerOptions { tls: Some(SharedTlsConfig::new(config)), ..options }).await
}

async fn secured(
    server: &Running,
    trusted: &Authority,
    client: Option<Client>,
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let config = match client {
        // By a resolver, which unlike the usual way lets a client show a certificate whose key it does not have.
        Some((chain, key)) => {
            let key = rustls::crypto::ring::sign::any_supported_type(&key).unwrap();
            config.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(CertifiedKey::new(chain, key))))
        }
        None => config.with_no_client_auth(),
    };
    let connector = TlsConnector::from(Arc::new(config));
    in_time(connector.connect(ServerName::try_from("bank").unwrap(), server.connect().await)).await
}

/// In TLS 1.3 the client ends its handshake before the server has judged, so a refusal may come with the first read.
async fn answer(server: &Running, trusted: &Authority, client: Option<Client>) -> String {
    match secured(server, trusted, client).await {
        Ok(mut stream) => exchange(&mut stream, GET_PEER).await,
        Err(_) => String::new(),
    }
}

#[tokio::test]
async fn the_request_carries_the_certificate_whose_key_was_proved() {
    let authority = authority("authority");
    let server = start(&authority, patient()).await;
    let client = client(&authority, params("tpp"));
    let der: String = client.0[0].iter().map(|byte| format!("{byte:02x}")).collect();
    let answer = answer(&server, &authority, Some(client)).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(&der), "{answer}");
}

#[tokio::test]
async fn client_without_a_certificate_is_served() {
    let authority = authority("authority");
    let server = start(&authority, patient()).await;
    let answer = answer(&server, &authority, None).await;
    let body = answer.lines().last().unwrap_or_default().trim();
    assert!(body.parse::<std::net::SocketAddr>().is_ok(), "an address and no certificate: {answer}");
}

#[tokio::test]
async fn client_certificate_must_chain_to_the_ca_and_be_valid() {
    let (authority, other) = (authority("authority"), authority("other"));
    let server = start(&authority, patient()).await;
    let mut expired = params("tpp");
    expired.not_after = date_time_ymd(2020, 1, 1);

    assert_eq!(
        answer(&server, &authority, Some(client(&other, params("tpp")))).await,
        "",
        "another authority's"
    );
    assert_eq!(answer(&server, &authority, Some(client(&authority, expired))).await, "", "expired");
    // The key of another: the certificate alone, which is public, proves nothing.
    let (chain, _) = client(&authority, params("tpp"));
    let (_, key) = client(&authority, params("tpp"));
    assert_eq!(answer(&server, &authority, Some((chain, key))).await, "", "without its key");

    let good = answer(&server, &authority, Some(client(&authority, params("tpp")))).await;
    assert!(good.starts_with("HTTP/1.1 200"), "the same server still answers a good one: {good}");
}

#[tokio::test]
async fn a_handshake_that_does_not_end_is_cut_off() {
    let authority = authority("authority");
    let server = start(&authority, ServerOptions { handshake_timeout: SHORT, ..patient() }).await;
    assert_eq!(rest(&mut server.connect().await).await, "");
}

#[tokio::test]
async fn plain_http_gets_no_answer_where_tls_is_spoken() {
    let authority = authority("authority");
    let server = start(&authority, patient()).await;
    let answer = exchange(&mut server.connect().await, GET_PEER).await;
    assert!(!answer.contains("HTTP"), "{answer}");
}

#[tokio::test]
async fn an_unfinished_handshake_does_not_hold_up_the_end() {
    let authority = authority("authority");
    let server = start(&authority, patient()).await;
    let _silent = server.connect().await;
    assert_eq!(server.stop().await, Drained { cut_off: 0 });
}

#[test]
fn unusable_files_are_named() {
    let authority = authority("authority");
    let (certificate, key) = issued(&authority, params("bank"));
    let (chain, key, ca) = (certificate.pem(), key.serialize_pem(), authority.pem());
    let other_key = KeyPair::generate().unwrap().serialize_pem();
    let words = |chain: &str, key: &str, ca: &str| {
        tls_config(chain.as_bytes(), key.as_bytes(), ca.as_bytes()).expect_err("unusable").to_string()
    };
    assert!(words("", &key, &ca).contains("chain holds no certificate"));
    assert!(words(&chain, "", &ca).contains("key file"));
    assert!(words(&chain, &chain, &ca).contains("key file"));
    assert!(words(&chain, &other_key, &ca).contains("cannot be used together"));
    assert!(words(&chain, &key, "").contains("authorities' file holds no certificate"));
}
