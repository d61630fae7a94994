//! The sandbox's bodies.

use super::fields::Fields;
use serde_json::{Value, json};
use trapeza_app::application::MerchantUrls;
use trapeza_app::format_timestamp;
use trapeza_app::notification::MessageView;
use trapeza_app::sandbox::{ApplicationChange, ApplicationView};
use trapeza_domain::application::ApplicationOwner;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_http::extract::json::Json;

pub fn clock(now: Timestamp) -> Value {
    json!({ "now": format_timestamp(now) })
}

/// `{"advance": "P1D"}`: an ISO 8601 duration.
pub fn advance(body: &Json) -> Result<TimeDelta, Refusal> {
    let fields = Fields::of(body)?;
    let by = fields.text("advance").and_then(|text| fields.parsed("advance", duration(text)));
    fields.finish()?;
    by.ok_or_else(|| Refusal::malformed("advance", "is required"))
}

fn duration(text: &str) -> Result<TimeDelta, &'static str> {
    const WANTED: &str = "an ISO 8601 duration above zero is wanted, such as P1D or PT20M";
    let span: jiff::Span = text.parse().map_err(|_| WANTED)?;
    // A month is not a length of time; here it is thirty days, and a year 365.
    let days = i64::from(span.get_days())
        + i64::from(span.get_weeks()) * 7
        + i64::from(span.get_months()) * 30
        + i64::from(span.get_years()) * 365;
    let time = span.years(0).months(0).weeks(0).days(0);
    let time = time.total(jiff::Unit::Second).map_err(|_| WANTED)?;
    if !text.starts_with('P') || !(-1e9..=1e9).contains(&time) || days.abs() > 1_000_000 {
        return Err(WANTED);
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "bounded above, and seconds have no fraction worth keeping"
    )]
    let micros = (time.trunc() as i64).saturating_mul(1_000_000);
    Ok(TimeDelta(days.saturating_mul(86_400_000_000).saturating_add(micros)))
}

/// What customers were sent, newest first.
pub fn messages(messages: &[MessageView]) -> Value {
    let each = messages.iter().map(|message| {
        let mut body = json!({ "to": message.to, "channel": message.channel, "text": message.text });
        if let Some(code) = &message.code {
            body["code"] = json!(code);
        }
        body["sentAt"] = json!(format_timestamp(message.sent_at));
        body
    });
    json!({ "messages": each.collect::<Vec<_>>() })
}

/// What a program may set: a merchant its four addresses, a third party where its customers come back to.
pub fn change(body: &Json, holder: ApplicationOwner) -> Result<ApplicationChange, Refusal> {
    let fields = Fields::of(body)?;
    let text = |name| fields.opt_text(name).map(str::to_owned);
    let change = match holder {
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
        fields.fault("redirectURIs", "at most 20 addresses can be registered");
    }
    fields.finish()?;
    Ok(change)
}

pub fn application(view: &ApplicationView, holder: ApplicationOwner) -> Value {
    let mut body =
        json!({ "applicationId": view.id.to_string(), "created": format_timestamp(view.created_at) });
    if let ApplicationOwner::ThirdParty = holder {
        body["redirectURIs"] = json!(view.redirect_uris);
        return body;
    }
    let urls = [
        ("successCallbackUrl", &view.urls.success_callback),
        ("failCallbackUrl", &view.urls.fail_callback),
        ("successRedirectURI", &view.urls.success_redirect),
        ("failureRedirectURI", &view.urls.failure_redirect),
    ];
    for (name, url) in urls {
        if let Some(url) = url {
            body[name] = json!(url);
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_iso_8601() {
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
