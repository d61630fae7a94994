//! Search over all objects of the bank, for its staff: by id, IBAN, telephone number, login, name, order or reference. It reads
//! indexes only, except the names of merchants and applications, of which there are few.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::{Param, RowReader};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::PsuId;
use trapeza_domain::reference::Iban;
use trapeza_domain::search::{SearchKind, name_words};
use uuid::Uuid;

/// Maximum number of objects of each kind that a search returns.
const MAX_HITS: i64 = 50;

/// An object that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    pub kind: SearchKind,
    pub id: Uuid,
    /// A name, an IBAN or an order, and the amount, by which it is recognised.
    pub label: String,
    pub status: String,
}

/// How an object is found by its id: kind, and a query for id, label and status; for kinds with an amount also its currency and
/// minor units.
const BY_ID: [(SearchKind, &str); 15] = [
    (
        SearchKind::Customer,
        "SELECT id, name, CASE WHEN closed_at IS NULL THEN 'active' ELSE 'closed' END FROM psu WHERE id = $1",
    ),
    (
        SearchKind::Shopper,
        "SELECT id, phone, CASE WHEN blocked THEN 'blocked' ELSE 'active' END FROM shopper WHERE id = $1",
    ),
    (SearchKind::Account, "SELECT id, iban, status FROM account WHERE id = $1"),
    (SearchKind::Card, "SELECT id, masked_pan, status FROM card WHERE id = $1"),
    (
        SearchKind::Application,
        "SELECT id, name, CASE WHEN disabled_at IS NULL THEN 'active' ELSE 'disabled' END FROM application WHERE id = $1",
    ),
    (SearchKind::Merchant, "SELECT id, name, code FROM merchant WHERE id = $1"),
    (
        SearchKind::Payment,
        "SELECT id, creditor_name, status, currency, amount_minor FROM payment WHERE id = $1",
    ),
    (SearchKind::Consent, "SELECT id, psu_login, status FROM consent WHERE id = $1"),
    (SearchKind::SigningBasket, "SELECT id, psu_login, status FROM signing_basket WHERE id = $1"),
    (SearchKind::Authorisation, "SELECT id, target_kind, status FROM authorisation WHERE id = $1"),
    (
        SearchKind::Basket,
        "SELECT public_id, order_identifier, status, currency, value_minor FROM basket WHERE public_id = $1",
    ),
    (SearchKind::Loan, "SELECT id, '', status, currency, amount_minor FROM loan WHERE id = $1"),
    (SearchKind::Callback, "SELECT id, kind, status FROM callback WHERE id = $1"),
    (SearchKind::ClearingBatch, "SELECT id, kind, status FROM clearing_batch WHERE id = $1"),
    (
        SearchKind::IncomingTransfer,
        "SELECT id, transaction_id, status, currency, amount_minor FROM clearing_incoming WHERE id = $1",
    ),
];

