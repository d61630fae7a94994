//! Statement texts: the names of booking events, and the texts of the bank's own bookings.
//!
//! A text is stored in English with its entry, and the JSON API returns it as stored. A page shows it in the language of its
//! reader: [`localise`] recognises the stored text by its event.

use crate::Language;
use trapeza_domain::ledger::posting::LedgerEvent;

const INSTALLMENT: &str = "Pay Later installment ";
const EARLY_REPAYMENT: &str = "Pay Later early repayment";
const WITHDRAWAL: &str = "Pay Later withdrawal";
const REFUND: &str = "Pay Later refund, ";
const PAYOUT: &str = "Pay Later payout, ";
const RETURNED: &str = "Returned: ";
const REJECTED: &str = "Rejected: ";
const BULK: (&str, &str) = ("Bulk payment, ", " payments");

/// The text of an entry that the bank itself causes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookingText {
    Installment {
        number: i64,
    },
    EarlyRepayment,
    Withdrawal,
    Refund {
        merchant: String,
    },
    /// What the bank pays to a merchant, whose code it names.
    Payout {
        code: String,
    },
    /// A payment that came back, with the ISO 20022 reason code.
    Returned {
        reason: String,
    },
    /// A payment that clearing rejected after it was debited, with the ISO 20022 reason code.
    Rejected {
        reason: String,
    },
    /// Several payments that are debited together.
    Bulk {
        count: usize,
    },
}

impl BookingText {
    /// The text that is stored with the entry.
    pub fn to_stored(&self) -> String {
        self.text(Language::English)
    }

    pub fn text(&self, language: Language) -> String {
        match (language, self) {
            (Language::English, Self::Installment { number }) => format!("{INSTALLMENT}{number}"),
            (Language::Greek, Self::Installment { number }) => format!("Δόση Pay Later {number}"),
            (Language::English, Self::EarlyRepayment) => EARLY_REPAYMENT.to_owned(),
            (Language::Greek, Self::EarlyRepayment) => "Πρόωρη εξόφληση Pay Later".to_owned(),
            (Language::English, Self::Withdrawal) => WITHDRAWAL.to_owned(),
            (Language::Greek, Self::Withdrawal) => "Υπαναχώρηση Pay Later".to_owned(),
            (Language::English, Self::Refund { merchant }) => format!("{REFUND}{merchant}"),
            (Language::Greek, Self::Refund { merchant }) => {
                format!("Επιστροφή χρημάτων Pay Later, {merchant}")
            }
            (Language::English, Self::Payout { code }) => format!("{PAYOUT}{code}"),
            (Language::Greek, Self::Payout { code }) => format!("Απόδοση Pay Later, {code}"),
            (Language::English, Self::Returned { reason }) => format!("{RETURNED}{reason}"),
            (Language::Greek, Self::Returned { reason }) => format!("Επιστράφηκε: {reason}"),
            (Language::English, Self::Rejected { reason }) => format!("{REJECTED}{reason}"),
            (Language::Greek, Self::Rejected { reason }) => format!("Απορρίφθηκε: {reason}"),
            (Language::English, Self::Bulk { count }) => format!("{}{count}{}", BULK.0, BULK.1),
            (Language::Greek, Self::Bulk { count }) => format!("Μαζική πληρωμή, πληρωμές: {count}"),
        }
    }

    /// The text of an entry of this event, if the bank wrote it.
    fn parse(event: LedgerEvent, stored: &str) -> Option<Self> {
        let rest = |prefix: &str| stored.strip_prefix(prefix);
        match event {
            LedgerEvent::InstallmentCollected if stored == EARLY_REPAYMENT => Some(Self::EarlyRepayment),
            LedgerEvent::InstallmentCollected => {
                rest(INSTALLMENT)?.parse().ok().map(|number| Self::Installment { number })
            }
            LedgerEvent::LoanWithdrawn => (stored == WITHDRAWAL).then_some(Self::Withdrawal),
            LedgerEvent::RefundReturned => {
                rest(REFUND).map(|merchant| Self::Refund { merchant: merchant.to_owned() })
            }
            LedgerEvent::MerchantPayoutInternal => {
                rest(PAYOUT).map(|code| Self::Payout { code: code.to_owned() })
            }
            LedgerEvent::SepaOutReturned | LedgerEvent::MerchantPayoutReturned => {
                rest(RETURNED).map(|reason| Self::Returned { reason: reason.to_owned() })
            }
            LedgerEvent::BatchLineRejected => {
                rest(REJECTED).map(|reason| Self::Rejected { reason: reason.to_owned() })
            }
            LedgerEvent::BatchDebited => {
                let count = rest(BULK.0)?.strip_suffix(BULK.1)?.parse().ok()?;
                Some(Self::Bulk { count })
            }
            _ => None,
        }
    }
}

/// A stored text in the language of its reader. Texts of other parties stay as they are.
pub fn localise(language: Language, event: LedgerEvent, stored: &str) -> String {
    if stored == event_name(Language::English, event) {
        return event_name(language, event).to_owned();
    }
    BookingText::parse(event, stored).map_or_else(|| stored.to_owned(), |text| text.text(language))
}

