//! The lock of the bank's app. A browser becomes a customer's app by their password and a code sent to their telephone;
//! from then on the password opens it for a while. What is asked and answered inside is not known here.

use super::app_key::key_parse;
use super::browser::session_token_hash;
use super::code::ChallengeEntropy;
use super::message::{self, NewMessage};
use super::secret::{pause, verify};
use super::throttle::{AttemptDecision, AttemptLimiter};
use super::{ScaSettings, wrong};
use crate::keyring::KeyPurpose;
use crate::{App, Entropy, Keyring, StoreError, UseCaseError, audit};
use std::sync::Arc;
use subtle::ConstantTimeEq;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::id::{MethodId, PsuId};
use trapeza_domain::psu::{MethodKind, Psu, ScaMethod};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{EnrolledDevice, Tx};

/// How long the app stays open after the password, or after an answer was given in it.
const OPEN: TimeDelta = TimeDelta::minutes(15);
/// How long a browser may take to bring its code.
const ENROLMENT: TimeDelta = TimeDelta::minutes(15);
/// How long a browser that nobody signs in with stays a customer's app.
const REMEMBERED: TimeDelta = TimeDelta::days(90);

/// Where a browser stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceSession {
    /// A name and a password open it.
    SignedOut,
    /// A code was sent, to be brought by the same browser.
    OtpSent,
    SignedIn {
        psu: PsuId,
        /// What the customer is called.
        name: String,
    },
}

/// Everything a step needs that is made before its transaction.
#[derive(Clone)]
struct SessionContext {
    now: Timestamp,
    keyring: Arc<Keyring>,
    settings: Arc<ScaSettings>,
    fresh: ChallengeEntropy,
    /// What the browser is known by, and will be after a step that lets it further in.
    before: [u8; 32],
    after: [u8; 32],
}

impl App {
    pub async fn device_session(&self, browser: &str) -> Result<DeviceSession, UseCaseError> {
        let (mark, now) = (session_token_hash(&self.keyring, browser), self.now());
        self.store
            .read(move |tx| match tx.enrolled_device_find(&mark, now)? {
                Some(found) => Ok(lock(tx, &found, now)?),
                None => Ok(DeviceSession::SignedOut),
            })
            .await
    }

    /// Signs in with a password. A browser that the bank does not know yet is sent a code first. When this answers, the
    /// browser is known by the mark `next`: what somebody may have planted before is worth nothing.
    pub async fn device_sign_in(
        &self,
        browser: &str,
        next: &str,
        login: &str,
        password: Secret<String>,
    ) -> Result<DeviceSession, UseCaseError> {
        let _turn = self.session_context(browser, next).limiter(login).turn(&self.login_queue).await;
        let (context, name) = (self.session_context(browser, next), login.to_owned());
        let reserved = self.store.write(move |tx| {
            let gate = context.limiter(&name).password(tx)?;
            Ok((gate, tx.psu_by_login(&name)?))
        });
        let (gate, found) = reserved.await?;
        if let AttemptDecision::Allowed { wait } = gate {
            pause(wait).await;
        }
        // Whatever is known already, the same work is done: the time must not tell.
        let (psu, hash) = found.map_or((None, None), |(psu, hash)| (Some(psu), Some(hash)));
        let right = verify(password, hash).await? && gate != AttemptDecision::Blocked;
        let (context, name) = (self.session_context(browser, next), login.to_owned());
        let settled = self.store.write(move |tx| match psu.as_ref().filter(|_| right) {
            Some(psu) => Ok(Ok(context.signed_in(tx, psu)?)),
            None => {
                context.note_wrong(tx, &name, "device.password_wrong")?;
                Ok(Err(wrong()))
            }
        });
        Ok(settled.await??)
    }

    /// Brings the code, and the public half of the key that the browser has made. Afterwards the browser is known by the
    /// mark `next`, and what it approves has to be signed with that key.
    pub async fn device_enrol(
        &self,
        browser: &str,
        next: &str,
        code: Secret<String>,
        key: &str,
    ) -> Result<DeviceSession, UseCaseError> {
        let key = key_parse(key)
            .ok_or_else(|| Refusal::malformed("key", "the public half of a P-256 key is required"))?;
        let (context, method) = (self.session_context(browser, next), MethodId::new(self.entropy.uuid()));
        let settled = self.store.write(move |tx| context.code_brought(tx, &code, &key, method));
        Ok(settled.await??)
    }

