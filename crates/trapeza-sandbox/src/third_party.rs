//! The sample third party at `/sample/tpp`: a consent with the accounts behind it, and a payment that the customer authorises by
//! redirect, in the bank's app or on the third party's own page.
//!
//! Every form ends with a redirect to the page, which shows the walkthrough as it is stored. The walkthrough's id is also the `state` of the URI to
//! which the customer returns from the bank.

mod flow;
mod view;
mod walkthrough;

use crate::bank_client::BankClient;
use crate::setup::TppCredentials;
use crate::visit::{self, SAMPLE_COOKIE};
use crate::walkthrough_table::WalkthroughTable;
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use std::sync::Arc;
use trapeza_http::AppState;
use trapeza_web::layout::redirect;
use trapeza_web::page_request::PageRequest;
use walkthrough::Walkthrough;

pub const PATH: &str = "/sample/tpp";
pub const RETURN_PATH: &str = "/sample/tpp/return";

pub struct ThirdParty {
    client: Arc<BankClient>,
    credentials: TppCredentials,
    walkthroughs: WalkthroughTable<Walkthrough>,
    /// Held from the registration of a redirect URI to its use: an application's URIs are replaced as a whole.
    registration: tokio::sync::Mutex<()>,
}

impl ThirdParty {
    pub fn new(client: Arc<BankClient>, credentials: TppCredentials) -> Self {
        let (walkthroughs, registration) = (WalkthroughTable::default(), tokio::sync::Mutex::default());
        Self { client, credentials, walkthroughs, registration }
    }
}

/// The page and its forms.
pub async fn page(tpp: Arc<ThirdParty>, state: Arc<AppState>, request: Request) -> Response {
    let is_form = request.method() == Method::POST;
    let request = match visit::read(state, SAMPLE_COOKIE, PATH, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    let walkthrough = tpp.walkthroughs.find(&request.session);
    if !is_form {
        return match walkthrough {
            Some(walkthrough) => view::show(&tpp, &request, &walkthrough).await,
            None => view::start(&tpp, &request).await,
        };
    }
    submit(&tpp, &request, walkthrough).await
}

async fn submit(tpp: &ThirdParty, request: &PageRequest, walkthrough: Option<Walkthrough>) -> Response {
    let step = request.field("step");
    if step == "start" {
        let mut walkthrough = Walkthrough::of_form(request);
        tpp.begin(&mut walkthrough, &request.state.settings.public_url).await;
        tpp.walkthroughs.store(&request.session, walkthrough);
        return redirect(PATH);
    }
    let Some(mut walkthrough) = walkthrough else { return visit::no_walkthrough(request, PATH) };
    if request.field("walkthrough") != walkthrough.id {
        return visit::other_walkthrough(request, PATH);
    }
    if step == "new" {
        tpp.walkthroughs.delete(&request.session);
        return redirect(PATH);
    }
    walkthrough.error = None;
    match step {
        "password" => tpp.password(&mut walkthrough, request.field("password")).await,
        "method" => tpp.method(&mut walkthrough, request.field("method")).await,
        "code" => tpp.code(&mut walkthrough, request.field("code")).await,
        "read" => tpp.read_accounts(&mut walkthrough).await,
        "delete" => tpp.delete_consent(&mut walkthrough).await,
        _ => tpp.check(&mut walkthrough).await,
    }
    tpp.walkthroughs.store(&request.session, walkthrough);
    redirect(PATH)
}

/// The customer's return from the bank's page. Only the status counts, never the URI: a browser can change it.
pub async fn back(tpp: Arc<ThirdParty>, state: Arc<AppState>, request: Request) -> Response {
    let request = match visit::read(state, SAMPLE_COOKIE, RETURN_PATH, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    let Some(mut walkthrough) = tpp.walkthroughs.find(&request.session) else {
        return visit::no_walkthrough(&request, PATH);
    };
    if request.query("state").as_deref() != Some(walkthrough.id.as_str()) {
        return visit::other_walkthrough(&request, PATH);
    }
    walkthrough.error = None;
    tpp.check(&mut walkthrough).await;
    tpp.walkthroughs.store(&request.session, walkthrough);
    redirect(PATH)
}
