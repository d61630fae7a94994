//! Messages to customers: what they say, and how the sandbox reads them. A message says who asks, for what, and the
//! code, and nothing else; it is kept sealed, and no longer than until it is sent.

use super::code::{Fresh, Made};
use super::{Desk, ScaSettings};
use crate::{App, Keyring, Stop, StoreError};
use trapeza_domain::authorisation::Chosen;
use trapeza_domain::id::PsuId;
use trapeza_domain::psu::MethodKind;
use trapeza_domain::time::Instant;
use trapeza_store::{AuthorisationRecord, MessageRecord, Tx};

/// How many messages the sandbox shows.
const SHOWN: i64 = 100;
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
    pub sent_at: Instant,
}

impl App {
    /// The newest messages, newest first: for the sandbox. Elsewhere there is nothing to see.
    pub async fn messages(&self) -> Result<Vec<MessageView>, Stop> {
        let kept = self.store.read(|tx| Ok(tx.message_newest(SHOWN)?)).await?;
        Ok(kept.iter().filter_map(|message| self.message_view(message)).collect())
    }

    fn message_view(&self, message: &MessageRecord) -> Option<MessageView> {
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
    desk: &Desk,
    record: &AuthorisationRecord,
    chosen: Chosen,
    made: &Made,
    words: &str,
) -> Result<(), StoreError> {
    let Some(psu) = record.authorisation.psu else { return Ok(()) };
    let name = shown_name(&record.tpp_name);
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
    let mail = Mail { recipient, channel, code, text: &text };
    put(tx, &desk.keyring, &desk.settings, &desk.fresh, &mail, desk.now)
}

/// A message on its way out.
pub(super) struct Mail<'a> {
    pub recipient: String,
    pub channel: &'a str,
    /// Empty where there is none.
    pub code: &'a str,
    pub text: &'a str,
}

/// Hands a message over, sealed.
pub(super) fn put(
    tx: &mut Tx<'_>,
    keyring: &Keyring,
    settings: &ScaSettings,
    fresh: &Fresh,
    mail: &Mail<'_>,
    now: Instant,
) -> Result<(), StoreError> {
    let id = fresh.message;
    let plain = format!("{}\n{}", mail.code, mail.text);
    tx.message_insert(&MessageRecord {
        id,
        recipient: mail.recipient.clone(),
        channel: mail.channel.to_owned(),
        sealed: Some(keyring.seal(&id, plain.as_bytes(), fresh.seal)),
        created_at: now,
        sent_at: settings.messages_kept.then_some(now),
    })
}

fn phone(tx: &mut Tx<'_>, psu: PsuId) -> Result<String, StoreError> {
    let psu = tx.psu_find(psu)?.ok_or_else(|| StoreError::broken("a customer is gone"))?;
    Ok(psu.phone.as_str().to_owned())
}

/// A name out of a certificate, without what could make a message look like another.
fn shown_name(name: &str) -> String {
    let plain = name.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(LONGEST_NAME).collect()
}

#[cfg(test)]
mod tests {
    use super::shown_name;

    #[test]
    fn a_name_cannot_start_a_line_or_fill_a_message() {
        assert_eq!(shown_name("Best\r\nPay"), "Best  Pay");
        assert_eq!(shown_name(&"ή".repeat(99)).chars().count(), 40);
    }
}
