//! The devices that a customer has enrolled, and their removal.

use super::session_token_hash;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::field::Field;
use trapeza_domain::id::PsuId;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;

/// A device that is enrolled as the bank's app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerDevice {
    /// It changes with every sign-in on the device.
    pub id: String,
    pub enrolled_at: Timestamp,
    /// When the enrolment ends without a further sign-in.
    pub expires_at: Timestamp,
    pub is_signed_in: bool,
    /// Whether the list is shown on it.
    pub is_this: bool,
}

impl App {
    /// The customer's devices, the last enrolled first.
    pub async fn customer_device_list(
        &self,
        psu: PsuId,
        session: &str,
    ) -> Result<Vec<CustomerDevice>, UseCaseError> {
        let (this, now) = (session_token_hash(&self.keyring, session), self.now());
        self.store
            .read(move |tx| {
                let devices = tx.enrolled_device_list(psu, now)?;
                Ok(devices
                    .into_iter()
                    .filter_map(|device| {
                        Some(CustomerDevice {
                            id: device_id(&device.session_token_hash),
                            enrolled_at: device.enrolled_at?,
                            expires_at: device.expires_at,
                            is_signed_in: device.signed_in_until.is_some_and(|until| now < until),
                            is_this: device.session_token_hash == this,
                        })
                    })
                    .collect())
            })
            .await
    }

    /// Removes a device of the customer; it can approve nothing any more.
    pub async fn customer_device_remove(&self, psu: PsuId, id: &str) -> Result<(), UseCaseError> {
        let (id, now) = (id.to_owned(), self.now());
        self.store
            .write(move |tx| {
                let devices = tx.enrolled_device_list(psu, now)?;
                let found = devices.iter().find(|device| device_id(&device.session_token_hash) == id);
                let not_found =
                    || Refusal::at(RefusalReason::ResourceUnknown, Field::DeviceKey, "unknown device");
                tx.enrolled_device_delete(&found.ok_or_else(not_found)?.session_token_hash)?;
                let event = AuditEvent::new("device.removed", "psu", psu);
                Ok(audit::record(tx, now, Actor::Psu(psu), &event)?)
            })
            .await
    }
}

/// The beginning of the hash under which the device is stored. It opens nothing.
fn device_id(session_token_hash: &[u8; 32]) -> String {
    session_token_hash[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}
