//! Consents: a customer's leave for a third party to read accounts, or to ask whether money is there (§2.3).
//!
//! What was asked for (an order) becomes what the bank grants (terms); beside the terms, both kinds live the same life
//! (`life`). Whose accounts the references name, and who the customer is, is not known here: before a consent is
//! authorised nothing may tell.

mod access;
mod funds;
mod grant;
mod life;
mod matrix;
mod terms;

pub use access::{Access, AccessFields, AccessLists, Scope};
pub use funds::{FundsOrder, FundsTerms};
pub use grant::{Grant, names_account, names_card};
pub use life::{Changed, Consent, ConsentState, ConsentStatus, Due, Kind, Tenure};
pub use matrix::matrix;
pub use terms::{AccessOrder, AccessTerms, Calendar, Until};

use crate::event::Event;
use crate::id::{ApplicationId, ConsentId};
use crate::time::Instant;

/// Whose consent it is to be, and when it is made.
#[derive(Clone, Debug)]
pub struct Birth {
    pub id: ConsentId,
    pub application: ApplicationId,
    /// The customer's name for themselves, as the third party sent it: it may be nobody's.
    pub psu: String,
    pub now: Instant,
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
    pub fn create(birth: Birth, terms: AccessTerms) -> (Self, Event) {
        let (consent, event) = Consent::receive(birth, Kind::Access, terms.tenure());
        (Self { consent, terms }, event)
    }
}

impl FundsConsent {
    pub fn create(birth: Birth, terms: FundsTerms) -> (Self, Event) {
        // It lives until somebody ends it.
        let (consent, event) = Consent::receive(birth, Kind::Funds, Tenure { end: None, one_off: false });
        (Self { consent, terms }, event)
    }
}
