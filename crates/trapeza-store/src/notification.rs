//! The outbox of texts and pushes to customers. What a message says is sealed, and wiped once it was sent.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::Row;
use trapeza_domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotificationRecord {
    pub id: [u8; 16],
    pub recipient: String,
    /// `SMS` or `PUSH`.
    pub channel: String,
    /// Gone once it was sent.
    pub sealed: Option<Vec<u8>>,
    pub created_at: Timestamp,
    /// Not yet there while it waits.
    pub sent_at: Option<Timestamp>,
}

impl Tx<'_> {
    pub fn notification_insert(&mut self, message: &NotificationRecord) -> Result<(), StoreError> {
        let state = if message.sent_at.is_some() { "sent" } else { "waiting" };
        self.execute(
            "INSERT INTO message (id, recipient, channel, sealed, state, created_at, sent_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            params![
                &message.id,
                &message.recipient,
                &message.channel,
                message.sealed.as_deref(),
                state,
                message.created_at.0,
                message.sent_at.map(|at| at.0)
            ],
        )?;
        Ok(())
    }

    /// The newest messages, newest first.
    pub fn notification_latest(&mut self, limit: i64) -> Result<Vec<NotificationRecord>, StoreError> {
        self.query(
            "SELECT id, recipient, channel, sealed, created_at, sent_at FROM message
             ORDER BY created_at DESC, id LIMIT $1",
            params![limit],
            message,
        )
    }

    /// Messages that wait to be sent, oldest first.
    pub fn notification_unsent(&mut self, limit: i64) -> Result<Vec<NotificationRecord>, StoreError> {
        self.query(
            "SELECT id, recipient, channel, sealed, created_at, sent_at FROM message
             WHERE state = 'waiting' ORDER BY created_at, id LIMIT $1",
            params![limit],
            message,
        )
    }

    /// Takes messages that wait to be sent by this channel, oldest first, for oneself until then.
    pub fn notification_claim(
        &mut self,
        channel: &str,
        now: Timestamp,
        until: Timestamp,
        limit: i64,
    ) -> Result<Vec<NotificationRecord>, StoreError> {
        let claimed = self.query(
            "SELECT id, recipient, channel, sealed, created_at, sent_at FROM message
             WHERE state = 'waiting' AND channel = $1 AND (claimed_until IS NULL OR claimed_until <= $2)
             ORDER BY created_at, id LIMIT $3 FOR UPDATE SKIP LOCKED",
            params![channel, now.0, limit],
            message,
        )?;
        for message in &claimed {
            self.execute(
                "UPDATE message SET claimed_until = $2 WHERE id = $1",
                params![&message.id, until.0],
            )?;
        }
        Ok(claimed)
    }

    /// Gives up on what was waiting at that instant already, and wipes what it said. Answers how many there were.
    pub fn notification_drop(&mut self, since: Timestamp) -> Result<u64, StoreError> {
        self.execute(
            "UPDATE message SET state = 'dropped', sealed = NULL WHERE state = 'waiting' AND created_at <= $1",
            params![since.0],
        )
    }

    /// Notes that a message was sent, and wipes what it said.
    pub fn notification_mark_sent(&mut self, id: &[u8; 16], now: Timestamp) -> Result<(), StoreError> {
        self.execute(
            "UPDATE message SET state = 'sent', sealed = NULL, sent_at = $2 WHERE id = $1 AND state = 'waiting'",
            params![id, now.0],
        )?;
        Ok(())
    }
}

fn message(row: &Row<'_>) -> Result<NotificationRecord, StoreError> {
    Ok(NotificationRecord {
        id: row.array(0)?,
        recipient: row.text(1)?,
        channel: row.text(2)?,
        sealed: row.opt_bytes(3)?,
        created_at: Timestamp(row.int(4)?),
        sent_at: row.opt_int(5)?.map(Timestamp),
    })
}
