//! Clearing files, callbacks, certificates, jobs and requests that need attention.

use super::{CERTIFICATE_WARNING, LATE_AFTER, ListContext, WorkItem};
use crate::format_timestamp;
use crate::object_view::AvailableAction;
use trapeza_domain::callback::CallbackStatus;
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::{RequestStatus, StaffAction};
use trapeza_domain::time::Timestamp;
use trapeza_store::{StoreError, Tx};

/// The newest requests among which pending ones are looked for: they expire after a day.
const REQUESTS_READ: i64 = 1_000;

pub(super) fn clearing_problems(tx: &mut Tx<'_>, context: &ListContext) -> Result<Vec<WorkItem>, StoreError> {
    let problems = tx.clearing_problem_list(Timestamp(0), context.limit)?.into_iter();
    let row = problems.map(|open| {
        let at = format_timestamp(open.problem.recorded_at);
        let id = open.id.to_string();
        let action = StaffAction::ClearingAcknowledge;
        let action = AvailableAction::new(&context.person, action, [("problem", id.clone())]);
        WorkItem::new(None, vec![at, id, open.problem.file, open.problem.problem]).with(action)
    });
    Ok(row.collect())
}

pub(super) fn dead_callbacks(tx: &mut Tx<'_>, context: &ListContext) -> Result<Vec<WorkItem>, StoreError> {
    let mut rows = Vec::new();
    for record in tx.callback_list(CallbackStatus::Dead, context.limit)? {
        let callback = record.callback;
        let application = tx.search_find(SearchKind::Application, callback.application.uuid())?;
        let cells = vec![
            format_timestamp(callback.created_at),
            application.map(|hit| hit.label).unwrap_or_default(),
            callback.topic.name().to_owned(),
            callback.attempts.to_string(),
        ];
        let id = callback.id.to_string();
        let row = WorkItem::new(Some((SearchKind::Callback, id.clone())), cells);
        let action = StaffAction::CallbackReplay;
        rows.push(row.with(AvailableAction::new(&context.person, action, [("callback", id)])));
    }
    Ok(rows)
}

pub(super) fn expiring_certificates(
    tx: &mut Tx<'_>,
    context: &ListContext,
) -> Result<Vec<WorkItem>, StoreError> {
    let last = context.now.plus(CERTIFICATE_WARNING);
    let mut rows = Vec::new();
    // One row for each third party.
    let ending = tx.certificate_expiry_list()?.into_iter().filter(|(_, ends)| *ends <= last);
    for (application, ends) in ending.take(usize::try_from(context.limit).unwrap_or(usize::MAX)) {
        let hit = tx.search_find(SearchKind::Application, application.uuid())?;
        let cells = vec![hit.map(|hit| hit.label).unwrap_or_default(), format_timestamp(ends)];
        rows.push(WorkItem::new(Some((SearchKind::Application, application.to_string())), cells));
    }
    Ok(rows)
}

/// The sweep, messages to customers, and clearing files.
pub(super) fn late_jobs(tx: &mut Tx<'_>, context: &ListContext) -> Result<Vec<WorkItem>, StoreError> {
    let late = context.now.minus(LATE_AFTER);
    let backlog = tx.backlog_find(context.now)?;
    let mut rows = Vec::new();
    let mut add = |job: &str, due: Option<Timestamp>, waiting: String| {
        let due = due.filter(|due| *due < late);
        rows.extend(due.map(|due| WorkItem::new(None, vec![job.to_owned(), format_timestamp(due), waiting])));
    };
    add("sweep", backlog.sweep_oldest, String::new());
    add("SMS", backlog.sms_oldest, backlog.sms_waiting.to_string());
    for batch in tx.batch_list_unsent(context.limit)?.iter().filter(|batch| batch.created_at < late) {
        let cells = vec!["clearing file".to_owned(), format_timestamp(batch.created_at), String::new()];
        rows.push(WorkItem::new(Some((SearchKind::ClearingBatch, batch.id.to_string())), cells));
    }
    rows.truncate(usize::try_from(context.limit).unwrap_or(usize::MAX));
    Ok(rows)
}

pub(super) fn pending_requests(tx: &mut Tx<'_>, context: &ListContext) -> Result<Vec<WorkItem>, StoreError> {
    let requests = tx.staff_request_list(REQUESTS_READ)?.into_iter().map(|one| one.as_of(context.now));
    let mut rows = Vec::new();
    let is_seen = |action| context.person.sees_requests_for(action);
    for request in requests.filter(|one| one.status == RequestStatus::Pending && is_seen(one.action)) {
        let person = tx.staff_find(request.requested_by)?;
        rows.push(WorkItem::new(
            None,
            vec![
                format_timestamp(request.requested_at),
                request.id.to_string(),
                request.action.name().to_owned(),
                person.map(|person| person.name).unwrap_or_default(),
                request.reason,
                format_timestamp(request.expires_at),
            ],
        ));
    }
    rows.truncate(usize::try_from(context.limit).unwrap_or(usize::MAX));
    Ok(rows)
}
