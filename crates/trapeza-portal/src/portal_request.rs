//! The portal as a site: its session, its members and their roles, its style.

use std::sync::LazyLock;
use trapeza_app::organisation::PortalMember;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::organisation::MemberRole;
use trapeza_domain::refusal::Refusal;
use trapeza_http::session::SessionCookie;
use trapeza_web::site::{Site, SiteRequest, SiteStyle, Tab};

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

    fn site_style() -> &'static SiteStyle {
        static SITE_STYLE: LazyLock<SiteStyle> =
            LazyLock::new(|| SiteStyle::new("portal", "Portal", "for developers", ""));
        &SITE_STYLE
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
