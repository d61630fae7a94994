//! Reads a request's body, up to the limit of its operation.

use super::Rejection;
use crate::server::body_timed_out;
use axum::body::{Body, HttpBody as _};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_LENGTH;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// How much of a body is read and discarded before the connection is closed.
const MAX_DISCARDED_BYTES: usize = 4 << 20;

/// Refuses a body whose announced length exceeds the limit. It is the only check of the size before authentication: the body
/// of an unknown caller is never held in memory.
pub(super) fn check_announced_length(headers: &HeaderMap, limit: usize) -> Result<(), Refusal> {
    if announced_length(headers).is_some_and(|length| length > limit) {
        Err(too_large(limit))
    } else {
        Ok(())
    }
}

/// Reads the whole body. The rest of a body beyond the limit is discarded.
pub(super) async fn read_body(headers: &HeaderMap, mut body: Body, limit: usize) -> Result<Bytes, Rejection> {
    if body.is_end_stream() {
        return Ok(Bytes::new());
    }
    let mut whole = BytesMut::with_capacity(announced_length(headers).unwrap_or(0).min(limit));
    while let Some(frame) = body.frame().await {
        let frame = match frame {
            Ok(frame) => frame,
            Err(error) if body_timed_out(&error) => return Err(Rejection::BodyTimeout),
            Err(_) => {
                return Err(Refusal::new(RefusalReason::Malformed, "the request body ended early").into());
            }
        };
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > limit {
            discard(body).await;
            return Err(too_large(limit).into());
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}

/// Reads a body to its end, for a while, without holding it: closing the connection while the caller still sends would lose
/// the error response.
pub(super) async fn discard(mut body: Body) {
    let mut length = 0;
    while let Some(Ok(frame)) = body.frame().await {
        length += frame.data_ref().map_or(0, Bytes::len);
        if length > MAX_DISCARDED_BYTES {
            break;
        }
    }
}

fn announced_length(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

fn too_large(limit: usize) -> Refusal {
    Refusal::new(RefusalReason::TooLarge, format!("the body exceeds {limit} bytes"))
}
