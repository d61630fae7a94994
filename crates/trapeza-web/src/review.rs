//! The form with which a customer asks a person of the bank to decide, and the help for borrowers who cannot pay as agreed.

use crate::layout::{Form, Layout, render};
use crate::page_request::PageRequest;
use askama::Template;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::loan::{CustomerLoan, ReviewRequest};
use trapeza_domain::loan::{DeclaredIncome, IncomeSource, ReviewStatus, review_text};
use trapeza_domain::money::{Currency, Money};
use trapeza_texts::page::fill;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReviewSubject {
    Decision,
    Extension,
}

/// The form that asks a person to decide.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/review.html")]
pub struct ReviewForm {
    pub layout: Layout,
    pub form: Form,
    pub step: &'static str,
    pub text: &'static str,
    pub statement_label: &'static str,
    pub typed: TypedReview,
    pub sources: Vec<ReviewSource>,
    pub errors: ReviewErrors,
    /// The page to which the customer returns without asking.
    pub cancel: String,
}

/// What was typed into the form, shown again after an error.
#[derive(Clone, Debug, Default)]
pub struct TypedReview {
    pub statement: String,
    pub income: String,
    pub expenses: String,
}

/// A source of income to choose.
#[derive(Clone, Copy, Debug)]
pub struct ReviewSource {
    pub name: &'static str,
    pub label: &'static str,
    pub chosen: bool,
}

/// The error of each field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReviewErrors {
    pub statement: Option<&'static str>,
    pub income: Option<&'static str>,
    pub expenses: Option<&'static str>,
}

impl TypedReview {
    pub fn of(request: &PageRequest) -> Self {
        let typed = |name| request.field(name).to_owned();
        Self { statement: typed("statement"), income: typed("income"), expenses: typed("expenses") }
    }
}

impl ReviewSource {
    /// All sources, with the one that was chosen.
    pub fn all(request: &PageRequest) -> Vec<Self> {
        let sources = IncomeSource::ALL.iter().map(|source| Self {
            name: source.name(),
            label: request.texts.review.source_name(*source),
            chosen: source.name() == request.field("source"),
        });
        sources.collect()
    }
}

/// The question whether installments shall be paused.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/pause.html")]
pub struct PausePage {
    pub layout: Layout,
    pub form: Form,
    pub cancel: String,
}

/// What a borrower who cannot pay as agreed can do.
#[derive(Clone, Debug, Default)]
pub struct Help {
    pub texts: Vec<String>,
    /// The pages that pause the loan and ask for a longer plan, while possible.
    pub pause: Option<String>,
    pub extension: Option<String>,
    pub advice: Option<String>,
}

/// The form, with what was typed.
pub fn page(
    request: &PageRequest,
    status: StatusCode,
    subject: ReviewSubject,
    errors: ReviewErrors,
    cancel: &str,
) -> Response {
    let texts = request.texts.review;
    let (title, text, statement_label, step) = match subject {
        ReviewSubject::Decision => (texts.title, texts.text, texts.statement, "review"),
        ReviewSubject::Extension => {
            (texts.extension_title, texts.extension_text, texts.extension_statement, "extension")
        }
    };
    let page = ReviewForm {
        layout: Layout::of(request, title),
        form: Form::of(request),
        step,
        text,
        statement_label,
        typed: TypedReview::of(request),
        sources: ReviewSource::all(request),
        errors,
        cancel: cancel.to_owned(),
    };
    render(request, status, &page)
}

/// The question whether installments shall be paused.
pub fn pause_page(request: &PageRequest, cancel: &str) -> Response {
    let layout = Layout::of(request, request.texts.review.pause_title);
    let page = PausePage { layout, form: Form::of(request), cancel: cancel.to_owned() };
    render(request, StatusCode::OK, &page)
}

