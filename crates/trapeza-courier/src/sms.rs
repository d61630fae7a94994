//! Text messages, by a gateway that takes `{"to", "text"}`.

use crate::json_client::JsonClient;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use trapeza_app::notification::ClaimedMessage;
use trapeza_app::{App, UseCaseError};

/// How often the courier looks. A customer waits for their code.
const LOOK: Duration = Duration::from_millis(500);

#[derive(Clone)]
pub struct SmsGateway(Arc<JsonClient>);

impl SmsGateway {
    pub fn new(poster: JsonClient) -> Self {
        Self(Arc::new(poster))
    }

    /// Sends what waits, for as long as the future lives.
    pub async fn run(&self, app: Arc<App>) {
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            look.tick().await;
            if let Err(stop) = self.round(&app).await {
                tracing::warn!(%stop, "messages could not be claimed; it will be tried again");
            }
        }
    }

    /// Sends what waits now. Answers how many the gateway has taken; the others are taken up again when their claim ends.
    pub async fn round(&self, app: &Arc<App>) -> Result<usize, UseCaseError> {
        let mut under_way = JoinSet::new();
        for message in app.notification_claim().await? {
            let (app, poster) = (Arc::clone(app), Arc::clone(&self.0));
            under_way.spawn(async move { send(&app, &poster, message).await });
        }
        let sent = under_way.join_all().await;
        Ok(sent.into_iter().filter(|sent| *sent).count())
    }
}

/// Who it is for and what it says stays out of the log.
async fn send(app: &App, poster: &JsonClient, message: ClaimedMessage) -> bool {
    let body = json!({ "to": message.to, "text": message.text.expose() }).to_string();
    if let Err(fault) = poster.post(body).await {
        tracing::warn!(fault, "the SMS gateway did not take a message; it will be tried again");
        return false;
    }
    if let Err(stop) = app.notification_mark_sent(message.id).await {
        tracing::warn!(%stop, "a message was sent and could not be recorded; it may be sent twice");
    }
    true
}
