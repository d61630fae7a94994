//! Creating consents and payments, and requesting cancellations, together with their authorisation: one transaction and one
//! idempotency key. The use cases without an authorisation are in `consent` and `payment`.

use crate::authentication::Tpp;
use crate::consent::{create_access, create_funds, created_access, created_funds};
use crate::idempotency::{IdempotentOutcome, IdempotentRequest};
use crate::payment::{
    CancellationResult, PayeeChecks, check_consent, check_product, lock_current, parse,
    recorded_cancellation, recorded_id, request_cancellation,
};
use crate::sca::{CreatedTarget, StartOption};
use crate::{App, Required, UseCaseError, audit};
use std::sync::Arc;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::Target;
use trapeza_domain::consent::{AccessConsent, AccessConsentRequest, FundsConsent, FundsConsentRequest};
use trapeza_domain::payment::{
    BulkOrder, CancellationStatus, Payment, PaymentInstruction, PaymentOrder, PaymentProduct, PaymentTiming,
};

/// What a third party says about a new payment besides the order.
#[derive(Clone, Debug)]
pub struct Initiation {
    /// Empty while the customer is not known; a payment under a consent is its customer's.
    pub psu: String,
    pub consent: Option<String>,
    /// The message of ISO 20022 in which the payment was ordered, as it was sent.
    pub message: Option<String>,
    pub start: StartOption,
}

/// A payment that is about to be created.
struct NewObject {
    payment: Payment,
    event: AuditEvent,
    /// Of a bulk payment.
    lines: Vec<PaymentInstruction>,
    initiation: Initiation,
}

