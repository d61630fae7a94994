//! Creating, reading and deleting signing baskets: payments and consents of one customer that are approved together.

use crate::authentication::Tpp;
use crate::idempotency::{IdempotentOutcome, IdempotentRequest, recorded_object_id};
use crate::payment::PayeeChecks;
use crate::sca::{CreatedTarget, StartOption};
use crate::signing_basket_state::{end, lock_current, not_found};
use crate::{App, Required, UseCaseError, audit, consent, payment};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::authorisation::Target;
use trapeza_domain::consent::{ConsentKind, ConsentState};
use trapeza_domain::field::{Field, PathSegment};
use trapeza_domain::id::{ApplicationId, ConsentId, PaymentId, SigningBasketId};
use trapeza_domain::payment::PaymentState;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::signing_basket::{BasketMember, MAX_MEMBERS, NewSigningBasket, SigningBasket};
use trapeza_domain::time::Timestamp;
use trapeza_store::{StoreError, Tx};

/// The members of a new basket, as the third party names them.
#[derive(Clone, Debug, Default)]
pub struct SigningBasketRequest {
    pub payments: Vec<String>,
    pub consents: Vec<String>,
}

impl App {
    /// Creates a basket and, for an implicit start, its authorisation. `psu` is empty where the third party names no customer.
    pub async fn signing_basket_create_with_start(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        psu: String,
        order: SigningBasketRequest,
        start: StartOption,
    ) -> Result<IdempotentOutcome<CreatedTarget<SigningBasket>>, UseCaseError> {
        let (application, now) = (tpp.application, self.now());
        let (id, members) = (SigningBasketId::new(self.entropy.uuid()), order.members()?);
        let start = self.target_start(tpp, start);
        let checks = match start.is_implicit() {
            true => self.payee_checks_prepare(application, &members).await?,
            false => PayeeChecks::default(),
        };
        let payees = checks.clone();
        let created = self
            .store
            .write(move |tx| {
                if let Some(record) = request.find(tx)? {
                    let id = SigningBasketId::from_bytes(recorded_object_id(&record));
                    let id = id.ok_or_else(|| StoreError::internal("a record names no signing basket"))?;
                    let first = tx.signing_basket_find(application, id)?.required("signing basket")?;
                    let authorisation = start.replayed(tx, Target::SigningBasket(id), &record)?;
                    return Ok(IdempotentOutcome::replayed(CreatedTarget {
                        object: first.as_created(),
                        authorisation,
                    }));
                }
                let new = checked(tx, application, &members, (id, now))?;
                if !psu.is_empty() && psu != new.psu {
                    let text = "is not the customer of the payments and consents";
                    return Err(Refusal::malformed(Field::Login, text).into());
                }
                let (object, event) = SigningBasket::create(new, members.clone());
                tx.signing_basket_insert(&object)?;
                audit::record(tx, now, Actor::Application(application), &event)?;
                let target = Target::SigningBasket(id);
                let (result, authorisation) = start.run(tx, target, payees.clone())?;
                request.record(tx, "created", &result, now)?;
                Ok(IdempotentOutcome::fresh(CreatedTarget { object, authorisation }))
            })
            .await?;
        if let (false, Some(started)) = (created.replayed, &created.value.authorisation) {
            self.payee_mismatches_record(application, &checks, started.payee_verification);
        }
        Ok(created)
    }

    /// A basket of the third party as of now.
    pub async fn signing_basket_find(&self, tpp: &Tpp, id: &str) -> Result<SigningBasket, UseCaseError> {
        let (application, now) = (tpp.application, self.now());
        let id = SigningBasketId::parse(id).ok_or_else(not_found)?;
        let found = self.store.read(move |tx| Ok(tx.signing_basket_find(application, id)?)).await?;
        Ok(found.ok_or_else(not_found)?.as_of(now))
    }

    /// Deletes a basket that was not authorised. Its members stay as they are.
    pub async fn signing_basket_delete(
        &self,
        request: IdempotentRequest,
        tpp: &Tpp,
        id: &str,
    ) -> Result<IdempotentOutcome<()>, UseCaseError> {
        let (application, now) = (tpp.application, self.now());
        let id = SigningBasketId::parse(id).ok_or_else(not_found);
        self.store
            .write(move |tx| {
                if request.find(tx)?.is_some() {
                    return Ok(IdempotentOutcome::replayed(()));
                }
                let id = id.clone()?;
                let (basket, event) = lock_current(tx, application, id, now)?.cancel(now)?;
                end(tx, &basket, (Actor::Application(application), &event), now)?;
                request.record(tx, "cancelled", id.as_bytes(), now)?;
                Ok(IdempotentOutcome::fresh(()))
            })
            .await
    }
}

