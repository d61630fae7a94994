//! Postings: business events become transfers, entries and holds by the posting table, in the caller's transaction.
//! No other module writes to the ledger.
//!
//! A posting is computed in memory and written only when all of it is valid. A refused posting has no effect, so the
//! use case may continue in the same transaction, for example reject the payment.

mod check;
mod day_report;
pub(crate) mod manual;
mod posting_session;
mod view;

pub use check::LedgerReport;
pub use day_report::{DayReport, Difference, OpenItems};
pub use trapeza_store::{CountedSum, DetailId, KindTotal, LedgerEntryRow, ManualPostingRecord};
pub use view::{LedgerAccountPage, LedgerAccountView};

use self::posting_session::PostingSession;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::card::CardTransactionDetail;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::ledger::{HoldId, LedgerError, TransferId};
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::Date;
use trapeza_domain::transaction::TransactionDetail;
use trapeza_store::{StoreError, Tx};

/// A business event to be posted.
#[derive(Clone, Debug)]
pub struct Posting {
    pub event: LedgerEvent,
    pub parties: Parties,
    pub amounts: Amounts,
    /// The cause. A hold is found by the reference under which it was placed.
    pub reference: String,
    pub booking_day: Date,
    pub value_day: Date,
    pub detail: PostingDetail,
}

/// The details of a posting's entries.
#[derive(Clone, Debug)]
pub enum PostingDetail {
    /// No details. The end of a hold takes those of the hold.
    None,
    /// Details that were stored before.
    Stored(DetailId),
    Account(Box<TransactionDetail>),
    Card(Box<CardTransactionDetail>),
}

/// The result of a posting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// One per leg with an amount, in the order of the posting table.
    pub transfers: Vec<TransferId>,
    /// The hold that was placed or ended.
    pub hold: Option<HoldId>,
    pub detail: Option<DetailId>,
}

/// Posts all in order, or nothing. The inner error is the ledger's refusal; nothing was written then.
pub fn post(tx: &mut Tx<'_>, postings: &[Posting]) -> Result<Result<Vec<Posted>, LedgerError>, StoreError> {
    let outcome = PostingSession::load(tx, postings).and_then(|mut book| {
        let planned = postings.iter().map(|posting| book.plan(posting)).collect::<Result<Vec<_>, _>>()?;
        Ok(book.write(tx, postings, planned)?)
    });
    match outcome {
        Ok(posted) => Ok(Ok(posted)),
        Err(PostingError::Fault(error)) => Ok(Err(error)),
        Err(PostingError::Failed(error)) => Err(error),
    }
}

/// Why a posting fails.
enum PostingError {
    Fault(LedgerError),
    Failed(StoreError),
}

impl From<LedgerError> for PostingError {
    fn from(error: LedgerError) -> Self {
        Self::Fault(error)
    }
}

impl From<StoreError> for PostingError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl App {
    /// Posts on behalf of the bank: openings, card clearing, incoming money.
    pub async fn ledger_post(&self, postings: Vec<Posting>) -> Result<Vec<Posted>, UseCaseError> {
        let now = self.now();
        self.store
            .write(move |tx| {
                let posted = post(tx, &postings)?.map_err(Refusal::from)?;
                let first = postings.first().map_or("", |posting| &posting.reference);
                let event = AuditEvent::new("ledger.posted", "posting", first).with("count", postings.len());
                audit::record(tx, now, Actor::Bank, &event)?;
                Ok(posted)
            })
            .await
    }

    /// Checks every ledger rule in one snapshot. Blocks, in proportion to the size of the ledger.
    pub fn ledger_check(&self) -> Result<LedgerReport, UseCaseError> {
        let key = *self.store.audit_key();
        self.store.read_blocking(move |tx| Ok(check::check(tx, &key)?))
    }
}
