//! Remittance texts of the bank's own bookings, as statements show them.

use crate::Language;

pub fn installment(language: Language, number: impl std::fmt::Display) -> String {
    match language {
        Language::English => format!("Pay Later installment {number}"),
        Language::Greek => format!("Pay Later δόση {number}"),
    }
}

pub fn early_repayment(language: Language) -> String {
    match language {
        Language::English => "Pay Later early repayment",
        Language::Greek => "Pay Later πρόωρη εξόφληση",
    }
    .to_owned()
}

pub fn withdrawal(language: Language) -> String {
    match language {
        Language::English => "Pay Later withdrawal",
        Language::Greek => "Pay Later υπαναχώρηση",
    }
    .to_owned()
}

pub fn refund(language: Language, merchant: &str) -> String {
    match language {
        Language::English => format!("Pay Later refund, {merchant}"),
        Language::Greek => format!("Pay Later επιστροφή, {merchant}"),
    }
}

/// The additional information of a payment that came back. `reason` is the ISO 20022 reason code.
pub fn returned(language: Language, reason: impl std::fmt::Display) -> String {
    match language {
        Language::English => format!("Returned: {reason}"),
        Language::Greek => format!("Επιστράφηκε: {reason}"),
    }
}
