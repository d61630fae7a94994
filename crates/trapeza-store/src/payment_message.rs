//! The messages in which payments were ordered, as they were sent.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::id::{ApplicationId, PaymentId};

impl Tx<'_> {
    /// Stores the message of a payment that was just initiated.
    pub fn payment_message_insert(
        &mut self,
        application: ApplicationId,
        payment: PaymentId,
        document: &str,
    ) -> Result<(), StoreError> {
        self.execute_deferred(
            "INSERT INTO payment_message (payment, application, document) VALUES ($1, $2, $3)",
            params![payment, application, document],
        )
    }

    /// The message in which a payment was ordered.
    pub fn payment_message_find(
        &mut self,
        application: ApplicationId,
        payment: PaymentId,
    ) -> Result<Option<String>, StoreError> {
        self.query_opt(
            "SELECT document FROM payment_message WHERE payment = $1 AND application = $2",
            params![payment, application],
            |row| row.read(),
        )
    }

    /// Whether a payment was ordered in a message.
    pub fn payment_message_exists(
        &mut self,
        application: ApplicationId,
        payment: PaymentId,
    ) -> Result<bool, StoreError> {
        let found: Option<i64> = self.query_opt(
            "SELECT CAST(1 AS BIGINT) FROM payment_message WHERE payment = $1 AND application = $2",
            params![payment, application],
            |row| row.read(),
        )?;
        Ok(found.is_some())
    }
}
