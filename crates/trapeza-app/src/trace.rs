//! Traces across services (W3C Trace Context): the context of the request that is being handled, and finished spans.
//!
//! The trace of a request is continued from its header `traceparent` or begins with it, and is passed on to the services
//! that the request causes calls to. Without a [`SpanSink`] contexts are passed on all the same and nothing is recorded.

use std::fmt::{self, Write as _};
use std::future::Future;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};
use uuid::Uuid;

/// Parts in a million: the resolution of the sampling ratio.
pub const SAMPLING_SCALE: u32 = 1_000_000;

/// A span of a trace, as other services learn of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    trace: [u8; 16],
    span: [u8; 8],
    is_sampled: bool,
}

/// Receives finished spans. It must not block.
pub trait SpanSink: Send + Sync {
    fn record(&self, span: FinishedSpan);
}

struct Recording {
    sink: Box<dyn SpanSink>,
    sampled_millionths: u32,
}

static RECORDING: OnceLock<Recording> = OnceLock::new();

tokio::task_local! {
    static CURRENT: TraceContext;
}

/// Whether the server answered a request or sent one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    Server,
    Client,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    Text(String),
    Number(i64),
}

/// What was done, for how long, and as part of what.
#[derive(Clone, Debug)]
pub struct FinishedSpan {
    pub context: TraceContext,
    pub parent: Option<[u8; 8]>,
    pub name: String,
    pub kind: SpanKind,
    pub started: SystemTime,
    pub took: Duration,
    pub attributes: Vec<(&'static str, Attribute)>,
    pub has_failed: bool,
}

/// Sets where spans go and how many traces in a million are recorded. Only the first call has an effect.
pub fn install(sink: Box<dyn SpanSink>, sampled_millionths: u32) {
    // A second sink is not used; the program installs one.
    let _ = RECORDING.set(Recording { sink, sampled_millionths });
}

/// Runs a future as part of a trace.
pub fn scope<T>(context: TraceContext, future: impl Future<Output = T>) -> impl Future<Output = T> {
    CURRENT.scope(context, future)
}

/// The context of the request that the current task handles.
pub fn current() -> Option<TraceContext> {
    CURRENT.try_with(|context| *context).ok()
}

/// Records a span if its trace is sampled. The span is built only then.
pub fn record(context: TraceContext, span: impl FnOnce() -> FinishedSpan) {
    if context.is_sampled
        && let Some(recording) = RECORDING.get()
    {
        recording.sink.record(span());
    }
}

impl TraceContext {
    /// The context of a request: a new span with this id, in the caller's trace or in a new one. Whether it is recorded depends
    /// on the id of the trace alone, not on the caller's flag: callers are other companies.
    pub fn of_request(traceparent: Option<&str>, id: Uuid) -> (Self, Option<[u8; 8]>) {
        let caller = traceparent.and_then(|text| text.parse::<Self>().ok());
        let trace = caller.map_or(id.into_bytes(), |caller| caller.trace);
        (Self::new(trace, id), caller.map(|caller| caller.span))
    }

    /// A new span in this trace.
    pub fn child(self, id: Uuid) -> Self {
        Self::new(self.trace, id)
    }

    fn new(trace: [u8; 16], id: Uuid) -> Self {
        let (_, span) = id.as_u64_pair();
        let sampled_millionths = RECORDING.get().map_or(0, |recording| recording.sampled_millionths);
        Self { trace, span: span.to_be_bytes(), is_sampled: is_sampled(trace, sampled_millionths) }
    }

    pub fn trace_id(&self) -> HexId<'_> {
        HexId(&self.trace)
    }

    pub fn span_id(&self) -> HexId<'_> {
        HexId(&self.span)
    }

    pub const fn span(&self) -> [u8; 8] {
        self.span
    }
}

