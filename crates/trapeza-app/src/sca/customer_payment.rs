//! Payments that a customer creates in the bank's app. They are processed like those of a third party, with the bank as
//! the third party: the payment waits for an approval in the app and moves money only then.

use super::Preferences;
use super::context::Channel;
use super::start::{NewAuthorisationParams, create};
use super::target::LoadedTarget;
use crate::idempotency::IdempotentRequest;
use crate::payment::PayeeCheck;
use crate::{App, Required, StoreError, UseCaseError, audit, payment};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, AuthorisationId, PsuId};
use trapeza_domain::payment::{NewPayment, Payment, PaymentOrder};
use trapeza_domain::refusal::Refusal;

impl App {
    /// Creates a payment and returns the authorisation that approves it. A second click gets the first authorisation.
    pub async fn customer_payment_create(
        &self,
        request: IdempotentRequest,
        psu: PsuId,
        order: PaymentOrder,
    ) -> Result<AuthorisationId, UseCaseError> {
        let (payment, id) = (self.payment_id(), AuthorisationId::new(self.entropy.uuid()));
        let context = self.step_context(ApplicationId::BANK, String::new(), Channel::App(psu));
        let instruction = order.instruction(&self.settings.payments.fees, |pan| self.keyring.pan_hash(pan));
        let bank_name = self.bank_name().clone();
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    let id = AuthorisationId::from_bytes(&record.result);
                    return Ok(id.ok_or_else(|| {
                        StoreError::internal("an idempotency record names no authorisation")
                    })?);
                }
                let accounts = tx.account_by_iban(&instruction.creditor)?;
                let is_known = context.collection == Some(instruction.creditor)
                    || accounts.iter().any(|account| account.currency == instruction.amount.currency);
                if !is_known {
                    let text = "must be the IBAN of an account at this bank in the payment's currency";
                    return Err(Refusal::malformed(Field::Payee, text).into());
                }
                let customer = tx.psu_find(psu)?.required("customer")?;
                let (application, now) = (ApplicationId::BANK, context.now());
                let new = NewPayment { id: payment, application, psu: customer.login.clone(), now };
                let (payment, event) = Payment::initiate(new, instruction.clone());
                tx.payment_insert(&payment)?;
                audit::record(tx, now, Actor::Psu(psu), &event)?;
                let (payment, _) = payment::with_payee_verification(
                    tx,
                    payment,
                    PayeeCheck::default(),
                    context.own_payee(),
                )?;
                let params = NewAuthorisationParams {
                    target: Target::Payment(payment.id),
                    id,
                    psu_name: &customer.login,
                    preferences: &Preferences { decoupled_preferred: true, ..Preferences::default() },
                    tpp_name: &bank_name,
                };
                create(tx, &context, &LoadedTarget::Payment(Box::new(payment)), &params)?;
                request.record(tx, "created", id.as_bytes(), now)?;
                Ok(id)
            })
            .await
    }
}
