//! Sessions of the bank's app. A browser is enrolled by password and an OTP sent to the customer's telephone; afterwards
//! the password signs in on it for a while.

use super::browser::session_token_hash;
use super::key::parse_public_key;
use crate::credential::{
    AttemptLimiter, CredentialContext, NewChallenge, OtpBinding, invalid_credentials, verified_psu,
    verify_attempt,
};
use crate::keyring::KeyPurpose;
use crate::notification::{self, MessageContent, NewMessage};
use crate::{App, Required, StoreError, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::authorisation::throttle::MessageKind;
use trapeza_domain::field::Field;
use trapeza_domain::id::{MethodId, PsuId};
use trapeza_domain::psu::{MethodKind, Psu, ScaMethod};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{EnrolledDevice, Tx};
use trapeza_texts::{Language, message};

/// How long a session lasts without activity of the customer, the most that Art. 4(3)(d) of the RTS (EU) 2018/389 allows.
pub const SESSION_TTL: TimeDelta = TimeDelta::minutes(5);
/// How much of a session must have passed before a page extends it, so that not every page writes.
const SESSION_EXTENSION_INTERVAL: TimeDelta = TimeDelta::minutes(1);
/// How long a browser has to send back the OTP of its enrolment.
const ENROLMENT_TTL: TimeDelta = TimeDelta::minutes(15);
/// How long a device stays enrolled without a sign-in.
const DEVICE_TTL: TimeDelta = TimeDelta::days(90);

/// The state of a browser as the bank's app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceSession {
    /// Login name and password are required.
    SignedOut,
    /// The session of an enrolled device has ended: the password of its customer is required.
    Locked {
        login: String,
        /// The customer's name.
        name: String,
        /// When the session ended.
        ended_at: Timestamp,
    },
    /// An OTP was sent, and the same browser must send it back.
    OtpSent,
    SignedIn {
        psu: PsuId,
        /// The customer's name.
        name: String,
        /// When the session ends, unless it is extended.
        until: Timestamp,
    },
}

/// A step of a device session: the credential context and the session tokens before and after the step.
#[derive(Clone)]
struct SessionContext {
    credential: CredentialContext,
    token: [u8; 32],
    /// The token changes with every sign-in, so that a planted one is worthless (session fixation).
    next_token: [u8; 32],
    /// The language of the page, in which messages are sent.
    language: Language,
}

impl App {
    pub async fn device_session(&self, token: &str) -> Result<DeviceSession, UseCaseError> {
        let (token, now) = (session_token_hash(&self.keyring, token), self.now());
        self.store
            .read(move |tx| match tx.enrolled_device_find(&token, now)? {
                Some(device) => Ok(session(tx, &device, now)?),
                None => Ok(DeviceSession::SignedOut),
            })
            .await
    }

    /// Signs in with a password. A browser that is not enrolled is sent an OTP first, in the language of its page. Afterwards
    /// the browser is known by `next_token` only.
    pub async fn device_sign_in(
        &self,
        token: &str,
        next_token: &str,
        language: Language,
        login: &str,
        password: Secret<String>,
    ) -> Result<DeviceSession, UseCaseError> {
        let (context, name) = (self.session_context(token, next_token, language), login.to_owned());
        let limiter = self.store.read(move |tx| Ok(context.password_limiter(tx, &name)?)).await?;
        let _permit = limiter.acquire(&self.login_queue).await?;
        let (context, name) = (self.session_context(token, next_token, language), login.to_owned());
        let counted = self.store.write(move |tx| {
            let decision = context.password_limiter(tx, &name)?.count_password(tx)?;
            Ok((decision, tx.psu_by_login(&name)?))
        });
        let (decision, found) = counted.await?;
        let (psu, hash) = found.unzip();
        let hash = hash.flatten();
        let verified = verify_attempt(decision, password, hash.clone()).await?;
        let (context, name) = (self.session_context(token, next_token, language), login.to_owned());
        let finished = self.store.write(move |tx| {
            let current = verified_psu(tx, &name, hash.as_deref())?;
            if let Some(psu) = current.filter(|_| verified) {
                return Ok(Ok(context.sign_in(tx, &psu)?));
            }
            if let (true, Some(psu)) = (decision.blocks_if_wrong(), &psu) {
                notification::enqueue_password_block(tx, &context.credential, psu.id)?;
            }
            context.record_failure(tx, &name, "device.password_wrong")?;
            Ok(Err(invalid_credentials()))
        });
        Ok(finished.await??)
    }

