//! Sign-in of staff with the bank's own identity provider (OpenID Connect, authorisation code with PKCE).
//!
//! Nothing is stored for a sign-in that begins: state, nonce and PKCE verifier are keyed hashes of a fresh session token, which the
//! browser has as its cookie. The provider vouches for a person who was created before. At the first sign-in the verified e-mail
//! address finds the login, which is linked to the provider's name of the person (`sub`); from then on that name alone identifies
//! the person, whatever becomes of the address.

use super::required;
use crate::credential::email_subject;
use crate::login::{create_session, token_hash};
use crate::{App, Keyring, UseCaseError, audit};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::pin::Pin;
use subtle::ConstantTimeEq;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::id::StaffId;
use trapeza_domain::login::{LoginEvent, LoginKind, parse_email};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::staff::StaffStatus;
use trapeza_domain::time::Timestamp;
use trapeza_store::{LoginRecord, NewLoginSession, Tx};

const KIND: LoginKind = LoginKind::Staff;
const FACTOR: &str = "identity_provider";

/// The bank's identity provider.
pub trait IdentityProvider: Send + Sync {
    fn issuer(&self) -> &str;

    /// The name by which the staff know it.
    fn name(&self) -> &str;

    /// The address at the provider to which a browser is redirected.
    fn sign_in_url<'a>(&'a self, request: &'a ProviderRequest) -> ProviderFuture<'a, String>;

    /// Exchanges a code for the person who has signed in. The signature and all claims of the ID token are verified.
    fn identity<'a>(&'a self, exchange: &'a CodeExchange) -> ProviderFuture<'a, Identity>;
}

pub type ProviderFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, ProviderError>> + Send + 'a>>;

/// What a browser takes to the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderRequest {
    pub redirect_uri: String,
    pub state: String,
    pub nonce: String,
    pub code_challenge: String,
}

/// What a code is exchanged with.
pub struct CodeExchange {
    pub redirect_uri: String,
    pub code: Secret<String>,
    pub code_verifier: Secret<String>,
    /// The ID token must have it.
    pub nonce: String,
    /// The time at which the ID token must be valid.
    pub now: Timestamp,
}

/// The person who has signed in at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The provider's name of the person, which never changes.
    pub subject: String,
    /// `None` when the provider has none, or has not verified it.
    pub email: Option<String>,
}

/// Why the provider has identified no one. The texts are for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderError {
    /// It did not answer, or not as the protocol says.
    Unavailable(String),
    /// It has refused the code, or its ID token is not valid.
    Refused(String),
}

/// What the browser brings back from the provider.
pub struct ProviderResponse {
    /// The session token that [`App::staff_provider_url`] was called with.
    pub session: String,
    pub state: String,
    /// Who has sent the browser back, if the provider says so (RFC 9207).
    pub issuer: Option<String>,
    /// `None` when the provider has refused the sign-in.
    pub code: Option<Secret<String>>,
}

/// How a sign-in with the provider ended that was not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderSignIn {
    SignedIn,
    /// The provider cannot be reached.
    Unavailable,
}

/// The values of one sign-in, derived from the session token of its browser.
struct Binding {
    state: String,
    nonce: String,
    verifier: String,
}

/// Why a person is not signed in: the name in the audit log, and the text for the person.
#[derive(Clone, Copy)]
struct Failure(&'static str, &'static str);

const WRONG_STATE: Failure =
    Failure("state", "this sign-in was not begun in this browser, or is finished already; sign in again");
const REFUSED: Failure = Failure("refused", "the identity provider has refused the sign-in");
const NOT_ACCEPTED: Failure =
    Failure("not_accepted", "the response of the identity provider was not accepted; sign in again");
const NO_EMAIL: Failure = Failure("email", "the identity provider has no verified e-mail address of you");
const UNKNOWN: Failure =
    Failure("unknown", "you have no login in this console; ask an administrator for one");
