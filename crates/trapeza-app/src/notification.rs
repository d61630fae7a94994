//! Messages to customers by SMS, e-mail and push: enqueued in the transaction of their cause, claimed by the courier, wiped when
//! sent. The text is stored encrypted.

use crate::credential::CredentialContext;
use crate::trace::TraceContext;
use crate::{App, Required, StoreError, UseCaseError};
use trapeza_domain::authorisation::OTP_TTL;
use trapeza_domain::id::PsuId;
use trapeza_domain::psu::Psu;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{NotificationRecord, Tx};
use trapeza_texts::{Language, message};
use uuid::Uuid;

/// How many messages the sandbox shows.
const MAX_LISTED: i64 = 100;
/// How long a claimed message is reserved for its claimant, and how many are claimed at a time.
pub const CLAIM_LEASE: TimeDelta = TimeDelta::seconds(30);
const CLAIM_BATCH: i64 = 20;

/// How long information stays useful: payment instructions, and notices about the customer's access. A gateway that is down over a
/// weekend loses none of it.
const INFORMATION_TTL: TimeDelta = TimeDelta::days(7);

/// How long it stays known that a message was sent. Its text is deleted when it is sent, except in a sandbox.
pub(crate) const RETENTION: TimeDelta = TimeDelta::days(90);

/// A message as it was given to the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageView {
    pub to: String,
    pub channel: String,
    pub text: String,
    /// The OTP in the text. Push messages have none.
    pub code: Option<String>,
    pub sent_at: Timestamp,
}

/// An SMS or e-mail that the courier must send.
#[derive(Clone, Debug)]
pub struct ClaimedMessage {
    pub id: Uuid,
    pub to: String,
    pub text: Secret<String>,
    /// A new span in the trace of the request that caused the message, and the span of that request.
    pub trace: TraceContext,
    pub trace_parent: Option<[u8; 8]>,
}

impl App {
    /// Claims unsent SMS messages. A message whose claim ends before it is marked as sent is claimed again; one that has
    /// expired is dropped.
    pub async fn notification_claim(&self) -> Result<Vec<ClaimedMessage>, UseCaseError> {
        self.claim(MessageContent::SMS).await
    }

    /// The same for e-mail.
    pub async fn email_claim(&self) -> Result<Vec<ClaimedMessage>, UseCaseError> {
        self.claim(MessageContent::EMAIL).await
    }

    async fn claim(&self, channel: &'static str) -> Result<Vec<ClaimedMessage>, UseCaseError> {
        let now = self.now();
        // Usually no message waits, and then nothing is written.
        if self.store.read(|tx| Ok(tx.notification_unsent(1)?)).await?.is_empty() {
            return Ok(Vec::new());
        }
        let claim = self.store.write_background(move |tx| {
            let dropped = tx.notification_expire(now)?;
            Ok((dropped, tx.notification_claim(channel, now, now.plus(CLAIM_LEASE), CLAIM_BATCH)?))
        });
        let (dropped, claimed) = claim.await?;
        if dropped > 0 {
            tracing::warn!(dropped, "notifications: messages were not sent in time and are dropped");
        }
        let decrypted = claimed.iter().filter_map(|message| {
            let view = self.message_view(message)?;
            let (trace, trace_parent) =
                TraceContext::of_request(message.traceparent.as_deref(), self.entropy.fast_uuid());
            let text = Secret::new(view.text);
            Some(ClaimedMessage { id: message.id, to: view.to, text, trace, trace_parent })
        });
        Ok(decrypted.collect())
    }

    /// Records that the gateway accepted a message, and wipes its text.
    pub async fn notification_mark_sent(&self, id: Uuid) -> Result<(), UseCaseError> {
        let now = self.now();
        self.store.write_background(move |tx| Ok(tx.notification_mark_sent(id, now)?)).await
    }

    /// The latest messages, newest first. Only the sandbox retains texts, so elsewhere the list is empty.
    pub async fn messages(&self) -> Result<Vec<MessageView>, UseCaseError> {
        let latest = self.store.read(|tx| Ok(tx.notification_latest(MAX_LISTED)?)).await?;
        Ok(latest.iter().filter_map(|message| self.message_view(message)).collect())
    }