    /// Enrols the browser with the OTP and the public key that it has generated. Afterwards the browser is known by
    /// `next_token`, and its approvals must be signed with that key.
    pub async fn device_enrol(
        &self,
        token: &str,
        next_token: &str,
        otp: Secret<String>,
        public_key: &str,
    ) -> Result<DeviceSession, UseCaseError> {
        let public_key = parse_public_key(public_key).ok_or_else(|| {
            Refusal::malformed(Field::DeviceKey, "must be the public key of a P-256 key pair")
        })?;
        let context = self.session_context(token, next_token, Language::default());
        let method = MethodId::new(self.entropy.uuid());
        let finished = self.store.write(move |tx| context.enrol(tx, &otp, &public_key, method));
        Ok(finished.await??)
    }

    /// Removes the enrolment of this browser.
    pub async fn device_remove(&self, token: &str) -> Result<(), UseCaseError> {
        let (token, now) = (session_token_hash(&self.keyring, token), self.now());
        self.store
            .write(move |tx| {
                let Some(device) = tx.enrolled_device_find(&token, now)? else { return Ok(()) };
                tx.enrolled_device_delete(&token)?;
                let event = AuditEvent::new("device.removed", "psu", device.psu);
                Ok(audit::record(tx, now, Actor::Psu(device.psu), &event)?)
            })
            .await
    }

    /// Sends another OTP, which replaces the first.
    pub async fn device_otp_resend(&self, token: &str, language: Language) -> Result<(), UseCaseError> {
        let context = self.session_context(token, token, language);
        self.store
            .write(move |tx| {
                let (device, psu) = context.pending_enrolment(tx)?;
                let device = context.send_otp(tx, &psu, device)?;
                Ok(tx.enrolled_device_update(&context.token, &device)?)
            })
            .await
    }

    /// Extends the session of a customer who opens a page, and returns its end.
    pub async fn device_session_touch(
        &self,
        token: &str,
        until: Timestamp,
    ) -> Result<Timestamp, UseCaseError> {
        let now = self.now();
        if until.since(now).0 > SESSION_TTL.0 - SESSION_EXTENSION_INTERVAL.0 {
            return Ok(until);
        }
        self.device_session_extend(token).await?;
        Ok(now.plus(SESSION_TTL))
    }

    /// Extends the session after a decision of the customer.
    pub async fn device_session_extend(&self, token: &str) -> Result<(), UseCaseError> {
        self.device_session_set_end(token, |now| Some(now.plus(SESSION_TTL))).await
    }

    /// Locks the app: the session ends, and the browser stays enrolled and knows its customer.
    pub async fn device_lock(&self, token: &str) -> Result<(), UseCaseError> {
        self.device_session_set_end(token, Some).await
    }

    /// Ends the session. The browser stays enrolled.
    pub async fn device_sign_out(&self, token: &str) -> Result<(), UseCaseError> {
        self.device_session_set_end(token, |_| None).await
    }

    async fn device_session_set_end(
        &self,
        token: &str,
        end: fn(Timestamp) -> Option<Timestamp>,
    ) -> Result<(), UseCaseError> {
        let (token, now) = (session_token_hash(&self.keyring, token), self.now());
        self.store
            .write(move |tx| {
                let Some(device) = tx.enrolled_device_lock(&token, now)? else { return Ok(()) };
                if device.signed_in_until.is_none_or(|until| until <= now) {
                    return Ok(());
                }
                Ok(tx.enrolled_device_update(
                    &token,
                    &EnrolledDevice { signed_in_until: end(now), ..device },
                )?)
            })
            .await
    }

