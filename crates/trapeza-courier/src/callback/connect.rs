//! Connections to URLs that merchants chose (SSRF protection). A name is resolved here, and the very address that is connected
//! to is checked, so that a name that resolves differently later (DNS rebinding) changes nothing. Proxy settings of the
//! environment are ignored.

use hyper::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use rustls_pki_types::ServerName;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tower::Service;
use trapeza_domain::egress::EgressPolicy;

/// Timeout per address; a name may have several, and a dead one must not use up the whole time.
const CONNECT: Duration = Duration::from_secs(4);
/// Maximum number of addresses tried per name.
const ADDRESSES: usize = 4;

type Resolved = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// Name resolution: the system's, or a test's.
pub type Resolver = Arc<dyn Fn(String, u16) -> Resolved + Send + Sync>;

pub fn system_resolver() -> Resolver {
    Arc::new(|name, port| Box::pin(async move { Ok(lookup_host((name, port)).await?.collect()) }))
}

#[derive(Clone)]
pub(super) struct Connector {
    pub reach: EgressPolicy,
    pub tls: TlsConnector,
    pub names: Resolver,
}

impl Connector {
    async fn connect(self, uri: Uri) -> io::Result<Line> {
        let host = uri.host().ok_or_else(|| io::Error::other("no host"))?;
        // An IPv6 address has brackets in a URL and nowhere else.
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let tls = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if tls { 443 } else { 80 });
        let stream = self.reach_out(self.addresses(host.clone(), port).await?).await?;
        if !tls {
            return Ok(Line(TokioIo::new(Box::new(stream))));
        }
        let name = ServerName::try_from(host).map_err(io::Error::other)?;
        Ok(Line(TokioIo::new(Box::new(self.tls.connect(name, stream).await?))))
    }

    /// The allowed addresses of the host.
    async fn addresses(&self, host: String, port: u16) -> io::Result<Vec<SocketAddr>> {
        let mut all = match host.parse::<IpAddr>() {
            Ok(literal) => vec![SocketAddr::new(literal, port)],
            Err(_) => (self.names)(host, port).await?,
        };
        all.retain(|address| self.reach.allows(address.ip()));
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
            match timeout(CONNECT, TcpStream::connect(address)).await {
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

impl Service<Uri> for Connector {
    type Response = Line;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Line>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri))
    }
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// A connection with or without TLS.
pub(super) struct Line(TokioIo<Box<dyn Stream>>);

impl Connection for Line {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl Read for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl Write for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests;
