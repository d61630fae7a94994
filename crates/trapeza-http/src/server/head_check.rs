//! Refuses a request head with a line that ends in LF alone.
//!
//! hyper accepts such lines, and a program on the way may not: the two would see different requests (request smuggling).
//! hyper has no setting for that, so the bytes are inspected as they are read. The LF is replaced by NUL, which no head may
//! contain, and hyper answers 400 and closes the connection. Bodies are skipped by their length; a connection with a body in
//! chunks ends with its response.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pub(super) struct HeadCheck<S> {
    stream: S,
    position: Position,
}

/// Where in the sequence of requests the next byte is.
#[derive(Debug, PartialEq, Eq)]
enum Position {
    Head {
        /// The part of the current line that an earlier read has returned.
        line: Vec<u8>,
        /// Whether the request line was read; empty lines before it are allowed.
        has_begun: bool,
        body_length: u64,
    },
    /// In a body, of which this many bytes are left.
    Body(u64),
    /// After an invalid head: hyper closes the connection.
    Refused,
}

/// The length of a body in chunks: the rest of the connection.
const UNBOUNDED: u64 = u64::MAX;

/// A line of a head, as far as it matters here.
enum Line {
    Empty,
    BodyLength(u64),
    Other,
    Invalid,
}

impl Position {
    const START: Self = Self::Head { line: Vec::new(), has_begun: false, body_length: 0 };

    /// Follows the bytes that were read.
    fn advance(&mut self, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            match self {
                Self::Refused => return,
                Self::Body(left) => {
                    let skipped = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    *left -= skipped as u64;
                    if *left == 0 {
                        *self = Self::START;
                    }
                    bytes = &mut bytes[skipped..];
                }
                Self::Head { line, has_begun, body_length } => {
                    let Some(end) = memchr::memchr(b'\n', bytes) else {
                        line.extend_from_slice(bytes);
                        return;
                    };
                    let kind = match line.is_empty() {
                        true => classify(&bytes[..end]),
                        false => {
                            line.extend_from_slice(&bytes[..end]);
                            let kind = classify(line);
                            line.clear();
                            kind
                        }
                    };
                    match kind {
                        Line::Empty if !*has_begun => {}
                        Line::Empty if *body_length == 0 => *self = Self::START,
                        Line::Empty => *self = Self::Body(*body_length),
                        Line::BodyLength(length) => *body_length = length.max(*body_length),
                        Line::Other => *has_begun = true,
                        Line::Invalid => {
                            bytes[end] = 0;
                            *self = Self::Refused;
                        }
                    }
                    bytes = &mut bytes[end + 1..];
                }
            }
        }
    }
}

/// A line without its LF.
fn classify(line: &[u8]) -> Line {
    let Some(line) = line.strip_suffix(b"\r") else { return Line::Invalid };
    match line.first() {
        None => Line::Empty,
        Some(b'c' | b'C') => match value(line, b"content-length") {
            None => Line::Other,
            Some(text) => {
                let length = std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok());
                length.map_or(Line::Invalid, Line::BodyLength)
            }
        },
        Some(b't' | b'T') if value(line, b"transfer-encoding").is_some() => Line::BodyLength(UNBOUNDED),
        Some(_) => Line::Other,
    }
}

/// The value of a header, if the line is that header.
fn value<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = line.split_at_checked(name.len())?;
    let value = rest.strip_prefix(b":")?;
    start.eq_ignore_ascii_case(name).then_some(value)
}

impl<S> HeadCheck<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, position: Position::START }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for HeadCheck<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.position.advance(&mut buffer.filled_mut()[before..]);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HeadCheck<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether a stream of requests passes, when it is read in pieces of this size.
    fn passes(requests: &[u8], piece: usize) -> bool {
        let mut position = Position::START;
        let mut read = requests.to_vec();
        for piece in read.chunks_mut(piece) {
            position.advance(piece);
        }
        read == requests
    }

    const POST: &[u8] = b"POST /echo HTTP/1.1\r\nHost: bank\r\ncontent-LENGTH: 4 \r\n\r\na\n\nb";
    const GET: &[u8] = b"GET /peer HTTP/1.1\r\nHost: bank\r\n\r\n";

    proptest! {
        #[test]
        fn bare_lf_is_found_in_heads_and_ignored_in_bodies(piece in 1usize..90, first in 0usize..3) {
            let requests = [&GET.repeat(first)[..], POST, GET].concat();
            prop_assert!(passes(&requests, piece));
            // Every CR before an LF of a head is needed.
            for at in 0..requests.len() - 1 {
                let is_line_end = requests[at] == b'\r' && requests[at + 1] == b'\n';
                let mut without = requests.clone();
                without.remove(at);
                prop_assert!(!is_line_end || !passes(&without, piece));
            }
        }
    }

    #[test]
    fn length_that_is_no_number_is_invalid() {
        for length in ["4, 4", "x", "-1", ""] {
            let head = format!("POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n");
            assert!(!passes(head.as_bytes(), 1024), "{length}");
        }
    }

    #[test]
    fn empty_lines_before_a_request_pass() {
        assert!(passes(&[b"\r\n\r\n", GET].concat(), 7));
    }
}
