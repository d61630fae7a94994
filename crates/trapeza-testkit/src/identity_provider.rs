//! An identity provider of its own for one test: the npm package oidc-provider, run by node (`tests/identity-provider.mjs`).

use crate::browser::{Browser, Page};
use crate::chromium::workspace;
use crate::test_bank::TestBank;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use trapeza_app::staff::{IdentityProvider, LocalSignIn};
use trapeza_courier::{OpenIdProvider, Roots};
use trapeza_domain::secret::Secret;

const START: &str = "/console/sign-in/identity-provider";
const CALLBACK: &str = "/console/sign-in/identity-provider/callback";

pub struct TestIdentityProvider {
    pub issuer: String,
    process: Child,
    client: reqwest::Client,
}

impl TestIdentityProvider {
    pub fn start() -> Self {
        let directory = workspace().join("target/identity-provider");
        let package = directory.join("node_modules/oidc-provider");
        assert!(
            package.exists(),
            "{} does not exist. `cargo xtask identity-provider` installs it",
            package.display()
        );
        let mut process = Command::new("node")
            .arg(workspace().join("tests/identity-provider.mjs"))
            .arg(directory)
            // It ends when its input is closed, also when the test is killed.
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("node runs");
        let mut issuer = String::new();
        let output = process.stdout.take().expect("the output is piped");
        BufReader::new(output).read_line(&mut issuer).expect("the provider prints its issuer");
        Self { issuer: issuer.trim().to_owned(), process, client: reqwest::Client::new() }
    }

    /// The provider as the option of a test bank, for an issuer that may be written otherwise.
    pub fn option(issuer: &str, local_sign_in: LocalSignIn) -> (Arc<dyn IdentityProvider>, LocalSignIn) {
        let client = ("console", Secret::new("a secret: +/%&=".to_owned()));
        let provider = OpenIdProvider::parse(issuer, "Bank ID", client, Roots::default());
        (Arc::new(provider.expect("the issuer is valid")), local_sign_in)
    }

    /// Registers the console of a bank as the client, with new keys. `claims` is where the e-mail address is: "user_info" or
    /// "id_token".
    pub async fn register(&self, bank: &TestBank, algorithm: &str, claims: &str) {
        let redirect_uri = format!("{}{CALLBACK}", bank.base_url);
        let client = json!({ "redirect_uri": redirect_uri, "algorithm": algorithm, "claims": claims });
        self.control("client", &client).await;
    }

    /// Says who signs in from now on.
    pub async fn person(&self, subject: &str, email: &str) {
        self.control("person", &json!({ "sub": subject, "email": email, "email_verified": true })).await;
    }

    /// Sends a message to the program of the test: a person, or one who refuses.
    pub async fn control(&self, what: &str, message: &Value) {
        let sent = self.client.post(format!("{}/test/{what}", self.issuer)).json(message).send().await;
        assert!(sent.expect("the provider answers").status().is_success());
    }

    /// Signs in at the provider; returns the address at the bank to which the browser is sent back.
    pub async fn visit(&self, browser: &mut Browser) -> String {
        let mut page = browser.get(START).await;
        for _ in 0..5 {
            let place = page.headers.get("location").unwrap_or_else(|| panic!("no redirect: {page:?}"));
            if place.contains(CALLBACK) && !place.starts_with(&self.issuer) {
                return place.clone();
            }
            let place =
                if place.starts_with('/') { format!("{}{place}", self.issuer) } else { place.clone() };
            page = browser.get(&place).await;
        }
        panic!("the provider does not return: {page:?}")
    }

    /// Signs in to the console; returns the direct response of the bank.
    pub async fn sign_in(&self, browser: &mut Browser) -> Page {
        let back = self.visit(browser).await;
        browser.get(&back).await
    }

    pub fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for TestIdentityProvider {
    fn drop(&mut self) {
        self.stop();
    }
}
