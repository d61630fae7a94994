//! The messages of ISO 20022 in which payments were ordered.

use crate::authentication::Tpp;
use crate::{App, UseCaseError};
use trapeza_domain::id::PaymentId;

impl App {
    /// The message in which a payment of the third party was ordered, as it was sent.
    pub async fn payment_message_find(
        &self,
        tpp: &Tpp,
        payment: PaymentId,
    ) -> Result<Option<String>, UseCaseError> {
        let application = tpp.application;
        self.store.read(move |tx| Ok(tx.payment_message_find(application, payment)?)).await
    }

    /// Whether a payment of the third party was ordered in a message.
    pub async fn payment_message_exists(&self, tpp: &Tpp, payment: PaymentId) -> Result<bool, UseCaseError> {
        let application = tpp.application;
        self.store.read(move |tx| Ok(tx.payment_message_exists(application, payment)?)).await
    }
}
