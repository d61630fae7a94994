//! Keys and webhook secrets: created, rotated and retired, shown once.

use super::{application_page, id, path};
use crate::portal_request::PortalRequest;
use trapeza_app::application::{active_keys, key_id};
use trapeza_app::audit::run_as_member;
use trapeza_app::organisation::PortalApplication;
use trapeza_domain::organisation::MemberRole;
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Table, format_time, is_confirmed};

pub async fn create(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    request.app().portal_application(caller, id, MemberRole::Developer).await?;
    let issued = run_as_member(caller.member.id, request.app().key_issue(id)).await?;
    let blocks = new_secret_blocks(
        "The new key is active. Retire the old one when your systems use it.",
        "Key",
        issued.subscription_key.expose(),
    );
    Ok(application_page(request, blocks, None).await?.ok(request))
}

pub async fn retire(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    request.app().portal_application(caller, id, MemberRole::Developer).await?;
    let (key, is_confirmed) = (request.parameter("key"), is_confirmed(&request.web));
    run_as_member(caller.member.id, request.app().key_retire(id, key, is_confirmed)).await?;
    Ok(redirect(&path(id, "")))
}

pub async fn webhook_secret_create(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    request.app().portal_application(caller, id, MemberRole::Developer).await?;
    let secret = run_as_member(caller.member.id, request.app().webhook_secret_rotate(id)).await?;
    let text = "Both secrets sign from now on. Retire the old one when your systems verify with the new one.";
    let blocks = new_secret_blocks(text, "Webhook secret", secret.expose());
    Ok(application_page(request, blocks, None).await?.ok(request))
}

pub async fn webhook_secret_retire(request: &PortalRequest) -> PageResult {
    let (caller, id) = (request.signed_in()?, id(request)?);
    request.app().portal_application(caller, id, MemberRole::Developer).await?;
    run_as_member(caller.member.id, request.app().webhook_secret_retire(id)).await?;
    Ok(redirect(&path(id, "")))
}

fn new_secret_blocks(text: &str, label: &str, secret: &str) -> Vec<Block> {
    vec![
        Block::Good(text.to_owned()),
        Block::Secrets(vec![(format!("{label}, shown only now"), secret.to_owned())]),
    ]
}

pub fn blocks(request: &PortalRequest, view: &PortalApplication, can_change: bool) -> Vec<Block> {
    let application = view.record.application.id;
    let active = active_keys(&view.keys);
    let rows = view.keys.iter().map(|key| {
        let retire = path(application, &format!("/keys/{}/retire", key_id(key)));
        let is_active = key.retired_at.is_none();
        let action = if can_change && is_active {
            let form = Form::new(&request.web, &retire, "Retire").class("no");
            Cell::Forms(vec![match active {
                1 => form.field(Input::confirmation("The last key: every call fails without one")),
                _ => form,
            }])
        } else {
            Cell::text("")
        };
        vec![
            Cell::text(key_id(key)),
            Cell::text(format_time(key.created_at)),
            Cell::text(key.last_used_at.map_or("never".to_owned(), format_time)),
            Cell::text(
                key.retired_at.map_or("active".to_owned(), |at| format!("retired {}", format_time(at))),
            ),
            action,
        ]
    });
    let table = Table {
        label: "Keys".to_owned(),
        head: vec!["Id", "Created", "Last used", "Status", "Action"],
        rows: rows.collect(),
        empty: "There are no keys.",
    };
    let mut blocks = vec![Block::heading("Keys"), Block::Table(table)];
    if can_change && active < super::MAX_KEYS {
        blocks.push(Block::form(Form::new(&request.web, &path(application, "/keys/create"), "Create a key")));
    }
    blocks
}

pub fn webhook_secret_blocks(
    request: &PortalRequest,
    view: &PortalApplication,
    can_change: bool,
) -> Vec<Block> {
    let application = view.record.application.id;
    let text = match view.webhook_secrets {
        0 => "No webhook secret signs.",
        1 => "One webhook secret signs.",
        _ => "Two webhook secrets sign.",
    };
    let mut blocks = vec![Block::heading("Webhook secret"), Block::text(text)];
    if can_change {
        blocks.push(Block::form(match view.webhook_secrets {
            0 | 1 => {
                Form::new(&request.web, &path(application, "/webhook-secret/create"), "Create another secret")
            }
            _ => {
                Form::new(&request.web, &path(application, "/webhook-secret/retire"), "Retire the old secret")
                    .class("no")
            }
        }));
    }
    blocks
}
