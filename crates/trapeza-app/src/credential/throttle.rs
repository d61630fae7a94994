//! Limits on wrong credentials and on messages sent, applied to the counters in the database. The rules themselves are
//! the domain's (`authorisation::throttle`).

use super::CredentialContext;
use super::login_queue::{LoginPermit, LoginQueue};
use crate::idempotency::IdempotentRequest;
use crate::keyring::KeyPurpose;
use crate::{Keyring, StoreError, format_timestamp};
use trapeza_domain::authorisation::throttle::{
    FAILURE_WINDOW, FinalBlock, MAX_BACKOFF, MessageKind, SentMessages, check_resend, is_blocked_everywhere,
};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{ApplicationId, LoanId, MerchantId};
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{ScaCounterKey, Tx};

const FAILURE: &str = "failure";

/// Counts the attempts of one subject (a login name or a telephone number) in one channel.
pub(crate) struct AttemptLimiter {
    now: Timestamp,
    subject: [u8; 32],
    channel: String,
    /// Wrong OTPs at third parties are also counted over all third parties together.
    third_party: bool,
    final_block: FinalBlock,
    limit_messages: bool,
}

/// What happens to a password attempt after it was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttemptDecision {
    /// The password is verified after this back-off. The channel is blocked if it is wrong and the last one before a block.
    Allowed { wait: TimeDelta, last_before_block: bool },
    /// The password is not accepted, whether it is right or not.
    Blocked,
}

impl AttemptDecision {
    /// Whether a wrong password blocks the channel.
    pub(crate) const fn blocks_if_wrong(self) -> bool {
        matches!(self, Self::Allowed { last_before_block: true, .. })
    }
}

impl AttemptLimiter {
    fn new(context: &CredentialContext, subject: [u8; 32], channel: String) -> Self {
        Self {
            now: context.now,
            subject,
            channel,
            third_party: false,
            final_block: FinalBlock::UntilUnblocked,
            limit_messages: context.settings.limit_messages,
        }
    }

    fn for_login(context: &CredentialContext, name: &str, channel: String) -> Self {
        Self::new(context, login_subject(&context.keyring, name), channel)
    }

    /// For a login name that is entered on the screen of a third party.
    pub(crate) fn for_third_party(
        context: &CredentialContext,
        name: &str,
        application: ApplicationId,
    ) -> Self {
        Self { third_party: true, ..Self::for_login(context, name, application.to_string()) }
    }

    /// For a login name that is entered in the bank's app. An enrolled device has its own channel (`for_device`), because
    /// anyone can enter wrong passwords in a browser that is not enrolled.
    pub(crate) fn for_app(context: &CredentialContext, name: &str) -> Self {
        Self::for_login(context, name, "app".to_owned())
    }

    /// For a login name that is entered on the customer's enrolled device.
    pub(crate) fn for_device(context: &CredentialContext, name: &str, session_token_hash: &[u8; 32]) -> Self {
        let device: String = session_token_hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        Self::for_login(context, name, format!("device:{device}"))
    }

    /// For a login name that is entered on a page of the bank that a third party links to.
    pub(crate) fn for_redirect(context: &CredentialContext, name: &str, application: ApplicationId) -> Self {
        Self::for_login(context, name, format!("redirect:{application}"))
    }

    /// For a login name that is entered at the checkout of a merchant.
    pub(crate) fn for_checkout(context: &CredentialContext, name: &str, merchant: MerchantId) -> Self {
        Self::for_login(context, name, format!("checkout:{merchant}"))
    }

    /// For a telephone number that is verified at the checkout of a merchant, where no login name is known.
    pub(crate) fn for_phone(context: &CredentialContext, phone: &Phone, merchant: MerchantId) -> Self {
        let subject = phone_subject(&context.keyring, phone);
        Self {
            final_block: FinalBlock::Repeated,
            ..Self::new(context, subject, format!("checkout:{merchant}"))
        }
    }

    /// For the telephone number of a borrower who opens the page of a loan.
    pub(crate) fn for_borrower(context: &CredentialContext, phone: &Phone, loan: LoanId) -> Self {
        let subject = phone_subject(&context.keyring, phone);
        Self { final_block: FinalBlock::Repeated, ..Self::new(context, subject, format!("loan:{loan}")) }
    }

    /// For the e-mail address of a person who signs in to the portal or the console.
    pub(crate) fn for_email(context: &CredentialContext, kind: LoginKind, email: &str) -> Self {
        Self::new(context, email_subject(&context.keyring, kind, email), kind.channel().to_owned())
    }

    fn key(&self, kind: &'static str) -> ScaCounterKey {
        ScaCounterKey { subject: self.subject, channel: self.channel.clone(), kind }
    }

    /// Waits until no other password of this subject is being verified in this channel. Refused when too many wait already.
    pub(crate) async fn acquire(&self, queue: &LoginQueue) -> Result<LoginPermit, Refusal> {
        queue.acquire(self.subject, &self.channel).await
    }

    /// Counts a password attempt before the password is verified.
    pub(crate) fn count_password(&self, tx: &mut Tx<'_>) -> Result<AttemptDecision, StoreError> {
        let (key, now) = (self.key("password"), self.now);
        let counter = tx.sca_counter_lock(&key)?;
        if counter.is_blocked(now) {
            return Ok(AttemptDecision::Blocked);
        }
        let (wait, counted) = (counter.password_wait(now), counter.password_tried(now));
        tx.sca_counter_update(&key, &counted)?;
        if wait > MAX_BACKOFF {
            return Ok(AttemptDecision::Blocked);
        }
        Ok(AttemptDecision::Allowed { wait, last_before_block: counted.is_blocked(now) })
    }

