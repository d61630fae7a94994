//! The documents of a loan for its borrower: downloaded as they were stored, or not at all.

use crate::device::session_token_hash;
use crate::document_hash::is_intact;
use crate::{App, UseCaseError, basket};
use trapeza_domain::credit_document::DocumentKind;
use trapeza_domain::field::Field;
use trapeza_domain::id::{LoanId, PsuId};
use trapeza_domain::reference::CreditorReference;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_store::{DocumentReader, LoanDocument, StoreError};
use uuid::Uuid;

impl App {
    /// A document of a customer's loan.
    pub async fn customer_loan_document(
        &self,
        psu: PsuId,
        loan: &str,
        kind: DocumentKind,
    ) -> Result<LoanDocument, UseCaseError> {
        let loan = LoanId::new(loan.parse::<Uuid>().map_err(|_| not_found())?);
        let reader = DocumentReader::Customer { psu, loan };
        let found = self.store.read(move |tx| Ok(tx.loan_document_find(kind, reader)?)).await?;
        intact(found.ok_or_else(not_found)?)
    }

    /// A document of a borrower without an account here, whose browser has verified the telephone number.
    pub async fn guest_loan_document(
        &self,
        reference: &str,
        session: &str,
        kind: DocumentKind,
    ) -> Result<LoanDocument, UseCaseError> {
        let reference = CreditorReference::find_in(reference).ok_or_else(not_found)?;
        let (session, now) = (session_token_hash(&self.keyring, session), self.now());
        let found = self.store.read(move |tx| {
            let reader = DocumentReader::Guest { reference: &reference, session_token_hash: &session, now };
            Ok(tx.loan_document_find(kind, reader)?)
        });
        intact(found.await?.ok_or_else(not_found)?)
    }

    /// A document for the browser in which the checkout was.
    pub async fn checkout_document(
        &self,
        public: &str,
        session: &str,
        kind: DocumentKind,
    ) -> Result<LoanDocument, UseCaseError> {
        let basket = basket::parse_public_id(public)?;
        let session = session_token_hash(&self.keyring, session);
        let found = self.store.read(move |tx| {
            let reader = DocumentReader::Checkout { basket, session_token_hash: &session };
            Ok(tx.loan_document_find(kind, reader)?)
        });
        intact(found.await?.ok_or_else(not_found)?)
    }
}

/// The document, unless it is not the one that was stored.
fn intact(document: LoanDocument) -> Result<LoanDocument, UseCaseError> {
    if is_intact(&document) {
        return Ok(document);
    }
    let (loan, kind) = (document.loan, document.kind.name());
    tracing::error!(%loan, kind, "loan documents: the content does not match its hash, download refused");
    Err(StoreError::internal("a document of a loan does not match its hash").into())
}

/// The same refusal for a document that does not exist and for one of another person.
fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::LoanId, "unknown document of a loan")
}
