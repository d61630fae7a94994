//! Notifications of third parties about a changed status (Berlin Group). Each is enqueued as a callback in the transaction of the
//! change, whatever caused it: the audit event of the change carries it here. An object without a subscription reads nothing.

use crate::prepared_event::PreparedEvent;
use serde::Serialize;
use sha2::{Digest, Sha256};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::callback::{Callback, CallbackTopic, NewCallback};
use trapeza_domain::id::CallbackId;
use trapeza_domain::status_change::{NewStatus, NotifiedObject, StatusChange};
use trapeza_domain::time::Timestamp;
use trapeza_store::{CallbackRecord, NotificationAddress, StoreError, Tx};
use uuid::{Builder, Uuid};

/// Enqueues the notification of a change, if the third party wants it.
pub(crate) fn enqueue(tx: &mut Tx<'_>, now: Timestamp, change: &StatusChange) -> Result<(), StoreError> {
    let StatusChange { application, object, status } = *change;
    let Some(subscription) = tx.status_subscription_find(application, object)? else { return Ok(()) };
    if !subscription.content.includes(status) {
        return Ok(());
    }
    let sequence = subscription.notifications + 1;
    tx.status_subscription_count(application, object, sequence)?;
    let (id, topic) = (request_id(object, sequence), CallbackTopic::Status);
    let (callback, event) = Callback::enqueue(NewCallback { id, application, topic, now });
    tx.callback_insert(&CallbackRecord {
        callback,
        object_id: object.uuid().to_string(),
        notification: Some(NotificationAddress { uri: subscription.uri, sequence }),
        address: None,
        body: render(change),
        claim_token: None,
        traceparent: None,
    })?;
    PreparedEvent::new(now, Actor::Bank, &event).append(tx)
}

/// The id of a notification, the same in every attempt. It is derived, because a transaction draws no random numbers.
fn request_id(object: NotifiedObject, sequence: i64) -> CallbackId {
    let hash = Sha256::new_with_prefix(b"status notification")
        .chain_update(object.uuid().as_bytes())
        .chain_update(sequence.to_be_bytes())
        .finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    CallbackId::new(Builder::from_custom_bytes(bytes).into_uuid())
}

/// The body of a notification, with the standard's names.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(skip_serializing_if = "Option::is_none")]
    payment_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consent_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    basket_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    authorisation_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cancellation_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sca_status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transaction_status: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consent_status: Option<&'static str>,
}

fn render(change: &StatusChange) -> String {
    let mut body = Body::default();
    match change.object {
        NotifiedObject::Payment(id) => body.payment_id = Some(id.uuid()),
        NotifiedObject::Consent(id) => body.consent_id = Some(id.uuid()),
        NotifiedObject::SigningBasket(id) => body.basket_id = Some(id.uuid()),
    }
    match (change.status, change.object) {
        (NewStatus::Sca { authorisation, is_cancellation, status }, _) => {
            let id = Some(authorisation.uuid());
            if is_cancellation {
                body.cancellation_id = id;
            } else {
                body.authorisation_id = id;
            }
            body.sca_status = Some(status);
        }
        (NewStatus::Object { status, .. }, NotifiedObject::Payment(_) | NotifiedObject::SigningBasket(_)) => {
            body.transaction_status = Some(status);
        }
        (NewStatus::Object { status, .. }, NotifiedObject::Consent(_)) => body.consent_status = Some(status),
    }
    serde_json::to_string(&body).expect("ids and texts serialize without errors")
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::id::{ApplicationId, AuthorisationId, ConsentId, PaymentId};

    #[test]
    fn body_has_the_names_of_the_standard() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let (payment, consent) =
            (NotifiedObject::Payment(PaymentId::new(one)), NotifiedObject::Consent(ConsentId::new(one)));
        let sca = |is_cancellation| NewStatus::Sca {
            authorisation: AuthorisationId::new(two),
            is_cancellation,
            status: "finalised",
        };
        let object = |status| NewStatus::Object { status, is_final: true };
        for (object, status, expected) in [
            (payment, object("ACSC"), format!(r#"{{"paymentId":"{one}","transactionStatus":"ACSC"}}"#)),
            (consent, object("expired"), format!(r#"{{"consentId":"{one}","consentStatus":"expired"}}"#)),
            (
                consent,
                sca(false),
                format!(r#"{{"consentId":"{one}","authorisationId":"{two}","scaStatus":"finalised"}}"#),
            ),
            (
                payment,
                sca(true),
                format!(r#"{{"paymentId":"{one}","cancellationId":"{two}","scaStatus":"finalised"}}"#),
            ),
        ] {
            let application = ApplicationId::new(Uuid::nil());
            assert_eq!(render(&StatusChange { application, object, status }), expected);
        }
    }

    #[test]
    fn request_id_differs_by_object_and_number() {
        let object = |number| NotifiedObject::Payment(PaymentId::new(Uuid::from_u128(number)));
        assert_eq!(request_id(object(1), 1), request_id(object(1), 1));
        assert_ne!(request_id(object(1), 1), request_id(object(1), 2));
        assert_ne!(request_id(object(1), 1), request_id(object(2), 1));
    }
}
