//! Requests for actions that need a second person: approve, reject, cancel, list, expire.
//!
//! An approval executes the action in the transaction that stores the approval. When the object has changed since the request, or the
//! action is refused, the request has failed and nothing else has happened.

use super::action::check_reason;
use super::command::StaffCommand;
use super::context::{ActionContext, ActionOutcome, ActionParameters};
use super::required;
use crate::sweep::sweep_until_done;
use crate::{App, UseCaseError, audit};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::{StaffId, StaffRequestId};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::staff::{RequestStatus, Staff, StaffRequest};
use trapeza_domain::time::Timestamp;
use trapeza_store::{STAFF_REQUEST_SWEEP_ROWS, Tx};

/// What an approval came to, when it was not refused.
enum Approval {
    Executed(ActionOutcome),
    /// The request has ended without an effect: it has failed or expired.
    Ended(Refusal),
}

impl App {
    /// The newest requests as of now that the caller may see.
    pub async fn staff_request_list(
        &self,
        caller: StaffId,
        limit: i64,
    ) -> Result<Vec<StaffRequest>, UseCaseError> {
        let now = self.now();
        self.store
            .read(move |tx| {
                let person = required(tx, caller)?;
                person.require_active()?;
                let mut requests = tx.staff_request_list(limit)?;
                requests.retain(|request| person.sees_requests_for(request.action));
                Ok(requests.into_iter().map(|request| request.as_of(now)).collect())
            })
            .await
    }

    /// One request as of now, if the caller may see it.
    pub async fn staff_request_view(
        &self,
        caller: StaffId,
        id: StaffRequestId,
    ) -> Result<StaffRequest, UseCaseError> {
        let now = self.now();
        self.store
            .read(move |tx| {
                let person = required(tx, caller)?;
                person.require_active()?;
                let found = tx.staff_request_find(id)?;
                let found = found.filter(|request| person.sees_requests_for(request.action));
                Ok(found.ok_or_else(unknown)?.as_of(now))
            })
            .await
    }

    /// Approves a request and executes its action.
    pub async fn staff_request_approve(
        &self,
        caller: StaffId,
        id: StaffRequestId,
    ) -> Result<ActionOutcome, UseCaseError> {
        let found = self.store.read(move |tx| Ok(tx.staff_request_find(id)?)).await?;
        let found = found.ok_or_else(unknown)?;
        let command = StaffCommand::parse(found.action, &ActionParameters::from_json(&found.parameters)?)?;
        let context = self.action_context(Actor::Staff(caller));
        let now = context.now;
        let approved = self.store.write(move |tx| {
            let (person, request) = match pending(tx, caller, id, now)? {
                Ok(found) => found,
                Err(ended) => return Ok(Approval::Ended(ended)),
            };
            check_approval(tx, &person, &request)?;
            if let Err(changed) = unchanged(tx, &context, &command, &request)? {
                return Ok(Approval::Ended(fail(tx, request, caller, changed, now)?));
            }
            let outcome = command.run(tx, &context)?;
            let (request, event) = request.approve(caller, outcome.text.clone(), now);
            tx.staff_request_update(&request)?;
            audit::record(tx, now, Actor::Staff(caller), &event)?;
            Ok(Approval::Executed(outcome))
        });
        match approved.await {
            Ok(Approval::Executed(outcome)) => Ok(outcome),
            Ok(Approval::Ended(refusal)) => Err(refusal.into()),
            Err(UseCaseError::Refused(refusal)) => {
                Err(self.staff_request_fail(caller, id, refusal).await?.into())
            }
            Err(error) => Err(error),
        }
    }

    /// Stores that an action was refused, if the approval itself was permitted: everything of the action was rolled back.
    async fn staff_request_fail(
        &self,
        caller: StaffId,
        id: StaffRequestId,
        refusal: Refusal,
    ) -> Result<Refusal, UseCaseError> {
        let now = self.now();
        self.store
            .write(move |tx| {
                let Ok((person, request)) = pending(tx, caller, id, now)? else { return Ok(refusal.clone()) };
                match check_approval(tx, &person, &request) {
                    Ok(()) => fail(tx, request, caller, refusal.clone(), now),
                    Err(UseCaseError::Refused(_)) => Ok(refusal.clone()),
                    Err(error) => Err(error),
                }
            })
            .await
    }