const DISABLED: Failure = Failure("disabled", "your login is disabled; ask an administrator");
const LINKED: Failure = Failure(
    "linked",
    "the login with your e-mail address belongs to another person at the identity provider; ask an administrator",
);

impl App {
    /// The identity provider, if the bank has one.
    pub fn identity_provider(&self) -> Option<&dyn IdentityProvider> {
        self.ports.identity_provider.as_deref()
    }

    /// Where the browser with this fresh session token signs in. `None` when the provider cannot be reached.
    pub async fn staff_provider_url(
        &self,
        session: &str,
        redirect_uri: &str,
    ) -> Result<Option<String>, UseCaseError> {
        let provider = self.identity_provider().ok_or_else(no_provider)?;
        let binding = Binding::new(&self.keyring, session);
        let request = ProviderRequest {
            redirect_uri: redirect_uri.to_owned(),
            code_challenge: URL_SAFE_NO_PAD.encode(Sha256::digest(&binding.verifier)),
            state: binding.state,
            nonce: binding.nonce,
        };
        match provider.sign_in_url(&request).await {
            Ok(url) => Ok(Some(url)),
            Err(ProviderError::Unavailable(error) | ProviderError::Refused(error)) => {
                tracing::error!(error, "identity provider: cannot be used, no one can sign in with it");
                Ok(None)
            }
        }
    }

    /// Signs in the person whom the provider has identified, and begins a session with a new token.
    pub async fn staff_provider_sign_in(
        &self,
        response: ProviderResponse,
        redirect_uri: &str,
        token: &str,
        browser: &str,
    ) -> Result<ProviderSignIn, UseCaseError> {
        let provider = self.identity_provider().ok_or_else(no_provider)?;
        let binding = Binding::new(&self.keyring, &response.session);
        if !bool::from(binding.state.as_bytes().ct_eq(response.state.as_bytes())) {
            return self.provider_failed(WRONG_STATE).await;
        }
        if response.issuer.is_some_and(|issuer| issuer != provider.issuer()) {
            return self.provider_failed(NOT_ACCEPTED).await;
        }
        let Some(code) = response.code else { return self.provider_failed(REFUSED).await };
        let exchange = CodeExchange {
            redirect_uri: redirect_uri.to_owned(),
            code,
            code_verifier: Secret::new(binding.verifier),
            nonce: binding.nonce,
            now: self.clock.system_now(),
        };
        let identity = match provider.identity(&exchange).await {
            Ok(identity) => identity,
            Err(ProviderError::Unavailable(error)) => {
                tracing::error!(
                    error,
                    "identity provider: a code could not be exchanged, the person can repeat"
                );
                return Ok(ProviderSignIn::Unavailable);
            }
            Err(ProviderError::Refused(error)) => {
                tracing::warn!(error, "identity provider: a sign-in was refused");
                return self.provider_failed(NOT_ACCEPTED).await;
            }
        };
        let (issuer, now) = (provider.issuer().to_owned(), self.now());
        // The login is only known inside; the session gets it there.
        let session = self.new_session(KIND, StaffId::new(uuid::Uuid::nil()).into(), token, browser);
        let keyring = self.keyring.clone();
        let signed_in = self.store.write(move |tx| {
            let failure = match find(tx, &issuer, &identity)? {
                Ok(login) => {
                    sign_in(tx, (&issuer, &identity), &login, &session, now)?;
                    return Ok(Ok(ProviderSignIn::SignedIn));
                }
                Err(failure) => failure,
            };
            failure.record(tx, &keyring, identity.email.as_deref().unwrap_or_default(), now)?;
            Ok(Err(failure.refusal()))
        });
        Ok(signed_in.await??)
    }

    async fn provider_failed(&self, failure: Failure) -> Result<ProviderSignIn, UseCaseError> {
        let (keyring, now) = (self.keyring.clone(), self.now());
        self.store.write(move |tx| failure.record(tx, &keyring, "", now)).await?;
        Err(failure.refusal().into())
    }
}

