//! What the work lists of the bank's staff read, of all owners. Every query reads the beginning or a range of an index.

use crate::error::StoreError;
use crate::params;
use crate::search::SearchHit;
use crate::tx::Tx;
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{ApplicationId, PaymentId, PsuId, ShopperId};
use trapeza_domain::psu::Psu;
use trapeza_domain::search::SearchKind;
use trapeza_domain::time::Timestamp;

/// Payments that the bank or clearing rejected since a time: the customer refused or did not authorise the others.
pub const REJECTED_PAYMENTS: &str = "SELECT id, application FROM payment
     WHERE rejection_reason IS NOT NULL AND last_action_at >= $1 AND rejection_reason NOT IN ('refused', 'overdue')
     ORDER BY last_action_at DESC LIMIT $2";
/// Payments that should have been submitted before a time.
pub const UNSUBMITTED_PAYMENTS: &str = "SELECT id, application FROM payment
     WHERE submit_at IS NOT NULL AND submit_at < $1 ORDER BY submit_at LIMIT $2";
/// The subjects whose counters block a channel after a time. A block takes at least five failures; the index has counters from four on.
pub const BLOCKED_SUBJECTS: &str = "SELECT subject, channel, kind, blocked_until FROM sca_counter
     WHERE failures > 3 AND blocked_until > $1 ORDER BY blocked_until DESC LIMIT $2";

/// A block of a subject, which is a keyed hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockedSubject {
    pub subject: [u8; 32],
    pub channel: String,
    pub kind: String,
    pub blocked_until: Timestamp,
}

impl Tx<'_> {
    pub fn work_rejected_payments(
        &mut self,
        since: Timestamp,
        limit: i64,
    ) -> Result<Vec<(PaymentId, ApplicationId)>, StoreError> {
        self.query(REJECTED_PAYMENTS, params![since, limit], |row| Ok((row.read()?, row.read()?)))
    }

    pub fn work_unsubmitted_payments(
        &mut self,
        before: Timestamp,
        limit: i64,
    ) -> Result<Vec<(PaymentId, ApplicationId)>, StoreError> {
        self.query(UNSUBMITTED_PAYMENTS, params![before, limit], |row| Ok((row.read()?, row.read()?)))
    }

    pub fn work_blocked_subjects(
        &mut self,
        now: Timestamp,
        limit: i64,
    ) -> Result<Vec<BlockedSubject>, StoreError> {
        self.query(BLOCKED_SUBJECTS, params![now, limit], |row| {
            Ok(BlockedSubject {
                subject: row.read()?,
                channel: row.read()?,
                kind: row.read()?,
                blocked_until: row.read()?,
            })
        })
    }

    /// Customers after an id, in the order of ids.
    pub fn work_customer_page(&mut self, after: PsuId, limit: i64) -> Result<Vec<Psu>, StoreError> {
        self.query(
            "SELECT id, login, name, phone FROM psu WHERE id > $1 AND closed_at IS NULL ORDER BY id LIMIT $2",
            params![after, limit],
            |row| {
                let (id, login, name) = (row.read()?, row.read()?, row.read()?);
                Ok(Psu { id, login, name, phone: row.parse(Phone::parse)? })
            },
        )
    }

    /// Shoppers after an id, in the order of ids, with their telephone numbers.
    pub fn work_shopper_page(
        &mut self,
        after: ShopperId,
        limit: i64,
    ) -> Result<Vec<(ShopperId, Phone)>, StoreError> {
        self.query(
            "SELECT id, phone FROM shopper WHERE id > $1 ORDER BY id LIMIT $2",
            params![after, limit],
            |row| Ok((row.read()?, row.parse(Phone::parse)?)),
        )
    }

    /// The borrower of a loan: the customer, or else the shopper.
    pub fn work_borrower(
        &mut self,
        psu: Option<PsuId>,
        shopper: ShopperId,
    ) -> Result<Option<SearchHit>, StoreError> {
        match psu {
            Some(psu) => self.search_find(SearchKind::Customer, psu.uuid()),
            None => self.search_find(SearchKind::Shopper, shopper.uuid()),
        }
    }
}
