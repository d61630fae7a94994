//! Credentials of customers: passwords and one-time codes (OTPs), with the limits on wrong ones.
//!
//! SCA, device sessions and the checkout authenticate customers with these parts. Nothing here depends on what the
//! customer approves.

mod login_queue;
pub(crate) mod method;
mod otp;
pub mod password;
mod throttle;

pub(crate) use login_queue::LoginQueue;
pub(crate) use otp::{ChallengeEntropy, NewChallenge, OtpBinding};
pub(crate) use password::{verified_psu, verify_attempt};
pub(crate) use throttle::{
    AttemptDecision, AttemptLimiter, blocks, email_subject, login_subject, phone_subject,
};

use crate::trace::TraceContext;
use crate::{App, Entropy, Keyring, trace};
use std::sync::Arc;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;

/// Settings of strong customer authentication. The default is production's.
#[derive(Clone, Debug)]
pub struct ScaSettings {
    /// An OTP that is always accepted for SMS, chip and photo methods. Only the sandbox sets it.
    pub fixed_otp: Option<Secret<String>>,
    /// Whether the hourly budgets of messages to a customer apply. Resends are always limited.
    pub limit_messages: bool,
    /// Whether sent messages stay readable, for a sandbox that shows them and has no SMS gateway.
    pub retain_messages: bool,
}

impl Default for ScaSettings {
    fn default() -> Self {
        Self { fixed_otp: None, limit_messages: true, retain_messages: false }
    }
}

impl ScaSettings {
    pub fn sandbox(otp: &str) -> Self {
        let fixed_otp = Some(Secret::new(otp.to_owned()));
        Self { fixed_otp, limit_messages: false, retain_messages: true }
    }
}

/// What an authentication step needs and must be created before its transaction: time, keys, settings, randomness.
#[derive(Clone)]
pub(crate) struct CredentialContext {
    pub now: Timestamp,
    pub keyring: Arc<Keyring>,
    pub settings: Arc<ScaSettings>,
    pub entropy: ChallengeEntropy,
    /// The bank's name in messages.
    pub bank_name: Arc<str>,
    /// The trace of the request, for messages.
    pub trace: Option<TraceContext>,
}

impl App {
    /// OTPs always come from the operating system, never from the seed of the demo bank.
    pub(crate) fn credential_context(&self) -> CredentialContext {
        CredentialContext {
            now: self.now(),
            keyring: self.keyring.clone(),
            settings: self.settings.sca.clone(),
            entropy: ChallengeEntropy::generate(&Entropy::os()),
            bank_name: self.bank_name().clone(),
            trace: trace::current(),
        }
    }
}

/// The password or OTP was wrong, or was not checked because of the limits. The refusal does not reveal which.
pub(crate) fn invalid_credentials() -> Refusal {
    Refusal::new(RefusalReason::CredentialsInvalid, "the customer could not be authenticated")
}