/// What an entry is called where it has no counterparty.
pub const fn event_name(language: Language, event: LedgerEvent) -> &'static str {
    let (english, greek) = match event {
        LedgerEvent::OpeningBalance | LedgerEvent::OpeningClearing => ("Opening balance", "Αρχικό υπόλοιπο"),
        LedgerEvent::InternalTransfer => ("Transfer", "Μεταφορά"),
        LedgerEvent::SepaOutAccepted | LedgerEvent::SepaOutSettled | LedgerEvent::SepaOutUnanswered => {
            ("Outgoing payment", "Εξερχόμενη πληρωμή")
        }
        LedgerEvent::BatchDebited => ("Bulk payment", "Μαζική πληρωμή"),
        LedgerEvent::BatchLineCredited => ("Transfer", "Μεταφορά"),
        LedgerEvent::BatchLineSettled => ("Outgoing payment", "Εξερχόμενη πληρωμή"),
        LedgerEvent::SepaOutRejected | LedgerEvent::BatchLineRejected => {
            ("Rejected payment", "Απόρριψη πληρωμής")
        }
        LedgerEvent::SepaOutCancelled => ("Cancelled payment", "Ανάκληση πληρωμής"),
        LedgerEvent::SepaOutReturned | LedgerEvent::InstantOutLateReturned => {
            ("Returned payment", "Επιστροφή πληρωμής")
        }
        LedgerEvent::InstantOutLate => ("Late instant payment", "Καθυστερημένη άμεση πληρωμή"),
        LedgerEvent::SepaIn | LedgerEvent::SepaInUnknown | LedgerEvent::SuspenseAssigned => {
            ("Incoming payment", "Εισερχόμενη πληρωμή")
        }
        LedgerEvent::SepaInUnknownReturned => {
            ("Returned incoming payment", "Επιστροφή εισερχόμενης πληρωμής")
        }
        LedgerEvent::FeeCharged | LedgerEvent::BatchFeeDebited => ("Fee", "Έξοδα"),
        LedgerEvent::CardAuthorised | LedgerEvent::CardCleared => ("Card payment", "Πληρωμή με κάρτα"),
        LedgerEvent::CardReversed => ("Reversed card payment", "Αντιλογισμός πληρωμής με κάρτα"),
        LedgerEvent::CardInvoiced => ("Card bill", "Εξόφληση κάρτας"),
        LedgerEvent::LoanApproved => ("Pay Later purchase", "Αγορά Pay Later"),
        LedgerEvent::InterestDue => ("Interest", "Τόκοι"),
        LedgerEvent::InstallmentCollected => ("Pay Later installment", "Δόση Pay Later"),
        LedgerEvent::LoanTransferInternal
        | LedgerEvent::LoanTransferAssigned
        | LedgerEvent::BatchLineLoanTransfer => ("Pay Later payment", "Πληρωμή Pay Later"),
        LedgerEvent::LoanWithdrawn => (WITHDRAWAL, "Υπαναχώρηση Pay Later"),
        LedgerEvent::MerchantRefund => ("Refund by the merchant", "Επιστροφή από το κατάστημα"),
        LedgerEvent::RefundReturned => ("Pay Later refund", "Επιστροφή χρημάτων Pay Later"),
        LedgerEvent::InterestWaived => ("Waived interest", "Διαγραφή τόκων"),
        LedgerEvent::MerchantPayoutAccepted
        | LedgerEvent::MerchantPayoutSettled
        | LedgerEvent::MerchantPayoutInternal => ("Payout", "Απόδοση στο κατάστημα"),
        LedgerEvent::MerchantPayoutReturned => ("Returned payout", "Επιστροφή απόδοσης"),
        LedgerEvent::ManualPosting => ("Correction by the bank", "Διόρθωση από την τράπεζα"),
        LedgerEvent::ManualPostingReversed => ("Reversed correction", "Αντιλογισμός διόρθωσης"),
        LedgerEvent::LoanWrittenOff => ("Loan written off", "Διαγραφή δανείου"),
    };
    match language {
        Language::English => english,
        Language::Greek => greek,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_text_of_the_bank_is_recognised_by_its_event() {
        let (merchant, reason) = ("Shop, Athens".to_owned(), "AC04".to_owned());
        let rejected = BookingText::Rejected { reason: reason.clone() };
        for (event, text) in [
            (LedgerEvent::InstallmentCollected, BookingText::Installment { number: 12 }),
            (LedgerEvent::InstallmentCollected, BookingText::EarlyRepayment),
            (LedgerEvent::LoanWithdrawn, BookingText::Withdrawal),
            (LedgerEvent::RefundReturned, BookingText::Refund { merchant }),
            (LedgerEvent::MerchantPayoutInternal, BookingText::Payout { code: "PAPYRUS".to_owned() }),
            (LedgerEvent::SepaOutReturned, BookingText::Returned { reason }),
            (LedgerEvent::BatchLineRejected, rejected),
            (LedgerEvent::BatchDebited, BookingText::Bulk { count: 450 }),
        ] {
            let stored = text.to_stored();
            assert_eq!(localise(Language::English, event, &stored), stored);
            assert_eq!(localise(Language::Greek, event, &stored), text.text(Language::Greek));
            assert_eq!(
                localise(Language::Greek, LedgerEvent::SepaIn, &stored),
                stored,
                "not the bank's text"
            );
        }
    }

    #[test]
    fn event_name_is_in_words_in_both_languages() {
        for event in LedgerEvent::ALL.iter().copied() {
            let english = event_name(Language::English, event);
            assert!(!english.contains('_') && english.is_ascii(), "{english}");
            assert!(!event_name(Language::Greek, event).is_ascii());
            assert_eq!(localise(Language::Greek, event, english), event_name(Language::Greek, event));
        }
    }
}
