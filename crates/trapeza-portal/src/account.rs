//! The member's own account: role, recovery codes, sessions, passkeys; and how people sign in.

use crate::portal_request::{Portal, PortalRequest};
use trapeza_app::login::{LoginSession, PasskeyResponse, RelyingParty, SignInRequest};
use trapeza_app::organisation::PortalMember;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::login::LoginKind;
use trapeza_web::site::login::{LoginSite, account_blocks};
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Form, Page};

pub async fn show(request: &PortalRequest) -> PageResult {
    Ok(page(request, None).await?.ok(request))
}

/// The page, with the form of a passkey that has errors instead of a new one.
pub async fn page(request: &PortalRequest, form: Option<Form>) -> Result<Page, UseCaseError> {
    let caller = request.signed_in()?;
    let view = request.app().organisation_view(caller).await?;
    let facts = [
        ("Name", caller.member.name.clone()),
        ("E-mail address", caller.member.email.as_str().to_owned()),
        ("Role", caller.member.role.name().to_owned()),
        ("Recovery codes left", view.recovery_codes.to_string()),
    ];
    Ok(Page::new("Account").with(Block::facts(facts)).with_all(account_blocks(request, form).await?))
}

impl LoginSite for Portal {
    const KIND: LoginKind = LoginKind::Member;
    const HOME: &'static str = "/portal";
    const ACCOUNT: &'static str = "/portal/account";

    fn login(caller: &PortalMember) -> LoginSession {
        caller.login()
    }

    fn email(caller: &PortalMember) -> &str {
        caller.member.email.as_str()
    }

    async fn sign_in(
        app: &App,
        order: SignInRequest,
        token: &str,
        browser: &str,
    ) -> Result<(), UseCaseError> {
        app.portal_sign_in(order, token, browser).await.map(drop)
    }

    async fn passkey_sign_in(
        app: &App,
        scope: (&str, &RelyingParty),
        response: &PasskeyResponse,
        token: &str,
        browser: &str,
    ) -> Result<(), UseCaseError> {
        app.portal_passkey_sign_in(scope, response, token, browser).await.map(drop)
    }

    fn sign_in_blocks(app: &App) -> Vec<Block> {
        let sign_up = || Block::links([("/portal/sign-up", "Sign up instead")]);
        app.portal_is_open().then(sign_up).into_iter().collect()
    }

    async fn account_page(request: &PortalRequest, form: Option<Form>) -> Result<Page, UseCaseError> {
        page(request, form).await
    }
}
