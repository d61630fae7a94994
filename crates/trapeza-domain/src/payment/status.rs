//! Status values of a payment: ISO 20022 codes, integers, and the codes of a cancellation (§3).

use super::{PaymentState, RejectionReason};
use crate::string_enum::string_enum;

string_enum! {
    /// transactionStatus of a payment; the bank uses these codes of the list.
    pub enum TransactionStatus {
        Rcvd = "RCVD",
        Actc = "ACTC",
        Accp = "ACCP",
        Acsp = "ACSP",
        Acsc = "ACSC",
        Accc = "ACCC",
        /// Some lines of a bulk payment were rejected.
        Part = "PART",
        Rjct = "RJCT",
        Canc = "CANC",
    }

    /// transactionStatus of a cancellation.
    pub enum CancellationStatus {
        /// The request is stored; the customer must authorise it.
        Received = "RECEIVED",
        Cancelled = "CANCELLED",
    }
}

impl PaymentState {
    pub const fn status(self) -> TransactionStatus {
        match self {
            Self::Received => TransactionStatus::Rcvd,
            Self::Authorised | Self::Scheduled { .. } => TransactionStatus::Actc,
            Self::Accepted { .. } => TransactionStatus::Accp,
            Self::Submitted => TransactionStatus::Acsp,
            Self::Settled => TransactionStatus::Acsc,
            Self::Credited => TransactionStatus::Accc,
            Self::PartlyAccepted { .. } => TransactionStatus::Part,
            Self::Rejected { .. } => TransactionStatus::Rjct,
            Self::Cancelled => TransactionStatus::Canc,
        }
    }

    /// 1 received, 2 accepted for execution, 3 rejected, 4 successful, 5 failed, 6 cancelled, 7 expired. 0, unknown, is
    /// never used.
    pub const fn number(self) -> i64 {
        match self {
            Self::Received => 1,
            Self::Authorised | Self::Scheduled { .. } | Self::Accepted { .. } | Self::Submitted => 2,
            Self::Rejected { reason: RejectionReason::Overdue, .. } => 7,
            Self::Rejected { accepted: false, .. } => 3,
            Self::PartlyAccepted { has_open_lines: true } => 2,
            Self::Settled | Self::Credited | Self::PartlyAccepted { has_open_lines: false } => 4,
            Self::Rejected { accepted: true, .. } => 5,
            Self::Cancelled => 6,
        }
    }

    /// Whether funds were available; unknown until the customer has authenticated.
    pub const fn funds_available(self) -> Option<bool> {
        match self {
            Self::Accepted { .. }
            | Self::Submitted
            | Self::Settled
            | Self::Credited
            | Self::PartlyAccepted { .. } => Some(true),
            Self::Rejected { reason: RejectionReason::Funds, .. } => Some(false),
            Self::Received
            | Self::Authorised
            | Self::Scheduled { .. }
            | Self::Rejected { .. }
            | Self::Cancelled => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    #[test]
    fn status_number_and_funds_of_every_state() {
        let rejected = |accepted, reason| PaymentState::Rejected { accepted, reason, code: None };
        for (state, word, number, funds) in [
            (PaymentState::Received, "RCVD", 1, None),
            (PaymentState::Authorised, "ACTC", 2, None),
            (
                PaymentState::Scheduled { execute_at: Timestamp(0), cancellation_hold_until: None },
                "ACTC",
                2,
                None,
            ),
            (
                PaymentState::Accepted { submit_at: Timestamp(0), cancellation_hold_until: None },
                "ACCP",
                2,
                Some(true),
            ),
            (PaymentState::Submitted, "ACSP", 2, Some(true)),
            (PaymentState::Settled, "ACSC", 4, Some(true)),
            (PaymentState::Credited, "ACCC", 4, Some(true)),
            (PaymentState::PartlyAccepted { has_open_lines: true }, "PART", 2, Some(true)),
            (PaymentState::PartlyAccepted { has_open_lines: false }, "PART", 4, Some(true)),
            (rejected(false, RejectionReason::Owner), "RJCT", 3, None),
            (rejected(false, RejectionReason::Funds), "RJCT", 3, Some(false)),
            (rejected(true, RejectionReason::Clearing), "RJCT", 5, None),
            (rejected(false, RejectionReason::Overdue), "RJCT", 7, None),
            (PaymentState::Cancelled, "CANC", 6, None),
        ] {
            assert_eq!(
                (state.status().name(), state.number(), state.funds_available()),
                (word, number, funds)
            );
        }
    }
}
