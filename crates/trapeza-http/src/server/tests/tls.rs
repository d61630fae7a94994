//! Client certificates, with authorities made for each test.

use super::*;
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, IsCa, KeyIdMethod,
    KeyPair, RevokedCertParams, SerialNumber, date_time_ymd,
};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use trapeza_domain::time::Timestamp;

type Authority = CertifiedIssuer<'static, KeyPair>;
type ClientIdentity = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

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

fn issue(authority: &Authority, params: CertificateParams) -> (rcgen::Certificate, KeyPair) {
    let key = KeyPair::generate().unwrap();
    (params.signed_by(&key, authority).unwrap(), key)
}

fn client(authority: &Authority, params: CertificateParams) -> ClientIdentity {
    let (certificate, key) = issue(authority, params);
    (vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
}

/// A server called `bank` whose clients must come from the same authority as itself.
async fn start(authority: &Authority, options: ServerOptions) -> Running {
    let (certificate, key) = issue(authority, params("bank"));
    let loaded = load(&certificate.pem(), &key.serialize_pem(), &authority.pem()).unwrap();
    Running::start(ServerOptions { tls: Some(SharedTlsConfig::new(loaded.config)), ..options }).await
}

fn load(chain: &str, key: &str, ca: &str) -> Result<LoadedTls, TlsError> {
    tls_config(&files(chain, key, ca))
}

fn files<'a>(chain: &'a str, key: &'a str, ca: &'a str) -> TlsFiles<'a> {
    TlsFiles {
        certificate: chain.as_bytes(),
        key: key.as_bytes(),
        client_ca: Some(ca.as_bytes()),
        client_crl: None,
        expired_crl: ExpiredCrl::Accept,
    }
}

async fn tls_connect(
    server: &Running,
    trusted: &Authority,
    client: Option<ClientIdentity>,
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

/// In TLS 1.3 the client completes its handshake before the server has verified the certificate, so a rejection may arrive with the
/// first read.
async fn request_peer(server: &Running, trusted: &Authority, client: Option<ClientIdentity>) -> String {
    match tls_connect(server, trusted, client).await {
        Ok(mut stream) => exchange(&mut stream, GET_PEER).await,
        Err(_) => String::new(),
    }
}

#[tokio::test]
async fn the_request_carries_the_certificate_whose_key_was_proved() {
    let authority = authority("authority");
    let server = start(&authority, long_timeouts()).await;
    let client = client(&authority, params("tpp"));
    let der: String = client.0[0].iter().map(|byte| format!("{byte:02x}")).collect();
    let answer = request_peer(&server, &authority, Some(client)).await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(&der), "{answer}");
}

#[tokio::test]
async fn client_without_a_certificate_is_served() {
    let authority = authority("authority");
    let server = start(&authority, long_timeouts()).await;
    let answer = request_peer(&server, &authority, None).await;
    let body = answer.lines().last().unwrap_or_default().trim();
    assert!(body.parse::<std::net::SocketAddr>().is_ok(), "an address and no certificate: {answer}");
}

#[tokio::test]
async fn client_certificate_must_chain_to_the_ca_and_be_valid() {
    let (authority, other) = (authority("authority"), authority("other"));
    let server = start(&authority, long_timeouts()).await;
    let mut expired = params("tpp");
    expired.not_after = date_time_ymd(2020, 1, 1);

    assert_eq!(
        request_peer(&server, &authority, Some(client(&other, params("tpp")))).await,
        "",
        "another authority's"
    );
    assert_eq!(request_peer(&server, &authority, Some(client(&authority, expired))).await, "", "expired");
    // The key of another: the certificate alone, which is public, proves nothing.
    let (chain, _) = client(&authority, params("tpp"));
    let (_, key) = client(&authority, params("tpp"));
    assert_eq!(request_peer(&server, &authority, Some((chain, key))).await, "", "without its key");

    let good = request_peer(&server, &authority, Some(client(&authority, params("tpp")))).await;
    assert!(good.starts_with("HTTP/1.1 200"), "the same server still answers a good one: {good}");
}

const REVOKED: u64 = 7;

/// A revocation list of an authority with one certificate, which is out of date after `year`.
fn revocation_list(authority: &Authority, year: i32) -> rcgen::CertificateRevocationList {
    let list = CertificateRevocationListParams {
        this_update: date_time_ymd(2024, 1, 1),
        next_update: date_time_ymd(year, 1, 1),
        crl_number: SerialNumber::from(1_u64),
        issuing_distribution_point: None,
        revoked_certs: vec![RevokedCertParams {
            serial_number: SerialNumber::from(REVOKED),
            revocation_time: date_time_ymd(2024, 1, 1),
            reason_code: None,
            invalidity_date: None,
        }],
        key_identifier_method: KeyIdMethod::Sha256,
    };
    list.signed_by(authority).unwrap()
}

fn with_serial(number: u64) -> CertificateParams {
    let mut params = params("tpp");
    params.serial_number = Some(SerialNumber::from(number));
    params
}

