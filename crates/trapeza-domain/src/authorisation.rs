//! Strong customer authentication: one machine for consents, funds consents, payments and their cancellation (§3).
//!
//! The machine knows what step comes after which, what time does, and which ways stay open. Whether a password or a
//! code was right is decided by those who hold the keys; what an authorisation sets free is decided by its target.

mod challenge;
mod dynamic_linking;
mod next_step;
mod state;
mod target;
pub mod throttle;
mod transitions;

pub use challenge::{Challenge, OTP_MAX_ATTEMPTS, OTP_TTL};
pub use dynamic_linking::{
    LinkingDigest, PaymentLinkingData, access_consent_digest, funds_consent_digest, payment_digest,
};
pub use next_step::{NextStep, REDIRECT_TTL, next_steps};
pub use state::{
    AUTHORISATION_TTL, Authorisation, NewAuthorisation, ScaState, ScaStatus, SelectedMethod, Transition,
};
pub use target::{Target, TargetKind};
pub use transitions::transition_table;

use crate::string_enum::string_enum;

string_enum! {
    /// A way through an authorisation: the third party's screen, our page, or the bank's app.
    pub enum ScaApproach {
        Embedded = "EMBEDDED",
        Redirect = "REDIRECT",
        Decoupled = "DECOUPLED",
    }
}

/// Which ways may be gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApproachSelection {
    /// All of them; the third party is reported which one we expect.
    Open { reported: ScaApproach },
    /// Only this one: it was asked for, or it was the first to be used.
    Only(ScaApproach),
}

impl ApproachSelection {
    /// What the third party's preferences make of it. With both preferred, it is the redirect.
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
    fn preferences_choose_the_way() {
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
