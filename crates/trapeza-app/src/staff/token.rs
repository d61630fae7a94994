//! Tokens with which staff use the admin API. A token acts for its person with the role that the person has at that moment, so that a
//! person cannot approve by token what they requested in the console.

use super::required;
use crate::login::{new_token, token_hash};
use crate::{App, Keyring, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::field::Field;
use trapeza_domain::id::{StaffId, StaffTokenId};
use trapeza_domain::login::{LoginKind, check_name};
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::staff::{MAX_TOKEN_DAYS, MAX_TOKENS, Staff, StaffStatus};
use trapeza_domain::time::TimeDelta;
pub use trapeza_store::StaffTokenRecord;

/// The last use is stored when the stored one is older than this.
const USED_INTERVAL: TimeDelta = TimeDelta::minutes(1);

impl App {
    /// Creates a token of the caller. The token itself is returned once and not stored.
    pub async fn staff_token_create(
        &self,
        caller: StaffId,
        name: &str,
        days: i64,
    ) -> Result<(StaffTokenRecord, Secret<String>), UseCaseError> {
        let name = name.trim().to_owned();
        let mut errors = FieldErrors::default();
        check_name(&mut errors, Field::Name, &name);
        if !(1..=MAX_TOKEN_DAYS).contains(&days) {
            errors.add(Field::TokenDays, format!("must be 1–{MAX_TOKEN_DAYS}"));
        }
        errors.finish()?;
        let (token, now, system_now) = (new_token(), self.now(), self.clock.system_now());
        let hash = hash(&self.keyring, token.expose());
        let record = StaffTokenRecord {
            id: StaffTokenId::new(self.entropy.uuid()),
            staff: caller,
            name,
            created_at: system_now,
            expires_at: system_now.plus(TimeDelta::days(days)),
            last_used_at: None,
            revoked_at: None,
        };
        let created = self.store.write(move |tx| {
            required(tx, caller)?.require_active()?;
            if tx.staff_token_list(caller, system_now)?.len() >= MAX_TOKENS {
                let text = format!("you have {MAX_TOKENS} tokens; revoke one first");
                return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
            }
            tx.staff_token_insert(&record, &hash)?;
            let event = AuditEvent::new("staff.token_created", "staff", caller).with("token", record.id);
            audit::record(tx, now, Actor::Staff(caller), &event)?;
            Ok(record.clone())
        });
        Ok((created.await?, token))
    }

    /// The caller's tokens that work, oldest first.
    pub async fn staff_token_list(&self, caller: StaffId) -> Result<Vec<StaffTokenRecord>, UseCaseError> {
        let now = self.clock.system_now();
        let read = self.store.read(move |tx| {
            required(tx, caller)?.require_active()?;
            Ok(tx.staff_token_list(caller, now)?)
        });
        read.await
    }

    /// Revokes a token of the caller.
    pub async fn staff_token_revoke(&self, caller: StaffId, id: StaffTokenId) -> Result<(), UseCaseError> {
        let (now, system_now) = (self.now(), self.clock.system_now());
        let revoked = self.store.write(move |tx| {
            required(tx, caller)?.require_active()?;
            if !tx.staff_token_revoke(caller, id, system_now)? {
                return Err(Refusal::new(RefusalReason::ResourceUnknown, "unknown token").into());
            }
            let event = AuditEvent::new("staff.token_revoked", "staff", caller).with("token", id);
            Ok(audit::record(tx, now, Actor::Staff(caller), &event)?)
        });
        revoked.await
    }

    /// The active person of a token that was not revoked and has not expired.
    pub async fn staff_token_authenticate(&self, token: &str) -> Result<Option<Staff>, UseCaseError> {
        let (hash, now) = (hash(&self.keyring, token), self.clock.system_now());
        let found = self.store.read(move |tx| Ok(tx.staff_token_find(&hash, now)?)).await?;
        let Some((record, staff)) = found.filter(|(_, staff)| staff.status == StaffStatus::Active) else {
            return Ok(None);
        };
        if record.last_used_at.is_none_or(|used| now.since(used) >= USED_INTERVAL) {
            let (staff, id) = (record.staff, record.id);
            self.store.write(move |tx| Ok(tx.staff_token_used_set(staff, id, now)?)).await?;
        }
        Ok(Some(staff))
    }
}

/// The keyed hash under which a token is stored.
fn hash(keyring: &Keyring, token: &str) -> [u8; 32] {
    token_hash(keyring, LoginKind::Staff, "token", token)
}
