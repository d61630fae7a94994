//! A client for JSON services of others: POST over TLS with a bearer token, timeouts and size limits. The operator configures
//! the URL, so the egress rules for merchants' URLs do not apply.

use crate::http_client::{HttpClient, Roots, TRACEPARENT, builder, describe, service_url};
use bytes::Bytes;
use http_body_util::{BodyExt, Collected, Full, Limited};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, InvalidHeaderValue};
use hyper::{Request, StatusCode, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use std::time::Duration;
use tokio::time::timeout;
use trapeza_app::trace::TraceContext;
use trapeza_domain::secret::Secret;

/// Default timeout from connecting to the response head.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of a response.
const MAX_RESPONSE_BYTES: usize = 64 * 1024;

/// Posts to one URL.
pub struct JsonClient {
    client: HttpClient<HttpConnector>,
    uri: Uri,
    authorization: Option<HeaderValue>,
}

impl JsonClient {
    /// Plain http is allowed on loopback only.
    pub fn parse(url: &str, token: Secret<String>, roots: Roots) -> Result<Self, &'static str> {
        Self::parse_with(url, Some(token), roots)
    }

    /// The same for a service that may need no token.
    pub fn parse_with(url: &str, token: Option<Secret<String>>, roots: Roots) -> Result<Self, &'static str> {
        let url = service_url(url)?;
        let uri = Uri::try_from(url.as_str()).map_err(|_| "must be a URL that HTTP can request")?;
        let authorization = token.map(|token| {
            let mut authorization = HeaderValue::try_from(format!("Bearer {}", token.expose()))?;
            authorization.set_sensitive(true);
            Ok::<_, InvalidHeaderValue>(authorization)
        });
        let authorization = authorization
            .transpose()
            .map_err(|_| "cannot be called with this token, which no header can contain")?;
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_nodelay(true);
        Ok(Self { client: builder().build(roots.https(connector)?), uri, authorization })
    }

    /// Posts JSON. Any status but 2xx is an error; its text contains nothing of the body.
    pub async fn post(&self, body: String, trace: Option<TraceContext>) -> Result<(), String> {
        self.ask(body, trace, TIMEOUT).await.map(|_| ())
    }

    /// Posts JSON as part of a trace, with a timeout, and returns the response body.
    pub async fn ask(
        &self,
        body: String,
        trace: Option<TraceContext>,
        limit: Duration,
    ) -> Result<Bytes, String> {
        self.ask_as("application/json", body, trace, limit).await
    }

    /// Posts another format than JSON.
    pub async fn ask_as(
        &self,
        content_type: &'static str,
        body: String,
        trace: Option<TraceContext>,
        limit: Duration,
    ) -> Result<Bytes, String> {
        let sent = timeout(limit, self.exchange(content_type, body, trace)).await;
        match sent.map_err(|_| format!("no answer within {} ms", limit.as_millis()))?? {
            (status, answer) if status.is_success() => Ok(answer),
            (status, _) => Err(format!("answered {status}")),
        }
    }

    async fn exchange(
        &self,
        content_type: &'static str,
        body: String,
        trace: Option<TraceContext>,
    ) -> Result<(StatusCode, Bytes), String> {
        let mut request = Request::post(self.uri.clone()).header(CONTENT_TYPE, content_type);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        if let Some(trace) = trace {
            request = request.header(TRACEPARENT, trace.to_string());
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| describe(&error))?;
        let answer = self.client.request(request).await.map_err(|error| describe(&error))?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), MAX_RESPONSE_BYTES).collect().await;
        // The status counts even if the body is incomplete.
        Ok((status, body.map(Collected::to_bytes).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::crypto::ring;
    use std::sync::Arc;

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
            let json_client = JsonClient::parse(&url, Secret::new("t".to_owned()), roots).unwrap();
            json_client.post("{}".to_owned(), None).await
        };
        let known = Roots::parse(pem.as_bytes()).unwrap();
        assert_eq!(post("localhost", known.clone()).await, Ok(()));
        let refused = |sent: Result<(), String>| sent.is_err_and(|error| error.contains("certificate"));
        assert!(refused(post("localhost", Roots::default()).await));
        assert!(refused(post("127.0.0.1", known).await));
    }
}