/// Services with the same ratio decide alike: the last seven bytes of the id, which are random, are compared.
fn is_sampled(trace: [u8; 16], sampled_millionths: u32) -> bool {
    let random = u128::from_be_bytes(trace) & ((1 << 56) - 1);
    random * u128::from(SAMPLING_SCALE) < u128::from(sampled_millionths) << 56
}

/// The header `traceparent`, version 00. Later versions have more fields after the same four.
impl FromStr for TraceContext {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut fields = text.split('-');
        let mut field = || fields.next().ok_or(());
        let (version, trace, span, flags) = (field()?, field()?, field()?, field()?);
        let [version] = bytes(version)?;
        let (trace, span, [flags]) = (bytes(trace)?, bytes(span)?, bytes(flags)?);
        let has_more = fields.next().is_some();
        if version == 0xff || (version == 0 && has_more) || trace == [0; 16] || span == [0; 8] {
            return Err(());
        }
        Ok(Self { trace, span, is_sampled: flags & 1 == 1 })
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-0{}", self.trace_id(), self.span_id(), u8::from(self.is_sampled))
    }
}

/// Lower-case hexadecimal digits.
fn bytes<const N: usize>(text: &str) -> Result<[u8; N], ()> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Ok(byte - b'0'),
        b'a'..=b'f' => Ok(byte - b'a' + 10),
        _ => Err(()),
    };
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(()) };
    let pairs: &[[u8; 2]; N] = pairs.try_into().map_err(|_| ())?;
    let mut read = [0; N];
    for (byte, [high, low]) in read.iter_mut().zip(pairs) {
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Ok(read)
}

/// An id in hexadecimal digits.
pub struct HexId<'a>(&'a [u8]);

impl<'a> HexId<'a> {
    pub const fn new(id: &'a [u8]) -> Self {
        Self(id)
    }
}

impl fmt::Display for HexId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            for digit in [byte >> 4, byte & 15] {
                f.write_char(char::from(b"0123456789abcdef"[usize::from(digit)]))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const ID: Uuid = Uuid::from_u128(0x0123_4567_89ab_4def_8123_4567_89ab_cdef);

    #[test]
    fn trace_of_the_caller_is_continued_in_a_new_span() {
        let (context, parent) = TraceContext::of_request(Some(CALLER), ID);
        assert_eq!(context.to_string(), "00-4bf92f3577b34da6a3ce929d0e0e4736-8123456789abcdef-00");
        assert_eq!(parent, Some([0, 0xf0, 0x67, 0xaa, 0x0b, 0xa9, 0x02, 0xb7]));
        let (new, parent) = TraceContext::of_request(None, ID);
        assert_eq!(new.to_string(), "00-0123456789ab4def8123456789abcdef-8123456789abcdef-00");
        assert_eq!(parent, None);
    }

    #[test]
    fn malformed_traceparent_begins_a_new_trace() {
        for text in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e47zz-00f067aa0ba902b7-01",
        ] {
            assert!(text.parse::<TraceContext>().is_err(), "{text}");
            assert_eq!(TraceContext::of_request(Some(text), ID).1, None, "{text}");
        }
        let later = "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more";
        assert_eq!(later.parse(), CALLER.parse::<TraceContext>(), "a later version");
    }

    #[test]
    fn ratio_decides_by_the_id_of_the_trace() {
        let trace = |last_seven: u64| u128::from(last_seven | 0xaa << 56).to_be_bytes();
        let half = 1_u64 << 55;
        assert!(
            is_sampled(trace(half - 1), SAMPLING_SCALE / 2) && !is_sampled(trace(half), SAMPLING_SCALE / 2)
        );
        assert!(is_sampled(trace((1 << 56) - 1), SAMPLING_SCALE) && !is_sampled(trace(0), 0));
    }

    #[tokio::test]
    async fn context_is_that_of_the_task() {
        let (context, _) = TraceContext::of_request(None, ID);
        assert_eq!(current(), None);
        assert_eq!(scope(context, async { current() }).await, Some(context));
    }
}
