//! The messages of ISO 20022 between banks, in the versions that SEPA uses: pacs.008.001.08 (transfers),
//! pacs.002.001.10 (what became of them) and pacs.004.001.09 (returns). Written as narrowly as the scheme's rules, read
//! as widely as the standard where that is harmless. What a message means is not known here.

mod parse;
mod serialize;

pub use parse::parse;
pub use serialize::print;

use trapeza_domain::clearing::ClearingMessage;

const TRANSFERS: &str = "pacs.008.001.08";
const REPORT: &str = "pacs.002.001.10";
const RETURNS: &str = "pacs.004.001.09";
const NAMESPACE: &str = "urn:iso:std:iso:20022:tech:xsd:";

/// What stands where the scheme wants something and nothing is known.
const NOT_PROVIDED: &str = "NOTPROVIDED";

/// The standard's name of a message.
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
