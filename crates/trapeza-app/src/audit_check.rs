//! Compares what staff decide, and the documents of loans, with the audit log: a role, an approval, a disabled application or a write-off
//! that was written into the database past the bank has no event, and a changed document has another hash. Money is covered by the MACs of transfers (`ledger check`).

use crate::UseCaseError;
use crate::document_hash::{hash_text, is_intact};
use trapeza_domain::id::ApplicationId;
use trapeza_domain::staff::{RequestStatus, StaffRequest, StaffStatus};
use trapeza_store::{AuditRecord, StoreError, Tx};

/// More events than an object has.
const ALL: i64 = i64::MAX;
/// How many documents are in memory at a time.
const DOCUMENT_BATCH: i64 = 50;

/// What contradicts the audit log, one sentence each.
pub(crate) fn findings(tx: &mut Tx<'_>) -> Result<Vec<String>, UseCaseError> {
    let mut findings = staff(tx)?;
    for request in tx.staff_request_list(ALL)? {
        findings.extend(request_finding(tx, &request)?);
    }
    for found in tx.application_list()? {
        let id = found.application.id;
        let object = format!("application:{id}");
        let last = last_of(tx, &object, &["application.disabled", "application.enabled"])?;
        let logged = last.is_some_and(|event| event.action == "application.disabled");
        if id != ApplicationId::BANK && found.disabled_at.is_some() != logged {
            let (is, was) = if logged { ("enabled", "disabled") } else { ("disabled", "enabled") };
            findings.push(format!("{object} is {is}, and the audit log says {was}"));
        }
    }
    for loan in tx.loan_list("writtenOff", ALL)? {
        let object = format!("loan:{}", loan.id);
        if last_of(tx, &object, &["loan.written_off"])?.is_none() {
            findings.push(format!("{object} is written off, and the audit log has no such event"));
        }
    }
    findings.extend(documents(tx)?);
    Ok(findings)
}

/// Documents of loans that are not the ones of the audit log.
fn documents(tx: &mut Tx<'_>) -> Result<Vec<String>, StoreError> {
    let (mut findings, mut after) = (Vec::new(), None);
    loop {
        let batch = tx.loan_document_after(after, DOCUMENT_BATCH)?;
        let Some(last) = batch.last() else { return Ok(findings) };
        after = Some((last.loan, last.kind));
        for document in &batch {
            let (object, kind) = (format!("loan:{}", document.loan), document.kind.name());
            let events = tx.audit_event_list(&object, ALL)?;
            let mut created = events.iter().filter(|event| event.action == "loan.document_created");
            let event = created.find(|event| value(event, "kind") == Some(kind));
            let logged = event.and_then(|event| value(event, "sha256"));
            if !is_intact(document) || logged != Some(&hash_text(&document.sha256)) {
                findings.push(format!("the {kind} of {object} is not the document of the audit log"));
            }
        }
    }
}

/// Members of the staff whose role or status has no event.
fn staff(tx: &mut Tx<'_>) -> Result<Vec<String>, StoreError> {
    let mut findings = Vec::new();
    for one in tx.staff_list()? {
        let object = format!("staff:{}", one.id);
        let events = tx.audit_event_list(&object, ALL)?;
        let last_of = |actions: &[&str]| newest(&events, actions);
        let Some(role) = last_of(&["staff.created", "staff.role_changed"]) else {
            findings.push(format!("{object} exists, and the audit log has no such event"));
            continue;
        };
        let logged = value(role, "to").or_else(|| value(role, "role")).unwrap_or_default();
        if logged != one.role.name() {
            findings
                .push(format!("{object} has the role {}, and the audit log says {logged}", one.role.name()));
        }
        let last = last_of(&["staff.created", "staff.disabled", "staff.enabled"]);
        let logged = last.is_some_and(|event| event.action == "staff.disabled");
        if (one.status == StaffStatus::Disabled) != logged {
            findings.push(format!("{object} is {}, against the audit log", one.status.name()));
        }
        // Someone of the staff has seen the link, and neither another one nor the identity provider has confirmed the login.
        let confirmations = ["staff.confirmed", "staff.provider_linked"];
        let last = last_of(&[&["staff.created", "staff.reset"], &confirmations[..]].concat());
        let is_unconfirmed = last.is_some_and(|event| {
            !confirmations.contains(&event.action.as_str()) && event.actor.starts_with("staff:")
        });
        if is_unconfirmed && one.status == StaffStatus::Active {
            findings.push(format!("{object} is active, and the audit log has no confirmation"));
        }
    }
    Ok(findings)
}

fn request_finding(tx: &mut Tx<'_>, request: &StaffRequest) -> Result<Option<String>, StoreError> {
    let object = format!("staff_request:{}", request.id);
    let last = tx.audit_event_list(&object, 1)?.pop();
    let logged = match last.as_ref().map(|event| event.action.as_str()) {
        Some("staff_request.created") => Some(RequestStatus::Pending),
        Some(action) => action.strip_prefix("staff_request.").and_then(RequestStatus::parse),
        None => None,
    };
    let decided_by = last.filter(|_| request.decided_by.is_some()).map(|event| event.actor);
    let same_person = decided_by == request.decided_by.map(|person| format!("staff:{person}"));
    let is_same = logged == Some(request.status) && same_person;
    Ok((!is_same).then(|| {
        let logged = logged.map_or("nothing", RequestStatus::name);
        format!("{object} is {}, and the audit log says {logged}, or another person", request.status.name())
    }))
}

/// The newest event of an object among some actions.
fn last_of(tx: &mut Tx<'_>, object: &str, actions: &[&str]) -> Result<Option<AuditRecord>, StoreError> {
    let events = tx.audit_event_list(object, ALL)?;
    Ok(newest(&events, actions).cloned())
}

/// The newest event among some actions. Events are newest first.
fn newest<'a>(events: &'a [AuditRecord], actions: &[&str]) -> Option<&'a AuditRecord> {
    events.iter().find(|event| actions.contains(&event.action.as_str()))
}

/// A value of an event's details.
fn value<'a>(event: &'a AuditRecord, name: &str) -> Option<&'a str> {
    event.detail.split(' ').find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
}
