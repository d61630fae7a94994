//! Sign-in with e-mail address, password and a code: of the authenticator app, or a recovery code. Wrong ones are limited like the
//! customers' passwords, and a refusal does not reveal which of the three was wrong.

use super::{create_session, open_totp_secret, recovery_hash, totp};
use crate::credential::{AttemptLimiter, CredentialContext, email_subject, verify_attempt};
use crate::staff::{LocalSignIn, needs_confirmation};
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::contact::Email;
use trapeza_domain::field::Field;
use trapeza_domain::id::StaffId;
use trapeza_domain::login::{LoginEvent, LoginKind, parse_email};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;
use trapeza_store::{LoginRecord, NewLoginSession, StoreError, Tx};

/// What a person enters to sign in.
pub struct SignInRequest {
    pub email: String,
    pub password: Secret<String>,
    pub code: String,
}

/// The second factor of a sign-in, created before the transaction.
#[derive(Clone)]
struct SecondFactor {
    code: Secret<String>,
    system_now: Timestamp,
    local_sign_in: LocalSignIn,
}

impl App {
    /// Signs in and begins a session with a new token.
    pub(crate) async fn login_sign_in(
        &self,
        kind: LoginKind,
        order: SignInRequest,
        token: &str,
        browser: &str,
    ) -> Result<(), UseCaseError> {
        let text = parse_email(&order.email).map(|email| email.as_str().to_owned()).unwrap_or_default();
        let context = self.credential_context();
        let limiter = AttemptLimiter::for_email(&context, kind, &text);
        let _permit = limiter.acquire(&self.login_queue).await?;
        let found = text.clone();
        let counted = self.store.write(move |tx| {
            let decision = limiter.count_password(tx)?;
            let login = match Email::parse(&found) {
                Ok(email) => tx.login_by_email(kind, &email)?,
                Err(_) => None,
            };
            Ok((decision, login))
        });
        let (decision, login) = counted.await?;
        let hash = login.as_ref().and_then(|login| login.password_hash.clone());
        let verified = verify_attempt(decision, order.password, hash).await?;
        let login = login.filter(|_| verified);
        let factor = SecondFactor {
            code: Secret::new(order.code.split_whitespace().collect()),
            system_now: self.clock.system_now(),
            local_sign_in: self.settings.local_sign_in,
        };
        let session = login.as_ref().map(|login| self.new_session(kind, login.id, token, browser));
        let context = self.credential_context();
        let finished = self.store.write(move |tx| {
            if let (Some(login), Some(session)) = (&login, &session)
                && let Some(ended) = factor.sign_in(tx, &context, login, session)?
            {
                return Ok(ended);
            }
            let subject = email_subject(&context.keyring, kind, &text);
            let subject: String = subject[..8].iter().map(|byte| format!("{byte:02x}")).collect();
            let event = AuditEvent::new(kind.action(LoginEvent::SignInFailed), "subject", subject);
            audit::record(tx, context.now, Actor::Bank, &event)?;
            Ok(Err(wrong_credentials()))
        });
        Ok(finished.await??)
    }
}

impl SecondFactor {
    /// Verifies the code and ends the sign-in; `None` when something is wrong. The login is locked, so that one code cannot sign in
    /// twice at the same time.
    fn sign_in(
        &self,
        tx: &mut Tx<'_>,
        context: &CredentialContext,
        verified: &LoginRecord,
        session: &NewLoginSession,
    ) -> Result<Option<Result<(), Refusal>>, UseCaseError> {
        let (kind, id) = (verified.kind, verified.id);
        let Some(current) = tx.login_lock(kind, id)? else { return Ok(None) };
        // The password was verified against this hash.
        if current.password_hash != verified.password_hash || current.disabled_at.is_some() {
            return Ok(None);
        }
        if !self.local_sign_in.allows(tx, kind, id)? {
            return Ok(None);
        }
        let step = match &current.totp_secret {
            Some(secret) => {
                let secret = open_totp_secret(&context.keyring, kind, &current.email, secret)?;
                totp::verify(&secret, self.code.expose(), self.system_now, current.totp_step)
            }
            None => None,
        };
        let factor = match step {
            Some(step) => {
                tx.login_totp_step_set(id, step)?;
                "totp"
            }
            None => {
                let hash = recovery_hash(&context.keyring, id, self.code.expose());
                if !tx.recovery_code_delete(id, &hash)? {
                    return Ok(None);
                }
                "recovery code"
            }
        };
        AttemptLimiter::for_email(context, kind, current.email.as_str()).reset_password(tx)?;
        Ok(Some(end_sign_in(tx, kind, session, factor, context.now)?))
    }
}

/// Begins the session of a person with the right password or passkey. The login of a member of the staff may need a confirmation first.
pub(super) fn end_sign_in(
    tx: &mut Tx<'_>,
    kind: LoginKind,
    session: &NewLoginSession,
    factor: &'static str,
    now: Timestamp,
) -> Result<Result<(), Refusal>, StoreError> {
    if kind == LoginKind::Staff && needs_confirmation(tx, StaffId::new(session.login.uuid()))? {
        let event = kind.event(LoginEvent::SignInFailed, session.login).with("factor", factor);
        audit::record(tx, now, Actor::Bank, &event)?;
        let text = "an administrator must confirm this login first; tell them the code that you were shown at the end of the enrolment";
        return Ok(Err(Refusal::new(RefusalReason::StatusInvalid, text)));
    }
    Ok(Ok(create_session(tx, kind, session, factor, now)?))
}

pub(crate) fn wrong_credentials() -> Refusal {
    let text = "the e-mail address, the password or the code is wrong, or there were too many attempts";
    Refusal::at(RefusalReason::CredentialsInvalid, Field::SignInCode, text)
}
