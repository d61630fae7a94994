//! A client for HTTP interfaces: any method, any address, no redirects. Developers name them on the command line, and operators in
//! the configuration.

use crate::http_client::{HttpClient, Roots, builder, describe};
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::Request;
use hyper_util::client::legacy::connect::HttpConnector;
use std::time::Duration;
use tokio::time::timeout;

/// Maximum size of a response to a developer.
const MAX_RESPONSE_BYTES: usize = 8 << 20;
/// Maximum size of a response of a service that the operator has configured.
const MAX_SERVICE_RESPONSE_BYTES: usize = 256 << 10;

pub struct ApiClient {
    client: HttpClient<HttpConnector>,
    response_bytes: usize,
}

/// Status and body of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiResponse {
    pub status: u16,
    pub body: Bytes,
}

impl ApiClient {
    pub fn new(roots: Roots) -> Result<Self, &'static str> {
        Self::with_limit(roots, MAX_RESPONSE_BYTES)
    }

    /// For services that the operator has configured, whose responses are small.
    pub(crate) fn for_services(roots: Roots) -> Result<Self, &'static str> {
        Self::with_limit(roots, MAX_SERVICE_RESPONSE_BYTES)
    }

    fn with_limit(roots: Roots, response_bytes: usize) -> Result<Self, &'static str> {
        let mut connector = HttpConnector::new();
        connector.enforce_http(false);
        connector.set_nodelay(true);
        Ok(Self { client: builder().build(roots.https(connector)?), response_bytes })
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
            let response = self.client.request(request).await.map_err(|error| describe(&error))?;
            let status = response.status().as_u16();
            let body = Limited::new(response.into_body(), self.response_bytes).collect().await;
            let body = body.map_err(|error| describe(&*error))?.to_bytes();
            Ok(ApiResponse { status, body })
        };
        timeout(limit, exchange).await.map_err(|_| format!("no answer within {} s", limit.as_secs()))?
    }
}
