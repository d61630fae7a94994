//! Session tokens of browsers and CSRF tokens of forms. A session token is random and stored as a keyed hash; a CSRF
//! token is derived from the session token and the page. Cookies are the web crate's.

use crate::keyring::KeyPurpose;
use crate::{App, Entropy, Keyring};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

/// The length of a session token: 32 bytes in base64url.
const TOKEN_LENGTH: usize = 43;

impl App {
    /// A session token for a browser that has none.
    pub fn session_token_new(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Entropy::os().bytes::<32>())
    }

    /// The token that a form on this page must send back from this browser.
    pub fn csrf_token(&self, session_token: &str, page: &str) -> String {
        let parts: [&[u8]; 3] = [b"form", session_token.as_bytes(), page.as_bytes()];
        BASE64_URL_SAFE_NO_PAD.encode(self.keyring.hash(KeyPurpose::Redirect, &parts))
    }

    pub fn csrf_token_verify(&self, session_token: &str, page: &str, given: &str) -> bool {
        self.csrf_token(session_token, page).as_bytes().ct_eq(given.as_bytes()).into()
    }
}

/// Whether a text has the form of a session token.
pub fn is_session_token(text: &str) -> bool {
    text.len() == TOKEN_LENGTH
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// The keyed hash under which a session is stored.
pub(crate) fn session_token_hash(keyring: &Keyring, session_token: &str) -> [u8; 32] {
    keyring.hash(KeyPurpose::Redirect, &[b"browser", session_token.as_bytes()])
}
