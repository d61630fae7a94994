//! The documents of an agreement: rendered before the transaction of the approval and stored in it, if they still describe what is agreed.

use super::{AgreementRequest, out_of_order};
use crate::basket::DecisionContext;
use crate::credential::CredentialContext;
use crate::credit_document::render;
use crate::document_hash::hash_text;
use crate::notification::{self, MessageContent, NewMessage};
use crate::{App, Required, UseCaseError, audit, basket};
use sha2::{Digest, Sha256};
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::credit_document::{CreditOffer, DebtorDetails, DocumentKind, RepaymentMethod};
use trapeza_domain::id::LoanId;
use trapeza_domain::loan::{Contract, withdrawable_until};
use trapeza_domain::reference::CreditorReference;
use trapeza_store::{CheckoutRecord, LoanDocument, Tx};
use trapeza_texts::credit_document::{agreement, information};
use trapeza_texts::{Language, message};

/// The rendered documents of an offer.
pub(super) struct PreparedDocuments {
    offer: CreditOffer,
    language: Language,
    rendered: Vec<(DocumentKind, [u8; 32], Vec<u8>)>,
    email: Option<PreparedEmail>,
}

/// The e-mail with the link to the documents. Its context has the id of its own that a second message in a transaction needs.
struct PreparedEmail {
    context: CredentialContext,
    recipient: String,
    text: String,
}

impl App {
    /// Renders the documents of a plan. `None` when the plan is not offered to the shopper of this browser.
    pub(super) async fn checkout_prepare_documents(
        &self,
        public: &str,
        session: &str,
        agreed: &AgreementRequest,
    ) -> Result<Option<PreparedDocuments>, UseCaseError> {
        let (context, language) = (self.checkout_context(public, session)?, agreed.language);
        let found = self.store.read(move |tx| {
            let basket = tx.basket_by_public_id(context.public)?.ok_or_else(basket::not_found)?;
            let basket = basket.as_of(context.decision.now);
            let Some(record) = tx.checkout_find(basket.id)?.filter(|record| context.is_own(record)) else {
                return Ok(None);
            };
            let debtor = debtor(tx, &record)?;
            Ok(Some((context.view(tx, basket, Some(&record))?, debtor)))
        });
        let Some((view, Some(debtor))) = found.await? else { return Ok(None) };
        let Some(offer) = self.credit_offer(&view, agreed.installments) else { return Ok(None) };
        let Some(loan) = view.basket.state.loan() else { return Ok(None) };
        let reference = CreditorReference::from_uuid(loan.uuid());
        let until = withdrawable_until(offer.date);
        let texts = [
            (DocumentKind::Information, information(language, &offer)),
            (DocumentKind::Agreement, agreement(language, &offer, &debtor, &reference, until)),
        ];
        let mut rendered = Vec::with_capacity(texts.len());
        for (kind, text) in texts {
            let content = render(language, text, self.document_issuer(), offer.date).await;
            rendered.push((kind, Sha256::digest(&content).into(), content));
        }
        let email = agreed.email.as_ref().filter(|_| self.sends_email()).map(|address| {
            let path = match &offer.repayment {
                RepaymentMethod::Collection { .. } => format!("/app/loans/{loan}"),
                RepaymentMethod::Transfer { reference, .. } => format!("/loan/{}", reference.as_str()),
            };
            let page = format!("{}{path}", agreed.public_url.trim_end_matches('/'));
            let merchant = message::display_name(&offer.intermediary);
            PreparedEmail {
                context: self.credential_context(),
                recipient: address.as_str().to_owned(),
                text: message::loan_documents(language, self.bank_name(), &merchant, &page),
            }
        });
        Ok(Some(PreparedDocuments { offer, language, rendered, email }))
    }
}

impl PreparedDocuments {
    /// Stores the documents of a contract that was just concluded, with their hashes in the audit log.
    pub(super) fn store(
        &self,
        tx: &mut Tx<'_>,
        loan: LoanId,
        context: &DecisionContext,
    ) -> Result<(), UseCaseError> {
        for (kind, sha256, content) in &self.rendered {
            tx.loan_document_insert(&LoanDocument {
                loan,
                kind: *kind,
                language: self.language.tag().to_owned(),
                sha256: *sha256,
                content: content.clone(),
                created_at: context.now,
            })?;
            let event = AuditEvent::new("loan.document_created", "loan", loan)
                .with("kind", kind.name())
                .with("sha256", hash_text(sha256));
            audit::record(tx, context.now, context.actor, &event)?;
        }
        if let Some(PreparedEmail { context, recipient, text }) = &self.email {
            notification::enqueue(
                tx,
                context,
                &NewMessage { recipient, content: MessageContent::Email, text },
            )?;
        }
        Ok(())
    }

    /// Refuses documents that describe something else than the contract: the plan, its dates or the account changed after they were
    /// rendered, and the shopper must see that first.
    pub(super) fn check(&self, tx: &mut Tx<'_>, contract: &Contract) -> Result<(), UseCaseError> {
        let account = match contract.borrower.and_then(|borrower| borrower.account) {
            Some(account) => tx.account_find(account)?.map(|account| account.iban),
            None => None,
        };
        let same_account = match &self.offer.repayment {
            RepaymentMethod::Collection { account: shown } => account == Some(*shown),
            RepaymentMethod::Transfer { .. } => account.is_none(),
        };
        let is_same = self.offer.plan == contract.plan
            && self.offer.schedule == contract.schedule
            && self.offer.date == contract.signed
            && same_account;
        if is_same { Ok(()) } else { Err(out_of_order().into()) }
    }
}

/// The person at a checkout. `None` before the telephone number is verified.
fn debtor(tx: &mut Tx<'_>, record: &CheckoutRecord) -> Result<Option<DebtorDetails>, UseCaseError> {
    let Some(phone) = record.phone.as_ref().filter(|_| record.shopper.is_some()) else { return Ok(None) };
    let name = match record.psu {
        Some(psu) => Some(tx.psu_find(psu)?.required("customer")?.name),
        None => None,
    };
    Ok(Some(DebtorDetails { name, telephone: phone.as_str().to_owned() }))
}