    fn session_context(&self, token: &str, next_token: &str, language: Language) -> SessionContext {
        SessionContext {
            credential: self.credential_context(),
            token: session_token_hash(&self.keyring, token),
            next_token: session_token_hash(&self.keyring, next_token),
            language,
        }
    }
}

impl SessionContext {
    fn now(&self) -> Timestamp {
        self.credential.now
    }

    fn limiter(&self, login: &str) -> AttemptLimiter {
        AttemptLimiter::for_app(&self.credential, login)
    }

    /// The limiter of passwords: an enrolled device has its own, so that wrong passwords in other browsers do not block it.
    fn password_limiter(&self, tx: &mut Tx<'_>, login: &str) -> Result<AttemptLimiter, StoreError> {
        let device = tx.enrolled_device_find(&self.token, self.now())?;
        if let Some(device) = device.filter(|device| device.enrolled_at.is_some())
            && tx.psu_find(device.psu)?.is_some_and(|psu| psu.login == login)
        {
            return Ok(AttemptLimiter::for_device(&self.credential, login, &self.token));
        }
        Ok(self.limiter(login))
    }

    /// Continues after the right password: an enrolled device is signed in, another browser is sent an OTP.
    fn sign_in(&self, tx: &mut Tx<'_>, psu: &Psu) -> Result<DeviceSession, UseCaseError> {
        self.password_limiter(tx, &psu.login)?.reset_password(tx)?;
        tx.psu_language_set(psu.id, self.language.tag())?;
        let found = tx.enrolled_device_lock(&self.token, self.now())?;
        if let Some(device) = found.filter(|device| device.psu == psu.id && device.enrolled_at.is_some()) {
            return Ok(self.open_session(tx, psu, device, "device.signed_in")?);
        }
        let new = EnrolledDevice {
            session_token_hash: self.next_token,
            psu: psu.id,
            enrolled_at: None,
            signed_in_until: None,
            expires_at: self.now().plus(ENROLMENT_TTL),
            challenge: None,
            public_key: None,
        };
        let device = self.send_otp(tx, psu, new)?;
        tx.enrolled_device_insert(&device, self.now())?;
        Ok(DeviceSession::OtpSent)
    }

    fn open_session(
        &self,
        tx: &mut Tx<'_>,
        psu: &Psu,
        device: EnrolledDevice,
        action: &'static str,
    ) -> Result<DeviceSession, StoreError> {
        let now = self.now();
        let device = EnrolledDevice {
            session_token_hash: self.next_token,
            enrolled_at: device.enrolled_at.or(Some(now)),
            signed_in_until: Some(now.plus(SESSION_TTL)),
            expires_at: now.plus(DEVICE_TTL),
            challenge: None,
            ..device
        };
        tx.enrolled_device_update(&self.token, &device)?;
        audit::record(tx, now, Actor::Psu(psu.id), &AuditEvent::new(action, "psu", psu.id))?;
        session(tx, &device, now)
    }

    /// The browser that was sent an OTP, and its customer.
    fn pending_enrolment(&self, tx: &mut Tx<'_>) -> Result<(EnrolledDevice, Psu), UseCaseError> {
        let device = tx.enrolled_device_lock(&self.token, self.now())?;
        let device = device.filter(|device| device.enrolled_at.is_none());
        let device = device
            .ok_or_else(|| Refusal::new(RefusalReason::StepOutOfOrder, "no code was sent; sign in first"))?;
        let psu = tx.psu_find(device.psu)?.required("customer")?;
        Ok((device, psu))
    }

