//! Requests and responses of the sandbox.

use super::basket::UrlsOut;
use super::request::{Required, request};
use crate::wire::field_name::spell;
use schemars::JsonSchema;
use serde::Serialize;
use trapeza_app::application::MerchantUrls;
use trapeza_app::format_timestamp;
use trapeza_app::notification::MessageView;
use trapeza_app::sandbox::{ApplicationChange, ApplicationView};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_http::extract::fields::{Fields, missing_field};
use trapeza_http::extract::json::Json;
use uuid::Uuid;

/// The bank's clock.
#[derive(Serialize, JsonSchema)]
pub struct Clock {
    /// The bank's time.
    #[schemars(extend("format" = "date-time"))]
    now: String,
}

pub fn clock(now: Timestamp) -> Clock {
    Clock { now: format_timestamp(now) }
}

request! {
    /// A step of the bank's clock, forward only.
    pub struct ClockAdvance<'a> {
        /// An ISO 8601 duration such as P1D or PT20M; a month counts as 30 days, a year as 365.
        #[schemars(extend("format" = "duration"))]
        "advance" => advance: Required<&'a str>,
    }
}

/// Reads the step of the clock.
pub fn advance(body: &Json) -> Result<TimeDelta, Refusal> {
    let fields = Fields::of(body, spell)?;
    let request = ClockAdvance::read(&fields);
    let by = request.advance.0.and_then(|text| fields.parsed("advance", duration(text)));
    fields.finish()?;
    by.ok_or_else(missing_field)
}

fn duration(text: &str) -> Result<TimeDelta, &'static str> {
    const EXPECTED: &str = "must be a positive ISO 8601 duration, for example P1D or PT20M";
    let span: jiff::Span = text.parse().map_err(|_| EXPECTED)?;
    // Months and years have no fixed length; they count as 30 and 365 days.
    let days = i64::from(span.get_days())
        + i64::from(span.get_weeks()) * 7
        + i64::from(span.get_months()) * 30
        + i64::from(span.get_years()) * 365;
    let time = span.years(0).months(0).weeks(0).days(0);
    let time = time.total(jiff::Unit::Second).map_err(|_| EXPECTED)?;
    if !text.starts_with('P') || !(-1e9..=1e9).contains(&time) || days.abs() > 1_000_000 {
        return Err(EXPECTED);
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bounded above, and seconds have no fraction worth keeping"
    )]
    let micros = (time.trunc() as i64).saturating_mul(1_000_000);
    Ok(TimeDelta(days.saturating_mul(86_400_000_000).saturating_add(micros)))
}

/// Messages sent to the SMS gateway and the push service.
#[derive(Serialize, JsonSchema)]
pub struct Messages<'a> {
    /// Newest first.
    messages: Vec<MessageOut<'a>>,
}

/// A message to a customer.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Message")]
struct MessageOut<'a> {
    /// The phone number, or the customer's user name.
    to: &'a str,
    /// The channel.
    #[schemars(extend("enum" = ["SMS", "PUSH"]))]
    channel: &'a str,
    /// The text.
    text: &'a str,
    /// The OTP in the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
    /// When it was sent.
    #[schemars(extend("format" = "date-time"))]
    sent_at: String,
}

pub fn messages(messages: &[MessageView]) -> Messages<'_> {
    let messages = messages.iter().map(|message| MessageOut {
        to: &message.to,
        channel: &message.channel,
        text: &message.text,
        code: message.code.as_deref(),
        sent_at: format_timestamp(message.sent_at),
    });
    Messages { messages: messages.collect() }
}

request! {
    /// The URLs that a merchant's application changes; absent ones stay as they are.
    #[schemars(deny_unknown_fields)]
    pub struct MerchantApplicationChange<'a> {
        /// The callback URL for approved baskets.
        #[schemars(extend("format" = "uri"))]
        "successCallbackUrl" => success_callback: Option<&'a str>,
        /// The callback URL for declined and expired baskets.
        #[schemars(extend("format" = "uri"))]
        "failCallbackUrl" => fail_callback: Option<&'a str>,
        /// The redirect URL after a purchase.
        #[schemars(extend("format" = "uri"))]
        "successRedirectURI" => success_redirect: Option<&'a str>,
        /// The redirect URL otherwise.
        #[schemars(extend("format" = "uri"))]
        "failureRedirectURI" => failure_redirect: Option<&'a str>,
    }
}

