//! Consents: a customer's leave for a third party to read accounts, or to ask whether money is there (§2.3).
//!
//! What was asked for (an order) becomes what the bank grants (terms); beside the terms, both kinds live the same life
//! (`life`). Whose accounts the references name, and who the customer is, is not known here: before a consent is
//! authorised nothing may tell.

mod access;
mod funds;
mod grant;
mod state;
mod terms;
mod transitions;

pub use access::{Access, AccessFields, AccessLists, Scope};
pub use funds::{FundsConsentRequest, FundsTerms};
pub use grant::{Grant, matches_account, matches_card};
pub use state::{
    Consent, ConsentKind, ConsentState, ConsentStatus, ScheduledTransition, Transition, Validity,
};
pub use terms::{AccessConsentRequest, AccessTerms, Calendar, ValidUntil};
pub use transitions::transition_table;

use crate::audit_event::AuditEvent;
use crate::id::{ApplicationId, ConsentId};
use crate::time::Timestamp;

/// Whose consent it is to be, and when it is made.
#[derive(Clone, Debug)]
pub struct NewConsent {
    pub id: ConsentId,
    pub application: ApplicationId,
    /// The customer's name for themselves, as the third party sent it: it may be nobody's.
    pub psu: String,
    pub now: Timestamp,
}

/// Leave to read accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessConsent {
    pub consent: Consent,
    pub terms: AccessTerms,
}

/// Leave to ask whether an amount is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FundsConsent {
    pub consent: Consent,
    pub terms: FundsTerms,
}

impl AccessConsent {
    pub fn create(new: NewConsent, terms: AccessTerms) -> (Self, AuditEvent) {
        let (consent, event) = Consent::receive(new, ConsentKind::Access, terms.validity());
        (Self { consent, terms }, event)
    }
}

impl FundsConsent {
    pub fn create(new: NewConsent, terms: FundsTerms) -> (Self, AuditEvent) {
        // It lives until somebody ends it.
        let (consent, event) =
            Consent::receive(new, ConsentKind::Funds, Validity { end: None, one_off: false });
        (Self { consent, terms }, event)
    }
}
