//! The use cases: load, decide, save, in one transaction per step.
//!
//! A use case creates time, ids and random bytes before its transaction. Inside a transaction it uses no network,
//! hashes no password and renders no picture. It returns domain types; wire formats are in the API crates.

pub mod account;
pub mod account_information;
pub mod application;
pub mod audit;
mod audit_check;
pub mod authentication;
mod authorisation_expiry;
pub mod backup;
pub mod bank_profile;
pub mod basket;
mod cache;
pub mod callback;
pub mod certificate;
pub mod checkout;
pub mod clearing;
mod clearing_submission;
mod clock;
pub mod consent;
pub mod credential;
mod credit;
pub mod credit_document;
pub mod device;
mod document_hash;
mod entropy;
pub mod external_url;
pub mod funds;
pub mod idempotency;
pub mod import;
pub mod keyring;
pub mod ledger;
pub mod loan;
pub mod login;
pub mod merchant;
pub mod merchant_terms;
mod monitoring;
pub mod notification;
pub mod object_view;
pub mod ocra;
pub mod organisation;
pub mod payment;
pub mod permission;
mod prepared_event;
pub mod psu;
mod receipt_document;
pub mod request_log;
pub mod retention;
pub mod root_key;
pub mod sandbox;
pub mod sca;
pub mod search;
pub mod signing_basket;
mod signing_basket_state;
pub mod staff;
pub mod statistics;
mod status_notification;
mod sweep;
mod target_creation;
pub mod trace;
pub mod work_list;

pub use authentication::{AuthenticationLimits, Merchant, Tpp, TppCredentials};
pub use certificate::CertificateCache;
pub use clearing::{ClearingPort, InstantPort};
pub use clock::{Clock, Zone, format_date, format_timestamp, parse_date, parse_date_time, parse_timestamp};
pub use entropy::Entropy;
pub use keyring::Keyring;
pub use payment::{PathPayment, PayeeLimits, PayeeVerifier, PaymentSettings};
pub use sandbox::SandboxBehaviour;
pub use sca::ScaSettings;
pub use target_creation::Initiation;
// Errors that callers of a use case handle.
pub(crate) use trapeza_store::Required;
pub use trapeza_store::{Backlog, Store, StoreError, UseCaseError};
// The language of messages that a use case sends.
pub use trapeza_texts::Language;

use crate::account_information::EntryIdCipher;
use std::sync::Arc;
use trapeza_domain::egress::EgressPolicy;
use trapeza_domain::time::{TimeDelta, Timestamp};

/// The application: all use cases are its methods.
pub struct App {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) entropy: Entropy,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) entry_ids: EntryIdCipher,
    pub(crate) login_queue: credential::LoginQueue,
    pub(crate) caches: Caches,
    pub(crate) settings: Settings,
    pub(crate) ports: Ports,
    pub(crate) statistics: statistics::Statistics,
    /// A random id of this process, created when it is first used.
    pub(crate) process_id: std::sync::OnceLock<uuid::Uuid>,
}

/// State of the process that may be lost.
#[derive(Default)]
pub(crate) struct Caches {
    pub certificates: CertificateCache,
    pub callers: authentication::CallerCache,
    pub last_used: permission::LastUsedTracker<trapeza_domain::id::ConsentId>,
    /// By the hash of the key.
    pub key_last_used: permission::LastUsedTracker<[u8; 32]>,
}

/// What the configuration decides.
pub(crate) struct Settings {
    pub sca: Arc<ScaSettings>,
    pub payments: PaymentSettings,
    /// The fixed outcomes of the sandbox; `None` in production.
    pub sandbox: Option<SandboxBehaviour>,
    /// `None` without limits.
    pub payee_budget: Option<payment::PayeeBudget>,
    pub bank_profile: bank_profile::BankProfile,
    pub callback_retention: TimeDelta,
    /// Whether shoppers without an account here declare their income.
    pub declared_income: bool,
    /// Whether a server for e-mail is configured.
    pub has_email: bool,
    /// Whose passwords and passkeys the console accepts.
    pub local_sign_in: staff::LocalSignIn,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            sca: Arc::default(),
            payments: PaymentSettings::default(),
            sandbox: None,
            payee_budget: None,
            bank_profile: bank_profile::BankProfile::default(),
            declared_income: false,
            callback_retention: callback::DEFAULT_RETENTION,
            has_email: false,
            local_sign_in: staff::LocalSignIn::default(),
        }
    }
}

/// Connections to other systems.
#[derive(Default)]
pub(crate) struct Ports {
    pub clearing: Option<Arc<dyn ClearingPort>>,
    pub instant: Option<Arc<dyn InstantPort>>,
    pub payee_verifier: Option<Arc<dyn PayeeVerifier>>,
    pub identity_provider: Option<Arc<dyn staff::IdentityProvider>>,
    /// In the sandbox.
    pub test_certificates: Option<Arc<dyn organisation::TestCertificateIssuer>>,
    /// The demo bank, to which a reset of the sandbox returns.
    pub demo: Option<sandbox::DemoBuilder>,
}

