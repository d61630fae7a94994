//! The price widget: what a purchase costs in installments, for a shop to embed. `/price/{merchantId}?amount=120.30` is a page for a
//! frame, `/price/{merchantId}/image.svg?amount=120.30` a picture. Both are public, have no cookies and no scripts, and may be cached.
//!
//! They are advertisements of credit: beside the payments they contain the standard information and the warning that Directive
//! (EU) 2023/2225 requires.

use super::language::{self, LanguageLink};
use super::security_policy::source_hash;
use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, LazyLock};
use trapeza_app::UseCaseError;
use trapeza_app::merchant_terms::{MerchantTerms, PlanQuote, PriceQuote};
use trapeza_domain::basket::AmountLimits;
use trapeza_domain::money::Money;
use trapeza_http::AppState;
use trapeza_http::extract::CorrelationId;
use trapeza_texts::page::{PageTexts, fill};
use trapeza_texts::{Language, format};
use url::form_urlencoded;

/// How long browsers and shops may show an answer without asking again.
const CACHE: &str = "public, max-age=300";
const STYLE: &str = include_str!("../templates/price.css");
/// Every site may show the page in a frame: it has nothing to click.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let policy = format!(
        "default-src 'none'; style-src {}; base-uri 'none'; form-action 'none'; frame-ancestors *",
        source_hash(STYLE)
    );
    HeaderValue::try_from(policy).expect("a hash in base64 is plain text")
});

/// What both forms of the widget show.
#[derive(Clone, Debug)]
pub struct Price {
    pub language: &'static str,
    pub title: &'static str,
    /// `3 × €40.10`, or which amounts are possible.
    pub headline: String,
    /// The standard information; empty when the amount is not possible.
    pub terms: String,
    pub warning: &'static str,
    /// The page in the bank's other languages.
    pub languages: Vec<LanguageLink>,
}

#[derive(Template)]
#[template(path = "pages/price.html")]
struct PricePage {
    price: Price,
    style: &'static str,
}

#[derive(Template)]
#[template(path = "pages/price.svg", escape = "html")]
struct PricePicture {
    price: Price,
}

