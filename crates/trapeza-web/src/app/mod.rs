//! The bank's app: sign-in, enrolment of devices and approvals; and for signed-in customers accounts, payments, loans and
//! permissions, in files of their own.

mod account;
mod card;
mod home;
mod loan;
mod pay;
mod payment;
#[cfg(test)]
mod payment_samples;
pub(super) mod payment_templates;
mod permission;
#[cfg(test)]
pub(super) mod samples;
mod session;
#[cfg(test)]
mod session_samples;
pub(super) mod session_templates;
mod statement;
#[cfg(test)]
mod statement_samples;
pub(super) mod statement_templates;
pub(super) mod templates;
mod transaction;

pub(super) use loan::card as loan_card;

use self::templates::{AppHeader, Code, Confirm, SessionView, SignIn};
use super::layout::{Form, Layout, redirect, render};
use super::page_request::PageRequest;
use super::script::Script;
use super::{csrf_failed, internal_error};
use axum::http::{StatusCode, header};
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::device::DeviceSession;
use trapeza_app::sca::{ApprovalDecision, DecidedApproval};
use trapeza_domain::id::PsuId;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;

/// The signed-in customer.
struct Customer {
    psu: PsuId,
    name: String,
    /// When the session ends.
    until: Timestamp,
}

pub async fn serve(request: &PageRequest, sent: bool) -> Response {
    match request.page.as_str() {
        "/app" if sent => post(request).await,
        "/app" => get(request).await,
        _ => inside(request, sent).await,
    }
}

/// The pages of signed-in customers.
async fn inside(request: &PageRequest, sent: bool) -> Response {
    let customer = match request.state.app.device_session(&request.session).await {
        Ok(DeviceSession::SignedIn { psu, name, until }) => {
            match request.state.app.device_session_touch(&request.session, until).await {
                Ok(until) => Customer { psu, name, until },
                Err(error) => return internal_error(request, &error),
            }
        }
        Ok(_) => return redirect("/app"),
        Err(error) => return internal_error(request, &error),
    };
    if sent && !request.csrf_valid() {
        return csrf_failed(request);
    }
    let page: Vec<&str> = request.page.trim_start_matches("/app/").split('/').collect();
    match (page.as_slice(), sent) {
        (["accounts", id], _) => account::show_statement(request, &customer, id).await,
        (["transactions", id, entry], _) => transaction::show(request, &customer, id, entry).await,
        (["statements", id, file], _) => transaction::export(request, &customer, id, file).await,
        (["cards", id], _) => card::show_statement(request, &customer, id).await,
        (["cards", id, entry], _) => card::show_transaction(request, &customer, id, entry).await,
        (["pay"], false) => pay::get(request, &customer).await,
        (["pay"], true) => pay::order(request, &customer).await,
        (["payments"], _) => payment::list(request, &customer).await,
        (["payments", id], _) => payment::receipt(request, &customer, id).await,
        (["payments", id, "receipt.pdf"], _) => payment::receipt_pdf(request, &customer, id).await,
        (["payments", id, "cancellation"], _) => {
            payment::serve_cancellation(request, &customer, id, sent).await
        }
        (["loans"], _) => loan::list(request, &customer).await,
        (["loans", id], _) => loan::show(request, &customer, id).await,
        (["loans", id, "documents", file], _) => loan::serve_document(request, &customer, id, file).await,
        (["loans", id, ending], _) => loan::serve_ending(request, &customer, id, ending, sent).await,
        (["permissions"], _) => permission::list(request, &customer).await,
        (["permissions", id], false) => permission::confirm(request, &customer, id).await,
        (["permissions", id], true) => permission::revoke(request, &customer, id).await,
        (["devices"], _) => session::list_devices(request, &customer).await,
        (["devices", id], _) => session::serve_removal(request, &customer, id, sent).await,
        (["help"], _) => session::help(request, &customer),
        (["device"], false) => confirm_device(request, &customer),
        (["device"], true) => remove_device(request).await,
        _ => account::list(request, &customer).await,
    }
}

