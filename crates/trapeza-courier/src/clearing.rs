//! Clearing by files: one folder that clearing takes messages from, one that it puts its own into, one where those that
//! were read are kept. In the sandbox a clearing house of ours sits at the other end of the same folders (`house`).

pub mod pacs;
mod sandbox_clearing_house;
mod spool;
mod xml;

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

/// The most messages that one round takes or gives, so that it has an end.
const ROUND: usize = 100;

pub struct Clearing {
    folders: Spool,
    house: Option<SandboxClearingHouse>,
    /// One round at a time: two would take the same files.
    busy: Mutex<()>,
}

impl Clearing {
    pub fn new(folders: Spool) -> Self {
        Self { folders, house: None, busy: Mutex::new(()) }
    }

    /// With a clearing house at the other end.
    pub fn with_house(self, house: SandboxClearingHouse) -> Self {
        Self { house: Some(house), ..self }
    }

    async fn round(&self, app: &App) -> Result<usize, UseCaseError> {
        let _alone = self.busy.lock().await;
        let mut moved = self.write(app).await?;
        if let Some(house) = self.house.clone() {
            moved += answered(spawn_blocking(move || house.answer()).await);
        }
        moved += self.read(app).await?;
        for unanswered in app.clearing_mark_unanswered().await? {
            metrics::counter!("trapeza_clearing_unanswered_total").increment(1);
            tracing::warn!(
                payment = %unanswered.payment,
                clearing = %unanswered.id,
                "clearing has not answered a payment for a day; its money stays set aside until it does"
            );
        }
        Ok(moved)
    }

    /// Puts what was handed over where clearing takes it. A folder that fails is told and tried again.
    async fn write(&self, app: &App) -> Result<usize, UseCaseError> {
        for written in 0..ROUND {
            let Some(outgoing) = app.clearing_claim(self.folders.spool_id()).await? else {
                return Ok(written);
            };
            if let Err(fault) = self.carry_out(app, &outgoing).await? {
                metrics::counter!("trapeza_clearing_errors_total").increment(1);
                tracing::warn!(batch = %outgoing.batch, %fault, "a message to clearing could not be written");
                return Ok(written);
            }
        }
        Ok(ROUND)
    }

    /// The inner error is the folder's.
    async fn carry_out(&self, app: &App, outgoing: &OutboundBatch) -> Result<io::Result<()>, UseCaseError> {
        let name = file_name(outgoing);
        if outgoing.state == BatchState::Claimed {
            let (folders, text) = (self.folders.clone(), pacs::print(&outgoing.message));
            let staged = name.clone();
            if let Err(fault) = blocking(move || folders.stage(&staged, text.as_bytes())).await {
                return Ok(Err(fault));
            }
            if !app.clearing_mark_staged(outgoing.batch, self.folders.spool_id()).await? {
                // Somebody else was quicker, and goes on with it.
                return Ok(Ok(()));
            }
        }
        let folders = self.folders.clone();
        if let Err(fault) = blocking(move || folders.give_out(&name)).await {
            return Ok(Err(fault));
        }
        app.clearing_mark_written(outgoing.batch, self.folders.spool_id()).await?;
        tracing::info!(batch = %outgoing.batch, kind = outgoing.message.kind(), "a message went to clearing");
        Ok(Ok(()))
    }

    /// Reads what clearing has put down. A file is moved away only when all it says is done.
    async fn read(&self, app: &App) -> Result<usize, UseCaseError> {
        let folders = self.folders.clone();
        let files = match blocking(move || folders.incoming(ROUND)).await {
            Ok(files) => files,
            Err(fault) => {
                tracing::warn!(%fault, "the folder of messages from clearing cannot be read");
                return Ok(0);
            }
        };
        let mut moved = 0;
        for name in files {
            let (folders, asked) = (self.folders.clone(), name.clone());
            let bytes = match blocking(move || folders.open_incoming(&asked)).await {
                Ok(Some(bytes)) => bytes,
                // Another process has read and moved it.
                Err(fault) if fault.kind() == io::ErrorKind::NotFound => continue,
                Ok(None) => Vec::new(),
                Err(fault) => {
                    tracing::warn!(file = name, %fault, "a message from clearing cannot be read");
                    continue;
                }
            };
            let good = apply(app, &name, &bytes).await?;
            let folders = self.folders.clone();
            match blocking(move || folders.put_away(&name, good)).await {
                Ok(()) => moved += 1,
                Err(fault) => tracing::warn!(%fault, "a message from clearing cannot be moved away"),
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

/// Does what a file says; false when it says nothing that can be done. Nothing of its content goes to the log.
async fn apply(app: &App, name: &str, bytes: &[u8]) -> Result<bool, UseCaseError> {
    let message = match pacs::parse(bytes) {
        Ok(message) => message,
        Err(fault) => {
            metrics::counter!("trapeza_clearing_errors_total").increment(1);
            tracing::warn!(file = name, fault, "a file from clearing is no message; it was put aside");
            return Ok(false);
        }
    };
    let kind = message.kind();
    match app.clearing_receive(message, bytes).await? {
        MessageOutcome::Applied(tally) => {
            tell(name, kind, tally);
            Ok(true)
        }
        MessageOutcome::Duplicate => {
            tracing::info!(file = name, kind, "a message from clearing came again; nothing was done");
            Ok(true)
        }
        MessageOutcome::IdReused => {
            metrics::counter!("trapeza_clearing_errors_total").increment(1);
            tracing::warn!(
                file = name,
                kind,
                "another message was read under this one's id; it was put aside"
            );
            Ok(false)
        }
    }
}

fn tell(name: &str, kind: &str, tally: MessageSummary) {
    let MessageSummary { settled, rejected, returned, credited, suspended, idle, mismatched } = tally;
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
        "a message from clearing was read"
    );
    if mismatched > 0 {
        metrics::counter!("trapeza_clearing_mismatches_total").increment(mismatched as u64);
        tracing::warn!(
            file = name,
            kind,
            mismatched,
            "parts of it are about nothing of ours, or contradict what is known"
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
        Ok(Err(fault)) => {
            tracing::warn!(%fault, "the sandbox's clearing house cannot use its folders");
            0
        }
        Err(fault) => {
            tracing::warn!(%fault, "the sandbox's clearing house failed");
            0
        }
    }
}

/// Work on files, on a thread that may wait for a disk.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    spawn_blocking(work).await.unwrap_or_else(|fault| Err(io::Error::other(fault)))
}
