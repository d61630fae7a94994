//! Manual postings of staff. The transfer in the ledger has the posting's id as its reference.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::id::ManualPostingId;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::ledger::manual::{ManualAccount, ManualPosting};
use trapeza_domain::time::Timestamp;

/// A posting that was booked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualPostingRecord {
    pub posting: ManualPosting,
    pub debit_account: LedgerAccountId,
    pub credit_account: LedgerAccountId,
    pub posted_at: Timestamp,
    /// The actor, as the audit log names it.
    pub posted_by: String,
    pub reversal: Option<ManualReversal>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualReversal {
    pub at: Timestamp,
    pub by: String,
    /// The reason, which customers read on their statement.
    pub text: String,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, debit, credit, currency, amount_minor, posting_text, debit_account, credit_account, posted_at,
                    posted_by, reversed_at, reversed_by, reversal_text
             FROM manual_posting ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn manual_posting_find(
        &mut self,
        id: ManualPostingId,
    ) -> Result<Option<ManualPostingRecord>, StoreError> {
        self.query_opt(select!("WHERE id = $1"), params![id], record)
    }

    /// The posting, locked until the transaction ends.
    pub fn manual_posting_lock(
        &mut self,
        id: ManualPostingId,
    ) -> Result<Option<ManualPostingRecord>, StoreError> {
        self.query_opt(select!("WHERE id = $1 FOR UPDATE"), params![id], record)
    }

    /// The postings, newest first.
    pub fn manual_posting_list(&mut self, limit: i64) -> Result<Vec<ManualPostingRecord>, StoreError> {
        self.query(select!("ORDER BY posted_at DESC, id LIMIT $1"), params![limit], record)
    }

    pub fn manual_posting_insert(&mut self, record: &ManualPostingRecord) -> Result<(), StoreError> {
        let ManualPosting { id, debit, credit, amount, text } = &record.posting;
        let inserted = self.execute(
            "INSERT INTO manual_posting (id, debit, credit, currency, amount_minor, posting_text, debit_account,
                credit_account, posted_at, posted_by)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING",
            params![
                *id,
                &debit.to_string(),
                &credit.to_string(),
                amount.currency,
                amount.minor,
                text,
                record.debit_account,
                record.credit_account,
                record.posted_at,
                &record.posted_by
            ],
        )?;
        match inserted {
            1 => Ok(()),
            _ => Err(StoreError::Conflict("a manual posting was inserted concurrently".into())),
        }
    }

    pub fn manual_posting_reverse(
        &mut self,
        id: ManualPostingId,
        reversal: &ManualReversal,
    ) -> Result<(), StoreError> {
        self.update_one(
            "manual posting",
            "UPDATE manual_posting SET reversed_at = $2, reversed_by = $3, reversal_text = $4
             WHERE id = $1 AND reversed_at IS NULL",
            params![id, reversal.at, &reversal.by, &reversal.text],
        )
    }
}

fn record(row: &mut RowReader<'_>) -> Result<ManualPostingRecord, StoreError> {
    let posting = ManualPosting {
        id: row.read()?,
        debit: account(row)?,
        credit: account(row)?,
        amount: row.money()?,
        text: row.read()?,
    };
    let (debit_account, credit_account) = (row.read()?, row.read()?);
    let (posted_at, posted_by) = (row.read()?, row.read()?);
    let (at, by, text): (Option<Timestamp>, Option<String>, Option<String>) =
        (row.read()?, row.read()?, row.read()?);
    let reversal = match (at, by, text) {
        (Some(at), Some(by), Some(text)) => Some(ManualReversal { at, by, text }),
        _ => None,
    };
    Ok(ManualPostingRecord { posting, debit_account, credit_account, posted_at, posted_by, reversal })
}

fn account(row: &mut RowReader<'_>) -> Result<ManualAccount, StoreError> {
    let text: String = row.read()?;
    ManualAccount::parse(&text).map_err(StoreError::internal)
}
