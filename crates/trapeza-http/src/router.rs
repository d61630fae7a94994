//! Finds the operation of a request by path and method.
//!
//! Handlers are called in place: axum's router would clone and box one for every request.

use crate::AppState;
use crate::operation::Operation;
use crate::server::Peer;
use axum::extract::Request;
use axum::http::{HeaderValue, Method};
use axum::response::Response;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use trapeza_domain::id::ApplicationId;
use uuid::Uuid;

/// A request with its connection and its correlation id.
pub struct IncomingRequest {
    pub request: Request,
    pub peer: Peer,
    pub correlation: Uuid,
}

/// The handler of an operation; [`crate::extract::handler`] builds it.
pub type OperationHandler =
    Box<dyn Fn(Arc<AppState>, &'static Operation, IncomingRequest) -> ResponseFuture + Send + Sync>;
pub type ResponseFuture = Pin<Box<dyn Future<Output = HandledRequest> + Send>>;

/// The response to a request, and the application that the caller has authenticated as, for the log.
pub struct HandledRequest {
    pub response: Response,
    pub application: Option<ApplicationId>,
}

impl From<Response> for HandledRequest {
    fn from(response: Response) -> Self {
        Self { response, application: None }
    }
}

/// An operation and its handler.
pub type Route = (&'static Operation, OperationHandler);

/// All operations, by path.
pub struct OperationRouter(matchit::Router<PathRoutes>);

/// The operations of one path.
struct PathRoutes {
    path: &'static str,
    routes: Vec<Route>,
    allow: HeaderValue,
    /// The position of the segment that names a payment service.
    payment_service: Option<usize>,
}

pub enum RouteMatch<'a> {
    Operation(&'a Route),
    /// The path exists, but not with this method.
    OtherMethods {
        path: &'static str,
        /// The methods that exist.
        allow: &'a HeaderValue,
    },
    Nothing,
}

impl OperationRouter {
    pub fn new(routes: Vec<Route>) -> Self {
        let mut paths: Vec<PathRoutes> = Vec::new();
        for route in routes {
            let path = route.0.path;
            match paths.iter_mut().find(|other| other.path == path) {
                Some(other) => other.routes.push(route),
                None => paths.push(PathRoutes {
                    path,
                    routes: vec![route],
                    allow: HeaderValue::from_static(""),
                    payment_service: path.split('/').position(|segment| segment == "{payment-service}"),
                }),
            }
        }
        let mut router = matchit::Router::new();
        for mut path in paths {
            path.allow = allow(&path.routes);
            router.insert(path.path, path).expect("paths of operations do not overlap");
        }
        Self(router)
    }

    /// Finds the operation of a request. HEAD matches the operation of GET.
    pub fn find(&self, method: &Method, path: &str) -> RouteMatch<'_> {
        let Ok(found) = self.0.at(path) else { return RouteMatch::Nothing };
        if !found.value.may_be_payment_service(path) {
            return RouteMatch::Nothing;
        }
        let path = found.value;
        let method = if method == Method::HEAD { &Method::GET } else { method };
        match path.routes.iter().find(|(operation, _)| operation.method == *method) {
            Some(route) => RouteMatch::Operation(route),
            None => RouteMatch::OtherMethods { path: path.path, allow: &path.allow },
        }
    }
}

impl PathRoutes {
    /// Whether the segment of a path that names a payment service can do so. The names of other resources cannot: unknown paths below
    /// them are 404.
    fn may_be_payment_service(&self, path: &str) -> bool {
        const OTHERS: [&str; 5] = ["accounts", "card-accounts", "cards", "consents", "funds-confirmations"];
        let segment = self.payment_service.and_then(|position| path.split('/').nth(position));
        segment.is_none_or(|segment| !OTHERS.contains(&segment))
    }
}

impl RouteMatch<'_> {
    /// The path template, under which responses are counted.
    pub fn template(&self) -> Option<&'static str> {
        match self {
            Self::Operation((operation, _)) => Some(operation.path),
            Self::OtherMethods { path, .. } => Some(path),
            Self::Nothing => None,
        }
    }
}

/// The methods of a path, for the header `Allow`.
fn allow(routes: &[Route]) -> HeaderValue {
    let methods = routes.iter().map(|(operation, _)| match operation.method {
        Method::GET => "GET,HEAD",
        ref other => other.as_str(),
    });
    let methods = methods.collect::<Vec<_>>().join(",");
    HeaderValue::from_str(&methods).expect("method names are ASCII")
}