/// Asks whether this browser shall no longer be the customer's app.
fn confirm_device(request: &PageRequest, customer: &Customer) -> Response {
    let texts = request.texts.app;
    let page = Confirm {
        layout: Layout::of(request, texts.remove_device_title),
        top: app_header(request, customer, ""),
        form: Form::of(request),
        rows: Vec::new(),
        text: texts.remove_device_text,
        label: texts.remove_device.to_owned(),
        cancel: "/app",
        approval: None,
        error: None,
    };
    render(request, StatusCode::OK, &page)
}

async fn remove_device(request: &PageRequest) -> Response {
    match request.state.app.device_remove(&request.session).await {
        Ok(()) | Err(UseCaseError::Refused(_)) => redirect("/app"),
        Err(error) => internal_error(request, &error),
    }
}

fn app_header(request: &PageRequest, customer: &Customer, here: &str) -> AppHeader {
    let app = &request.state.app;
    let session = SessionView {
        ends: app.clock().zone().clock_time(customer.until),
        seconds: customer.until.since(app.clock().now()).0 / 1_000_000,
        page: request.page.clone(),
    };
    AppHeader::new(request.texts, &customer.name, here, (Form::to(request, "/app"), session))
}

async fn get(request: &PageRequest) -> Response {
    let lock = match request.state.app.device_session(&request.session).await {
        Ok(lock) => lock,
        Err(error) => return internal_error(request, &error),
    };
    match lock {
        DeviceSession::OtpSent if request.query("start").is_none() => {
            code_page(request, StatusCode::OK, None)
        }
        DeviceSession::SignedIn { psu, name, until } => {
            match request.state.app.device_session_touch(&request.session, until).await {
                Ok(until) => home::show(request, &Customer { psu, name, until }).await,
                Err(error) => internal_error(request, &error),
            }
        }
        DeviceSession::Locked { name, ended_at, .. } if request.query("start").is_none() => {
            session::locked_page(request, (&name, ended_at), (StatusCode::OK, None))
        }
        DeviceSession::SignedOut | DeviceSession::OtpSent | DeviceSession::Locked { .. } => {
            sign_in_page(request, StatusCode::OK, None)
        }
    }
}

async fn post(request: &PageRequest) -> Response {
    if !request.csrf_valid() {
        return csrf_failed(request);
    }
    let app = &request.state.app;
    let done = match request.field("step") {
        "sign-in" => return sign_in(request).await,
        "code" => return code(request).await,
        "code-again" => match app.device_otp_resend(&request.session, request.texts.language).await {
            Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::RateExceeded => {
                return code_page(request, StatusCode::TOO_MANY_REQUESTS, Some(request.texts.too_many));
            }
            done => done,
        },
        "sign-out" => app.device_sign_out(&request.session).await,
        "lock" => match app.device_lock(&request.session).await {
            Ok(()) => return redirect("/app?notice=locked"),
            done => done,
        },
        "stay" => match app.device_session_extend(&request.session).await {
            Ok(()) => return redirect(session::next_page(request)),
            done => done,
        },
        "approve" => return decide(request, Some(request.field("chosen"))).await,
        "refuse" => return decide(request, None).await,
        _ => Ok(()),
    };
    match done {
        // A step out of order: show the current state.
        Ok(()) | Err(UseCaseError::Refused(_)) => redirect(&request.page),
        Err(error) => internal_error(request, &error),
    }
}

