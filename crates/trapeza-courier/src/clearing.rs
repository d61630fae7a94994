//! Clearing by files: messages are written to one directory, read from a second one and archived in a third (`spool`). In
//! the sandbox a simulated clearing house uses the same directories (`sandbox_clearing_house`).

mod instant_gateway;
pub mod pacs;
mod sandbox_clearing_house;
mod spool;

pub use instant_gateway::InstantGateway;
pub use sandbox_clearing_house::SandboxClearingHouse;
pub use spool::Spool;

use std::future::Future;
use std::io;
use std::pin::Pin;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use trapeza_app::clearing::{ClearingPort, MessageOutcome, MessageSummary, OutboundBatch};
use trapeza_app::{App, UseCaseError};
use trapeza_domain::clearing::BatchState;

/// Maximum number of messages per round.
const ROUND: usize = 100;

pub struct Clearing {
    spool: Spool,
    clearing_house: Option<SandboxClearingHouse>,
    /// One round at a time, because two would read the same files.
    busy: Mutex<()>,
}

impl Clearing {
    pub fn new(spool: Spool) -> Self {
        Self { spool, clearing_house: None, busy: Mutex::new(()) }
    }

    /// With a simulated clearing house.
    pub fn with_sandbox(self, clearing_house: SandboxClearingHouse) -> Self {
        Self { clearing_house: Some(clearing_house), ..self }
    }

    async fn round(&self, app: &App) -> Result<usize, UseCaseError> {
        let _alone = self.busy.lock().await;
        let mut moved = self.write(app).await?;
        if let Some(clearing_house) = self.clearing_house.clone() {
            moved += answered(spawn_blocking(move || clearing_house.answer()).await);
        }
        moved += self.read(app).await?;
        for unanswered in app.clearing_mark_unanswered().await? {
            metrics::counter!("trapeza_clearing_unanswered_total").increment(1);
            tracing::warn!(
                payment = %unanswered.payment,
                clearing = %unanswered.id,
                "clearing: no status report for a payment for a day; its hold stays until clearing answers"
            );
        }
        Ok(moved)
    }

    /// Writes submitted batches to the outgoing directory. A failure is logged and retried.
    async fn write(&self, app: &App) -> Result<usize, UseCaseError> {
        for written in 0..ROUND {
            let Some(outgoing) = app.clearing_claim(self.spool.spool_id()).await? else {
                return Ok(written);
            };
            if let Err(error) = self.deliver(app, &outgoing).await? {
                metrics::counter!("trapeza_clearing_errors_total").increment(1);
                tracing::warn!(batch = %outgoing.batch, %error, "clearing: cannot write a file, retrying");
                return Ok(written);
            }
        }
        Ok(ROUND)
    }

    /// The inner error is the file system's.
    async fn deliver(&self, app: &App, outgoing: &OutboundBatch) -> Result<io::Result<()>, UseCaseError> {
        let (name, claim) = (file_name(outgoing), outgoing.claim);
        if outgoing.state == BatchState::Claimed {
            let (spool, text) = (self.spool.clone(), pacs::serialize(&outgoing.message));
            let staged = name.clone();
            if let Err(error) = blocking(move || spool.stage(claim, &staged, text.as_bytes())).await {
                return Ok(Err(error));
            }
            if !app.clearing_mark_staged(outgoing, self.spool.spool_id()).await? {
                // This process stalled past its claim, and another one has gone on with its own file.
                let spool = self.spool.clone();
                return Ok(blocking(move || spool.unstage(claim, &name)).await);
            }
        }
        let spool = self.spool.clone();
        if let Err(error) = blocking(move || spool.publish(claim, &name)).await {
            return Ok(Err(error));
        }
        app.clearing_mark_written(outgoing, self.spool.spool_id()).await?;
        tracing::info!(batch = %outgoing.batch, kind = outgoing.message.kind(), "clearing: file written");
        Ok(Ok(()))
    }

