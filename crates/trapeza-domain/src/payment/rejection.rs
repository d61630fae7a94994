//! Why a payment was rejected, as payers and third parties learn it. Accounts are looked at only after the customer has authorised the
//! payment, so the reason reveals nothing to a third party without the customer.

use crate::clearing::ReasonCode;
use crate::string_enum::string_enum;

string_enum! {
    /// Why a payment was rejected.
    pub enum RejectionReason {
        Overdue = "overdue",
        /// The customer refused it.
        Refused = "refused",
        Funds = "funds",
        /// The debtor account does not belong to the customer.
        Owner = "owner",
        Currency = "currency",
        /// The payer's or the payee's account is blocked.
        Blocked = "blocked",
        /// The payer's account is closed.
        Closed = "closed",
        /// The bank has no such account.
        PayeeUnknown = "payeeUnknown",
        /// No bank is known for the payee's IBAN.
        NoRoute = "noRoute",
        /// A payment to the collection account names no loan of which something is owed.
        ReferenceUnknown = "referenceUnknown",
        /// A payment to the collection account is more than is owed.
        AmountTooHigh = "amountTooHigh",
        /// It cannot be posted: payer and payee are the same account.
        Unbookable = "unbookable",
        /// Every line of a bulk payment was rejected, each for its own reason.
        AllLines = "allLines",
        /// The other bank or the clearing house rejected it.
        Clearing = "clearing",
        /// The other bank did not answer an instant payment in time.
        Unanswered = "unanswered",
        /// The bank itself did not send an instant payment in time.
        NotSent = "notSent",
    }
}

impl RejectionReason {
    /// The reason in ISO 20022's external status reason codes. An account that is not the customer's and one that does not exist
    /// have the same code, so that the answer does not reveal which accounts exist.
    pub const fn iso_code(self) -> &'static str {
        match self {
            Self::Overdue => "DS24",
            Self::Refused => "CUST",
            Self::Funds => "AM04",
            Self::Owner => "AC01",
            Self::Unbookable => "AG01",
            Self::Currency => "AM03",
            Self::Blocked => "AC06",
            Self::Closed => "AC04",
            Self::PayeeUnknown => "AC03",
            Self::NoRoute => "RC01",
            Self::ReferenceUnknown | Self::AllLines => "MS03",
            Self::AmountTooHigh => "AM02",
            Self::Clearing => "NARR",
            Self::Unanswered => "AB05",
            Self::NotSent => "AB11",
        }
    }

    /// The reason in a sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Overdue => "the payment was not authorised in time",
            Self::Refused => "the customer rejected the payment",
            Self::Funds => "the available amount is not sufficient",
            Self::Owner => "the customer has no such account",
            Self::Currency => "the account is not in the currency of the payment",
            Self::Blocked => "an account of the payment is blocked",
            Self::Closed => "the account of the payer is closed",
            Self::PayeeUnknown => "the bank has no account with the payee's number",
            Self::NoRoute => "no bank is known for the payee's account",
            Self::ReferenceUnknown => "the remittance information has no reference of an open loan",
            Self::AmountTooHigh => "the amount is more than is owed on the loan",
            Self::Unbookable => "payer and payee are the same account",
            Self::AllLines => "every payment of the bulk was rejected",
            Self::Clearing => "the payee's bank or the clearing house rejected the payment",
            Self::Unanswered => "the payee's bank did not answer in time",
            Self::NotSent => "the bank could not send the payment in time",
        }
    }
}

/// The reason of a rejection, with clearing's code where clearing rejected the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentRejection {
    pub reason: RejectionReason,
    /// As it was received. Others learn [`Self::iso_code`] only.
    pub clearing_code: Option<ReasonCode>,
}

impl PaymentRejection {
    /// The ISO 20022 code that payers and third parties learn. Codes that say something about another person (a death, a suspicion of
    /// fraud, a duty to report) become "not specified".
    pub fn iso_code(&self) -> ReasonCode {
        const CONFIDENTIAL: [&str; 7] = ["FR01", "FRAD", "MD07", "RR01", "RR02", "RR03", "RR04"];
        match self.clearing_code {
            Some(code) if CONFIDENTIAL.contains(&code.as_str()) => ReasonCode::UNSPECIFIED,
            Some(code) => code,
            None => ReasonCode::parse(self.reason.iso_code()).unwrap_or(ReasonCode::UNSPECIFIED),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_an_iso_code() {
        for reason in RejectionReason::ALL {
            let rejection = PaymentRejection { reason: *reason, clearing_code: None };
            assert_eq!(rejection.iso_code().as_str(), reason.iso_code());
        }
    }

    #[test]
    fn confidential_code_of_clearing_is_not_disclosed() {
        for (received, disclosed) in
            [("AC04", "AC04"), ("AM05", "AM05"), ("MD07", "MS03"), ("FR01", "MS03"), ("RR03", "MS03")]
        {
            let clearing_code = ReasonCode::parse(received);
            let rejection = PaymentRejection { reason: RejectionReason::Clearing, clearing_code };
            assert_eq!(rejection.iso_code().as_str(), disclosed, "{received}");
        }
    }

    #[test]
    fn every_reason_has_its_own_words() {
        let mut words: Vec<&str> = RejectionReason::ALL.iter().map(|reason| reason.description()).collect();
        words.sort_unstable();
        words.dedup();
        assert!(words.len() == RejectionReason::ALL.len() && !words.contains(&""));
    }
}
