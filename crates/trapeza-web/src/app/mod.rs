//! The bank's app as pages: its lock, what the customer is asked, and their answer; and behind the lock, in files of
//! their own, their accounts, their payments and what they have permitted others.

mod account;
mod loan;
mod pay;
mod permission;
#[cfg(test)]
pub(super) mod samples;
pub(super) mod view;
pub(super) mod words;

use self::view::{Code, Question, Questions, SignIn, Top};
use super::facts::Facts;
use super::frame::{Form, Frame, see, show};
use super::script::Script;
use super::visit::Visit;
use super::{live, not_ours, trouble};
use axum::http::{StatusCode, header};
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::device::DeviceSession;
use trapeza_app::sca::{ApprovalDecision, PendingApproval, digest_hex};
use trapeza_domain::id::PsuId;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;

/// The longest user name that is looked at.
const NAME_LENGTH: usize = 50;

/// Whom the open app belongs to.
struct Customer {
    psu: PsuId,
    name: String,
}

pub async fn serve(visit: &Visit, sent: bool) -> Response {
    match visit.page.as_str() {
        "/app" if sent => act(visit).await,
        "/app" => look(visit).await,
        _ => inside(visit, sent).await,
    }
}

/// The pages behind the lock.
async fn inside(visit: &Visit, sent: bool) -> Response {
    let customer = match visit.bank.app.device_session(&visit.browser).await {
        Ok(DeviceSession::SignedIn { psu, name }) => Customer { psu, name },
        Ok(_) => return see("/app"),
        Err(stop) => return trouble(visit, &stop),
    };
    if sent && !visit.is_ours() {
        return not_ours(visit);
    }
    match (visit.page.trim_start_matches("/app/"), sent) {
        ("accounts", _) => account::list(visit, &customer).await,
        ("pay", false) => pay::look(visit, &customer).await,
        ("pay", true) => pay::order(visit, &customer).await,
        ("loans", false) => loan::list(visit, &customer).await,
        ("loans", true) => loan::end(visit, &customer).await,
        ("permissions", false) => permission::list(visit, &customer).await,
        ("permissions", true) => permission::withdraw(visit, &customer).await,
        (page, _) => account::show_statement(visit, &customer, page.trim_start_matches("accounts/")).await,
    }
}

fn top(visit: &Visit, customer: &Customer, here: &str) -> Top {
    Top::new(visit.words, &customer.name, here, Form::to(visit, "/app"))
}

async fn look(visit: &Visit) -> Response {
    let lock = match visit.bank.app.device_session(&visit.browser).await {
        Ok(lock) => lock,
        Err(stop) => return trouble(visit, &stop),
    };
    match lock {
        DeviceSession::OtpSent if visit.query("start").is_none() => code_page(visit, StatusCode::OK, None),
        DeviceSession::SignedIn { psu, name } => questions(visit, &Customer { psu, name }).await,
        DeviceSession::SignedOut | DeviceSession::OtpSent => sign_in_page(visit, StatusCode::OK, None),
    }
}

async fn act(visit: &Visit) -> Response {
    if !visit.is_ours() {
        return not_ours(visit);
    }
    let app = &visit.bank.app;
    let done = match visit.field("step") {
        "sign-in" => return sign_in(visit).await,
        "code" => return code(visit).await,
        "code-again" => match app.device_otp_resend(&visit.browser).await {
            Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::RateExceeded => {
                return code_page(visit, StatusCode::TOO_MANY_REQUESTS, Some(visit.words.too_many));
            }
            done => done,
        },
        "sign-out" => app.device_sign_out(&visit.browser).await,
        "forget" => app.device_forget(&visit.browser).await,
        "approve" => return decide(visit, Some(visit.field("chosen"))).await,
        "refuse" => return decide(visit, None).await,
        _ => Ok(()),
    };
    match done {
        // Out of order: where it stands is the answer.
        Ok(()) | Err(UseCaseError::Refused(_)) => see(&visit.page),
        Err(stop) => trouble(visit, &stop),
    }
}

async fn sign_in(visit: &Visit) -> Response {
    // Nobody's name has a control character, and a database may refuse one: such a name stays nobody's.
    let readable = |letter: char| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter };
    let login: String = visit.field("user").chars().take(NAME_LENGTH).map(readable).collect();
    let next = visit.bank.app.session_token_new();
    let password = visit.secret("password");
    match visit.bank.app.device_sign_in(&visit.browser, &next, &login, password).await {
        Ok(_) => known_as(visit, &next),
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::RateExceeded => {
            sign_in_page(visit, StatusCode::TOO_MANY_REQUESTS, Some(visit.words.too_many))
        }
        Err(UseCaseError::Refused(_)) => match visit.failed() {
            Ok(()) => sign_in_page(visit, StatusCode::UNAUTHORIZED, Some(visit.words.app.wrong)),
            Err(_) => sign_in_page(visit, StatusCode::TOO_MANY_REQUESTS, Some(visit.words.app.slow)),
        },
        Err(stop) => trouble(visit, &stop),
    }
}

