//! Strong customer authentication: one machine for consents, funds consents, payments and their cancellation (§3).
//!
//! The machine knows what step comes after which, what time does, and which ways stay open. Whether a password or a
//! code was right is decided by those who hold the keys; what an authorisation sets free is decided by its target.

mod challenge;
mod link;
mod machine;
mod matrix;
mod next;
mod target;
pub mod throttle;

pub use challenge::{CODE_LIFE, CODE_TRIES, Challenge};
pub use link::{LinkHash, PaymentLink, access_link, funds_link, payment_link};
pub use machine::{Authorisation, Changed, Chosen, Created, LIFE, ScaState, ScaStatus};
pub use matrix::matrix;
pub use next::{NextStep, REDIRECT_LIFE, next_steps};
pub use target::{Target, TargetKind};

use crate::named::named;

named! {
    /// A way through an authorisation: the third party's screen, our page, or the bank's app.
    pub enum Approach {
        Embedded = "EMBEDDED",
        Redirect = "REDIRECT",
        Decoupled = "DECOUPLED",
    }
}

/// Which ways may be gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All of them; the third party is told which one we expect.
    Open { told: Approach },
    /// Only this one: it was asked for, or it was the first to be used.
    Only(Approach),
}

impl Way {
    /// What the third party's preferences make of it. With both preferred, it is the redirect.
    pub const fn choose(redirect_preferred: bool, decoupled_preferred: bool, has_redirect_uri: bool) -> Self {
        match (redirect_preferred, decoupled_preferred, has_redirect_uri) {
            (true, _, _) => Self::Only(Approach::Redirect),
            (false, true, _) => Self::Only(Approach::Decoupled),
            (false, false, true) => Self::Open { told: Approach::Redirect },
            (false, false, false) => Self::Open { told: Approach::Embedded },
        }
    }

    pub const fn told(self) -> Approach {
        match self {
            Self::Open { told } | Self::Only(told) => told,
        }
    }

    pub fn allows(self, approach: Approach) -> bool {
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
        let told = |redirect, decoupled, uri| Way::choose(redirect, decoupled, uri);
        assert_eq!(told(true, true, false), Way::Only(Approach::Redirect));
        assert_eq!(told(false, true, true), Way::Only(Approach::Decoupled));
        assert_eq!(told(false, false, true), Way::Open { told: Approach::Redirect });
        assert_eq!(told(false, false, false), Way::Open { told: Approach::Embedded });
    }
}
