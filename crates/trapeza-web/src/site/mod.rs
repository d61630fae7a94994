//! Pages made of blocks, for developers and staff: the portal and the pages of the sandbox. They are in English and work without
//! scripts, except passkeys, which browsers offer to scripts only.
//!
//! [`Page`] and [`Form`] are what a page consists of; two templates render all of them, so that all look alike and escape
//! everything. A [`Site`] is a family of pages that people sign in to: [`route`] has its table of routes, [`SiteRequest`] checks
//! session, role and CSRF token before a page runs.

mod form;
mod graph;
pub mod login;
mod page;
pub mod route;
mod serve;
mod site_request;

pub use form::{Form, Input, PasskeyRequest, is_confirmed, require_confirmation};
pub use graph::Graph;
pub use page::{Block, Cell, Head, Page, SiteStyle, Tab, Table, attachment};
pub use serve::router;
pub use site_request::{SiteRequest, is_form_error};

use trapeza_app::{App, UseCaseError, format_timestamp};
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::Timestamp;
use trapeza_http::session::SessionCookie;

/// A time as people read it, to the second: 2026-11-17 09:30:05 UTC.
pub fn format_time(time: Timestamp) -> String {
    readable_time(&format_timestamp(time))
}

/// The same of a timestamp of the API.
pub fn readable_time(timestamp: &str) -> String {
    let Some((day, time)) = timestamp.split_once('T') else { return timestamp.to_owned() };
    let seconds = time.split(['.', 'Z', '+']).next().unwrap_or_default();
    format!("{day} {seconds} UTC")
}

/// A family of pages that people sign in to.
pub trait Site: Sized + 'static {
    /// Who is signed in.
    type Caller: Send + Sync;
    /// What a route may require of them.
    type Role: Copy + Send + Sync;

    const COOKIE: SessionCookie;
    /// The page to which a browser without a session is redirected.
    const SIGN_IN: &'static str;
    /// The form that ends the session.
    const SIGN_OUT: &'static str;

    fn site_style() -> &'static SiteStyle;

    /// The caller of a session token, if the session exists.
    fn find_caller(
        app: &App,
        token: &str,
    ) -> impl Future<Output = Result<Option<Self::Caller>, UseCaseError>> + Send;

    fn require(caller: &Self::Caller, role: Self::Role) -> Result<(), Refusal>;

    /// The caller as the top of every page names them.
    fn caller_line(caller: &Self::Caller) -> String;

    /// The pages that the caller sees at the top.
    fn tabs(caller: &Self::Caller) -> Vec<Tab>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_readable_to_the_second() {
        assert_eq!(format_time(Timestamp(1_111_111_109_866_362)), "2005-03-18 01:58:29 UTC");
        assert_eq!(readable_time("2026-11-17T09:30:05Z"), "2026-11-17 09:30:05 UTC");
        assert_eq!(readable_time("unknown"), "unknown");
    }
}
