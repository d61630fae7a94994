//! The console as a site: its session, its callers and what their roles allow, its style.

use std::sync::LazyLock;
use trapeza_app::staff::StaffCaller;
use trapeza_app::{App, UseCaseError};
use trapeza_domain::refusal::Refusal;
use trapeza_domain::staff::StaffAction;
use trapeza_http::session::SessionCookie;
use trapeza_web::site::{Site, SiteRequest, SiteStyle, Tab};

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

    fn site_style() -> &'static SiteStyle {
        static SITE_STYLE: LazyLock<SiteStyle> = LazyLock::new(|| {
            SiteStyle::new("portal console", "Console", "for staff", include_str!("console.css"))
        });
        &SITE_STYLE
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
