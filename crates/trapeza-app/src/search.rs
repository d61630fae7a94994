//! The search of the bank's staff: one text, whatever it is, and everything that it names.

use crate::keyring::KeyPurpose;
use crate::{App, UseCaseError, audit, staff};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::id::StaffId;
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::Refusal;
pub use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::StaffAction;
pub use trapeza_store::SearchHit;
use uuid::Uuid;

const MAX_TEXT_CHARS: usize = 140;

impl App {
    /// Searches for a member of the staff. A person who may not see personal data finds only objects without it. The search is
    /// recorded with a keyed hash of the text, so that the audit log does not contain what was searched for.
    pub async fn staff_search(&self, caller: StaffId, text: &str) -> Result<Vec<SearchHit>, UseCaseError> {
        let required = self.store.read(move |tx| {
            let person = staff::required(tx, caller)?;
            person.require(StaffAction::ConsoleView)?;
            Ok(person.require(StaffAction::PersonalDataView).is_ok())
        });
        let sees_persons = required.await?;
        let mut hits = self.search(text).await?;
        hits.retain(|hit| sees_persons || !hit.kind.is_personal());
        let hash = self.keyring.hash(KeyPurpose::Fingerprint, &[b"staff search", text.trim().as_bytes()]);
        let id: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        let event = AuditEvent::new("personal_data.searched", "search", id).with("results", hits.len());
        let now = self.now();
        let recorded = self.store.write(move |tx| {
            staff::required(tx, caller)?.require(StaffAction::ConsoleView)?;
            Ok(audit::record(tx, now, Actor::Staff(caller), &event)?)
        });
        recorded.await?;
        Ok(hits)
    }

    /// Finds objects by id, correlation id, IBAN, telephone number, login, merchant code, basket number, order, creditor reference,
    /// message id of clearing, or name.
    pub async fn search(&self, text: &str) -> Result<Vec<SearchHit>, UseCaseError> {
        // PostgreSQL accepts no NUL in a text.
        let text = text.trim().replace('\0', "\u{fffd}");
        if text.is_empty() || text.chars().count() > MAX_TEXT_CHARS {
            let expected = format!("must be 1–{MAX_TEXT_CHARS} characters");
            return Err(Refusal::malformed(Field::SearchText, expected).into());
        }
        self.store
            .read(move |tx| {
                if let Ok(id) = Uuid::parse_str(&text) {
                    return Ok(tx.search_by_id(id)?);
                }
                let compact: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
                if let Ok(iban) = Iban::parse(&compact) {
                    return Ok(tx.search_by_iban(&iban)?);
                }
                if let Ok(phone) = Phone::parse(&compact) {
                    return Ok(tx.search_by_phone(&phone)?);
                }
                let mut hits = tx.search_by_reference(&text)?;
                for hit in tx.search_by_name(&text)? {
                    if !hits.contains(&hit) {
                        hits.push(hit);
                    }
                }
                Ok(hits)
            })
            .await
    }
}
