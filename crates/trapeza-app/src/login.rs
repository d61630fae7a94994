//! What people sign in with, for members of the portal and the bank's staff alike: password and authenticator app or a passkey,
//! recovery codes, sessions.
//!
//! Sessions and codes use the system time: the clock of a sandbox is moved, and people's clocks are not. Audit events have the bank's
//! time. Every keyed hash contains the kind of the login, so that what was created for the portal is worth nothing in the console.

mod passkey;
mod session;
mod sign_in;
pub mod totp;
mod webauthn;

pub use session::LoginSession;
pub(crate) use session::{create_session, session_cutoffs, session_hash};
pub use sign_in::SignInRequest;
pub(crate) use sign_in::wrong_credentials;
pub use trapeza_store::{LoginSessionRecord, PasskeyRecord};
pub use webauthn::{Ceremony, PasskeyResponse, RelyingParty};

use crate::keyring::KeyPurpose;
use crate::{Entropy, Keyring, StoreError};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use trapeza_domain::contact::Email;
use trapeza_domain::id::LoginId;
use trapeza_domain::login::LoginKind;
use trapeza_domain::secret::Secret;
use zeroize::Zeroizing;

const RECOVERY_CODES: usize = 8;

/// Codes that replace the authenticator app once each. They are shown once; the bank stores their keyed hashes.
pub struct RecoveryCodes(pub Vec<Secret<String>>);

impl RecoveryCodes {
    pub(crate) fn generate() -> Self {
        let code = || Secret::new(URL_SAFE_NO_PAD.encode(Entropy::os().bytes::<12>()));
        Self((0..RECOVERY_CODES).map(|_| code()).collect())
    }

    pub(crate) fn hashes(&self, keyring: &Keyring, login: LoginId) -> Vec<[u8; 32]> {
        self.0.iter().map(|code| recovery_hash(keyring, login, code.expose())).collect()
    }
}

fn recovery_hash(keyring: &Keyring, login: LoginId, code: &str) -> [u8; 32] {
    keyring.hash(KeyPurpose::Login, &[b"recovery", login.as_bytes(), code.as_bytes()])
}

/// A token that is shown once: 32 random bytes in base64url.
pub(crate) fn new_token() -> Secret<String> {
    Secret::new(URL_SAFE_NO_PAD.encode(Entropy::os().bytes::<32>()))
}

/// The keyed hash under which a token is stored. `purpose` is what the token is for.
pub(crate) fn token_hash(keyring: &Keyring, kind: LoginKind, purpose: &str, token: &str) -> [u8; 32] {
    keyring.hash(KeyPurpose::Login, &[kind.name().as_bytes(), purpose.as_bytes(), token.as_bytes()])
}

/// A new secret of an authenticator app, encrypted as it is stored. It is bound to the e-mail address, which never changes.
pub(crate) fn new_totp_secret(keyring: &Keyring, kind: LoginKind, email: &Email) -> Vec<u8> {
    let secret = Zeroizing::new(Entropy::os().bytes::<{ totp::SECRET_BYTES }>());
    keyring.seal(&totp_context(kind, email), secret.as_slice(), Entropy::os().bytes())
}

/// The secret of an authenticator app.
pub(crate) fn open_totp_secret(
    keyring: &Keyring,
    kind: LoginKind,
    email: &Email,
    sealed: &[u8],
) -> Result<Zeroizing<Vec<u8>>, StoreError> {
    let opened = keyring.open(&totp_context(kind, email), sealed);
    opened.ok_or_else(|| StoreError::internal("the secret of an authenticator app cannot be decrypted"))
}

fn totp_context(kind: LoginKind, email: &Email) -> Vec<u8> {
    ["totp", kind.name(), email.as_str()].join(" ").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_of_a_token_depends_on_kind_and_purpose() {
        let keyring = Keyring::new([1; 32]);
        let mut hashes: Vec<[u8; 32]> = Vec::new();
        for kind in LoginKind::ALL {
            for purpose in ["session", "invitation"] {
                hashes.push(token_hash(&keyring, *kind, purpose, "token"));
            }
        }
        let count = hashes.len();
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }
}
