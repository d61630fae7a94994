//! Where third parties are notified of the changed status of their objects.
//!
//! The objects themselves say whether there is a subscription (`notifies`), so that a change of another object reads nothing here.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use trapeza_domain::authorisation::Target;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::status_change::{NotificationContent, NotifiedObject};

/// Where notifications of an object are sent, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusSubscription {
    pub uri: String,
    pub content: NotificationContent,
    /// How many notifications were enqueued.
    pub notifications: i64,
}

impl Tx<'_> {
    /// Stores the subscription of an object that this transaction has created, and marks the object.
    pub fn status_subscription_insert(
        &mut self,
        application: ApplicationId,
        target: Target,
        uri: &str,
        content: NotificationContent,
    ) -> Result<(), StoreError> {
        let object = target.notified_object();
        let NotificationContent { sca, process, last } = content;
        self.execute(
            "INSERT INTO status_subscription (object, application, uri, sca, process, last, notifications)
             VALUES ($1, $2, $3, $4, $5, $6, 0)",
            params![object.uuid(), application, uri, sca, process, last],
        )?;
        let statement = match object {
            NotifiedObject::Payment(_) => {
                "UPDATE payment SET notifies = TRUE WHERE id = $1 AND application = $2"
            }
            NotifiedObject::Consent(_) => {
                "UPDATE consent SET notifies = TRUE WHERE id = $1 AND application = $2"
            }
            NotifiedObject::SigningBasket(_) => {
                "UPDATE signing_basket SET notifies = TRUE WHERE id = $1 AND application = $2"
            }
        };
        self.update_one("object of a subscription", statement, params![object.uuid(), application])
    }

    /// The subscription of an object.
    pub fn status_subscription_find(
        &mut self,
        application: ApplicationId,
        object: NotifiedObject,
    ) -> Result<Option<StatusSubscription>, StoreError> {
        self.query_opt(
            "SELECT uri, sca, process, last, notifications FROM status_subscription
             WHERE object = $1 AND application = $2 FOR UPDATE",
            params![object.uuid(), application],
            |row| {
                Ok(StatusSubscription {
                    uri: row.read()?,
                    content: NotificationContent {
                        sca: row.read()?,
                        process: row.read()?,
                        last: row.read()?,
                    },
                    notifications: row.read()?,
                })
            },
        )
    }

    /// Stores how many notifications of an object were enqueued.
    pub fn status_subscription_count(
        &mut self,
        application: ApplicationId,
        object: NotifiedObject,
        notifications: i64,
    ) -> Result<(), StoreError> {
        self.execute_deferred(
            "UPDATE status_subscription SET notifications = $3 WHERE object = $1 AND application = $2",
            params![object.uuid(), application, notifications],
        )
    }
}
