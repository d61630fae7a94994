//! The server over real sockets. Nothing here measures time: a limit is shown by the end that it brings.

mod limits;
mod shutdown;
mod tls;

use super::*;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Extension, Router};
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

/// Longer than anything takes on a busy machine; only a test that fails waits for it.
const TIMEOUT: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(100);

const GET_PEER: &[u8] = b"GET /peer HTTP/1.1\r\nHost: bank\r\nConnection: close\r\n\r\n";

/// A server on a port of its own, and the way to end it.
struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    served: JoinHandle<Drained>,
    /// Signalled when a request to `/wait` is in its handler.
    entered: Arc<Notify>,
    /// Lets that request finish.
    release: Arc<Notify>,
}

impl Running {
    async fn start(options: ServerOptions) -> Self {
        let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let router = router(Arc::clone(&entered), Arc::clone(&release));
        let served = tokio::spawn(serve(listener, router, options, async { drop(stopped.await) }));
        Self { address, stop, served, entered, release }
    }

    async fn connect(&self) -> TcpStream {
        in_time(TcpStream::connect(self.address)).await.unwrap()
    }

    async fn stop(self) -> Drained {
        self.stop.send(()).unwrap();
        in_time(self.served).await.unwrap()
    }
}

/// Limits that no good request meets.
fn long_timeouts() -> ServerOptions {
    ServerOptions {
        tls: None,
        handshake_timeout: TIMEOUT,
        header_timeout: TIMEOUT,
        body_timeout: TIMEOUT,
        write_timeout: TIMEOUT,
        connections_max: 100,
        connections_per_address_max: 100,
        drain_timeout: TIMEOUT,
        ..ServerOptions::default()
    }
}

/// A bare router, for tests of the server itself.
impl Handler for Router {
    async fn handle(&self, mut request: Request, peer: &Peer) -> Response {
        request.extensions_mut().insert(peer.clone());
        let Ok(response) = self.clone().oneshot(request).await;
        response
    }
}

fn router(entered: Arc<Notify>, release: Arc<Notify>) -> Router {
    let wait = async move || {
        entered.notify_one();
        release.notified().await;
        "done"
    };
    Router::new()
        .route("/peer", get(peer))
        .route("/echo", post(echo))
        .route("/wait", get(wait))
        .route("/flood", get(async || vec![b'x'; 64 << 20]))
}

async fn peer(Extension(Peer { address, certificate }): Extension<Peer>) -> String {
    match certificate {
        Some(der) => der.iter().map(|byte| format!("{byte:02x}")).collect(),
        None => address.to_string(),
    }
}

async fn echo(request: Request) -> Result<Vec<u8>, StatusCode> {
    match to_bytes(request.into_body(), 1 << 20).await {
        Ok(body) => Ok(body.to_vec()),
        Err(error) if body_timed_out(&error) => Err(StatusCode::REQUEST_TIMEOUT),
        Err(_) => Err(StatusCode::BAD_REQUEST),
    }
}

async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(TIMEOUT, future).await.expect("it did not end")
}

/// Everything until the server closes; a reset ends it as well.
async fn rest(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut read = Vec::new();
    drop(in_time(stream.read_to_end(&mut read)).await);
    String::from_utf8_lossy(&read).into_owned()
}

async fn exchange(stream: &mut (impl AsyncReadExt + AsyncWriteExt + Unpin), request: &[u8]) -> String {
    drop(in_time(stream.write_all(request)).await);
    rest(stream).await
}