/// Whether a server with a revocation list serves the revoked certificate, and another of the same authority.
async fn served(authority: &Authority, client_crl: &[u8], expired_crl: ExpiredCrl) -> (bool, bool) {
    let (certificate, key) = issue(authority, params("bank"));
    let (chain, key, ca) = (certificate.pem(), key.serialize_pem(), authority.pem());
    let files = TlsFiles { client_crl: Some(client_crl), expired_crl, ..files(&chain, &key, &ca) };
    let tls = SharedTlsConfig::new(tls_config(&files).unwrap().config);
    let server = Running::start(ServerOptions { tls: Some(tls), ..long_timeouts() }).await;
    let call = async |number| {
        !request_peer(&server, authority, Some(client(authority, with_serial(number)))).await.is_empty()
    };
    (call(REVOKED).await, call(8).await)
}

#[tokio::test]
async fn revoked_client_certificate_is_refused() {
    let authority = authority("authority");
    let list = revocation_list(&authority, 2100);
    assert_eq!(served(&authority, list.der(), ExpiredCrl::Refuse).await, (false, true), "in DER");
    let (other, pem) = (self::authority("other"), list.pem().unwrap());
    let both = format!("{}{pem}", revocation_list(&other, 2100).pem().unwrap());
    assert_eq!(
        served(&authority, both.as_bytes(), ExpiredCrl::Refuse).await,
        (false, true),
        "in PEM, with another"
    );
    let others = revocation_list(&other, 2100);
    assert_eq!(
        served(&authority, others.der(), ExpiredCrl::Refuse).await,
        (true, true),
        "another authority's list"
    );
}

#[tokio::test]
async fn expired_revocation_list_refuses_all_certificates_only_by_setting() {
    let authority = authority("authority");
    let list = revocation_list(&authority, 2025);
    assert_eq!(served(&authority, list.der(), ExpiredCrl::Accept).await, (false, true));
    assert_eq!(served(&authority, list.der(), ExpiredCrl::Refuse).await, (false, false));
}

#[test]
fn expiry_of_a_file_is_that_of_its_first_certificate_or_list() {
    let mut own = params("bank");
    own.not_after = date_time_ymd(2031, 1, 1);
    let authority = authority("authority");
    let (certificate, key) = issue(&authority, own);
    let (chain, key, ca) = (certificate.pem(), key.serialize_pem(), authority.pem());
    let chain = format!("{chain}{ca}");
    let list = revocation_list(&authority, 2030);
    let files = TlsFiles { client_crl: Some(list.der()), ..files(&chain, &key, &ca) };
    let expiry = tls_config(&files).unwrap().expiry;
    let micros = |at: Option<Timestamp>| at.unwrap().0;
    assert_eq!(micros(expiry.certificate), 1_924_992_000_000_000, "2031-01-01");
    assert_eq!(micros(expiry.client_crl), 1_893_456_000_000_000, "2030-01-01");
    assert!(micros(expiry.client_ca) > micros(expiry.certificate));
}

#[tokio::test]
async fn incomplete_handshake_times_out() {
    let authority = authority("authority");
    let server = start(&authority, ServerOptions { handshake_timeout: SHORT, ..long_timeouts() }).await;
    assert_eq!(rest(&mut server.connect().await).await, "");
}

#[tokio::test]
async fn plain_http_gets_no_answer_where_tls_is_spoken() {
    let authority = authority("authority");
    let server = start(&authority, long_timeouts()).await;
    let answer = exchange(&mut server.connect().await, GET_PEER).await;
    assert!(!answer.contains("HTTP"), "{answer}");
}

#[tokio::test]
async fn incomplete_handshake_does_not_delay_shutdown() {
    let authority = authority("authority");
    let server = start(&authority, long_timeouts()).await;
    let _silent = server.connect().await;
    assert_eq!(server.stop().await, Drained { cut_off: 0 });
}

#[test]
fn unusable_files_are_named() {
    let authority = authority("authority");
    let (certificate, key) = issue(&authority, params("bank"));
    let (chain, key, ca) = (certificate.pem(), key.serialize_pem(), authority.pem());
    let other_key = KeyPair::generate().unwrap().serialize_pem();
    let error_text =
        |chain: &str, key: &str, ca: &str| load(chain, key, ca).expect_err("unusable").to_string();
    assert!(error_text("", &key, &ca).contains("chain holds no certificate"));
    assert!(error_text(&chain, "", &ca).contains("key file"));
    assert!(error_text(&chain, &chain, &ca).contains("key file"));
    assert!(error_text(&chain, &other_key, &ca).contains("cannot be used together"));
    assert!(error_text(&chain, &key, "").contains("authorities' file holds no certificate"));
    for (crl, expected) in [("", "contains no revocation list"), (&*chain, "contains no revocation list")] {
        let files = TlsFiles { client_crl: Some(crl.as_bytes()), ..files(&chain, &key, &ca) };
        let error = tls_config(&files).expect_err("unusable");
        assert_eq!((error.file, error.to_string().contains(expected)), (TlsFile::ClientCrl, true), "{error}");
    }
}
