//! The console as a site: its session, its callers and what their roles allow, its look.

use crate::{account, identity_provider};
use std::sync::LazyLock;
use trapeza_app::login::{LoginSession, PasskeyResponse, RelyingParty, SignInOrder};
use trapeza_app::staff::{LocalSignIn, StaffCaller};
use trapeza_app::{App, UseCaseError};
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::staff::StaffAction;
use trapeza_http::session::SessionCookie;
use trapeza_web::site::login::LoginSite;
use trapeza_web::site::{Block, Form, Look, Page, Site, SiteRequest, Tab};

pub struct Console;

pub type ConsoleRequest = SiteRequest<Console>;

impl Site for Console {
    type Caller = StaffCaller;
    type Role = StaffAction;

    /// `Lax`: the browser returns from the site of the identity provider with the token of its sign-in. Forms have CSRF tokens, and no
    /// page changes anything but that return, which is bound to the token.
    const COOKIE: SessionCookie = SessionCookie {
        name: "trapeza-console",
        name_secure: "__Host-trapeza-console",
        path: "/console",
        attributes: "SameSite=Lax",
    };
    const SIGN_IN: &'static str = "/console/sign-in";
    const SIGN_OUT: &'static str = "/console/sign-out";

    fn look() -> &'static Look {
        static LOOK: LazyLock<Look> = LazyLock::new(|| {
            Look::new("portal console", "Console", "for staff", include_str!("console.css"))
        });
        &LOOK
    }

    async fn find_caller(app: &App, token: &str) -> Result<Option<StaffCaller>, UseCaseError> {
        app.staff_session(token).await
    }

    fn require(caller: &StaffCaller, role: StaffAction) -> Result<(), Refusal> {
        caller.require(role)
    }

    fn caller_line(caller: &StaffCaller) -> String {
        format!("{}, {}", caller.staff.name, caller.staff.role.name())
    }

    fn tabs(_: &StaffCaller) -> Vec<Tab> {
        vec![
            ("/console", "Overview"),
            ("/console/search", "Search"),
            ("/console/actions", "Actions"),
            ("/console/requests", "Requests"),
            ("/console/ledger", "Ledger"),
            ("/console/health", "Health"),
            ("/console/staff", "Staff"),
            ("/console/account", "Account"),
        ]
    }
}

impl LoginSite for Console {
    const KIND: LoginKind = LoginKind::Staff;
    const HOME: &'static str = "/console";
    const ACCOUNT: &'static str = "/console/account";

    fn login(caller: &StaffCaller) -> LoginSession {
        caller.login()
    }

    fn email(caller: &StaffCaller) -> &str {
        caller.staff.email.as_str()
    }

    async fn sign_in(app: &App, order: SignInOrder, token: &str, browser: &str) -> Result<(), UseCaseError> {
        app.staff_sign_in(order, token, browser).await.map(drop)
    }

    async fn passkey_sign_in(
        app: &App,
        scope: (&str, &RelyingParty),
        response: &PasskeyResponse,
        token: &str,
        browser: &str,
    ) -> Result<(), UseCaseError> {
        app.staff_passkey_sign_in(scope, response, token, browser).await.map(drop)
    }

    fn blocks_before_sign_in(app: &App) -> Vec<Block> {
        let Some(provider) = app.identity_provider() else { return Vec::new() };
        let button = Block::button(identity_provider::PATH, &format!("Sign in with {}", provider.name()));
        let heading = match app.local_sign_in() {
            LocalSignIn::Everyone => "With a password",
            LocalSignIn::Administrators => "Administrators only: with a password",
        };
        vec![button, Block::heading(heading)]
    }

    fn sign_in_blocks(_: &App) -> Vec<Block> {
        vec![Block::text("An administrator of the bank creates logins. Everything you do here is recorded.")]
    }

    async fn account_page(request: &ConsoleRequest, form: Option<Form>) -> Result<Page, UseCaseError> {
        account::page(request, form).await
    }
}
