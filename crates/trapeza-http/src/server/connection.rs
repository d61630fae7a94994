//! Serves one connection, from the TLS handshake to its end.

use super::body_timeout::TimedBody;
use super::head_check::HeadCheck;
use super::header_timeout::HeaderTimer;
use super::workers::ConnectionSlot;
use super::write_timeout::WriteTimeout;
use super::{Handler, Peer, ServerOptions, SharedTlsConfig};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
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

/// Enough for the longest `Certificate` header and all others; a longer header is answered with 431.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// The handler and options that all connections share.
pub(super) struct Shared<H> {
    handler: H,
    http: http1::Builder,
    options: ServerOptions,
}

impl<H: Handler> Shared<H> {
    pub(super) fn new(handler: H, options: ServerOptions) -> Self {
        let mut http = http1::Builder::new();
        http.header_read_timeout(options.header_timeout).max_buf_size(MAX_HEADER_BYTES);
        Self { handler, http, options }
    }
}

pub(super) async fn run(
    stream: std::net::TcpStream,
    peer: SocketAddr,
    shared: Arc<Shared<impl Handler>>,
    mut closing: watch::Receiver<bool>,
    _slot: ConnectionSlot,
) {
    let prepared = stream.set_nodelay(true).and_then(|()| TcpStream::from_std(stream));
    let stream = match prepared {
        Ok(stream) => stream,
        Err(error) => {
            tracing::debug!(%peer, %error, "connection failed before its first request");
            return;
        }
    };
    let stream = WriteTimeout::new(stream, shared.options.write_timeout);
    let Some(config) = shared.options.tls.as_ref().map(SharedTlsConfig::current) else {
        return serve_http1(stream, &Peer { address: peer, certificate: None }, &shared, closing).await;
    };
    let handshake =
        tokio::time::timeout(shared.options.handshake_timeout, TlsAcceptor::from(config).accept(stream));
    let accepted = tokio::select! {
        () = closed(&mut closing) => return,
        accepted = handshake => accepted,
    };
    match accepted {
        Ok(Ok(stream)) => {
            let certificate = peer_certificate(&stream);
            serve_http1(stream, &Peer { address: peer, certificate }, &shared, closing).await;
        }
        Ok(Err(error)) => tracing::debug!(%peer, %error, "TLS handshake failed"),
        Err(_) => tracing::debug!(%peer, "TLS handshake timed out"),
    }
}

fn peer_certificate<S>(stream: &TlsStream<S>) -> Option<Arc<[u8]>> {
    let (_, session) = stream.get_ref();
    session.peer_certificates()?.first().map(|leaf| Arc::from(leaf.as_ref()))
}

/// Ready once the server closes or was dropped.
async fn closed(closing: &mut watch::Receiver<bool>) {
    drop(closing.wait_for(|closing| *closing).await);
}

/// Serves requests until either side closes the connection or the server shuts down.
async fn serve_http1(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: &Peer,
    shared: &Shared<impl Handler>,
    mut closing: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: hyper::Request<Incoming>| async move {
        // Requests without a body need no timer.
        let request: Request = request.map(|body| match body.is_end_stream() {
            true => Body::empty(),
            false => Body::new(TimedBody::new(body, shared.options.body_timeout)),
        });
        let is_chunked = request.headers().contains_key(header::TRANSFER_ENCODING);
        let mut response = shared.handler.handle(request, peer).await;
        if is_chunked {
            // `HeadCheck` does not follow chunks to the next head.
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        Ok::<_, Infallible>(response)
    });
    let mut http = shared.http.clone();
    // Without a timer hyper would wait for slow headers forever.
    http.timer(HeaderTimer::default());
    let mut connection = pin!(http.serve_connection(TokioIo::new(HeadCheck::new(stream)), service));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = closed(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    // Usually a peer that disconnected or was too slow, so this is logged at debug level only.
    if let Err(error) = ended {
        tracing::debug!(peer = %peer.address, %error, "connection ended early");
    }
}
