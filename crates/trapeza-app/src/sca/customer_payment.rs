//! Payments that a customer creates in the bank's app. They are processed like those of a third party, with the bank as
//! the third party: the payment waits for an approval in the app and moves money only then.

use super::StartPreferences;
use super::approval_request::{ApprovalPayment, approval_payment};
use super::context::Channel;
use super::start::{NewAuthorisationParams, create};
use super::target::LoadedTarget;
use crate::idempotency::IdempotentRequest;
use crate::payment::PayeeCheck;
use crate::{App, Required, StoreError, UseCaseError, audit, authorisation_expiry, payment};
use trapeza_domain::account::Account;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, AuthorisationId, PaymentId, PsuId};
use trapeza_domain::money::Money;
use trapeza_domain::payment::{NewPayment, Payment, PaymentOrder, PaymentProduct, PaymentState};
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_store::Tx;

/// A payment that a customer created in the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerPayment {
    pub id: PaymentId,
    pub product: PaymentProduct,
    pub details: ApprovalPayment,
    pub state: PaymentState,
    pub created_at: Timestamp,
    /// The day of the next execution of a standing order.
    pub next_execution: Option<Date>,
    /// When the state last changed.
    pub changed_at: Timestamp,
    /// What the payee's bank has sent back.
    pub returned: Money,
}

/// Older rejections are not listed.
const REJECTIONS_SINCE: TimeDelta = TimeDelta::days(30);
const MAX_REJECTIONS: i64 = 20;
/// The number of payments on a page of the list.
const PAGE: i64 = 30;

impl App {
    /// The customer's payments of the last 30 days that were rejected after the customer had authorised them, and those of the app that
    /// were never authorised; newest first. What a third party initiated without the customer is not listed.
    pub async fn customer_rejection_list(&self, psu: PsuId) -> Result<Vec<Payment>, UseCaseError> {
        let since = self.now().minus(REJECTIONS_SINCE);
        self.store
            .read(move |tx| {
                let login = tx.psu_find(psu)?.required("customer")?.login;
                Ok(tx.payment_rejected_list(&login, since, MAX_REJECTIONS)?)
            })
            .await
    }

    /// A payment that this customer created in the app, or that waits for its day, as of now.
    pub async fn customer_payment_find(&self, psu: PsuId, id: &str) -> Result<CustomerPayment, UseCaseError> {
        let (id, now) = (PaymentId::parse(id).ok_or_else(payment::not_found)?, self.now());
        self.store
            .read(move |tx| {
                let login = tx.psu_find(psu)?.required("customer")?.login;
                let payment = visible_payment(tx, &login, id)?.as_of(now);
                let own = tx.account_list(psu)?;
                Ok(view(tx, &payment, &own)?)
            })
            .await
    }

    /// The payments that this customer created in the app before one of them, newest first, and whether there are more.
    pub async fn customer_payment_list(
        &self,
        psu: PsuId,
        before: Option<&str>,
    ) -> Result<(Vec<CustomerPayment>, bool), UseCaseError> {
        let before = match before {
            Some(text) => PaymentId::parse(text).ok_or_else(|| {
                Refusal::malformed(Field::Cursor, "must be a position in the list of payments")
            })?,
            None => PaymentId::new(uuid::Uuid::max()),
        };
        let now = self.now();
        self.store
            .read(move |tx| {
                let login = tx.psu_find(psu)?.required("customer")?.login;
                let mut found = tx.payment_page_of_app(&login, before, PAGE + 1)?;
                let has_more = i64::try_from(found.len()).is_ok_and(|count| count > PAGE);
                if has_more {
                    found.pop();
                }
                let own = tx.account_list(psu)?;
                let mut shown = Vec::new();
                for payment in found {
                    shown.push(view(tx, &payment.as_of(now), &own)?);
                }
                Ok((shown, has_more))
            })
            .await
    }

    /// What will be paid later: the customer's scheduled payments and standing orders, those of third parties too, oldest first.
    pub async fn customer_upcoming_list(&self, psu: PsuId) -> Result<Vec<CustomerPayment>, UseCaseError> {
        self.store
            .read(move |tx| {
                let login = tx.psu_find(psu)?.required("customer")?.login;
                let own = tx.account_list(psu)?;
                let mut shown = Vec::new();
                for payment in tx.payment_upcoming_list(&login)? {
                    shown.push(view(tx, &payment, &own)?);
                }
                Ok(shown)
            })
            .await
    }

