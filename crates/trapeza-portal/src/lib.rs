//! The developers' portal: pages under `/portal` on which third parties and merchants manage their organisation and applications.
//! The pages are in English and work without scripts, except passkeys, which browsers offer to scripts only.
//!
//! [`route`] lists every route with the role that it requires; `portal_request` says who the members are to [`trapeza_web::site`],
//! which checks session, role and CSRF token before a page runs, and has what a page consists of. An object of another organisation
//! does not exist: the use cases take the member and find its organisation's objects only.

mod account;
mod application;
mod home;
mod member;
mod portal_request;
pub mod route;
mod sign_up;

use axum::Router;
use std::sync::Arc;
use trapeza_http::AppState;
use trapeza_web::site;

pub fn routes() -> Router<Arc<AppState>> {
    site::router(route::ROUTES)
}
