//! Clearing: payments leave in batches, other banks answer, and money comes from them. What is decided and booked stands
//! here; how messages are written and carried is a port's business, which the program hands in.
//!
//! Everything that comes is applied once, by the sender's names for it, so that a message may be read as often as a
//! crash makes it necessary.

mod batching;
mod inbound;
mod outbound;
mod reconcile;
mod status;

pub use inbound::{MessageOutcome, MessageSummary};
pub use outbound::OutboundBatch;
pub use status::{ClearingStatus, Unanswered};

use crate::{App, UseCaseError};
use std::future::Future;
use std::pin::Pin;
use trapeza_domain::id::ClearingId;
use trapeza_domain::time::{TimeDelta, Timestamp};
use uuid::Uuid;

/// The way to other banks and back.
pub trait ClearingPort: Send + Sync {
    /// Carries away what was handed over and brings in what came. Answers how many messages moved: as long as some do,
    /// there may be more.
    fn exchange<'a>(
        &'a self,
        app: &'a App,
    ) -> Pin<Box<dyn Future<Output = Result<usize, UseCaseError>> + Send + 'a>>;
}

/// A message brings an answer, which may make us send one back; more rounds than that are a loop of somebody's.
const ROUNDS: usize = 8;

/// How long somebody who writes a message has it for himself.
const LEASE: TimeDelta = TimeDelta::seconds(60);

impl App {
    /// Hands over what is due, as long as there is a way to other banks, and does what they answer.
    pub(crate) async fn clearing_round(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let Some(port) = &self.clearing else { return Ok(0) };
        let mut all = 0;
        for _ in 0..ROUNDS {
            let handed_over = self.hand_over(now).await? + self.return_suspended(now).await?;
            let moved = port.exchange(self).await?;
            all += handed_over;
            if moved == 0 {
                break;
            }
        }
        Ok(all)
    }
}

/// Our name for a transaction, as other banks read it: an id of at most 35 letters and digits.
fn name(id: ClearingId) -> String {
    id.uuid().simple().to_string()
}

fn parse_name(name: &str) -> Option<ClearingId> {
    let uuid = (name.len() == 32).then(|| Uuid::try_parse(name).ok()).flatten()?;
    Some(ClearingId::new(uuid))
}
