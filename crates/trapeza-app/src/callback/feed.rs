//! The callbacks of a sandbox, listed to the developers of a merchant: everything that the bank has reported, with the headers and
//! the body that it sends, whether or not the merchant has a callback URL.

use super::delivery_headers;
use crate::trace::TraceContext;
use crate::{App, UseCaseError};
use trapeza_domain::callback::CallbackKind;
use trapeza_domain::id::{ApplicationId, CallbackId};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{StoreError, Tx};

/// How many callbacks one list has at most.
pub const MAX_FEED_ROWS: i64 = 100;
/// How long callbacks are listed, by the system clock.
pub(crate) const FEED_RETENTION: TimeDelta = TimeDelta::days(7);

/// A position in the list of an application: callbacks after it are new.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FeedCursor(i64);

impl FeedCursor {
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|position| *position >= 0).map(Self)
    }
}

impl std::fmt::Display for FeedCursor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

/// Callbacks after a cursor, and the cursor after them.
#[derive(Clone, Debug)]
pub struct CallbackFeed {
    pub cursor: FeedCursor,
    pub callbacks: Vec<FeedCallback>,
}

/// A callback as the bank sends it.
#[derive(Clone, Debug)]
pub struct FeedCallback {
    pub id: CallbackId,
    pub kind: CallbackKind,
    pub created_at: Timestamp,
    /// As of now: the timestamp is signed, and receivers refuse an old one.
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

impl App {
    /// The system time in a sandbox, which lists callbacks to developers.
    pub(crate) fn sandbox_system_time(&self) -> Option<Timestamp> {
        self.is_sandbox().then(|| self.clock.system_now())
    }

    /// The callbacks of an application after a cursor. Without one there are none, and the cursor is that of the newest.
    pub async fn callback_feed(
        &self,
        application: ApplicationId,
        after: Option<FeedCursor>,
    ) -> Result<CallbackFeed, UseCaseError> {
        let now = self.now();
        let is_new = self
            .store
            .read(move |tx| Ok(!tx.sandbox_callback_without_position(application)?.is_empty()))
            .await?;
        if is_new {
            self.store.write_background(move |tx| Ok(set_positions(tx, application, now)?)).await?;
        }
        let Some(after) = after else {
            let last = self.store.read(move |tx| Ok(tx.sandbox_callback_last_position(application)?)).await?;
            // Without any callback the next one gets a position of at least the present time.
            return Ok(CallbackFeed { cursor: FeedCursor(last.unwrap_or(now.0 - 1)), callbacks: Vec::new() });
        };
        let listed = self.store.read(move |tx| {
            let listed = tx.sandbox_callback_list(application, after.0, MAX_FEED_ROWS)?;
            Ok((listed, tx.callback_targets(&[application])?.remove(&application).unwrap_or_default()))
        });
        let (listed, target) = listed.await?;
        let secrets = self.webhook_open(application, target.secrets);
        let seconds = self.clock.system_now().0 / 1_000_000;
        let cursor = listed.last().map_or(after, |(position, _)| FeedCursor(*position));
        let callbacks = listed.into_iter().map(|(_, one)| {
            let (trace, _) = TraceContext::of_request(one.traceparent.as_deref(), self.entropy.fast_uuid());
            let headers = delivery_headers(&secrets, one.id, seconds, &one.body, trace);
            let headers = headers.map(Vec::from).unwrap_or_default();
            FeedCallback { id: one.id, kind: one.kind, created_at: one.created_at, headers, body: one.body }
        });
        Ok(CallbackFeed { cursor, callbacks: callbacks.collect() })
    }
}

/// Gives positions to the callbacks that have none. Positions continue after a purge, because they are not below the bank's time,
/// which never runs backwards.
fn set_positions(tx: &mut Tx<'_>, application: ApplicationId, now: Timestamp) -> Result<(), StoreError> {
    let last = tx.sandbox_callback_last_position(application)?.unwrap_or(0);
    let first = last.saturating_add(1).max(now.0);
    for (position, id) in (first..).zip(tx.sandbox_callback_without_position(application)?) {
        tx.sandbox_callback_position_set(application, id, position)?;
    }
    Ok(())
}
