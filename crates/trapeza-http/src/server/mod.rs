//! The server loop: accepts connections, performs TLS handshakes, bounds every wait and drains on shutdown.
//!
//! It handles sockets, TLS and HTTP framing only. Requests go to a [`Handler`] together with the [`Peer`] that sent them.

mod address_limit;
mod body_timeout;
mod connection;
mod head_check;
mod header_timeout;
#[cfg(test)]
mod tests;
mod tls;
mod workers;
mod write_timeout;

pub use body_timeout::{BodyTimedOut, body_timed_out};
pub use tls::{
    ExpiredCrl, LoadedTls, SharedTlsConfig, TlsConfig, TlsError, TlsExpiry, TlsFile, TlsFiles, tls_config,
};

pub(crate) use tls::{crl_end, first_end, pem_certificates, revocation_lists};

use address_limit::AddressLimit;
use axum::extract::Request;
use axum::response::Response;
use connection::Shared;
use metrics::Gauge;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use workers::Workers;

/// How long to wait when no file descriptor is left. Waiting connections stay in the backlog of the kernel.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// The remote end of a connection: a proxy where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    pub address: SocketAddr,
    /// The client certificate in DER form, proven by the TLS handshake.
    pub certificate: Option<Arc<[u8]>>,
}

/// Timeouts and limits of the server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// `None` serves plain HTTP.
    pub tls: Option<SharedTlsConfig>,
    /// From the connection to the end of the TLS handshake.
    pub handshake_timeout: Duration,
    /// From the connection, or the last response, to the end of the next request header. Also closes idle connections.
    pub header_timeout: Duration,
    /// From the end of a request header to the end of its body.
    pub body_timeout: Duration,
    /// How long a peer may stop reading while a response is being written.
    pub write_timeout: Duration,
    /// Connections beyond this number are closed immediately.
    pub connections_max: usize,
    /// Connections of one address beyond this number are closed immediately.
    pub connections_per_address_max: usize,
    /// How long requests may still run after the shutdown signal.
    pub drain_timeout: Duration,
    /// Where connections are served.
    pub threads: ServerThreads,
    /// The number of open connections.
    pub connections: Gauge,
}

/// Where connections are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerThreads {
    /// On a thread of their own per processor.
    PerProcessor,
    /// On the runtime that runs the server, for few connections.
    Current,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            tls: None,
            handshake_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(30),
            body_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            connections_max: 10_000,
            connections_per_address_max: 2_500,
            drain_timeout: Duration::from_secs(20),
            threads: ServerThreads::PerProcessor,
            connections: Gauge::noop(),
        }
    }
}

/// The result of a drained server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// Connections that were still busy when the drain timeout elapsed.
    pub cut_off: usize,
}

/// Handles requests.
pub trait Handler: Send + Sync + 'static {
    fn handle(&self, request: Request, peer: &Peer) -> impl Future<Output = Response> + Send;
}

/// Several listeners may share a handler.
impl<H: Handler> Handler for Arc<H> {
    fn handle(&self, request: Request, peer: &Peer) -> impl Future<Output = Response> + Send {
        (**self).handle(request, peer)
    }
}

/// Serves until `shutdown` is ready, then lets running requests finish. Errors of connections and of accepting do not end it
/// earlier.
pub async fn serve(
    listener: TcpListener,
    handler: impl Handler,
    options: ServerOptions,
    shutdown: impl Future<Output = ()>,
) -> Drained {
    let connections_max = options.connections_max;
    let addresses = AddressLimit::new(options.connections_per_address_max);
    let drain_timeout = options.drain_timeout;
    let (closing, closed) = watch::channel(false);
    let open = options.connections.clone();
    let workers = match options.threads {
        ServerThreads::PerProcessor => Workers::start(),
        ServerThreads::Current => Workers::none(),
    };
    let shared = Arc::new(Shared::new(handler, options));
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    let mut full = false;
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            Some(ended) = connections.join_next() => {
                connection_ended(ended);
                open.set(connections.len() as f64);
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        while let Some(ended) = connections.try_join_next() {
            connection_ended(ended);
        }
        // The stream leaves this runtime for that of a worker.
        let accepted = accepted.and_then(|(stream, peer)| Ok((stream.into_std()?, peer)));
        match accepted {
            Ok((stream, peer)) if connections.len() < connections_max => {
                full = false;
                // Not logged: one client must not flood the log.
                let Some(address) = addresses.acquire(peer.ip()) else { continue };
                let (worker, slot) = workers.least_loaded();
                let connection = connection::run(stream, peer, Arc::clone(&shared), closed.clone(), slot);
                let counted = async move {
                    let _address = address;
                    connection.await;
                };
                connections.spawn_on(counted, &worker);
                open.set(connections.len() as f64);
            }
            Ok(_) => {
                // Logged once, so that a flood of connections does not flood the log.
                if !std::mem::replace(&mut full, true) {
                    tracing::warn!(connections_max, "connection limit reached; closing new connections");
                }
            }
            Err(error) if is_connection_error(&error) => {}
            Err(error) => {
                tracing::error!(%error, "accepting connections failed; retrying");
                tokio::select! {
                    () = &mut shutdown => break,
                    () = tokio::time::sleep(ACCEPT_PAUSE) => {}
                }
            }
        }
    }
    drop(listener);
    closing.send_replace(true);
    drain(connections, drain_timeout).await
}

async fn drain(mut connections: JoinSet<()>, drain_timeout: Duration) -> Drained {
    let finished = async {
        while let Some(ended) = connections.join_next().await {
            connection_ended(ended);
        }
    };
    if tokio::time::timeout(drain_timeout, finished).await.is_ok() {
        return Drained { cut_off: 0 };
    }
    let cut_off = connections.len();
    tracing::warn!(cut_off, "drain timeout elapsed; aborting running requests");
    connections.shutdown().await;
    Drained { cut_off }
}

/// A panic ends its own connection only, and is logged.
fn connection_ended(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "connection task failed");
    }
}

/// The peer disconnected before it was accepted: the listener is fine.
fn is_connection_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
