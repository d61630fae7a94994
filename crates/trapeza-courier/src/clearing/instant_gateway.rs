//! Instant clearing by a gateway: a pacs.008 or a pacs.028 is posted to its address, and the response is a pacs.002. Anything else, an
//! error and a late response are no answer.

use super::pacs;
use crate::json_client::JsonClient;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use trapeza_app::InstantPort;
use trapeza_domain::clearing::{CreditTransfers, ReportedStatus};
use trapeza_domain::time::Timestamp;

const CONTENT_TYPE: &str = "application/xml";
/// The caller has a shorter limit.
const TIMEOUT: Duration = Duration::from_secs(30);

pub struct InstantGateway {
    client: JsonClient,
}

impl InstantGateway {
    pub const fn new(client: JsonClient) -> Self {
        Self { client }
    }

    async fn ask(&self, message: &CreditTransfers, body: String) -> Option<ReportedStatus> {
        match self.client.ask_as(CONTENT_TYPE, body, None, TIMEOUT).await {
            Ok(answer) => {
                let status = pacs::parse_instant_answer(message, &answer);
                if status.is_none() {
                    tracing::warn!(
                        message = message.header.id,
                        "instant clearing: the response is no final status"
                    );
                }
                status
            }
            Err(error) => {
                tracing::warn!(message = message.header.id, error, "instant clearing: no answer");
                None
            }
        }
    }
}

impl InstantPort for InstantGateway {
    fn submit<'a>(
        &'a self,
        message: &'a CreditTransfers,
    ) -> Pin<Box<dyn Future<Output = Option<ReportedStatus>> + Send + 'a>> {
        Box::pin(self.ask(message, pacs::serialize_instant(message)))
    }

    fn query<'a>(
        &'a self,
        message: &'a CreditTransfers,
        asked_at: Timestamp,
    ) -> Pin<Box<dyn Future<Output = Option<ReportedStatus>> + Send + 'a>> {
        Box::pin(self.ask(message, pacs::serialize_status_request(message, asked_at)))
    }
}
