//! The last page of the checkout: what became of the purchase, and the way back to the merchant.

use super::review;
use crate::layout::{Back, Layout, render};
use crate::loan;
use crate::page_request::PageRequest;
use crate::script::Script;
use crate::templates::End;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::checkout::{CheckoutView, Purchase, ReviewAccess, Stage};
use trapeza_domain::basket::{BasketState, DeclineReason};
use trapeza_texts::page::{PageTexts, fill, fill_all};
use url::Url;

pub(super) fn end(request: &PageRequest, view: &CheckoutView) -> Response {
    let (texts, shop) = (request.texts, view.merchant_name.as_str());
    let bought = match &view.stage {
        Stage::Over { bought } => bought.as_ref(),
        _ => None,
    };
    let transfer = view.transfer.as_ref().filter(|_| bought.is_some_and(|bought| !bought.collected));
    let (good, text) = match (bought, view.basket.state) {
        (Some(bought), _) => {
            let state = purchase_state(texts, shop, bought);
            match transfer.filter(|_| !bought.left.is_empty()) {
                Some(transfer) => {
                    let how = fill(texts.checkout.end_transfer, &transfer.iban.printed());
                    (true, format!("{state} {}", fill(&how, &transfer.reference.printed())))
                }
                None => (true, state),
            }
        }
        (None, state) => {
            let why = texts.checkout.why(decline_reason(state)).to_owned();
            (false, review::state(request, view).map_or(why.clone(), |state| format!("{why} {state}")))
        }
    };
    let is_reviewable = view.review == ReviewAccess::Possible;
    let back = back(request, view);
    let more = transfer
        .map(|transfer| Back { href: loan::path(&transfer.reference), label: texts.loan.link.to_owned() });
    let kinds = bought.map(|bought| bought.documents.as_slice()).unwrap_or_default();
    let documents = crate::document::links(request.texts.language, &request.page, kinds);
    let ask = || Back { href: format!("{}?review=1", request.page), label: texts.review.ask.to_owned() };
    let more = more.or_else(|| is_reviewable.then(ask));
    let more = more.or_else(|| back.is_none().then(|| home(request)));
    let title = if good { texts.checkout.end_approved } else { texts.checkout.end_declined };
    let layout = Layout::of(request, title);
    let (layout, then) = match &back {
        // The shopper has something to decide here first.
        Some(_) if is_reviewable => (layout, String::new()),
        Some(_) => (layout.with(Script::End), fill(texts.on_the_way, shop)),
        None => (layout, texts.close_window.to_owned()),
    };
    render(request, StatusCode::OK, &End { layout, good, text, then, back, more, documents })
}

/// The way on from a page without a shop to return to.
pub(super) fn home(request: &PageRequest) -> Back {
    Back { href: "/".to_owned(), label: request.texts.home_link.to_owned() }
}

/// The state of the purchase, which may have changed since it was made.
fn purchase_state(texts: &PageTexts, shop: &str, bought: &Purchase) -> String {
    let checkout_texts = texts.checkout;
    let Some(next) = bought.left.first() else {
        return if bought.undone {
            fill(checkout_texts.end_undone, shop)
        } else {
            checkout_texts.end_settled.to_owned()
        };
    };
    let (count, next) = (bought.left.len().to_string(), texts.day(next.payment));
    if !bought.begun {
        return fill_all(checkout_texts.end_approved_text, &[shop, &count, &next]);
    }
    let left = fill_all(checkout_texts.end_left, &[&count, &next]);
    if bought.refunded.minor == 0 {
        return left;
    }
    format!("{} {left}", fill_all(checkout_texts.end_refunded, &[shop, &texts.money(bought.refunded)]))
}

pub(super) const fn decline_reason(state: BasketState) -> DeclineReason {
    match state {
        BasketState::Declined { reason, .. } => reason,
        _ => DeclineReason::Expired,
    }
}

/// The outcome of a final basket, as the merchant reads it in the query of the link back.
const fn outcome(state: BasketState) -> &'static str {
    match state {
        BasketState::Approved { .. } => "approved",
        BasketState::Declined { reason: DeclineReason::CustomerLeft | DeclineReason::Voided, .. } => {
            "cancelled"
        }
        BasketState::Declined { .. } => "declined",
        BasketState::Created | BasketState::Opened { .. } | BasketState::Expired { .. } => "expired",
    }
}

/// The link back to the merchant, with the order and the outcome. Only http and https become links.
pub(super) fn back(request: &PageRequest, view: &CheckoutView) -> Option<Back> {
    let (basket, urls) = (&view.basket, &view.urls);
    let is_approved = matches!(basket.state, BasketState::Approved { .. });
    let address = if is_approved { &urls.success_redirect } else { &urls.failure_redirect };
    let mut address = Url::parse(address.as_deref()?).ok()?;
    if !matches!(address.scheme(), "https" | "http") {
        return None;
    }
    address
        .query_pairs_mut()
        .append_pair("orderIdentifier", &basket.order.order_identifier)
        .append_pair("publicBasketId", &basket.public.to_string())
        .append_pair("outcome", outcome(basket.state));
    Some(Back { href: address.into(), label: fill(request.texts.back_to, &view.merchant_name) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merchant_reads_why_the_basket_ended() {
        for (reason, expected) in [
            (DeclineReason::CustomerLeft, "cancelled"),
            (DeclineReason::Voided, "cancelled"),
            (DeclineReason::MerchantLimit, "declined"),
            (DeclineReason::PhoneBlocked, "declined"),
            (DeclineReason::Exposure, "declined"),
            (DeclineReason::Affordability, "declined"),
        ] {
            assert_eq!(outcome(BasketState::Declined { loan: None, reason }), expected, "{reason:?}");
        }
        assert_eq!(outcome(BasketState::Expired { loan: None }), "expired");
    }
}
