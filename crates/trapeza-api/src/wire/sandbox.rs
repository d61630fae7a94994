//! Requests and responses of the sandbox.

use super::basket::UrlsOut;
use super::fields::{Fields, missing_field};
use serde::Serialize;
use trapeza_app::application::MerchantUrls;
use trapeza_app::format_timestamp;
use trapeza_app::notification::MessageView;
use trapeza_app::sandbox::{ApplicationChange, ApplicationView};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_http::extract::json::Json;

#[derive(Serialize)]
pub struct Clock {
    now: String,
}

pub fn clock(now: Timestamp) -> Clock {
    Clock { now: format_timestamp(now) }
}

/// `{"advance": "P1D"}`: an ISO 8601 duration.
pub fn advance(body: &Json) -> Result<TimeDelta, Refusal> {
    let fields = Fields::of(body)?;
    let by = fields.text("advance").and_then(|text| fields.parsed("advance", duration(text)));
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

/// The newest notifications, newest first.
#[derive(Serialize)]
pub struct Messages<'a> {
    messages: Vec<MessageOut<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageOut<'a> {
    to: &'a str,
    channel: &'a str,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a str>,
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

/// Reads what an application may change: a merchant its four URLs, a third party its redirect URIs.
pub fn change(body: &Json, owner: ApplicationOwner) -> Result<ApplicationChange, Refusal> {
    let fields = Fields::of(body)?;
    let text = |name| fields.opt_text(name).map(str::to_owned);
    let change = match owner {
        ApplicationOwner::Merchant(_) => ApplicationChange {
            urls: MerchantUrls {
                success_callback: text("successCallbackUrl"),
                fail_callback: text("failCallbackUrl"),
                success_redirect: text("successRedirectURI"),
                failure_redirect: text("failureRedirectURI"),
            },
            redirect_uris: None,
        },
        ApplicationOwner::ThirdParty => ApplicationChange {
            urls: MerchantUrls::default(),
            redirect_uris: fields
                .opt_texts("redirectURIs")
                .map(|uris| uris.into_iter().map(str::to_owned).collect()),
        },
    };
    if change.redirect_uris.as_ref().is_some_and(|uris| uris.len() > 20) {
        fields.error("redirectURIs", "must have at most 20 entries");
    }
    fields.finish()?;
    Ok(change)
}

/// An application with its URLs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApplicationOut<'a> {
    application_id: String,
    created: String,
    #[serde(rename = "redirectURIs", skip_serializing_if = "Option::is_none")]
    redirect_uris: Option<&'a [String]>,
    #[serde(flatten)]
    urls: Option<UrlsOut<'a>>,
}

pub fn application(view: &ApplicationView, owner: ApplicationOwner) -> ApplicationOut<'_> {
    let is_tpp = owner == ApplicationOwner::ThirdParty;
    ApplicationOut {
        application_id: view.id.to_string(),
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
