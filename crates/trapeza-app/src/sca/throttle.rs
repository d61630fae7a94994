//! The counters at work: who may still try, and who may still be sent something. The rules are the domain's.

use super::turn::{LoginPermit, LoginQueue};
use super::{Channel, ScaSettings, StepContext};
use crate::keyring::KeyPurpose;
use crate::{Keyring, StoreError};
use trapeza_domain::authorisation::Challenge;
use trapeza_domain::authorisation::throttle::{
    FAILURE_WINDOW, FIRST_WINDOW, FailureCounter, MAX_BACKOFF, RESEND_WINDOW, SendHistory, check_send_quota,
    is_blocked_everywhere,
};
use trapeza_domain::contact::Phone;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{AuthorisationRecord, ScaCounterKey, Tx};

const FAILURE: &str = "failure";
const FIRST: &str = "first";
const RESEND: &str = "resend";
/// The channel of the bank's app.
const APP: &str = "app";
/// Of our own pages behind a link.
const PAGE: &str = "page";
/// And of the checkout.
const CHECKOUT: &str = "checkout";

/// LoginKey tries are counted: one name, in the channel of one third party or of the bank's own pages and app.
pub(crate) struct AttemptLimiter {
    now: Timestamp,
    subject: [u8; 32],
    channel: String,
    /// Failures at third parties also count over all of them.
    third_party: bool,
    firsts_limited: bool,
}

/// What becomes of a password that was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptDecision {
    /// It is looked at after this long.
    Allowed { wait: TimeDelta },
    /// Nobody looks at it; the answer is that of a wrong one.
    Blocked,
}

impl AttemptLimiter {
    pub(super) fn new(context: &StepContext, record: &AuthorisationRecord) -> Self {
        let channel = match context.side {
            Channel::ThirdParty => context.application.to_string(),
            Channel::Page { .. } => PAGE.to_owned(),
            Channel::App(_) => APP.to_owned(),
        };
        let third_party = context.side == Channel::ThirdParty;
        let own =
            Self::for_app(&context.keyring, &context.settings, &record.authorisation.psu_name, context.now);
        Self { channel, third_party, ..own }
    }

    /// For one who wants to get into the app, where nobody has asked anything yet.
    pub(super) fn for_app(keyring: &Keyring, settings: &ScaSettings, name: &str, now: Timestamp) -> Self {
        Self {
            now,
            subject: keyring.hash(KeyPurpose::Subject, &[name.as_bytes()]),
            channel: APP.to_owned(),
            third_party: false,
            firsts_limited: settings.limit_first_otps,
        }
    }

    /// For one who signs in on our own page, by their name.
    pub(crate) fn for_redirect(
        keyring: &Keyring,
        settings: &ScaSettings,
        name: &str,
        now: Timestamp,
    ) -> Self {
        Self { channel: PAGE.to_owned(), ..Self::for_app(keyring, settings, name, now) }
    }

    /// For a telephone that is to be proven at a checkout, where no name is known.
    pub(crate) fn for_phone(
        keyring: &Keyring,
        settings: &ScaSettings,
        phone: &Phone,
        now: Timestamp,
    ) -> Self {
        let subject = keyring.hash(KeyPurpose::Subject, &[b"phone", phone.as_str().as_bytes()]);
        Self { subject, channel: CHECKOUT.to_owned(), ..Self::for_app(keyring, settings, "", now) }
    }

    fn key(&self, kind: &'static str) -> ScaCounterKey {
        ScaCounterKey { subject: self.subject, channel: self.channel.clone(), kind }
    }

    /// Waits until no other password is looked at for this name in this channel. The turn is kept until the password is
    /// settled.
    pub(crate) async fn turn(&self, turns: &LoginQueue) -> LoginPermit {
        turns.take(self.subject, &self.channel).await
    }

    /// Counts a password before anybody looks at it.
    pub(crate) fn password(&self, tx: &mut Tx<'_>) -> Result<AttemptDecision, StoreError> {
        let (key, now) = (self.key("password"), self.now);
        let row = tx.sca_counter_lock(&key)?;
        if row.is_blocked(now) {
            return Ok(AttemptDecision::Blocked);
        }
        let wait = row.password_wait(now);
        tx.sca_counter_update(&key, &row.password_tried(now))?;
        Ok(if wait > MAX_BACKOFF { AttemptDecision::Blocked } else { AttemptDecision::Allowed { wait } })
    }

    pub(crate) fn password_right(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.sca_counter_update(&self.key("password"), &FailureCounter::default())
    }

    /// Whether a code may be looked at. The counter stays locked, so that codes that come at once are counted one by
    /// one.
    pub(crate) fn code(&self, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
        let row = tx.sca_counter_lock(&self.key("code"))?;
        let failures = tx.sca_event_count(&self.subject, FAILURE, self.now.minus(FAILURE_WINDOW))?;
        let shut = self.third_party && is_blocked_everywhere(failures);
        Ok(!row.is_blocked(self.now) && !shut)
    }

    pub(crate) fn code_wrong(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let (key, now) = (self.key("code"), self.now);
        let row = tx.sca_counter_lock(&key)?;
        tx.sca_counter_update(&key, &row.code_failed(now))?;
        // What is wrong on our own side says nothing about third parties.
        if !self.third_party {
            return Ok(());
        }
        tx.sca_event_insert(&self.subject, FAILURE, now, now.minus(FAILURE_WINDOW))
    }

    pub(crate) fn code_right(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.sca_counter_update(&self.key("code"), &FailureCounter::default())
    }

    /// Whether one more challenge may go out after `before`, and if so, notes that it does. What it is for is over at
    /// `ends_at`.
    pub(crate) fn send(
        &self,
        tx: &mut Tx<'_>,
        before: Option<&Challenge>,
        ends_at: Timestamp,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let now = self.now;
        let sent = SendHistory {
            sends: before.map_or(0, |challenge| challenge.sends),
            last_at: before.map(|challenge| challenge.sent_at),
            resends_in_window: tx.sca_event_count(&self.subject, RESEND, now.minus(RESEND_WINDOW))?,
            firsts_in_window: tx.sca_event_count(&self.subject, FIRST, now.minus(FIRST_WINDOW))?,
        };
        if let Err(later) = check_send_quota(&sent, self.firsts_limited, now) {
            let text = "too many codes were asked for; wait, or start a new authorisation";
            let span = later.unwrap_or(ends_at.since(now));
            return Ok(Err(Refusal::new(RefusalReason::RateExceeded, text).retry_after(span)));
        }
        let (kind, window) = if sent.sends == 0 { (FIRST, FIRST_WINDOW) } else { (RESEND, RESEND_WINDOW) };
        tx.sca_event_insert(&self.subject, kind, now, now.minus(window))?;
        Ok(Ok(()))
    }
}