async fn sign_in(request: &PageRequest) -> Response {
    let typed = request.user_name();
    // Without a user name it is the customer of the locked device.
    let known = match request.state.app.device_session(&request.session).await {
        Ok(DeviceSession::Locked { login, name, ended_at }) if typed.is_empty() => {
            Some((login, name, ended_at))
        }
        Ok(_) => None,
        Err(error) => return internal_error(request, &error),
    };
    let login = known.as_ref().map_or(typed, |(login, ..)| login.clone());
    let again = |status, error| match &known {
        Some((_, name, ended_at)) => session::locked_page(request, (name, *ended_at), (status, Some(error))),
        None => sign_in_page(request, status, Some(error)),
    };
    let next = request.state.app.session_token_new();
    let password = request.secret("password");
    let (app, language) = (&request.state.app, request.texts.language);
    let signed_in = app.device_sign_in(&request.session, &next, language, &login, password);
    match request.within_sign_in_budget(signed_in).await {
        Ok(_) => redirect_with_session(request, &next),
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::RateExceeded => {
            again(StatusCode::TOO_MANY_REQUESTS, request.texts.app.slow)
        }
        Err(UseCaseError::Refused(_)) => again(StatusCode::UNAUTHORIZED, request.texts.app.wrong),
        Err(error) => internal_error(request, &error),
    }
}

async fn code(request: &PageRequest) -> Response {
    let next = request.state.app.session_token_new();
    let code = Secret::new(request.field("code").to_owned());
    match request.state.app.device_enrol(&request.session, &next, code, request.field("key")).await {
        Ok(_) => redirect_with_session(request, &next),
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::CredentialsInvalid => {
            code_page(request, StatusCode::UNAUTHORIZED, Some(request.texts.code_wrong))
        }
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::Malformed => {
            code_page(request, StatusCode::BAD_REQUEST, Some(request.texts.app.no_key))
        }
        Err(UseCaseError::Refused(_)) => redirect(&request.page),
        Err(error) => internal_error(request, &error),
    }
}

/// Approves with the selected number, or rejects without one.
async fn decide(request: &PageRequest, number: Option<&str>) -> Response {
    let app = &request.state.app;
    let psu = match app.device_session(&request.session).await {
        Ok(DeviceSession::SignedIn { psu, .. }) => psu,
        Ok(_) => return redirect(&request.page),
        Err(error) => return internal_error(request, &error),
    };
    let decision = match number {
        Some(number) => ApprovalDecision::Approve {
            number: Secret::new(number.to_owned()),
            signature: request.field("signature").to_owned(),
        },
        None => ApprovalDecision::Reject,
    };
    let decided = app.approval_decide(psu, &request.session, request.field("question"), decision).await;
    if let Err(error @ UseCaseError::Failed(_)) = app.device_session_extend(&request.session).await {
        return internal_error(request, &error);
    }
    let notice = match decided {
        Ok(DecidedApproval { own_payment: Some(payment), .. }) if number.is_some() => {
            return redirect(&format!("/app/payments/{payment}"));
        }
        Ok(DecidedApproval { is_unpaid: true, .. }) => "unpaid",
        Ok(_) if number.is_some() => "approved",
        Ok(_) => "refused",
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::CredentialsInvalid => "wrong",
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::Malformed => "unsigned",
        Err(UseCaseError::Refused(_)) => "gone",
        Err(error) => return internal_error(request, &error),
    };
    redirect(&format!("{}?notice={notice}", request.page))
}

/// Redirects to the current state, with a new session token.
fn redirect_with_session(request: &PageRequest, token: &str) -> Response {
    let mut response = redirect(&request.page);
    if let Some(cookie) = request.cookie.set(&request.state.settings, token) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

fn sign_in_page(request: &PageRequest, status: StatusCode, error: Option<&'static str>) -> Response {
    let user = request.user_name();
    let layout = Layout::of(request, request.texts.app.title);
    render(request, status, &SignIn { layout, form: Form::of(request), user, error })
}

fn code_page(request: &PageRequest, status: StatusCode, error: Option<&'static str>) -> Response {
    let layout = Layout::of(request, request.texts.app.code_title).with(Script::App);
    render(request, status, &Code { layout, form: Form::of(request), error })
}
