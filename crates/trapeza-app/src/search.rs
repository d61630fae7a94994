//! The search of the bank's staff: one text, whatever it is, and everything that it names.

use crate::{App, UseCaseError};
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::Refusal;
pub use trapeza_domain::search::SearchKind;
pub use trapeza_store::SearchHit;
use uuid::Uuid;

const TEXT_CHARACTERS: usize = 140;

impl App {
    /// Finds objects by id, correlation id, IBAN, telephone number, login, merchant code, basket number, order, creditor reference,
    /// message id of clearing, or name.
    pub async fn search(&self, text: &str) -> Result<Vec<SearchHit>, UseCaseError> {
        let text = text.trim().to_owned();
        if text.is_empty() || text.chars().count() > TEXT_CHARACTERS {
            let expected = format!("must be 1–{TEXT_CHARACTERS} characters");
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
