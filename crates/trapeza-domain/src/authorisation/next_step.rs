//! The steps that the third party can take next; responses link to exactly these.

use super::throttle::MAX_RESENDS;
use super::{Authorisation, Challenge, ScaApproach, ScaState};
use crate::psu::MethodKind;
use crate::string_enum::string_enum;
use crate::time::{TimeDelta, Timestamp};

/// How long the link to the redirect page can be opened.
pub const REDIRECT_TTL: TimeDelta = TimeDelta::minutes(10);

string_enum! {
    /// Link names (§2.1).
    pub enum NextStep {
        UpdatePsuIdentification = "updatePsuIdentification",
        UpdatePsuAuthentication = "updatePsuAuthentication",
        SelectAuthenticationMethod = "selectAuthenticationMethod",
        AuthoriseTransaction = "authoriseTransaction",
        ScaRedirect = "scaRedirect",
    }
}

/// The possible steps at `now`. Steps on our page or in the app are not included.
pub fn next_steps(
    authorisation: &Authorisation,
    challenge: Option<&Challenge>,
    now: Timestamp,
) -> Vec<NextStep> {
    let mut steps = Vec::new();
    match authorisation.as_of(now).state {
        state @ (ScaState::Received | ScaState::PsuIdentified) => {
            if authorisation.approach.allows(ScaApproach::Embedded) {
                steps.push(match state {
                    ScaState::Received => NextStep::UpdatePsuIdentification,
                    _ => NextStep::UpdatePsuAuthentication,
                });
            }
            let link_live = now < authorisation.created_at.plus(REDIRECT_TTL);
            if authorisation.approach.allows(ScaApproach::Redirect) && link_live {
                steps.push(NextStep::ScaRedirect);
            }
        }
        ScaState::PsuAuthenticated => steps.push(NextStep::SelectAuthenticationMethod),
        ScaState::ScaMethodSelected(selected) => {
            if challenge.is_none_or(|challenge| challenge.sends <= MAX_RESENDS) {
                steps.push(NextStep::SelectAuthenticationMethod);
            }
            // A push approval is answered in the app.
            let typed = selected.kind != MethodKind::Push;
            if typed && challenge.is_some_and(|challenge| challenge.is_open(now)) {
                steps.push(NextStep::AuthoriseTransaction);
            }
        }
        _ => {}
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::super::ApproachSelection;
    use super::super::state::SelectedMethod;
    use super::super::transitions::{NOW, in_state};
    use super::*;
    use crate::id::MethodId;
    use NextStep::{AuthoriseTransaction, ScaRedirect, SelectAuthenticationMethod, UpdatePsuAuthentication};

    fn challenge() -> Challenge {
        Challenge { nonce: [0; 16], code_hash: [0; 32], display: None, sent_at: NOW, attempts: 0, sends: 1 }
    }

    fn selected(kind: MethodKind) -> Authorisation {
        in_state(ScaState::ScaMethodSelected(SelectedMethod { id: MethodId::new(uuid::Uuid::nil()), kind }))
    }

    #[test]
    fn next_steps_include_the_redirect_for_ten_minutes() {
        let open = in_state(ScaState::PsuIdentified);
        assert_eq!(next_steps(&open, None, NOW), [UpdatePsuAuthentication, ScaRedirect]);
        let late = NOW.plus(TimeDelta::minutes(10));
        assert_eq!(next_steps(&open, None, late), [UpdatePsuAuthentication]);
        let only = |approach| Authorisation { approach: ApproachSelection::Only(approach), ..open.clone() };
        assert_eq!(next_steps(&only(ScaApproach::Redirect), None, NOW), [ScaRedirect]);
        assert_eq!(next_steps(&only(ScaApproach::Embedded), None, NOW), [UpdatePsuAuthentication]);
        assert_eq!(next_steps(&only(ScaApproach::Decoupled), None, NOW), []);
        assert_eq!(next_steps(&open, None, NOW.plus(TimeDelta::minutes(15))), []);
        let received = in_state(ScaState::Received);
        assert_eq!(next_steps(&received, None, NOW), [NextStep::UpdatePsuIdentification, ScaRedirect]);
    }

    #[test]
    fn next_steps_offer_the_code_and_its_resend_within_limits() {
        let sms = selected(MethodKind::Sms);
        let fresh = challenge();
        assert_eq!(next_steps(&sms, Some(&fresh), NOW), [SelectAuthenticationMethod, AuthoriseTransaction]);
        let used_up = Challenge { attempts: 3, ..challenge() };
        assert_eq!(next_steps(&sms, Some(&used_up), NOW), [SelectAuthenticationMethod]);
        let once_more = Challenge { sends: 3, ..challenge() };
        assert_eq!(
            next_steps(&sms, Some(&once_more), NOW),
            [SelectAuthenticationMethod, AuthoriseTransaction]
        );
        let last = Challenge { sends: 4, ..challenge() };
        assert_eq!(next_steps(&sms, Some(&last), NOW), [AuthoriseTransaction]);
        assert_eq!(next_steps(&selected(MethodKind::Push), Some(&fresh), NOW), [SelectAuthenticationMethod]);
        assert_eq!(
            next_steps(&in_state(ScaState::PsuAuthenticated), None, NOW),
            [SelectAuthenticationMethod]
        );
        assert_eq!(next_steps(&in_state(ScaState::Finalised), None, NOW), []);
    }
}
