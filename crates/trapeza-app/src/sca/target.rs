//! The target of an authorisation: loaded, checked, linked, and authorised or rejected. Everything that depends on the
//! kind of target is here; its description is in `description`.

mod basket;

use super::context::{Channel, StepContext};
use crate::consent::{self, CustomerAssets};
use crate::payment::{ExecutionSettings, PathPayment, PayeeChecks};
use crate::{Required, StoreError, UseCaseError, audit, payment, signing_basket_state};
use basket::LoadedBasket;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::{
    LinkingDigest, PaymentLinkingData, Target, TargetKind, access_consent_digest, funds_consent_digest,
    payment_digest,
};
use trapeza_domain::consent::{
    AccessConsent, Consent, ConsentKind, ConsentRejection, ConsentState, ConsentStatus, FundsConsent,
};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, PsuId};
use trapeza_domain::payee_verification::VerifiedPayee;
use trapeza_domain::payment::{Payment, PaymentRejection, PaymentState, RejectionReason};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::signing_basket::SigningBasketState;
use trapeza_domain::time::Timestamp;
use trapeza_store::Tx;
use uuid::Uuid;

/// A target as of now.
pub(super) enum LoadedTarget {
    Access(AccessConsent),
    Funds(FundsConsent),
    Payment(Box<Payment>),
    /// The payment whose cancellation is authorised.
    Cancellation(Box<Payment>),
    /// Payments and consents that are approved together.
    Basket(Box<LoadedBasket>),
}

impl LoadedTarget {
    /// Loads and locks a target of the application, as of now.
    pub(super) fn load(tx: &mut Tx<'_>, context: &StepContext, target: Target) -> Result<Self, UseCaseError> {
        let (application, now) = (context.application, context.now());
        match target {
            Target::Consent(id) => {
                let consent = consent::lock_current(tx, application, id, ConsentKind::Access, now)?;
                let found = tx.access_consent_find(application, id)?;
                let terms = found.required("consent")?.terms;
                Ok(Self::Access(AccessConsent { consent, terms }))
            }
            Target::FundsConsent(id) => {
                let consent = consent::lock_current(tx, application, id, ConsentKind::Funds, now)?;
                let found = tx.funds_consent_find(application, id)?;
                let terms = found.required("consent")?.terms;
                Ok(Self::Funds(FundsConsent { consent, terms }))
            }
            Target::Payment(id) => {
                Ok(Self::Payment(Box::new(payment::lock_current(tx, application, id, now)?)))
            }
            Target::Cancellation(id) => {
                Ok(Self::Cancellation(Box::new(payment::lock_current(tx, application, id, now)?)))
            }
            Target::SigningBasket(id) => Ok(Self::Basket(Box::new(LoadedBasket::load(tx, context, id)?))),
        }
    }

    /// Loads a target of the application as of now, without a lock.
    pub(super) fn load_for_read(
        tx: &mut Tx<'_>,
        application: ApplicationId,
        target: Target,
        now: Timestamp,
    ) -> Result<Self, UseCaseError> {
        let not_found = || not_found(target.kind());
        match target {
            Target::Consent(id) => {
                let found = tx.access_consent_find(application, id)?.ok_or_else(not_found)?;
                Ok(Self::Access(AccessConsent { consent: found.consent.as_of(now), ..found }))
            }
            Target::FundsConsent(id) => {
                let found = tx.funds_consent_find(application, id)?.ok_or_else(not_found)?;
                Ok(Self::Funds(FundsConsent { consent: found.consent.as_of(now), ..found }))
            }
            Target::Payment(id) | Target::Cancellation(id) => {
                let found = tx.payment_find(application, id)?.ok_or_else(not_found)?.as_of(now);
                match target.kind() {
                    TargetKind::Cancellation => Ok(Self::Cancellation(Box::new(found))),
                    _ => Ok(Self::Payment(Box::new(found))),
                }
            }
            Target::SigningBasket(id) => {
                Ok(Self::Basket(Box::new(LoadedBasket::load_for_read(tx, application, id, now)?)))
            }
        }
    }

    /// Checks that the payment is what the request path names. Consents have nothing of that kind.
    pub(super) fn check_path(&self, path: Option<PathPayment>) -> Result<(), Refusal> {
        match (self, path) {
            (Self::Payment(payment) | Self::Cancellation(payment), Some(path)) => path.check(payment),
            _ => Ok(()),
        }
    }

    /// The customer, as the third party named them.
    pub(super) fn psu_name(&self) -> &str {
        match self {
            Self::Access(access) => &access.consent.psu,
            Self::Funds(funds) => &funds.consent.psu,
            Self::Payment(payment) | Self::Cancellation(payment) => &payment.psu,
            Self::Basket(basket) => &basket.basket.psu,
        }
    }

    /// Whether the third party is notified of changes of status.
    pub(super) fn notifies(&self) -> bool {
        match self {
            Self::Access(access) => access.consent.notifies,
            Self::Funds(funds) => funds.consent.notifies,
            Self::Payment(payment) | Self::Cancellation(payment) => payment.notifies,
            Self::Basket(basket) => basket.basket.notifies,
        }
    }

