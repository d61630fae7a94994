//! Limits on wrong credentials and on messages sent, applied to the counters in the database. The rules themselves are
//! the domain's (`authorisation::throttle`).

use super::CredentialContext;
use super::login_queue::{LoginPermit, LoginQueue};
use crate::StoreError;
use crate::keyring::KeyPurpose;
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::authorisation::throttle::{
    FAILURE_WINDOW, FIRST_WINDOW, FailureCounter, MAX_BACKOFF, RESEND_WINDOW, SendHistory, check_send_quota,
    is_blocked_everywhere,
};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{ScaCounterKey, Tx};

const FAILURE: &str = "failure";
const FIRST: &str = "first";
const RESEND: &str = "resend";

/// Counts the attempts of one subject (a login name or a telephone number) in one channel.
pub(crate) struct AttemptLimiter {
    now: Timestamp,
    subject: [u8; 32],
    /// Where the credential is entered: an application id, or one of the bank's own channels.
    channel: String,
    /// Wrong OTPs at third parties are also counted over all third parties together.
    third_party: bool,
    limit_first_otps: bool,
}

/// What happens to a password attempt after it was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptDecision {
    /// The password is verified after this back-off.
    Allowed { wait: TimeDelta },
    /// The password is not accepted, whether it is right or not.
    Blocked,
}

impl AttemptLimiter {
    fn new(context: &CredentialContext, subject: &[&[u8]], channel: &str) -> Self {
        Self {
            now: context.now,
            subject: context.keyring.hash(KeyPurpose::Subject, subject),
            channel: channel.to_owned(),
            third_party: false,
            limit_first_otps: context.settings.limit_first_otps,
        }
    }

    /// For a login name that is entered on the screen of a third party.
    pub(crate) fn for_third_party(
        context: &CredentialContext,
        name: &str,
        application: ApplicationId,
    ) -> Self {
        Self { third_party: true, ..Self::new(context, &[name.as_bytes()], &application.to_string()) }
    }

    /// For a login name that is entered in the bank's app.
    pub(crate) fn for_app(context: &CredentialContext, name: &str) -> Self {
        Self::new(context, &[name.as_bytes()], "app")
    }

    /// For a login name that is entered on a page of the bank.
    pub(crate) fn for_redirect(context: &CredentialContext, name: &str) -> Self {
        Self::new(context, &[name.as_bytes()], "redirect")
    }

    /// For a telephone number that is verified at a checkout, where no login name is known.
    pub(crate) fn for_phone(context: &CredentialContext, phone: &Phone) -> Self {
        Self::new(context, &[b"phone", phone.as_str().as_bytes()], "checkout")
    }

    fn key(&self, kind: &'static str) -> ScaCounterKey {
        ScaCounterKey { subject: self.subject, channel: self.channel.clone(), kind }
    }

    /// Waits until no other password of this subject is being verified in this channel.
    pub(crate) async fn acquire(&self, queue: &LoginQueue) -> LoginPermit {
        queue.acquire(self.subject, &self.channel).await
    }

    /// Counts a password attempt before the password is verified.
    pub(crate) fn count_password(&self, tx: &mut Tx<'_>) -> Result<AttemptDecision, StoreError> {
        let (key, now) = (self.key("password"), self.now);
        let counter = tx.sca_counter_lock(&key)?;
        if counter.is_blocked(now) {
            return Ok(AttemptDecision::Blocked);
        }
        let wait = counter.password_wait(now);
        tx.sca_counter_update(&key, &counter.password_tried(now))?;
        Ok(if wait > MAX_BACKOFF { AttemptDecision::Blocked } else { AttemptDecision::Allowed { wait } })
    }

    /// Resets the counter after the right password.
    pub(crate) fn reset_password(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.sca_counter_update(&self.key("password"), &FailureCounter::default())
    }

    /// Whether an OTP may be verified. The counter stays locked, so that concurrent OTPs are counted one by one.
    pub(crate) fn otp_is_allowed(&self, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
        let counter = tx.sca_counter_lock(&self.key("otp"))?;
        let failures = tx.sca_event_count(&self.subject, FAILURE, self.now.minus(FAILURE_WINDOW))?;
        let blocked_everywhere = self.third_party && is_blocked_everywhere(failures);
        Ok(!counter.is_blocked(self.now) && !blocked_everywhere)
    }

    pub(crate) fn count_wrong_otp(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let (key, now) = (self.key("otp"), self.now);
        let counter = tx.sca_counter_lock(&key)?;
        tx.sca_counter_update(&key, &counter.code_failed(now))?;
        // A wrong OTP in a channel of the bank does not block third parties.
        if !self.third_party {
            return Ok(());
        }
        tx.sca_event_insert(&self.subject, FAILURE, now, now.minus(FAILURE_WINDOW))
    }

    /// Resets the counter after the right OTP.
    pub(crate) fn reset_otp(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.sca_counter_update(&self.key("otp"), &FailureCounter::default())
    }

    /// Checks that one more challenge may be sent after `previous`, and counts it. `ends_at` is the end of what the
    /// challenge is for.
    pub(crate) fn count_send(
        &self,
        tx: &mut Tx<'_>,
        previous: Option<&Challenge>,
        ends_at: Timestamp,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let now = self.now;
        let history = SendHistory {
            sends: previous.map_or(0, |challenge| challenge.sends),
            last_at: previous.map(|challenge| challenge.sent_at),
            resends_in_window: tx.sca_event_count(&self.subject, RESEND, now.minus(RESEND_WINDOW))?,
            firsts_in_window: tx.sca_event_count(&self.subject, FIRST, now.minus(FIRST_WINDOW))?,
        };
        if let Err(retry_after) = check_send_quota(&history, self.limit_first_otps, now) {
            let text = "too many codes were requested; wait, or start a new authorisation";
            let wait = retry_after.unwrap_or(ends_at.since(now));
            return Ok(Err(Refusal::new(RefusalReason::RateExceeded, text).retry_after(wait)));
        }
        let (kind, window) = if history.sends == 0 { (FIRST, FIRST_WINDOW) } else { (RESEND, RESEND_WINDOW) };
        tx.sca_event_insert(&self.subject, kind, now, now.minus(window))?;
        Ok(Ok(()))
    }
}
