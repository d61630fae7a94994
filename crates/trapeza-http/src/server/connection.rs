//! One connection, from the handshake to its end. Knows nothing of the other connections.

use super::body::TimedBody;
use super::head::HeadTimer;
use super::stall::StallGuard;
use super::thread::Seat;
use super::{Answers, Peer, ServerOptions};
use axum::body::Body;
use axum::extract::Request;
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// Room for the longest `Certificate` header and all others; a longer head is answered with 431.
const HEAD_LENGTH_MAX: usize = 64 * 1024;

/// What all connections share.
pub(super) struct Site<H> {
    house: H,
    http: http1::Builder,
    options: ServerOptions,
}

impl<H: Answers> Site<H> {
    pub(super) fn new(house: H, options: ServerOptions) -> Self {
        let mut http = http1::Builder::new();
        http.header_read_timeout(options.header_timeout).max_buf_size(HEAD_LENGTH_MAX);
        Self { house, http, options }
    }
}

pub(super) async fn run(
    stream: std::net::TcpStream,
    peer: SocketAddr,
    site: Arc<Site<impl Answers>>,
    mut closing: watch::Receiver<bool>,
    _seat: Seat,
) {
    let begun = stream.set_nodelay(true).and_then(|()| TcpStream::from_std(stream));
    let stream = match begun {
        Ok(stream) => stream,
        Err(error) => {
            tracing::debug!(%peer, %error, "the connection ended before it began");
            return;
        }
    };
    let stream = StallGuard::new(stream, site.options.write_timeout);
    let Some(config) = site.options.tls.clone() else {
        return converse(stream, &Peer { address: peer, certificate: None }, &site, closing).await;
    };
    let handshake =
        tokio::time::timeout(site.options.handshake_timeout, TlsAcceptor::from(config).accept(stream));
    let secured = tokio::select! {
        () = closed(&mut closing) => return,
        secured = handshake => secured,
    };
    match secured {
        Ok(Ok(stream)) => {
            let certificate = peer_certificate(&stream);
            converse(stream, &Peer { address: peer, certificate }, &site, closing).await;
        }
        Ok(Err(error)) => tracing::debug!(%peer, %error, "the TLS handshake failed"),
        Err(_) => tracing::debug!(%peer, "the TLS handshake took too long"),
    }
}

fn peer_certificate<S>(stream: &TlsStream<S>) -> Option<Arc<[u8]>> {
    let (_, session) = stream.get_ref();
    session.peer_certificates()?.first().map(|leaf| Arc::from(leaf.as_ref()))
}

/// Ready once the server closes, or is gone.
async fn closed(closing: &mut watch::Receiver<bool>) {
    drop(closing.wait_for(|closing| *closing).await);
}

/// Requests and answers by turns, until either side ends it or the server closes.
async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: &Peer,
    site: &Site<impl Answers>,
    mut closing: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: hyper::Request<Incoming>| async move {
        // Most requests have no body, and so none to time.
        let request: Request = request.map(|body| match body.is_end_stream() {
            true => Body::empty(),
            false => Body::new(TimedBody::new(body, site.options.body_timeout)),
        });
        Ok::<_, Infallible>(site.house.answer(request, peer).await)
    });
    let mut http = site.http.clone();
    // Without a timer hyper would never end a slow head.
    http.timer(HeadTimer::default());
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closed(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    // Mostly a peer that went away or was too slow; an operator looks for these only when somebody complains.
    if let Err(error) = ended {
        tracing::debug!(peer = %peer.address, %error, "the connection ended early");
    }
}