    fn send_otp(
        &self,
        tx: &mut Tx<'_>,
        psu: &Psu,
        device: EnrolledDevice,
    ) -> Result<EnrolledDevice, UseCaseError> {
        let context = &self.credential;
        let sent = device.challenge.as_ref().map(|challenge| challenge.sent_messages(true));
        self.limiter(&psu.login).count_message(tx, MessageKind::Sms, sent, device.expires_at)??;
        let otp = &context.entropy.otp;
        let text = message::device_enrolment_otp(self.language, &context.bank_name, otp.expose());
        let recipient = psu.phone.as_str();
        let content = MessageContent::Otp(otp.expose());
        let new = NewMessage { recipient, content, text: &text };
        notification::enqueue(tx, context, &new)?;
        let subject: [&[u8]; 1] = [psu.id.as_bytes()];
        let challenge =
            binding(&subject).challenge(context, NewChallenge::sms(otp), device.challenge.as_ref());
        let event = AuditEvent::new("device.otp_sent", "psu", psu.id).with("sends", challenge.sends);
        audit::record(tx, context.now, Actor::Bank, &event)?;
        Ok(EnrolledDevice { challenge: Some(challenge), ..device })
    }

    /// Verifies the OTP. A wrong one is counted, so its refusal must not roll back the transaction.
    fn enrol(
        &self,
        tx: &mut Tx<'_>,
        otp: &Secret<String>,
        public_key: &[u8],
        method: MethodId,
    ) -> Result<Result<DeviceSession, Refusal>, UseCaseError> {
        let (device, psu) = self.pending_enrolment(tx)?;
        let limiter = self.limiter(&psu.login);
        let allowed = limiter.otp_is_allowed(tx)?;
        let challenge = device.challenge.clone();
        let Some(challenge) = challenge.filter(|challenge| allowed && challenge.is_open(self.now())) else {
            return Ok(Err(invalid_credentials()));
        };
        let (keyring, fixed) = (&self.credential.keyring, self.credential.settings.fixed_otp.as_ref());
        if binding(&[psu.id.as_bytes()]).matches(keyring, &challenge, otp, fixed) {
            limiter.reset_otp(tx)?;
            ensure_push_method(tx, &psu, method)?;
            let device = EnrolledDevice { public_key: Some(public_key.to_vec()), ..device };
            return Ok(Ok(self.open_session(tx, &psu, device, "device.enrolled")?));
        }
        limiter.count_wrong_otp(tx)?;
        let challenge = Some(Challenge { attempts: challenge.attempts + 1, ..challenge });
        tx.enrolled_device_update(&self.token, &EnrolledDevice { challenge, ..device })?;
        self.record_failure(tx, &psu.login, "device.otp_wrong")?;
        Ok(Err(invalid_credentials()))
    }

    /// Records a failed sign-in under the keyed hash of the login name, which does not reveal whether it exists.
    fn record_failure(&self, tx: &mut Tx<'_>, login: &str, action: &'static str) -> Result<(), StoreError> {
        let subject = self.credential.keyring.hash(KeyPurpose::Subject, &[login.as_bytes()]);
        let subject: String = subject[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        audit::record(tx, self.now(), Actor::Bank, &AuditEvent::new(action, "subject", subject))
    }
}

fn binding<'a>(subject: &'a [&'a [u8]]) -> OtpBinding<'a> {
    OtpBinding { purpose: "enrolment", subject }
}

/// Gives the customer of an enrolled device the push method, once.
fn ensure_push_method(tx: &mut Tx<'_>, psu: &Psu, id: MethodId) -> Result<(), StoreError> {
    if tx.sca_method_list(psu.id)?.iter().any(|method| method.kind == MethodKind::Push) {
        return Ok(());
    }
    tx.sca_method_insert(&ScaMethod { id, psu: psu.id, kind: MethodKind::Push })
}

fn session(tx: &mut Tx<'_>, device: &EnrolledDevice, now: Timestamp) -> Result<DeviceSession, StoreError> {
    if device.enrolled_at.is_none() {
        return Ok(DeviceSession::OtpSent);
    }
    let Some(until) = device.signed_in_until else { return Ok(DeviceSession::SignedOut) };
    let psu = tx.psu_find(device.psu)?.required("customer")?;
    if until <= now {
        return Ok(DeviceSession::Locked { login: psu.login, name: psu.name, ended_at: until });
    }
    Ok(DeviceSession::SignedIn { psu: psu.id, name: psu.name, until })
}