pub async fn page(
    State(state): State<Arc<AppState>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, PriceError> {
    let price = price(&state, path, &request.into_parts().0).await?;
    let page = PricePage { price, style: STYLE };
    Ok(response("text/html; charset=utf-8", POLICY.clone(), &page))
}

pub async fn picture(
    State(state): State<Arc<AppState>>,
    path: Result<Path<String>, PathRejection>,
    request: Request,
) -> Result<Response, PriceError> {
    let price = price(&state, path, &request.into_parts().0).await?;
    let policy = HeaderValue::from_static("default-src 'none'; frame-ancestors *");
    Ok(response("image/svg+xml", policy, &PricePicture { price }))
}

async fn price(
    state: &AppState,
    path: Result<Path<String>, PathRejection>,
    request: &Parts,
) -> Result<Price, PriceError> {
    let query = request.uri.query().unwrap_or_default();
    let parameter = |name: &str| {
        let mut pairs = form_urlencoded::parse(query.as_bytes());
        pairs.find(|(other, _)| other == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
    };
    let texts = texts(state, &parameter("lang"), &request.headers)?;
    let number = path.ok().and_then(|Path(text)| text.parse::<i64>().ok());
    let number = number.ok_or_else(|| error(StatusCode::NOT_FOUND, "unknown merchant"))?;
    let terms = match state.app.merchant_terms_by_number(number).await {
        Ok(terms) => terms,
        Err(UseCaseError::Refused(_)) => return Err(error(StatusCode::NOT_FOUND, "unknown merchant")),
        Err(UseCaseError::Failed(failure)) => {
            if !failure.is_overload() {
                let correlation = CorrelationId::of(&request.extensions);
                tracing::error!(%correlation, error = %failure, "price widget: reading the terms failed, answering 503");
            }
            return Err(error(StatusCode::SERVICE_UNAVAILABLE, "not available now"));
        }
    };
    let amount = parameter("amount");
    let parsed = Money::parse(&amount, terms.limits.minimum.currency);
    let parsed = parsed.map_err(|text| error(StatusCode::BAD_REQUEST, &format!("amount {text}")))?;
    let languages = language::links(
        &state.app.bank_profile().languages,
        texts.language,
        ("", &format!("amount={}", parsed.to_decimal_string())),
    );
    Ok(shown((texts, languages), &terms, parsed, terms.quote(&amount, state.app.clock().today()).ok()))
}

fn shown(
    (texts, languages): (&PageTexts, Vec<LanguageLink>),
    terms: &MerchantTerms,
    amount: Money,
    quote: Option<PriceQuote>,
) -> Price {
    let plan = quote.as_ref().and_then(PriceQuote::default_plan);
    let (headline, details) = match plan {
        Some(plan) => (payments(texts, plan), details(texts, amount, plan)),
        None => (range(texts, terms.limits), String::new()),
    };
    Price {
        language: texts.language.tag(),
        title: texts.price.title,
        headline,
        terms: details,
        warning: texts.price.warning,
        languages,
    }
}

/// `3 × €40.10`, or `2 × €33.33 + €33.34` when the last payment differs.
fn payments(texts: &PageTexts, plan: &PlanQuote) -> String {
    let (Some(first), Some(last)) = (plan.payments.first(), plan.payments.last()) else {
        return String::new();
    };
    let (count, each) = (plan.payments.len(), texts.money(*first));
    if first == last {
        format!("{count}\u{a0}×\u{a0}{each}")
    } else {
        format!("{}\u{a0}×\u{a0}{each} +\u{a0}{}", count - 1, texts.money(*last))
    }
}

fn details(texts: &PageTexts, amount: Money, plan: &PlanQuote) -> String {
    let percent = |units, places| format::percent(texts.language, units, places);
    let values = [
        texts.money(amount),
        percent(i64::from(plan.offer.plan.yearly_rate_bp), 2),
        percent(plan.apr_tenths_of_percent, 1),
        plan.payments.len().to_string(),
        texts.money(plan.total),
    ];
    values.iter().fold(texts.price.terms.to_owned(), |text, value| fill(&text, value))
}

fn range(texts: &PageTexts, limits: AmountLimits) -> String {
    fill(&fill(texts.price.range, &texts.money(limits.minimum)), &texts.money(limits.maximum))
}

/// The texts of the parameter `lang`, or of the language that the browser prefers.
fn texts(state: &AppState, name: &str, headers: &HeaderMap) -> Result<&'static PageTexts, PriceError> {
    if name.is_empty() {
        return Ok(language::accepted_texts(state, headers));
    }
    let known = [Language::English, Language::Greek].into_iter().find(|language| language.tag() == name);
    known.map(PageTexts::of).ok_or_else(|| error(StatusCode::BAD_REQUEST, "lang must be en or el"))
}

fn response(kind: &'static str, policy: HeaderValue, content: &impl Template) -> Response {
    let text = content.render().expect("the template writes into a String, which cannot fail");
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::CACHE_CONTROL, HeaderValue::from_static(CACHE)),
        (header::VARY, HeaderValue::from_static("Accept-Language")),
        // A shop with another origin may embed the picture.
        (
            header::HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        ),
    ];
    (headers, text).into_response()
}

/// A status and a text for the developer of the shop; the text contains nothing that the caller sent.
pub struct PriceError(StatusCode, String);

fn error(status: StatusCode, text: &str) -> PriceError {
    PriceError(status, text.to_owned())
}

impl IntoResponse for PriceError {
    fn into_response(self) -> Response {
        let Self(status, text) = self;
        (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], format!("{text}\n")).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::installment::{Plan, PlanOffer};
    use trapeza_domain::money::Currency;
    use trapeza_texts::page::ENGLISH;

    const fn eur(minor: i64) -> Money {
        Money::new(minor, Currency::EUR)
    }

    fn quote(payments: Vec<Money>) -> PlanQuote {
        PlanQuote {
            offer: PlanOffer { plan: Plan { installments: 12, yearly_rate_bp: 990 }, is_default: true },
            payments,
            interest: eur(648),
            total: eur(12_678),
            apr_tenths_of_percent: 104,
        }
    }

    #[test]
    fn standard_information_has_each_number_at_its_place() {
        assert_eq!(
            details(&ENGLISH, eur(12_030), &quote(vec![eur(1_057); 12])),
            "Credit of €120.30, fixed rate 9.90% a year, APR 10.4%, 12 monthly payments, total €126.78."
        );
    }

    #[test]
    fn last_payment_is_named_when_it_differs() {
        let same = payments(&ENGLISH, &quote(vec![eur(4_010); 3]));
        assert_eq!(same, "3\u{a0}×\u{a0}€40.10");
        let different = payments(&ENGLISH, &quote(vec![eur(3_333), eur(3_333), eur(3_334)]));
        assert_eq!(different, "2\u{a0}×\u{a0}€33.33 +\u{a0}€33.34");
    }
}
