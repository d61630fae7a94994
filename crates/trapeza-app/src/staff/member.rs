//! The members of the staff: create, disable, enable, reset, change of role. All of them are actions (`command`). The bank always
//! has an active administrator, once it has had one.

use super::context::{ActionContext, ActionOutcome};
use super::{enrolment_hash, required};
use crate::keyring::KeyPurpose;
use crate::login::totp;
use crate::{App, Keyring, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::contact::Email;
use trapeza_domain::field::Field;
use trapeza_domain::id::StaffId;
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::staff::{ENROLMENT_TTL, Staff, StaffRole, StaffStatus, require_other_administrator};
use trapeza_store::{LoginRecord, Tx};

impl App {
    /// All staff, oldest first.
    pub async fn staff_list(&self) -> Result<Vec<Staff>, UseCaseError> {
        self.store.read(|tx| Ok(tx.staff_list()?)).await
    }
}

/// Refuses an e-mail address that a member of the staff has.
pub(super) fn require_unused(tx: &mut Tx<'_>, email: &Email) -> Result<(), UseCaseError> {
    match tx.login_by_email(LoginKind::Staff, email)? {
        Some(_) => Err(Refusal::malformed(Field::Email, "is used by a member of the staff").into()),
        None => Ok(()),
    }
}

/// Creates a person who cannot sign in before the enrolment. The outcome has the token of the link.
pub(super) fn create(
    tx: &mut Tx<'_>,
    context: &ActionContext,
    (email, name, role): (&Email, &str, StaffRole),
) -> Result<ActionOutcome, UseCaseError> {
    require_unused(tx, email)?;
    let id = context.staff;
    tx.login_insert(&LoginRecord {
        id: id.into(),
        kind: LoginKind::Staff,
        email: email.clone(),
        password_hash: None,
        totp_secret: None,
        totp_step: 0,
        disabled_at: None,
    })?;
    let status = StaffStatus::Invited;
    tx.staff_insert(&Staff {
        id,
        email: email.clone(),
        name: name.to_owned(),
        role,
        status,
        created_at: context.now,
    })?;
    let event = AuditEvent::new("staff.created", "staff", id).with("role", role.name());
    audit::record(tx, context.now, context.actor, &event)?;
    link(tx, context, id, format!("created {id} as {}", role.name()))
}

/// Confirms that the right person has enrolled, who gives the code of the enrolment to the administrator.
pub(super) fn confirm(
    tx: &mut Tx<'_>,
    context: &ActionContext,
    id: StaffId,
    code: &str,
) -> Result<ActionOutcome, UseCaseError> {
    let (staff, holder) = require_unconfirmed(tx, id)?;
    if context.actor == Actor::Staff(holder) {
        let text = "another administrator must confirm this login: you have seen the enrolment link";
        return Err(Refusal::new(RefusalReason::RoleMissing, text).into());
    }
    if confirmation_code(tx, &context.keyring, id)? != code.trim().to_uppercase() {
        let text = "is not the code that the person was shown";
        return Err(Refusal::malformed(Field::SignInCode, text).into());
    }
    tx.staff_link_holder_set(staff.id, None)?;
    changed(tx, context, AuditEvent::new("staff.confirmed", "staff", id), format!("confirmed {id}"))
}

pub(super) fn require_unconfirmed(tx: &mut Tx<'_>, id: StaffId) -> Result<(Staff, StaffId), UseCaseError> {
    let staff = required(tx, id)?;
    let found = tx.staff_confirmation_find(id)?.and_then(|found| found.link_holder);
    match found {
        Some(holder) if staff.status == StaffStatus::Unconfirmed => Ok((staff, holder)),
        _ => Err(is_already(&staff).into()),
    }
}

/// Whether another administrator must confirm the enrolment before the person can sign in with it.
pub(crate) fn needs_confirmation(tx: &mut Tx<'_>, id: StaffId) -> Result<bool, StoreError> {
    Ok(tx.staff_confirmation_find(id)?.is_some_and(|found| found.link_holder.is_some()))
}

/// The code that a person is shown after the enrolment: a keyed hash of the stored password, so that it is another one for every
/// enrolment. Eight letters and digits.
pub(super) fn confirmation_code(
    tx: &mut Tx<'_>,
    keyring: &Keyring,
    id: StaffId,
) -> Result<String, StoreError> {
    let stored = tx.staff_confirmation_find(id)?.and_then(|found| found.password_hash).unwrap_or_default();
    let hash = keyring.hash(KeyPurpose::Login, &[b"confirmation", id.as_bytes(), stored.as_bytes()]);
    Ok(totp::base32(&hash[..5]).expose().clone())
}

/// Ends all sessions of a person, who cannot sign in any more.
pub(super) fn disable(
    tx: &mut Tx<'_>,
    context: &ActionContext,
    id: StaffId,
) -> Result<ActionOutcome, UseCaseError> {
    require_disable(tx, id)?;
    tx.login_disabled_set(LoginKind::Staff, id.into(), Some(context.system_now))?;
    tx.login_session_clear(id.into())?;
    tx.staff_token_revoke_all(id, context.system_now)?;
    tx.staff_enrolment_delete(id)?;
    changed(tx, context, AuditEvent::new("staff.disabled", "staff", id), format!("disabled {id}"))
}

pub(super) fn require_disable(tx: &mut Tx<'_>, id: StaffId) -> Result<Staff, UseCaseError> {
    let all = tx.staff_list_lock()?;
    let staff = required(tx, id)?;
    if staff.status == StaffStatus::Disabled {
        return Err(is_already(&staff).into());
    }
    require_other_administrator(&all, id)?;
    Ok(staff)
}

/// Lets a disabled person sign in again.
pub(super) fn enable(
    tx: &mut Tx<'_>,
    context: &ActionContext,
    id: StaffId,
) -> Result<ActionOutcome, UseCaseError> {
    require_enable(tx, id)?;
    tx.login_disabled_set(LoginKind::Staff, id.into(), None)?;
    changed(tx, context, AuditEvent::new("staff.enabled", "staff", id), format!("enabled {id}"))
}

pub(super) fn require_enable(tx: &mut Tx<'_>, id: StaffId) -> Result<Staff, UseCaseError> {
    let staff = required(tx, id)?;
    if staff.status != StaffStatus::Disabled {
        return Err(is_already(&staff).into());
    }
    Ok(staff)
}

/// Removes password, authenticator app, passkeys, sessions and the link to the identity provider of a person, who enrols again with a new link.
pub(super) fn reset(
    tx: &mut Tx<'_>,
    context: &ActionContext,
    id: StaffId,
) -> Result<ActionOutcome, UseCaseError> {
    require_reset(tx, id)?;
    tx.login_factors_clear(LoginKind::Staff, id.into())?;
    tx.staff_token_revoke_all(id, context.system_now)?;
    let event = AuditEvent::new("staff.reset", "staff", id);
    audit::record(tx, context.now, context.actor, &event)?;
    link(tx, context, id, format!("reset {id}"))
}

pub(super) fn require_reset(tx: &mut Tx<'_>, id: StaffId) -> Result<Staff, UseCaseError> {
    let staff = required(tx, id)?;
    if staff.status == StaffStatus::Disabled {
        return Err(is_already(&staff).into());
    }
    Ok(staff)
}

/// Changes a role, from the next request of the person on.
pub(super) fn role_change(
    tx: &mut Tx<'_>,
    context: &ActionContext,
    id: StaffId,
    role: StaffRole,
) -> Result<ActionOutcome, UseCaseError> {
    let before = require_role_change(tx, id, role)?;
    tx.staff_role_set(id, role)?;
    let event = AuditEvent::new("staff.role_changed", "staff", id);
    let event = event.with("from", before.role.name()).with("to", role.name());
    changed(tx, context, event, format!("{id} is {}", role.name()))
}

pub(super) fn require_role_change(
    tx: &mut Tx<'_>,
    id: StaffId,
    role: StaffRole,
) -> Result<Staff, UseCaseError> {
    let all = tx.staff_list_lock()?;
    let staff = required(tx, id)?;
    if staff.role == role {
        let text = format!("the role is {} already", role.name());
        return Err(Refusal::at(RefusalReason::StatusInvalid, Field::StaffRole, text).into());
    }
    require_other_administrator(&all, id)?;
    Ok(staff)
}

fn link(
    tx: &mut Tx<'_>,
    context: &ActionContext,
    id: StaffId,
    text: String,
) -> Result<ActionOutcome, UseCaseError> {
    let hash = enrolment_hash(&context.keyring, context.token.expose());
    tx.staff_enrolment_replace(id, &hash, context.system_now.plus(ENROLMENT_TTL))?;
    // Who has the link could enrol in the place of the person: then another administrator must confirm it.
    let holder = match context.actor {
        Actor::Staff(holder) => Some(holder),
        _ => None,
    };
    tx.staff_link_holder_set(id, holder)?;
    Ok(ActionOutcome { text, enrolment: Some(context.token.clone()) })
}

fn changed(
    tx: &mut Tx<'_>,
    context: &ActionContext,
    event: AuditEvent,
    text: String,
) -> Result<ActionOutcome, UseCaseError> {
    audit::record(tx, context.now, context.actor, &event)?;
    Ok(ActionOutcome::of(text))
}

fn is_already(staff: &Staff) -> Refusal {
    let text = format!("the member of the staff is {}", staff.status.name());
    Refusal::at(RefusalReason::StatusInvalid, Field::StaffId, text)
}
