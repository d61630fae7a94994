//! ISO 20022 messages in the versions of SEPA: pacs.008.001.08 (credit transfers), pacs.002.001.10 (status reports) and
//! pacs.004.001.09 (returns). They are written by the scheme's rules and read leniently where that is harmless.

mod instant;
mod parse;
mod serialize;

pub use instant::{parse_instant_answer, serialize_instant, serialize_status_request};
pub use parse::parse;
pub use serialize::serialize;

use trapeza_domain::clearing::ClearingMessage;

const TRANSFERS: &str = "pacs.008.001.08";
const REPORT: &str = "pacs.002.001.10";
const RETURNS: &str = "pacs.004.001.09";
const NAMESPACE: &str = "urn:iso:std:iso:20022:tech:xsd:";

/// The maximum length of ids.
const MAX_ID_CHARS: usize = 35;

/// The value for mandatory elements without a value.
const NOT_PROVIDED: &str = "NOTPROVIDED";

/// The message's name in the standard.
pub const fn kind(message: &ClearingMessage) -> &'static str {
    match message {
        ClearingMessage::CreditTransfers(_) => TRANSFERS,
        ClearingMessage::StatusReport(_) => REPORT,
        ClearingMessage::PaymentReturns(_) => RETURNS,
    }
}

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod tests;
