//! SMS through a gateway that takes `{"to", "text"}`.

use crate::client_span::ClientSpan;
use crate::json_client::JsonClient;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use trapeza_app::notification::ClaimedMessage;
use trapeza_app::{App, UseCaseError};

/// Poll interval; a customer waits for the code.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Clone)]
pub struct SmsGateway(Arc<JsonClient>);

impl SmsGateway {
    pub fn new(client: JsonClient) -> Self {
        Self(Arc::new(client))
    }

    /// Sends pending messages for as long as the future lives.
    pub async fn run(&self, app: Arc<App>) {
        let mut look = interval(POLL_INTERVAL);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            if let Err(error) = self.round(&app).await {
                tracing::warn!(%error, "sms: claim failed, retrying");
            }
        }
    }

    /// Sends pending messages. Returns how many the gateway accepted; the others are retried when their claim expires.
    pub async fn round(&self, app: &Arc<App>) -> Result<usize, UseCaseError> {
        let mut under_way = JoinSet::new();
        for message in app.notification_claim().await? {
            let (app, client) = (Arc::clone(app), Arc::clone(&self.0));
            under_way.spawn(async move { send(&app, &client, message).await });
        }
        let sent = under_way.join_all().await;
        Ok(sent.into_iter().filter(|sent| *sent).count())
    }
}

/// Recipient and text stay out of the log.
async fn send(app: &App, client: &JsonClient, message: ClaimedMessage) -> bool {
    let body = json!({ "to": message.to, "text": message.text.expose() }).to_string();
    let span = ClientSpan::start("POST sms", message.trace, message.trace_parent);
    let sent = client.post(body, Some(message.trace)).await;
    span.finish(None, sent.is_err());
    if let Err(error) = sent {
        let trace = message.trace.trace_id();
        tracing::warn!(%trace, error, "sms: the gateway did not accept a message, retrying");
        return false;
    }
    if let Err(error) = app.notification_mark_sent(message.id).await {
        tracing::warn!(%error, "sms: a sent message could not be recorded, it may be sent twice");
    }
    true
}
