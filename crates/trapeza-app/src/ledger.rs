//! Booking: turns events of the bank into transfers, entries and holds by the posting table, inside a transaction
//! that some use case has begun. No other room writes to the books.
//!
//! Everything is worked out in memory first and written only when all of it holds. So a refusal leaves no trace and
//! the use case may go on in the same transaction: reject the payment, note the try.

mod check;
mod posting_session;

pub use check::LedgerReport;
pub use trapeza_store::DetailId;

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

/// Something that happened and has to be booked.
#[derive(Clone, Debug)]
pub struct Posting {
    pub event: LedgerEvent,
    pub parties: Parties,
    pub amounts: Amounts,
    /// What caused it. A hold is found again by the reference it was placed under.
    pub reference: String,
    pub booking_day: Date,
    pub value_day: Date,
    pub detail: PostingDetail,
}

/// What is told about a posting.
#[derive(Clone, Debug)]
pub enum PostingDetail {
    /// Nothing more; what ends a hold takes over what the hold told.
    None,
    /// What was written down before.
    Stored(DetailId),
    Account(Box<TransactionDetail>),
    Card(Box<CardTransactionDetail>),
}

/// What became of a posting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// One a leg that moved something, in the order of the posting table.
    pub transfers: Vec<TransferId>,
    /// The hold that was placed or ended.
    pub hold: Option<HoldId>,
    pub detail: Option<DetailId>,
}

/// Books all of it, in its order, or nothing. The inner error is the books' own no; nothing was written then.
pub fn post(tx: &mut Tx<'_>, postings: &[Posting]) -> Result<Result<Vec<Posted>, LedgerError>, StoreError> {
    let outcome = PostingSession::load(tx, postings).and_then(|mut book| {
        let planned = postings.iter().map(|posting| book.plan(posting)).collect::<Result<Vec<_>, _>>()?;
        Ok(book.write(tx, postings, planned)?)
    });
    match outcome {
        Ok(posted) => Ok(Ok(posted)),
        Err(PostingError::Fault(fault)) => Ok(Err(fault)),
        Err(PostingError::Failed(error)) => Err(error),
    }
}

/// The two ways booking ends early.
enum PostingError {
    Fault(LedgerError),
    Failed(StoreError),
}

impl From<LedgerError> for PostingError {
    fn from(fault: LedgerError) -> Self {
        Self::Fault(fault)
    }
}

impl From<StoreError> for PostingError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl App {
    /// Books on behalf of the bank itself: openings, card clearing, incoming money.
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

    /// Reads all of the books in one snapshot and names whatever is wrong. Blocks for as long as they are long.
    pub fn ledger_check(&self) -> Result<LedgerReport, UseCaseError> {
        self.store.read_blocking(|tx| Ok(check::check(tx)?))
    }
}
