//! The checkout, from the basket to the redirect back to the merchant: the steps of the shopper. The pages are in [`pages`].

mod document;
mod end;
mod pages;
mod review;
#[cfg(test)]
mod samples;
pub(super) mod templates;

pub use self::document::serve as serve_document;
use self::pages::{PageError, income_page, render_state};
use crate::layout::redirect;
use crate::page_request::PageRequest;
use crate::review::ReviewSubject;
use crate::{csrf_failed, internal_error};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::checkout::AgreementRequest;
use trapeza_app::checkout::CheckoutAccess;
use trapeza_app::{UseCaseError, parse_date};
use trapeza_domain::contact::{Country, Email, Phone};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;

/// Shows the current state. A GET claims nothing: link previews send it as well.
pub async fn get(request: &PageRequest, basket: &str) -> Response {
    render_state(request, basket, StatusCode::OK, None).await
}

/// Handles a form.
pub async fn post(request: &PageRequest, basket: &str) -> Response {
    if !request.csrf_valid() {
        return csrf_failed(request);
    }
    let (app, browser, texts) = (&request.state.app, request.session.as_str(), request.texts);
    let (taken, error) = match request.field("step") {
        "open" => (app.checkout_open(basket, browser).await, None),
        "leave" => (app.checkout_leave(basket, browser).await, None),
        "phone" => {
            let Ok(phone) = phone(request.field("phone"), request.state.app.bank_profile().country) else {
                let error = Some(PageError::Phone(texts.checkout.phone_wrong));
                return render_state(request, basket, StatusCode::BAD_REQUEST, error).await;
            };
            (
                app.checkout_phone(basket, browser, texts.language, phone).await,
                Some(PageError::Phone(texts.checkout.phone_wrong)),
            )
        }
        "code" => {
            let code = Secret::new(request.field("code").to_owned());
            (app.checkout_code(basket, browser, code).await, Some(PageError::Code(texts.code_wrong)))
        }
        "sign-in" => {
            let login = request.user_name();
            let signed = app.checkout_sign_in(
                basket,
                browser,
                request.texts.language,
                &login,
                request.secret("password"),
            );
            (
                request.within_sign_in_budget(signed).await,
                Some(PageError::SignIn(texts.checkout.sign_in_wrong)),
            )
        }
        "agree" => return agree(request, basket).await,
        "income" => return declare_income(request, basket).await,
        "review" => return ask_for_review(request, basket).await,
        _ => return redirect(&request.page),
    };
    after_step(request, basket, taken, error).await
}

async fn after_step(
    request: &PageRequest,
    basket: &str,
    taken: Result<(), UseCaseError>,
    error: Option<PageError>,
) -> Response {
    let refusal = match taken {
        Ok(()) => return redirect(&request.page),
        Err(UseCaseError::Refused(refusal)) => refusal,
        Err(error) => return internal_error(request, &error),
    };
    match refusal.reason {
        RefusalReason::CredentialsInvalid => {
            render_state(request, basket, StatusCode::UNAUTHORIZED, error).await
        }
        RefusalReason::Malformed => render_state(request, basket, StatusCode::BAD_REQUEST, error).await,
        RefusalReason::RateExceeded => {
            let error = match error {
                Some(PageError::SignIn(_)) => PageError::SignIn(request.texts.app.slow),
                _ => PageError::Code(request.texts.too_many),
            };
            render_state(request, basket, StatusCode::TOO_MANY_REQUESTS, Some(error)).await
        }
        // A double click or an outdated page: show the current state.
        _ => redirect(&request.page),
    }
}

/// Concludes the contract. It requires the ticked box and the date that the shown schedule was computed for.
async fn agree(request: &PageRequest, basket: &str) -> Response {
    let (plan, day) = (request.field("plan").parse::<u32>(), parse_date(request.field("day")));
    let (Ok(plan), Some(day)) = (plan, day) else { return redirect(&request.page) };
    if request.field("agreed") != "yes" {
        let error = Some(PageError::Agreement(plan, request.texts.checkout.agree_missing));
        return render_state(request, basket, StatusCode::BAD_REQUEST, error).await;
    }
    let email = match request.field("email") {
        "" => None,
        typed => match Email::parse(typed) {
            Ok(email) => Some(email),
            Err(_) => {
                let error = Some(PageError::Email(plan, request.texts.checkout_document.email_wrong));
                return render_state(request, basket, StatusCode::BAD_REQUEST, error).await;
            }
        },
    };
    let agreed = AgreementRequest {
        language: request.texts.language,
        installments: plan,
        shown: day,
        email,
        public_url: request.state.settings.public_url.clone(),
    };
    let agreed = request.state.app.checkout_agree(basket, &request.session, agreed).await;
    after_step(request, basket, agreed, None).await
}

/// Declares income and expenses.
async fn declare_income(request: &PageRequest, basket: &str) -> Response {
    let app = &request.state.app;
    let currency = match app.checkout_view(basket, &request.session).await {
        Ok(CheckoutAccess::Own(view)) => view.basket.order.value.currency,
        Ok(_) | Err(UseCaseError::Refused(_)) => return redirect(&request.page),
        Err(error) => return internal_error(request, &error),
    };
    match crate::review::read_income(request, currency) {
        Ok(income) => {
            let declared = app.checkout_income(basket, &request.session, income).await;
            after_step(request, basket, declared, None).await
        }
        Err(errors) => income_page(request, StatusCode::BAD_REQUEST, errors),
    }
}

/// Asks for a review of a decline by a person.
async fn ask_for_review(request: &PageRequest, basket: &str) -> Response {
    let (app, language) = (&request.state.app, request.texts.language);
    let view = match app.checkout_view(basket, &request.session).await {
        Ok(CheckoutAccess::Own(view)) => view,
        Ok(_) | Err(UseCaseError::Refused(_)) => return redirect(&request.page),
        Err(error) => return internal_error(request, &error),
    };
    let stated = match crate::review::read(request, view.basket.order.value.currency) {
        Ok(stated) => stated,
        Err(errors) => {
            let subject = ReviewSubject::Decision;
            return crate::review::page(request, StatusCode::BAD_REQUEST, subject, errors, &request.page);
        }
    };
    let result = app.checkout_review(basket, &request.session, language, stated).await;
    after_step(request, basket, result, None).await
}

/// Parses a typed phone number. An empty one is valid: the merchant may have sent a number.
fn phone(typed: &str, country: Country) -> Result<Option<Phone>, &'static str> {
    if typed.is_empty() { Ok(None) } else { Phone::parse_national(typed, country).map(Some) }
}
