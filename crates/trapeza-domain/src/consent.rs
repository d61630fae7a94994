//! Consents: a customer's permission for a third party to read accounts, or to confirm funds (§2.3).
//!
//! A request becomes the terms that the bank grants; both kinds of consent share one state machine (`state`). References
//! are compared with the customer's accounts only when the consent is authorised: before that, no answer may reveal
//! whether they exist.

mod access;
mod funds;
mod grant;
mod offer;
mod options;
mod rejection;
mod state;
mod terms;
mod transitions;

pub use access::{Access, AccessFields, AccessLists, OfferedRights, Scope};
pub use funds::{FundsConsentRequest, FundsTerms};
pub use grant::{Grant, matches_account, matches_card};
pub use offer::ChosenAccount;
pub use options::{AccessOptions, CARD_ACCOUNT_TYPE, OwnerNameScope, OwnerNames};
pub use rejection::ConsentRejection;
pub use state::{
    Consent, ConsentKind, ConsentState, ConsentStatus, ScheduledTransition, Transition, Validity,
};
pub use terms::{AccessConsentRequest, AccessTerms, Calendar, ValidUntil};
pub use transitions::transition_table;

use crate::audit_event::AuditEvent;
use crate::id::{ApplicationId, ConsentId};
use crate::time::Timestamp;

/// The identity and creation time of a new consent.
#[derive(Clone, Debug)]
pub struct NewConsent {
    pub id: ConsentId,
    pub application: ApplicationId,
    /// The PSU_ID as the third party sent it; it may be unknown, and is empty until the customer is identified.
    pub psu: String,
    pub now: Timestamp,
}

/// Permission to read accounts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessConsent {
    pub consent: Consent,
    pub terms: AccessTerms,
}

/// Permission to ask whether an amount is available.
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
        // A funds consent is valid until it is revoked.
        let (consent, event) =
            Consent::receive(new, ConsentKind::Funds, Validity { end: None, one_off: false });
        (Self { consent, terms }, event)
    }
}
