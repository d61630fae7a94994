//! The search over everything that the bank has.

use crate::console_request::ConsoleRequest;
use crate::object;
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_domain::field::Field;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, Page, Table, is_form_error};
use url::form_urlencoded;

const PATH: &str = "/console/search";

pub async fn show(request: &ConsoleRequest) -> PageResult {
    let form = form().filled_from_query(&request.web);
    let Some(text) = request.web.query("q") else {
        return Ok(Page::new("Search").with(Block::form(form)).ok(request));
    };
    match request.app().staff_search(request.signed_in()?.staff.id, &text).await {
        Ok(hits) => {
            let rows = hits.into_iter().map(|hit| {
                vec![
                    Cell::text(hit.kind.name()),
                    Cell::link(object::path(hit.kind, &hit.id.to_string()), hit.label),
                    Cell::text(hit.status),
                ]
            });
            let table = Table {
                label: "Found".to_owned(),
                head: vec!["Kind", "Object", "Status"],
                rows: rows.collect(),
                empty: "Nothing was found. Search by a whole id, IBAN, telephone number, login, name, order number or reference.",
            };
            Ok(Page::new("Search").with(Block::form(form)).with(Block::Table(table)).ok(request))
        }
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = form.refused(&refusal, &[(Field::SearchText, "q")]);
            Ok(Page::new("Search").with(Block::form(form)).respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

/// The address of a search.
pub fn path(text: &str) -> String {
    let query = form_urlencoded::Serializer::new(String::new()).append_pair("q", text).finish();
    format!("{PATH}?{query}")
}

pub fn form() -> Form {
    let label = "A name, telephone number, IBAN, order number, reference or any id";
    Form::search(PATH, "Search").field(Input::text("q", label))
}
