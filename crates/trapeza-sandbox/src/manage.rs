//! The page at `/sandbox`, which does by forms what the operations under `/sandbox/…` do: it shows the customers, creates customers,
//! accounts, cards and transactions, lists the transactions of an account, moves the clock, and exports, imports and resets the bank.
//!
//! The fields of its forms have the names of the request bodies, so that the errors of the interface mark the fields of the form.

mod creation;
mod multipart;
mod transaction;

use crate::bank_client::{BankClient, Call, Exchange};
use crate::page::{self, step_form};
use crate::visit::{self, SANDBOX_COOKIE};
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use creation::{CREATIONS, Creation};
use serde_json::{Value, json};
use std::sync::Arc;
use trapeza_http::AppState;
use trapeza_web::layout::redirect;
use trapeza_web::page_request::PageRequest;
use trapeza_web::site::{Block, Cell, Input, Page, Table, readable_time};

pub const PATH: &str = "/sandbox";
pub const IMPORT_PATH: &str = "/sandbox/import";

/// The largest upload: the largest file that the bank imports, and what a browser adds to it.
const MAX_UPLOAD_BYTES: usize = (32 << 20) + 4096;

/// Errors of the form that was submitted.
type StepErrors<'a> = Option<(&'a str, Vec<(String, String)>)>;

