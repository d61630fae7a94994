//! What lists have delivered under a consent: the last entry of each account and card.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::consent::Consent;
use trapeza_domain::ledger::LedgerAccountId;

impl Tx<'_> {
    /// The last entry that a consent has delivered; zero where there was none yet.
    pub fn consent_delivery_find(
        &mut self,
        consent: &Consent,
        account: LedgerAccountId,
    ) -> Result<Option<i64>, StoreError> {
        self.query_opt(
            "SELECT entry_seq FROM consent_delivery
             WHERE consent = $1 AND ledger_account = $2 AND application = $3",
            params![consent.id, account, consent.application],
            |row| row.read(),
        )
    }

    /// Remembers the last entry that a consent has delivered. It never goes back.
    pub fn consent_delivery_set(
        &mut self,
        consent: &Consent,
        account: LedgerAccountId,
        entry_seq: i64,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO consent_delivery (consent, ledger_account, application, entry_seq) VALUES ($1, $2, $3, $4)
             ON CONFLICT (consent, ledger_account) DO UPDATE SET entry_seq = excluded.entry_seq
             WHERE consent_delivery.entry_seq < excluded.entry_seq",
            params![consent.id, account, consent.application, entry_seq],
        )?;
        Ok(())
    }
}
