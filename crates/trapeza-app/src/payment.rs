//! Payments: initiation, reading and cancellation. Nothing reveals whether the customer, the accounts or the funds
//! exist before the customer authorises (`execution`).
//!
//! A read shows a payment as of now. A write that finds an expired one saves the expiry first.

pub(crate) mod bank_payment;
mod batch_booking;
mod bulk;
mod bulk_execution;
mod cancellation;
mod execution;
mod message;
mod outcome;
mod parties;
mod payee_budget;
mod payee_verification;
mod scheduled;

pub use bulk::{BulkPayment, RejectedLine};
pub(crate) use bulk_execution::follow_bulk;
pub use cancellation::CancellationResult;
pub(crate) use cancellation::{recorded_cancellation, request_cancellation};
pub(crate) use execution::{authorise, cancel};
pub(crate) use parties::ExecutionSettings;
pub(crate) use payee_budget::PayeeBudget;
pub use payee_budget::PayeeLimits;
pub use payee_verification::PayeeVerifier;
pub(crate) use payee_verification::{OwnPayee, PayeeCheck, PayeeChecks, with_payee_verification};
pub(crate) use scheduled::reject_upcoming;

use crate::authentication::Tpp;
use crate::authorisation_expiry;
use crate::credential::method::{MethodView, methods_of};
use crate::idempotency::{IdempotentOutcome, IdempotentRequest, recorded_object_id};
use crate::keyring::KeyPurpose;
use crate::{App, Keyring, Required, UseCaseError, audit, signing_basket_state};
use std::sync::Arc;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::Target;
use trapeza_domain::clearing::{RoutingTable, UnmatchedPolicy};
use trapeza_domain::consent::{ConsentKind, ConsentState};
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, ConsentId, PaymentId};
use trapeza_domain::payment::{Fees, NewPayment, Payment, PaymentOrder, PaymentProduct, PaymentTiming};
use trapeza_domain::psu::ScaMethod;
use trapeza_domain::reference::Iban;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::Timestamp;
use trapeza_store::{IdempotencyRecord, StoreError, Tx};

/// Settings of payments. The default is production's.
#[derive(Clone, Debug, Default)]
pub struct PaymentSettings {
    pub fees: Fees,
    /// The banks that SEPA credit transfers reach, and this bank's own codes.
    pub routing: Arc<RoutingTable>,
    /// The bank's account to which borrowers without an account here pay.
    pub collection: Option<Iban>,
    /// What happens to incoming transfers that cannot be booked.
    pub unmatched: UnmatchedPolicy,
}

impl App {
    /// Creates a payment that waits for its authorisation. A replay gets the payment of the first request. `order.timing` says when it is
    /// executed; a date in the past or too far ahead is refused (`ExecutionDateInvalid`).
    pub async fn payment_initiate(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        consent: Option<String>,
        order: PaymentOrder,
    ) -> Result<IdempotentOutcome<InitiatedPayment>, UseCaseError> {
        let (payment, event) = self.new_payment(tpp, psu, order)?;
        let (id, application, now) = (payment.id, payment.application, payment.created_at);
        let timing = &payment.instruction.timing;
        let checked_on = (*timing != PaymentTiming::Immediate).then(|| self.clock.zone().day(now));
        let event = audit::PreparedEvent::new(now, Actor::Application(application), &event);
        let payment = Arc::new(payment);
        let written = payment.clone();
        let initiated = self.store.write(move |tx| {
            let payment = &written;
            // A new request is refused because of its consent or its date before anything is written.
            let is_checked = consent.is_some() || checked_on.is_some();
            if is_checked && request.find(tx)?.is_none() {
                if let Some(today) = checked_on {
                    payment.instruction.timing.check(today)?;
                }
                if let Some(consent) = &consent {
                    check_consent(tx, payment, consent)?;
                }
            }
            let contact = tx.psu_contact(&payment.psu)?;
            let reservation = request.reserve(tx, "initiated", id.as_bytes(), now)?;
            if !reservation.is_new(tx)? {
                let record = request.find(tx)?.required("idempotency record")?;
                let first = tx.payment_find(application, recorded_id(&record)?)?;
                let first = first.required("payment")?;
                return Ok(IdempotentOutcome::replayed((Arc::new(first.as_created()), contact)));
            }
            tx.payment_insert(payment)?;
            event.append(tx)?;
            Ok(IdempotentOutcome::fresh((payment.clone(), contact)))
        });
        let IdempotentOutcome { value: (first, contact), replayed } = initiated.await?;
        let contact = CustomerContact::new(&self.keyring, &payment.psu, contact);
        Ok(IdempotentOutcome { value: InitiatedPayment { payment: first, contact }, replayed })
    }

    /// The payment of an order, and its audit event.
    pub(crate) fn new_payment(
        &self,
        tpp: &Tpp,
        psu: String,
        order: PaymentOrder,
    ) -> Result<(Payment, AuditEvent), Refusal> {
        if order.product == PaymentProduct::InternalTransfers
            && self.settings.payments.routing.is_other_bank(&order.creditor)
        {
            let text = "must be an IBAN of this bank; use sepa-credit-transfers for other banks";
            return Err(Refusal::malformed([Field::CreditorAccount, Field::Iban], text));
        }
        let (id, application, now) = (self.payment_id(), tpp.application, self.now());
        let instruction = order.instruction(&self.settings.payments.fees, |pan| self.keyring.pan_hash(pan));
        Ok(Payment::initiate(NewPayment { id, application, psu, now }, instruction))
    }

    /// Whether an account number is this bank's, by its bank code; whether the account exists is not said.
    pub fn is_own_iban(&self, iban: &Iban) -> bool {
        self.settings.payments.routing.is_own(iban)
    }

