//! A signing basket as the target of an authorisation: its members, each a target of its own, locked with it.

use super::super::context::{Channel, StepContext};
use super::LoadedTarget;
use crate::payment::PayeeChecks;
use crate::signing_basket_state::{end, lock_current, member_left, not_found};
use crate::{UseCaseError, audit, authorisation_expiry};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::{LinkingDigest, Target, signing_basket_digest};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, PsuId, SigningBasketId};
use trapeza_domain::payee_verification::VerifiedPayee;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::signing_basket::{BasketMember, SigningBasket, SigningBasketState};
use trapeza_domain::time::Timestamp;
use trapeza_store::{StoreError, Tx};

/// A basket with its members as of now.
pub(in crate::sca) struct LoadedBasket {
    pub basket: SigningBasket,
    pub members: Vec<LoadedTarget>,
}

impl LoadedBasket {
    pub(super) fn load(
        tx: &mut Tx<'_>,
        context: &StepContext,
        id: SigningBasketId,
    ) -> Result<Self, UseCaseError> {
        let basket = lock_current(tx, context.application, id, context.now())?;
        let mut members = Vec::with_capacity(basket.members.len());
        for member in &basket.members {
            members.push(LoadedTarget::load(tx, context, target(*member))?);
        }
        Ok(Self { basket, members })
    }

    pub(super) fn load_for_read(
        tx: &mut Tx<'_>,
        application: ApplicationId,
        id: SigningBasketId,
        now: Timestamp,
    ) -> Result<Self, UseCaseError> {
        let basket = tx.signing_basket_find(application, id)?.ok_or_else(not_found)?.as_of(now);
        let mut members = Vec::with_capacity(basket.members.len());
        for member in &basket.members {
            members.push(LoadedTarget::load_for_read(tx, application, target(*member), now)?);
        }
        Ok(Self { basket, members })
    }

    /// The basket with its customer, who was not known when it was created. All members get the same one.
    pub(super) fn with_psu(
        self,
        tx: &mut Tx<'_>,
        context: &StepContext,
        psu_name: &str,
    ) -> Result<Self, StoreError> {
        let Self { mut basket, members: old } = self;
        let mut members = Vec::with_capacity(old.len());
        for (member, id) in old.into_iter().zip(&basket.members) {
            members.push(member.with_psu_in_basket(tx, context, target(*id), psu_name)?);
        }
        if basket.psu.is_empty() && !psu_name.is_empty() {
            psu_name.clone_into(&mut basket.psu);
            let target = Target::SigningBasket(basket.id);
            tx.target_psu_set(context.application, target, psu_name)?;
            if let Channel::Redirect { .. } = context.channel {
                tx.private_login_insert(context.application, target)?;
            }
            let event = AuditEvent::new("signing_basket.identified", "signing_basket", basket.id);
            audit::record(tx, context.now(), context.actor(), &event)?;
        }
        Ok(Self { basket, members })
    }

    /// Verifies the payees of all payments. Returns the first warning.
    pub(super) fn with_payee_verification(
        self,
        tx: &mut Tx<'_>,
        context: &StepContext,
        checks: &PayeeChecks,
    ) -> Result<(Self, Option<VerifiedPayee>), StoreError> {
        let Self { basket, members: old } = self;
        let (mut members, mut first) = (Vec::with_capacity(old.len()), None);
        for member in old {
            let (member, warning) = member.with_payee_verification(tx, context, checks)?;
            members.push(member);
            first = first.or(warning);
        }
        Ok((Self { basket, members }, first))
    }

    pub(super) fn check_pending(&self, now: Timestamp) -> Result<(), Refusal> {
        if self.basket.state != SigningBasketState::Received {
            let status = self.basket.state.status().name();
            let text = format!("the signing basket is {status}; it cannot be authorised");
            return Err(Refusal::at(RefusalReason::StatusInvalid, Field::SigningBasketId, text));
        }
        self.members.iter().try_for_each(|member| member.check_pending(now))
    }