impl Tx<'_> {
    /// The objects with this id, and the requests with this correlation id.
    pub fn search_by_id(&mut self, id: Uuid) -> Result<Vec<SearchHit>, StoreError> {
        let mut hits = Vec::new();
        for (kind, query) in BY_ID {
            hits.extend(self.hits(kind, query, params![id])?);
        }
        // The request log is bounded.
        let requests =
            "SELECT id, operation, CAST(status AS TEXT) FROM request_log WHERE correlation_id = $1 LIMIT $2";
        hits.extend(self.hits(SearchKind::Request, requests, params![id, MAX_HITS])?);
        Ok(hits)
    }

    /// The object of a kind with this id. Requests are not found: their key begins with their application.
    pub fn search_find(&mut self, kind: SearchKind, id: Uuid) -> Result<Option<SearchHit>, StoreError> {
        let Some((_, query)) = BY_ID.iter().find(|(known, _)| *known == kind) else { return Ok(None) };
        Ok(self.hits(kind, query, params![id])?.into_iter().next())
    }

    /// The customer or former customer with this login.
    pub fn search_by_login(&mut self, login: &str) -> Result<Option<SearchHit>, StoreError> {
        let query = "SELECT id, name, CASE WHEN closed_at IS NULL THEN 'active' ELSE 'closed' END FROM psu WHERE login = $1";
        Ok(self.hits(SearchKind::Customer, query, params![login])?.into_iter().next())
    }

    pub fn search_by_iban(&mut self, iban: &Iban) -> Result<Vec<SearchHit>, StoreError> {
        let query = "SELECT id, iban, status FROM account WHERE iban = $1";
        self.hits(SearchKind::Account, query, params![iban.as_str()])
    }

    /// Customers and shoppers with a telephone number.
    pub fn search_by_phone(&mut self, phone: &Phone) -> Result<Vec<SearchHit>, StoreError> {
        let customers =
            "SELECT id, name, CASE WHEN closed_at IS NULL THEN 'active' ELSE 'closed' END FROM psu
             WHERE phone = $1 ORDER BY id LIMIT $2";
        let shoppers = "SELECT id, phone, CASE WHEN blocked THEN 'blocked' ELSE 'active' END FROM shopper WHERE phone = $1";
        let mut hits = self.hits(SearchKind::Customer, customers, params![phone.as_str(), MAX_HITS])?;
        hits.extend(self.hits(SearchKind::Shopper, shoppers, params![phone.as_str()])?);
        Ok(hits)
    }

    /// What has this text as its login, code, number, order, reference or message id.
    pub fn search_by_reference(&mut self, text: &str) -> Result<Vec<SearchHit>, StoreError> {
        let mut hits: Vec<SearchHit> = self.search_by_login(text)?.into_iter().collect();
        let merchant = "SELECT id, name, code FROM merchant WHERE code = $1";
        hits.extend(self.hits(SearchKind::Merchant, merchant, params![text])?);
        if let Ok(number) = text.parse::<i64>() {
            let merchant = "SELECT id, name, code FROM merchant WHERE number = $1";
            hits.extend(self.hits(SearchKind::Merchant, merchant, params![number])?);
            let basket = "SELECT public_id, order_identifier, status, currency, value_minor FROM basket WHERE number = $1";
            hits.extend(self.hits(SearchKind::Basket, basket, params![number])?);
        }
        let order = "SELECT public_id, order_identifier, status, currency, value_minor FROM basket WHERE order_identifier = $1
             ORDER BY created_at DESC LIMIT $2";
        hits.extend(self.hits(SearchKind::Basket, order, params![text, MAX_HITS])?);
        let loan = "SELECT id, '', status, currency, amount_minor FROM loan WHERE creditor_reference = $1";
        hits.extend(self.hits(SearchKind::Loan, loan, params![text])?);
        let incoming = "SELECT id, transaction_id, status, currency, amount_minor FROM clearing_incoming WHERE message_id = $1
             ORDER BY transaction_id LIMIT $2";
        hits.extend(self.hits(SearchKind::IncomingTransfer, incoming, params![text, MAX_HITS])?);
        Ok(hits)
    }

    /// Customers, merchants and applications whose names have a word that begins with each of the words of the text.
    pub fn search_by_name(&mut self, text: &str) -> Result<Vec<SearchHit>, StoreError> {
        let words = name_words(text);
        let Some(longest) = words.iter().max_by_key(|word| word.len()) else { return Ok(Vec::new()) };
        // The longest word is looked up; the others are compared.
        let query = "SELECT p.id, p.name, CASE WHEN p.closed_at IS NULL THEN 'active' ELSE 'closed' END
             FROM psu p WHERE p.id IN (SELECT psu FROM psu_name_word WHERE word >= $1 AND word < $2)
             ORDER BY p.name, p.id LIMIT $3";
        let end = format!("{longest}\u{7f}");
        let mut hits = self.hits(SearchKind::Customer, query, params![longest, &end, MAX_HITS * 10])?;
        let merchants = "SELECT id, name, code FROM merchant ORDER BY name";
        hits.extend(self.hits(SearchKind::Merchant, merchants, &[])?);
        let applications = "SELECT id, name, CASE WHEN disabled_at IS NULL THEN 'active' ELSE 'disabled' END
             FROM application ORDER BY name";
        hits.extend(self.hits(SearchKind::Application, applications, &[])?);
        hits.retain(|hit| {
            let found = name_words(&hit.label);
            words.iter().all(|word| found.iter().any(|known| known.starts_with(word)))
        });
        hits.truncate(usize::try_from(MAX_HITS).unwrap_or(usize::MAX));
        Ok(hits)
    }

    /// Makes a customer findable by the words of the name.
    pub(crate) fn psu_name_words_set(&mut self, psu: PsuId, name: &str) -> Result<(), StoreError> {
        self.execute("DELETE FROM psu_name_word WHERE psu = $1", params![psu])?;
        for word in name_words(name) {
            self.execute_deferred(
                "INSERT INTO psu_name_word (psu, word) VALUES ($1, $2)",
                params![psu, &word],
            )?;
        }
        Ok(())
    }

    /// Runs a query of the shape of [`BY_ID`].
    pub(crate) fn hits(
        &mut self,
        kind: SearchKind,
        query: &'static str,
        values: &[Param<'_>],
    ) -> Result<Vec<SearchHit>, StoreError> {
        self.query(query, values, |row: &mut RowReader<'_>| {
            let mut hit = SearchHit { kind, id: row.read()?, label: row.read()?, status: row.read()? };
            if kind.has_amount() {
                let gap = if hit.label.is_empty() { "" } else { ", " };
                hit.label = format!("{}{gap}{}", hit.label, row.money()?);
            }
            Ok(hit)
        })
    }
}