/// The help on the page of a loan, if there is any. The pages that it links to are below `path`.
pub fn help(request: &PageRequest, own: &CustomerLoan, links: HelpLinks) -> Option<Help> {
    let (texts, offer) = (request.texts, &own.forbearance);
    let review_texts = texts.review;
    own.detail.payoff_quote?;
    let mut help = Help {
        pause: offer.can_pause.then_some(links.pause),
        extension: offer.can_ask_for_extension.then_some(links.extension),
        ..Help::default()
    };
    if help.pause.is_some() {
        help.texts.push(review_texts.pause_offer.to_owned());
    }
    if help.extension.is_some() {
        help.texts.push(review_texts.extension_offer.to_owned());
    }
    if let Some(day) = offer.paused_on {
        help.texts.push(fill(review_texts.paused, &texts.day(day)));
    }
    if let Some(review) = &offer.extension {
        let day = request.state.app.clock().zone().day(review.requested_at);
        help.texts.push(match review.status {
            ReviewStatus::Open => fill(review_texts.extension_requested, &texts.day(day)),
            ReviewStatus::Rejected => {
                format!(
                    "{} {}",
                    review_texts.extension_rejected,
                    review.explanation.as_deref().unwrap_or_default()
                )
            }
            ReviewStatus::Granted | ReviewStatus::Used => review_texts.extension_granted.to_owned(),
        });
    }
    let advice = request.state.app.bank_profile().debt_advice(texts.language);
    help.advice = advice.map(|advice| fill(review_texts.advice, advice));
    Some(help).filter(|help| !help.texts.is_empty())
}

/// The pages that help a borrower.
pub struct HelpLinks {
    pub pause: String,
    pub extension: String,
}

/// Reads the form. Income and expenses are declared together or not at all.
pub fn read(request: &PageRequest, currency: Currency) -> Result<ReviewRequest, ReviewErrors> {
    let statement = review_text(request.field("statement"));
    let is_declared = !request.field("income").is_empty() || !request.field("expenses").is_empty();
    let income = if is_declared { read_income(request, currency).map(Some) } else { Ok(None) };
    match (statement, income) {
        (Ok(statement), Ok(income)) => Ok(ReviewRequest { statement, income }),
        (statement, income) => Err(ReviewErrors {
            statement: statement.is_err().then_some(request.texts.review.statement_wrong),
            ..income.err().unwrap_or_default()
        }),
    }
}

/// Reads a declaration of income and expenses.
pub fn read_income(request: &PageRequest, currency: Currency) -> Result<DeclaredIncome, ReviewErrors> {
    let income = amount(request.field("income"), currency);
    let expenses = amount(request.field("expenses"), currency);
    let source = IncomeSource::parse(request.field("source")).unwrap_or(IncomeSource::Other);
    let wrong = |read: Option<i64>| read.is_none().then_some(request.texts.review.amount_wrong);
    match (income, expenses) {
        (Some(income_minor), Some(expenses_minor)) => {
            Ok(DeclaredIncome { income_minor, expenses_minor, source })
        }
        _ => Err(ReviewErrors { statement: None, income: wrong(income), expenses: wrong(expenses) }),
    }
}

/// A typed amount, zero included. A decimal comma is accepted.
fn amount(typed: &str, currency: Currency) -> Option<i64> {
    let plain = typed.replacen(',', ".", 1);
    let is_zero = plain.starts_with('0') && plain.chars().all(|letter| matches!(letter, '0' | '.'));
    if is_zero && plain.matches('.').count() <= 1 {
        return Some(0);
    }
    Money::parse(&plain, currency).ok().map(|money| money.minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_amounts_are_read_in_cents() {
        for (typed, minor) in [
            ("0", Some(0)),
            ("0,00", Some(0)),
            ("7", Some(700)),
            ("0.50", Some(50)),
            ("12,50", Some(1_250)),
            ("1500.00", Some(150_000)),
            ("", None),
            ("-1", None),
            ("1x", None),
            ("1.005", None),
            ("1,000.00", None),
        ] {
            assert_eq!(amount(typed, Currency::EUR), minor, "{typed}");
        }
    }
}
