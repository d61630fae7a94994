//! The checkout: from the basket to the end, and back to the shop in every case. What a step means is the app's; here
//! stands which page shows it.

#[cfg(test)]
mod samples;
pub(super) mod view;
pub(super) mod words;

use self::view::{
    CheckoutAgreement, CheckoutCode, CheckoutPhone, CheckoutPlans, CheckoutSignIn, CheckoutStart, Line,
    PlanLine, Row,
};
use crate::frame::{Back, Form, Frame, see, show};
use crate::script::Script;
use crate::view::{End, Notice};
use crate::visit::Visit;
use crate::words::{Words, fill};
use crate::{not_ours, trouble};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::checkout::{CheckoutAccess, CheckoutView, OfferView, Purchase, Stage};
use trapeza_app::{UseCaseError, format_date, parse_date};
use trapeza_domain::basket::{BasketState, DeclineReason, Product};
use trapeza_domain::contact::Phone;
use trapeza_domain::decimal::parse_decimal;
use trapeza_domain::installment::Installment;
use trapeza_domain::money::Money;
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_domain::text::is_control_or_bidi;

/// The longest user name that is looked at.
const NAME_LENGTH: usize = 50;

/// Where it stands. Looking binds nothing: programs that show previews of links look, too.
pub async fn look(visit: &Visit, basket: &str) -> Response {
    stand(visit, basket, StatusCode::OK, None).await
}

/// A form was sent.
pub async fn act(visit: &Visit, basket: &str) -> Response {
    if !visit.is_ours() {
        return not_ours(visit);
    }
    let (app, browser, words) = (&visit.bank.app, visit.browser.as_str(), visit.words);
    let (taken, fault) = match visit.field("step") {
        "open" => (app.checkout_open(basket, browser).await, None),
        "leave" => (app.checkout_leave(basket, browser).await, None),
        "phone" => {
            let Ok(phone) = phone(visit.field("phone")) else {
                let fault = Some(Fault::Phone(words.checkout.phone_wrong));
                return stand(visit, basket, StatusCode::BAD_REQUEST, fault).await;
            };
            (app.checkout_phone(basket, browser, phone).await, Some(Fault::Phone(words.checkout.phone_wrong)))
        }
        "code" => {
            let code = Secret::new(visit.field("code").to_owned());
            (app.checkout_code(basket, browser, code).await, Some(Fault::Code(words.code_wrong)))
        }
        "sign-in" => {
            let signed = app.checkout_sign_in(basket, browser, &login(visit), visit.secret("password")).await;
            (signed, Some(Fault::SignIn(words.checkout.sign_in_wrong)))
        }
        "agree" => return agree(visit, basket).await,
        _ => return see(&visit.page),
    };
    settled(visit, basket, taken, fault).await
}