async fn code(visit: &Visit) -> Response {
    let next = visit.bank.app.session_token_new();
    let code = Secret::new(visit.field("code").to_owned());
    match visit.bank.app.device_enrol(&visit.browser, &next, code, visit.field("key")).await {
        Ok(_) => known_as(visit, &next),
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::CredentialsInvalid => {
            code_page(visit, StatusCode::UNAUTHORIZED, Some(visit.words.code_wrong))
        }
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::Malformed => {
            code_page(visit, StatusCode::BAD_REQUEST, Some(visit.words.app.no_key))
        }
        Err(UseCaseError::Refused(_)) => see(&visit.page),
        Err(stop) => trouble(visit, &stop),
    }
}

/// The number that the customer has chosen, or none when they refuse.
async fn decide(visit: &Visit, number: Option<&str>) -> Response {
    let app = &visit.bank.app;
    let psu = match app.device_session(&visit.browser).await {
        Ok(DeviceSession::SignedIn { psu, .. }) => psu,
        Ok(_) => return see(&visit.page),
        Err(stop) => return trouble(visit, &stop),
    };
    let decision = match number {
        Some(number) => ApprovalDecision::Approve {
            number: Secret::new(number.to_owned()),
            signature: visit.field("signature").to_owned(),
        },
        None => ApprovalDecision::Reject,
    };
    let decided = app.approval_decide(psu, &visit.browser, visit.field("question"), decision).await;
    if let Err(stop @ UseCaseError::Failed(_)) = app.device_session_extend(&visit.browser).await {
        return trouble(visit, &stop);
    }
    let told = match decided {
        Ok(_) if number.is_some() => "approved",
        Ok(_) => "refused",
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::CredentialsInvalid => "wrong",
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::Malformed => "unsigned",
        Err(UseCaseError::Refused(_)) => "gone",
        Err(stop) => return trouble(visit, &stop),
    };
    see(&format!("{}?told={told}", visit.page))
}

/// On to where it stands, under the browser's new mark.
fn known_as(visit: &Visit, mark: &str) -> Response {
    let mut response = see(&visit.page);
    if let Some(cookie) = visit.cookie.set(&visit.bank, mark) {
        response.headers_mut().append(header::SET_COOKIE, cookie);
    }
    response
}

fn sign_in_page(visit: &Visit, status: StatusCode, fault: Option<&'static str>) -> Response {
    let user = visit.field("user").chars().take(NAME_LENGTH).collect();
    let frame = Frame::of(visit, visit.words.app.title);
    show(visit, status, &SignIn { frame, form: Form::of(visit), user, fault })
}

fn code_page(visit: &Visit, status: StatusCode, fault: Option<&'static str>) -> Response {
    let frame = Frame::of(visit, visit.words.app.code_title).with(Script::App);
    show(visit, status, &Code { frame, form: Form::of(visit), fault })
}

async fn questions(visit: &Visit, customer: &Customer) -> Response {
    let words = visit.words;
    let asked = match visit.bank.app.approval_list(customer.psu).await {
        Ok(asked) => asked,
        Err(stop) => return trouble(visit, &stop),
    };
    let question = |question: &PendingApproval| Question {
        id: question.id.to_string(),
        facts: Facts::new(words, &question.tpp_name, &question.organisation, &question.asked),
        numbers: question.numbers.clone(),
        link: digest_hex(&question.link),
    };
    let told = visit.query("told").and_then(|told| match told.as_str() {
        "approved" => Some((words.app.told_approved, true)),
        "refused" => Some((words.app.told_refused, false)),
        "wrong" => Some((words.app.told_wrong, false)),
        "gone" => Some((words.app.told_gone, false)),
        "ordered" => Some((words.app.told_ordered, true)),
        "unsigned" => Some((words.app.no_key, false)),
        _ => None,
    });
    let page = Questions {
        frame: Frame::of(visit, words.app.title).with(Script::App),
        seen: live::seen(asked.iter().map(|question| &question.id)),
        form: Form::of(visit),
        top: top(visit, customer, "/app"),
        questions: asked.iter().map(question).collect(),
        told,
    };
    show(visit, StatusCode::OK, &page)
}