    /// What payments cost.
    pub fn payment_fees(&self) -> Fees {
        self.settings.payments.fees
    }

    pub(crate) fn payment_id(&self) -> PaymentId {
        PaymentId::new(self.entropy.uuid_v7(self.clock.system_now()))
    }

    /// A single or periodic payment of the third party as of now. Under the path of another product it is refused.
    pub async fn payment_find(
        &self,
        tpp: &Tpp,
        product: PaymentProduct,
        id: &str,
    ) -> Result<Payment, UseCaseError> {
        let (application, id, now) = (tpp.application, parse(id)?, self.now());
        let found = self.store.read(move |tx| Ok(tx.payment_find(application, id)?)).await?;
        let payment = found.ok_or_else(not_found)?;
        PathPayment { product, is_bulk: false }.check(&payment)?;
        Ok(payment.as_of(now))
    }
}

/// A payment with the contact of its customer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InitiatedPayment {
    pub payment: Arc<Payment>,
    pub contact: CustomerContact,
}

/// The SCA methods of a customer, and the last two digits of their telephone number. An unknown name has decoys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomerContact {
    pub methods: Vec<MethodView>,
    pub phone: String,
}

impl CustomerContact {
    fn new(keyring: &Keyring, psu: &str, found: Option<(Phone, Vec<ScaMethod>)>) -> Self {
        let (phone, methods) = found.unzip();
        let phone = phone_hint(keyring, psu, phone.as_ref());
        Self { methods: methods_of(keyring, psu, methods), phone }
    }
}

/// Saves the expiry of a payment that is due, and returns it as of now.
pub(crate) fn expire_if_due(
    tx: &mut Tx<'_>,
    payment: Payment,
    now: Timestamp,
) -> Result<Payment, StoreError> {
    let (payment, event) = payment.expire_if_due(now);
    if let Some(event) = event {
        tx.payment_update(&payment)?;
        audit::record(tx, now, Actor::Bank, &event)?;
        authorisation_expiry::fail_open(tx, payment.application, Target::Payment(payment.id), now)?;
        signing_basket_state::member_left(tx, payment.application, payment.signing_basket, now)?;
    }
    Ok(payment)
}

/// Loads and locks a payment of the third party as of now. Every write on a payment starts here.
pub(crate) fn lock_current(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    id: PaymentId,
    now: Timestamp,
) -> Result<Payment, UseCaseError> {
    let payment = tx.payment_lock(application, id)?.ok_or_else(not_found)?;
    Ok(expire_if_due(tx, payment, now)?)
}

/// The payments that a request path names.
#[derive(Clone, Copy, Debug)]
pub struct PathPayment {
    pub product: PaymentProduct,
    /// Whether they are bulk payments. Below the paths of others a bulk payment is unknown.
    pub is_bulk: bool,
}

impl PathPayment {
    pub(crate) fn check(self, payment: &Payment) -> Result<(), Refusal> {
        if payment.instruction.bulk.is_some() != self.is_bulk {
            return Err(not_found());
        }
        check_product(payment, self.product)
    }
}

pub(crate) fn check_product(payment: &Payment, product: PaymentProduct) -> Result<(), Refusal> {
    if payment.instruction.product == product {
        return Ok(());
    }
    let text = "the payment is not one of this product";
    Err(Refusal::at(RefusalReason::ProductInvalid, Field::PaymentProduct, text))
}

/// A consent is optional. One that is named must be valid and of the paying customer, if that is known. Returns the customer.
pub(crate) fn check_consent(tx: &mut Tx<'_>, payment: &Payment, id: &str) -> Result<String, UseCaseError> {
    let not_found = || Refusal::at(RefusalReason::ConsentUnknown, Field::UsedConsent, "unknown consent");
    let id = ConsentId::parse(id).ok_or_else(not_found)?;
    let consent = tx.consent_find(payment.application, id, ConsentKind::Access)?;
    let is_own = |psu: &str| payment.psu.is_empty() || psu == payment.psu;
    let consent = consent.filter(|consent| is_own(&consent.psu)).ok_or_else(not_found)?;
    match consent.as_of(payment.created_at).state {
        ConsentState::Valid { .. } => Ok(consent.psu),
        ConsentState::Expired => {
            Err(Refusal::at(RefusalReason::ConsentExpired, Field::UsedConsent, "the consent has expired")
                .into())
        }
        state => {
            let text = format!("the consent is not valid: it is {}", state.status().name());
            Err(Refusal::at(RefusalReason::ConsentInvalid, Field::UsedConsent, text).into())
        }
    }
}

/// The last two digits of the customer's telephone number. An unknown name has stable decoy digits.
fn phone_hint(keyring: &Keyring, psu: &str, phone: Option<&Phone>) -> String {
    let last = match phone.map(Phone::as_str) {
        Some(phone) => phone[phone.len().saturating_sub(2)..].to_owned(),
        None => {
            let draw = keyring.hash(KeyPurpose::Decoy, &[b"phone", psu.as_bytes()]);
            format!("{:02}", u16::from_be_bytes([draw[0], draw[1]]) % 100)
        }
    };
    format!("********{last}")
}

/// The payment that an idempotency record names.
pub(crate) fn recorded_id(record: &IdempotencyRecord) -> Result<PaymentId, StoreError> {
    PaymentId::from_bytes(recorded_object_id(record))
        .ok_or_else(|| StoreError::internal("an idempotency record names no payment"))
}

/// An id that cannot be parsed is treated like an unknown one.
pub(crate) fn parse(id: &str) -> Result<PaymentId, Refusal> {
    PaymentId::parse(id).ok_or_else(not_found)
}

/// The same refusal for an unknown payment and for one of another application.
pub(crate) fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::PaymentId, "unknown payment")
}
