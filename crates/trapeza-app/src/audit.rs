//! The audit log: events are recorded in the transaction of their cause, and the chains are verified.

use crate::keyring::KeyPurpose;
pub(crate) use crate::prepared_event::PreparedEvent;
use crate::{App, UseCaseError, audit_check, status_notification};
use std::future::Future;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::id::MemberId;
use trapeza_domain::time::Timestamp;
pub use trapeza_store::AuditRecord;
use trapeza_store::{AuditHead, AuditReport, StoreError, Tx};

/// How many events a timeline has at most; the oldest are left out.
const TIMELINE_EVENTS: i64 = 200;

tokio::task_local! {
    /// The operator or member whose command the task runs.
    static ACTOR: Actor;
}

/// Runs the command of an operator with this user id of the operating system. It is the actor of the audit events that the command
/// causes.
pub async fn as_operator<T>(uid: u32, command: impl Future<Output = T>) -> T {
    ACTOR.scope(Actor::Operator(Some(uid)), command).await
}

/// Runs a use case that operators have as well for a member of the portal, who is the actor of its audit events.
pub async fn run_as_member<T>(member: MemberId, command: impl Future<Output = T>) -> T {
    ACTOR.scope(Actor::Member(member), command).await
}

/// The operator or member whose command the task runs. Called before the transaction, because that runs in another thread.
pub fn current_actor() -> Actor {
    ACTOR.try_with(|actor| *actor).unwrap_or(Actor::Operator(None))
}

/// The member whose command the task runs, or else `actor`: for use cases that applications run as well.
pub(crate) fn member_or(actor: Actor) -> Actor {
    match ACTOR.try_with(|actor| *actor) {
        Ok(member @ Actor::Member(_)) => member,
        _ => actor,
    }
}

/// Records an event, and notifies the third party of the changed status. Every use case that changes something calls this in its
/// transaction.
pub(crate) fn record(
    tx: &mut Tx<'_>,
    now: Timestamp,
    actor: Actor,
    event: &AuditEvent,
) -> Result<(), StoreError> {
    PreparedEvent::new(now, actor, event).append(tx)?;
    match &event.status {
        Some(change) => status_notification::enqueue(tx, now, change),
        None => Ok(()),
    }
}

impl App {
    /// What the audit log says of objects (`payment:…`), oldest first.
    pub async fn timeline(&self, objects: Vec<String>) -> Result<Vec<AuditRecord>, UseCaseError> {
        self.store.read(move |tx| Ok(timeline(tx, &objects)?)).await
    }

    /// Stores the heads of this process's chains, against which a truncated chain is noticed. Returns them.
    pub async fn audit_heads_store(&self) -> Result<Vec<AuditHead>, UseCaseError> {
        let heads = self.store.audit_heads();
        let stored = heads.clone();
        self.store.write_background(move |tx| Ok(tx.audit_head_set(&stored)?)).await?;
        Ok(heads)
    }

    /// Verifies all chains, and compares what staff have decided with them. `heads` are chain heads that an operator saved earlier. Blocks, in proportion to the
    /// length of the audit log.
    pub fn audit_verify(&self, heads: Vec<AuditHead>) -> Result<AuditReport, UseCaseError> {
        let key = self.keyring.derive(KeyPurpose::Audit);
        self.store.read_blocking(move |tx| {
            let mut report = tx.audit_verify(&key, &heads)?;
            report.findings.extend(audit_check::findings(tx)?);
            Ok(report)
        })
    }
}

/// The events of objects, oldest first.
pub(crate) fn timeline(tx: &mut Tx<'_>, objects: &[String]) -> Result<Vec<AuditRecord>, StoreError> {
    let mut events = Vec::new();
    for object in objects {
        let mut newest = tx.audit_event_list(object, TIMELINE_EVENTS)?;
        newest.reverse();
        events.extend(newest);
    }
    // Stable: events of one object at the same time stay in their order.
    events.sort_by_key(|event| event.at);
    Ok(events)
}
