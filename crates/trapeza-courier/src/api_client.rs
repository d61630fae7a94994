//! A client for HTTP interfaces that a developer names on the command line: any method, any address, no redirects.

use crate::http_client::{HttpClient, Roots, builder, describe};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::Request;
use hyper_util::client::legacy::connect::HttpConnector;
use std::time::Duration;
use tokio::time::timeout;

/// Maximum size of a response.
const RESPONSE_BYTES: usize = 8 << 20;

pub struct ApiClient(HttpClient<HttpConnector>);

/// Status and body of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiResponse {
    pub status: u16,
    pub body: Bytes,
}

impl ApiClient {
    pub fn new(roots: Roots) -> Result<Self, &'static str> {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_nodelay(true);
        Ok(Self(builder().build(roots.https(connector)?)))
    }

    /// Sends a request and reads its response to the end. The error says why there is none.
    pub async fn send(
        &self,
        method: &str,
        url: &str,
        headers: &[(&str, &str)],
        body: String,
        limit: Duration,
    ) -> Result<ApiResponse, String> {
        let mut request = Request::builder().method(method).uri(url);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| describe(&error))?;
        let exchange = async {
            let response = self.0.request(request).await.map_err(|error| describe(&error))?;
            let status = response.status().as_u16();
            let body = Limited::new(response.into_body(), RESPONSE_BYTES).collect().await;
            let body = body.map_err(|error| describe(&*error))?.to_bytes();
            Ok(ApiResponse { status, body })
        };
        timeout(limit, exchange).await.map_err(|_| format!("no answer within {} s", limit.as_secs()))?
    }
}
