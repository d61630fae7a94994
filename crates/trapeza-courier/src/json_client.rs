//! One POST to somebody else's server, over TLS, with an end to everything. What is posted is not known here.

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

/// From the first packet to the answer's head.
const LIMIT: Duration = Duration::from_secs(10);
/// More than any answer that is read here.
const ANSWER_BYTES: usize = 64 * 1024;

/// The authorities that others' servers are believed by; by default none.
#[derive(Clone, Debug)]
pub struct Roots(RootCertStore);

impl Default for Roots {
    fn default() -> Self {
        Self(RootCertStore::empty())
    }
}

impl Roots {
    /// Reads a bundle of PEM certificates, such as the system's. One that cannot be used is passed over, as every system's
    /// bundle has some; none at all is a fault.
    pub fn parse(pem: &[u8]) -> Result<Self, &'static str> {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(CertificateDer::pem_slice_iter(pem).filter_map(Result::ok));
        if store.is_empty() { Err("holds no certificate of an authority") } else { Ok(Self(store)) }
    }

    /// TLS to servers that these authorities vouch for.
    pub(crate) fn connector(self) -> Result<TlsConnector, &'static str> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| "cannot be reached by TLS")?
            .with_root_certificates(self.0)
            .with_no_client_auth();
        Ok(TlsConnector::from(Arc::new(config)))
    }
}

/// Posts to one address.
pub struct JsonClient {
    url: Url,
    token: Secret<String>,
    tls: TlsConnector,
}

impl JsonClient {
    /// Plain http is for a gateway on the same machine only.
    pub fn parse(url: &str, token: Secret<String>, roots: Roots) -> Result<Self, &'static str> {
        let url = Url::parse(url).map_err(|_| "is not an absolute URL")?;
        let local = match url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => return Err("names no host"),
        };
        if url.scheme() != "https" && !(url.scheme() == "http" && local) {
            return Err("has to be https");
        }
        Ok(Self { url, token, tls: roots.connector()? })
    }

    /// Posts JSON. Anything but a 2xx is a failure; its text has nothing of what was posted.
    pub async fn post(&self, body: String) -> Result<(), String> {
        self.ask(body, LIMIT).await.map(|_| ())
    }

    /// The same, with so much time, and with what was answered.
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
        // An IPv6 address stands in brackets in a URL and without them everywhere else.
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
        // Ends with the sender, or with the server.
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
        // A status stands, even if what follows it breaks off.
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
    fn only_tls_leaves_the_machine() {
        for good in
            ["https://sms.example/send", "http://127.0.0.1:1/", "http://[::1]:1/", "http://localhost/"]
        {
            assert_eq!(parsed(good), None, "{good}");
        }
        for bad in ["http://sms.example/send", "ftp://sms.example/", "sms.example", "http://10.0.0.1/", ""] {
            assert!(parsed(bad).is_some(), "{bad}");
        }
    }

    /// A server with a certificate of its own that answers every request with 200; its address and certificate.
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
    async fn a_server_is_believed_by_its_authority_and_name_only() {
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
    fn a_bundle_without_certificates_is_a_fault() {
        assert!(Roots::parse(b"").is_err());
        assert!(Roots::parse(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").is_err());
    }
}
