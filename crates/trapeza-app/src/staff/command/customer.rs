//! Actions on customers: looks at the data of a person, unblocks.

use super::parameter_reader::ParameterReader;
use super::{ActionContext, ActionOutcome};
use crate::credential::{login_subject, phone_subject};
use crate::keyring::KeyPurpose;
use crate::{UseCaseError, audit, psu};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::staff::{StaffAction, UNBLOCK_PERIOD, UNBLOCKS_WITHOUT_SECOND_PERSON};
use trapeza_store::{StoreError, Tx};

/// The kinds of objects with the data of a person, as audit events name them.
const PERSONAL_OBJECTS: [&str; 7] = ["psu", "shopper", "account", "payment", "consent", "loan", "basket"];
/// The event of the throttle that counts unblocks, and its channel.
const UNBLOCK: &str = "unblock";

#[derive(Clone, Debug)]
pub(super) enum CustomerCommand {
    PersonalData { kind: &'static str, id: String },
    Psu(String),
    Phone(Phone),
}

impl CustomerCommand {
    pub(super) fn parse(action: StaffAction, reader: &mut ParameterReader<'_>) -> Option<Self> {
        match action {
            StaffAction::PersonalDataView => {
                let kind = reader.parsed("object", Field::Object, |kind| {
                    let known = PERSONAL_OBJECTS.into_iter().find(|known| *known == kind);
                    known.ok_or_else(|| format!("must be one of {}", PERSONAL_OBJECTS.join(", ")))
                });
                let id = reader.id("id", Field::ObjectId, |id| {
                    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
                    (id.len() <= 64 && id.bytes().all(is_id)).then(|| id.to_owned())
                });
                Some(Self::PersonalData { kind: kind?, id: id? })
            }
            StaffAction::PsuUnblock => Some(Self::Psu(reader.required("login", Field::Login)?.to_owned())),
            StaffAction::PhoneUnblock => {
                reader.parsed("phone", Field::PhoneNumber, Phone::parse).map(Self::Phone)
            }
            _ => None,
        }
    }

    pub(super) fn approved_state(&self, tx: &mut Tx<'_>) -> Result<String, UseCaseError> {
        Ok(match self {
            Self::PersonalData { .. } => String::new(),
            Self::Psu(login) => psu::required(tx, login)?.id.to_string(),
            Self::Phone(phone) => phone.as_str().to_owned(),
        })
    }

    pub(super) fn run(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<ActionOutcome, UseCaseError> {
        let by = (context.actor, context.now);
        let lifted = match self {
            Self::PersonalData { kind, id } => {
                let event = AuditEvent::new("personal_data.viewed", kind, id);
                audit::record(tx, context.now, context.actor, &event)?;
                return Ok(ActionOutcome::of(format!("viewed {kind} {id}")));
            }
            Self::Psu(login) => psu::unblock(tx, &context.keyring, login, by)?,
            Self::Phone(phone) => psu::unblock_phone(tx, &context.keyring, phone, by)?,
        };
        if let Some(subject) = self.unblock_subject(context) {
            let since = context.now.minus(UNBLOCK_PERIOD);
            tx.sca_event_insert(&subject, UNBLOCK, UNBLOCK, context.now, since)?;
        }
        Ok(ActionOutcome::of(format!("lifted {lifted} blocks")))
    }

    /// Whether the subject was unblocked so often that one person alone may not do it again.
    pub(super) fn is_unblocked_often(
        &self,
        tx: &mut Tx<'_>,
        context: &ActionContext,
    ) -> Result<bool, StoreError> {
        let Some(subject) = self.unblock_subject(context) else { return Ok(true) };
        let since = context.now.minus(UNBLOCK_PERIOD);
        Ok(tx.sca_event_count(&subject, UNBLOCK, UNBLOCK, since)?.from_all >= UNBLOCKS_WITHOUT_SECOND_PERSON)
    }

    /// The subject under which unblocks are counted. An unblock deletes the other events of the customer or telephone number.
    fn unblock_subject(&self, context: &ActionContext) -> Option<[u8; 32]> {
        let subject = match self {
            Self::Psu(login) => login_subject(&context.keyring, login),
            Self::Phone(phone) => phone_subject(&context.keyring, phone),
            Self::PersonalData { .. } => return None,
        };
        Some(context.keyring.hash(KeyPurpose::Subject, &[UNBLOCK.as_bytes(), &subject]))
    }
}
