//! The end of retention: personal data that the law required for years after the end of a relationship is deleted when the period that
//! the operator names has passed.

use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;

/// What anti-money-laundering law requires at least (Directive (EU) 2015/849, Art. 40).
const YEARS_MIN: u32 = 5;
const MAX_YEARS: u32 = 100;
/// How many former customers one query finds.
const BATCH: i64 = 100;

/// How much data has reached the end of its period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionReport {
    /// Former customers whose personal data was not erased before.
    pub customers: i64,
    /// Further ones, who are not erased because the bank owes them money.
    pub owed: i64,
    /// Accounts from which loans were paid that have ended.
    pub loan_payers: i64,
}

impl App {
    /// Counts what was retained for this number of years after the end of a relationship or a loan.
    pub async fn retention_report(&self, years: u32) -> Result<RetentionReport, UseCaseError> {
        let before = self.retention_end(years)?;
        let counted = self.store.read(move |tx| {
            let (customers, owed) = tx.psu_retained_count(before)?;
            Ok(RetentionReport { customers, owed, loan_payers: tx.loan_payer_retained_count(before)? })
        });
        counted.await
    }

    /// Erases former customers as `psu erase` does, and deletes the payers of ended loans. Returns how many there were. After an
    /// interruption the rest is deleted by the next call.
    pub async fn retention_apply(&self, years: u32) -> Result<RetentionReport, UseCaseError> {
        let before = self.retention_end(years)?;
        let mut customers = 0;
        loop {
            let logins = self.store.read(move |tx| Ok(tx.psu_retained_list(before, BATCH)?)).await?;
            let mut erased = 0;
            for login in logins {
                match self.psu_erase(&login).await {
                    Ok(()) => erased += 1,
                    // Money has come back since, or another command has erased it.
                    Err(UseCaseError::Refused(_)) => {}
                    Err(error) => return Err(error),
                }
            }
            if erased == 0 {
                break;
            }
            customers += erased;
        }
        let (now, actor) = (self.now(), audit::current_actor());
        let applied = self.store.write(move |tx| {
            let loan_payers = tx.loan_payer_purge(before)?;
            let (_, owed) = tx.psu_retained_count(before)?;
            let event = AuditEvent::new("retention.applied", "bank", "bank").with("years", years);
            let event =
                event.with("customers", customers).with("owed", owed).with("loan_payers", loan_payers);
            audit::record(tx, now, actor, &event)?;
            Ok(RetentionReport { customers, owed, loan_payers })
        });
        applied.await
    }

    /// What ended before this time has been retained for this number of years.
    fn retention_end(&self, years: u32) -> Result<Timestamp, UseCaseError> {
        let is_valid = (YEARS_MIN..=MAX_YEARS).contains(&years);
        let months = i32::try_from(years * 12).ok().filter(|_| is_valid).ok_or_else(|| {
            let text = format!("years: must be {YEARS_MIN} to {MAX_YEARS}");
            Refusal::new(RefusalReason::Malformed, text)
        })?;
        Ok(self.clock.zone().start_of(self.clock.today().plus_months(-months)))
    }
}
