//! The list of a sandbox's callbacks, for developers.

use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use trapeza_app::callback::{CallbackFeed, event_name};
use trapeza_app::format_timestamp;
use uuid::Uuid;

/// Callbacks of an application, in their order.
#[derive(Serialize, JsonSchema)]
pub struct CallbackList<'a> {
    /// The value of `after` in the next request.
    cursor: String,
    /// At most 100.
    callbacks: Vec<CallbackOut<'a>>,
}

/// A callback with everything that is sent to the merchant.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ListedCallback")]
struct CallbackOut<'a> {
    /// The `webhook-id`, by which duplicates are recognised.
    id: Uuid,
    /// The kind of event.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["basket.approved", "basket.declined", "basket.expired"]))]
    kind: String,
    /// The time of the event.
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// The headers with the signature as of now. Without a webhook secret there are none.
    headers: BTreeMap<&'static str, &'a str>,
    /// The body, byte for byte: the signature covers it.
    body: &'a str,
}

pub fn list(feed: &CallbackFeed) -> CallbackList<'_> {
    let callbacks = feed.callbacks.iter().map(|one| CallbackOut {
        id: one.id.uuid(),
        kind: event_name(one.kind),
        created_at: format_timestamp(one.created_at),
        headers: one.headers.iter().map(|(name, value)| (*name, value.as_str())).collect(),
        body: &one.body,
    });
    CallbackList { cursor: feed.cursor.to_string(), callbacks: callbacks.collect() }
}