request! {
    /// The redirect URIs that a third party's application changes.
    #[schemars(deny_unknown_fields)]
    pub struct ThirdPartyApplicationChange<'a> {
        /// The redirect URIs, which replace the present ones.
        #[schemars(length(max = MAX_REDIRECT_URIS))]
        "redirectURIs" => redirect_uris: Option<Vec<&'a str>>,
    }
}

/// A merchant sets its four URLs, a third party its redirect URIs.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "ApplicationChange")]
#[expect(
    dead_code,
    reason = "the owner of the application decides which body is read; only the schema has both"
)]
pub enum ChangeBody<'a> {
    Merchant(MerchantApplicationChange<'a>),
    ThirdParty(ThirdPartyApplicationChange<'a>),
}

/// Maximum number of redirect URIs of an application.
const MAX_REDIRECT_URIS: usize = 20;

/// Reads what an application may change: a merchant its four URLs, a third party its redirect URIs.
pub fn change(body: &Json, owner: ApplicationOwner) -> Result<ApplicationChange, Refusal> {
    let fields = Fields::of(body, spell)?;
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let change = match owner {
        ApplicationOwner::Merchant { .. } => {
            fields.refuse_unknown::<MerchantApplicationChange<'_>>();
            let urls = MerchantApplicationChange::read(&fields);
            let urls = MerchantUrls {
                success_callback: owned(urls.success_callback),
                fail_callback: owned(urls.fail_callback),
                success_redirect: owned(urls.success_redirect),
                failure_redirect: owned(urls.failure_redirect),
            };
            ApplicationChange { urls, redirect_uris: None }
        }
        ApplicationOwner::ThirdParty => {
            fields.refuse_unknown::<ThirdPartyApplicationChange<'_>>();
            let uris = ThirdPartyApplicationChange::read(&fields).redirect_uris;
            let redirect_uris = uris.map(|uris| uris.into_iter().map(str::to_owned).collect());
            ApplicationChange { urls: MerchantUrls::default(), redirect_uris }
        }
    };
    if change.redirect_uris.as_ref().is_some_and(|uris| uris.len() > MAX_REDIRECT_URIS) {
        fields.error("redirectURIs", format!("must have at most {MAX_REDIRECT_URIS} entries"));
    }
    fields.finish()?;
    Ok(change)
}

/// A registered application with its URLs.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Application")]
pub struct ApplicationOut<'a> {
    /// The application's id.
    application_id: Uuid,
    /// When it was registered.
    #[schemars(extend("format" = "date-time"))]
    created: String,
    /// The redirect URIs of a third party.
    #[serde(rename = "redirectURIs", skip_serializing_if = "Option::is_none")]
    redirect_uris: Option<&'a [String]>,
    #[serde(flatten)]
    urls: Option<UrlsOut<'a>>,
}

pub fn application(view: &ApplicationView, owner: ApplicationOwner) -> ApplicationOut<'_> {
    let is_tpp = owner == ApplicationOwner::ThirdParty;
    ApplicationOut {
        application_id: view.id.uuid(),
        created: format_timestamp(view.created_at),
        redirect_uris: is_tpp.then_some(&view.redirect_uris[..]),
        urls: (!is_tpp).then(|| UrlsOut::of(&view.urls)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_8601_durations_are_parsed() {
        for (text, span) in [
            ("P1D", TimeDelta::days(1)),
            ("PT20M", TimeDelta::minutes(20)),
            ("P1W", TimeDelta::days(7)),
            ("P1DT2H", TimeDelta::hours(26)),
            ("P6M", TimeDelta::days(180)),
            ("PT25H", TimeDelta::hours(25)),
        ] {
            assert_eq!(duration(text), Ok(span), "{text}");
        }
        for odd in ["", "1d", "tomorrow", "P", "1 day", "PT"] {
            assert!(duration(odd).is_err(), "{odd}");
        }
    }
}
