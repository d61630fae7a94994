//! The one table of inputs with a fixed outcome. What acts on an input uses the constants here; the API, the pages and
//! docs/behaviour/sandbox.md show the table.

/// The OTP that is accepted for every code challenge.
pub const OTP: &str = "123456";

/// Names of payees. The clearing house of the sandbox rejects a payment with the code that follows this prefix.
pub const PAYEE_REJECTED_PREFIX: &str = "REJECT ";
pub const PAYEE_SILENT: &str = "SILENT";
/// Of an instant payment.
pub const PAYEE_LATE: &str = "LATE";
pub const PAYEE_RETURNED: &str = "RETURN";
pub const PAYEE_DELAYED: &str = "HOLD";
pub const PAYEE_CLOSE_MATCH: &str = "CLOSE MATCH";
pub const PAYEE_NO_MATCH: &str = "NO MATCH";

/// The name that another bank reports on a close match.
pub const CLOSE_MATCH_OWNER: &str = "Close Matching AE";

/// An input with its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MagicValue {
    /// The field.
    pub input: &'static str,
    pub value: &'static str,
    pub outcome: &'static str,
}

const PAYEE: &str = "creditorName of a payment to another bank";
const INSTANT_PAYEE: &str = "creditorName of an instant payment to another bank";
const PHONE: &str = "telephone number at the checkout of a test application";

const fn row(input: &'static str, value: &'static str, outcome: &'static str) -> MagicValue {
    MagicValue { input, value, outcome }
}

/// Every such input.
pub const MAGIC_VALUES: &[MagicValue] = &[
    row(
        PAYEE,
        "REJECT AC04",
        "clearing rejects the payment with AC04, or with another code in its place: RJCT",
    ),
    row(PAYEE, PAYEE_SILENT, "clearing never answers: the payment stays ACSP and its amount held"),
    row(
        INSTANT_PAYEE,
        PAYEE_SILENT,
        "clearing does not answer: the payment is rejected after ten seconds (AB05)",
    ),
    row(
        INSTANT_PAYEE,
        PAYEE_LATE,
        "clearing settles the payment when it has been rejected: the amount is on the suspense account",
    ),
    row(PAYEE, PAYEE_RETURNED, "the payment settles, then the money comes back"),
    row(PAYEE, PAYEE_DELAYED, "the payment waits an hour before clearing, so that it can be cancelled"),
    row(PAYEE, PAYEE_CLOSE_MATCH, "payee verification reports a close match (CMTC) with the owner's name"),
    row(PAYEE, PAYEE_NO_MATCH, "payee verification reports no match (NMTC)"),
    row(
        "instructedAmount of a payment",
        "more than the account has",
        "after SCA the payment is rejected: AM04",
    ),
    row("OTP", OTP, "is accepted for SMS, chip and photo"),
    row(
        "OTP",
        "any other, three times",
        "the code is used up: a new one must be requested; five wrong codes in a row block the customer for 15 minutes",
    ),
    row(
        "Certificate",
        "tpps[0].faulty of sandbox.json",
        "is refused: expired, blocked, revoked, without a role",
    ),
    row(PHONE, "+306900000100", "the credit is approved"),
    row(PHONE, "+306900000101", "the credit is declined: MERCHANT_LIMIT"),
    row(PHONE, "+306900000102", "the credit is declined: PHONE_BLOCKED"),
    row(PHONE, "+306900000103", "the credit is declined: LATE_HISTORY"),
    row(PHONE, "+306900000104", "the credit is declined: EXPOSURE"),
    row(PHONE, "+306900000105", "the credit is declined: VELOCITY"),
    row(PHONE, "+306900000106", "the credit is declined: AFFORDABILITY"),
    row(PHONE, "+306900000110", "the credit is approved after five seconds"),
    row(
        "successCallbackUrl",
        "http://127.0.0.1:9/",
        "nothing listens there: the callback fails and is retried",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_has_every_row() {
        let page = include_str!("../../../../docs/behaviour/sandbox.md");
        for MagicValue { input, value, outcome } in MAGIC_VALUES {
            let line = format!("| {input} | `{value}` | {outcome} |");
            assert!(page.contains(&line), "docs/behaviour/sandbox.md lacks: {line}");
        }
    }
}
