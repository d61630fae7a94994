//! The portal as a site: its session, its members and their roles, its look.

use crate::account;
use std::sync::LazyLock;
use trapeza_app::login::{LoginSession, PasskeyResponse, RelyingParty, SignInOrder};
use trapeza_app::organisation::PortalMember;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::login::LoginKind;
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::refusal::Refusal;
use trapeza_http::session::SessionCookie;
use trapeza_web::site::login::LoginSite;
use trapeza_web::site::{Block, Form, Look, Page, Site, SiteRequest, Tab};

pub struct Portal;

pub type PortalRequest = SiteRequest<Portal>;

impl Site for Portal {
    type Caller = PortalMember;
    type Role = MemberRole;

    /// `Lax`, so that a member who follows a link from an e-mail is still signed in.
    const COOKIE: SessionCookie = SessionCookie {
        name: "trapeza-portal",
        name_secure: "__Host-trapeza-portal",
        path: "/portal",
        attributes: "SameSite=Lax",
    };
    const SIGN_IN: &'static str = "/portal/sign-in";
    const SIGN_OUT: &'static str = "/portal/sign-out";

    fn look() -> &'static Look {
        static LOOK: LazyLock<Look> = LazyLock::new(|| Look::new("portal", "Portal", "for developers", ""));
        &LOOK
    }

    async fn find_caller(app: &App, token: &str) -> Result<Option<PortalMember>, UseCaseError> {
        app.portal_session(token).await
    }

    fn require(caller: &PortalMember, role: MemberRole) -> Result<(), Refusal> {
        caller.require(role)
    }

    fn caller_line(caller: &PortalMember) -> String {
        format!("{}, {}", caller.member.name, caller.organisation.name)
    }

    fn tabs(_: &PortalMember) -> Vec<Tab> {
        vec![
            ("/portal", "Overview"),
            ("/portal/applications", "Applications"),
            ("/portal/members", "Members"),
            ("/portal/account", "Account"),
            ("/docs", "Reference"),
        ]
    }
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

    async fn sign_in(app: &App, order: SignInOrder, token: &str, browser: &str) -> Result<(), UseCaseError> {
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
        account::page(request, form).await
    }
}