impl SigningBasketRequest {
    /// The members, payments first. An id that cannot be parsed is treated like an unknown one.
    fn members(&self) -> Result<Vec<BasketMember>, Refusal> {
        let mut members = Vec::with_capacity(self.payments.len() + self.consents.len());
        for (index, id) in self.payments.iter().enumerate() {
            let field = Field::PaymentIds.element(index);
            let id = PaymentId::parse(id).ok_or_else(|| unknown(field))?;
            add(&mut members, BasketMember::Payment(id), field)?;
        }
        for (index, id) in self.consents.iter().enumerate() {
            let field = Field::ConsentIds.element(index);
            let id = ConsentId::parse(id).ok_or_else(|| unknown(field))?;
            add(&mut members, BasketMember::Consent(id), field)?;
        }
        match members.len() {
            0 => Err(Refusal::malformed(Field::PaymentIds, "name at least one payment or consent")),
            1..=MAX_MEMBERS => Ok(members),
            _ => {
                let text = format!("a signing basket has at most {MAX_MEMBERS} payments and consents");
                Err(Refusal::malformed(Field::PaymentIds, text))
            }
        }
    }
}

fn add(members: &mut Vec<BasketMember>, member: BasketMember, field: PathSegment) -> Result<(), Refusal> {
    if members.contains(&member) {
        return Err(Refusal::malformed(field, "is named twice"));
    }
    members.push(member);
    Ok(())
}

/// Locks the members and checks that all of them wait for their authorisation, which has not started, and have one customer.
fn checked(
    tx: &mut Tx<'_>,
    application: ApplicationId,
    members: &[BasketMember],
    (id, now): (SigningBasketId, Timestamp),
) -> Result<NewSigningBasket, UseCaseError> {
    let (mut psu, mut members_due, mut recurring) = (None, None, 0);
    let payments = members.iter().filter(|member| matches!(member, BasketMember::Payment(_))).count();
    for (index, member) in members.iter().enumerate() {
        let (field, target, own, basket, is_received, due) = match *member {
            BasketMember::Payment(id) => {
                let field = Field::PaymentIds.element(index);
                let found = tx.payment_lock(application, id)?.ok_or_else(|| unknown(field))?;
                let payment = payment::expire_if_due(tx, found, now)?;
                let (is_received, due) = (payment.state == PaymentState::Received, payment.next_deadline());
                (field, Target::Payment(id), payment.psu, payment.signing_basket, is_received, due)
            }
            BasketMember::Consent(id) => {
                let field = Field::ConsentIds.element(index - payments);
                let found = tx.consent_lock(application, id, ConsentKind::Access)?;
                let consent = consent::expire_if_due(tx, found.ok_or_else(|| unknown(field))?, now)?;
                let terms = tx.access_consent_find(application, id)?.required("consent")?.terms;
                if terms.needs_choice() {
                    let text = "the customer chooses the accounts of this consent, so it is authorised alone";
                    return Err(Refusal::at(RefusalReason::Inconsistent, field, text).into());
                }
                recurring += usize::from(terms.recurring);
                if recurring > 1 {
                    let text = "only one consent can be recurring, because a newer one ends the older ones";
                    return Err(Refusal::at(RefusalReason::Inconsistent, field, text).into());
                }
                let due = consent.next_deadline().map(|due| due.at);
                let is_received = consent.state == ConsentState::Received;
                (field, Target::Consent(id), consent.psu, consent.signing_basket, is_received, due)
            }
        };
        let open = tx.authorisation_open(application, target)?;
        let refused = |text| Err(Refusal::at(RefusalReason::StatusInvalid, field, text).into());
        if !is_received {
            return refused("does not wait for its authorisation any more");
        }
        if basket.is_some() {
            return refused("is in another signing basket");
        }
        if open.iter().any(|record| !record.authorisation.as_of(now).state.is_final()) {
            return refused("has an authorisation that was started");
        }
        if psu.get_or_insert_with(|| own.clone()) != &own {
            let text = "the payments and consents of a signing basket have one customer";
            return Err(Refusal::at(RefusalReason::Inconsistent, field, text).into());
        }
        members_due = members_due.into_iter().chain(due).min();
    }
    Ok(NewSigningBasket { id, application, psu: psu.unwrap_or_default(), now, members_due })
}

/// The same refusal for an unknown member and for one of another application.
fn unknown(field: PathSegment) -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, field, "unknown payment or consent")
}
