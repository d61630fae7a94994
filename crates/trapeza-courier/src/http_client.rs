//! The HTTP client of all outbound requests: hyper's client with rustls. It follows no redirects and ignores the proxy
//! settings of the environment.

use bytes::Bytes;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// Shorter than most servers keep idle connections, so that a request rarely meets one that is being closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3);
/// Per host.
const IDLE_CONNECTIONS: usize = 16;
/// The trace that a request is part of (W3C Trace Context).
pub(crate) const TRACEPARENT: &str = "traceparent";
/// Maximum length of an error text.
const MAX_ERROR_CHARS: usize = 200;

pub(crate) type HttpClient<C> = Client<HttpsConnector<C>, Full<Bytes>>;

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

    /// Adds TLS with these CA certificates to a connector. URLs with the scheme http are connected without TLS.
    pub(crate) fn https<C>(self, connector: C) -> Result<HttpsConnector<C>, &'static str> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|_| "cannot be used with TLS")?
            .with_root_certificates(self.0)
            .with_no_client_auth();
        let builder = HttpsConnectorBuilder::new().with_tls_config(config).https_or_http().enable_http1();
        Ok(builder.wrap_connector(connector))
    }
}

/// The URL of a service that the operator configures. Plain http is allowed on loopback only.
pub(crate) fn service_url(url: &str) -> Result<Url, &'static str> {
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
    Ok(url)
}

/// The builder of a client whose idle connections are reused.
pub(crate) fn builder() -> hyper_util::client::legacy::Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(IDLE_CONNECTIONS);
    builder
}

/// An error with its sources. It contains nothing of the response.
pub(crate) fn describe(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text.chars().take(MAX_ERROR_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundle_without_certificates_is_an_error() {
        assert!(Roots::parse(b"").is_err());
        assert!(Roots::parse(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").is_err());
    }
}
