//! The JSON of the admin API.

use serde_json::{Map, Value, json};
use trapeza_app::audit::AuditRecord;
use trapeza_app::object_view::{AvailableAction, ObjectView};
use trapeza_app::search::SearchHit;
use trapeza_app::staff::{ActionOutcome, ActionParameters, parameter_names};
use trapeza_app::work_list::{WorkList, WorkListCount};
use trapeza_app::{UseCaseError, format_timestamp};
use trapeza_domain::staff::{SecondPerson, Staff, StaffAction, StaffRequest, StaffRole};

pub fn hit(hit: &SearchHit) -> Value {
    json!({
        "kind": hit.kind.path_name(), "id": hit.id.to_string(), "label": hit.label, "status": hit.status,
    })
}

pub fn object(view: &ObjectView, timeline: &[AuditRecord]) -> Value {
    let facts = view.facts.iter().map(|(label, value)| json!({ "label": label, "value": value }));
    let related = view.related.iter().map(|related| {
        json!({
            "kind": related.kind.path_name(), "id": related.id, "label": related.label,
            "relation": related.relation,
        })
    });
    let timeline = timeline.iter().map(|event| {
        json!({
            "at": format_timestamp(event.at), "actor": event.actor, "action": event.action,
            "object": event.object, "detail": event.detail,
        })
    });
    json!({
        "kind": view.kind.path_name(), "id": view.id, "title": view.title, "status": view.status,
        "facts": facts.collect::<Vec<_>>(), "related": related.collect::<Vec<_>>(),
        "timeline": timeline.collect::<Vec<_>>(), "actions": available(&view.actions),
    })
}

pub fn count(count: &WorkListCount) -> Value {
    json!({
        "name": count.kind.name(), "title": count.kind.title(), "count": count.count, "more": count.more,
    })
}

pub fn work_list(list: &WorkList) -> Value {
    let rows = list.rows.iter().map(|row| {
        let object = row.object.as_ref().map(|(kind, id)| json!({ "kind": kind.path_name(), "id": id }));
        json!({ "object": object, "cells": row.cells, "actions": available(&row.actions) })
    });
    json!({
        "name": list.kind.name(), "title": list.kind.title(), "columns": list.columns,
        "rows": rows.collect::<Vec<_>>(), "more": list.more,
    })
}

fn available(actions: &[AvailableAction]) -> Vec<Value> {
    let action = |available: &AvailableAction| {
        let parameters: Map<String, Value> =
            available.parameters.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        json!({ "name": available.action.name(), "parameters": parameters })
    };
    actions.iter().map(action).collect()
}

/// An action of the list, and what the person may do with it.
pub fn action(action: StaffAction, person: &Staff) -> Value {
    let (rule, roles) = (action.rule(), |roles: &[StaffRole]| -> Vec<&str> {
        roles.iter().map(|role| role.name()).collect()
    });
    let second = match rule.second_person {
        SecondPerson::Never => "never",
        SecondPerson::Always => "always",
        SecondPerson::AfterUnblocks => "afterUnblocks",
        SecondPerson::WithAdministrators => "withAdministrators",
    };
    json!({
        "name": action.name(), "title": action.title(), "parameters": parameter_names(action),
        "requestedBy": roles(rule.request), "approvedBy": roles(rule.approve), "secondPerson": second,
        "mayRequest": parameter_names(action).is_some() && rule.request.contains(&person.role),
        "mayApprove": rule.approve.contains(&person.role),
    })
}

/// What an action did. The token of an enrolment link is returned once.
pub fn outcome(outcome: &ActionOutcome) -> Value {
    let enrolment = outcome.enrolment.as_ref().map(|token| token.expose().clone());
    json!({ "status": "done", "outcome": outcome.text, "enrolmentToken": enrolment })
}

pub fn request(request: &StaffRequest) -> Result<Value, UseCaseError> {
    let given = ActionParameters::from_json(&request.parameters).map_err(UseCaseError::from)?;
    let parameters: Map<String, Value> =
        given.names().map(|name| (name.to_owned(), json!(given.get(name)))).collect();
    Ok(json!({
        "id": request.id.to_string(), "action": request.action.name(), "parameters": parameters,
        "reason": request.reason, "requestedBy": request.requested_by.to_string(),
        "requestedAt": format_timestamp(request.requested_at),
        "expiresAt": format_timestamp(request.expires_at), "status": request.status.name(),
        "decidedBy": request.decided_by.map(|id| id.to_string()),
        "decidedAt": request.decided_at.map(format_timestamp), "outcome": request.outcome,
    }))
}