    /// Reads incoming files. A file is archived only after everything in it was processed.
    async fn read(&self, app: &App) -> Result<usize, UseCaseError> {
        let spool = self.spool.clone();
        let files = match blocking(move || spool.incoming(ROUND)).await {
            Ok(files) => files,
            Err(error) => {
                tracing::warn!(%error, "clearing: cannot read the incoming directory, retrying");
                return Ok(0);
            }
        };
        let mut moved = 0;
        for name in files {
            let (spool, asked) = (self.spool.clone(), name.clone());
            let bytes = match blocking(move || spool.open_incoming(&asked)).await {
                Ok(Some(bytes)) => bytes,
                // Another process has read and archived it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Ok(None) => Vec::new(),
                Err(error) => {
                    tracing::warn!(file = name, %error, "clearing: cannot read a file, retrying");
                    continue;
                }
            };
            let good = match apply(app, &name, &bytes).await {
                Ok(good) => good,
                // The file stays, and the next one is read: one file must not stop the others.
                Err(error) => {
                    metrics::counter!("trapeza_clearing_errors_total").increment(1);
                    tracing::error!(file = name, %error, "clearing: cannot process a file, retrying in the next round");
                    continue;
                }
            };
            let spool = self.spool.clone();
            match blocking(move || spool.archive(&name, good)).await {
                Ok(()) => moved += 1,
                Err(error) => tracing::warn!(%error, "clearing: cannot archive a file, retrying"),
            }
        }
        Ok(moved)
    }
}

impl ClearingPort for Clearing {
    fn exchange<'a>(
        &'a self,
        app: &'a App,
    ) -> Pin<Box<dyn Future<Output = Result<usize, UseCaseError>> + Send + 'a>> {
        Box::pin(self.round(app))
    }
}

/// Processes a file; false when it is not a valid message. Its content is never logged.
async fn apply(app: &App, name: &str, bytes: &[u8]) -> Result<bool, UseCaseError> {
    let message = match pacs::parse(bytes) {
        Ok(message) => message,
        Err(error) => {
            metrics::counter!("trapeza_clearing_errors_total").increment(1);
            tracing::error!(file = name, error, "clearing: invalid file, set aside");
            app.clearing_problem_record(name, &format!("set aside: {error}")).await?;
            return Ok(false);
        }
    };
    let kind = message.kind();
    match app.clearing_receive(message, bytes, name).await? {
        MessageOutcome::Applied(summary) => {
            report(name, kind, summary);
            Ok(true)
        }
        MessageOutcome::Duplicate => {
            tracing::info!(file = name, kind, "clearing: duplicate message, ignored");
            Ok(true)
        }
        MessageOutcome::IdReused => {
            metrics::counter!("trapeza_clearing_errors_total").increment(1);
            tracing::error!(file = name, kind, "clearing: another message has the same id, file set aside");
            app.clearing_problem_record(name, "set aside: another message has the same id").await?;
            Ok(false)
        }
    }
}

fn report(name: &str, kind: &str, summary: MessageSummary) {
    let MessageSummary { settled, rejected, returned, credited, suspended, idle, mismatched } = summary;
    tracing::info!(
        file = name,
        kind,
        settled,
        rejected,
        returned,
        credited,
        suspended,
        idle,
        mismatched,
        "clearing: message processed"
    );
    if mismatched > 0 {
        metrics::counter!("trapeza_clearing_mismatches_total").increment(mismatched as u64);
        tracing::error!(
            file = name,
            kind,
            mismatched,
            "clearing: parts of the message are unknown or contradict the ledger"
        );
    }
}

fn file_name(outgoing: &OutboundBatch) -> String {
    let (id, kind) = (&outgoing.message.header().id, pacs::kind(&outgoing.message));
    format!("{id}.{kind}.xml")
}

fn answered(answered: Result<io::Result<usize>, tokio::task::JoinError>) -> usize {
    match answered {
        Ok(Ok(files)) => files,
        Ok(Err(error)) => {
            tracing::warn!(%error, "sandbox clearing house: cannot use its directories");
            0
        }
        Err(error) => {
            tracing::warn!(%error, "sandbox clearing house: failed");
            0
        }
    }
}

/// Runs file work on a blocking thread.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}
