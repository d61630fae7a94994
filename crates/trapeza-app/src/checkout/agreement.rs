//! The agreement and the credit decision, in one transaction. Concurrent decisions about the same person wait for it.
//! The shopper agrees to exactly the dates that were shown.

use super::document::PreparedDocuments;
use super::{ActiveCheckout, CheckoutContext, out_of_order};
use crate::basket::{self, DecisionContext};
use crate::credit::Assessment;
use crate::loan::{self, TransferInstructions};
use crate::notification::{self, MessageContent, NewMessage};
use crate::sandbox::{SLOW_DECISION_DELAY, SandboxCreditOutcome};
use crate::{App, StoreError, UseCaseError, audit, merchant_terms};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::basket::Basket;
use trapeza_domain::contact::Email;
use trapeza_domain::credit::CreditDecision;
use trapeza_domain::installment::{Installment, Plan};
use trapeza_domain::loan::Contract;
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;
use trapeza_store::{CheckoutRecord, Tx};
use trapeza_texts::{Language, message};

/// What the shopper agrees to, and where their pages are.
#[derive(Clone, Debug)]
pub struct AgreementRequest {
    /// The language of the page, of the documents and of messages.
    pub language: Language,
    /// The number of installments of the plan.
    pub installments: u32,
    /// The day whose schedule was shown.
    pub shown: Date,
    /// The bank's address, for links in messages.
    pub public_url: String,
    /// Where the link to the documents is sent as well.
    pub email: Option<Email>,
}

impl App {
    /// Agrees to a plan as it was shown.
    pub async fn checkout_agree(
        &self,
        public: &str,
        session: &str,
        agreed: AgreementRequest,
    ) -> Result<(), UseCaseError> {
        let context = self.checkout_context(public, session)?;
        let slow = self.with_open_basket(context, |tx, context, basket| {
            let active = context.active(tx, basket)?;
            let outcome = context.sandbox_outcome(tx, &active.opened.basket, &active.record)?;
            Ok(outcome == Some(SandboxCreditOutcome::Slow))
        });
        if slow.await? {
            tokio::time::sleep(SLOW_DECISION_DELAY).await;
        }
        let documents = self.checkout_prepare_documents(public, session, &agreed).await?;
        let context =
            CheckoutContext { language: agreed.language, ..self.checkout_context(public, session)? };
        let decided = self.with_open_basket(context, move |tx, context, basket| {
            let active = context.active(tx, basket)?;
            context.decide(tx, active, &agreed, documents.as_ref())
        });
        decided.await
    }
}

impl CheckoutContext {
    fn decide(
        &self,
        tx: &mut Tx<'_>,
        active: ActiveCheckout,
        agreed: &AgreementRequest,
        documents: Option<&PreparedDocuments>,
    ) -> Result<(), UseCaseError> {
        let (now, today) = (self.decision.now, self.decision.today);
        let applicant = self.applicant(&active.record).ok_or_else(out_of_order)?;
        // After midnight all dates change, and the shopper must see them first.
        if agreed.shown != today {
            return Err(out_of_order().into());
        }
        let (plan, schedule) = agreed_plan(tx, &active, agreed.installments, today)?;
        let psu = active.record.psu;
        let basket = &active.opened.basket;
        let assessment = Assessment::load_locked(tx, basket, applicant, (now, today))?;
        let forced = self.sandbox_outcome(tx, basket, &active.record)?;
        let approval = assessment.covering_approval();
        // An approval by a person precedes a decline that the sandbox assigns to a telephone number.
        let is_overridden = approval.is_some() && matches!(forced, Some(SandboxCreditOutcome::Declined(_)));
        let forced = forced.filter(|_| !is_overridden);
        let decision = forced.map_or_else(|| assessment.decide(&schedule), sandbox_decision);
        let borrower = assessment.borrower;
        let context = DecisionContext { actor: psu.map_or(Actor::Bank, Actor::Psu), ..self.decision };
        let discount_minor = basket::discount_minor(tx, &active.opened.basket)?;
        tx.checkout_update(&active.record)?;
        match decision.outcome {
            Ok(()) => {
                if borrower.account.is_none() {
                    self.send_instructions(tx, &active, &schedule, &agreed.public_url)?;
                }
                // An approval that was not needed stays for another purchase.
                if let Some(approval) = approval.filter(|_| is_overridden || decision.relies_on_review) {
                    loan::use_approval(tx, approval, active.opened.loan.id, &context)?;
                }
                let borrower = Some(borrower);
                let contract = Contract { plan, signed: today, borrower, discount_minor, schedule };
                let (documents, loan) = (documents.ok_or_else(out_of_order)?, active.opened.loan.id);
                documents.check(tx, &contract)?;
                tx.loan_language_set(active.opened.loan.id, self.language.tag())?;
                basket::approve(tx, active.opened, contract, &decision.inputs, &context)?;
                documents.store(tx, loan, &context)?;
            }
            // The page that follows shows which plans are possible, or that the shopper may sign in.
            Err(reason) if forced.is_none() && self.final_decline(tx, &active)?.is_none() => {
                let event = AuditEvent::new("checkout.plan_declined", "basket", active.record.basket);
                let event = event.with("reason", reason.name()).with("inputs", &decision.inputs);
                audit::record(tx, now, context.actor, &event)?;
            }
            Err(reason) => {
                basket::decline(tx, active.opened, reason, &decision.inputs, &context)?;
            }
        }
        Ok(())
    }