impl App {
    /// `clock` must be loaded from the same store, see [`Clock::load`].
    pub fn new(store: Store, clock: Clock, entropy: Entropy, keyring: Keyring) -> Self {
        Self {
            store,
            clock,
            entropy,
            entry_ids: EntryIdCipher::new(&keyring),
            keyring: Arc::new(keyring),
            login_queue: credential::LoginQueue::default(),
            caches: Caches::default(),
            settings: Settings::default(),
            ports: Ports::default(),
            statistics: statistics::Statistics::default(),
            process_id: std::sync::OnceLock::new(),
        }
    }

    /// Sets the SCA settings. The default is production's.
    pub fn with_sca(mut self, sca: ScaSettings) -> Self {
        self.settings.sca = Arc::new(sca);
        self
    }

    /// Sets the fees. Without this, payments are free.
    pub fn with_payments(mut self, payments: PaymentSettings) -> Self {
        self.settings.payments = payments;
        self
    }

    /// Gives fixed outcomes to some inputs. Production does not call this.
    pub fn with_sandbox(mut self, sandbox: SandboxBehaviour) -> Self {
        self.settings.sandbox = Some(sandbox);
        self
    }

    /// Limits how many mismatches of payees' names are reported. Without this, all are.
    pub fn with_payee_limits(mut self, limits: PayeeLimits) -> Self {
        self.settings.payee_budget = Some(payment::PayeeBudget::new(limits));
        self
    }

    /// Sets the bank's name. The default is Trapeza.
    pub fn with_bank_name(mut self, name: &str) -> Self {
        self.settings.bank_profile.name = name.into();
        self
    }

    /// Sets everything that the operator says about the bank, its name included.
    pub fn with_bank_profile(mut self, profile: bank_profile::BankProfile) -> Self {
        self.settings.bank_profile = profile;
        self
    }

    /// Shoppers without an account here declare their income and expenses before they see plans.
    pub fn with_declared_income(mut self) -> Self {
        self.settings.declared_income = true;
        self
    }

    /// Sets how long delivered callbacks are stored. The default is 90 days.
    pub fn with_callback_retention(mut self, retention: TimeDelta) -> Self {
        self.settings.callback_retention = retention;
        self
    }

    /// Says whether a courier sends e-mail. Without one no address is asked for, except in a sandbox, which shows its messages.
    pub fn with_email(mut self, has_email: bool) -> Self {
        self.settings.has_email = has_email;
        self
    }

    /// Whether messages by e-mail reach their recipient.
    pub fn sends_email(&self) -> bool {
        self.settings.has_email || self.settings.sca.retain_messages
    }

    /// Sets the connection to clearing. Without it no payment is submitted.
    pub fn with_clearing(mut self, port: Arc<dyn ClearingPort>) -> Self {
        self.ports.clearing = Some(port);
        self
    }

    /// Sets the connection to instant clearing. Without it instant payments are not offered.
    pub fn with_instant_clearing(mut self, port: Arc<dyn InstantPort>) -> Self {
        self.ports.instant = Some(port);
        self
    }

    /// Sets the verifier of payees at other banks. Without it their names are not verified.
    pub fn with_payee_verifier(mut self, verifier: Arc<dyn PayeeVerifier>) -> Self {
        self.ports.payee_verifier = Some(verifier);
        self
    }

    /// Sets the identity provider with which staff sign in, and whose passwords and passkeys are still accepted. Without it staff
    /// have no other way to sign in.
    pub fn with_identity_provider(
        mut self,
        provider: Arc<dyn staff::IdentityProvider>,
        local_sign_in: staff::LocalSignIn,
    ) -> Self {
        self.ports.identity_provider = Some(provider);
        self.settings.local_sign_in = local_sign_in;
        self
    }

    /// Whose passwords and passkeys the console accepts.
    pub fn local_sign_in(&self) -> staff::LocalSignIn {
        self.settings.local_sign_in
    }

    /// Whether this is a sandbox, with fixed outcomes and test applications.
    pub fn is_sandbox(&self) -> bool {
        self.settings.sandbox.is_some()
    }

    /// Which addresses applications may name: those of the developer's own machine in the sandbox only.
    pub(crate) fn url_policy(&self) -> EgressPolicy {
        if self.is_sandbox() { EgressPolicy::PublicOrLoopback } else { EgressPolicy::Public }
    }

    /// The bank's name as customers read it.
    pub fn bank_name(&self) -> &Arc<str> {
        &self.settings.bank_profile.name
    }

    /// What the operator says about the bank: contact, legal details, languages, country and brand.
    pub fn bank_profile(&self) -> &bank_profile::BankProfile {
        &self.settings.bank_profile
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    pub fn entropy(&self) -> &Entropy {
        &self.entropy
    }

    /// Checks that the store responds.
    pub async fn store_ping(&self) -> Result<(), UseCaseError> {
        self.store.read(|tx| Ok(tx.clock_find()?)).await.map(|_| ())
    }

    pub fn store(&self) -> &Store {
        &self.store
    }
}
