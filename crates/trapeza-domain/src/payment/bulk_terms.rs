//! The terms of a bulk payment.

/// What a payment that is a bulk has besides the sum of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkTerms {
    /// How many lines it has.
    pub count: u32,
    /// Whether the payer wishes one entry for all lines.
    pub batch_booking: bool,
    pub digest: LinesDigest,
}

/// A digest of everything that the lines of a bulk pay, in their order. The customer approves it, and the lines are compared with it before
/// they are executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinesDigest(pub [u8; 32]);

impl LinesDigest {
    /// Eight digits for people: the page, the app and the text message show the same.
    pub fn fingerprint(&self) -> String {
        let [a, b, c, d, ..] = self.0;
        format!("{a:02X}{b:02X}-{c:02X}{d:02X}")
    }
}
