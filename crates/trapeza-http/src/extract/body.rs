//! Reads a request's body, up to the limit of its operation.

use super::Rejection;
use crate::server::body_timed_out;
use axum::body::{Body, HttpBody as _};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// How much of a body beyond the limit is read and discarded before the connection is closed.
const DISCARD_MAX_BYTES: usize = 4 << 20;

/// Reads the whole body. The rest of a body beyond the limit is read and discarded for a while: closing the connection while
/// the caller still sends would lose the error response.
pub(super) async fn read_body(headers: &HeaderMap, mut body: Body, limit: usize) -> Result<Bytes, Rejection> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    let mut whole = BytesMut::with_capacity(announced.unwrap_or(0).min(limit));
    let mut length = 0;
    while let Some(frame) = body.frame().await {
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) if body_timed_out(&error) => return Err(Rejection::BodyTimeout),
            Err(_) => {
                return Err(Refusal::new(RefusalReason::Malformed, "the request body ended early").into());
            }
        };
        let Ok(data) = frame.into_data() else { continue };
        length += data.len();
        if length <= limit {
            whole.extend_from_slice(&data);
        } else if length > limit + DISCARD_MAX_BYTES {
            break;
        }
    }
    if length > limit {
        return Err(Refusal::new(RefusalReason::TooLarge, format!("the body exceeds {limit} bytes")).into());
    }
    Ok(whole.freeze())
}