    /// Whether the customer must choose accounts before the target can be approved.
    pub(super) fn needs_choice(&self) -> bool {
        matches!(self, Self::Access(access) if access.terms.needs_choice())
    }

    /// The target with its customer, who was not known when it was created. A target that has a customer keeps them. The members of a
    /// signing basket have one customer, so one that gets its customer alone ends its basket.
    pub(super) fn with_psu(
        self,
        tx: &mut Tx<'_>,
        context: &StepContext,
        target: Target,
        psu_name: &str,
    ) -> Result<Self, StoreError> {
        if let Self::Basket(basket) = self {
            return Ok(Self::Basket(Box::new(basket.with_psu(tx, context, psu_name)?)));
        }
        if self.psu_name().is_empty() && !psu_name.is_empty() {
            self.leave_basket(tx, context.now())?;
        }
        self.with_psu_in_basket(tx, context, target, psu_name)
    }

    /// The same for a member of a signing basket, all of whose members get the customer.
    fn with_psu_in_basket(
        mut self,
        tx: &mut Tx<'_>,
        context: &StepContext,
        target: Target,
        psu_name: &str,
    ) -> Result<Self, StoreError> {
        let (object, name) = match &mut self {
            Self::Access(access) => ("consent", &mut access.consent.psu),
            Self::Funds(funds) => ("consent", &mut funds.consent.psu),
            Self::Payment(payment) | Self::Cancellation(payment) => ("payment", &mut payment.psu),
            Self::Basket(_) => return Ok(self),
        };
        if !name.is_empty() || psu_name.is_empty() {
            return Ok(self);
        }
        psu_name.clone_into(name);
        tx.target_psu_set(context.application, target, psu_name)?;
        if let Channel::Redirect { .. } = context.channel {
            tx.private_login_insert(context.application, target)?;
        }
        let action = if object == "consent" { "consent.identified" } else { "payment.identified" };
        let event = AuditEvent::new(action, object, Uuid::from_bytes(*target.id_bytes()));
        audit::record(tx, context.now(), context.actor(), &event)?;
        Ok(self)
    }

    /// When the target stops waiting for an authorisation by itself.
    pub(super) fn expires_at(&self) -> Option<Timestamp> {
        match self {
            Self::Access(access) => access.consent.next_deadline().map(|deadline| deadline.at),
            Self::Funds(funds) => funds.consent.next_deadline().map(|deadline| deadline.at),
            Self::Payment(payment) => payment.next_deadline(),
            Self::Cancellation(payment) => payment.state.cancellation_hold_until(),
            Self::Basket(basket) => basket.basket.next_deadline(),
        }
    }

    /// Checks that the target still waits for an authorisation.
    pub(super) fn check_pending(&self, now: Timestamp) -> Result<(), Refusal> {
        let (pending, noun, field, status) = match self {
            Self::Access(AccessConsent { consent, .. }) | Self::Funds(FundsConsent { consent, .. }) => {
                let pending = consent.state == ConsentState::Received;
                (pending, "consent", Field::ConsentId, consent.state.status().name())
            }
            Self::Payment(payment) => {
                let pending = payment.state == PaymentState::Received;
                (pending, "payment", Field::PaymentId, payment.state.status().name())
            }
            Self::Basket(basket) => return basket.check_pending(now),
            Self::Cancellation(payment) => {
                let pending = self.expires_at().is_some_and(|hold_until| now < hold_until);
                (pending, "payment", Field::PaymentId, payment.state.status().name())
            }
        };
        if pending {
            return Ok(());
        }
        let text = match self {
            Self::Cancellation(_) => {
                format!("no cancellation of the payment is pending; the payment is {status}")
            }
            _ => format!("the {noun} is {status}; it cannot be authorised"),
        };
        Err(Refusal::at(RefusalReason::StatusInvalid, field, text))
    }

    /// Verifies the payee's name once and stores the result. Returns the result where the third party must be warned now.
    pub(super) fn with_payee_verification(
        self,
        tx: &mut Tx<'_>,
        context: &StepContext,
        checks: &PayeeChecks,
    ) -> Result<(Self, Option<VerifiedPayee>), StoreError> {
        match self {
            Self::Payment(payment) => {
                let (check, own) = (checks.of(payment.id), context.own_payee());
                let (payment, warning) = payment::with_payee_verification(tx, *payment, check, own)?;
                Ok((Self::Payment(Box::new(payment)), warning))
            }
            Self::Basket(basket) => {
                let (basket, warning) = basket.with_payee_verification(tx, context, checks)?;
                Ok((Self::Basket(Box::new(basket)), warning))
            }
            other => Ok((other, None)),
        }
    }

    /// Whether the target was authorised with success.
    pub(super) fn is_granted(&self) -> bool {
        match self {
            Self::Access(AccessConsent { consent, .. }) | Self::Funds(FundsConsent { consent, .. }) => {
                consent.state.status() == ConsentStatus::Valid
            }
            Self::Payment(payment) => {
                !matches!(payment.state, PaymentState::Received | PaymentState::Rejected { .. })
            }
            Self::Cancellation(payment) => payment.state == PaymentState::Cancelled,
            Self::Basket(basket) => basket.basket.state == SigningBasketState::Authorised,
        }
    }

