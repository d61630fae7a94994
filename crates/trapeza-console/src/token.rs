//! The caller's tokens of the admin API.

use crate::console_request::ConsoleRequest;
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_domain::field::Field;
use trapeza_domain::id::StaffTokenId;
use trapeza_domain::staff::MAX_TOKEN_DAYS;
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, format_time, is_form_error};

const PATH: &str = "/console/account/tokens";

pub async fn show(request: &ConsoleRequest) -> PageResult {
    Ok(page(request, form(request)).await?.ok(request))
}

pub async fn create(request: &ConsoleRequest) -> PageResult {
    let caller = request.signed_in()?.staff.id;
    let days = request.web.field("days").trim().parse().unwrap_or_default();
    match request.app().staff_token_create(caller, request.web.field("name"), days).await {
        Ok((_, token)) => {
            let page = Page::new("New token")
                .with(Block::text("Store it where only your program reads it. It acts with your role."))
                .with(Block::Secrets(vec![("Token, shown only now".to_owned(), token.expose().clone())]))
                .with(Block::links([(PATH, "Tokens")]));
            Ok(page.ok(request))
        }
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let names = [(Field::Name, "name"), (Field::TokenDays, "days")];
            let form = form(request).filled(&request.web).refused(&refusal, &names);
            Ok(page(request, form).await?.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

pub async fn revoke(request: &ConsoleRequest) -> PageResult {
    let id = request.id("token", StaffTokenId::parse)?;
    request.app().staff_token_revoke(request.signed_in()?.staff.id, id).await?;
    Ok(redirect(PATH))
}

async fn page(request: &ConsoleRequest, form: Form) -> Result<Page, UseCaseError> {
    let tokens = request.app().staff_token_list(request.signed_in()?.staff.id).await?;
    let rows = tokens.iter().map(|token| {
        vec![
            Cell::text(&token.name),
            Cell::text(format_time(token.created_at)),
            Cell::text(format_time(token.expires_at)),
            Cell::text(token.last_used_at.map_or_else(|| "never".to_owned(), format_time)),
        ]
    });
    let table = Table {
        label: "Tokens".to_owned(),
        head: vec!["Name", "Created", "Expires", "Last used"],
        rows: rows.collect(),
        empty: "You have no tokens.",
    };
    let text = "A token is for a program of your own that uses the admin API. It acts with your role, and what it does is recorded under your name.";
    let mut page = Page::new("Tokens").with(Block::text(text)).with(Block::Table(table));
    for token in &tokens {
        let path = format!("{PATH}/{}/revoke", token.id);
        let revoke = Form::new(&request.web, &path, &format!("Revoke {}", token.name)).class("no");
        page = page.with(Block::action(revoke));
    }
    Ok(page.with(Block::heading("New token")).with(Block::form(form)))
}

fn form(request: &ConsoleRequest) -> Form {
    Form::new(&request.web, PATH, "Create a token")
        .field(Input::text("name", "Name").hint("What it is for, for example: daily report."))
        .field(Input::text("days", "Days").value("30").hint(&format!("1 to {MAX_TOKEN_DAYS}.")))
}
