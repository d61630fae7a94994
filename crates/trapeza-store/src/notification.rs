//! The outbox of SMS and push messages to customers. A text is encrypted, and deleted once it is sent.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::time::Timestamp;
use uuid::Uuid;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationRecord {
    pub id: Uuid,
    pub recipient: String,
    /// `SMS` or `PUSH`.
    pub channel: String,
    /// The encrypted text; `None` once it is sent or dropped.
    pub ciphertext: Option<Vec<u8>>,
    pub created_at: Timestamp,
    /// After this time the message is useless.
    pub expires_at: Timestamp,
    /// `None` while it waits.
    pub sent_at: Option<Timestamp>,
    /// The trace of the request that caused it.
    pub traceparent: Option<String>,
}

/// How many notifications one job of the sweep deletes.
pub const NOTIFICATION_SWEEP_ROWS: i64 = 100;

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, recipient, channel, ciphertext, created_at, expires_at, sent_at, traceparent FROM notification ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn notification_insert(&mut self, notification: &NotificationRecord) -> Result<(), StoreError> {
        let status = if notification.sent_at.is_some() { "sent" } else { "waiting" };
        self.execute(
            "INSERT INTO notification (id, recipient, channel, ciphertext, status, created_at, expires_at, sent_at,
                traceparent)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            params![
                notification.id,
                &notification.recipient,
                &notification.channel,
                notification.ciphertext.as_deref(),
                status,
                notification.created_at,
                notification.expires_at,
                notification.sent_at,
                notification.traceparent.as_deref()
            ],
        )?;
        Ok(())
    }

    /// The latest notifications, newest first.
    pub fn notification_latest(&mut self, limit: i64) -> Result<Vec<NotificationRecord>, StoreError> {
        self.query(select!("ORDER BY created_at DESC, id LIMIT $1"), params![limit], notification)
    }

    /// Notifications that wait to be sent, those that expire first before the others.
    pub fn notification_unsent(&mut self, limit: i64) -> Result<Vec<NotificationRecord>, StoreError> {
        self.query(
            select!("WHERE status = 'waiting' ORDER BY expires_at, id LIMIT $1"),
            params![limit],
            notification,
        )
    }

    /// Claims notifications of a channel that wait to be sent until a time, those that expire first before the others: an OTP
    /// does not wait for messages that stay useful.
    pub fn notification_claim(
        &mut self,
        channel: &str,
        now: Timestamp,
        until: Timestamp,
        limit: i64,
    ) -> Result<Vec<NotificationRecord>, StoreError> {
        let claimed = self.query(
            select!(
                "WHERE status = 'waiting' AND channel = $1 AND (claimed_until IS NULL OR claimed_until <= $2)
                 ORDER BY expires_at, id LIMIT $3 FOR UPDATE SKIP LOCKED"
            ),
            params![channel, now, limit],
            notification,
        )?;
        for notification in &claimed {
            self.execute(
                "UPDATE notification SET claimed_until = $2 WHERE id = $1",
                params![notification.id, until],
            )?;
        }
        Ok(claimed)
    }

    /// Drops the notifications that expired while they waited, deletes their texts and returns their number.
    pub fn notification_expire(&mut self, now: Timestamp) -> Result<u64, StoreError> {
        self.execute(
            "UPDATE notification SET status = 'dropped', ciphertext = NULL
             WHERE status = 'waiting' AND expires_at <= $1",
            params![now],
        )
    }

    /// Whether a notification was created before a time.
    pub fn notification_is_purgeable(&mut self, before: Timestamp) -> Result<bool, StoreError> {
        self.exists("SELECT 1 FROM notification WHERE created_at < $1 LIMIT 1", params![before])
    }

    /// Deletes the oldest notifications that were created before a time and returns their number.
    pub fn notification_purge(&mut self, before: Timestamp) -> Result<u64, StoreError> {
        self.execute(
            "DELETE FROM notification WHERE id IN
                (SELECT id FROM notification WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
            params![before, NOTIFICATION_SWEEP_ROWS],
        )
    }

    /// Marks a notification as sent and deletes its text.
    pub fn notification_mark_sent(&mut self, id: Uuid, now: Timestamp) -> Result<(), StoreError> {
        self.execute(
            "UPDATE notification SET status = 'sent', ciphertext = NULL, sent_at = $2
             WHERE id = $1 AND status = 'waiting'",
            params![id, now],
        )?;
        Ok(())
    }
}

fn notification(row: &mut RowReader<'_>) -> Result<NotificationRecord, StoreError> {
    Ok(NotificationRecord {
        id: row.read()?,
        recipient: row.read()?,
        channel: row.read()?,
        ciphertext: row.read()?,
        created_at: row.read()?,
        expires_at: row.read()?,
        sent_at: row.read()?,
        traceparent: row.read()?,
    })
}
