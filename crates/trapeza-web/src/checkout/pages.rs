//! The pages of the checkout, by the stage of its basket.

use super::document;
use super::end::{back, decline_reason, end, home};
use super::templates::{
    CheckoutAgreement, CheckoutCode, CheckoutIncome, CheckoutPhone, CheckoutPlans, CheckoutSignIn,
    CheckoutStart, EmailField, Line, PlanLine, Row,
};
use crate::internal_error;
use crate::layout::{Form, Layout, render};
use crate::page_request::PageRequest;
use crate::review::{ReviewErrors, ReviewSource, ReviewSubject, TypedReview, page};
use crate::templates::Notice;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::checkout::{CheckoutAccess, CheckoutView, OfferView, ReviewAccess, Stage};
use trapeza_app::{UseCaseError, format_date};
use trapeza_domain::basket::Product;
use trapeza_domain::decimal::parse_decimal;
use trapeza_domain::installment::Installment;
use trapeza_domain::money::Money;
use trapeza_domain::reference::Iban;
use trapeza_texts::format;
use trapeza_texts::page::{PageTexts, fill, fill_all};

/// An error, which decides the page that shows it.
#[derive(Clone, Copy)]
pub(super) enum PageError {
    Phone(&'static str),
    Code(&'static str),
    SignIn(&'static str),
    Agreement(u32, &'static str),
    Email(u32, &'static str),
}

/// Renders the page of the current state.
pub(super) async fn render_state(
    request: &PageRequest,
    basket: &str,
    status: StatusCode,
    error: Option<PageError>,
) -> Response {
    let texts = request.texts.checkout;
    match request.state.app.checkout_view(basket, &request.session).await {
        Ok(CheckoutAccess::Unclaimed(view)) => start(request, &view, status),
        Ok(CheckoutAccess::Own(view)) => own(request, &view, status, error),
        Ok(CheckoutAccess::Ended(view)) => {
            let layout = Layout::of(request, texts.over_title);
            let text = texts.why(decline_reason(view.basket.state));
            render(request, StatusCode::GONE, &Notice { layout, text, back: back(request, &view) })
        }
        Ok(CheckoutAccess::OtherBrowser { decided: true }) => {
            notice(request, StatusCode::GONE, texts.over_title, texts.over_text)
        }
        Ok(CheckoutAccess::OtherBrowser { decided: false }) => {
            notice(request, StatusCode::CONFLICT, texts.foreign_title, texts.foreign_text)
        }
        Err(UseCaseError::Refused(_)) => {
            notice(request, StatusCode::NOT_FOUND, texts.none_title, texts.none_text)
        }
        Err(error) => internal_error(request, &error),
    }
}

fn notice(request: &PageRequest, status: StatusCode, title: &str, text: &'static str) -> Response {
    // Which shop it was is shown to the browser that began there only.
    let back = Some(home(request));
    render(request, status, &Notice { layout: Layout::of(request, title), text, back })
}

fn own(request: &PageRequest, view: &CheckoutView, status: StatusCode, error: Option<PageError>) -> Response {
    let texts = request.texts.checkout;
    let requested_plan = request.query("plan").and_then(|plan| plan.parse().ok());
    match (&view.stage, error) {
        (Stage::Phone, error) => phone_page(request, view, status, error),
        (Stage::Code { .. }, error @ Some(PageError::Phone(_))) => phone_page(request, view, status, error),
        (Stage::Code { again: true, .. }, None) if request.query("phone").is_some() => {
            phone_page(request, view, status, None)
        }
        (Stage::Code { phone, typed, open, again }, error) => {
            let prompt = match (open, typed) {
                (true, Some(typed)) => fill(texts.code_text_typed, typed.as_str()),
                (true, None) => fill(texts.code_text, phone),
                (false, _) => fill(texts.code_over, phone),
            };
            let page = CheckoutCode {
                layout: Layout::of(request, texts.code_title),
                form: Form::of(request),
                prompt,
                open: *open,
                again: *again,
                error: error_text(error),
            };
            render(request, status, &page)
        }
        (Stage::Plan { .. } | Stage::Income, error @ Some(PageError::SignIn(_))) => {
            sign_in_page(request, status, error)
        }
        (Stage::Plan { signed_in: false, .. } | Stage::Income, None)
            if request.query("sign-in").is_some() =>
        {
            sign_in_page(request, status, None)
        }
        (Stage::Income, _) => income_page(request, status, ReviewErrors::default()),
        (Stage::Plan { account, signed_in }, error) => {
            let requested_plan = match error {
                Some(PageError::Agreement(plan, _) | PageError::Email(plan, _)) => Some(plan),
                _ => requested_plan,
            };
            let mut possible = view.offers.iter().filter(|offer| offer.declined.is_none());
            let chosen = possible.find(|offer| Some(offer.plan.installments) == requested_plan);
            match chosen {
                Some(offer) => {
                    render(request, status, &agreement(request, view, offer, account.as_ref(), error))
                }
                None => render(request, status, &plans(request, view, account.as_ref(), *signed_in)),
            }
        }
        (Stage::Over { .. }, _)
            if request.query("review").is_some() && view.review == ReviewAccess::Possible =>
        {
            page(request, status, ReviewSubject::Decision, ReviewErrors::default(), &request.page)
        }
        (Stage::Over { .. }, _) => end(request, view),
    }
}

fn error_text(error: Option<PageError>) -> Option<&'static str> {
    error.map(|error| match error {
        PageError::Phone(text)
        | PageError::Code(text)
        | PageError::SignIn(text)
        | PageError::Agreement(_, text)
        | PageError::Email(_, text) => text,
    })
}

fn start(request: &PageRequest, view: &CheckoutView, status: StatusCode) -> Response {
    let (texts, order) = (request.texts.checkout, &view.basket.order);
    let ends = request.state.app.clock().zone().clock_time(view.basket.expires_at);
    let page = CheckoutStart {
        layout: Layout::of(request, &fill(texts.start_title, &view.merchant_name)),
        form: Form::of(request),
        order: order.order_identifier.clone(),
        lines: order.products.iter().map(|one| product(request.texts, one)).collect(),
        total: request.texts.money(order.value),
        until: fill(texts.until, &ends),
    };
    render(request, status, &page)
}

fn phone_page(
    request: &PageRequest,
    view: &CheckoutView,
    status: StatusCode,
    error: Option<PageError>,
) -> Response {
    let texts = request.texts.checkout;
    let page = CheckoutPhone {
        layout: Layout::of(request, texts.phone_title),
        form: Form::of(request),
        country: request.state.app.bank_profile().country.calling_code(),
        given: view.given_phone.as_ref().map(|last| fill(texts.phone_given, last)),
        typed: request.field("phone").to_owned(),
        error: error_text(error),
    };
    render(request, status, &page)
}

pub(super) fn income_page(request: &PageRequest, status: StatusCode, errors: ReviewErrors) -> Response {
    let page = CheckoutIncome {
        layout: Layout::of(request, request.texts.review.income_title),
        form: Form::of(request),
        typed: TypedReview::of(request),
        sources: ReviewSource::all(request),
        errors,
    };
    render(request, status, &page)
}

fn sign_in_page(request: &PageRequest, status: StatusCode, error: Option<PageError>) -> Response {
    let page = CheckoutSignIn {
        layout: Layout::of(request, request.texts.sign_in_title),
        form: Form::of(request),
        user: request.user_name(),
        error: error_text(error),
    };
    render(request, status, &page)
}

fn plans(
    request: &PageRequest,
    view: &CheckoutView,
    account: Option<&Iban>,
    signed_in: bool,
) -> CheckoutPlans {
    let (texts, currency) = (request.texts.checkout, view.basket.order.value.currency);
    let each = |offer: &OfferView| {
        let first = offer.schedule.first().map_or(0, Installment::amount_minor);
        let free = offer.total_minor == view.basket.order.value.minor;
        let total = request.texts.money(Money::new(offer.total_minor, currency));
        let href = format!("{}?plan={}", request.page, offer.plan.installments);
        PlanLine {
            href: Some(href).filter(|_| offer.declined.is_none()),
            usual: offer.is_default,
            each: fill(texts.plan_each, &request.texts.money(Money::new(first, currency))),
            count: fill(texts.plan_count, &offer.plan.installments.to_string()),
            terms: plan_terms(request, view, offer),
            cost: if free { texts.plan_free.to_owned() } else { fill(texts.plan_costs, &total) },
        }
    };
    let known = match account {
        Some(iban) => Some(fill(texts.customer_known, &masked(iban))),
        None if signed_in => Some(texts.customer_bare.to_owned()),
        None => None,
    };
    // Plans differ in their monthly amount only, so all that are declined have the same reason.
    let declined = view.offers.iter().find_map(|offer| offer.declined);
    CheckoutPlans {
        layout: Layout::of(request, texts.plan_title),
        form: Form::of(request),
        plans: view.offers.iter().map(each).collect(),
        declined: declined.map(|reason| texts.why(reason)),
        known,
    }
}

/// APR, interest and total of a plan.
fn plan_terms(request: &PageRequest, view: &CheckoutView, offer: &OfferView) -> String {
    let lent = view.basket.order.value;
    let money = |minor| request.texts.money(Money::new(minor, lent.currency));
    let apr = format::percent(request.texts.language, offer.apr_tenths_of_percent, 1);
    let interest = money(offer.total_minor - lent.minor);
    fill_all(request.texts.checkout.plan_terms, &[&apr, &interest, &money(offer.total_minor)])
}

/// `3 × €40.10, first on 15 December 2026`.
fn headline(request: &PageRequest, view: &CheckoutView, offer: &OfferView) -> String {
    let Some(first) = offer.schedule.first() else { return request.texts.checkout.agree_title.to_owned() };
    let each = request.texts.money(Money::new(first.amount_minor(), view.basket.order.value.currency));
    let count = offer.schedule.len().to_string();
    fill_all(request.texts.headline.plan, &[&count, &each, &request.texts.day(first.payment)])
}

fn agreement(
    request: &PageRequest,
    view: &CheckoutView,
    offer: &OfferView,
    account: Option<&Iban>,
    error: Option<PageError>,
) -> CheckoutAgreement {
    let (texts, amount) = (request.texts.checkout, view.basket.order.value);
    let money = |minor| request.texts.money(Money::new(minor, amount.currency));
    let percent = |units, places| format::percent(request.texts.language, units, places);
    let row = |label, value| Row { label, value };
    let mut rows = vec![
        row(texts.fact_lender, request.state.app.bank_name().to_string()),
        row(texts.fact_amount, request.texts.money(amount)),
        row(texts.fact_rate, percent(i64::from(offer.plan.yearly_rate_bp), 2)),
        row(texts.fact_apr, percent(offer.apr_tenths_of_percent, 1)),
        row(texts.fact_total, money(offer.total_minor)),
    ];
    match (account, &view.transfer) {
        (Some(account), _) => rows.push(row(texts.fact_collected, masked(account))),
        (None, Some(transfer)) => rows.extend([
            row(texts.fact_payment, texts.fact_not_collected.to_owned()),
            row(texts.fact_iban, transfer.iban.printed()),
            row(texts.fact_reference, transfer.reference.printed()),
        ]),
        (None, None) => {}
    }
    let is_collected = account.is_some();
    let line = |one: &Installment| Line {
        name: request.texts.day(one.due),
        quantity: match is_collected {
            true if one.payment == one.due => None,
            true => Some(fill(texts.due_moved, &request.texts.day(one.payment))),
            false => Some(fill(texts.due_transfer, &request.texts.day(one.payment))),
        },
        amount: money(one.amount_minor()),
    };
    CheckoutAgreement {
        layout: Layout::of(request, &headline(request, view, offer)),
        form: Form::of(request),
        rows,
        schedule: offer.schedule.iter().map(line).collect(),
        email: email_field(request, view, error),
        information: document::links(request, view, offer.plan.installments),
        late: if is_collected { texts.late } else { texts.late_transfer },
        plan: offer.plan.installments,
        day: format_date(view.today),
        error: error_text(error.filter(|error| matches!(error, PageError::Agreement(..)))),
    }
}

/// The field for an e-mail address, where messages reach their recipient: what was typed, or what the merchant sent.
fn email_field(request: &PageRequest, view: &CheckoutView, error: Option<PageError>) -> Option<EmailField> {
    let given = view.basket.order.email.as_ref().map(|email| email.as_str().to_owned());
    let typed = request.field("email").to_owned();
    request.state.app.sends_email().then(|| EmailField {
        value: if error.is_some() { typed } else { given.unwrap_or_default() },
        error: error_text(error.filter(|error| matches!(error, PageError::Email(..)))),
    })
}

fn product(texts: &PageTexts, product: &Product) -> Line {
    let quantity = parse_decimal(&product.quantity).map(|number| number.normalize().to_string());
    let quantity = format::decimal(texts.language, &quantity.unwrap_or_default());
    let units = product.quantity_units.as_ref().map_or(String::new(), |units| format!(" {units}"));
    let plain = quantity == "1" && units.is_empty();
    Line {
        name: product.name.clone(),
        quantity: (!plain).then(|| format!("{quantity}{units}")),
        amount: texts.money(product.total),
    }
}

fn masked(iban: &Iban) -> String {
    let text = iban.as_str();
    format!("{} … {}", &text[..4], &text[text.len().saturating_sub(4)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_account_is_shown_by_its_first_and_last_characters() {
        let iban = Iban::parse("GR1601101250000000012300695").unwrap();
        assert_eq!(masked(&iban), "GR16 … 0695");
    }
}
