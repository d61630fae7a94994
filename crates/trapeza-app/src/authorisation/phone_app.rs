//! The bank's app: what a customer is asked there, and their answer. How the app knows its customer is not known here.

use super::aim::Aim;
use super::asked::{Asked, asked};
use super::code::choices;
use super::update::{Ended, Place, Step, keep};
use super::{Side, unknown};
use crate::{App, Stop};
use trapeza_domain::authorisation::{Approach, ScaStatus};
use trapeza_domain::id::{AuthorisationId, PsuId};
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
    /// The number of the other screen among two others.
    pub numbers: Vec<String>,
    pub asked_at: Instant,
}

/// The customer's answer.
#[derive(Clone, Debug)]
pub enum Decision {
    /// With the number that the other screen shows: who has not started this does not know it.
    Approve(Secret<String>),
    Refuse,
}

impl App {
    /// What a customer is asked now, newest first.
    pub async fn app_questions(&self, psu: PsuId) -> Result<Vec<AppQuestion>, Stop> {
        let now = self.now();
        let waiting = self.store.read(move |tx| Ok(tx.authorisation_asked(psu, now)?)).await?;
        let mut questions = Vec::new();
        for record in waiting {
            let it = &record.authorisation;
            let open = record.challenge.as_ref().filter(|challenge| challenge.is_open(now));
            let Some(challenge) = open.filter(|_| it.answerable(Approach::Decoupled, now).is_ok()) else {
                continue;
            };
            let numbers = choices(&self.keyring, challenge);
            let (id, target, asked_at) = (it.id, it.target, it.created_at);
            let (tpp_name, organisation) = (record.tpp_name.clone(), record.organisation.clone());
            let desk = self.desk(it.application, organisation.clone(), Side::App(psu));
            let said = self.store.write(move |tx| {
                let aim = Aim::load(tx, &desk, target)?;
                Ok((aim.words(&desk), asked(tx, &desk, &aim, psu)?))
            });
            let (words, asked) = said.await?;
            questions.push(AppQuestion { id, tpp_name, organisation, words, asked, numbers, asked_at });
        }
        Ok(questions)
    }

    /// The customer answers in the app; a wrong number ends what was asked. Answers where the authorisation stands then.
    pub async fn app_decide(&self, psu: PsuId, id: &str, decision: Decision) -> Result<ScaStatus, Stop> {
        let (now, id) = (self.now(), AuthorisationId::parse(id));
        let asked = self.store.read(move |tx| Ok(tx.authorisation_asked(psu, now)?)).await?;
        let found = asked.into_iter().find(|record| Some(record.authorisation.id) == id);
        let AuthorisationRecord { authorisation, organisation, .. } = found.ok_or_else(unknown)?;
        let desk = || self.desk(authorisation.application, organisation.clone(), Side::App(psu));
        let place = Place { call: None, target: Ok(authorisation.target), id, product: None };
        match decision {
            Decision::Approve(number) => match self.step(desk, place, Step::Code(number)).await? {
                Ended::Done(view) | Ended::Before(view) => Ok(view.status),
                Ended::Refused(refusal) => Err(refusal.into()),
            },
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
