//! The routes of the portal, each with the role that it requires.

use crate::application::{object, price, request_log, settlement, usage};
use crate::portal_request::Portal;
use crate::{account, application, home, member, sign_up};
use trapeza_domain::organisation::MemberRole;
use trapeza_web::site::login;
pub use trapeza_web::site::route::{Access, Method, Route};
use trapeza_web::site_routes;

const EVERYONE: Access<MemberRole> = Access::Everyone;
const DEVELOPER: Access<MemberRole> = Access::Role(MemberRole::Developer);
const OWNER: Access<MemberRole> = Access::Role(MemberRole::Owner);
const VIEWER: Access<MemberRole> = Access::Role(MemberRole::Viewer);

pub const ROUTES: &[Route<Portal>] = site_routes! {
    Get "/portal" EVERYONE => home::home;
    Get "/portal/sign-up" EVERYONE => sign_up::show;
    Post "/portal/sign-up" EVERYONE => sign_up::submit;
    Get "/portal/enrol" EVERYONE => sign_up::enrolment_show;
    Post "/portal/enrol" EVERYONE => sign_up::enrolment_submit;
    Get "/portal/sign-in" EVERYONE => login::show;
    Post "/portal/sign-in" EVERYONE => login::submit;
    Post "/portal/sign-in/passkey" EVERYONE => login::passkey_sign_in;
    Post "/portal/sign-out" VIEWER => login::sign_out;
    Get "/portal/account" VIEWER => account::show;
    Post "/portal/account/sessions/{session}/end" VIEWER => login::session_end;
    Post "/portal/account/passkeys/create" VIEWER => login::passkey_create;
    Post "/portal/account/passkeys/{passkey}/remove" VIEWER => login::passkey_remove;
    Get "/portal/applications" VIEWER => application::list;
    Post "/portal/applications/third-party" DEVELOPER => application::third_party_create;
    Post "/portal/applications/merchant" DEVELOPER => application::merchant_create;
    Get "/portal/applications/{application}" VIEWER => application::show;
    Post "/portal/applications/{application}/keys/create" DEVELOPER => application::key_create;
    Post "/portal/applications/{application}/keys/{key}/retire" DEVELOPER => application::key_retire;
    Post "/portal/applications/{application}/redirects" DEVELOPER => application::redirects;
    Post "/portal/applications/{application}/addresses" DEVELOPER => application::merchant_addresses;
    Post "/portal/applications/{application}/webhook-secret/create" DEVELOPER => application::webhook_secret_create;
    Post "/portal/applications/{application}/webhook-secret/retire" DEVELOPER => application::webhook_secret_retire;
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
    Get "/portal/applications/{application}/signing-baskets" VIEWER => object::signing_baskets;
    Get "/portal/applications/{application}/signing-baskets/{signing_basket}" VIEWER => object::signing_basket;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_has_the_role_of_its_area() {
        for route in ROUTES {
            let area = route.path.split('/').nth(2).unwrap_or_default();
            let access = match (route.method, area) {
                (_, "sign-up" | "enrol" | "sign-in") | (Method::Get, "") => EVERYONE,
                (Method::Get, _) | (_, "sign-out" | "account") => VIEWER,
                (_, "applications") => DEVELOPER,
                (_, "members") => OWNER,
                (_, other) => panic!("{other}: say here who may use it"),
            };
            assert_eq!(route.access, access, "{:?} {}", route.method, route.path);
        }
    }
}
