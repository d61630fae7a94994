//! A client for JSON services of others: POST over TLS with a bearer token, timeouts and size limits.

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::handshake;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use trapeza_domain::secret::Secret;
use url::{Host, Url};

/// Default timeout from connecting to the response head.
const LIMIT: Duration = Duration::from_secs(10);
/// Maximum size of a response.
const ANSWER_BYTES: usize = 64 * 1024;

/// Trusted CA certificates; empty by default.
#[derive(Clone, Debug)]
pub struct Roots(RootCertStore);

impl Default for Roots {
    fn default() -> Self {
        Self(RootCertStore::empty())
    }
}

impl Roots {
    /// Reads a PEM bundle such as the system's. Unusable certificates are skipped; a bundle without any is an error.
    pub fn parse(pem: &[u8]) -> Result<Self, &'static str> {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(CertificateDer::pem_slice_iter(pem).filter_map(Result::ok));
        if store.is_empty() { Err("contains no CA certificate") } else { Ok(Self(store)) }
    }

    /// TLS with these CA certificates.
    pub(crate) fn connector(self) -> Result<TlsConnector, &'static str> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| "cannot be used with TLS")?
            .with_root_certificates(self.0)
            .with_no_client_auth();
        Ok(TlsConnector::from(Arc::new(config)))
    }
}

/// Posts to one URL.
pub struct JsonClient {
    url: Url,
    token: Secret<String>,
    tls: TlsConnector,
}

impl JsonClient {
    /// Plain http is allowed on loopback only.
    pub fn parse(url: &str, token: Secret<String>, roots: Roots) -> Result<Self, &'static str> {
        let url = Url::parse(url).map_err(|_| "must be an absolute URL")?;
        let local = match url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => return Err("must name a host"),
        };
        if url.scheme() != "https" && !(url.scheme() == "http" && local) {
            return Err("must be https");
        }
        Ok(Self { url, token, tls: roots.connector()? })
    }

    /// Posts JSON. Any status but 2xx is an error; its text contains nothing of the body.
    pub async fn post(&self, body: String) -> Result<(), String> {
        self.ask(body, LIMIT).await.map(|_| ())
    }

    /// Posts JSON with a timeout and returns the response body.
    pub async fn ask(&self, body: String, limit: Duration) -> Result<Bytes, String> {
        let sent = timeout(limit, self.exchange(body)).await;
        match sent.map_err(|_| format!("no answer within {} ms", limit.as_millis()))?? {
            (status, answer) if status.is_success() => Ok(answer),
            (status, _) => Err(format!("answered {status}")),
        }
    }

    async fn exchange(&self, body: String) -> Result<(StatusCode, Bytes), String> {
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port_or_known_default().unwrap_or(443);
        // An IPv6 address has brackets in a URL and nowhere else.
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let stream = TcpStream::connect((bare, port)).await.map_err(|e| format!("cannot be reached: {e}"))?;
        if self.url.scheme() != "https" {
            return self.converse(stream, body).await;
        }
        let name = ServerName::try_from(bare.to_owned()).map_err(|e| format!("no name for TLS: {e}"))?;
        let stream = self.tls.connect(name, stream).await.map_err(|e| format!("TLS: {e}"))?;
        self.converse(stream, body).await
    }

    async fn converse<S>(&self, stream: S, body: String) -> Result<(StatusCode, Bytes), String>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (mut sender, connection) =
            handshake(TokioIo::new(stream)).await.map_err(|e| format!("HTTP: {e}"))?;
        // Ends with the sender or the server.
        tokio::spawn(connection);
        let target = match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        };
        let request = Request::post(target)
            .header(HOST, self.url.authority())
            .header(CONTENT_TYPE, "application/json")
            .header(AUTHORIZATION, format!("Bearer {}", self.token.expose()))
            .body(Full::new(Bytes::from(body)))
            .map_err(|_| "the token cannot be sent in a header".to_owned())?;
        let answer = sender.send_request(request).await.map_err(|e| format!("HTTP: {e}"))?;
        let status = answer.status();
        let body = http_body_util::Limited::new(answer.into_body(), ANSWER_BYTES).collect().await;
        // The status counts even if the body is incomplete.
        Ok((status, body.map(http_body_util::Collected::to_bytes).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Option<&'static str> {
        JsonClient::parse(url, Secret::new(String::new()), Roots::default()).err()
    }

    #[test]
    fn plain_http_is_allowed_on_loopback_only() {
        for good in
            ["https://sms.example/send", "http://127.0.0.1:1/", "http://[::1]:1/", "http://localhost/"]
        {
            assert_eq!(parsed(good), None, "{good}");
        }
        for bad in ["http://sms.example/send", "ftp://sms.example/", "sms.example", "http://10.0.0.1/", ""] {
            assert!(parsed(bad).is_some(), "{bad}");
        }
    }

    /// A TLS server with its own certificate that answers 200; its address and certificate.
    async fn server() -> (std::net::SocketAddr, String) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let key = rustls_pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let config = rustls::ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let config = config.with_single_cert(vec![made.cert.der().clone()], key).unwrap();
        let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let mut piece = [0; 4096];
                let _ = tokio::io::AsyncReadExt::read(&mut stream, &mut piece).await;
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
                let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, answer).await;
            }
        });
        (address, made.cert.pem())
    }

    #[tokio::test]
    async fn server_certificate_is_verified() {
        let (address, pem) = server().await;
        let post = async |host: &str, roots: Roots| {
            let url = format!("https://{host}:{}/send", address.port());
            let poster = JsonClient::parse(&url, Secret::new("t".to_owned()), roots).unwrap();
            poster.post("{}".to_owned()).await
        };
        let known = Roots::parse(pem.as_bytes()).unwrap();
        assert_eq!(post("localhost", known.clone()).await, Ok(()));
        assert!(post("localhost", Roots::default()).await.is_err_and(|fault| fault.starts_with("TLS")));
        assert!(post("127.0.0.1", known).await.is_err_and(|fault| fault.starts_with("TLS")));
    }

    #[test]
    fn bundle_without_certificates_is_an_error() {
        assert!(Roots::parse(b"").is_err());
        assert!(Roots::parse(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").is_err());
    }
}