    fn message_view(&self, message: &NotificationRecord) -> Option<MessageView> {
        let plain = self.keyring.open(message.id.as_bytes(), message.ciphertext.as_deref()?)?;
        let (otp, text) = std::str::from_utf8(&plain).ok()?.split_once('\n')?;
        Some(MessageView {
            to: message.recipient.clone(),
            channel: message.channel.clone(),
            text: text.to_owned(),
            code: (!otp.is_empty()).then(|| otp.to_owned()),
            sent_at: message.sent_at.unwrap_or(message.created_at),
        })
    }
}

/// A message to be enqueued.
pub(crate) struct NewMessage<'a> {
    pub recipient: &'a str,
    pub content: MessageContent<'a>,
    pub text: &'a str,
}

/// What a message carries. It decides on the channel and on how long the message is worth sending.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MessageContent<'a> {
    /// An SMS with a code, which is useless once the code has expired.
    Otp(&'a str),
    /// An SMS that informs.
    Information,
    /// An e-mail that informs. The first line of its text is the subject.
    Email,
    /// A push message that asks for an approval in the app.
    ApprovalRequest,
}

impl<'a> MessageContent<'a> {
    const SMS: &'static str = "SMS";
    const EMAIL: &'static str = "EMAIL";

    const fn channel(self) -> &'static str {
        match self {
            Self::Otp(_) | Self::Information => Self::SMS,
            Self::Email => Self::EMAIL,
            Self::ApprovalRequest => "PUSH",
        }
    }

    const fn ttl(self) -> TimeDelta {
        match self {
            Self::Otp(_) | Self::ApprovalRequest => OTP_TTL,
            Self::Information | Self::Email => INFORMATION_TTL,
        }
    }

    const fn otp(self) -> Option<&'a str> {
        match self {
            Self::Otp(otp) => Some(otp),
            Self::Information | Self::Email | Self::ApprovalRequest => None,
        }
    }
}

/// Stores a message, encrypted, for the courier. A sandbox that retains messages has no courier, so there the message
/// counts as sent.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    context: &CredentialContext,
    message: &NewMessage<'_>,
) -> Result<(), StoreError> {
    let id = Uuid::from_bytes(context.entropy.message_id);
    let plain = format!("{}\n{}", message.content.otp().unwrap_or_default(), message.text);
    tx.notification_insert(&NotificationRecord {
        id,
        recipient: message.recipient.to_owned(),
        channel: message.content.channel().to_owned(),
        ciphertext: Some(context.keyring.seal(
            id.as_bytes(),
            plain.as_bytes(),
            context.entropy.message_nonce,
        )),
        created_at: context.now,
        expires_at: context.now.plus(message.content.ttl()),
        sent_at: context.settings.retain_messages.then_some(context.now),
        traceparent: context.trace.map(|trace| trace.to_string()),
    })
}

/// Informs the customer that too many wrong passwords have blocked a channel.
pub(crate) fn enqueue_password_block(
    tx: &mut Tx<'_>,
    context: &CredentialContext,
    psu: PsuId,
) -> Result<(), StoreError> {
    let text = message::password_block(psu_language(tx, psu)?, &context.bank_name);
    let psu = tx.psu_find(psu)?.required("customer")?;
    inform(tx, context, &psu, &text)
}

/// Informs the customer that the bank has set a new password.
pub(crate) fn enqueue_password_reset(
    tx: &mut Tx<'_>,
    context: &CredentialContext,
    psu: &Psu,
) -> Result<(), StoreError> {
    let text = message::password_reset(psu_language(tx, psu.id)?, &context.bank_name);
    inform(tx, context, psu, &text)
}

/// Informs the customer, at the number that `psu` has, that the telephone number was changed to the one that ends in these digits.
pub(crate) fn enqueue_phone_change(
    tx: &mut Tx<'_>,
    context: &CredentialContext,
    psu: &Psu,
    last_digits: &str,
) -> Result<(), StoreError> {
    let text = message::phone_change(psu_language(tx, psu.id)?, &context.bank_name, last_digits);
    inform(tx, context, psu, &text)
}

fn inform(tx: &mut Tx<'_>, context: &CredentialContext, psu: &Psu, text: &str) -> Result<(), StoreError> {
    let new = NewMessage { recipient: psu.phone.as_str(), content: MessageContent::Information, text };
    enqueue(tx, context, &new)
}

/// The language of messages that no page of the customer causes: that of the page on which they last signed in, at first
/// English.
pub(crate) fn psu_language(tx: &mut Tx<'_>, psu: PsuId) -> Result<Language, StoreError> {
    let tag = tx.psu_language(psu)?;
    Ok(tag.and_then(|tag| Language::from_tag(&tag)).unwrap_or_default())
}
