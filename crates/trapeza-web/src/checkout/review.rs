//! The form with which a declined shopper asks for a review by a person.

use super::templates::{CheckoutReview, ReviewErrors, ReviewSource, TypedReview};
use crate::layout::{Form, Layout, render};
use crate::page_request::PageRequest;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::checkout::{CheckoutView, ReviewAccess};
use trapeza_app::loan::ReviewRequest;
use trapeza_domain::loan::{DeclaredIncome, IncomeSource, LoanReview, ReviewStatus, review_text};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;
use trapeza_texts::page::{PageTexts, fill};

/// The form, with what was typed.
pub(super) fn page(request: &PageRequest, status: StatusCode, errors: ReviewErrors) -> Response {
    let typed = |name| request.field(name).to_owned();
    let sources = IncomeSource::ALL.iter().map(|source| ReviewSource {
        name: source.name(),
        label: request.texts.review.source_name(*source),
        chosen: source.name() == request.field("source"),
    });
    let page = CheckoutReview {
        layout: Layout::of(request, request.texts.review.title),
        form: Form::of(request),
        typed: TypedReview {
            statement: typed("statement"),
            income: typed("income"),
            expenses: typed("expenses"),
        },
        sources: sources.collect(),
        errors,
    };
    render(request, status, &page)
}

/// Reads the form. Income and expenses are declared together or not at all.
pub(super) fn read(request: &PageRequest, currency: Currency) -> Result<ReviewRequest, ReviewErrors> {
    let (texts, mut errors) = (request.texts.review, ReviewErrors::default());
    let statement = review_text(request.field("statement"));
    if statement.is_err() {
        errors.statement = Some(texts.statement_wrong);
    }
    let (income, expenses) = (request.field("income"), request.field("expenses"));
    let is_declared = !income.is_empty() || !expenses.is_empty();
    let (income_minor, expenses_minor) = (amount(income, currency), amount(expenses, currency));
    if is_declared {
        errors.income = income_minor.is_none().then_some(texts.amount_wrong);
        errors.expenses = expenses_minor.is_none().then_some(texts.amount_wrong);
    }
    let source = IncomeSource::parse(request.field("source")).unwrap_or(IncomeSource::Other);
    let declared = income_minor.zip(expenses_minor);
    match statement {
        Ok(statement) if errors == ReviewErrors::default() => Ok(ReviewRequest {
            statement,
            income: declared.map(|(income_minor, expenses_minor)| DeclaredIncome {
                income_minor,
                expenses_minor,
                source,
            }),
        }),
        _ => Err(errors),
    }
}

/// A typed amount, zero included. A decimal comma is accepted.
fn amount(typed: &str, currency: Currency) -> Option<i64> {
    let plain = typed.replacen(',', ".", 1);
    if plain.chars().all(|letter| matches!(letter, '0' | '.')) && plain.starts_with('0') {
        return Some(0);
    }
    Money::parse(&plain, currency).ok().map(|money| money.minor)
}

/// What the last page says about the decision and its review.
pub(super) fn state(request: &PageRequest, view: &CheckoutView) -> Option<String> {
    let texts = request.texts;
    match &view.review {
        ReviewAccess::NotPossible => None,
        ReviewAccess::Possible => Some(texts.review.automated.to_owned()),
        ReviewAccess::Requested(review) => {
            let requested = request.state.app.clock().zone().day(review.requested_at);
            Some(decided(texts, view, review, requested))
        }
    }
}

fn decided(texts: &PageTexts, view: &CheckoutView, review: &LoanReview, requested: Date) -> String {
    let said = texts.review;
    let explanation = review.explanation.as_deref().unwrap_or_default();
    match review.status {
        ReviewStatus::Open => fill(said.requested, &texts.day(requested)),
        ReviewStatus::Granted | ReviewStatus::Used => {
            let until = review.valid_until.map(|day| texts.day(day)).unwrap_or_default();
            let amount = texts.money(view.basket.order.value);
            format!("{} {explanation}", fill(&fill(said.granted, &amount), &until))
        }
        ReviewStatus::Rejected => format!("{} {explanation}", said.rejected),
    }
}
