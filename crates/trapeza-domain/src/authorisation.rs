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

pub use challenge::{Challenge, MAX_OTP_ATTEMPTS, OTP_TTL};
pub use dynamic_linking::{
    LinkingDigest, LoanLinkingData, PaymentLinkingData, access_consent_digest, funds_consent_digest,
    loan_digest, payment_digest, signing_basket_digest,
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

    /// Like [`Self::choose`], but exactly one approach stays possible. `redirect_preferred` is `None` without a preference; a
    /// customer who is not known yet signs in on our page.
    pub const fn choose_one(
        redirect_preferred: Option<bool>,
        decoupled_preferred: bool,
        has_redirect_uri: bool,
        is_identified: bool,
    ) -> Self {
        Self::Only(match (redirect_preferred, decoupled_preferred) {
            (Some(true), _) => ScaApproach::Redirect,
            (_, true) => ScaApproach::Decoupled,
            (Some(false), false) => ScaApproach::Embedded,
            (None, false) if has_redirect_uri || !is_identified => ScaApproach::Redirect,
            (None, false) => ScaApproach::Embedded,
        })
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

    #[test]
    fn choose_one_leaves_exactly_one_approach() {
        use ScaApproach::{Decoupled, Embedded, Redirect};
        for (redirect, decoupled, uri, identified, chosen) in [
            (Some(true), true, false, true, Redirect),
            (Some(false), true, true, true, Decoupled),
            (None, true, true, true, Decoupled),
            (Some(false), false, true, true, Embedded),
            (Some(false), false, false, false, Embedded),
            (None, false, true, true, Redirect),
            (None, false, false, false, Redirect),
            (None, false, false, true, Embedded),
        ] {
            let selection = ApproachSelection::choose_one(redirect, decoupled, uri, identified);
            assert_eq!(
                selection,
                ApproachSelection::Only(chosen),
                "{redirect:?} {decoupled} {uri} {identified}"
            );
        }
    }
}
