//! Marks of browsers and of forms. A browser's mark is random and kept as a keyed hash; a form's mark follows from the
//! browser's and the page's, so that nobody else's form is taken for ours. Cookies are the edge's.

use crate::keyring::KeyPurpose;
use crate::{App, Entropy, Keyring};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

/// How long a mark is, in characters: 32 bytes.
const MARK_LENGTH: usize = 43;

impl App {
    /// A mark for a browser that has none.
    pub fn session_token_new(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Entropy::os().bytes::<32>())
    }

    /// What a form on this page, in this browser, has to bring back.
    pub fn csrf_token(&self, browser: &str, page: &str) -> String {
        let parts: [&[u8]; 3] = [b"form", browser.as_bytes(), page.as_bytes()];
        BASE64_URL_SAFE_NO_PAD.encode(self.keyring.hash(KeyPurpose::Redirect, &parts))
    }

    pub fn csrf_token_verify(&self, browser: &str, page: &str, brought: &str) -> bool {
        self.csrf_token(browser, page).as_bytes().ct_eq(brought.as_bytes()).into()
    }
}

/// Whether a text can be a mark of ours at all.
pub fn is_session_token(text: &str) -> bool {
    text.len() == MARK_LENGTH
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// What is kept of a mark.
pub(crate) fn session_token_hash(keyring: &Keyring, browser: &str) -> [u8; 32] {
    keyring.hash(KeyPurpose::Redirect, &[b"browser", browser.as_bytes()])
}
