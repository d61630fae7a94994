//! Connections to URLs that merchants chose (SSRF protection). A name is resolved here, and the very address that is connected
//! to is checked, so that a name that resolves differently later (DNS rebinding) changes nothing. Proxy settings of the
//! environment are ignored.

use hyper::Uri;
use hyper_util::rt::TokioIo;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tower::Service;
use trapeza_domain::egress::EgressPolicy;

/// Timeout per address; a name may have several, and a dead one must not use up the whole time.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// Maximum number of addresses tried per name.
const ADDRESSES: usize = 4;

type Resolved = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// Name resolution: the system's, or a test's.
pub type Resolver = Arc<dyn Fn(String, u16) -> Resolved + Send + Sync>;

pub fn system_resolver() -> Resolver {
    Arc::new(|name, port| Box::pin(async move { Ok(lookup_host((name, port)).await?.collect()) }))
}

/// Connects to allowed addresses only. TLS is added around it.
#[derive(Clone)]
pub(super) struct EgressConnector {
    pub egress_policy: EgressPolicy,
    pub names: Resolver,
}

impl EgressConnector {
    async fn connect(self, uri: Uri) -> io::Result<TokioIo<TcpStream>> {
        let host = uri.host().ok_or_else(|| io::Error::other("no host"))?;
        // An IPv6 address has brackets in a URL and nowhere else.
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let default_port = if uri.scheme_str() == Some("https") { 443 } else { 80 };
        let addresses = self.addresses(host, uri.port_u16().unwrap_or(default_port)).await?;
        Ok(TokioIo::new(self.reach_out(addresses).await?))
    }

    /// The allowed addresses of the host.
    async fn addresses(&self, host: String, port: u16) -> io::Result<Vec<SocketAddr>> {
        let mut all = match host.parse::<IpAddr>() {
            Ok(literal) => vec![SocketAddr::new(literal, port)],
            Err(_) => (self.names)(host, port).await?,
        };
        all.retain(|address| self.egress_policy.allows(address.ip()));
        all.truncate(ADDRESSES);
        if all.is_empty() {
            return Err(io::Error::other("the host has no allowed address"));
        }
        Ok(all)
    }

    /// Connects to the first address that answers.
    async fn reach_out(&self, addresses: Vec<SocketAddr>) -> io::Result<TcpStream> {
        let mut failure = io::Error::other("the host has no address");
        for address in addresses {
            match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // Small, complete requests: waiting for more data gains nothing.
                    stream.set_nodelay(true)?;
                    return Ok(stream);
                }
                Ok(Err(error)) => failure = error,
                Err(_) => failure = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(failure)
    }
}

impl Service<Uri> for EgressConnector {
    type Response = TokioIo<TcpStream>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<TcpStream>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}

#[cfg(test)]
mod tests;
