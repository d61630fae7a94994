//! The routes of the console, each with the action that the caller's role must allow.

use crate::console_request::Console;
use crate::{
    account, action, enrolment, health, home, identity_provider, ledger, object, request, search, staff,
    token, work_list,
};
use trapeza_domain::staff::StaffAction;
use trapeza_web::site::login;
pub use trapeza_web::site::route::{Access, Method, Route};
use trapeza_web::site_routes;

const EVERYONE: Access<StaffAction> = Access::Everyone;
const PERSONAL: Access<StaffAction> = Access::Role(StaffAction::PersonalDataView);
const STAFF: Access<StaffAction> = Access::Role(StaffAction::ConsoleView);

pub const ROUTES: &[Route<Console>] = site_routes! {
    Get "/console" STAFF => home::show;
    Get "/console/sign-in" EVERYONE => login::show;
    Post "/console/sign-in" EVERYONE => login::submit;
    Post "/console/sign-in/passkey" EVERYONE => login::passkey_sign_in;
    Get "/console/sign-in/identity-provider" EVERYONE => identity_provider::start;
    Get "/console/sign-in/identity-provider/callback" EVERYONE => identity_provider::callback;
    Post "/console/sign-out" STAFF => login::sign_out;
    Get "/console/enrol" EVERYONE => enrolment::show;
    Post "/console/enrol" EVERYONE => enrolment::submit;
    Post "/console/enrol/passkey" EVERYONE => enrolment::submit_passkey;
    Get "/console/account" STAFF => account::show;
    Post "/console/account/sessions/{session}/end" STAFF => login::session_end;
    Post "/console/account/passkeys/create" STAFF => login::passkey_create;
    Post "/console/account/passkeys/{passkey}/remove" STAFF => login::passkey_remove;
    Get "/console/account/tokens" STAFF => token::show;
    Post "/console/account/tokens" STAFF => token::create;
    Post "/console/account/tokens/{token}/revoke" STAFF => token::revoke;
    Get "/console/search" STAFF => search::show;
    Get "/console/objects/{kind}/{id}" STAFF => object::show;
    Get "/console/work/{list}" STAFF => work_list::show;
    Get "/console/actions" STAFF => action::list;
    Get "/console/actions/{action}" STAFF => action::show;
    Post "/console/actions/{action}" STAFF => action::run;
    Get "/console/requests" STAFF => request::list;
    Get "/console/requests/{request}" STAFF => request::show;
    Post "/console/requests/{request}/approve" STAFF => request::approve;
    Post "/console/requests/{request}/reject" STAFF => request::reject;
    Post "/console/requests/{request}/cancel" STAFF => request::cancel;
    Get "/console/ledger" STAFF => ledger::report;
    Get "/console/ledger/accounts" PERSONAL => ledger::accounts;
    Get "/console/ledger/accounts/{account}" PERSONAL => ledger::account;
    Post "/console/ledger/check" PERSONAL => ledger::check;
    Get "/console/health" STAFF => health::show;
    Get "/console/staff" STAFF => staff::list;
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_route_has_the_action_of_its_area() {
        for route in ROUTES {
            let mut parts = route.path.split('/').skip(2);
            let access = match (parts.next(), parts.next()) {
                (Some("sign-in" | "enrol"), _) => EVERYONE,
                (Some("ledger"), Some(_)) => PERSONAL,
                _ => STAFF,
            };
            assert_eq!(route.access, access, "{:?} {}", route.method, route.path);
        }
    }
}