/// The page and its forms.
pub async fn page(client: Arc<BankClient>, state: Arc<AppState>, request: Request) -> Response {
    let is_form = request.method() == Method::POST;
    let request = match visit::read(state, SANDBOX_COOKIE, PATH, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    if !is_form && let Some(account) = request.query("account") {
        return transaction::show(&client, &request, &account).await;
    }
    if !is_form {
        return show(&client, &request, None).await;
    }
    let step = request.field("step").to_owned();
    let answered = match (step.as_str(), CREATIONS.iter().find(|creation| creation.step == step)) {
        (_, Some(creation)) => client.send(Call::post(creation.path, creation.body(&request))).await,
        ("clock", None) => {
            client.send(Call::post("/sandbox/clock", json!({ "advance": request.field("advance") }))).await
        }
        ("reset", None) if request.field("sure").is_empty() => {
            let error = ("sure".to_owned(), "must be ticked: everything is deleted".to_owned());
            return show(&client, &request, Some(("reset", vec![error]))).await;
        }
        ("reset", None) => client.send(Call::post("/sandbox/reset", json!({}))).await,
        _ => return redirect(PATH),
    };
    respond(&client, &request, &step, &answered).await
}

/// The import of a bank from an uploaded file.
pub async fn import(client: Arc<BankClient>, state: Arc<AppState>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let kind = parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.unwrap_or_default().to_owned();
    let body = to_bytes(body, MAX_UPLOAD_BYTES).await.unwrap_or_default();
    let token =
        multipart::field(&kind, &body, "csrf").and_then(|token| String::from_utf8(token.to_vec()).ok());
    // The token is read like that of any form.
    let form = Body::from(format!("csrf={}", token.unwrap_or_default()));
    let request =
        match visit::read(state, SANDBOX_COOKIE, IMPORT_PATH, Request::from_parts(parts, form)).await {
            Ok(request) => request,
            Err(response) => return response,
        };
    let file = multipart::field(&kind, &body, "file").filter(|file| !file.is_empty());
    let Some(file) = file else {
        let error = ("file".to_owned(), "is required, at most 32 MiB".to_owned());
        return show(&client, &request, Some(("import", vec![error]))).await;
    };
    let answered = client.send(Call::post_file("/sandbox/bank", file)).await;
    respond(&client, &request, "import", &answered).await
}

/// After a form: the page with a confirmation, or with the errors of the form.
async fn respond(client: &BankClient, request: &PageRequest, step: &str, answered: &Exchange) -> Response {
    if answered.is_success() {
        return redirect(&format!("{PATH}?done={step}"));
    }
    show(client, request, Some((step, answered.errors()))).await
}

async fn show(client: &BankClient, request: &PageRequest, errors: StepErrors<'_>) -> Response {
    let (clock, customers, outcomes) = (
        client.send(Call::get("/sandbox/clock")).await,
        client.send(Call::get("/sandbox/customers")).await,
        client.send(Call::get("/sandbox/outcomes")).await,
    );
    let mut page = Page::new("Sandbox");
    if let Some(text) = request.query("done").and_then(|step| confirmation(&step)) {
        page = page.with(Block::Good(text.to_owned()));
    }
    let find =
        |step: &str| errors.as_ref().filter(|(failed, _)| *failed == step).map(|(_, errors)| &**errors);
    let advance = Input::text("advance", "Move it forward by")
        .hint("An ISO 8601 duration: P1D is a day, PT5S five seconds.");
    let advance = advance.value(if find("clock").is_some() { request.field("advance") } else { "P1D" });
    let clock_form = step_form(request, PATH, "clock", "Move the clock").field(advance);
    page = page
        .with(Block::heading("Clock"))
        .with(Block::Text(format!("It is {}.", readable_time(clock.text("/now")))))
        .with(Block::form(clock_form.errors(find("clock").unwrap_or_default())))
        .with(Block::links([("/sandbox/messages", "Messages to customers")]))
        .with(Block::heading("Customers"))
        .with(Block::Table(customer_table(&customers.value)));
    for creation in &CREATIONS {
        page = page.with(Block::heading(creation.title));
        page = page.with(Block::form(creation.form(request, find(creation.step))));
    }
    page = page.with_all(bank_blocks(request, find("import"), find("reset")));
    page = page.with(Block::heading("Inputs with a fixed outcome"));
    page = page.with(Block::Table(outcome_table(&outcomes.value)));
    let status = if errors.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    page::respond(&page, request, status)
}

/// Export, import and reset.
fn bank_blocks(
    request: &PageRequest,
    import: Option<&[(String, String)]>,
    reset: Option<&[(String, String)]>,
) -> Vec<Block> {
    let file = Input::file("file", "File of an export", "application/json,.json");
    let import_form =
        step_form(request, IMPORT_PATH, "import", "Replace the bank by this file").class("no").field(file);
    let sure = Input::check("sure", "Delete all customers, consents, payments and loans");
    let reset_form = step_form(request, PATH, "reset", "Return to the demo bank").class("no").field(sure);
    vec![
        Block::heading("Export and import"),
        Block::text(
            "A file has all customers, accounts, cards and transactions. A test suite that imports it starts from a known state.",
        ),
        Block::Download("/sandbox/bank".to_owned(), "Export the bank".to_owned(), "bank.json".to_owned()),
        Block::form(import_form.errors(import.unwrap_or_default())),
        Block::heading("Reset"),
        Block::form(reset_form.errors(reset.unwrap_or_default())),
    ]
}

/// What a step has done, in a sentence.
fn confirmation(step: &str) -> Option<&'static str> {
    let created = CREATIONS.iter().find(|creation| creation.step == step).map(Creation::done);
    match step {
        "clock" => Some("The clock was moved, and everything due by then is done."),
        "reset" => Some("The bank is the demo bank again."),
        "import" => Some("The bank is that of the file."),
        _ => created,
    }
}

fn customer_table(response: &Value) -> Table {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let account = |account: &Value| {
        let (iban, currency) = (text(&account["iban"]), text(&account["currency"]));
        let sum = format!("{} {currency}", text(&account["booked"]));
        (transaction::address(&iban, &currency, ""), iban, sum)
    };
    let row = |customer: &Value| {
        let accounts = customer["accounts"].as_array().into_iter().flatten().map(account);
        vec![
            Cell::text(text(&customer["name"])),
            Cell::text(text(&customer["psuId"])),
            Cell::text(text(&customer["password"])),
            Cell::Links(accounts.collect()),
        ]
    };
    Table {
        label: "Customers".to_owned(),
        head: vec!["Name", "User id", "Password", "Accounts with booked balances"],
        rows: response["customers"].as_array().into_iter().flatten().map(row).collect(),
        empty: "The bank has no customers.",
    }
}

fn outcome_table(response: &Value) -> Table {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let row = |entry: &Value| vec![text(&entry["input"]), text(&entry["value"]), text(&entry["outcome"])];
    let rows = response["outcomes"].as_array().into_iter().flatten().map(row);
    Table::of_text("Outcomes", ["Input", "Value", "Outcome"], rows, "")
}
