//! The server loop: accepts connections, secures them, bounds every wait, and ends without cutting answers short.
//!
//! It knows sockets, TLS and HTTP framing. It knows no route, no header of ours and no form of an error: what a request
//! means is the router's matter, which is told here only who is on the other end ([`Peer`]).

mod body;
mod connection;
mod head;
mod stall;
#[cfg(test)]
mod tests;
mod thread;
mod tls;

pub use body::{BodyTimedOut, body_timed_out};
pub use tls::{TlsFault, tls_config};

use axum::extract::Request;
use axum::response::Response;
use connection::Site;
use rustls::ServerConfig;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use thread::Threads;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long to wait when the system has no file descriptor left. The waiting connections stay in the system's queue.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// The far end of the connection a request came on: a proxy's where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    pub address: SocketAddr,
    /// In DER form, where the peer has proved in the TLS handshake to hold its key.
    pub certificate: Option<Arc<[u8]>>,
}

/// What the server waits for, and how long.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Plain HTTP when there is none.
    pub tls: Option<Arc<ServerConfig>>,
    /// From the connection to the end of the TLS handshake.
    pub handshake_timeout: Duration,
    /// From the connection, or the last answer, to the end of the next request's head. Ends idle connections too.
    pub header_timeout: Duration,
    /// From the end of a request's head to the end of its body.
    pub body_timeout: Duration,
    /// How long a peer may leave an answer unread while more of it waits.
    pub write_timeout: Duration,
    /// Further connections are closed at once.
    pub connections_max: usize,
    /// From the shutdown to the moment when requests still running are cut off.
    pub drain_timeout: Duration,
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
            drain_timeout: Duration::from_secs(20),
        }
    }
}

/// How a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// Connections that were still busy when the drain time was over.
    pub cut_off: usize,
}

/// What requests are handed to.
pub trait Answers: Send + Sync + 'static {
    fn answer(&self, request: Request, peer: &Peer) -> impl Future<Output = Response> + Send;
}

/// Serves until `shutdown` is ready, then lets running requests finish. No error of one connection, and none of
/// accepting, ends it earlier.
pub async fn serve(
    listener: TcpListener,
    house: impl Answers,
    options: ServerOptions,
    shutdown: impl Future<Output = ()>,
) -> Drained {
    let connections_max = options.connections_max;
    let drain_timeout = options.drain_timeout;
    let (closing, closed) = watch::channel(false);
    let site = Arc::new(Site::new(house, options));
    let threads = Threads::start();
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    let mut full = false;
    loop {
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            Some(ended) = connections.join_next() => {
                connection_ended(ended);
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        while let Some(ended) = connections.try_join_next() {
            connection_ended(ended);
        }
        // Out of this runtime, into that of a thread that serves.
        let accepted = accepted.and_then(|(stream, peer)| Ok((stream.into_std()?, peer)));
        match accepted {
            Ok((stream, peer)) if connections.len() < connections_max => {
                full = false;
                let (thread, seat) = threads.idlest();
                let connection = connection::run(stream, peer, Arc::clone(&site), closed.clone(), seat);
                connections.spawn_on(connection, &thread);
            }
            Ok(_) => {
                // Said once a time, or a flood of connections would be one of log lines too.
                if !std::mem::replace(&mut full, true) {
                    tracing::warn!(connections_max, "connections are closed at once: there are too many");
                }
            }
            Err(error) if of_one_connection(&error) => {}
            Err(error) => {
                tracing::error!(%error, "cannot accept connections; trying again");
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
    tracing::warn!(cut_off, "requests were still running when the drain time was over");
    connections.shutdown().await;
    Drained { cut_off }
}

/// A panic ends its own connection only, but never unseen.
fn connection_ended(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a connection's task failed");
    }
}

/// The peer gave up between connecting and being accepted: nothing is wrong with the listener.
fn of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
