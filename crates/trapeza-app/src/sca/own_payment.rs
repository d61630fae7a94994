//! Payments that customers order in the bank's own app. Such an order is like a third party's in every way, with the bank
//! as the one who asks: it waits in the app to be approved there, and moves money only then.

use super::start::{NewAuthorisationParams, begin};
use super::target::LoadedTarget;
use super::{Channel, Preferences};
use crate::idempotency::IdempotentRequest;
use crate::{App, StoreError, UseCaseError, audit, payment};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::id::{ApplicationId, AuthorisationId, PsuId};
use trapeza_domain::payment::{NewPayment, Payment, PaymentOrder};
use trapeza_domain::refusal::Refusal;

/// What the customer is shown as the one who asks.
const BANK_NAME: &str = "Trapeza";

impl App {
    /// Takes a customer's own order; answers the question that they approve it by. A second click is the first one.
    pub async fn customer_payment_create(
        &self,
        request: IdempotentRequest,
        psu: PsuId,
        order: PaymentOrder,
    ) -> Result<AuthorisationId, UseCaseError> {
        let (payment, id) = (self.payment_id(), AuthorisationId::new(self.entropy.uuid()));
        let context = self.step_context(ApplicationId::BANK, String::new(), Channel::App(psu));
        let terms = order.instruction(&self.payments.fees, |pan| self.keyring.pan_hash(pan));
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    let made = AuthorisationId::from_bytes(&record.object);
                    return Ok(made.ok_or_else(|| StoreError::internal("a replay record names no question"))?);
                }
                let theirs = tx.account_by_iban(&terms.creditor)?;
                if !theirs.iter().any(|account| account.currency == terms.amount.currency) {
                    return Err(
                        Refusal::malformed("payee", "no account here has this IBAN and currency").into()
                    );
                }
                let customer = tx.psu_find(psu)?.ok_or_else(|| StoreError::internal("a customer is gone"))?;
                let (application, now) = (ApplicationId::BANK, context.now);
                let birth = NewPayment { id: payment, application, psu: customer.login.clone(), now };
                let (made, event) = Payment::initiate(birth, terms.clone());
                tx.payment_insert(&made)?;
                audit::record(tx, now, Actor::Psu(psu), &event)?;
                let loaded =
                    LoadedTarget::Payment(Box::new(payment::with_payee_verification(tx, made, None)?.0));
                let starter = NewAuthorisationParams {
                    target: Target::Payment(payment),
                    id,
                    psu_name: &customer.login,
                    preferences: &Preferences { decoupled_preferred: true, ..Preferences::default() },
                    tpp_name: BANK_NAME,
                };
                begin(tx, &context, &loaded, &starter)?;
                request.record(tx, "ordered", id.as_bytes(), now)?;
                Ok(id)
            })
            .await
    }
}