    /// Rejects the request of another person.
    pub async fn staff_request_reject(
        &self,
        caller: StaffId,
        id: StaffRequestId,
        reason: &str,
    ) -> Result<(), UseCaseError> {
        let (now, reason) = (self.now(), reason.trim().to_owned());
        check_reason(&reason)?;
        let decided = self.store.write(move |tx| {
            let (person, request) = match pending(tx, caller, id, now)? {
                Ok(found) => found,
                Err(ended) => return Ok(Err(ended)),
            };
            let (request, event) = request.reject(&person, reason.clone(), now)?;
            tx.staff_request_update(&request)?;
            audit::record(tx, now, Actor::Staff(caller), &event)?;
            Ok(Ok(()))
        });
        Ok(decided.await??)
    }

    /// Cancels the caller's own request.
    pub async fn staff_request_cancel(
        &self,
        caller: StaffId,
        id: StaffRequestId,
    ) -> Result<(), UseCaseError> {
        let now = self.now();
        let decided = self.store.write(move |tx| {
            let (person, request) = match pending(tx, caller, id, now)? {
                Ok(found) => found,
                Err(ended) => return Ok(Err(ended)),
            };
            let (request, event) = request.cancel(&person, now)?;
            tx.staff_request_update(&request)?;
            audit::record(tx, now, Actor::Staff(caller), &event)?;
            Ok(Ok(()))
        });
        Ok(decided.await??)
    }

    /// Stores the end of requests that were not decided in time.
    pub(crate) async fn sweep_staff_requests(&self, now: Timestamp) -> Result<usize, UseCaseError> {
        sweep_until_done(STAFF_REQUEST_SWEEP_ROWS, async || {
            let job = self.store.write_background(move |tx| {
                let expired = tx.staff_request_expired(now)?;
                let found = expired.len();
                for request in expired {
                    expire(tx, request, now)?;
                }
                Ok(found)
            });
            job.await
        })
        .await
    }
}

/// The caller and a locked request. The end of one whose time is over is stored, and the refusal of its decision returned.
fn pending(
    tx: &mut Tx<'_>,
    caller: StaffId,
    id: StaffRequestId,
    now: Timestamp,
) -> Result<Result<(Staff, StaffRequest), Refusal>, UseCaseError> {
    let request = tx.staff_request_lock(id)?.ok_or_else(unknown)?;
    let person = required(tx, caller)?;
    person.require_active()?;
    let was_pending = request.status == RequestStatus::Pending;
    let request = request.as_of(now);
    if was_pending && request.status == RequestStatus::Expired {
        let request = expire(tx, request, now)?;
        return Ok(request.require_pending().map(|()| (person, request)));
    }
    request.require_pending()?;
    Ok(Ok((person, request)))
}

/// The approver is another person with the right role, and the person who requested it could still do so.
fn check_approval(tx: &mut Tx<'_>, person: &Staff, request: &StaffRequest) -> Result<(), UseCaseError> {
    person.require_approver(request.action, request.requested_by)?;
    Ok(required(tx, request.requested_by)?.require(request.action)?)
}

/// Whether the object is as it was when the action was requested, and the action still possible; otherwise why not.
fn unchanged(
    tx: &mut Tx<'_>,
    context: &ActionContext,
    command: &StaffCommand,
    request: &StaffRequest,
) -> Result<Result<(), Refusal>, UseCaseError> {
    match command.approved_state(tx, context) {
        Ok(state) if context.fingerprint(&state) == request.fingerprint => Ok(Ok(())),
        Ok(_) => {
            let text = "the object has changed since the action was requested; request it again";
            Ok(Err(Refusal::new(RefusalReason::StatusInvalid, text)))
        }
        Err(UseCaseError::Refused(refusal)) => Ok(Err(refusal)),
        Err(error) => Err(error),
    }
}

fn fail(
    tx: &mut Tx<'_>,
    request: StaffRequest,
    caller: StaffId,
    refusal: Refusal,
    now: Timestamp,
) -> Result<Refusal, UseCaseError> {
    let texts: Vec<&str> = refusal.errors.iter().map(|error| error.text.as_str()).collect();
    let (request, event) = request.fail(caller, texts.join("; "), now);
    tx.staff_request_update(&request)?;
    audit::record(tx, now, Actor::Staff(caller), &event)?;
    Ok(refusal)
}

fn expire(tx: &mut Tx<'_>, request: StaffRequest, now: Timestamp) -> Result<StaffRequest, UseCaseError> {
    let request = request.as_of(now);
    tx.staff_request_update(&request)?;
    audit::record(tx, now, Actor::Bank, &request.event("staff_request.expired"))?;
    Ok(request)
}

fn unknown() -> Refusal {
    Refusal::new(RefusalReason::ResourceUnknown, "unknown request")
}
