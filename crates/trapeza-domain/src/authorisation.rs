//! Strong customer authentication (SCA): one state machine for consents, funds consents, payments and cancellations (§3).
//!
//! The machine defines the order of the steps, their deadlines, and which approaches remain possible. The app verifies
//! passwords and codes; the target decides what a finalised authorisation releases.

mod challenge;
mod dynamic_linking;
mod next_step;
mod state;
mod target;
pub mod throttle;
mod transitions;

pub use challenge::{Challenge, OTP_MAX_ATTEMPTS, OTP_TTL};
pub use dynamic_linking::{
    LinkingDigest, LoanLinkingData, PaymentLinkingData, access_consent_digest, funds_consent_digest,
    loan_digest, payment_digest,
};
pub use next_step::{NextStep, REDIRECT_TTL, next_steps};
pub use state::{
    AUTHORISATION_TTL, Authorisation, NewAuthorisation, ScaState, ScaStatus, SelectedMethod, Transition,
};
pub use target::{Target, TargetKind};
pub use transitions::transition_table;

use crate::string_enum::string_enum;

string_enum! {
    /// How an authorisation is carried out: on the third party's screen, on our page, or in the bank's app.
    pub enum ScaApproach {
        Embedded = "EMBEDDED",
        Redirect = "REDIRECT",
        Decoupled = "DECOUPLED",
    }
}

/// The approaches that are still possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApproachSelection {
    /// All of them; `reported` is the one that is reported to the third party.
    Open { reported: ScaApproach },
    /// Only this one: it was requested, or it was the first one used.
    Only(ScaApproach),
}

impl ApproachSelection {
    /// Applies the third party's preferences. When both are preferred, the redirect approach is chosen.
    pub const fn choose(redirect_preferred: bool, decoupled_preferred: bool, has_redirect_uri: bool) -> Self {
        match (redirect_preferred, decoupled_preferred, has_redirect_uri) {
            (true, _, _) => Self::Only(ScaApproach::Redirect),
            (false, true, _) => Self::Only(ScaApproach::Decoupled),
            (false, false, true) => Self::Open { reported: ScaApproach::Redirect },
            (false, false, false) => Self::Open { reported: ScaApproach::Embedded },
        }
    }

    pub const fn reported(self) -> ScaApproach {
        match self {
            Self::Open { reported } | Self::Only(reported) => reported,
        }
    }

    pub fn allows(self, approach: ScaApproach) -> bool {
        match self {
            Self::Open { .. } => true,
            Self::Only(only) => only == approach,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choose_follows_the_preferences() {
        let reported = |redirect, decoupled, uri| ApproachSelection::choose(redirect, decoupled, uri);
        assert_eq!(reported(true, true, false), ApproachSelection::Only(ScaApproach::Redirect));
        assert_eq!(reported(false, true, true), ApproachSelection::Only(ScaApproach::Decoupled));
        assert_eq!(reported(false, false, true), ApproachSelection::Open { reported: ScaApproach::Redirect });
        assert_eq!(
            reported(false, false, false),
            ApproachSelection::Open { reported: ScaApproach::Embedded }
        );
    }
}
