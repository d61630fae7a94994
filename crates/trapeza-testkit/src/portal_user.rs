//! A person who uses the developers' portal, with an authenticator app.

use crate::browser::{Browser, Page};
use crate::test_bank::TestBank;
use std::sync::Arc;
use trapeza_app::App;
use trapeza_app::login::totp;

/// A password that the portal accepts.
pub const PASSWORD: &str = "correct horse battery";

pub struct PortalUser {
    app: Arc<App>,
    pub browser: Browser,
    pub email: String,
    /// The secret of the authenticator app.
    secret: Vec<u8>,
    /// The last time step whose code was used.
    step: i64,
    pub recovery_codes: Vec<String>,
}

impl PortalUser {
    /// Signs up in an open portal, as the owner of a new organisation.
    pub async fn sign_up(bank: &TestBank, organisation: &str, email: &str) -> Self {
        let mut browser = bank.browser();
        let page = browser.get("/portal/sign-up").await;
        let fields =
            [("organisation", organisation), ("name", "Eleni"), ("email", email), ("password", PASSWORD)];
        let enrolment = browser.send(&page, &fields).await;
        Self::enrol(bank, browser, enrolment, email).await
    }

    /// Accepts an invitation.
    pub async fn accept(bank: &TestBank, link: &str, email: &str) -> Self {
        let mut browser = bank.browser();
        let page = browser.get(link).await;
        let token = page.attribute("name=\"invitation\" value=\"");
        let fields = [
            ("invitation", token.as_str()),
            ("organisation", "Invited"),
            ("name", "Jonas"),
            ("email", email),
            ("password", PASSWORD),
        ];
        let enrolment = browser.send(&page, &fields).await;
        Self::enrol(bank, browser, enrolment, email).await
    }

    /// Enters the first code on the page with the secret.
    pub async fn enrol(bank: &TestBank, browser: Browser, page: Page, email: &str) -> Self {
        let secret = base32_decode(page.text("<dt>Key</dt><dd><code>"));
        let mut user = Self {
            app: bank.app.clone(),
            browser,
            email: email.to_owned(),
            secret,
            step: 0,
            recovery_codes: Vec::new(),
        };
        let code = user.code();
        let done = user.browser.send(&page, &[("code", &code)]).await;
        assert_eq!((done.status, done.title().as_str()), (200, "Keep your recovery codes"), "{done:?}");
        let codes = done.html.split("<dd><code>").skip(1).filter_map(|rest| rest.split('<').next());
        user.recovery_codes = codes.map(str::to_owned).collect();
        user
    }

    /// A code that was not used: the portal accepts those of three time steps.
    pub fn code(&mut self) -> String {
        let current = totp::step(self.app.clock().system_now());
        self.step = (self.step + 1).max(current - 1);
        totp::code(&self.secret, self.step)
    }

    /// The code that was used last.
    pub fn used_code(&self) -> String {
        totp::code(&self.secret, self.step)
    }

    /// Submits the sign-in form in the user's browser.
    pub async fn sign_in(&mut self, password: &str, code: &str) -> Page {
        let page = self.browser.get("/portal/sign-in").await;
        let email = self.email.clone();
        let fields = [("email", email.as_str()), ("password", password), ("code", code)];
        self.browser.send_only(&page, &fields).await
    }

    /// The session token in the user's browser.
    pub fn session(&self) -> &str {
        &self.browser.cookies["trapeza-portal"]
    }

    /// Submits a form to a path with its right CSRF token, whether or not a page shows it.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let csrf = self.app.csrf_token(self.session(), path);
        let mut all = vec![("csrf", csrf.as_str())];
        all.extend(fields);
        self.browser.post(path, &all).await
    }

    /// Invites a person and returns the link.
    pub async fn invite(&mut self, email: &str, role: &str) -> String {
        let page = self.post("/portal/members/invite", &[("email", email), ("role", role)]).await;
        assert_eq!(page.status, 200, "{page:?}");
        page.text("<dt>Link, shown only now</dt><dd><code>").to_owned()
    }
}

/// The bytes of a secret in Base32.
pub fn base32_decode(text: &str) -> Vec<u8> {
    let (mut bytes, mut buffer, mut bits) = (Vec::new(), 0_u32, 0_u32);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'2'..=b'7' => letter - b'2' + 26,
            _ => panic!("{text} is not Base32"),
        };
        buffer = (buffer << 5 | u32::from(value)) & 0xfff;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xff).expect("eight bits"));
        }
    }
    bytes
}
