//! The counters at work: who may still try, and who may still be sent something. The rules are the domain's.

use super::Desk;
use crate::StoreError;
use crate::keyring::Purpose;
use trapeza_domain::authorisation::throttle::{
    FAILURE_WINDOW, FIRST_WINDOW, FailureRow, LONGEST_WAIT, RESEND_WINDOW, Sent, all_blocked, may_send,
};
use trapeza_domain::refusal::{Reason, Refusal};
use trapeza_domain::time::Span;
use trapeza_store::{AuthorisationRecord, CounterKey, Tx};

const FAILURE: &str = "failure";
const FIRST: &str = "first";
const RESEND: &str = "resend";

/// Whose tries are counted: one name, in the channel of one third party.
pub(super) struct Guard<'a> {
    desk: &'a Desk,
    subject: [u8; 32],
}

/// What becomes of a password that was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gate {
    /// It is looked at after this long.
    Open { wait: Span },
    /// Nobody looks at it; the answer is that of a wrong one.
    Shut,
}

impl<'a> Guard<'a> {
    pub(super) fn new(desk: &'a Desk, record: &AuthorisationRecord) -> Self {
        let name = record.authorisation.psu_name.as_bytes();
        Self { desk, subject: desk.keyring.hash(Purpose::Subject, &[name]) }
    }

    fn key(&self, kind: &'static str) -> CounterKey {
        CounterKey { subject: self.subject, channel: self.desk.application.to_string(), kind }
    }

    /// Counts a password before anybody looks at it.
    pub(super) fn password(&self, tx: &mut Tx<'_>) -> Result<Gate, StoreError> {
        let (key, now) = (self.key("password"), self.desk.now);
        let row = tx.sca_counter_lock(&key)?;
        if row.is_blocked(now) {
            return Ok(Gate::Shut);
        }
        let wait = row.password_wait(now);
        tx.sca_counter_save(&key, &row.password_tried(now))?;
        Ok(if wait > LONGEST_WAIT { Gate::Shut } else { Gate::Open { wait } })
    }

    pub(super) fn password_right(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.sca_counter_save(&self.key("password"), &FailureRow::default())
    }

    /// Whether a code may be looked at. The counter stays locked, so that codes that come at once are counted one by
    /// one.
    pub(super) fn code(&self, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
        let row = tx.sca_counter_lock(&self.key("code"))?;
        let failures = tx.sca_tally_count(&self.subject, FAILURE, self.desk.now.minus(FAILURE_WINDOW))?;
        Ok(!row.is_blocked(self.desk.now) && !all_blocked(failures))
    }

    pub(super) fn code_wrong(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let (key, now) = (self.key("code"), self.desk.now);
        let row = tx.sca_counter_lock(&key)?;
        tx.sca_counter_save(&key, &row.code_failed(now))?;
        tx.sca_tally_add(&self.subject, FAILURE, now, now.minus(FAILURE_WINDOW))
    }

    pub(super) fn code_right(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.sca_counter_save(&self.key("code"), &FailureRow::default())
    }

    /// Whether one more challenge may go out, and if so, notes that it does.
    pub(super) fn send(
        &self,
        tx: &mut Tx<'_>,
        record: &AuthorisationRecord,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let now = self.desk.now;
        let before = record.challenge.as_ref();
        let sent = Sent {
            sends: before.map_or(0, |challenge| challenge.sends),
            last_at: before.map(|challenge| challenge.sent_at),
            resends_in_window: tx.sca_tally_count(&self.subject, RESEND, now.minus(RESEND_WINDOW))?,
            firsts_in_window: tx.sca_tally_count(&self.subject, FIRST, now.minus(FIRST_WINDOW))?,
        };
        if let Err(later) = may_send(&sent, self.desk.settings.first_codes_limited, now) {
            let text = "too many codes were asked for; wait, or start a new authorisation";
            let span = later.unwrap_or(record.authorisation.ends_at.since(now));
            return Ok(Err(Refusal::new(Reason::RateExceeded, text).retry_after(span)));
        }
        let (kind, window) = if sent.sends == 0 { (FIRST, FIRST_WINDOW) } else { (RESEND, RESEND_WINDOW) };
        tx.sca_tally_add(&self.subject, kind, now, now.minus(window))?;
        Ok(Ok(()))
    }
}