/// The login of a person, locked: the one that is linked, or the one with the e-mail address that is not linked yet.
fn find(
    tx: &mut Tx<'_>,
    issuer: &str,
    identity: &Identity,
) -> Result<Result<LoginRecord, Failure>, UseCaseError> {
    let found = match tx.login_by_provider(KIND, issuer, &identity.subject)? {
        Some(linked) => linked,
        None => {
            let Some(email) = &identity.email else { return Ok(Err(NO_EMAIL)) };
            let Ok(email) = parse_email(email) else { return Ok(Err(NO_EMAIL)) };
            let Some(login) = tx.login_by_email(KIND, &email)? else { return Ok(Err(UNKNOWN)) };
            // A link to another provider is replaced: the operator has changed the provider.
            if tx.login_provider_find(KIND, login.id)?.is_some_and(|linked| linked == issuer) {
                return Ok(Err(LINKED));
            }
            login
        }
    };
    let Some(login) = tx.login_lock(KIND, found.id)? else { return Ok(Err(UNKNOWN)) };
    Ok(if login.disabled_at.is_some() { Err(DISABLED) } else { Ok(login) })
}

/// Begins the session, and links the login at the first time.
fn sign_in(
    tx: &mut Tx<'_>,
    (issuer, identity): (&str, &Identity),
    login: &LoginRecord,
    session: &NewLoginSession,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    if tx.login_by_provider(KIND, issuer, &identity.subject)?.is_none() {
        link(tx, (issuer, identity), StaffId::new(login.id.uuid()), now)?;
    }
    let session = NewLoginSession { login: login.id, ..session.clone() };
    Ok(create_session(tx, KIND, &session, FACTOR, now)?)
}

/// Links a login. The provider vouches for the person, so that no enrolment and no confirmation is needed any more.
fn link(
    tx: &mut Tx<'_>,
    (issuer, identity): (&str, &Identity),
    id: StaffId,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    // It does not vouch for a password that was chosen with a link which an administrator has seen.
    if required(tx, id)?.status == StaffStatus::Unconfirmed {
        tx.login_factors_clear(KIND, id.into())?;
    }
    tx.staff_enrolment_delete(id)?;
    tx.staff_link_holder_set(id, None)?;
    tx.login_provider_set(KIND, id.into(), issuer, &identity.subject)?;
    let event = AuditEvent::new("staff.provider_linked", "staff", id).with("issuer", issuer);
    Ok(audit::record(tx, now, Actor::Staff(id), &event)?)
}

impl Binding {
    fn new(keyring: &Keyring, session: &str) -> Self {
        let value = |purpose| URL_SAFE_NO_PAD.encode(token_hash(keyring, KIND, purpose, session));
        Self {
            state: value("provider state"),
            nonce: value("provider nonce"),
            verifier: value("provider verifier"),
        }
    }
}

impl Failure {
    fn record(
        self,
        tx: &mut Tx<'_>,
        keyring: &Keyring,
        email: &str,
        now: Timestamp,
    ) -> Result<(), UseCaseError> {
        let email = parse_email(email).map(|email| email.as_str().to_owned()).unwrap_or_default();
        let subject = email_subject(keyring, KIND, &email);
        let subject: String = subject[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let event = AuditEvent::new(KIND.action(LoginEvent::SignInFailed), "subject", subject);
        let event = event.with("factor", FACTOR).with("reason", self.0);
        Ok(audit::record(tx, now, Actor::Bank, &event)?)
    }

    fn refusal(self) -> Refusal {
        Refusal::new(RefusalReason::CredentialsInvalid, self.1)
    }
}

fn no_provider() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "this console has no identity provider")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_sign_in_differ_by_purpose_and_session() {
        let keyring = Keyring::new([1; 32]);
        let mut values = Vec::new();
        for session in ["one", "two"] {
            let Binding { state, nonce, verifier } = Binding::new(&keyring, session);
            // PKCE requires 43 to 128 characters.
            assert_eq!(verifier.len(), 43);
            values.extend([state, nonce, verifier]);
        }
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), 6);
    }
}
