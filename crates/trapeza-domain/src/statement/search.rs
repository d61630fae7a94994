//! The search of a customer in their own statement: by the names, accounts, references and texts of a transaction, or by its amount.

use super::{BookedEntry, CardTransaction, Transaction};
use crate::card::CardTransactionDetail;
use crate::clearing::to_sepa_charset;
use crate::money::{Currency, Money};
use crate::reference::Identifier;
use crate::transaction::{Party, TransactionDetail};

/// Longer searches are refused.
const MAX_QUERY_CHARS: usize = 140;

/// What is searched for. Case, accents and spaces do not matter, and Greek letters match their Latin transcription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementSearch {
    words: Vec<String>,
    /// The absolute amount, when the text is one.
    amount: Option<Money>,
}

impl StatementSearch {
    /// `None` without a word to search for.
    pub fn parse(text: &str, currency: Currency) -> Result<Option<Self>, &'static str> {
        if text.chars().count() > MAX_QUERY_CHARS {
            return Err("must have at most 140 characters");
        }
        let words: Vec<String> =
            text.split_whitespace().map(folded).filter(|word| !word.is_empty()).collect();
        let number: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let number = number.trim_start_matches(['-', '+', '\u{2212}']).replacen(',', ".", 1);
        let amount = Money::parse(&number, currency).ok();
        Ok((!words.is_empty()).then_some(Self { words, amount }))
    }

    pub fn matches_transaction(&self, entry: &Transaction) -> bool {
        self.matches(entry, texts_of)
    }

    /// Like [`Self::matches_transaction`], for a transaction of a card.
    pub fn matches_card_transaction(&self, entry: &CardTransaction) -> bool {
        self.matches(entry, texts_of_card)
    }

    fn matches<D>(&self, entry: &BookedEntry<D>, texts: impl Fn(&D) -> Vec<&str>) -> bool {
        if self.amount.is_some_and(|amount| amount.minor == entry.amount.minor.abs()) {
            return true;
        }
        let texts = entry.detail.as_ref().map(texts).unwrap_or_default();
        let text = folded(&texts.join(" "));
        // An IBAN is found with and without its spaces.
        self.words.iter().all(|word| text.contains(word.as_str())) || text.contains(&self.words.concat())
    }
}

fn folded(text: &str) -> String {
    to_sepa_charset(text, usize::MAX).to_lowercase()
}

fn texts_of(detail: &TransactionDetail) -> Vec<&str> {
    fn party(party: &Party) -> impl Iterator<Item = &str> {
        let account = party.account.as_ref().and_then(|account| match &account.identifier {
            Identifier::Iban(iban) => Some(iban.as_str()),
            Identifier::Bban(bban) => Some(bban.as_str()),
            _ => None,
        });
        [party.name.as_deref(), account, party.ultimate.as_deref()].into_iter().flatten()
    }
    let fields = &detail.particulars;
    let own = [
        fields.remittance_unstructured.as_deref(),
        fields.remittance_structured.as_deref(),
        fields.end_to_end_id.as_deref(),
        fields.mandate_id.as_deref(),
        detail.additional_information.as_deref(),
    ];
    own.into_iter().flatten().chain(party(&fields.creditor)).chain(party(&fields.debtor)).collect()
}

fn texts_of_card(detail: &CardTransactionDetail) -> Vec<&str> {
    let city = detail.acceptor_address.as_ref().and_then(|address| address.city.as_deref());
    [detail.text.as_deref(), city].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::TransferId;
    use crate::ledger::posting::LedgerEvent;
    use crate::reference::{AccountReference, Iban};
    use crate::time::Date;
    use crate::transaction::TransactionFields;

    fn entry() -> Transaction {
        let iban = AccountReference::iban(Iban::parse("DE89370400440532013000").unwrap(), None);
        Transaction {
            transfer: TransferId(1),
            seq: 1,
            amount: Money::new(-123_450, Currency::EUR),
            balance_minor: 0,
            booking_day: Date(0),
            value_day: Date(0),
            event: LedgerEvent::InternalTransfer,
            reference: String::new(),
            detail: Some(TransactionDetail {
                particulars: TransactionFields {
                    creditor: Party::new("Ελένη Παπαδάκη", Some(iban)),
                    remittance_unstructured: Some("Rent of November".to_owned()),
                    ..TransactionFields::default()
                },
                ..TransactionDetail::default()
            }),
        }
    }

    fn finds(text: &str) -> bool {
        StatementSearch::parse(text, Currency::EUR).unwrap().unwrap().matches_transaction(&entry())
    }

    #[test]
    fn search_ignores_case_accents_order_and_alphabet() {
        for text in ["ελενη", "ΠΑΠΑΔΑΚΗ ελένη", "november", "rent ελένη", "Papadaki", "DE89 3704 0044"]
        {
            assert!(finds(text), "{text}");
        }
        for text in ["Maria", "rent december", "FR76"] {
            assert!(!finds(text), "{text}");
        }
    }

    #[test]
    fn search_finds_the_exact_amount() {
        for text in ["1234.50", "1234,50", "-1234.5", "1234.5"] {
            assert!(finds(text), "{text}");
        }
        for text in ["1234", "1234.51", "234.50"] {
            assert!(!finds(text), "{text}");
        }
    }

    #[test]
    fn search_without_words_is_none_and_a_long_one_is_refused() {
        assert_eq!(StatementSearch::parse("  ", Currency::EUR), Ok(None));
        assert!(StatementSearch::parse(&"a".repeat(141), Currency::EUR).is_err());
    }
}
