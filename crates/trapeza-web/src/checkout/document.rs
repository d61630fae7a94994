//! The documents of a checkout: the pre-contractual information of the chosen plan, as a page and as PDF.

use super::templates::{CheckoutInformation, InformationLinks};
use crate::document::{self, pdf, unavailable};
use crate::internal_error;
use crate::layout::{Layout, redirect, render};
use crate::page_request::PageRequest;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::checkout::{CheckoutAccess, CheckoutView};
use trapeza_domain::credit_document::{CreditOffer, DocumentKind};
use trapeza_texts::credit_document::{explanation, information};

/// Serves a document by its name, for the browser of the checkout only: `credit-information` with `?plan=` before the agreement, the stored
/// documents after it.
pub async fn serve(request: &PageRequest, basket: &str, name: &str) -> Response {
    let (kind, is_pdf) = match name.strip_suffix(".pdf") {
        Some(name) => (DocumentKind::parse(name), true),
        None => (DocumentKind::parse(name), false),
    };
    let view = match request.state.app.checkout_view(basket, &request.session).await {
        Ok(CheckoutAccess::Own(view)) => view,
        Ok(_) | Err(UseCaseError::Refused(_)) => return unavailable(request),
        Err(error) => return internal_error(request, &error),
    };
    let plan = request.query("plan").and_then(|plan| plan.parse().ok());
    match (kind, plan) {
        (Some(DocumentKind::Information), Some(plan)) => match request.state.app.credit_offer(&view, plan) {
            Some(offer) if is_pdf => information_pdf(request, &offer).await,
            Some(offer) => information_page(request, &offer),
            // The plan is not offered any more, or the basket is decided: the page of the checkout says which.
            None => redirect(&request.page),
        },
        // Without a plan: the documents of the agreement, once there is one.
        (Some(kind), None) if is_pdf => document::response(
            request,
            request.state.app.checkout_document(basket, &request.session, kind).await,
        ),
        _ => unavailable(request),
    }
}

async fn information_pdf(request: &PageRequest, offer: &CreditOffer) -> Response {
    let bytes = request.state.app.credit_information_pdf(request.texts.language, offer).await;
    pdf(DocumentKind::Information, bytes)
}

fn information_page(request: &PageRequest, offer: &CreditOffer) -> Response {
    let document = information(request.texts.language, offer);
    let plan = offer.plan.installments;
    let page = CheckoutInformation {
        layout: Layout::of(request, &document.title),
        document,
        pdf: format!("{}.pdf?plan={plan}", path(request)),
        back: format!("{}?plan={plan}", request.page),
    };
    render(request, StatusCode::OK, &page)
}

/// The links to the pre-contractual information of a plan, and its explanation.
pub(super) fn links(request: &PageRequest, view: &CheckoutView, plan: u32) -> Option<InformationLinks> {
    let offer = request.state.app.credit_offer(view, plan)?;
    Some(InformationLinks {
        page: format!("{}?plan={plan}", path(request)),
        pdf: format!("{}.pdf?plan={plan}", path(request)),
        explanation: explanation(request.texts.language, &offer),
    })
}

fn path(request: &PageRequest) -> String {
    format!("{}/documents/{}", request.page, DocumentKind::Information.name())
}
