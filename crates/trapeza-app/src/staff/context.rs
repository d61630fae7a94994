//! What actions are given and what they return.

use crate::Keyring;
use crate::credential::CredentialContext;
use crate::keyring::KeyPurpose;
use crate::payment::bank_payment::PayoutContext;
use std::collections::BTreeMap;
use std::sync::Arc;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::clearing::RoutingTable;
use trapeza_domain::id::{PaymentId, StaffId};
use trapeza_domain::reference::Iban;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::StoreError;

/// The parameters of an action by name, as a form, a command or a JSON body sends them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionParameters(BTreeMap<String, String>);

/// What an action did.
#[derive(Clone, Debug)]
pub struct ActionOutcome {
    pub text: String,
    /// The token of an enrolment link, which is shown once to the person who ran or approved the action and not stored.
    pub enrolment: Option<Secret<String>>,
}

/// What actions need and must be created before their transaction.
#[derive(Clone)]
pub(super) struct ActionContext {
    pub actor: Actor,
    pub now: Timestamp,
    pub today: Date,
    pub system_now: Timestamp,
    pub keyring: Arc<Keyring>,
    pub bank_name: Arc<str>,
    pub routing: Arc<RoutingTable>,
    pub collection: Option<Iban>,
    /// Ids and a token for what an action creates.
    pub payment: PaymentId,
    pub staff: StaffId,
    pub token: Secret<String>,
    /// For a message to the customer.
    pub credential: CredentialContext,
}

impl ActionParameters {
    pub fn new<N: Into<String>, V: Into<String>>(values: impl IntoIterator<Item = (N, V)>) -> Self {
        Self(values.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    /// A value without surrounding space; empty ones are absent.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The names, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(&self.0).expect("texts can be written as JSON")
    }

    /// The parameters of a stored request.
    pub fn from_json(text: &str) -> Result<Self, StoreError> {
        serde_json::from_str(text).map(Self).map_err(StoreError::internal)
    }
}

impl ActionOutcome {
    pub(super) fn of(text: String) -> Self {
        Self { text, enrolment: None }
    }
}

impl ActionContext {
    pub(super) fn payout(&self) -> PayoutContext {
        PayoutContext {
            actor: self.actor,
            payment: self.payment,
            routing: self.routing.clone(),
            collection: self.collection,
            bank_name: self.bank_name.clone(),
            now: self.now,
            today: self.today,
        }
    }

    /// A keyed hash of an object's state, with which a change between request and approval is noticed.
    pub(super) fn fingerprint(&self, state: &str) -> [u8; 32] {
        self.keyring.hash(KeyPurpose::Fingerprint, &[b"staff request", state.as_bytes()])
    }
}
