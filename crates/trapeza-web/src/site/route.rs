//! Tables of routes, each with the role that it requires. A table is a constant, so that a test can go through all of it.

use super::Site;
use super::site_request::SiteRequest;
use axum::response::Response;
use std::pin::Pin;
use trapeza_app::UseCaseError;

/// The method of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    /// A form, which must have the CSRF token of its session and path.
    Post,
}

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access<R> {
    Everyone,
    Role(R),
}

pub type PageResult = Result<Response, UseCaseError>;
pub type PageFuture<'a> = Pin<Box<dyn Future<Output = PageResult> + Send + 'a>>;

pub struct Route<S: Site> {
    pub method: Method,
    pub path: &'static str,
    pub access: Access<S::Role>,
    pub handler: for<'a> fn(&'a SiteRequest<S>) -> PageFuture<'a>,
}

/// A table of routes: method, path, access, and the function that handles it.
#[macro_export]
macro_rules! site_routes {
    ($($method:ident $path:literal $access:ident => $handler:path;)*) => {
        &[$($crate::site::route::Route {
            method: $crate::site::route::Method::$method,
            path: $path,
            access: $access,
            handler: |request| Box::pin($handler(request)),
        },)*]
    };
}
