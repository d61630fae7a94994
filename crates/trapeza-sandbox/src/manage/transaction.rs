//! The transactions of one account, at `/sandbox?account=IBAN`.

use super::PATH;
use crate::bank_client::{BankClient, Call};
use crate::page::respond;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Value;
use trapeza_web::page_request::PageRequest;
use trapeza_web::site::{Block, Page, Table};

/// The page of an account, from a cursor on.
pub fn address(iban: &str, currency: &str, after: &str) -> String {
    format!("{PATH}?{}", query(iban, currency, after))
}

pub async fn show(client: &BankClient, request: &PageRequest, iban: &str) -> Response {
    let asked = |name| request.query(name).unwrap_or_default();
    let (currency, after) = (asked("currency"), asked("after"));
    let listed =
        client.send(Call::get(&format!("/sandbox/transactions?{}", query(iban, &currency, &after)))).await;
    let mut page = Page::new("Transactions");
    if !listed.is_success() {
        for (field, text) in listed.errors() {
            let text = if field.is_empty() { text } else { format!("{field}: {text}") };
            page = page.with(Block::Bad(text));
        }
        page = page.with(Block::links([(PATH, "All accounts")]));
        let status = StatusCode::from_u16(listed.status).unwrap_or(StatusCode::BAD_GATEWAY);
        return respond(&page, request, status);
    }
    page = page
        .with(Block::Text(format!("Account {iban}, newest first.")))
        .with(Block::Table(table(&listed.value)));
    let mut links = vec![(PATH.to_owned(), "All accounts".to_owned())];
    if let Some(cursor) = listed.value["cursor"].as_str() {
        links.insert(0, (address(iban, &currency, cursor), "Older".to_owned()));
    }
    respond(&page.with(Block::Links(links)), request, StatusCode::OK)
}

fn table(response: &Value) -> Table {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row = |one: &Value| {
        let is_pending = one["pending"].as_bool().unwrap_or_default();
        let about = ["remittance", "additionalInformation"].map(|name| text(&one[name]));
        let about: Vec<_> = about.into_iter().filter(|text| !text.is_empty()).collect();
        vec![
            if is_pending { "pending".to_owned() } else { text(&one["bookingDate"]) },
            format!("{} {}", text(&one["amount"]), text(&one["currency"])),
            text(&one["counterpartyName"]),
            about.join("; "),
        ]
    };
    let rows = response["transactions"].as_array().into_iter().flatten().map(row);
    Table::of_text(
        "Transactions",
        ["Booked", "Amount", "Other party", "About"],
        rows,
        "The account has none.",
    )
}

/// The query of the list. What the visitor has not given is absent.
fn query(iban: &str, currency: &str, after: &str) -> String {
    let given = [("account", iban), ("currency", currency), ("after", after)];
    let given = given.into_iter().filter(|(name, value)| *name == "account" || !value.is_empty());
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(given).finish()
}
