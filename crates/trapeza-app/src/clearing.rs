//! Clearing: payments leave in batches, other banks report their status, and incoming transfers are credited.
//! Decisions and bookings are here; a port reads and writes the messages.
//!
//! Every part of a message is applied once, by the sender's ids, so that a message may be processed again after a
//! crash.

mod batching;
mod inbound;
mod incoming;
mod instant;
mod outbound;
mod payer;
mod reconcile;
mod status;
pub(crate) mod suspense;

pub use inbound::{MessageOutcome, MessageSummary};
pub use instant::{InstantPort, InstantStep};
pub use outbound::OutboundBatch;
pub(crate) use status::problem_acknowledge;
pub use status::{ClearingStatus, Unanswered};

use crate::{App, UseCaseError};
use std::future::Future;
use std::pin::Pin;
use trapeza_domain::id::ClearingId;
use trapeza_domain::time::{TimeDelta, Timestamp};
use uuid::Uuid;

/// The connection to clearing.
pub trait ClearingPort: Send + Sync {
    /// Sends what is ready and receives what has arrived. Returns how many messages moved; while there are some,
    /// there may be more.
    fn exchange<'a>(
        &'a self,
        app: &'a App,
    ) -> Pin<Box<dyn Future<Output = Result<usize, UseCaseError>> + Send + 'a>>;
}

/// A received message may cause one that is sent, which may cause another; more rounds than this are a loop.
const ROUNDS: usize = 8;

/// How long a batch is reserved for the process that writes its message.
const LEASE: TimeDelta = TimeDelta::seconds(60);

impl App {
    /// Submits due payments and processes received messages, if there is a connection to clearing.
    pub(crate) async fn clearing_round(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        let Some(port) = &self.ports.clearing else { return Ok(0) };
        let mut all = 0;
        for _ in 0..ROUNDS {
            let submitted = self.submit_payments(now).await? + self.return_incoming(now).await?;
            let moved = port.exchange(self).await?;
            all += submitted;
            if moved == 0 {
                break;
            }
        }
        Ok(all)
    }
}

/// The id of a clearing transaction in messages: at most 35 letters and digits.
fn name(id: ClearingId) -> String {
    id.uuid().simple().to_string()
}

fn parse_name(name: &str) -> Option<ClearingId> {
    let uuid = (name.len() == 32).then(|| Uuid::try_parse(name).ok()).flatten()?;
    Some(ClearingId::new(uuid))
}
