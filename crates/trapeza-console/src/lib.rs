//! The console of the bank's staff: pages under `/console` for support, operations, risk, audit and administrators. The pages are in
//! English and work without scripts, except passkeys.
//!
//! [`route`] lists every route with the action that it requires; `console_request` says who the callers are to
//! [`trapeza_web::site`], which checks session, role and CSRF token before a page runs. What changes something is an action of
//! `trapeza_app::staff`, for which [`action`] has one form.

mod account;
mod action;
mod action_input;
pub mod api;
mod console_request;
mod enrolment;
mod health;
mod home;
mod identity_provider;
mod ledger;
mod object;
mod request;
pub mod route;
mod search;
mod staff;
mod token;
mod work_list;

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use std::sync::Arc;
use trapeza_http::AppState;
use trapeza_web::layout::redirect;
use trapeza_web::site;

pub fn routes() -> Router<Arc<AppState>> {
    site::router(route::ROUTES).merge(api::routes())
}

/// The same for a listener of the console's own, whose first page it is.
pub fn routes_of_own_listener() -> Router<Arc<AppState>> {
    let first = || async { Response::from(redirect("/console")) };
    routes().route("/", get(first))
}