    /// Cancels a payment that this customer created in the app: one that waits for its approval, or one that is accepted and not yet
    /// submitted to clearing. A scheduled payment or standing order may also be one of a third party.
    pub async fn customer_payment_cancel(&self, psu: PsuId, id: &str) -> Result<(), UseCaseError> {
        let id = PaymentId::parse(id).ok_or_else(payment::not_found)?;
        let (now, today) = (self.now(), self.clock.today());
        self.store
            .write(move |tx| {
                let login = tx.psu_find(psu)?.required("customer")?.login;
                let application = visible_payment(tx, &login, id)?.application;
                let payment = payment::lock_current(tx, application, id, now)?;
                let (payment, event) = payment.request_cancellation(now)?;
                tx.payment_update(&payment)?;
                audit::record(tx, now, Actor::Psu(psu), &event)?;
                if payment.state == PaymentState::Cancelled {
                    let target = Target::Payment(id);
                    return Ok(authorisation_expiry::fail_open(tx, application, target, now)?);
                }
                // The third party may have asked for the cancellation before.
                authorisation_expiry::fail_open(tx, application, Target::Cancellation(id), now)?;
                payment::cancel(tx, payment, psu, now, today)
            })
            .await
    }

    /// The product of a payment to an account: within this bank, or to another one.
    pub async fn customer_payment_product(&self, creditor: Iban) -> Result<PaymentProduct, UseCaseError> {
        let settings = &self.settings.payments;
        if settings.collection == Some(creditor) || settings.routing.is_own_bank(&creditor) {
            return Ok(PaymentProduct::InternalTransfers);
        }
        let is_here = self.store.read(move |tx| Ok(!tx.account_by_iban(&creditor)?.is_empty())).await?;
        Ok(if is_here { PaymentProduct::InternalTransfers } else { PaymentProduct::SepaCreditTransfers })
    }

    /// Creates a payment and returns the authorisation that approves it. A second click gets the first authorisation.
    pub async fn customer_payment_create(
        &self,
        request: IdempotentRequest,
        psu: PsuId,
        order: PaymentOrder,
    ) -> Result<AuthorisationId, UseCaseError> {
        order.timing.check(self.clock.today())?;
        let (payment, id) = (self.payment_id(), AuthorisationId::new(self.entropy.uuid()));
        let context = self.step_context(ApplicationId::BANK, String::new(), Channel::App(psu));
        let instruction = order.instruction(&self.settings.payments.fees, |pan| self.keyring.pan_hash(pan));
        let bank_name = self.bank_name().clone();
        let is_internal = instruction.product == PaymentProduct::InternalTransfers;
        if !is_internal && self.settings.payments.routing.find(&instruction.creditor).is_none() {
            let text = "must be an account of a bank that can be reached";
            return Err(Refusal::malformed(Field::CreditorAgent, text).into());
        }
        let check = match is_internal {
            true => PayeeCheck::default(),
            false => self.payee_check_remote(&instruction.creditor, &instruction.creditor_name).await,
        };
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    let id = AuthorisationId::from_bytes(&record.result);
                    return Ok(id.ok_or_else(|| {
                        StoreError::internal("an idempotency record names no authorisation")
                    })?);
                }
                let accounts = tx.account_by_iban(&instruction.creditor)?;
                let is_known = !is_internal
                    || context.collection == Some(instruction.creditor)
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
                let (payment, _) =
                    payment::with_payee_verification(tx, payment, check.clone(), context.own_payee())?;
                let params = NewAuthorisationParams {
                    target: Target::Payment(payment.id),
                    id,
                    psu_name: &customer.login,
                    preferences: &StartPreferences {
                        decoupled_preferred: true,
                        ..StartPreferences::default()
                    },
                    tpp_name: &bank_name,
                };
                create(tx, &context, &LoadedTarget::Payment(Box::new(payment)), &params)?;
                request.record(tx, "created", id.as_bytes(), now)?;
                Ok(id)
            })
            .await
    }
}

/// A payment of the customer that the app shows: one that was created there, or one that waits for its day.
fn visible_payment(tx: &mut Tx<'_>, login: &str, id: PaymentId) -> Result<Payment, UseCaseError> {
    let application = tx.payment_application(id)?.ok_or_else(payment::not_found)?;
    let found = tx.payment_find(application, id)?;
    let is_visible = |payment: &Payment| {
        let is_upcoming = matches!(payment.state, PaymentState::Scheduled { .. });
        payment.psu == login && (application == ApplicationId::BANK || is_upcoming)
    };
    Ok(found.filter(is_visible).ok_or_else(payment::not_found)?)
}

fn view(tx: &mut Tx<'_>, payment: &Payment, own: &[Account]) -> Result<CustomerPayment, StoreError> {
    let returned_minor = match payment.state {
        PaymentState::Settled => tx.payment_returned_minor(payment.id)?,
        _ => 0,
    };
    Ok(CustomerPayment {
        id: payment.id,
        product: payment.instruction.product,
        details: approval_payment(payment, false, own),
        state: payment.state,
        created_at: payment.created_at,
        next_execution: payment.next_execution_day(),
        changed_at: payment.last_action,
        returned: Money::new(returned_minor, payment.instruction.amount.currency),
    })
}
