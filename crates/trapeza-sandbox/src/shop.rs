//! The sample shop at `/sample/shop`: a cart, a basket that the bank finances at its checkout, the return with the outcome, the loan
//! behind it, and refunds. The bank's signed callback arrives at `/sample/shop/callback` and is shown with the walkthrough.

mod flow;
mod view;

use crate::bank_client::{BankClient, Exchange, random_hex};
use crate::callback::{Callback, CallbackList};
use crate::setup::ShopCredentials;
use crate::visit::{self, SAMPLE_COOKIE};
use crate::walkthrough_table::WalkthroughTable;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use trapeza_http::AppState;
use trapeza_web::layout::redirect;
use trapeza_web::page_request::PageRequest;

pub const PATH: &str = "/sample/shop";
pub const RETURN_PATH: &str = "/sample/shop/return";
pub const CALLBACK_PATH: &str = "/sample/shop/callback";

/// The largest callback that is read.
const MAX_CALLBACK_BYTES: usize = 64 * 1024;
/// Maximum number of calls that a walkthrough shows; the oldest are dropped.
const MAX_CALLS: usize = 40;

/// What the shop sells: field of the form, name and price in cents.
const PRODUCTS: [(&str, &str, u32); 3] =
    [("lamp", "Reading lamp", 4_500), ("chair", "Reading chair", 18_900), ("books", "Box of books", 3_725)];

pub struct Shop {
    client: Arc<BankClient>,
    credentials: ShopCredentials,
    walkthroughs: WalkthroughTable<Walkthrough>,
    callbacks: CallbackList,
}

/// The state of a visitor's walkthrough.
#[derive(Clone, Debug)]
struct Walkthrough {
    /// Also the `state` of the redirect addresses.
    id: String,
    /// The quantities of the products.
    quantities: [u32; PRODUCTS.len()],
    /// Empty until the bank has created the basket.
    basket: String,
    checkout_url: String,
    /// The status of the loan as the bank names it.
    loan_status: String,
    approved_amount: String,
    refunded_amount: String,
    /// The remaining installments: due date and amount.
    installments: Vec<Vec<String>>,
    is_back_from_checkout: bool,
    /// Why the last step was refused: fields of its form with their errors.
    errors: Vec<(String, String)>,
    calls: Vec<Exchange>,
}

impl Shop {
    pub fn new(client: Arc<BankClient>, credentials: ShopCredentials) -> Self {
        Self {
            client,
            credentials,
            walkthroughs: WalkthroughTable::default(),
            callbacks: CallbackList::default(),
        }
    }
}

impl Walkthrough {
    fn of_form(request: &PageRequest) -> Self {
        let text = String::new;
        Self {
            id: random_hex(),
            quantities: PRODUCTS.map(|(field, _, _)| request.field(field).parse().unwrap_or(0)),
            basket: text(),
            checkout_url: text(),
            loan_status: text(),
            approved_amount: text(),
            refunded_amount: text(),
            installments: Vec::new(),
            is_back_from_checkout: false,
            errors: Vec::new(),
            calls: Vec::new(),
        }
    }

    fn total_cents(&self) -> u32 {
        let sums = self.quantities.iter().zip(PRODUCTS);
        sums.map(|(quantity, (_, _, price))| quantity * price).sum()
    }

    fn record(&mut self, exchange: &Exchange) {
        if self.calls.len() >= MAX_CALLS {
            self.calls.remove(0);
        }
        self.calls.push(exchange.clone());
    }
}

/// The page and its forms.
pub async fn page(shop: Arc<Shop>, state: Arc<AppState>, request: Request) -> Response {
    let is_form = request.method() == Method::POST;
    let request = match visit::read(state, SAMPLE_COOKIE, PATH, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    let walkthrough = shop.walkthroughs.find(&request.session);
    if !is_form {
        return view::show(&shop, &request, walkthrough.as_ref());
    }
    submit(&shop, &request, walkthrough).await
}

async fn submit(shop: &Shop, request: &PageRequest, walkthrough: Option<Walkthrough>) -> Response {
    let step = request.field("step");
    if step == "start" {
        let mut walkthrough = Walkthrough::of_form(request);
        shop.begin(&mut walkthrough, &request.state.settings.public_url).await;
        shop.walkthroughs.store(&request.session, walkthrough);
        return redirect(PATH);
    }
    let Some(mut walkthrough) = walkthrough else { return visit::no_walkthrough(request, PATH) };
    if request.field("walkthrough") != walkthrough.id {
        return visit::other_walkthrough(request, PATH);
    }
    if step == "new" {
        shop.walkthroughs.delete(&request.session);
        return redirect(PATH);
    }
    walkthrough.errors = Vec::new();
    match step {
        "refund" => shop.refund(&mut walkthrough, request.field("amount")).await,
        "void" => shop.void(&mut walkthrough).await,
        _ => shop.check(&mut walkthrough).await,
    }
    shop.walkthroughs.store(&request.session, walkthrough);
    redirect(PATH)
}

/// The shopper's return from the checkout. Only the loan's status counts, never the address: a browser can change it.
pub async fn back(shop: Arc<Shop>, state: Arc<AppState>, request: Request) -> Response {
    let request = match visit::read(state, SAMPLE_COOKIE, RETURN_PATH, request).await {
        Ok(request) => request,
        Err(response) => return response,
    };
    let Some(mut walkthrough) = shop.walkthroughs.find(&request.session) else {
        return visit::no_walkthrough(&request, PATH);
    };
    if request.query("state").as_deref() != Some(walkthrough.id.as_str()) {
        return visit::other_walkthrough(&request, PATH);
    }
    (walkthrough.errors, walkthrough.is_back_from_checkout) = (Vec::new(), true);
    shop.check(&mut walkthrough).await;
    shop.walkthroughs.store(&request.session, walkthrough);
    redirect(PATH)
}

/// A callback of the bank: accepted with 204 when its signature is valid, otherwise refused with 401.
pub async fn receive(shop: Arc<Shop>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_CALLBACK_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    match Callback::verify(&shop.credentials.webhook_secret, &parts.headers, &body, now) {
        Some(callback) => {
            shop.callbacks.insert(callback);
            StatusCode::NO_CONTENT.into_response()
        }
        None => StatusCode::UNAUTHORIZED.into_response(),
    }
}
