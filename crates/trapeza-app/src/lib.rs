//! The use cases: load, decide, save — one transaction a step.
//!
//! A use case makes time, ids and random bytes before its transaction and hands them in. It never touches the network,
//! hashes a password or draws a picture inside one. What it answers is the domain's; wire formats are the edge's.

pub mod account;
pub mod address;
pub mod application;
pub mod audit;
pub mod authorisation;
pub mod basket;
pub mod callback;
pub mod caller;
pub mod certificate;
pub mod checkout;
pub mod clearing;
mod clock;
pub mod consent;
mod credit;
mod entropy;
pub mod funds;
pub mod keyring;
mod known;
pub mod ledger;
pub mod loan;
pub mod merchant;
pub mod method;
pub mod ocra;
pub mod password;
pub mod pay_later;
pub mod payment;
pub mod permission;
pub mod psu;
pub mod reading;
pub mod repeat;
pub mod sandbox;
mod sweep;

pub use authorisation::ScaSettings;
pub use caller::{Merchant, Tpp, TppCredentials};
pub use certificate::CertificateCache;
pub use clearing::ClearingPort;
pub use clock::{Clock, Zone, parse_day, parse_instant, print_day, print_instant};
pub use entropy::Entropy;
pub use keyring::Keyring;
pub use payment::{PayeeResponder, PaymentSettings};
// What a use case's caller may have to handle.
pub use trapeza_store::{Store, StoreError, UseCaseError};

use crate::reading::LineIds;
use std::sync::Arc;
use trapeza_domain::time::{Instant, Span};

/// The bank, ready to be asked.
pub struct App {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) entropy: Entropy,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) certificates: CertificateCache,
    pub(crate) known_callers: caller::KnownCallers,
    pub(crate) known_terms: pay_later::KnownTerms,
    pub(crate) known_contacts: payment::KnownContacts,
    pub(crate) line_ids: LineIds,
    pub(crate) sca: Arc<ScaSettings>,
    pub(crate) uses: permission::Uses,
    pub(crate) turns: authorisation::Turns,
    pub(crate) payments: PaymentSettings,
    pub(crate) callbacks_kept: Span,
    pub(crate) clearing: Option<Arc<dyn ClearingPort>>,
    pub(crate) payee_responder: Option<Arc<dyn PayeeResponder>>,
}

impl App {
    /// `clock` has to be the store's own: see [`Clock::load`].
    pub fn new(store: Store, clock: Clock, entropy: Entropy, keyring: Keyring) -> Self {
        let (certificates, line_ids) = (CertificateCache::new(), LineIds::new(&keyring));
        let (keyring, sca) = (Arc::new(keyring), Arc::default());
        Self {
            store,
            clock,
            entropy,
            keyring,
            certificates,
            known_callers: caller::KnownCallers::default(),
            known_terms: pay_later::KnownTerms::default(),
            known_contacts: payment::KnownContacts::default(),
            line_ids,
            sca,
            uses: permission::Uses::default(),
            turns: authorisation::Turns::default(),
            payments: PaymentSettings::default(),
            callbacks_kept: callback::KEPT,
            clearing: None,
            payee_responder: None,
        }
    }

    /// Strong authentication as the sandbox or a configuration wants it; without this, as production does.
    pub fn with_sca(self, settings: ScaSettings) -> Self {
        Self { sca: Arc::new(settings), ..self }
    }

    /// Payments as the sandbox or a configuration wants them; without this they are free, as in production.
    pub fn with_payments(self, payments: PaymentSettings) -> Self {
        Self { payments, ..self }
    }

    /// How long delivered callbacks are kept; without this, 90 days.
    pub fn with_callbacks_kept(self, kept: Span) -> Self {
        Self { callbacks_kept: kept, ..self }
    }

    /// With a way to other banks; without one nothing is handed over.
    pub fn with_clearing(self, port: Arc<dyn ClearingPort>) -> Self {
        Self { clearing: Some(port), ..self }
    }

    /// With somebody to ask about payees of other banks; without one their names are not checked.
    pub fn with_payee_responder(self, responder: Arc<dyn PayeeResponder>) -> Self {
        Self { payee_responder: Some(responder), ..self }
    }

    /// Whether the database was made with this bank's secret. With another one no key would be found and no audit
    /// chain verify, which is better said at the start.
    pub async fn secret_fits(&self) -> Result<bool, UseCaseError> {
        let mark = self.keyring.derive(keyring::Purpose::Mark);
        let found = self.store.write(move |tx| Ok(tx.root_key_check(&mark)?)).await?;
        Ok(found == mark)
    }

    pub fn now(&self) -> Instant {
        self.clock.now()
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    pub fn entropy(&self) -> &Entropy {
        &self.entropy
    }

    /// Whether the store answers at all.
    pub async fn store_answers(&self) -> Result<(), UseCaseError> {
        self.store.read(|tx| Ok(tx.clock_find()?)).await.map(|_| ())
    }

    pub fn store(&self) -> &Store {
        &self.store
    }
}
