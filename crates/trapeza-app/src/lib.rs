//! The use cases: load, decide, save, in one transaction per step.
//!
//! A use case creates time, ids and random bytes before its transaction. Inside a transaction it uses no network,
//! hashes no password and renders no picture. It returns domain types; wire formats are in the API crates.

pub mod account;
pub mod account_information;
pub mod application;
pub mod audit;
pub mod authentication;
pub mod basket;
mod cache;
pub mod callback;
pub mod certificate;
pub mod checkout;
pub mod clearing;
mod clock;
pub mod consent;
pub mod credential;
mod credit;
pub mod device;
mod entropy;
pub mod external_url;
pub mod funds;
pub mod idempotency;
pub mod keyring;
pub mod ledger;
pub mod loan;
pub mod merchant;
pub mod merchant_terms;
pub mod notification;
pub mod ocra;
pub mod payment;
pub mod permission;
pub mod psu;
pub mod sandbox;
pub mod sca;
mod sweep;

pub use authentication::{AuthenticationLimits, Merchant, Tpp, TppCredentials};
pub use certificate::CertificateCache;
pub use clearing::ClearingPort;
pub use clock::{Clock, Zone, format_date, format_timestamp, parse_date, parse_timestamp};
pub use entropy::Entropy;
pub use keyring::Keyring;
pub use payment::{PayeeVerifier, PaymentSettings};
pub use sandbox::SandboxBehaviour;
pub use sca::ScaSettings;
// Errors that callers of a use case handle.
pub use trapeza_store::{Store, StoreError, UseCaseError};

use crate::account_information::EntryIdCipher;
use std::sync::Arc;
use trapeza_domain::time::{TimeDelta, Timestamp};

/// The application: all use cases are its methods.
pub struct App {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) entropy: Entropy,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) certificates: CertificateCache,
    pub(crate) callers: authentication::CallerCache,
    pub(crate) entry_ids: EntryIdCipher,
    pub(crate) sca: Arc<ScaSettings>,
    pub(crate) last_used: permission::LastUsedTracker,
    pub(crate) login_queue: credential::LoginQueue,
    pub(crate) payments: PaymentSettings,
    pub(crate) sandbox: Option<SandboxBehaviour>,
    pub(crate) bank_name: Arc<str>,
    pub(crate) callback_retention: TimeDelta,
    pub(crate) clearing: Option<Arc<dyn ClearingPort>>,
    pub(crate) payee_verifier: Option<Arc<dyn PayeeVerifier>>,
}

impl App {
    /// `clock` must be loaded from the same store, see [`Clock::load`].
    pub fn new(store: Store, clock: Clock, entropy: Entropy, keyring: Keyring) -> Self {
        let (certificates, entry_ids) = (CertificateCache::new(), EntryIdCipher::new(&keyring));
        let (keyring, sca) = (Arc::new(keyring), Arc::default());
        Self {
            store,
            clock,
            entropy,
            keyring,
            certificates,
            callers: authentication::CallerCache::default(),
            entry_ids,
            sca,
            last_used: permission::LastUsedTracker::default(),
            login_queue: credential::LoginQueue::default(),
            payments: PaymentSettings::default(),
            sandbox: None,
            bank_name: "Trapeza".into(),
            callback_retention: callback::DEFAULT_RETENTION,
            clearing: None,
            payee_verifier: None,
        }
    }

    /// Sets the SCA settings. The default is production's.
    pub fn with_sca(self, settings: ScaSettings) -> Self {
        Self { sca: Arc::new(settings), ..self }
    }

    /// Sets the fees. Without this, payments are free.
    pub fn with_payments(self, payments: PaymentSettings) -> Self {
        Self { payments, ..self }
    }

    /// With the fixed outcomes of the sandbox. Production does not call this.
    pub fn with_sandbox(self, sandbox: SandboxBehaviour) -> Self {
        Self { sandbox: Some(sandbox), ..self }
    }

    /// The name under which the bank asks its own customers for approvals.
    pub fn with_bank_name(self, name: &str) -> Self {
        Self { bank_name: name.into(), ..self }
    }

    /// Sets how long delivered callbacks are stored. The default is 90 days.
    pub fn with_callback_retention(self, kept: TimeDelta) -> Self {
        Self { callback_retention: kept, ..self }
    }

    /// Sets the connection to clearing. Without it no payment is submitted.
    pub fn with_clearing(self, port: Arc<dyn ClearingPort>) -> Self {
        Self { clearing: Some(port), ..self }
    }

    /// Sets the verifier of payees at other banks. Without it their names are not verified.
    pub fn with_payee_verifier(self, verifier: Arc<dyn PayeeVerifier>) -> Self {
        Self { payee_verifier: Some(verifier), ..self }
    }

    /// Whether the database was created with this root secret. With another secret no key would be found and no audit
    /// chain would verify, so the program refuses to start.
    pub async fn root_key_verify(&self) -> Result<bool, UseCaseError> {
        let mark = self.keyring.derive(keyring::KeyPurpose::KeyCheck);
        let found = self.store.write(move |tx| Ok(tx.root_key_check(&mark)?)).await?;
        Ok(found == mark)
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

/// The error for a row that another row refers to and that is not there.
pub(crate) fn missing_row(what: &'static str) -> impl Fn() -> StoreError {
    move || StoreError::internal(format!("a referenced row is missing: {what}"))
}
