//! The decoupled approach: pending approvals in the bank's app, and the customer's decision on them.

use super::approval_request::{ApprovalRequest, approval_request};
use super::challenge::push_choices;
use super::context::{Channel, StepContext};
use super::description::description;
use super::not_found;
use super::step::{Step, StepOutcome, StepRequest, save_transition};
use super::target::LoadedTarget;
use crate::device::{approval_message, is_signed, session_token_hash};
use crate::{App, UseCaseError};
use trapeza_domain::authorisation::{LinkingDigest, ScaApproach, ScaStatus, Target};
use trapeza_domain::field::Field;
use trapeza_domain::id::{ApplicationId, AuthorisationId, PaymentId, PsuId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;
use trapeza_store::AuthorisationRecord;

/// An authorisation that waits for the customer's decision in the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingApproval {
    pub id: AuthorisationId,
    pub tpp_name: String,
    /// The authorisation number in the third party's certificate.
    pub organisation: String,
    /// What is approved, after "… asks to".
    pub description: String,
    pub request: ApprovalRequest,
    /// The number that the other screen shows and two others. Only the number itself where the payment was created in
    /// the app, because there is no other screen.
    pub numbers: Vec<String>,
    /// What an approval is signed over, besides the number.
    pub digest: LinkingDigest,
    pub created_at: Timestamp,
}

/// The customer's decision.
#[derive(Clone, Debug)]
pub enum ApprovalDecision {
    /// With the number that the other screen shows, signed by the key of the device.
    Approve {
        number: Secret<String>,
        signature: String,
    },
    Reject,
}

/// A decided approval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecidedApproval {
    pub status: ScaStatus,
    /// The payment, where the customer created it in the app.
    pub own_payment: Option<PaymentId>,
    /// The customer approved a payment that could not be made.
    pub is_unpaid: bool,
}

impl App {
    /// The ids of the pending approvals, newest first: enough to notice a new one.
    pub async fn approval_pending_ids(&self, psu: PsuId) -> Result<Vec<AuthorisationId>, UseCaseError> {
        Ok(self.approval_records(psu).await?.iter().map(|record| record.authorisation.id).collect())
    }

    /// The pending approvals of a customer, newest first.
    pub async fn approval_list(&self, psu: PsuId) -> Result<Vec<PendingApproval>, UseCaseError> {
        let mut approvals = Vec::new();
        for record in self.approval_records(psu).await? {
            let AuthorisationRecord { authorisation, challenge, tpp_name, organisation, link, .. } = record;
            let Some(challenge) = challenge else { continue };
            let target = authorisation.target;
            let numbers = match &challenge.display {
                Some(number) if authorisation.application == ApplicationId::BANK => vec![number.clone()],
                _ => push_choices(&self.keyring, &challenge),
            };
            let context =
                self.step_context(authorisation.application, organisation.clone(), Channel::App(psu));
            let described = self.store.write(move |tx| {
                let loaded = LoadedTarget::load(tx, &context, target)?;
                let description = description(&loaded, &context, context.language.unwrap_or_default());
                Ok((description, approval_request(tx, &context, &loaded, psu)?))
            });
            let (description, request) = described.await?;
            approvals.push(PendingApproval {
                id: authorisation.id,
                tpp_name,
                organisation,
                description,
                request,
                numbers,
                digest: link,
                created_at: authorisation.created_at,
            });
        }
        Ok(approvals)
    }

    /// The authorisations that can still be decided in the app.
    async fn approval_records(&self, psu: PsuId) -> Result<Vec<AuthorisationRecord>, UseCaseError> {
        let now = self.now();
        let mut records = self.store.read(move |tx| Ok(tx.authorisation_pending_in_app(psu, now)?)).await?;
        records.retain(|record| {
            let open = record.challenge.as_ref().is_some_and(|challenge| challenge.is_open(now));
            open && record.authorisation.pending_method(ScaApproach::Decoupled, now).is_ok()
        });
        Ok(records)
    }

    /// Decides a pending approval on this device. A wrong number fails the
    /// authorisation; an approval without a valid signature of this device is refused without an effect.
    pub async fn approval_decide(
        &self,
        psu: PsuId,
        session: &str,
        id: &str,
        decision: ApprovalDecision,
    ) -> Result<DecidedApproval, UseCaseError> {
        let (now, id) = (self.now(), AuthorisationId::parse(id));
        let session = session_token_hash(&self.keyring, session);
        let read = self.store.read(move |tx| {
            let device = tx.enrolled_device_find(&session, now)?.filter(|device| device.psu == psu);
            Ok((tx.authorisation_pending_in_app(psu, now)?, device.and_then(|device| device.public_key)))
        });
        let (records, public_key) = read.await?;
        let found = records.into_iter().find(|record| Some(record.authorisation.id) == id);
        let AuthorisationRecord { authorisation, organisation, link, .. } = found.ok_or_else(not_found)?;
        let context =
            || self.step_context(authorisation.application, organisation.clone(), Channel::App(psu));
        let request = StepRequest { idempotency: None, target: Ok(authorisation.target), id, payment: None };
        let own_payment = match authorisation.target {
            Target::Payment(id) if authorisation.application == ApplicationId::BANK => Some(id),
            _ => None,
        };
        match decision {
            ApprovalDecision::Approve { number, signature } => {
                let message = approval_message(authorisation.id, &link, number.expose());
                if !public_key.is_some_and(|key| is_signed(&key, &message, &signature)) {
                    let text = "must be a signature of this device over the approval";
                    return Err(Refusal::at(RefusalReason::Malformed, Field::DeviceSignature, text).into());
                }
                match self.run_step(context, request, Step::Code(number)).await? {
                    StepOutcome::Done(view) | StepOutcome::Replayed(view) => {
                        let is_unpaid =
                            self.is_unpaid(authorisation.application, authorisation.target).await?;
                        Ok(DecidedApproval { status: view.status, own_payment, is_unpaid })
                    }
                    StepOutcome::Refused(refusal) => Err(refusal.into()),
                }
            }
            ApprovalDecision::Reject => {
                self.approval_reject(context(), request, psu).await?;
                Ok(DecidedApproval { status: ScaStatus::Failed, own_payment, is_unpaid: false })
            }
        }
    }

    /// Whether the target is a payment that was rejected.
    async fn is_unpaid(&self, application: ApplicationId, target: Target) -> Result<bool, UseCaseError> {
        let Target::Payment(id) = target else { return Ok(false) };
        let found = self.store.read(move |tx| Ok(tx.payment_find(application, id)?)).await?;
        Ok(found.is_some_and(|payment| payment.state.rejection().is_some()))
    }

    async fn approval_reject(
        &self,
        context: StepContext,
        request: StepRequest,
        psu: PsuId,
    ) -> Result<(), UseCaseError> {
        self.store
            .write(move |tx| {
                let target = request.target.clone()?;
                let loaded = LoadedTarget::load(tx, &context, target)?;
                let found = match request.id {
                    Some(id) => tx.authorisation_lock(context.application, target, id)?,
                    None => None,
                };
                let record = found.ok_or_else(not_found)?;
                record.authorisation.pending_method(ScaApproach::Decoupled, context.now())?;
                let failed = record.authorisation.clone().fail(context.now())?;
                save_transition(tx, &context, AuthorisationRecord { challenge: None, ..record }, failed)?;
                loaded.reject(tx, psu, context.now())
            })
            .await
    }
}
