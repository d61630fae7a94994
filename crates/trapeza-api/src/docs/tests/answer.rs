//! The bank against its documentation: every operation is asked for real, on a real store, and answers as documented.

use super::schema::SchemaChecker;
use crate::docs::index;
use crate::docs::parameter::Location;
use crate::docs::parameters_of;
use crate::docs::{DocVariant, document};
use crate::operation::{BASKET_CREATE, LOAN_SIMULATE, OPERATIONS};
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use serde_json::Value;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use trapeza_app::application::{AmountLimits, MerchantUrls, NewMerchant, Plan, PlanOffer};
use trapeza_app::{App, Clock, Entropy, Keyring, SandboxBehaviour, Store, Zone};
use trapeza_domain::money::{Currency, Money};
use trapeza_http::operation::{Access, ApiFamily, Operation};
use trapeza_http::server::{Handler as _, Peer};
use trapeza_http::{AppState, CertificateMode, HttpService, Settings, TrustedProxies};
use trapeza_store::StoreOptions;

pub(super) struct ApiFixture {
    app: Arc<App>,
    service: HttpService,
    document: Value,
    checker: SchemaChecker,
    _directory: tempfile::TempDir,
}

impl ApiFixture {
    pub(super) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let options = StoreOptions::new([7; 32], [1; 16]);
        let store = Store::open_sqlite(&directory.path().join("trapeza.db"), &options).unwrap();
        let clock = Clock::load(&store, Zone::parse("Europe/Athens").unwrap()).await.unwrap();
        let app = App::new(store, clock, Entropy::os(), Keyring::new([9; 32]));
        let app = Arc::new(app.with_sandbox(SandboxBehaviour::default()));
        let settings = Settings {
            public_url: DocVariant::sandbox().public_url,
            certificates: CertificateMode::Header,
            trusted_proxies: TrustedProxies::default(),
            signature: Default::default(),
            sandbox: true,
            berlin_group: None,
            body_bytes: 64 * 1024,
            basket_body_bytes: 1024 * 1024,
            json_depth: 32,
            request_timeout: Duration::from_secs(30),
            rate_limits: None,
            request_log: None,
        };
        let state = AppState::new(app.clone(), settings, || "# nothing was counted\n".to_owned());
        let document = document(&DocVariant::sandbox());
        Self {
            app,
            checker: SchemaChecker::new(&document),
            document,
            service: HttpService::without_pages(state, crate::routes(true, |_, _| Value::Null)),
            _directory: directory,
        }
    }

    pub(super) async fn answer(&self, request: Request<Body>) -> Response {
        let address = (Ipv4Addr::LOCALHOST, 443).into();
        self.service.handle(request, &Peer { address, certificate: None }).await
    }

    /// The application's id and its key.
    async fn merchant(&self) -> (String, String) {
        let euros = |minor| Money { minor, currency: Currency::EUR };
        let order = NewMerchant {
            name: "Bookshop".to_owned(),
            code: "BOOKS".to_owned(),
            number: 1,
            limits: AmountLimits { minimum: euros(5_000), maximum: euros(150_000) },
            plans: vec![PlanOffer {
                plan: Plan { installments: 3, yearly_rate_bp: 1_290 },
                is_default: true,
            }],
            discount_basis_points: 250,
            sandbox: true,
            urls: MerchantUrls::default(),
        };
        let (issued, _) = self.app.merchant_register(order).await.unwrap();
        (issued.application.to_string(), issued.subscription_key.expose().clone())
    }

    /// Where an operation finds something to answer with, and the body for it: a basket of its own, where it is about
    /// one.
    async fn prepared(
        &self,
        operation: &Operation,
        application: &str,
        own: &[(&str, &str)],
    ) -> (String, Option<Value>) {
        let path = operation.path.replace("{applicationId}", application);
        let mut body = example(operation);
        let path = match operation.id {
            "getBasket" => format!("{path}?basketId={}", public(&self.basket(own).await)),
            "getLoan" => format!("{path}?basketId={}", public(&self.bought(own).await)),
            "simulateLoan" => {
                let basket = self.basket(own).await;
                format!("{path}?basketId={}&isSuccessCallback=true", basket["basketId"])
            }
            "refundLoan" | "voidBasket" => {
                body.as_mut().unwrap()["basketId"] = public(&self.bought(own).await).into();
                path
            }
            _ => path,
        };
        (path, body)
    }

    /// A new basket that was approved.
    async fn bought(&self, own: &[(&str, &str)]) -> Value {
        let basket = self.basket(own).await;
        let simulate =
            format!("{}?basketId={}&isSuccessCallback=true", LOAN_SIMULATE.path, basket["basketId"]);
        assert_eq!(self.ask(&LOAN_SIMULATE, &simulate, None, own).await, StatusCode::OK);
        basket
    }

    /// A new basket by the documented example, under an id of its own.
    async fn basket(&self, own: &[(&str, &str)]) -> Value {
        let mut body = index::of(&BASKET_CREATE).doc.request.as_ref().unwrap().example.unwrap()();
        body["requestId"] = self.app.entropy().uuid().to_string().into();
        let mut request = Request::builder().method("POST").uri(BASKET_CREATE.path);
        for (name, value) in own {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_string())).unwrap();
        let answer = self.answer(request).await;
        assert_eq!(answer.status(), StatusCode::CREATED);
        serde_json::from_slice(&to_bytes(answer.into_body(), 1 << 20).await.unwrap()).unwrap()
    }

    /// Asks, and finds that the answer is documented. Gives its status.
    async fn ask(
        &self,
        operation: &Operation,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> StatusCode {
        let mut request = Request::builder().method(operation.method.clone()).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = body.map_or(Body::empty(), |body| Body::from(body.to_string()));
        let answer = self.answer(request.body(body).unwrap()).await;
        let (parts, body) = answer.into_parts();
        let body = to_bytes(body, 1 << 24).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();

        let entry = &self.document["paths"][operation.path][operation.method.as_str().to_lowercase()];
        let documented = &entry["responses"][parts.status.as_str()];
        assert!(documented.is_object(), "{}: {} is not documented: {body}", operation.name, parts.status);
        let media = parts.headers.get(header::CONTENT_TYPE).map(|kind| kind.to_str().unwrap());
        let media = media.and_then(|kind| kind.split(';').next()).unwrap_or_default();
        let schema = &documented["content"][media]["schema"];
        assert!(schema.is_object(), "{}: {media} is not documented", operation.name);
        let value = if media == "application/json" {
            serde_json::from_str(&body).unwrap()
        } else {
            Value::String(body)
        };
        // The document does not describe documents.
        if operation.id != "openapi" {
            assert_eq!(
                self.checker.errors(schema, &value),
                Vec::<String>::new(),
                "{}: {value}",
                operation.name
            );
        }
        parts.status
    }
}

