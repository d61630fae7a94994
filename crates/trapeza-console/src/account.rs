//! The caller's own account: role, sessions, passkeys; and how people sign in.

use crate::console_request::{Console, ConsoleRequest};
use crate::identity_provider;
use trapeza_app::login::{LoginSession, PasskeyResponse, RelyingParty, SignInRequest};
use trapeza_app::staff::{LocalSignIn, StaffCaller};
use trapeza_app::{App, UseCaseError};
use trapeza_domain::login::LoginKind;
use trapeza_web::site::login::{LoginSite, account_blocks};
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Form, Page};

pub async fn show(request: &ConsoleRequest) -> PageResult {
    Ok(page(request, None).await?.ok(request))
}

/// The page, with the form of a passkey that has errors instead of a new one.
pub async fn page(request: &ConsoleRequest, form: Option<Form>) -> Result<Page, UseCaseError> {
    let staff = &request.signed_in()?.staff;
    let facts = [
        ("Name", staff.name.clone()),
        ("E-mail address", staff.email.as_str().to_owned()),
        ("Role", staff.role.name().to_owned()),
    ];
    let tokens = Block::links([("/console/account/tokens", "Tokens of the admin API")]);
    Ok(Page::new("Account")
        .with(Block::facts(facts))
        .with(tokens)
        .with_all(account_blocks(request, form).await?))
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

    async fn sign_in(
        app: &App,
        order: SignInRequest,
        token: &str,
        browser: &str,
    ) -> Result<(), UseCaseError> {
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
        page(request, form).await
    }
}
