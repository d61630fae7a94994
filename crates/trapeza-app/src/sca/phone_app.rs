//! The bank's app: what a customer is asked there, and their answer. How the app knows its customer is not known here.

use super::app_key::{approval_message, is_signed};
use super::asked::{ApprovalRequest, asked};
use super::browser::session_token_hash;
use super::code::choices;
use super::target::LoadedTarget;
use super::update::{Step, StepOutcome, StepRequest, keep};
use super::{Channel, unknown};
use crate::{App, UseCaseError};
use trapeza_domain::authorisation::{LinkingDigest, ScaApproach, ScaStatus};
use trapeza_domain::id::{ApplicationId, AuthorisationId, PsuId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;
use trapeza_store::AuthorisationRecord;

/// A question in the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingApproval {
    pub id: AuthorisationId,
    pub tpp_name: String,
    /// The number of its licence, as its certificate says.
    pub organisation: String,
    /// What is agreed to, after "… asks to".
    pub words: String,
    pub asked: ApprovalRequest,
    /// The number of the other screen among two others; alone, where the app itself is the other screen.
    pub numbers: Vec<String>,
    /// What an approval is signed over, besides the number.
    pub link: LinkingDigest,
    pub asked_at: Timestamp,
}

/// The customer's answer.
#[derive(Clone, Debug)]
pub enum ApprovalDecision {
    /// With the number that the other screen shows, which who has not started this does not know; signed by the key of
    /// the browser that it is approved in.
    Approve {
        number: Secret<String>,
        signature: String,
    },
    Reject,
}

impl App {
    /// The ids of what a customer is asked now, newest first: enough to see whether something is new.
    pub async fn approval_pending_ids(&self, psu: PsuId) -> Result<Vec<AuthorisationId>, UseCaseError> {
        Ok(self.asked_now(psu).await?.iter().map(|record| record.authorisation.id).collect())
    }

    /// What a customer is asked now, newest first.
    pub async fn approval_list(&self, psu: PsuId) -> Result<Vec<PendingApproval>, UseCaseError> {
        let mut questions = Vec::new();
        for AuthorisationRecord { authorisation: it, challenge, tpp_name, organisation, link, .. } in
            self.asked_now(psu).await?
        {
            let Some(challenge) = challenge else { continue };
            let (target, own) = (it.target, it.application == ApplicationId::BANK);
            let numbers = match &challenge.shown {
                // Ordered in the app itself: there is no other screen to look at.
                Some(number) if own => vec![number.clone()],
                _ => choices(&self.keyring, &challenge),
            };
            let context = self.step_context(it.application, organisation.clone(), Channel::App(psu));
            let said = self.store.write(move |tx| {
                let loaded = LoadedTarget::load(tx, &context, target)?;
                Ok((loaded.words(&context), asked(tx, &context, &loaded, psu)?))
            });
            let (words, asked) = said.await?;
            let (id, asked_at) = (it.id, it.created_at);
            questions.push(PendingApproval {
                id,
                tpp_name,
                organisation,
                words,
                asked,
                numbers,
                link,
                asked_at,
            });
        }
        Ok(questions)
    }

    /// Those that can still be answered.
    async fn asked_now(&self, psu: PsuId) -> Result<Vec<AuthorisationRecord>, UseCaseError> {
        let now = self.now();
        let mut asked = self.store.read(move |tx| Ok(tx.authorisation_pending_in_app(psu, now)?)).await?;
        asked.retain(|record| {
            let open = record.challenge.as_ref().is_some_and(|challenge| challenge.is_open(now));
            open && record.authorisation.pending_method(ScaApproach::Decoupled, now).is_ok()
        });
        Ok(asked)
    }

    /// The customer answers in the app, in this browser; a wrong number ends what was asked. An approval that this
    /// browser's key has not signed is none, and changes nothing. Answers where the authorisation stands then.
    pub async fn approval_decide(
        &self,
        psu: PsuId,
        browser: &str,
        id: &str,
        decision: ApprovalDecision,
    ) -> Result<ScaStatus, UseCaseError> {
        let (now, id) = (self.now(), AuthorisationId::parse(id));
        let mark = session_token_hash(&self.keyring, browser);
        let read = self.store.read(move |tx| {
            let browser = tx.enrolled_device_find(&mark, now)?.filter(|browser| browser.psu == psu);
            Ok((tx.authorisation_pending_in_app(psu, now)?, browser.and_then(|browser| browser.public_key)))
        });
        let (asked, key) = read.await?;
        let found = asked.into_iter().find(|record| Some(record.authorisation.id) == id);
        let AuthorisationRecord { authorisation, organisation, link, .. } = found.ok_or_else(unknown)?;
        let context =
            || self.step_context(authorisation.application, organisation.clone(), Channel::App(psu));
        let place = StepRequest { call: None, target: Ok(authorisation.target), id, product: None };
        match decision {
            ApprovalDecision::Approve { number, signature } => {
                let text = approval_message(authorisation.id, &link, number.expose());
                if !key.is_some_and(|key| is_signed(&key, &text, &signature)) {
                    let text = "the approval is not signed by this device";
                    return Err(Refusal::at(RefusalReason::Malformed, "signature", text).into());
                }
                match self.step(context, place, Step::Code(number)).await? {
                    StepOutcome::Done(view) | StepOutcome::Before(view) => Ok(view.status),
                    StepOutcome::Refused(refusal) => Err(refusal.into()),
                }
            }
            ApprovalDecision::Reject => {
                let (context, target) = (context(), authorisation.target);
                let refused = self.store.write(move |tx| {
                    let loaded = LoadedTarget::load(tx, &context, target)?;
                    let found = match place.id {
                        Some(id) => tx.authorisation_lock(context.application, target, id)?,
                        None => None,
                    };
                    let record = found.ok_or_else(unknown)?;
                    record.authorisation.pending_method(ScaApproach::Decoupled, context.now)?;
                    let failed = record.authorisation.clone().fail(context.now)?;
                    keep(tx, &context, AuthorisationRecord { challenge: None, ..record }, failed)?;
                    loaded.refuse(tx, psu, context.now)
                });
                refused.await?;
                Ok(ScaStatus::Failed)
            }
        }
    }
}