    /// One digest of all members, in their order.
    pub(super) fn digest(&self, organisation: &str) -> LinkingDigest {
        let members: Vec<LinkingDigest> =
            self.members.iter().map(|member| member.digest(organisation)).collect();
        signing_basket_digest(self.basket.id, &members)
    }

    /// Fails the open authorisations of the members: they are approved with the basket now, or not at all.
    pub(in crate::sca) fn fail_members(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<(), StoreError> {
        let application = self.basket.application;
        self.basket
            .members
            .iter()
            .try_for_each(|member| authorisation_expiry::fail_open(tx, application, target(*member), now))
    }

    /// Authorises every member in its own right: one that cannot be executed is rejected, and the others are not affected.
    pub(super) fn authorise(
        self,
        tx: &mut Tx<'_>,
        psu: PsuId,
        context: &StepContext,
    ) -> Result<(), UseCaseError> {
        let now = context.now();
        if self.members.iter().any(|member| member.psu_name() != self.basket.psu) {
            let text = "the payments and consents of the signing basket have different customers";
            return Err(Refusal::at(RefusalReason::StatusInvalid, Field::SigningBasketId, text).into());
        }
        let (basket, event) = self.basket.authorise(now)?;
        end(tx, &basket, (Actor::Psu(psu), &event), now)?;
        for member in self.members {
            member.released().authorise(tx, psu, context)?;
        }
        Ok(())
    }

    /// Rejects the basket, because the customer did. The members stay as they are.
    pub(super) fn reject(self, tx: &mut Tx<'_>, psu: PsuId, now: Timestamp) -> Result<(), UseCaseError> {
        let (basket, event) = self.basket.reject(now)?;
        Ok(end(tx, &basket, (Actor::Psu(psu), &event), now)?)
    }
}

/// The target that a member is on its own.
const fn target(member: BasketMember) -> Target {
    match member {
        BasketMember::Payment(id) => Target::Payment(id),
        BasketMember::Consent(id) => Target::Consent(id),
    }
}

impl LoadedTarget {
    /// The open signing basket of a payment or consent that is authorised alone.
    fn signing_basket(&self) -> Option<SigningBasketId> {
        match self {
            Self::Access(access) => access.consent.signing_basket,
            Self::Payment(payment) => payment.signing_basket,
            Self::Funds(_) | Self::Cancellation(_) | Self::Basket(_) => None,
        }
    }

    /// The target without its signing basket, which was authorised.
    fn released(mut self) -> Self {
        match &mut self {
            Self::Access(access) => access.consent.signing_basket = None,
            Self::Payment(payment) => payment.signing_basket = None,
            Self::Funds(_) | Self::Cancellation(_) | Self::Basket(_) => {}
        }
        self
    }

    /// Checks that the customer is not asked to approve the target with its signing basket at the same time.
    pub(in crate::sca) fn check_basket(
        &self,
        tx: &mut Tx<'_>,
        context: &StepContext,
    ) -> Result<(), UseCaseError> {
        let Some(id) = self.signing_basket() else { return Ok(()) };
        let open = tx.authorisation_open(context.application, Target::SigningBasket(id))?;
        if open.iter().all(|record| record.authorisation.as_of(context.now()).state.is_final()) {
            return Ok(());
        }
        let text = "it is in a signing basket whose authorisation was started";
        Err(Refusal::new(RefusalReason::StatusInvalid, text).into())
    }

    /// Ends the open signing basket of a target that is authorised or rejected alone.
    pub(super) fn leave_basket(&self, tx: &mut Tx<'_>, now: Timestamp) -> Result<(), StoreError> {
        match self {
            Self::Access(access) => {
                member_left(tx, access.consent.application, access.consent.signing_basket, now)
            }
            Self::Payment(payment) => member_left(tx, payment.application, payment.signing_basket, now),
            Self::Funds(_) | Self::Cancellation(_) | Self::Basket(_) => Ok(()),
        }
    }
}
