//! The routes of the portal, each with the role that it requires.

use crate::application::{object, price, request_log, settlement, usage};
use crate::portal_request::{PortalRequest, serve};
use crate::{account, application, home, member, passkey, sign_in, sign_up};
use axum::Router;
use axum::extract::{RawPathParams, Request, State};
use axum::response::Response;
use axum::routing::{MethodFilter, on};
use std::pin::Pin;
use std::sync::Arc;
use trapeza_app::UseCaseError;
use trapeza_domain::organisation::MemberRole;
use trapeza_http::AppState;

/// The method of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    /// A form, which must have the CSRF token of its session and path.
    Post,
}

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Everyone,
    Member(MemberRole),
}

pub type PageResult = Result<Response, UseCaseError>;
type PageFuture<'a> = Pin<Box<dyn Future<Output = PageResult> + Send + 'a>>;

pub struct Route {
    pub method: Method,
    pub path: &'static str,
    pub access: Access,
    pub(crate) handler: for<'a> fn(&'a PortalRequest) -> PageFuture<'a>,
}

macro_rules! routes {
    ($($method:ident $path:literal $access:ident => $handler:path;)*) => {
        &[$(Route {
            method: Method::$method,
            path: $path,
            access: access::$access,
            handler: |request| Box::pin($handler(request)),
        },)*]
    };
}

mod access {
    use super::Access;
    use trapeza_domain::organisation::MemberRole;

    pub const EVERYONE: Access = Access::Everyone;
    pub const DEVELOPER: Access = Access::Member(MemberRole::Developer);
    pub const OWNER: Access = Access::Member(MemberRole::Owner);
    pub const VIEWER: Access = Access::Member(MemberRole::Viewer);
}

pub const ROUTES: &[Route] = routes! {
    Get "/portal" EVERYONE => home::home;
    Get "/portal/sign-up" EVERYONE => sign_up::show;
    Post "/portal/sign-up" EVERYONE => sign_up::submit;
    Get "/portal/enrol" EVERYONE => sign_up::enrolment_show;
    Post "/portal/enrol" EVERYONE => sign_up::enrolment_submit;
    Get "/portal/sign-in" EVERYONE => sign_in::show;
    Post "/portal/sign-in" EVERYONE => sign_in::submit;
    Post "/portal/sign-in/passkey" EVERYONE => passkey::sign_in;
    Post "/portal/sign-out" VIEWER => sign_in::sign_out;
    Get "/portal/account" VIEWER => account::show;
    Post "/portal/account/sessions/{session}/end" VIEWER => account::session_end;
    Post "/portal/account/passkeys/create" VIEWER => passkey::create;
    Post "/portal/account/passkeys/{passkey}/remove" VIEWER => passkey::remove;
    Get "/portal/applications" VIEWER => application::list;
    Post "/portal/applications/third-party" DEVELOPER => application::third_party_create;
    Post "/portal/applications/merchant" DEVELOPER => application::merchant_create;
    Get "/portal/applications/{application}" VIEWER => application::show;
    Post "/portal/applications/{application}/keys/create" DEVELOPER => application::key_create;
    Post "/portal/applications/{application}/keys/{key}/retire" DEVELOPER => application::key_retire;
    Post "/portal/applications/{application}/redirects" DEVELOPER => application::redirects;
    Post "/portal/applications/{application}/addresses" DEVELOPER => application::merchant_addresses;
    Post "/portal/applications/{application}/webhook-secret/create" DEVELOPER => application::secret_create;
    Post "/portal/applications/{application}/webhook-secret/retire" DEVELOPER => application::secret_retire;
    Post "/portal/applications/{application}/certificates/issue" DEVELOPER => application::certificate_issue;
    Post "/portal/applications/{application}/certificates/download" DEVELOPER => application::certificate_download;
    Post "/portal/applications/{application}/certificates/register" DEVELOPER => application::certificate_register;
    Get "/portal/applications/{application}/webhooks" VIEWER => application::webhook_list;
    Post "/portal/applications/{application}/webhooks/test" DEVELOPER => application::webhook_test_event;
    Get "/portal/applications/{application}/webhooks/{callback}" VIEWER => application::webhook_show;
    Post "/portal/applications/{application}/webhooks/{callback}/resend" DEVELOPER => application::webhook_resend;
    Get "/portal/applications/{application}/price" VIEWER => price::show;
    Get "/portal/applications/{application}/settlement" VIEWER => settlement::show;
    Get "/portal/applications/{application}/settlement.csv" VIEWER => settlement::file;
    Get "/portal/applications/{application}/usage" VIEWER => usage::show;
    Get "/portal/applications/{application}/requests" VIEWER => request_log::list;
    Get "/portal/applications/{application}/requests/{request}" VIEWER => request_log::show;
    Get "/portal/applications/{application}/consents" VIEWER => object::consents;
    Get "/portal/applications/{application}/consents/{consent}" VIEWER => object::consent;
    Get "/portal/applications/{application}/payments" VIEWER => object::payments;
    Get "/portal/applications/{application}/payments/{payment}" VIEWER => object::payment;
    Get "/portal/applications/{application}/baskets" VIEWER => object::baskets;
    Get "/portal/applications/{application}/baskets/{basket}" VIEWER => object::basket;
    Post "/portal/applications/{application}/baskets/{basket}/refund" DEVELOPER => object::refund;
    Post "/portal/applications/{application}/baskets/{basket}/void" DEVELOPER => object::void;
    Get "/portal/applications/{application}/loans" VIEWER => object::loans;
    Get "/portal/applications/{application}/loans/{loan}" VIEWER => object::loan;
    Get "/portal/examples" VIEWER => application::example::list;
    Get "/portal/members" VIEWER => member::list;
    Post "/portal/members/invite" OWNER => member::invite;
    Post "/portal/members/invitations/{invitation}/revoke" OWNER => member::invitation_revoke;
    Post "/portal/members/{member}/role" OWNER => member::role_change;
    Post "/portal/members/{member}/remove" OWNER => member::remove;
};

pub(crate) fn router() -> Router<Arc<AppState>> {
    ROUTES.iter().fold(Router::new(), |router, route| {
        let filter = match route.method {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
        };
        let handler =
            move |State(state): State<Arc<AppState>>, parameters: RawPathParams, request: Request| {
                serve(state, route, parameters, request)
            };
        router.route(route.path, on(filter, handler))
    })
}
