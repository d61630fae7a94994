//! TLS to PostgreSQL. A proxy in front of the test's server speaks TLS as a PostgreSQL server does: it answers the SSLRequest
//! and does the handshake, and passes everything else on.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use std::path::PathBuf;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use trapeza_store::{Store, StoreError};
use trapeza_testkit::database::{Database, Engine};

struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Certificate and key for a name, as PEM.
    fn issue(&self, name: &str) -> (String, String) {
        self.issue_with(CertificateParams::new(vec![name.to_owned()]).unwrap())
    }

    fn issue_with(&self, params: CertificateParams) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
}

/// What a client must present to the proxy.
enum ClientAuth<'a> {
    Nothing,
    Certificate(&'a Authority),
}

struct Fixture {
    database: Database,
    files: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
}

impl Fixture {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        Self { database: Database::new(Engine::Postgres), files: tempfile::tempdir().unwrap(), runtime }
    }

    fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.files.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Starts a proxy with a certificate for `localhost` and returns its port.
    fn proxy(&self, authority: &Authority, clients: &ClientAuth<'_>) -> u16 {
        self.proxy_with(authority.issue("localhost"), clients)
    }

    fn proxy_with(&self, (cert, key): (String, String), clients: &ClientAuth<'_>) -> u16 {
        let chain = vec![CertificateDer::from_pem_slice(cert.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone());
        let builder = builder.with_safe_default_protocol_versions().unwrap();
        let config = match clients {
            ClientAuth::Nothing => builder.with_no_client_auth(),
            ClientAuth::Certificate(authority) => {
                let mut roots = RootCertStore::empty();
                roots.add(CertificateDer::from_pem_slice(authority.pem.as_bytes()).unwrap()).unwrap();
                let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
        };
        let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(chain, key).unwrap()));
        let listener = self.runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let upstream = self.database.url();
        let upstream = upstream.split('@').nth(1).and_then(|rest| rest.split('/').next()).unwrap().to_owned();
        self.runtime.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward(client, acceptor.clone(), upstream.clone()));
            }
        });
        port
    }

    /// Opens the store at a host and port instead of the server's own.
    fn open(&self, host: &str, port: u16, query: &str) -> Result<Store, StoreError> {
        let url = self.database.url();
        let (credentials, rest) = url.split_once('@').unwrap();
        let name = rest.split('/').nth(1).unwrap();
        let url = format!("{credentials}@{host}:{port}/{name}?{query}");
        Store::open_postgres(&url, &Database::options())
    }

    fn refusal(&self, host: &str, port: u16, query: &str) -> String {
        self.open(host, port, query).err().expect("the connection is refused").to_string()
    }
}

async fn forward(mut client: TcpStream, acceptor: TlsAcceptor, upstream: String) {
    let mut request = [0; 8];
    client.read_exact(&mut request).await.unwrap();
    assert_eq!(request, [0, 0, 0, 8, 4, 210, 22, 47], "an SSLRequest");
    client.write_all(b"S").await.unwrap();
    let Ok(mut client) = acceptor.accept(client).await else { return };
    let mut server = TcpStream::connect(upstream).await.unwrap();
    let _ = copy_bidirectional(&mut client, &mut server).await;
}

#[test]
fn certificate_is_verified_as_the_mode_says() {
    let fixture = Fixture::new();
    let (authority, other) = (Authority::new(), Authority::new());
    let port = fixture.proxy(&authority, &ClientAuth::Nothing);
    let root = fixture.file("root.pem", &authority.pem).display().to_string();
    let foreign = fixture.file("other.pem", &other.pem).display().to_string();
    for (host, query) in [
        ("localhost", "sslmode=require".to_owned()),
        ("127.0.0.1", format!("sslmode=verify-ca&sslrootcert={root}")),
        ("localhost", format!("sslmode=verify-full&sslrootcert={root}&connect_timeout=20")),
    ] {
        let store = fixture.open(host, port, &query).unwrap_or_else(|error| panic!("{query}: {error}"));
        store.close();
    }
    let name = fixture.refusal("127.0.0.1", port, &format!("sslmode=verify-full&sslrootcert={root}"));
    assert!(name.contains("is for another host than the one in the URL"), "{name}");
    for query in ["sslmode=require", "sslmode=verify-ca", "sslmode=verify-full"] {
        let issuer = fixture.refusal("localhost", port, &format!("{query}&sslrootcert={foreign}"));
        assert!(issuer.contains("was not issued by an authority in sslrootcert"), "{query}: {issuer}");
    }
}

#[test]
fn expired_certificate_is_refused() {
    let fixture = Fixture::new();
    let authority = Authority::new();
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    (params.not_before, params.not_after) = (date_time_ymd(2019, 1, 1), date_time_ymd(2020, 1, 1));
    let port = fixture.proxy_with(authority.issue_with(params), &ClientAuth::Nothing);
    let root = fixture.file("root.pem", &authority.pem).display().to_string();
    for mode in ["verify-ca", "verify-full"] {
        let refusal = fixture.refusal("localhost", port, &format!("sslmode={mode}&sslrootcert={root}"));
        assert!(refusal.contains("the server's certificate has expired"), "{refusal}");
    }
}

#[test]
fn client_certificate_is_presented() {
    let fixture = Fixture::new();
    let (authority, clients) = (Authority::new(), Authority::new());
    let port = fixture.proxy(&authority, &ClientAuth::Certificate(&clients));
    let (cert, key) = clients.issue("trapeza");
    let (cert, key) = (fixture.file("client.pem", &cert), fixture.file("client.key", &key));
    let (cert, key) = (cert.display(), key.display());
    fixture.open("localhost", port, &format!("sslmode=require&sslcert={cert}&sslkey={key}")).unwrap().close();
    let none = fixture.refusal("localhost", port, "sslmode=require");
    assert!(none.contains("the server requires a client certificate; set sslcert and sslkey"), "{none}");
    let (cert, key) = Authority::new().issue("trapeza");
    let (cert, key) = (fixture.file("other.pem", &cert), fixture.file("other.key", &key));
    let (cert, key) = (cert.display(), key.display());
    let other = fixture.refusal("localhost", port, &format!("sslmode=require&sslcert={cert}&sslkey={key}"));
    assert!(other.contains("the server does not accept the client certificate in sslcert"), "{other}");
}

#[test]
fn faulty_tls_parameters_are_refused_by_name() {
    let fixture = Fixture::new();
    let missing = fixture.files.path().join("missing.pem").display().to_string();
    let empty = fixture.file("empty.pem", "").display().to_string();
    for (query, expected) in [
        ("sslmode=verify".to_owned(), "sslmode must be disable, prefer, require, verify-ca or verify-full"),
        ("sslmode=verify-full".to_owned(), "sslrootcert is required"),
        (format!("sslmode=verify-full&sslrootcert={missing}"), "missing.pem"),
        (format!("sslmode=verify-ca&sslrootcert={empty}"), "empty.pem"),
        (format!("sslcert={empty}"), "sslcert and sslkey must be given together"),
    ] {
        let text = fixture.refusal("localhost", 1, &query);
        assert!(text.contains(expected), "{query}: {text}");
    }
}

#[test]
fn server_without_tls_is_refused_where_tls_is_required() {
    let fixture = Fixture::new();
    let url = fixture.database.url();
    let error = Store::open_postgres(&format!("{url}?sslmode=require"), &Database::options()).err();
    let text = error.expect("the server has no TLS").to_string();
    assert!(text.contains("server does not support TLS"), "{text}");
    Store::open_postgres(&format!("{url}?sslmode=disable"), &Database::options()).unwrap().close();
}