/// What was wrong, and so which page says so.
#[derive(Clone, Copy)]
enum Fault {
    Phone(&'static str),
    Code(&'static str),
    SignIn(&'static str),
    Agreement(u32, &'static str),
}

async fn settled(
    visit: &Visit,
    basket: &str,
    taken: Result<(), UseCaseError>,
    fault: Option<Fault>,
) -> Response {
    let refusal = match taken {
        Ok(()) => return see(&visit.page),
        Err(UseCaseError::Refused(refusal)) => refusal,
        Err(stop) => return trouble(visit, &stop),
    };
    match refusal.reason {
        // Guesses at many names from one address are slowed down like those in the bank's app.
        RefusalReason::CredentialsInvalid
            if matches!(fault, Some(Fault::SignIn(_))) && visit.failed().is_err() =>
        {
            let fault = Some(Fault::SignIn(visit.words.app.slow));
            stand(visit, basket, StatusCode::TOO_MANY_REQUESTS, fault).await
        }
        RefusalReason::CredentialsInvalid => stand(visit, basket, StatusCode::UNAUTHORIZED, fault).await,
        RefusalReason::Malformed => stand(visit, basket, StatusCode::BAD_REQUEST, fault).await,
        RefusalReason::RateExceeded => {
            let fault = Some(Fault::Code(visit.words.too_many));
            stand(visit, basket, StatusCode::TOO_MANY_REQUESTS, fault).await
        }
        // A second click, or an old page: where it stands now is the answer.
        _ => see(&visit.page),
    }
}

/// Without the box ticked nothing is agreed; with another day than today's the dates were others.
async fn agree(visit: &Visit, basket: &str) -> Response {
    let (plan, day) = (visit.field("plan").parse::<u32>(), parse_date(visit.field("day")));
    let (Ok(plan), Some(day)) = (plan, day) else { return see(&visit.page) };
    if visit.field("agreed") != "yes" {
        let fault = Some(Fault::Agreement(plan, visit.words.checkout.agree_missing));
        return stand(visit, basket, StatusCode::BAD_REQUEST, fault).await;
    }
    let agreed = visit.bank.app.checkout_agree(basket, &visit.browser, plan, day).await;
    settled(visit, basket, agreed, None).await
}

/// The page that goes with where it stands.
async fn stand(visit: &Visit, basket: &str, status: StatusCode, fault: Option<Fault>) -> Response {
    let words = visit.words.checkout;
    match visit.bank.app.checkout_view(basket, &visit.browser).await {
        Ok(CheckoutAccess::Unclaimed(view)) => start(visit, &view, status),
        Ok(CheckoutAccess::Own(view)) => own(visit, &view, status, fault),
        Ok(CheckoutAccess::Expired { merchant_name, urls }) => {
            let frame = Frame::of(visit, words.over_title);
            let back = back(visit, urls.failure_redirect.as_deref(), &merchant_name);
            show(visit, StatusCode::GONE, &Notice { frame, text: words.why(DeclineReason::Expired), back })
        }
        Ok(CheckoutAccess::OtherBrowser { decided: true }) => {
            notice(visit, StatusCode::GONE, words.over_title, words.over_text)
        }
        Ok(CheckoutAccess::OtherBrowser { decided: false }) => {
            notice(visit, StatusCode::CONFLICT, words.foreign_title, words.foreign_text)
        }
        Err(UseCaseError::Refused(_)) => {
            notice(visit, StatusCode::NOT_FOUND, words.none_title, words.none_text)
        }
        Err(stop) => trouble(visit, &stop),
    }
}

fn notice(visit: &Visit, status: StatusCode, title: &str, text: &'static str) -> Response {
    show(visit, status, &Notice { frame: Frame::of(visit, title), text, back: None })
}

fn own(visit: &Visit, view: &CheckoutView, status: StatusCode, fault: Option<Fault>) -> Response {
    let words = visit.words.checkout;
    let asked = visit.query("plan").and_then(|plan| plan.parse().ok());
    match (&view.stage, fault) {
        (Stage::Phone, fault) => phone_page(visit, view, status, fault),
        (Stage::Code { .. }, fault @ Some(Fault::Phone(_))) => phone_page(visit, view, status, fault),
        (Stage::Code { again: true, .. }, None) if visit.query("phone").is_some() => {
            phone_page(visit, view, status, None)
        }
        (Stage::Code { phone, open, again }, fault) => {
            let page = CheckoutCode {
                frame: Frame::of(visit, words.code_title),
                form: Form::of(visit),
                prompt: fill(if *open { words.code_text } else { words.code_over }, phone),
                open: *open,
                again: *again,
                fault: fault_text(fault),
            };
            show(visit, status, &page)
        }
        (Stage::Plan { .. }, fault @ Some(Fault::SignIn(_))) => sign_in_page(visit, status, fault),
        (Stage::Plan { signed_in: false, .. }, None) if visit.query("sign-in").is_some() => {
            sign_in_page(visit, status, None)
        }
        (Stage::Plan { account, signed_in }, fault) => {
            let asked = match fault {
                Some(Fault::Agreement(plan, _)) => Some(plan),
                _ => asked,
            };
            let chosen = view.offers.iter().find(|offer| Some(offer.plan.installments) == asked);
            match chosen {
                Some(offer) => {
                    show(visit, status, &agreement(visit, view, offer, account.as_ref(), fault_text(fault)))
                }
                None => show(visit, status, &plans(visit, view, account.as_ref(), *signed_in)),
            }
        }
        (Stage::Over { .. }, _) => end(visit, view),
    }
}

fn fault_text(fault: Option<Fault>) -> Option<&'static str> {
    fault.map(|fault| match fault {
        Fault::Phone(text) | Fault::Code(text) | Fault::SignIn(text) | Fault::Agreement(_, text) => text,
    })
}

fn start(visit: &Visit, view: &CheckoutView, status: StatusCode) -> Response {
    let (words, order) = (visit.words.checkout, &view.basket.order);
    let ends = visit.bank.app.clock().zone().clock_time(view.basket.expires_at);
    let page = CheckoutStart {
        frame: Frame::of(visit, &fill(words.start_title, &view.merchant_name)),
        form: Form::of(visit),
        order: order.order_identifier.clone(),
        lines: order.products.iter().map(product).collect(),
        total: price(order.value),
        until: fill(words.until, &ends),
    };
    show(visit, status, &page)
}

fn phone_page(visit: &Visit, view: &CheckoutView, status: StatusCode, fault: Option<Fault>) -> Response {
    let words = visit.words.checkout;
    let page = CheckoutPhone {
        frame: Frame::of(visit, words.phone_title),
        form: Form::of(visit),
        given: view.given_phone.as_ref().map(|last| fill(words.phone_given, last)),
        fault: fault_text(fault),
    };
    show(visit, status, &page)
}

fn sign_in_page(visit: &Visit, status: StatusCode, fault: Option<Fault>) -> Response {
    let page = CheckoutSignIn {
        frame: Frame::of(visit, visit.words.sign_in_title),
        form: Form::of(visit),
        user: login(visit),
        fault: fault_text(fault),
    };
    show(visit, status, &page)
}

fn plans(visit: &Visit, view: &CheckoutView, account: Option<&Iban>, signed_in: bool) -> CheckoutPlans {
    let (words, currency) = (visit.words.checkout, view.basket.order.value.currency);
    let each = |offer: &OfferView| {
        let first = offer.schedule.first().map_or(0, Installment::amount_minor);
        let free = offer.total_minor == view.basket.order.value.minor;
        let total = price(Money::new(offer.total_minor, currency));
        PlanLine {
            href: format!("{}?plan={}", visit.page, offer.plan.installments),
            usual: offer.is_default,
            each: fill(words.plan_each, &price(Money::new(first, currency))),
            count: fill(words.plan_count, &offer.plan.installments.to_string()),
            cost: if free { words.plan_free.to_owned() } else { fill(words.plan_costs, &total) },
        }
    };
    let known = match account {
        Some(iban) => Some(fill(words.customer_known, &masked(iban))),
        None if signed_in => Some(words.customer_bare.to_owned()),
        None => None,
    };
    CheckoutPlans {
        frame: Frame::of(visit, words.plan_title),
        form: Form::of(visit),
        plans: view.offers.iter().map(each).collect(),
        known,
    }
}

fn agreement(
    visit: &Visit,
    view: &CheckoutView,
    offer: &OfferView,
    account: Option<&Iban>,
    fault: Option<&'static str>,
) -> CheckoutAgreement {
    let (words, amount) = (visit.words.checkout, view.basket.order.value);
    let money = |minor| price(Money::new(minor, amount.currency));
    let percent = |units: i64, places: u32| format!("{} %", points(units, places));
    let row = |label, value| Row { label, value };
    let mut rows = vec![
        row(words.fact_lender, "Trapeza".to_owned()),
        row(words.fact_amount, price(amount)),
        row(words.fact_rate, percent(i64::from(offer.plan.yearly_rate_bp), 2)),
        row(words.fact_apr, percent(offer.apr_tenths_of_percent, 1)),
        row(words.fact_total, money(offer.total_minor)),
    ];
    let from = account.map_or(words.fact_not_collected.to_owned(), masked);
    rows.push(row(words.fact_collected, from));
    let line = |one: &Installment| Line {
        name: visit.words.day(one.due),
        quantity: (one.payment != one.due).then(|| fill(words.due_moved, &visit.words.day(one.payment))),
        amount: money(one.amount_minor()),
    };
    CheckoutAgreement {
        frame: Frame::of(visit, words.agree_title),
        form: Form::of(visit),
        rows,
        schedule: offer.schedule.iter().map(line).collect(),
        plan: offer.plan.installments,
        day: format_date(view.today),
        fault,
    }
}

fn end(visit: &Visit, view: &CheckoutView) -> Response {
    let (words, shop) = (visit.words, view.merchant_name.as_str());
    let bought = match &view.stage {
        Stage::Over { bought } => bought.as_ref(),
        _ => None,
    };
    let (good, text) = match (bought, view.basket.state) {
        (Some(bought), _) => (true, stands(words, shop, bought)),
        (None, BasketState::Declined { reason, .. }) => (false, words.checkout.why(reason).to_owned()),
        (None, _) => (false, words.checkout.why(DeclineReason::Expired).to_owned()),
    };
    let way = if good { &view.urls.success_redirect } else { &view.urls.failure_redirect };
    let back = back(visit, way.as_deref(), shop);
    let title = if good { words.checkout.end_approved } else { words.checkout.end_declined };
    let frame = Frame::of(visit, title);
    let (frame, then) = match &back {
        Some(_) => (frame.with(Script::End), fill(words.on_the_way, shop)),
        None => (frame, words.close_window.to_owned()),
    };
    show(visit, StatusCode::OK, &End { frame, good, text, then, back })
}

/// What was bought as it stands now: whoever comes back to the page later reads what is true then.
fn stands(words: &Words, shop: &str, bought: &Purchase) -> String {
    let said = words.checkout;
    let Some(next) = bought.left.first() else {
        return if bought.undone { fill(said.end_undone, shop) } else { said.end_settled.to_owned() };
    };
    let (count, next) = (bought.left.len().to_string(), words.day(next.payment));
    if !bought.begun {
        return fill(&fill(&fill(said.end_approved_text, shop), &count), &next);
    }
    let left = fill(&fill(said.end_left, &count), &next);
    if bought.refunded.minor == 0 {
        return left;
    }
    format!("{} {left}", fill(&fill(said.end_refunded, shop), &bought.refunded.to_string()))
}

/// The way back to the shop. The bank let it be set; still, only what a browser opens as a site is a link.
fn back(visit: &Visit, href: Option<&str>, shop: &str) -> Option<Back> {
    let href = href.filter(|href| href.starts_with("https://") || href.starts_with("http://"))?;
    Some(Back { href: href.to_owned(), label: fill(visit.words.back_to, shop) })
}

fn product(product: &Product) -> Line {
    let quantity =
        parse_decimal(&product.quantity).map(|number| number.normalize().to_string()).unwrap_or_default();
    let units = product.quantity_units.as_ref().map_or(String::new(), |units| format!(" {units}"));
    let plain = quantity == "1" && units.is_empty();
    Line {
        name: product.name.clone(),
        quantity: (!plain).then(|| format!("{quantity}{units}")),
        amount: price(product.total),
    }
}

fn price(money: Money) -> String {
    format!("{} {}", money.to_decimal_string(), money.currency)
}

/// A number of `10^-places`, with all its decimals.
fn points(units: i64, places: u32) -> String {
    let scale = 10_i64.pow(places);
    format!("{}.{:0width$}", units / scale, units % scale, width = places as usize)
}

fn masked(iban: &Iban) -> String {
    let text = iban.as_str();
    format!("{} … {}", &text[..4], &text[text.len().saturating_sub(4)..])
}

/// What was typed as a telephone. Nothing is no fault: the shop may have given a number.
fn phone(typed: &str) -> Result<Option<Phone>, &'static str> {
    let plain: String =
        typed.chars().filter(|letter| !matches!(letter, ' ' | '-' | '(' | ')' | '.')).collect();
    if plain.is_empty() { Ok(None) } else { Phone::parse(&plain).map(Some) }
}

/// Nobody's name has an unseen character, and a database may refuse one: such a name stays nobody's.
fn login(visit: &Visit) -> String {
    let readable =
        |letter: char| if is_control_or_bidi(letter) { char::REPLACEMENT_CHARACTER } else { letter };
    visit.field("user").chars().take(NAME_LENGTH).map(readable).collect()
}
