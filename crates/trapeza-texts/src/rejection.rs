//! Why a payment was not made, for its payer: a sentence and the ISO 20022 code, which the bank's staff and the payee's bank understand.

use crate::Language;
use trapeza_domain::payment::{PaymentRejection, RejectionReason};

/// The sentence and the code in brackets.
pub fn sentence(language: Language, rejection: &PaymentRejection) -> String {
    let code = rejection.iso_code();
    let (english, greek) = match rejection.reason {
        RejectionReason::Clearing => of_clearing(code.as_str()),
        reason => of_bank(reason),
    };
    let text = match language {
        Language::English => english,
        Language::Greek => greek,
    };
    format!("{text} ({code})")
}

const fn of_bank(reason: RejectionReason) -> (&'static str, &'static str) {
    match reason {
        RejectionReason::Overdue => {
            ("You did not approve the payment in time.", "Δεν εγκρίνατε την πληρωμή εγκαίρως.")
        }
        RejectionReason::Refused => ("You refused the payment.", "Απορρίψατε την πληρωμή."),
        RejectionReason::Funds => {
            ("Your account has not enough money.", "Ο λογαριασμός σας δεν έχει αρκετά χρήματα.")
        }
        RejectionReason::Owner => (
            "The account that was to be debited is not yours.",
            "Ο λογαριασμός που θα χρεωνόταν δεν είναι δικός σας.",
        ),
        RejectionReason::Currency => (
            "The account is in another currency than the payment.",
            "Ο λογαριασμός είναι σε άλλο νόμισμα από την πληρωμή.",
        ),
        RejectionReason::Blocked => (
            "An account of the payment cannot be used.",
            "Ένας λογαριασμός της πληρωμής δεν μπορεί να χρησιμοποιηθεί.",
        ),
        RejectionReason::Closed => {
            ("The account that was to be debited is closed.", "Ο λογαριασμός που θα χρεωνόταν έχει κλείσει.")
        }
        RejectionReason::PayeeUnknown => (
            "This bank has no account with the payee's number.",
            "Η τράπεζα δεν έχει λογαριασμό με τον αριθμό του δικαιούχου.",
        ),
        RejectionReason::NoRoute => (
            "No bank is known for the payee's account number.",
            "Δεν είναι γνωστή τράπεζα για τον αριθμό λογαριασμού του δικαιούχου.",
        ),
        RejectionReason::ReferenceUnknown => (
            "The reference names no loan of which something is owed.",
            "Η αιτιολογία δεν περιέχει κωδικό δανείου με οφειλή.",
        ),
        RejectionReason::AmountTooHigh => (
            "The amount is more than is owed on the loan.",
            "Το ποσό είναι μεγαλύτερο από την οφειλή του δανείου.",
        ),
        RejectionReason::AllLines => ("None of the payments was made.", "Καμία από τις πληρωμές δεν έγινε."),
        RejectionReason::Unbookable => (
            "Payer and payee are the same account.",
            "Ο λογαριασμός χρέωσης και ο λογαριασμός πίστωσης είναι ο ίδιος.",
        ),
        RejectionReason::Clearing => (
            "The payee's bank did not accept the payment.",
            "Η τράπεζα του δικαιούχου δεν δέχθηκε την πληρωμή.",
        ),
        RejectionReason::Unanswered => (
            "The payee's bank did not answer in time. Nothing was debited.",
            "Η τράπεζα του δικαιούχου δεν απάντησε εγκαίρως. Δεν χρεωθήκατε.",
        ),
        RejectionReason::NotSent => (
            "We could not send the payment in time. Nothing was debited.",
            "Η πληρωμή δεν στάλθηκε εγκαίρως. Δεν χρεωθήκατε.",
        ),
    }
}

/// The codes that payers meet most often; the others share a sentence.
fn of_clearing(code: &str) -> (&'static str, &'static str) {
    match code {
        "AC01" | "AC03" | "BE01" => (
            "The payee's bank does not know the account number.",
            "Η τράπεζα του δικαιούχου δεν γνωρίζει τον αριθμό λογαριασμού.",
        ),
        "AC04" => ("The payee's account is closed.", "Ο λογαριασμός του δικαιούχου έχει κλείσει."),
        "AC06" | "AG01" => (
            "The payee's account cannot receive this payment.",
            "Ο λογαριασμός του δικαιούχου δεν μπορεί να δεχθεί αυτή την πληρωμή.",
        ),
        "AM05" => (
            "The payee's bank takes it for a payment that was made already.",
            "Η τράπεζα του δικαιούχου θεωρεί ότι η πληρωμή έχει ήδη γίνει.",
        ),
        "RC01" => ("The payee's bank was not found.", "Η τράπεζα του δικαιούχου δεν βρέθηκε."),
        _ => of_bank(RejectionReason::Clearing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::clearing::ReasonCode;

    #[test]
    fn sentence_names_the_reason_and_the_code_in_both_languages() {
        let mut sentences = Vec::new();
        for reason in RejectionReason::ALL {
            let rejection = PaymentRejection { reason: *reason, clearing_code: None };
            for language in Language::ALL {
                let text = sentence(language, &rejection);
                assert!(text.ends_with(&format!(". ({})", reason.iso_code())), "{text}");
                assert!(!sentences.contains(&text), "{text}");
                sentences.push(text);
            }
        }
    }

    #[test]
    fn code_of_clearing_has_its_own_sentence_or_a_common_one() {
        let of = |code| {
            let clearing_code = ReasonCode::parse(code);
            sentence(
                Language::English,
                &PaymentRejection { reason: RejectionReason::Clearing, clearing_code },
            )
        };
        assert_eq!(of("AC04"), "The payee's account is closed. (AC04)");
        assert_eq!(of("BE04"), "The payee's bank did not accept the payment. (BE04)");
        assert_eq!(of("MD07"), "The payee's bank did not accept the payment. (MS03)");
    }
}