    /// The same for an idempotent request. Sent again because its outcome could not be stored, it is not counted again: otherwise the
    /// repetitions of a right password while the database fails would block the customer. Another password is another request.
    pub(crate) fn count_password_of(
        &self,
        tx: &mut Tx<'_>,
        request: Option<&IdempotentRequest>,
    ) -> Result<AttemptDecision, StoreError> {
        let Some(request) = request.map(IdempotentRequest::digest) else { return self.count_password(tx) };
        let (key, now) = (self.key("password"), self.now);
        let counter = tx.sca_counter_lock(&key)?;
        if tx.sca_counter_request(&key)? != Some(request.clone()) {
            let decision = self.count_password(tx)?;
            if decision != AttemptDecision::Blocked {
                tx.sca_counter_request_set(&key, Some(&request))?;
            }
            return Ok(decision);
        }
        // It waits as the next attempt would, so that an attempt that was broken off saves no time.
        match counter.password_wait(now) {
            wait if counter.is_blocked(now) || wait > MAX_BACKOFF => Ok(AttemptDecision::Blocked),
            wait => Ok(AttemptDecision::Allowed { wait, last_before_block: false }),
        }
    }

    /// Notes that the outcome of a wrong password is stored: the next attempt is another one.
    pub(crate) fn end_password_attempt(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.sca_counter_request_set(&self.key("password"), None)
    }

    /// Resets the counter after the right password.
    pub(crate) fn reset_password(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.sca_counter_delete(&self.key("password"))
    }

    /// Whether an OTP may be verified. The counter stays locked, so that concurrent OTPs are counted one by one.
    pub(crate) fn otp_is_allowed(&self, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
        let counter = tx.sca_counter_lock(&self.key("otp"))?;
        let since = self.now.minus(FAILURE_WINDOW);
        let failures = tx.sca_event_count(&self.subject, FAILURE, &self.channel, since)?.from_all;
        let blocked_everywhere = self.third_party && is_blocked_everywhere(failures);
        Ok(!counter.is_blocked(self.now) && !blocked_everywhere)
    }

    pub(crate) fn count_wrong_otp(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let (key, now) = (self.key("otp"), self.now);
        let counter = tx.sca_counter_lock(&key)?;
        tx.sca_counter_update(&key, &counter.code_failed(now, self.final_block))?;
        // A wrong OTP in a channel of the bank does not block third parties.
        if !self.third_party {
            return Ok(());
        }
        tx.sca_event_insert(&self.subject, FAILURE, &self.channel, now, now.minus(FAILURE_WINDOW))
    }

    /// Resets the counter after the right OTP.
    pub(crate) fn reset_otp(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        tx.sca_counter_delete(&self.key("otp"))
    }

    /// Checks that one more message may be sent after those that the same authorisation has had, and counts it. `ends_at`
    /// is the end of what the message is for.
    pub(crate) fn count_message(
        &self,
        tx: &mut Tx<'_>,
        kind: MessageKind,
        sent: Option<SentMessages>,
        ends_at: Timestamp,
    ) -> Result<Result<(), Refusal>, StoreError> {
        let now = self.now;
        let (kind, resend) = match sent.filter(|sent| sent.count > 0) {
            Some(sent) => (MessageKind::Resend, check_resend(&sent, now)),
            None => (kind, Ok(())),
        };
        if let Err(wait) = resend {
            return Ok(Err(too_many_messages(wait.unwrap_or(ends_at.since(now)))));
        }
        let budget = kind.budget();
        let since = now.minus(budget.window);
        let count = tx.sca_event_count(&self.subject, kind.name(), &self.channel, since)?;
        let limited = self.limit_messages || kind == MessageKind::Resend;
        if let Err(wait) = budget.check(count.from_channel, count.from_all)
            && limited
        {
            return Ok(Err(too_many_messages(wait)));
        }
        tx.sca_event_insert(&self.subject, kind.name(), &self.channel, now, since)?;
        Ok(Ok(()))
    }
}

fn too_many_messages(wait: TimeDelta) -> Refusal {
    let text = "too many codes were requested; wait, or start a new authorisation";
    Refusal::new(RefusalReason::RateExceeded, text).retry_after(wait)
}

/// The blocks of a subject in words: where, of what, until when.
pub(crate) fn blocks(tx: &mut Tx<'_>, subject: &[u8; 32], now: Timestamp) -> Result<Vec<String>, StoreError> {
    let mut blocks = Vec::new();
    for block in tx.sca_block_list(subject, now)? {
        let until = match block.blocked_until {
            Timestamp(i64::MAX) => "unblocked".to_owned(),
            until => format_timestamp(until),
        };
        let (channel, kind) = (block.channel, block.kind);
        blocks.push(format!("{channel}: {kind} until {until}, {} failures", block.failures));
    }
    let failures = tx.sca_event_count(subject, FAILURE, "", now.minus(FAILURE_WINDOW))?.from_all;
    if is_blocked_everywhere(failures) {
        blocks.push(format!("all third parties: codes, {failures} failures in a day"));
    }
    Ok(blocks)
}

/// The subject of the counters of a login name.
pub(crate) fn login_subject(keyring: &Keyring, name: &str) -> [u8; 32] {
    keyring.hash(KeyPurpose::Subject, &[name.as_bytes()])
}

/// The subject of the counters of an e-mail address.
pub(crate) fn email_subject(keyring: &Keyring, kind: LoginKind, email: &str) -> [u8; 32] {
    keyring.hash(KeyPurpose::Subject, &[kind.name().as_bytes(), email.as_bytes()])
}

/// The subject of the counters of a telephone number.
pub(crate) fn phone_subject(keyring: &Keyring, phone: &Phone) -> [u8; 32] {
    keyring.hash(KeyPurpose::Subject, &[b"phone", phone.as_str().as_bytes()])
}
