//! The documents of a loan as the borrower received them. They are inserted with the contract and never changed; every query names who
//! asks for them.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::basket::PublicBasketId;
use trapeza_domain::credit_document::DocumentKind;
use trapeza_domain::id::{LoanId, PsuId};
use trapeza_domain::reference::CreditorReference;
use trapeza_domain::time::Timestamp;

/// A stored document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoanDocument {
    pub loan: LoanId,
    pub kind: DocumentKind,
    /// The language tag.
    pub language: String,
    pub sha256: [u8; 32],
    pub content: Vec<u8>,
    pub created_at: Timestamp,
}

/// Who asks for a document.
#[derive(Clone, Copy, Debug)]
pub enum DocumentReader<'a> {
    /// The customer to whom the loan was granted.
    Customer { psu: PsuId, loan: LoanId },
    /// A browser that has verified the telephone number of the borrower.
    Guest { reference: &'a CreditorReference, session_token_hash: &'a [u8; 32], now: Timestamp },
    /// The browser of the checkout.
    Checkout { basket: PublicBasketId, session_token_hash: &'a [u8; 32] },
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT d.loan, d.kind, d.language, d.sha256, d.content, d.created_at
             FROM loan_document d JOIN loan l ON l.id = d.loan ",
            $rest
        )
    };
}

impl Tx<'_> {
    pub fn loan_document_insert(&mut self, document: &LoanDocument) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO loan_document (loan, kind, language, sha256, content, created_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
            params![
                document.loan,
                document.kind.name(),
                &document.language,
                &document.sha256,
                &document.content,
                document.created_at
            ],
        )?;
        Ok(())
    }

    /// The document, if it is the reader's.
    pub fn loan_document_find(
        &mut self,
        kind: DocumentKind,
        reader: DocumentReader<'_>,
    ) -> Result<Option<LoanDocument>, StoreError> {
        let kind = kind.name();
        match reader {
            DocumentReader::Customer { psu, loan } => self.query_opt(
                select!(
                    "WHERE d.kind = $1 AND d.loan = $2
                       AND (l.psu = $3 OR (l.psu IS NULL AND l.shopper IN (SELECT id FROM shopper WHERE psu = $3)))"
                ),
                params![kind, loan, psu],
                document,
            ),
            DocumentReader::Guest { reference, session_token_hash, now } => self.query_opt(
                select!(
                    "JOIN guest_session g ON g.loan = l.id
                     WHERE d.kind = $1 AND l.creditor_reference = $2 AND g.session_token_hash = $3 AND g.verified
                       AND g.expires_at > $4"
                ),
                params![kind, reference.as_str(), session_token_hash, now],
                document,
            ),
            DocumentReader::Checkout { basket, session_token_hash } => self.query_opt(
                select!(
                    "JOIN basket b ON b.number = l.basket JOIN checkout c ON c.basket = l.basket
                     WHERE d.kind = $1 AND b.public_id = $2 AND c.session_token_hash = $3"
                ),
                params![kind, basket, session_token_hash],
                document,
            ),
        }
    }

    /// Which documents a loan has. The caller has found the loan as its owner's.
    pub fn loan_document_kinds(&mut self, loan: LoanId) -> Result<Vec<DocumentKind>, StoreError> {
        let sql = "SELECT kind FROM loan_document WHERE loan = $1 ORDER BY kind DESC";
        self.query(sql, params![loan], |row| kind_of(&row.read::<String>()?))
    }

    /// The documents that follow the one with this loan and kind, for a check of all of them.
    pub fn loan_document_after(
        &mut self,
        after: Option<(LoanId, DocumentKind)>,
        limit: i64,
    ) -> Result<Vec<LoanDocument>, StoreError> {
        match after {
            Some((loan, kind)) => self.query(
                select!("WHERE (d.loan, d.kind) > ($1, $2) ORDER BY d.loan, d.kind LIMIT $3"),
                params![loan, kind.name(), limit],
                document,
            ),
            None => self.query(select!("ORDER BY d.loan, d.kind LIMIT $1"), params![limit], document),
        }
    }
}

fn document(row: &mut RowReader<'_>) -> Result<LoanDocument, StoreError> {
    Ok(LoanDocument {
        loan: row.read()?,
        kind: kind_of(&row.read::<String>()?)?,
        language: row.read()?,
        sha256: row.read()?,
        content: row.read()?,
        created_at: row.read()?,
    })
}

fn kind_of(name: &str) -> Result<DocumentKind, StoreError> {
    DocumentKind::parse(name).ok_or_else(|| StoreError::internal("unknown kind of a loan's document"))
}
