//! A bare axum server that answers every request with one recorded response: the cost of HTTP alone on this machine.
//!
//! It checks nothing and reads nothing, so no program on the same libraries can be faster.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::serve::ListenerExt;
use bytes::Bytes;
use serde_json::Value;
use std::path::Path;
use tokio::net::TcpListener;

/// Serves the response in a file, `{"headers": {…}, "body": "…"}`, until the process ends. Prints its address first.
pub async fn serve(file: &Path) {
    let text = std::fs::read_to_string(file).expect("the recorded response can be read");
    let recorded: Value = serde_json::from_str(&text).expect("the recorded response is JSON");
    let headers = headers(&recorded["headers"]);
    let body = Bytes::from(recorded["body"].as_str().expect("a body of text").to_owned());
    let router = Router::new().fallback(move || {
        let response = (headers.clone(), Body::from(body.clone()));
        async { response }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    println!("http://{}", listener.local_addr().expect("a bound listener has an address"));
    // As the measured program does, so that no response waits for another.
    let listener =
        listener.tap_io(|stream| stream.set_nodelay(true).expect("a new connection takes options"));
    axum::serve(listener, router).await.expect("the server runs until the process ends");
}

fn headers(recorded: &Value) -> HeaderMap {
    let recorded = recorded.as_object().expect("headers by their names");
    let header = |(name, value): (&String, &Value)| {
        let value = value.as_str().and_then(|value| HeaderValue::from_str(value).ok());
        (HeaderName::try_from(name).expect("a header's name"), value.expect("a header's value"))
    };
    recorded.iter().map(header).collect()
}
