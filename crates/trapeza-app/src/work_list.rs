//! The work lists of the bank's staff: what waits for a person, with the actions that the state of each object and the role of the
//! person allow. A look at a list with the data of persons is recorded once, before anything is returned.

mod block;
mod money;
mod operation;
mod review;

use crate::object_view::AvailableAction;
use crate::{App, UseCaseError, audit, staff};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::id::StaffId;
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::Staff;
use trapeza_domain::time::{TimeDelta, Timestamp};
pub use trapeza_domain::work_list::WorkListKind;
use trapeza_store::{StoreError, Tx};

/// Maximum number of rows of a list.
pub const MAX_ROWS: usize = 200;
/// Counting stops at this number of rows.
const MAX_COUNT: usize = 100;
/// Rejections before this time are not listed.
const REJECTED_SINCE: TimeDelta = TimeDelta::days(30);
/// A payment that waits longer is stuck; clearing answers within minutes.
const STUCK_AFTER: TimeDelta = TimeDelta::days(1);
/// Certificates that expire within this time are listed.
const CERTIFICATE_WARNING: TimeDelta = TimeDelta::days(30);
/// A job that should have run before this time is late.
const LATE_AFTER: TimeDelta = TimeDelta::minutes(5);

/// A list with its columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkList {
    pub kind: WorkListKind,
    pub columns: &'static [&'static str],
    pub rows: Vec<WorkItem>,
    /// Whether there are more rows than are returned.
    pub more: bool,
}

/// One row: a cell for each column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkItem {
    /// The object that the row is about, with the id that [`App::object_view`] takes.
    pub object: Option<(SearchKind, String)>,
    pub cells: Vec<String>,
    pub actions: Vec<AvailableAction>,
}

/// How many rows a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkListCount {
    pub kind: WorkListKind,
    /// `None` where counting would compare every customer.
    pub count: Option<usize>,
    /// Whether there are more than were counted.
    pub more: bool,
}

/// Who looks, when, and how many rows are read.
struct ListContext {
    person: Staff,
    now: Timestamp,
    limit: i64,
}

impl App {
    /// The first rows of a list.
    pub async fn work_list(
        &self,
        caller: StaffId,
        kind: WorkListKind,
        limit: usize,
    ) -> Result<WorkList, UseCaseError> {
        let person = self.work_list_reader(caller, kind).await?;
        let limit = limit.clamp(1, MAX_ROWS);
        let mut rows = self.work_list_rows(person, kind, limit).await?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        if kind.is_personal() {
            let event = AuditEvent::new("personal_data.viewed", "work_list", kind.name());
            let (event, now) = (event.with("rows", rows.len()), self.now());
            let recorded = self.store.write(move |tx| {
                staff::required(tx, caller)?.require_list(kind)?;
                Ok(audit::record(tx, now, Actor::Staff(caller), &event)?)
            });
            recorded.await?;
        }
        Ok(WorkList { kind, columns: columns(kind), rows, more })
    }

    /// The number of rows of each list that the caller sees.
    pub async fn work_list_counts(&self, caller: StaffId) -> Result<Vec<WorkListCount>, UseCaseError> {
        let person = self.store.read(move |tx| staff::required(tx, caller)).await?;
        person.require_active()?;
        let mut counts = Vec::new();
        for kind in WorkListKind::ALL.iter().copied().filter(|kind| person.require_list(*kind).is_ok()) {
            let is_counted = !matches!(kind, WorkListKind::BlockedCustomers | WorkListKind::BlockedPhones);
            let rows = match is_counted {
                true => self.work_list_rows(person.clone(), kind, MAX_COUNT).await?.len(),
                false => 0,
            };
            let count = is_counted.then(|| rows.min(MAX_COUNT));
            counts.push(WorkListCount { kind, count, more: rows > MAX_COUNT });
        }
        Ok(counts)
    }

    async fn work_list_reader(&self, caller: StaffId, kind: WorkListKind) -> Result<Staff, UseCaseError> {
        let read = self.store.read(move |tx| {
            let person = staff::required(tx, caller)?;
            person.require_list(kind)?;
            Ok(person)
        });
        read.await
    }

    /// The rows of a list, one more than the limit when there are more.
    async fn work_list_rows(
        &self,
        person: Staff,
        kind: WorkListKind,
        limit: usize,
    ) -> Result<Vec<WorkItem>, UseCaseError> {
        match kind {
            WorkListKind::BlockedCustomers => return self.blocked_customers(&person, limit + 1).await,
            WorkListKind::BlockedPhones => return self.blocked_phones(&person, limit + 1).await,
            _ => {}
        }
        let limit = i64::try_from(limit + 1).unwrap_or(i64::MAX);
        let context = ListContext { person, now: self.now(), limit };
        self.store.read(move |tx| Ok(rows(tx, &context, kind)?)).await
    }
}

fn rows(tx: &mut Tx<'_>, context: &ListContext, kind: WorkListKind) -> Result<Vec<WorkItem>, StoreError> {
    match kind {
        WorkListKind::RejectedPayments => money::rejected_payments(tx, context),
        WorkListKind::StuckPayments => money::stuck_payments(tx, context),
        WorkListKind::SuspendedTransfers => money::suspended_transfers(tx, context),
        WorkListKind::OverdueLoans => money::overdue_loans(tx, context),
        WorkListKind::LoanReviews => review::loan_reviews(tx, context),
        WorkListKind::ClearingProblems => operation::clearing_problems(tx, context),
        WorkListKind::DeadCallbacks => operation::dead_callbacks(tx, context),
        WorkListKind::ExpiringCertificates => operation::expiring_certificates(tx, context),
        WorkListKind::LateJobs => operation::late_jobs(tx, context),
        WorkListKind::PendingRequests => operation::pending_requests(tx, context),
        WorkListKind::BlockedCustomers | WorkListKind::BlockedPhones => Ok(Vec::new()),
    }
}

const fn columns(kind: WorkListKind) -> &'static [&'static str] {
    match kind {
        WorkListKind::RejectedPayments => &["Rejected", "Payer", "Payee", "Amount", "Reason"],
        WorkListKind::StuckPayments => &["Since", "Payer", "Payee", "Amount", "Status"],
        WorkListKind::SuspendedTransfers => &["Received", "Payer", "Payee account", "Amount", "Reason"],
        WorkListKind::ClearingProblems => &["Recorded", "Number", "File", "Problem"],
        WorkListKind::OverdueLoans => &["Overdue since", "Borrower", "Amount", "Outstanding principal"],
        WorkListKind::LoanReviews => {
            &["Requested", "Customer", "Amount", "Subject", "Statement", "Declared income"]
        }
        WorkListKind::DeadCallbacks => &["Created", "Application", "Kind", "Attempts"],
        WorkListKind::BlockedCustomers => &["Customer", "Login", "Channel", "Until"],
        WorkListKind::BlockedPhones => &["Telephone number", "Channel", "Until"],
        WorkListKind::ExpiringCertificates => &["Application", "Expires"],
        WorkListKind::LateJobs => &["Job", "Due since", "Waiting"],
        WorkListKind::PendingRequests => {
            &["Requested", "Request", "Action", "Requested by", "Reason", "Expires"]
        }
    }
}

impl WorkItem {
    fn new(object: Option<(SearchKind, String)>, cells: Vec<String>) -> Self {
        Self { object, cells, actions: Vec::new() }
    }

    fn with(mut self, action: Option<AvailableAction>) -> Self {
        self.actions.extend(action);
        self
    }
}
