//! What a person signs in with: a member of an organisation to the portal, or a member of the bank's staff to the console.
//!
//! A login is of one kind. Its sessions, tokens and limits are those of the kind, and are worth nothing to the other one.

use crate::audit_event::{Actor, AuditEvent};
use crate::contact::Email;
use crate::field::Field;
use crate::id::{LoginId, MemberId, StaffId};
use crate::refusal::FieldErrors;
use crate::string_enum::string_enum;
use crate::text::is_control_or_bidi;
use crate::time::TimeDelta;

/// Maximum number of characters of a name.
pub const MAX_NAME_CHARS: usize = 70;
/// Minimum and maximum number of characters of a password.
pub const MIN_PASSWORD_CHARS: usize = 12;
pub const MAX_PASSWORD_CHARS: usize = 128;

string_enum! {
    /// Whose login it is.
    pub enum LoginKind {
        /// A member of an organisation, who signs in to the portal.
        Member = "member",
        /// A member of the bank's staff, who signs in to the console.
        Staff = "staff",
    }
}

/// What happens to a login and is recorded alike for every kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginEvent {
    SignedIn,
    SignInFailed,
    SignedOut,
    PasskeyAdded,
    PasskeyRemoved,
}

impl LoginKind {
    /// How long a session lasts without a request.
    pub const fn session_idle(self) -> TimeDelta {
        match self {
            Self::Member => TimeDelta::minutes(30),
            Self::Staff => TimeDelta::minutes(15),
        }
    }

    /// How long a session lasts at most.
    pub const fn session_ttl(self) -> TimeDelta {
        match self {
            Self::Member => TimeDelta::hours(12),
            Self::Staff => TimeDelta::hours(8),
        }
    }

    /// Where its people sign in: the channel in which wrong credentials are counted.
    pub const fn channel(self) -> &'static str {
        match self {
            Self::Member => "portal",
            Self::Staff => "console",
        }
    }

    /// The person as the actor of an audit event.
    pub const fn actor(self, id: LoginId) -> Actor {
        match self {
            Self::Member => Actor::Member(MemberId::new(id.uuid())),
            Self::Staff => Actor::Staff(StaffId::new(id.uuid())),
        }
    }

    /// The audit event of a login.
    pub fn event(self, event: LoginEvent, id: LoginId) -> AuditEvent {
        AuditEvent::new(self.action(event), self.name(), id)
    }

    /// The name of an audit event.
    pub const fn action(self, event: LoginEvent) -> &'static str {
        match (self, event) {
            (Self::Member, LoginEvent::SignedIn) => "member.signed_in",
            (Self::Member, LoginEvent::SignInFailed) => "member.sign_in_failed",
            (Self::Member, LoginEvent::SignedOut) => "member.signed_out",
            (Self::Member, LoginEvent::PasskeyAdded) => "member.passkey_added",
            (Self::Member, LoginEvent::PasskeyRemoved) => "member.passkey_removed",
            (Self::Staff, LoginEvent::SignedIn) => "staff.signed_in",
            (Self::Staff, LoginEvent::SignInFailed) => "staff.sign_in_failed",
            (Self::Staff, LoginEvent::SignedOut) => "staff.signed_out",
            (Self::Staff, LoginEvent::PasskeyAdded) => "staff.passkey_added",
            (Self::Staff, LoginEvent::PasskeyRemoved) => "staff.passkey_removed",
        }
    }
}

/// A member has the id of the login.
impl From<MemberId> for LoginId {
    fn from(id: MemberId) -> Self {
        Self::new(id.uuid())
    }
}

/// E-mail addresses are compared in lower case.
pub fn parse_email(text: &str) -> Result<Email, &'static str> {
    Email::parse(&text.trim().to_lowercase())
}

/// Records an error unless the text is a name.
pub fn check_name(errors: &mut FieldErrors, field: Field, name: &str) {
    let is_name =
        (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && !name.chars().any(is_control_or_bidi);
    if !is_name {
        let text = format!("must be 1–{MAX_NAME_CHARS} characters without control characters");
        errors.add(field, text);
    }
}

/// Records an error unless the text can be a password.
pub fn check_password(errors: &mut FieldErrors, password: &str) {
    if !(MIN_PASSWORD_CHARS..=MAX_PASSWORD_CHARS).contains(&password.chars().count()) {
        let text = format!("must have {MIN_PASSWORD_CHARS} to {MAX_PASSWORD_CHARS} characters");
        errors.add(Field::Password, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn email_is_compared_in_lower_case() {
        assert_eq!(parse_email(" Member1@Example.org").unwrap().as_str(), "member1@example.org");
    }
}