    /// Sends a shopper without an account here how to pay the first installment.
    fn send_instructions(
        &self,
        tx: &mut Tx<'_>,
        active: &ActiveCheckout,
        schedule: &[Installment],
        public_url: &str,
    ) -> Result<(), StoreError> {
        let loan = &active.opened.loan;
        let (Some(iban), Some(phone), Some(first)) =
            (self.collection, &active.record.phone, schedule.first())
        else {
            return Ok(());
        };
        let instructions = TransferInstructions::new(iban, loan.id);
        let merchant = merchant_terms::merchant(tx, loan.merchant)?.name;
        let text = message::loan_instructions(
            self.language,
            &self.credential.bank_name,
            &message::LoanInstructions {
                merchant: &message::display_name(&merchant),
                amount: Money::new(first.amount_minor(), loan.amount.currency),
                day: first.payment,
                iban: &instructions.iban.printed(),
                reference: &instructions.reference.printed(),
                page: &format!(
                    "{}/loan/{}",
                    public_url.trim_end_matches('/'),
                    instructions.reference.as_str()
                ),
            },
        );
        let content = MessageContent::Information;
        let new = NewMessage { recipient: phone.as_str(), content, text: &text };
        notification::enqueue(tx, &self.credential, &new)
    }

    /// The outcome that the sandbox assigns to the telephone number, at a merchant's sandbox application only.
    pub(super) fn sandbox_outcome(
        &self,
        tx: &mut Tx<'_>,
        basket: &Basket,
        record: &CheckoutRecord,
    ) -> Result<Option<SandboxCreditOutcome>, StoreError> {
        let (Some(sandbox), Some(phone)) = (self.sandbox, &record.phone) else {
            return Ok(None);
        };
        let Some(outcome) = sandbox.credit_outcome(phone) else { return Ok(None) };
        let application = tx.application_find(basket.application)?;
        Ok(application.filter(|record| record.application.sandbox).map(|_| outcome))
    }
}

/// The chosen plan, if the merchant offers it and it fits the amount.
fn agreed_plan(
    tx: &mut Tx<'_>,
    active: &ActiveCheckout,
    installments: u32,
    today: Date,
) -> Result<(Plan, Vec<Installment>), UseCaseError> {
    let merchant = merchant_terms::merchant(tx, active.opened.basket.merchant)?;
    let offers = merchant_terms::terms(tx, &merchant)?.plans;
    let chosen = offers.iter().map(|offer| offer.plan).find(|plan| plan.installments == installments);
    let amount = active.opened.loan.amount.minor;
    let agreed = chosen.and_then(|plan| Some((plan, plan.schedule(amount, today)?)));
    Ok(agreed.ok_or_else(out_of_order)?)
}

fn sandbox_decision(outcome: SandboxCreditOutcome) -> CreditDecision {
    let outcome = match outcome {
        SandboxCreditOutcome::Approved | SandboxCreditOutcome::Slow => Ok(()),
        SandboxCreditOutcome::Declined(reason) => Err(reason),
    };
    CreditDecision { outcome, inputs: "sandbox telephone number".to_owned(), relies_on_review: false }
}
