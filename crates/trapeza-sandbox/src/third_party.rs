//! The sample third party at `/sample/tpp`: a consent with the accounts behind it, and a payment that the customer authorises by
//! redirect, in the bank's app or on the third party's own page.
//!
//! Every form ends with a redirect to the page, which shows the walk as it is stored. The walk's id is also the `state` of the URI to
//! which the customer returns from the bank.

mod flow;
mod view;
mod walk;

use crate::bank_client::BankClient;
use crate::setup::TppCredentials;
use crate::visit;
use crate::walk_table::WalkTable;
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use std::sync::Arc;
use trapeza_http::AppState;
use trapeza_web::layout::redirect;
use trapeza_web::page_request::PageRequest;
use walk::Walk;

pub const PATH: &str = "/sample/tpp";
pub const RETURN_PATH: &str = "/sample/tpp/return";

pub struct ThirdParty {
    client: Arc<BankClient>,
    credentials: TppCredentials,
    walks: WalkTable<Walk>,
    /// Held from the registration of a redirect URI to its use: an application's URIs are replaced as a whole.
    registration: tokio::sync::Mutex<()>,
}

impl ThirdParty {
    pub fn new(client: Arc<BankClient>, credentials: TppCredentials) -> Self {
        let (walks, registration) = (WalkTable::default(), tokio::sync::Mutex::default());
        Self { client, credentials, walks, registration }
    }
}

/// The page and its forms.
pub async fn page(tpp: Arc<ThirdParty>, state: Arc<AppState>, request: Request) -> Response {
    let is_form = request.method() == Method::POST;
    let request = match visit::read(state, PATH, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    let walk = tpp.walks.find(&request.session);
    if !is_form {
        return match walk {
            Some(walk) => view::show(&tpp, &request, &walk).await,
            None => view::start(&tpp, &request).await,
        };
    }
    submit(&tpp, &request, walk).await
}

async fn submit(tpp: &ThirdParty, request: &PageRequest, walk: Option<Walk>) -> Response {
    let step = request.field("step");
    if step == "start" {
        let mut walk = Walk::of_form(request);
        tpp.begin(&mut walk, &request.state.settings.public_url).await;
        tpp.walks.store(&request.session, walk);
        return redirect(PATH);
    }
    let Some(mut walk) = walk else { return visit::no_walk(request, PATH) };
    if request.field("walk") != walk.id {
        return visit::other_walk(request, PATH);
    }
    if step == "new" {
        tpp.walks.delete(&request.session);
        return redirect(PATH);
    }
    walk.error = None;
    match step {
        "password" => tpp.password(&mut walk, request.field("password")).await,
        "method" => tpp.method(&mut walk, request.field("method")).await,
        "code" => tpp.code(&mut walk, request.field("code")).await,
        "read" => tpp.read_accounts(&mut walk).await,
        "delete" => tpp.delete_consent(&mut walk).await,
        _ => tpp.check(&mut walk).await,
    }
    tpp.walks.store(&request.session, walk);
    redirect(PATH)
}

/// The customer's return from the bank's page. Only the status counts, never the URI: a browser can change it.
pub async fn back(tpp: Arc<ThirdParty>, state: Arc<AppState>, request: Request) -> Response {
    let request = match visit::read(state, RETURN_PATH, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    let Some(mut walk) = tpp.walks.find(&request.session) else { return visit::no_walk(&request, PATH) };
    if request.query("state").as_deref() != Some(walk.id.as_str()) {
        return visit::other_walk(&request, PATH);
    }
    walk.error = None;
    tpp.check(&mut walk).await;
    tpp.walks.store(&request.session, walk);
    redirect(PATH)
}
