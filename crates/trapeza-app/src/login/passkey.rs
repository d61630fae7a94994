//! Passkeys: registration, sign-in, list and removal. A passkey verifies its user itself, so that it replaces password
//! and code together.
//!
//! A challenge is bound to the browser's session and to its purpose by a keyed hash, so that nothing is stored for those who only
//! open a page. It is valid for five minutes, and stored when a response was accepted: a second response to it is refused.

use super::sign_in::end_sign_in;
use super::webauthn::{self, Ceremony, PasskeyResponse, RelyingParty};
use super::{LoginSession, token_hash};
use crate::{App, Entropy, Keyring, UseCaseError, audit};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::field::Field;
use trapeza_domain::id::{LoginId, PasskeyId};
use trapeza_domain::login::{LoginEvent, LoginKind, check_name};
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{PasskeyRecord, Tx};

/// How long a challenge can be answered.
const CHALLENGE_TTL: TimeDelta = TimeDelta::minutes(5);
/// A passkey is added within this time after a sign-in, so that a session that was left open adds none.
const RECENT_SIGN_IN: TimeDelta = TimeDelta::minutes(15);
const MAX_PASSKEYS: usize = 10;
/// A challenge: the time, random bytes and the keyed hash.
const TIME_BYTES: usize = 8;
const RANDOM_BYTES: usize = 16;

/// A verified passkey that is not yet stored.
#[derive(Clone)]
pub(crate) struct NewPasskey {
    kind: LoginKind,
    challenge: Vec<u8>,
    record: PasskeyRecord,
}

impl NewPasskey {
    /// Stores the passkey and uses up its challenge.
    pub(crate) fn insert(&self, tx: &mut Tx<'_>) -> Result<PasskeyId, UseCaseError> {
        let (record, now) = (&self.record, self.record.created_at);
        // The login is locked, so that two forms at once stay within the limit.
        tx.login_lock(self.kind, record.login)?.ok_or_else(refused)?;
        if tx.passkey_list(record.login)?.len() >= MAX_PASSKEYS {
            let text = format!("at most {MAX_PASSKEYS} passkeys; remove one first");
            return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
        }
        let is_known = tx.passkey_by_credential(&record.credential)?.is_some();
        if is_known || !tx.login_challenge_use(&self.challenge, now, now.plus(CHALLENGE_TTL))? {
            return Err(refused().into());
        }
        tx.passkey_insert(record)?;
        Ok(record.id)
    }
}

impl App {
    /// A challenge for the browser with this session.
    pub fn login_challenge(&self, kind: LoginKind, session: &str, ceremony: Ceremony) -> String {
        let time = self.clock.system_now().0.to_be_bytes();
        let random = Entropy::os().bytes::<RANDOM_BYTES>();
        let hash =
            challenge_hash(&self.keyring, (kind, session), ceremony, &[time.as_slice(), &random].concat());
        URL_SAFE_NO_PAD.encode([time.as_slice(), &random, &hash].concat())
    }

    /// The passkeys of the caller, oldest first.
    pub async fn login_passkey_list(
        &self,
        caller: &LoginSession,
    ) -> Result<Vec<PasskeyRecord>, UseCaseError> {
        let login = caller.login;
        self.store.read(move |tx| Ok(tx.passkey_list(login)?)).await
    }

    /// Adds a passkey to the caller.
    pub async fn login_passkey_create(
        &self,
        caller: &LoginSession,
        (session, party): (&str, &RelyingParty),
        name: &str,
        response: &PasskeyResponse,
    ) -> Result<(), UseCaseError> {
        if self.clock.system_now().since(caller.session.created_at) > RECENT_SIGN_IN {
            let text = "sign out and in again before you add a passkey";
            return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
        }
        let passkey = self.login_passkey_new(caller.kind, caller.login, (session, party), name, response)?;
        let (kind, login, now) = (caller.kind, caller.login, self.now());
        self.store
            .write(move |tx| {
                let id = passkey.insert(tx)?;
                let event = kind.event(LoginEvent::PasskeyAdded, login).with("passkey", id);
                Ok(audit::record(tx, now, kind.actor(login), &event)?)
            })
            .await
    }

    /// The passkey of a registration that answers a challenge of this browser.
    pub(crate) fn login_passkey_new(
        &self,
        kind: LoginKind,
        login: LoginId,
        (session, party): (&str, &RelyingParty),
        name: &str,
        response: &PasskeyResponse,
    ) -> Result<NewPasskey, Refusal> {
        let mut errors = FieldErrors::default();
        check_name(&mut errors, Field::Name, name);
        errors.finish()?;
        let challenge =
            self.answered((kind, session), Ceremony::Create, party, response).ok_or_else(refused)?;
        let credential = webauthn::registration(response, party).ok_or_else(refused)?;
        let record = PasskeyRecord {
            id: PasskeyId::new(self.entropy.uuid()),
            login,
            credential: credential.id,
            public_key: credential.public_key,
            sign_count: credential.sign_count,
            name: name.to_owned(),
            created_at: self.clock.system_now(),
            last_used_at: None,
        };
        Ok(NewPasskey { kind, challenge, record })
    }

