//! The bank's app: what a customer is asked there, and their answer. How the app knows its customer is not known here.

use super::aim::Aim;
use super::app_key::{approval_text, is_signed};
use super::asked::{Asked, asked};
use super::browser::mark_hash;
use super::code::choices;
use super::update::{Ended, Place, Step, keep};
use super::{Side, unknown};
use crate::{App, UseCaseError};
use trapeza_domain::authorisation::{Approach, LinkHash, ScaStatus};
use trapeza_domain::id::{ApplicationId, AuthorisationId, PsuId};
use trapeza_domain::refusal::{Reason, Refusal};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Instant;
use trapeza_store::AuthorisationRecord;

/// A question in the app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppQuestion {
    pub id: AuthorisationId,
    pub tpp_name: String,
    /// The number of its licence, as its certificate says.
    pub organisation: String,
    /// What is agreed to, after "… asks to".
    pub words: String,
    pub asked: Asked,
    /// The number of the other screen among two others; alone, where the app itself is the other screen.
    pub numbers: Vec<String>,
    /// What an approval is signed over, besides the number.
    pub link: LinkHash,
    pub asked_at: Instant,
}

/// The customer's answer.
#[derive(Clone, Debug)]
pub enum Decision {
    /// With the number that the other screen shows, which who has not started this does not know; signed by the key of
    /// the browser that it is approved in.
    Approve {
        number: Secret<String>,
        signature: String,
    },
    Refuse,
}

impl App {
    /// The ids of what a customer is asked now, newest first: enough to see whether something is new.
    pub async fn app_waiting(&self, psu: PsuId) -> Result<Vec<AuthorisationId>, UseCaseError> {
        Ok(self.asked_now(psu).await?.iter().map(|record| record.authorisation.id).collect())
    }

    /// What a customer is asked now, newest first.
    pub async fn app_questions(&self, psu: PsuId) -> Result<Vec<AppQuestion>, UseCaseError> {
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
            let desk = self.desk(it.application, organisation.clone(), Side::App(psu));
            let said = self.store.write(move |tx| {
                let aim = Aim::load(tx, &desk, target)?;
                Ok((aim.words(&desk), asked(tx, &desk, &aim, psu)?))
            });
            let (words, asked) = said.await?;
            let (id, asked_at) = (it.id, it.created_at);
            questions.push(AppQuestion { id, tpp_name, organisation, words, asked, numbers, link, asked_at });
        }
        Ok(questions)
    }

    /// Those that can still be answered.
    async fn asked_now(&self, psu: PsuId) -> Result<Vec<AuthorisationRecord>, UseCaseError> {
        let now = self.now();
        let mut asked = self.store.read(move |tx| Ok(tx.authorisation_pending_in_app(psu, now)?)).await?;
        asked.retain(|record| {
            let open = record.challenge.as_ref().is_some_and(|challenge| challenge.is_open(now));
            open && record.authorisation.answerable(Approach::Decoupled, now).is_ok()
        });
        Ok(asked)
    }

    /// The customer answers in the app, in this browser; a wrong number ends what was asked. An approval that this
    /// browser's key has not signed is none, and changes nothing. Answers where the authorisation stands then.
    pub async fn app_decide(
        &self,
        psu: PsuId,
        browser: &str,
        id: &str,
        decision: Decision,
    ) -> Result<ScaStatus, UseCaseError> {
        let (now, id) = (self.now(), AuthorisationId::parse(id));
        let mark = mark_hash(&self.keyring, browser);
        let read = self.store.read(move |tx| {
            let browser = tx.enrolled_device_find(&mark, now)?.filter(|browser| browser.psu == psu);
            Ok((tx.authorisation_pending_in_app(psu, now)?, browser.and_then(|browser| browser.public_key)))
        });
        let (asked, key) = read.await?;
        let found = asked.into_iter().find(|record| Some(record.authorisation.id) == id);
        let AuthorisationRecord { authorisation, organisation, link, .. } = found.ok_or_else(unknown)?;
        let desk = || self.desk(authorisation.application, organisation.clone(), Side::App(psu));
        let place = Place { call: None, target: Ok(authorisation.target), id, product: None };
        match decision {
            Decision::Approve { number, signature } => {
                let text = approval_text(authorisation.id, &link, number.expose());
                if !key.is_some_and(|key| is_signed(&key, &text, &signature)) {
                    let text = "the approval is not signed by this device";
                    return Err(Refusal::at(Reason::Malformed, "signature", text).into());
                }
                match self.step(desk, place, Step::Code(number)).await? {
                    Ended::Done(view) | Ended::Before(view) => Ok(view.status),
                    Ended::Refused(refusal) => Err(refusal.into()),
                }
            }
            Decision::Refuse => {
                let (desk, target) = (desk(), authorisation.target);
                let refused = self.store.write(move |tx| {
                    let aim = Aim::load(tx, &desk, target)?;
                    let found = match place.id {
                        Some(id) => tx.authorisation_lock(desk.application, target, id)?,
                        None => None,
                    };
                    let record = found.ok_or_else(unknown)?;
                    record.authorisation.answerable(Approach::Decoupled, desk.now)?;
                    let failed = record.authorisation.clone().fail(desk.now)?;
                    keep(tx, &desk, AuthorisationRecord { challenge: None, ..record }, failed)?;
                    aim.refuse(tx, psu, desk.now)
                });
                refused.await?;
                Ok(ScaStatus::Failed)
            }
        }
    }
}