    /// Forgets the browser: to be the customer's app again, it has to prove itself again.
    pub async fn device_forget(&self, browser: &str) -> Result<(), UseCaseError> {
        let mark = session_token_hash(&self.keyring, browser);
        self.store.write(move |tx| Ok(tx.enrolled_device_delete(&mark)?)).await
    }

    /// Sends another code, which voids the first.
    pub async fn device_otp_resend(&self, browser: &str) -> Result<(), UseCaseError> {
        let context = self.session_context(browser, browser);
        self.store
            .write(move |tx| {
                let (row, psu) = context.waiting(tx)?;
                let row = context.challenged(tx, &psu, row)?;
                Ok(tx.enrolled_device_update(&context.before, &row)?)
            })
            .await
    }

    /// Somebody is there and has just answered: the app stays open.
    pub async fn device_session_extend(&self, browser: &str) -> Result<(), UseCaseError> {
        self.app_open_until(browser, |now| Some(now.plus(OPEN))).await
    }

    /// Locks the app. The browser stays the customer's.
    pub async fn device_sign_out(&self, browser: &str) -> Result<(), UseCaseError> {
        self.app_open_until(browser, |_| None).await
    }

    async fn app_open_until(
        &self,
        browser: &str,
        until: fn(Timestamp) -> Option<Timestamp>,
    ) -> Result<(), UseCaseError> {
        let (mark, now) = (session_token_hash(&self.keyring, browser), self.now());
        self.store
            .write(move |tx| {
                let Some(row) = tx.enrolled_device_lock(&mark, now)? else { return Ok(()) };
                if row.open_until.is_none_or(|until| until <= now) {
                    return Ok(());
                }
                Ok(tx.enrolled_device_update(&mark, &EnrolledDevice { open_until: until(now), ..row })?)
            })
            .await
    }

    fn session_context(&self, browser: &str, next: &str) -> SessionContext {
        SessionContext {
            now: self.now(),
            keyring: self.keyring.clone(),
            settings: self.sca.clone(),
            fresh: ChallengeEntropy::generate(&Entropy::os()),
            before: session_token_hash(&self.keyring, browser),
            after: session_token_hash(&self.keyring, next),
        }
    }
}

impl SessionContext {
    fn limiter(&self, name: &str) -> AttemptLimiter {
        AttemptLimiter::for_app(&self.keyring, &self.settings, name, self.now)
    }

    /// The password was right.
    fn signed_in(&self, tx: &mut Tx<'_>, psu: &Psu) -> Result<DeviceSession, UseCaseError> {
        self.limiter(&psu.login).password_right(tx)?;
        let known = tx.enrolled_device_lock(&self.before, self.now)?;
        if let Some(row) = known.filter(|row| row.psu == psu.id && row.enrolled_at.is_some()) {
            return Ok(self.opened(tx, psu, row, "device.signed_in")?);
        }
        let new = EnrolledDevice {
            mark: self.after,
            psu: psu.id,
            enrolled_at: None,
            open_until: None,
            ends_at: self.now.plus(ENROLMENT),
            challenge: None,
            public_key: None,
        };
        let row = self.challenged(tx, psu, new)?;
        tx.enrolled_device_insert(&row, self.now)?;
        Ok(DeviceSession::OtpSent)
    }

    fn opened(
        &self,
        tx: &mut Tx<'_>,
        psu: &Psu,
        row: EnrolledDevice,
        action: &'static str,
    ) -> Result<DeviceSession, StoreError> {
        let row = EnrolledDevice {
            mark: self.after,
            enrolled_at: row.enrolled_at.or(Some(self.now)),
            open_until: Some(self.now.plus(OPEN)),
            ends_at: self.now.plus(REMEMBERED),
            challenge: None,
            ..row
        };
        tx.enrolled_device_update(&self.before, &row)?;
        audit::record(tx, self.now, Actor::Psu(psu.id), &AuditEvent::new(action, "psu", psu.id))?;
        lock(tx, &row, self.now)
    }

    /// The browser that was sent a code, and whose it is.
    fn waiting(&self, tx: &mut Tx<'_>) -> Result<(EnrolledDevice, Psu), UseCaseError> {
        let row = tx.enrolled_device_lock(&self.before, self.now)?;
        let row = row.filter(|row| row.enrolled_at.is_none());
        let row = row
            .ok_or_else(|| Refusal::new(RefusalReason::StepOutOfOrder, "no code was sent; sign in first"))?;
        let psu = tx.psu_find(row.psu)?.ok_or_else(gone)?;
        Ok((row, psu))
    }