    /// Removes a passkey of the caller.
    pub async fn login_passkey_remove(
        &self,
        caller: &LoginSession,
        id: PasskeyId,
    ) -> Result<(), UseCaseError> {
        let (kind, login, now) = (caller.kind, caller.login, self.now());
        self.store
            .write(move |tx| {
                if !tx.passkey_delete(login, id)? {
                    return Err(Refusal::new(RefusalReason::ResourceUnknown, "unknown passkey").into());
                }
                let event = kind.event(LoginEvent::PasskeyRemoved, login).with("passkey", id);
                Ok(audit::record(tx, now, kind.actor(login), &event)?)
            })
            .await
    }

    /// Signs in with a passkey and begins a session with a new token.
    pub(crate) async fn login_passkey_sign_in(
        &self,
        kind: LoginKind,
        (session, party): (&str, &RelyingParty),
        response: &PasskeyResponse,
        token: &str,
        browser: &str,
    ) -> Result<(), UseCaseError> {
        let challenge = self.answered((kind, session), Ceremony::Get, party, response).ok_or_else(refused)?;
        let credential = URL_SAFE_NO_PAD.decode(&response.credential).map_err(|_| refused())?;
        let found = self.store.read(move |tx| Ok(tx.passkey_by_credential(&credential)?)).await?;
        let passkey = found.ok_or_else(refused)?;
        let handle = URL_SAFE_NO_PAD.decode(&response.user_handle).map_err(|_| refused())?;
        if handle != passkey.login.as_bytes() {
            return Err(refused().into());
        }
        let used = webauthn::assertion(response, party, &passkey.public_key);
        let new_session = self.new_session(kind, passkey.login, token, browser);
        let (now, system_now) = (self.now(), self.clock.system_now());
        let local_sign_in = self.settings.local_sign_in;
        let signed_in = self.store.write(move |tx| {
            let id = passkey.login;
            // The login is locked, so that one response cannot sign in twice at the same time.
            let login = tx.login_lock(kind, id)?.ok_or_else(refused)?;
            let refuse = |tx: &mut Tx<'_>| {
                let event = kind.event(LoginEvent::SignInFailed, id);
                audit::record(tx, now, Actor::Bank, &event.with("factor", "passkey"))?;
                Ok(Err(refused()))
            };
            if login.disabled_at.is_some() || !local_sign_in.allows(tx, kind, id)? {
                return refuse(tx);
            }
            // The count is that of now: another sign-in may have raised it since.
            let current = tx.passkey_by_credential(&passkey.credential)?.ok_or_else(refused)?;
            let used = used.filter(|used| webauthn::counter_is_valid(current.sign_count, used.sign_count));
            let expires = system_now.plus(CHALLENGE_TTL);
            let accepted = match used {
                Some(used) if tx.login_challenge_use(&challenge, system_now, expires)? => used,
                _ => return refuse(tx),
            };
            tx.passkey_used_set((id, current.id), accepted.sign_count, system_now)?;
            Ok(end_sign_in(tx, kind, &new_session, "passkey", now)?)
        });
        Ok(signed_in.await??)
    }

    /// The challenge that a response answers, if it was created for this browser and ceremony and has not expired.
    fn answered(
        &self,
        session: (LoginKind, &str),
        ceremony: Ceremony,
        party: &RelyingParty,
        response: &PasskeyResponse,
    ) -> Option<Vec<u8>> {
        let challenge = webauthn::challenge(response, ceremony, party)?;
        let challenge = URL_SAFE_NO_PAD.decode(challenge).ok()?;
        let (content, hash) = challenge.split_at_checked(TIME_BYTES + RANDOM_BYTES)?;
        let expected = challenge_hash(&self.keyring, session, ceremony, content);
        let is_ours = bool::from(expected.as_slice().ct_eq(hash));
        let time = Timestamp(i64::from_be_bytes(content.get(..TIME_BYTES)?.try_into().ok()?));
        let age = self.clock.system_now().since(time);
        (is_ours && age >= TimeDelta(0) && age <= CHALLENGE_TTL).then_some(challenge)
    }
}

fn challenge_hash(
    keyring: &Keyring,
    (kind, session): (LoginKind, &str),
    ceremony: Ceremony,
    content: &[u8],
) -> [u8; 32] {
    let bound = format!("{}\n{session}\n{}", ceremony.name(), URL_SAFE_NO_PAD.encode(content));
    token_hash(keyring, kind, "passkey challenge", &bound)
}

fn refused() -> Refusal {
    let text = "the passkey was not accepted; reload the page and try again";
    Refusal::new(RefusalReason::CredentialsInvalid, text)
}
