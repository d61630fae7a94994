//! Sign-in with e-mail address, password and a code: of the authenticator app, or a recovery code. Wrong ones are limited like the
//! customers' passwords, and a refusal does not reveal which of the three was wrong.

use super::session::{limits, session_hash};
use super::sign_up::{open_secret, recovery_hash};
use super::{PortalMember, totp};
use crate::credential::{AttemptLimiter, CredentialContext, member_subject, verify_attempt};
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::contact::Email;
use trapeza_domain::field::Field;
use trapeza_domain::organisation::parse_email;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;
use trapeza_store::{MemberCredentials, NewMemberSession, Tx};

/// The second factor of a sign-in, created before the transaction.
#[derive(Clone)]
struct SecondFactor {
    code: Secret<String>,
    system_now: Timestamp,
}

impl App {
    /// Signs in and begins a session with a new token.
    pub async fn portal_sign_in(
        &self,
        email: &str,
        password: Secret<String>,
        code: &str,
        token: &str,
        browser: &str,
    ) -> Result<PortalMember, UseCaseError> {
        let text = parse_email(email).map(|email| email.as_str().to_owned()).unwrap_or_default();
        let context = self.credential_context();
        let limiter = AttemptLimiter::for_member(&context, &text);
        let _permit = limiter.acquire(&self.login_queue).await?;
        let found = text.clone();
        let counted = self.store.write(move |tx| {
            let decision = limiter.count_password(tx)?;
            let member = match Email::parse(&found) {
                Ok(email) => tx.member_by_email(&email)?,
                Err(_) => None,
            };
            Ok((decision, member))
        });
        let (decision, member) = counted.await?;
        let hash = member.as_ref().map(|member| member.password_hash.clone());
        let verified = verify_attempt(decision, password, hash).await?;
        let member = member.filter(|_| verified);
        let factor = SecondFactor {
            code: Secret::new(code.split_whitespace().collect()),
            system_now: self.clock.system_now(),
        };
        let session = member.as_ref().map(|found| self.new_session(token, found.member.id, browser));
        let (keyring, hash) = (self.keyring.clone(), session_hash(&self.keyring, token));
        let context = self.credential_context();
        let finished = self.store.write(move |tx| {
            let accepted = match (&member, &session) {
                (Some(member), Some(session)) => factor.sign_in(tx, &context, member, session)?,
                _ => false,
            };
            if !accepted {
                let subject: String =
                    member_subject(&keyring, &text)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
                let event = AuditEvent::new("member.sign_in_failed", "subject", subject);
                audit::record(tx, context.now, Actor::Bank, &event)?;
                return Ok(Err(wrong_credentials()));
            }
            let (begun_after, seen_after) = limits(factor.system_now);
            let found = tx.member_session_find(&hash, begun_after, seen_after)?;
            Ok(found
                .map(|(session, member, organisation)| PortalMember { member, organisation, session })
                .ok_or_else(wrong_credentials))
        });
        Ok(finished.await??)
    }
}

impl SecondFactor {
    /// Verifies the code and begins the session. The member is locked, so that one code cannot sign in twice at the same time.
    fn sign_in(
        &self,
        tx: &mut Tx<'_>,
        context: &CredentialContext,
        verified: &MemberCredentials,
        session: &NewMemberSession,
    ) -> Result<bool, UseCaseError> {
        let id = verified.member.id;
        let Some(current) = tx.member_lock(id)? else { return Ok(false) };
        // The password was verified against this hash.
        if current.password_hash != verified.password_hash {
            return Ok(false);
        }
        let secret = open_secret(&context.keyring, &current.member.email, &current.totp_secret)?;
        let factor = match totp::verify(&secret, self.code.expose(), self.system_now, current.totp_step) {
            Some(step) => {
                tx.member_totp_step_set(id, step)?;
                "totp"
            }
            None => {
                let hash = recovery_hash(&context.keyring, id, self.code.expose());
                if !tx.recovery_code_delete(id, &hash)? {
                    return Ok(false);
                }
                "recovery code"
            }
        };
        AttemptLimiter::for_member(context, current.member.email.as_str()).reset_password(tx)?;
        let (begun_until, seen_until) = limits(self.system_now);
        tx.member_session_purge(id, begun_until, seen_until)?;
        tx.member_session_insert(session)?;
        let event = AuditEvent::new("member.signed_in", "member", id).with("factor", factor);
        audit::record(tx, context.now, Actor::Member(id), &event)?;
        Ok(true)
    }
}

fn wrong_credentials() -> Refusal {
    let text = "the e-mail address, the password or the code is wrong, or there were too many attempts";
    Refusal::at(RefusalReason::CredentialsInvalid, Field::SignInCode, text)
}
