//! Messages to customers: what they say, and how the sandbox reads them. A message says who asks, for what, and the
//! code, and nothing else; it is kept sealed, and no longer than until it is sent.

use super::code::{ChallengeEntropy, Made};
use super::{ScaSettings, StepContext};
use crate::{App, Keyring, StoreError, UseCaseError};
use trapeza_domain::authorisation::{OTP_TTL, SelectedMethod};
use trapeza_domain::id::PsuId;
use trapeza_domain::psu::MethodKind;
use trapeza_domain::secret::Secret;
use trapeza_domain::time::{TimeDelta, Timestamp};
use trapeza_store::{AuthorisationRecord, NotificationRecord, Tx};

/// How many messages the sandbox shows.
const SHOWN: i64 = 100;
/// How long a claimed message is left to who claimed it, and how many are claimed at once.
const CLAIM: TimeDelta = TimeDelta::seconds(30);
const CLAIMED: i64 = 20;
/// The longest name of a third party in a message.
const LONGEST_NAME: usize = 40;

/// A message as the gateway was given it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageView {
    pub to: String,
    pub channel: String,
    pub text: String,
    /// The code in the text; an app is asked without one.
    pub code: Option<String>,
    pub sent_at: Timestamp,
}

/// A text message on its way to a gateway.
#[derive(Clone, Debug)]
pub struct ClaimedMessage {
    pub id: [u8; 16],
    pub to: String,
    pub text: Secret<String>,
}

impl App {
    /// Takes text messages that wait to be sent. What is not settled before its claim ends is taken again; what is too
    /// old to be of use is given up, since a code that comes late only confuses.
    pub async fn notification_claim(&self) -> Result<Vec<ClaimedMessage>, UseCaseError> {
        let now = self.now();
        // Mostly nothing waits, and then nothing is written.
        if self.store.read(|tx| Ok(tx.notification_unsent(1)?)).await?.is_empty() {
            return Ok(Vec::new());
        }
        let claim = self.store.write_background(move |tx| {
            let dropped = tx.notification_drop(now.minus(OTP_TTL))?;
            Ok((dropped, tx.notification_claim("SMS", now, now.plus(CLAIM), CLAIMED)?))
        });
        let (dropped, claimed) = claim.await?;
        if dropped > 0 {
            tracing::warn!(dropped, "messages could not be sent in time and were given up");
        }
        let open = |message: &NotificationRecord| {
            let view = self.message_view(message)?;
            Some(ClaimedMessage { id: message.id, to: view.to, text: Secret::new(view.text) })
        };
        Ok(claimed.iter().filter_map(open).collect())
    }

    /// The gateway has taken a message: what it said is wiped.
    pub async fn notification_mark_sent(&self, id: [u8; 16]) -> Result<(), UseCaseError> {
        let now = self.now();
        self.store.write_background(move |tx| Ok(tx.notification_mark_sent(&id, now)?)).await
    }

    /// The newest messages, newest first: for the sandbox. Elsewhere there is nothing to see.
    pub async fn messages(&self) -> Result<Vec<MessageView>, UseCaseError> {
        let kept = self.store.read(|tx| Ok(tx.notification_latest(SHOWN)?)).await?;
        Ok(kept.iter().filter_map(|message| self.message_view(message)).collect())
    }

    fn message_view(&self, message: &NotificationRecord) -> Option<MessageView> {
        let plain = self.keyring.open(&message.id, message.sealed.as_deref()?)?;
        let (code, text) = std::str::from_utf8(&plain).ok()?.split_once('\n')?;
        Some(MessageView {
            to: message.recipient.clone(),
            channel: message.channel.clone(),
            text: text.to_owned(),
            code: (!code.is_empty()).then(|| code.to_owned()),
            sent_at: message.sent_at.unwrap_or(message.created_at),
        })
    }
}

/// Puts a challenge on its way, where its method needs that. Nobody gets none.
pub(super) fn send(
    tx: &mut Tx<'_>,
    context: &StepContext,
    record: &AuthorisationRecord,
    chosen: SelectedMethod,
    made: &Made,
    words: &str,
) -> Result<(), StoreError> {
    let Some(psu) = record.authorisation.psu else { return Ok(()) };
    let name = display_name(&record.tpp_name);
    let (recipient, channel, code, text) = match chosen.kind {
        MethodKind::Chip | MethodKind::Photo => return Ok(()),
        MethodKind::Sms => {
            let code = made.code.expose().as_str();
            let text =
                format!("{name} asks to {words}. If you agree, your code is {code}. Tell it to nobody.");
            (phone(tx, psu)?, "SMS", code, text)
        }
        MethodKind::Push => {
            let text = format!("{name} asks to {words}. Open the app to agree or to refuse.");
            (record.authorisation.psu_name.clone(), "PUSH", "", text)
        }
    };
    let mail = NewMessage { recipient, channel, code, text: &text };
    put(tx, &context.keyring, &context.settings, &context.fresh, &mail, context.now)
}

/// A message on its way out.
pub(crate) struct NewMessage<'a> {
    pub recipient: String,
    pub channel: &'a str,
    /// Empty where there is none.
    pub code: &'a str,
    pub text: &'a str,
}

/// Hands a message over, sealed.
pub(crate) fn put(
    tx: &mut Tx<'_>,
    keyring: &Keyring,
    settings: &ScaSettings,
    fresh: &ChallengeEntropy,
    mail: &NewMessage<'_>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let id = fresh.message;
    let plain = format!("{}\n{}", mail.code, mail.text);
    tx.notification_insert(&NotificationRecord {
        id,
        recipient: mail.recipient.clone(),
        channel: mail.channel.to_owned(),
        sealed: Some(keyring.seal(&id, plain.as_bytes(), fresh.seal)),
        created_at: now,
        sent_at: settings.retain_messages.then_some(now),
    })
}

fn phone(tx: &mut Tx<'_>, psu: PsuId) -> Result<String, StoreError> {
    let psu = tx.psu_find(psu)?.ok_or_else(|| StoreError::internal("a customer is gone"))?;
    Ok(psu.phone.as_str().to_owned())
}

/// A name out of a certificate, without what could make a message look like another.
pub(crate) fn display_name(name: &str) -> String {
    let plain = name.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::display_name;

    #[test]
    fn a_name_cannot_start_a_line_or_fill_a_message() {
        assert_eq!(display_name("Best\r\nPay"), "Best  Pay");
        assert_eq!(display_name(&"ή".repeat(99)).chars().count(), 40);
    }
}
