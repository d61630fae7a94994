//! Pages that exist in the sandbox only: a sample third party (`/sample/tpp`), a sample shop (`/sample/shop`) and the page that
//! manages the sandbox (`/sandbox`). They are in English and work without scripts.
//!
//! The pages use nothing but the public interface: [`bank_client`] sends real HTTP requests to the program's own listener, as any
//! caller would. They have no access to the store and call no use case; the program passes the address and the keys of the sample
//! applications ([`SandboxSetup`]). What a visitor has done so far is in memory ([`walkthrough_table`]), bounded in number and age.

mod bank_client;
mod callback;
mod manage;
mod page;
mod setup;
mod shop;
mod third_party;
mod visit;
mod walkthrough_table;

pub use setup::{SandboxSetup, ShopCredentials, TppCredentials};

use axum::Router;
use axum::extract::{Request, State};
use axum::routing::{get, post};
use bank_client::BankClient;
use shop::Shop;
use std::sync::Arc;
use third_party::ThirdParty;
use trapeza_http::AppState;

/// The routes of a sandbox.
pub fn routes(setup: SandboxSetup) -> Router<Arc<AppState>> {
    let SandboxSetup { listener, tpp, shop } = setup;
    let client = Arc::new(BankClient::new(listener));
    let tpp = Arc::new(ThirdParty::new(client.clone(), tpp));
    let shop = Arc::new(Shop::new(client.clone(), shop));
    Router::new().merge(third_party_routes(tpp)).merge(shop_routes(shop)).merge(manage_routes(client))
}

fn third_party_routes(tpp: Arc<ThirdParty>) -> Router<Arc<AppState>> {
    let (page, back) = (tpp.clone(), tpp);
    let page = move |State(state): State<Arc<AppState>>, request: Request| {
        third_party::page(page.clone(), state, request)
    };
    let back = move |State(state): State<Arc<AppState>>, request: Request| {
        third_party::back(back.clone(), state, request)
    };
    Router::new()
        .route(third_party::PATH, get(page.clone()).post(page))
        .route(third_party::RETURN_PATH, get(back))
}

fn manage_routes(client: Arc<BankClient>) -> Router<Arc<AppState>> {
    let (page, import) = (client.clone(), client);
    let page = move |State(state): State<Arc<AppState>>, request: Request| {
        manage::page(page.clone(), state, request)
    };
    let import = move |State(state): State<Arc<AppState>>, request: Request| {
        manage::import(import.clone(), state, request)
    };
    Router::new().route(manage::PATH, get(page.clone()).post(page)).route(manage::IMPORT_PATH, post(import))
}

fn shop_routes(shop: Arc<Shop>) -> Router<Arc<AppState>> {
    let (page, back, hook) = (shop.clone(), shop.clone(), shop);
    let page =
        move |State(state): State<Arc<AppState>>, request: Request| shop::page(page.clone(), state, request);
    let back =
        move |State(state): State<Arc<AppState>>, request: Request| shop::back(back.clone(), state, request);
    let hook = move |request: Request| shop::receive(hook.clone(), request);
    Router::new()
        .route(shop::PATH, get(page.clone()).post(page))
        .route(shop::RETURN_PATH, get(back))
        .route(shop::CALLBACK_PATH, post(hook))
}
