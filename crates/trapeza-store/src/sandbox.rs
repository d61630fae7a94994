//! What only a sandbox stores and does: secrets that it shows again, and the deletion of all customers with everything that
//! depends on them.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::time::Date;

/// What a secret of the sandbox belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SandboxSecret {
    /// The password of the customer with this login.
    Password,
    /// The number of the card with this id.
    Pan,
}

impl SandboxSecret {
    const fn name(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Pan => "pan",
        }
    }
}

/// Deletes one table each; a row is deleted before the rows that it refers to. Applications, merchants, the audit log, the clock
/// and the statistics stay.
const DELETIONS: &[&str] = &[
    "DELETE FROM checkout",
    "DELETE FROM guest_session",
    "DELETE FROM loan_refund_payment",
    "DELETE FROM merchant_payout",
    "DELETE FROM manual_posting",
    "DELETE FROM bank_payment",
    "DELETE FROM loan_document",
    "DELETE FROM loan_payer",
    "DELETE FROM loan_review",
    "DELETE FROM loan_refund",
    "DELETE FROM loan_installment",
    "DELETE FROM loan",
    "DELETE FROM basket",
    "DELETE FROM shopper",
    "DELETE FROM callback_attempt",
    "DELETE FROM callback",
    "DELETE FROM clearing_message",
    "DELETE FROM clearing_problem",
    "DELETE FROM clearing_return",
    "DELETE FROM clearing_incoming",
    "DELETE FROM instant_submission",
    "DELETE FROM clearing_transaction",
    "DELETE FROM clearing_batch",
    "DELETE FROM bulk_line",
    "DELETE FROM payment_message",
    "DELETE FROM payment",
    "DELETE FROM enrolled_device",
    "DELETE FROM notification",
    "DELETE FROM sca_event",
    "DELETE FROM sca_counter",
    "DELETE FROM authorisation",
    "DELETE FROM signing_basket_member",
    "DELETE FROM signing_basket",
    "DELETE FROM target_redirect",
    "DELETE FROM status_subscription",
    "DELETE FROM private_login",
    "DELETE FROM consent_last_used",
    "DELETE FROM consent_delivery",
    "DELETE FROM consent_usage",
    "DELETE FROM funds_consent",
    "DELETE FROM consent_access",
    "DELETE FROM consent",
    "DELETE FROM card_transaction_detail",
    "DELETE FROM transaction_detail_exchange",
    "DELETE FROM transaction_detail_part",
    "DELETE FROM transaction_detail",
    "DELETE FROM card",
    "DELETE FROM account_owner",
    "DELETE FROM account",
    "DELETE FROM sca_method_seed",
    "DELETE FROM sca_method",
    "DELETE FROM import_progress",
    "DELETE FROM psu_name_word",
    "DELETE FROM psu",
    "DELETE FROM hold",
    "DELETE FROM entry",
    "DELETE FROM transfer",
    "DELETE FROM ledger_account",
    "DELETE FROM idempotency_record",
    "DELETE FROM sandbox_secret",
    "DELETE FROM staff_action_run",
    "DELETE FROM staff_request",
];

impl Tx<'_> {
    /// Deletes all customers, their money, and every consent, payment, basket and loan. Only a sandbox calls this.
    pub fn sandbox_clear(&mut self) -> Result<(), StoreError> {
        for deletion in DELETIONS {
            self.execute(deletion, &[])?;
        }
        Ok(())
    }

    /// Stores a secret so that the sandbox can show it again; replaces an older one.
    pub fn sandbox_secret_set(
        &mut self,
        kind: SandboxSecret,
        subject: &str,
        value: &str,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO sandbox_secret (kind, subject, value) VALUES ($1, $2, $3)
             ON CONFLICT (kind, subject) DO UPDATE SET value = excluded.value",
            params![kind.name(), subject, value],
        )?;
        Ok(())
    }

    /// All secrets of a kind, each with its subject.
    pub fn sandbox_secret_list(&mut self, kind: SandboxSecret) -> Result<Vec<(String, String)>, StoreError> {
        self.query(
            "SELECT subject, value FROM sandbox_secret WHERE kind = $1 ORDER BY subject",
            params![kind.name()],
            |row| Ok((row.read()?, row.read()?)),
        )
    }

    /// The booking date of the newest entry of a statement.
    pub fn entry_last_booking_day(&mut self, account: LedgerAccountId) -> Result<Option<Date>, StoreError> {
        self.query_opt(
            "SELECT booking_date FROM entry WHERE account = $1 ORDER BY booking_date DESC, seq DESC LIMIT 1",
            params![account],
            |row| row.read(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables that outlive a reset of the sandbox. A new table must be added here or to the deletions.
    const RETAINED: &[&str] = &[
        "application",
        "application_certificate",
        "application_key",
        "application_key_last_used",
        "application_redirect_uri",
        "application_webhook_secret",
        "audit_event",
        "audit_head",
        "call_count",
        "health_sample",
        "clock",
        "currency_scale",
        "login",
        "login_challenge",
        "login_passkey",
        "login_recovery_code",
        "login_session",
        "member",
        "member_enrolment",
        "member_invitation",
        "merchant",
        "merchant_plan",
        "merchant_settlement_account",
        "organisation",
        "request_log",
        "root_key",
        "sandbox_callback",
        "serving_period",
        "staff",
        "staff_enrolment",
        "staff_token",
        "zone_offset",
    ];

    #[test]
    fn every_table_is_either_cleared_or_retained() {
        let schema = include_str!("../migrations/sqlite/0001_baseline.sql");
        let tables = schema.lines().filter_map(|line| line.strip_prefix("CREATE TABLE "));
        let mut tables: Vec<&str> = tables.map(|line| line.trim_end_matches(" (")).collect();
        let cleared = DELETIONS.iter().filter_map(|sql| sql.strip_prefix("DELETE FROM "));
        let mut listed: Vec<&str> = cleared.chain(RETAINED.iter().copied()).collect();
        tables.sort_unstable();
        listed.sort_unstable();
        assert_eq!(tables, listed);
    }
}
