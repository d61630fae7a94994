//! Messages from clearing. Each part is one transaction of its own and applied once; when all are done, the whole message
//! is noted as read. A crash in between makes somebody read it again, and what was done is found done.

use super::verdict::{self, Moment, Outcome};
use crate::{App, UseCaseError, audit};
use sha2::{Digest, Sha256};
use trapeza_domain::clearing::{ClearingMessage, InterbankTransfer, Report, Returns, Transfers};
use trapeza_domain::event::{Actor, Event};
use trapeza_domain::id::{BatchId, ClearingId};
use trapeza_store::Tx;
use uuid::Uuid;

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    Applied(Tally),
    /// The same message was read before.
    Before,
    /// Another one was read under its name: somebody has made a mistake, and nothing was done.
    NameTaken,
}

/// How many parts of a message came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub settled: usize,
    pub rejected: usize,
    pub returned: usize,
    pub credited: usize,
    /// For nobody here; it goes back.
    pub suspended: usize,
    /// Done before, or nothing to be done.
    pub idle: usize,
    /// About nothing of ours, or against what is known: people have to look.
    pub odd: usize,
}

impl App {
    /// Does what a message says. `raw` is the message as it came, to know it again by.
    pub async fn clearing_receive(
        &self,
        message: ClearingMessage,
        raw: &[u8],
    ) -> Result<Received, UseCaseError> {
        let digest: [u8; 32] = Sha256::digest(raw).into();
        let (kind, id) = (message.kind(), message.origin().id.clone());
        let asked = id.clone();
        let before = self.store.read(move |tx| Ok(tx.clearing_message_find(kind, &asked)?)).await?;
        match before {
            Some(before) if before == digest => return Ok(Received::Before),
            Some(_) => return Ok(Received::NameTaken),
            None => {}
        }
        let moment = Moment { now: self.now(), today: self.clock.today() };
        let tally = match message {
            ClearingMessage::Report(report) => self.report(report, moment).await?,
            ClearingMessage::Returns(returns) => self.returns(returns, moment).await?,
            ClearingMessage::Transfers(transfers) => self.transfers(transfers, moment).await?,
        };
        let job = self.store.write_background(move |tx| {
            tx.clearing_message_insert(kind, &id, &digest, moment.now)?;
            let event = Event::new("clearing.read", "message", &id).with("kind", kind);
            let event = event.with("idle", tally.idle).with("odd", tally.odd);
            Ok(audit::note(tx, moment.now, Actor::Bank, &event)?)
        });
        job.await?;
        Ok(Received::Applied(tally))
    }

    async fn report(&self, report: Report, moment: Moment) -> Result<Tally, UseCaseError> {
        let Report { about, group, transfers, .. } = report;
        let mut verdicts = transfers;
        if let Some(group) = group {
            let batch = Uuid::try_parse(&about).ok().map(BatchId::new);
            let all = match batch {
                Some(batch) => self.store.read(move |tx| Ok(tx.clearing_transaction_list(batch)?)).await?,
                None => Vec::new(),
            };
            for sent in all {
                let name = super::name(sent.id);
                if !verdicts.iter().any(|(named, _)| *named == name) {
                    verdicts.push((name, group));
                }
            }
        }
        let mut tally = Tally::default();
        for (name, verdict) in verdicts {
            let about = about.clone();
            let job = self.store.write_background(move |tx| {
                verdict::settle(tx, super::parse_name(&name), Some(&about), verdict, moment)
            });
            tally.count(job.await?);
        }
        Ok(tally)
    }

    async fn returns(&self, returns: Returns, moment: Moment) -> Result<Tally, UseCaseError> {
        let mut tally = Tally::default();
        for returned in returns.returns {
            let job = self.store.write_background(move |tx| verdict::take_back(tx, &returned, moment));
            tally.count(job.await?);
        }
        Ok(tally)
    }

    async fn transfers(&self, transfers: Transfers, moment: Moment) -> Result<Tally, UseCaseError> {
        let mut tally = Tally::default();
        let message = transfers.origin.id;
        for transfer in transfers.transfers {
            let (id, message) = (ClearingId::new(self.entropy.uuid()), message.clone());
            let job = self.store.write_background(move |tx| credit(tx, id, &message, &transfer, moment));
            tally.count(job.await?);
        }
        Ok(tally)
    }
}

fn credit(
    tx: &mut Tx<'_>,
    id: ClearingId,
    message: &str,
    transfer: &InterbankTransfer,
    moment: Moment,
) -> Result<Outcome, UseCaseError> {
    let outcome = verdict::credit(tx, id, message, transfer, moment)?;
    if outcome != Outcome::Idle {
        let event = Event::new("clearing.received", "transfer", id).with("outcome", outcome.word());
        audit::note(tx, moment.now, Actor::Bank, &event)?;
    }
    Ok(outcome)
}

impl Tally {
    fn count(&mut self, outcome: Outcome) {
        *match outcome {
            Outcome::Settled => &mut self.settled,
            Outcome::Rejected => &mut self.rejected,
            Outcome::Returned => &mut self.returned,
            Outcome::Credited => &mut self.credited,
            Outcome::Suspended => &mut self.suspended,
            Outcome::Idle => &mut self.idle,
            Outcome::Odd => &mut self.odd,
        } += 1;
    }
}