/// The documented example of a body.
fn example(operation: &Operation) -> Option<Value> {
    index::of(operation).doc.request.as_ref().and_then(|request| request.example).map(|example| example())
}

fn public(basket: &Value) -> String {
    basket["publicBasketId"].as_str().unwrap().to_owned()
}

pub(super) fn example_path(operation: &'static Operation) -> String {
    let mut path = operation.path.to_owned();
    for parameter in
        parameters_of::operation(operation).into_iter().filter(|one| one.location == Location::Path)
    {
        path = path.replace(&format!("{{{}}}", parameter.name), parameter.example);
    }
    path
}

/// The path with the query that is required.
fn example_address(operation: &'static Operation) -> String {
    let query = parameters_of::operation(operation).into_iter();
    let query = query.filter(|one| one.location == Location::Query && one.required);
    let query: Vec<_> = query.map(|one| format!("{}={}", one.name, one.example)).collect();
    format!("{}?{}", example_path(operation), query.join("&"))
}

/// A path or method without a route would answer 404 or 405.
/// hyper moves the future of a request into its connection several times. It had 14 KiB when every function around a handler stored
/// it again, which took a tenth of a request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn future_of_a_request_is_small() {
    let api = ApiFixture::new().await;
    let peer = Peer { address: (Ipv4Addr::LOCALHOST, 443).into(), certificate: None };
    let future = api.service.handle(Request::new(Body::empty()), &peer);
    assert!(size_of_val(&future) < 4_096, "{} bytes", size_of_val(&future));
    assert_eq!(future.await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_operation_has_its_route_and_answers_a_stranger_as_documented() {
    let api = ApiFixture::new().await;
    for operation in OPERATIONS {
        let status = api.ask(operation, &example_address(operation), example(operation), &[]).await;
        let expected = if operation.access == Access::Open { operation.success } else { 401 };
        assert_eq!(status.as_u16(), expected, "{}", operation.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_change_of_the_sandbox_is_refused_to_pages_of_other_sites() {
    let api = ApiFixture::new().await;
    let (id, key) = api.merchant().await;
    let own = [("X-Application-ID", id.as_str()), ("Ocp-Apim-Subscription-Key", key.as_str())];
    let changes = OPERATIONS.iter().filter(|operation| operation.path.starts_with("/sandbox/"));
    let changes: Vec<_> = changes.filter(|operation| operation.method != "GET").collect();
    assert_eq!(changes.len(), 8, "operations that change the sandbox");
    for foreign in [("Origin", "https://elsewhere.example"), ("Sec-Fetch-Site", "cross-site")] {
        for operation in &changes {
            let path = operation.path.replace("{applicationId}", &id);
            let headers = [&own[..], &[foreign]].concat();
            let status = api.ask(operation, &path, example(operation), &headers).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{} {foreign:?}", operation.name);
        }
    }
    // Nothing of the examples was created: each can be created now, by a page of this server.
    for operation in changes {
        let path = operation.path.replace("{applicationId}", &id);
        let body = match operation.id {
            "changeApplication" => {
                Some(serde_json::json!({ "successCallbackUrl": "http://127.0.0.1:9000/hook" }))
            }
            _ => example(operation),
        };
        let headers = [&own[..], &[("Sec-Fetch-Site", "same-origin")]].concat();
        let status = api.ask(operation, &path, body, &headers).await;
        assert_eq!(status.as_u16(), operation.success, "{}", operation.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn response_to_a_merchant_matches_the_document() {
    let api = ApiFixture::new().await;
    let (id, key) = api.merchant().await;
    let own = [("X-Application-ID", id.as_str()), ("Ocp-Apim-Subscription-Key", key.as_str())];
    for operation in OPERATIONS
        .iter()
        .filter(|operation| matches!(operation.access, Access::Merchant | Access::Application))
    {
        let (path, body) = api.prepared(operation, &id, &own).await;
        assert_eq!(
            api.ask(operation, &path, body.clone(), &own).await.as_u16(),
            operation.success,
            "{}",
            operation.name
        );
        assert_eq!(operation.family, ApiFamily::PayLater);
        let is_find = operation.id == "getBasket";

        let wrong_key = [("X-Application-ID", id.as_str()), ("Ocp-Apim-Subscription-Key", "not a key")];
        assert_eq!(api.ask(operation, &path, body.clone(), &wrong_key).await, StatusCode::UNAUTHORIZED);
        let unknown = if is_find { StatusCode::NOT_FOUND } else { StatusCode::BAD_REQUEST };
        assert_eq!(api.ask(operation, &path, body.clone(), &own[1..]).await, unknown);
        let image_only = [own[0], own[1], ("Accept", "image/png")];
        let expected = if is_find { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::NOT_ACCEPTABLE };
        assert_eq!(api.ask(operation, &path, body.clone(), &image_only).await, expected);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_is_served_with_its_policy() {
    let api = ApiFixture::new().await;
    let request = Request::builder().uri("/docs").body(Body::empty()).unwrap();
    let answer = api.answer(request).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert!(answer.headers().contains_key(header::CONTENT_SECURITY_POLICY));
}
