//! Payments that a customer creates in the bank's app. They are processed like those of a third party, with the bank as
//! the third party: the payment waits for an approval in the app and moves money only then.

use super::Preferences;
use super::approval_request::{ApprovalPayment, approval_payment};
use super::context::Channel;
use super::start::{NewAuthorisationParams, create};
use super::target::LoadedTarget;
use crate::idempotency::IdempotentRequest;
use crate::payment::PayeeCheck;
use crate::{App, Required, StoreError, UseCaseError, audit, payment};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, AuthorisationId, PaymentId, PsuId};
use trapeza_domain::payment::{NewPayment, Payment, PaymentOrder, PaymentState};
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::{TimeDelta, Timestamp};

/// A payment that a customer created in the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerPayment {
    pub details: ApprovalPayment,
    pub state: PaymentState,
    /// When the state last changed.
    pub changed_at: Timestamp,
}

/// Older rejections are not listed.
const REJECTIONS_SINCE: TimeDelta = TimeDelta::days(30);
const REJECTIONS_MAX: i64 = 20;

impl App {
    /// The customer's payments of the last 30 days that were rejected after the customer had authorised them, and those of the app that
    /// were never authorised; newest first. What a third party initiated without the customer is not listed.
    pub async fn customer_rejection_list(&self, psu: PsuId) -> Result<Vec<Payment>, UseCaseError> {
        let since = self.now().minus(REJECTIONS_SINCE);
        self.store
            .read(move |tx| {
                let login = tx.psu_find(psu)?.required("customer")?.login;
                Ok(tx.payment_rejected_list(&login, since, REJECTIONS_MAX)?)
            })
            .await
    }

    /// A payment that this customer created in the app, as of now.
    pub async fn customer_payment_find(&self, psu: PsuId, id: &str) -> Result<CustomerPayment, UseCaseError> {
        let (id, now) = (PaymentId::parse(id).ok_or_else(payment::not_found)?, self.now());
        self.store
            .read(move |tx| {
                let login = tx.psu_find(psu)?.required("customer")?.login;
                let found = tx.payment_find(ApplicationId::BANK, id)?;
                let payment = found.filter(|payment| payment.psu == login);
                let payment = payment.ok_or_else(payment::not_found)?.as_of(now);
                let own = tx.account_list(psu)?;
                Ok(CustomerPayment {
                    details: approval_payment(&payment, false, &own),
                    state: payment.state,
                    changed_at: payment.last_action,
                })
            })
            .await
    }

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
