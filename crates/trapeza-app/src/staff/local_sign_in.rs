//! Who may sign in with a password or a passkey in a bank that has an identity provider.

use crate::StoreError;
use trapeza_domain::id::{LoginId, StaffId};
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::staff::{Staff, StaffRole};
use trapeza_store::Tx;

/// Whose passwords and passkeys are accepted. Members of the portal are not concerned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LocalSignIn {
    #[default]
    Everyone,
    /// For the case that the identity provider fails: administrators manage staff and see no customers and no money.
    Administrators,
}

impl LocalSignIn {
    pub(crate) fn allows(self, tx: &mut Tx<'_>, kind: LoginKind, login: LoginId) -> Result<bool, StoreError> {
        if self == Self::Everyone || kind != LoginKind::Staff {
            return Ok(true);
        }
        let staff = tx.staff_find(StaffId::new(login.uuid()))?;
        Ok(staff.is_some_and(|staff| staff.role == StaffRole::Administrator))
    }

    /// Refuses the enrolment of a person who could not sign in with it.
    pub(super) fn require(self, staff: &Staff) -> Result<(), Refusal> {
        if self == Self::Everyone || staff.role == StaffRole::Administrator {
            return Ok(());
        }
        let text = "no enrolment is needed: sign in with the identity provider of the bank";
        Err(Refusal::new(RefusalReason::StatusInvalid, text))
    }
}