impl App {
    /// Creates a consent and, for an implicit start, its authorisation. `psu` is empty while the customer is not known.
    pub async fn consent_create_with_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        order: AccessConsentRequest,
        start: StartOption,
    ) -> Result<IdempotentOutcome<CreatedTarget<AccessConsent>>, UseCaseError> {
        let (new, terms) = self.new_access_consent(tpp, psu, &order);
        let start = self.target_start(tpp, start);
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    let object = created_access(tx, new.application, &record)?;
                    let authorisation = start.replayed(tx, Target::Consent(object.consent.id), &record)?;
                    return Ok(IdempotentOutcome::replayed(CreatedTarget { object, authorisation }));
                }
                let object = create_access(tx, &new, terms.clone()?)?;
                let (result, authorisation) =
                    start.run(tx, Target::Consent(new.id), PayeeChecks::default())?;
                request.record(tx, "created", &result, new.now)?;
                Ok(IdempotentOutcome::fresh(CreatedTarget { object, authorisation }))
            })
            .await
    }

    /// Creates a funds consent and, for an implicit start, its authorisation. `psu` is empty while the customer is not known.
    pub async fn funds_consent_create_with_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        order: FundsConsentRequest,
        start: StartOption,
    ) -> Result<IdempotentOutcome<CreatedTarget<FundsConsent>>, UseCaseError> {
        let (new, terms) = self.new_funds_consent(tpp, psu, &order);
        let start = self.target_start(tpp, start);
        self.store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    let object = created_funds(tx, new.application, &record)?;
                    let target = Target::FundsConsent(object.consent.id);
                    let authorisation = start.replayed(tx, target, &record)?;
                    return Ok(IdempotentOutcome::replayed(CreatedTarget { object, authorisation }));
                }
                let object = create_funds(tx, &new, terms.clone()?)?;
                let target = Target::FundsConsent(new.id);
                let (result, authorisation) = start.run(tx, target, PayeeChecks::default())?;
                request.record(tx, "created", &result, new.now)?;
                Ok(IdempotentOutcome::fresh(CreatedTarget { object, authorisation }))
            })
            .await
    }

    /// Creates a payment and, for an implicit start, its authorisation in the same transaction.
    pub async fn payment_initiate_with_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        order: PaymentOrder,
        initiation: Initiation,
    ) -> Result<IdempotentOutcome<CreatedTarget<Arc<Payment>>>, UseCaseError> {
        let (payment, event) = self.new_payment(tpp, initiation.psu.clone(), order)?;
        let instruction = &payment.instruction;
        let check = match initiation.start.is_implicit() {
            true => {
                let (iban, name) = (instruction.creditor, &instruction.creditor_name);
                self.payee_check_new(payment.application, iban, name).await?.into()
            }
            false => PayeeChecks::default(),
        };
        let new = NewObject { payment, event, lines: Vec::new(), initiation };
        self.payment_create_with_start(request, tpp, new, check).await
    }

    /// The same for a bulk payment with all its lines.
    pub async fn bulk_initiate_with_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        order: BulkOrder,
        initiation: Initiation,
    ) -> Result<IdempotentOutcome<CreatedTarget<Arc<Payment>>>, UseCaseError> {
        let (payment, lines, event) = self.new_bulk(tpp, initiation.psu.clone(), order)?;
        let new = NewObject { payment, event, lines, initiation };
        self.payment_create_with_start(request, tpp, new, PayeeChecks::default()).await
    }

    async fn payment_create_with_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        new: NewObject,
        check: PayeeChecks,
    ) -> Result<IdempotentOutcome<CreatedTarget<Arc<Payment>>>, UseCaseError> {
        let NewObject { payment, event, lines, initiation } = new;
        let Initiation { consent, message, start, .. } = initiation;
        let start = self.target_start(tpp, start);
        let (id, application, now) = (payment.id, payment.application, payment.created_at);
        let today = self.clock.zone().day(now);
        // The event of a creation has no change of status, of which third parties would be notified.
        let event = audit::PreparedEvent::new(now, Actor::Application(application), &event);
        // Nothing can refuse such an order any more, and its recorded result is known.
        let is_reserved = start.has_no_effect()
            && consent.is_none()
            && payment.instruction.timing == PaymentTiming::Immediate;
        let (payment, payee) = (Arc::new(payment), check.clone());
        let created = self
            .store
            .write(move |tx| {
                let is_first =
                    is_reserved && request.reserve(tx, "initiated", id.as_bytes(), now)?.is_new(tx)?;
                let record = if is_first { None } else { request.find(tx)? };
                if let Some(record) = record {
                    let id = recorded_id(&record)?;
                    let first = tx.payment_find(application, id)?.required("payment")?;
                    let authorisation = start.replayed(tx, Target::Payment(id), &record)?;
                    let object = Arc::new(first.as_created());
                    return Ok(IdempotentOutcome::replayed(CreatedTarget { object, authorisation }));
                }
                payment.instruction.timing.check(today)?;
                let mut object = payment.clone();
                if let Some(consent) = &consent {
                    let psu = check_consent(tx, &object, consent)?;
                    Arc::make_mut(&mut object).psu = psu;
                }
                tx.payment_insert(&object)?;
                tx.bulk_line_insert(&object, &lines)?;
                if let Some(message) = &message {
                    tx.payment_message_insert(application, id, message)?;
                }
                event.append(tx)?;
                let (result, authorisation) = start.run(tx, Target::Payment(id), payee.clone())?;
                if !is_first {
                    request.record(tx, "initiated", &result, now)?;
                }
                Ok(IdempotentOutcome::fresh(CreatedTarget { object, authorisation }))
            })
            .await?;
        if let (false, Some(started)) = (created.replayed, &created.value.authorisation) {
            self.payee_mismatches_record(application, &check, started.payee_verification);
        }
        Ok(created)
    }

    /// Cancels a payment or, where the customer must authorise that, requests the cancellation and, for an implicit start, starts its
    /// authorisation.
    pub async fn payment_cancel_with_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        product: PaymentProduct,
        id: &str,
        start: StartOption,
    ) -> Result<IdempotentOutcome<CreatedTarget<CancellationResult>>, UseCaseError> {
        let (application, now) = (tpp.application, self.now());
        let (id, start) = (parse(id), self.target_start(tpp, start));
        self.store
            .write(move |tx| {
                let before = request.find(tx)?;
                let id = id.clone()?;
                let target = Target::Cancellation(id);
                let payment = lock_current(tx, application, id, now)?;
                check_product(&payment, product)?;
                if let Some(before) = before {
                    let object = recorded_cancellation(&payment, &before)?;
                    let authorisation = start.replayed(tx, target, &before)?;
                    return Ok(IdempotentOutcome::replayed(CreatedTarget { object, authorisation }));
                }
                let object = request_cancellation(tx, payment, now)?;
                let (result, authorisation) = match object.status {
                    CancellationStatus::Received => start.run(tx, target, PayeeChecks::default())?,
                    _ => (id.as_bytes().to_vec(), None),
                };
                request.record(tx, object.status.name(), &result, now)?;
                Ok(IdempotentOutcome::fresh(CreatedTarget { object, authorisation }))
            })
            .await
    }
}
