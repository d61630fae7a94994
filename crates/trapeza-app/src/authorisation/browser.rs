//! Marks of browsers and of forms. A browser's mark is random and kept as a keyed hash; a form's mark follows from the
//! browser's and the page's, so that nobody else's form is taken for ours. Cookies are the edge's.

use crate::keyring::Purpose;
use crate::{App, Entropy, Keyring};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

/// How long a mark is, in characters: 32 bytes.
const MARK_LENGTH: usize = 43;

impl App {
    /// A mark for a browser that has none.
    pub fn browser_mark_new(&self) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(Entropy::machine().bytes::<32>())
    }

    /// What a form on this page, in this browser, has to bring back.
    pub fn form_mark(&self, browser: &str, page: &str) -> String {
        let parts: [&[u8]; 3] = [b"form", browser.as_bytes(), page.as_bytes()];
        BASE64_URL_SAFE_NO_PAD.encode(self.keyring.hash(Purpose::PageLink, &parts))
    }

    pub fn form_mark_fits(&self, browser: &str, page: &str, brought: &str) -> bool {
        self.form_mark(browser, page).as_bytes().ct_eq(brought.as_bytes()).into()
    }
}

/// Whether a text can be a mark of ours at all.
pub fn is_mark(text: &str) -> bool {
    text.len() == MARK_LENGTH
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// What is kept of a mark.
pub(crate) fn mark_hash(keyring: &Keyring, browser: &str) -> [u8; 32] {
    keyring.hash(Purpose::PageLink, &[b"browser", browser.as_bytes()])
}
