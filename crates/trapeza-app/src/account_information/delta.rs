//! Delta lists: what was booked since the last list of this kind under the same consent.
//!
//! The last entry that a consent has delivered is remembered per account or card when the last page of the list is answered. The
//! addresses of further pages name the range of the first one, so that two readers do not shorten each other's lists.

use super::query::{DeltaPage, OLD_DAYS, Range, StatementQuery};
use super::{ConsentSession, EntryIdCipher, balance};
use crate::UseCaseError;
use trapeza_domain::field::Field;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::Date;
use trapeza_store::Tx;

impl ConsentSession {
    /// The entry after which a delta list begins. The first one begins 90 days ago.
    pub(super) fn delta_after(
        &self,
        tx: &mut Tx<'_>,
        ids: &EntryIdCipher,
        ledger: LedgerAccountId,
        page: Option<&DeltaPage>,
        today: Date,
    ) -> Result<i64, UseCaseError> {
        let after = match page {
            Some(page) => position(ids, ledger, &page.after)?,
            None => {
                let delivered = tx.consent_delivery_find(&self.access.consent, ledger)?;
                let from = Date(today.0.saturating_sub(OLD_DAYS));
                match delivered {
                    Some(seq) => seq,
                    None => tx.entry_seq_before(ledger, from)?,
                }
            }
        };
        if let Some(oldest) = tx.entry_booking_day(ledger, after.saturating_add(1))? {
            self.require_recent_sca(oldest, today)?;
        }
        Ok(after)
    }

    /// Remembers what a delta list has delivered with its last page; before that, the range that the address of the next page
    /// names. Nothing is remembered where booked entries were not asked for.
    pub(super) fn delta_delivered(
        &self,
        tx: &mut Tx<'_>,
        ids: &EntryIdCipher,
        ledger: LedgerAccountId,
        query: &StatementQuery,
        after: Option<i64>,
        has_next: bool,
    ) -> Result<Option<DeltaPage>, UseCaseError> {
        let (Range::Undelivered(page), Some(after), true) = (&query.range, after, query.status.booked())
        else {
            return Ok(None);
        };
        let up_to = match page {
            Some(page) => position(ids, ledger, &page.up_to)?,
            None => balance::statement_balance(tx, ledger)?.entry_count,
        };
        if has_next {
            let line = |seq: i64| ids.entry_id(ledger, seq).to_string();
            return Ok(Some(DeltaPage { after: line(after), up_to: line(up_to) }));
        }
        tx.consent_delivery_set(&self.access.consent, ledger, up_to)?;
        Ok(None)
    }
}

/// The position of an entry in the address of a further page.
fn position(ids: &EntryIdCipher, ledger: LedgerAccountId, id: &str) -> Result<i64, Refusal> {
    let odd = || Refusal::malformed(Field::Cursor, "must be the address of a page of this statement");
    ids.entry_seq(ledger, id).ok_or_else(odd)
}