    /// Why the payment was rejected, where it was to be made and was not.
    pub(super) fn rejection(&self) -> Option<PaymentRejection> {
        match self {
            Self::Payment(payment) => payment.state.rejection(),
            Self::Access(_) | Self::Funds(_) | Self::Cancellation(_) | Self::Basket(_) => None,
        }
    }

    /// The digest of what the customer approves, as the target is now.
    pub(super) fn digest(&self, organisation: &str) -> LinkingDigest {
        match self {
            Self::Access(access) => access_consent_digest(access.consent.id, &access.terms, organisation),
            Self::Funds(funds) => funds_consent_digest(funds.consent.id, &funds.terms, organisation),
            Self::Payment(payment) => digest_of_payment(TargetKind::Payment, payment),
            Self::Cancellation(payment) => digest_of_payment(TargetKind::Cancellation, payment),
            Self::Basket(basket) => basket.digest(organisation),
        }
    }

    /// Authorises the target. A consent to another customer's account and a payment that cannot be executed are
    /// rejected instead; the third party learns that, and the reason, from the status.
    pub(super) fn authorise(
        self,
        tx: &mut Tx<'_>,
        psu: PsuId,
        context: &StepContext,
    ) -> Result<(), UseCaseError> {
        let (now, today) = (context.now(), context.zone.day(context.now()));
        self.leave_basket(tx, now)?;
        let assets = CustomerAssets::load(tx, psu)?;
        let (consent, own, recurring) = match self {
            Self::Access(access) => {
                let own = assets.cover_access(tx, &access.terms)?;
                (access.consent, own, access.terms.recurring)
            }
            Self::Funds(funds) => (funds.consent, assets.cover_funds(tx, &funds.terms)?, false),
            Self::Payment(payment) => {
                let settings = ExecutionSettings {
                    routing: &context.routing,
                    collection: context.collection,
                    sandbox: context.sandbox,
                    zone: &context.zone,
                };
                return payment::authorise(tx, *payment, psu, &settings, (now, today));
            }
            Self::Cancellation(payment) => return payment::cancel(tx, *payment, psu, now, today),
            Self::Basket(basket) => return basket.authorise(tx, psu, context),
        };
        if own && recurring {
            terminate_older(tx, &consent, psu, now)?;
        }
        let (consent, event) =
            if own { consent.authorise(now)? } else { consent.reject(ConsentRejection::Account, now)? };
        tx.consent_update(&consent)?;
        Ok(audit::record(tx, now, Actor::Psu(psu), &event)?)
    }

    /// Rejects the target, because the customer did.
    pub(super) fn reject(self, tx: &mut Tx<'_>, psu: PsuId, now: Timestamp) -> Result<(), UseCaseError> {
        self.leave_basket(tx, now)?;
        let event = match self {
            Self::Access(AccessConsent { consent, .. }) | Self::Funds(FundsConsent { consent, .. }) => {
                let (consent, event) = consent.reject(ConsentRejection::Refused, now)?;
                tx.consent_update(&consent)?;
                event
            }
            Self::Payment(payment) => {
                let (payment, event) = payment.reject(RejectionReason::Refused, now)?;
                tx.payment_update(&payment)?;
                event
            }
            Self::Cancellation(payment) => {
                let (payment, event) = payment.decline_cancellation(now)?;
                tx.payment_update(&payment)?;
                event
            }
            Self::Basket(basket) => return basket.reject(tx, psu, now),
        };
        Ok(audit::record(tx, now, Actor::Psu(psu), &event)?)
    }
}

/// A new valid recurring consent terminates the older ones of the same customer and third party.
fn terminate_older(tx: &mut Tx<'_>, newer: &Consent, psu: PsuId, now: Timestamp) -> Result<(), StoreError> {
    for older in tx.consent_recurring_lock(newer.application, &newer.psu)? {
        if older.id == newer.id {
            continue;
        }
        let older = consent::expire_if_due(tx, older, now)?;
        if let Some((terminated, event)) = older.terminate(now) {
            tx.consent_update(&terminated)?;
            audit::record(tx, now, Actor::Psu(psu), &event.with("replaced_by", newer.id))?;
        }
    }
    Ok(())
}

pub(super) fn not_found(kind: TargetKind) -> Refusal {
    match kind {
        TargetKind::Consent | TargetKind::FundsConsent => consent::not_found(),
        TargetKind::Payment | TargetKind::Cancellation => payment::not_found(),
        TargetKind::SigningBasket => signing_basket_state::not_found(),
    }
}

fn digest_of_payment(kind: TargetKind, payment: &Payment) -> LinkingDigest {
    let instruction = &payment.instruction;
    let account = format!("iban:{}", instruction.creditor.as_str());
    let data = PaymentLinkingData {
        amount: instruction.amount,
        payee_account: &account,
        payee_name: instruction.creditor_name.as_str(),
        timing: instruction.timing,
        bulk: instruction.bulk,
    };
    payment_digest(kind, payment.id, &data)
}