    /// Sends a code to the customer's telephone.
    fn challenged(
        &self,
        tx: &mut Tx<'_>,
        psu: &Psu,
        row: EnrolledDevice,
    ) -> Result<EnrolledDevice, UseCaseError> {
        self.limiter(&psu.login).send(tx, row.challenge.as_ref(), row.ends_at)??;
        let code = self.fresh.code.expose();
        let text = format!("Your code to use the bank's app on a new device is {code}. Tell it to nobody.");
        let mail = NewMessage { recipient: psu.phone.as_str().to_owned(), channel: "SMS", code, text: &text };
        message::put(tx, &self.keyring, &self.settings, &self.fresh, &mail, self.now)?;
        let nonce = self.fresh.nonce;
        let challenge = Challenge {
            nonce,
            code_hash: self.code_hash(&nonce, psu.id, &self.fresh.code),
            shown: None,
            sent_at: self.now,
            attempts: 0,
            sends: row.challenge.as_ref().map_or(0, |before| before.sends) + 1,
        };
        let event = AuditEvent::new("device.otp_sent", "psu", psu.id).with("sends", challenge.sends);
        audit::record(tx, self.now, Actor::Bank, &event)?;
        Ok(EnrolledDevice { challenge: Some(challenge), ..row })
    }

    /// A try is counted whether it is right or not.
    fn code_brought(
        &self,
        tx: &mut Tx<'_>,
        code: &Secret<String>,
        key: &[u8],
        method: MethodId,
    ) -> Result<Result<DeviceSession, Refusal>, UseCaseError> {
        let (row, psu) = self.waiting(tx)?;
        let limiter = self.limiter(&psu.login);
        let admitted = limiter.code(tx)?;
        let asked = row.challenge.clone().filter(|challenge| admitted && challenge.is_open(self.now));
        let Some(asked) = asked else { return Ok(Err(wrong())) };
        let hash = |code: &Secret<String>| self.code_hash(&asked.nonce, psu.id, code);
        let fixed = self.settings.fixed_otp.as_ref().map(&hash).unwrap_or(asked.code_hash);
        let brought = hash(code);
        let right: bool = (brought.ct_eq(&asked.code_hash) | brought.ct_eq(&fixed)).into();
        if right {
            limiter.code_right(tx)?;
            make_method(tx, &psu, method)?;
            let row = EnrolledDevice { public_key: Some(key.to_vec()), ..row };
            return Ok(Ok(self.opened(tx, &psu, row, "device.enrolled")?));
        }
        limiter.code_wrong(tx)?;
        let challenge = Some(Challenge { attempts: asked.attempts + 1, ..asked });
        tx.enrolled_device_update(&self.before, &EnrolledDevice { challenge, ..row })?;
        self.note_wrong(tx, &psu.login, "device.otp_wrong")?;
        Ok(Err(wrong()))
    }

    fn code_hash(&self, nonce: &[u8; 16], psu: PsuId, code: &Secret<String>) -> [u8; 32] {
        let parts: [&[u8]; 4] = [b"enrolment", nonce, psu.as_bytes(), code.expose().as_bytes()];
        self.keyring.hash(KeyPurpose::Otp, &parts)
    }

    /// A name that is nobody's is written down like any other, and neither can be read from the log.
    fn note_wrong(&self, tx: &mut Tx<'_>, name: &str, action: &'static str) -> Result<(), StoreError> {
        let subject = self.keyring.hash(KeyPurpose::Subject, &[name.as_bytes()]);
        let subject: String = subject[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        audit::record(tx, self.now, Actor::Bank, &AuditEvent::new(action, "subject", subject))
    }
}

/// Who has the app can be asked in it.
fn make_method(tx: &mut Tx<'_>, psu: &Psu, id: MethodId) -> Result<(), StoreError> {
    if tx.sca_method_list(psu.id)?.iter().any(|method| method.kind == MethodKind::Push) {
        return Ok(());
    }
    tx.sca_method_insert(&ScaMethod {
        id,
        psu: psu.id,
        kind: MethodKind::Push,
        name: "The bank's app".to_owned(),
    })
}

fn lock(tx: &mut Tx<'_>, row: &EnrolledDevice, now: Timestamp) -> Result<DeviceSession, StoreError> {
    if row.enrolled_at.is_none() {
        return Ok(DeviceSession::OtpSent);
    }
    if row.open_until.is_none_or(|until| until <= now) {
        return Ok(DeviceSession::SignedOut);
    }
    let psu = tx.psu_find(row.psu)?.ok_or_else(gone)?;
    Ok(DeviceSession::SignedIn { psu: psu.id, name: psu.name })
}

fn gone() -> StoreError {
    StoreError::internal("a customer is gone")
}
