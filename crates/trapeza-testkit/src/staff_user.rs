//! A member of the bank's staff, with an authenticator app.

use crate::browser::{Browser, Page};
use crate::portal_user::{PASSWORD, base32_decode};
use crate::test_bank::TestBank;
use std::sync::Arc;
use trapeza_app::login::{SignInRequest, totp};
use trapeza_app::staff::{ActionParameters, ActionResult, StaffCaller};
use trapeza_app::{App, UseCaseError};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::{StaffId, StaffRequestId};
use trapeza_domain::secret::Secret;
use trapeza_domain::staff::{StaffAction, StaffRole};

pub struct StaffUser {
    app: Arc<App>,
    pub id: StaffId,
    pub email: String,
    secret: Vec<u8>,
    /// The last time step whose code was used.
    step: i64,
    pub recovery_codes: Vec<String>,
    /// The code with which an administrator confirms the login.
    pub confirmation: Option<String>,
}

impl StaffUser {
    /// Creates a person by command, and enrols with a password and an authenticator app.
    pub async fn enrol(bank: &TestBank, role: StaffRole, email: &str) -> Self {
        let token = Self::invite(bank, role, email).await;
        Self::accept(bank, &token).await
    }

    /// Creates a person by command and returns the token of the enrolment link.
    pub async fn invite(bank: &TestBank, role: StaffRole, email: &str) -> String {
        let parameters = ActionParameters::new([("email", email), ("name", "Staff"), ("role", role.name())]);
        let actor = Actor::Operator(Some(0));
        let created = bank.app.staff_action_run(actor, StaffAction::StaffCreate, &parameters, "").await;
        let ActionResult::Done(outcome) = created.expect("an operator creates staff") else {
            panic!("an operator needs no second person")
        };
        outcome.enrolment.expect("a new person has a link").expose().clone()
    }

    /// Enrols with a link.
    pub async fn accept(bank: &TestBank, token: &str) -> Self {
        let enrolment = bank.app.staff_enrolment(token).await.expect("the link can be read");
        let enrolment = enrolment.expect("the link is valid");
        let mut user = Self {
            app: bank.app.clone(),
            id: enrolment.staff.id,
            email: enrolment.staff.email.as_str().to_owned(),
            secret: base32_decode(enrolment.secret.expose()),
            step: 0,
            recovery_codes: Vec::new(),
            confirmation: None,
        };
        let code = user.code();
        let codes = bank.app.staff_enrol(token, password(), &enrolment.sealed, &code).await;
        let enrolled = codes.expect("the code is right");
        user.confirmation = enrolled.confirmation;
        user.recovery_codes = enrolled.codes.0.iter().map(|code| code.expose().clone()).collect();
        user
    }

    /// Confirms the enrolment for an administrator or an operator.
    pub async fn confirm(&self, actor: Actor) -> Result<ActionResult, UseCaseError> {
        let id = self.id.to_string();
        let code = self.confirmation.as_deref().expect("the login must be confirmed");
        let parameters = ActionParameters::new([("staff", id.as_str()), ("code", code)]);
        self.app.staff_action_run(actor, StaffAction::StaffConfirm, &parameters, "").await
    }

    /// A code that was not used: those of three time steps are accepted.
    pub fn code(&mut self) -> String {
        let current = totp::step(self.app.clock().system_now());
        self.step = (self.step + 1).max(current - 1);
        totp::code(&self.secret, self.step)
    }

    pub async fn sign_in(&self, code: &str, token: &str) -> Result<StaffCaller, UseCaseError> {
        let order = SignInRequest { email: self.email.clone(), password: password(), code: code.to_owned() };
        self.app.staff_sign_in(order, token, "Firefox").await
    }

    /// Runs or requests an action.
    pub async fn run(
        &self,
        action: StaffAction,
        parameters: &[(&str, &str)],
    ) -> Result<ActionResult, UseCaseError> {
        let parameters = ActionParameters::new(parameters.iter().copied());
        self.app.staff_action_run(Actor::Staff(self.id), action, &parameters, "as agreed").await
    }

    /// Requests an action that needs a second person.
    pub async fn request(&self, action: StaffAction, parameters: &[(&str, &str)]) -> StaffRequestId {
        match self.run(action, parameters).await.expect("the action can be requested") {
            ActionResult::Requested(request) => request.id,
            ActionResult::Done(outcome) => panic!("executed without a second person: {outcome:?}"),
        }
    }
}

/// A member of the staff who is signed in to the console.
pub struct ConsoleUser {
    pub staff: StaffUser,
    pub browser: Browser,
}

impl ConsoleUser {
    /// Creates a person by command, who enrols and signs in.
    pub async fn enrol(bank: &TestBank, role: StaffRole, email: &str) -> Self {
        let mut staff = StaffUser::enrol(bank, role, email).await;
        let (mut browser, code) = (bank.browser(), staff.code());
        let page = browser.get("/console/sign-in").await;
        let fields = [("email", email), ("password", PASSWORD), ("code", code.as_str())];
        let signed_in = browser.send_only(&page, &fields).await;
        assert_eq!(
            (signed_in.status, signed_in.headers["location"].as_str()),
            (303, "/console"),
            "{signed_in:?}"
        );
        Self { staff, browser }
    }

    /// The session token in the person's browser.
    pub fn session(&self) -> &str {
        &self.browser.cookies["trapeza-console"]
    }

    /// Submits a form to a path with its right CSRF token, whether or not a page shows it.
    pub async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        let csrf = self.staff.app.csrf_token(self.session(), path);
        let mut all = vec![("csrf", csrf.as_str())];
        all.extend(fields);
        self.browser.post(path, &all).await
    }

    /// Opens the form of an action, fills it in and sends it; returns the direct response.
    pub async fn act(&mut self, action: StaffAction, fields: &[(&str, &str)]) -> Page {
        let path = format!("/console/actions/{}", action.name());
        let page = self.browser.get(&path).await;
        let key = page.attribute("name=\"key\" value=\"");
        let mut all = vec![("key", key.as_str()), ("reason", "as agreed")];
        all.extend(fields);
        self.post(&path, &all).await
    }
}

pub fn password() -> Secret<String> {
    Secret::new(PASSWORD.to_owned())
}
