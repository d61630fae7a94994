//! Requests for every operation that get as far as the store: a third party in each dialect with a consent, a payment and the like of a
//! customer with everything, and a merchant with a basket.

use super::super::{DIALECT, Operation, PLANTED};
use crate::http::payment::{ELENI, OTHER_BANK_IBAN, text};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use trapeza_testkit::process::ServerProcess;
use trapeza_testkit::{ApiClient, ApiResponse};

const CONSENTS: &str = "/v1/consents";
const FUNDS_CONSENTS: &str = "/v2/consents/confirmation-of-funds";
const PAYMENT: &str = "/v1/{payment-service}/{payment-product}";

/// The parts of a request.
pub(super) struct Prepared {
    pub(super) caller: ApiClient,
    pub(super) path: String,
    pub(super) body: Option<Value>,
}

/// A third party in one of the dialects, or a merchant, with their objects.
struct Party {
    base: &'static str,
    caller: ApiClient,
    psu: Value,
    otp: Value,
    /// Paths of objects by their templates.
    paths: BTreeMap<String, String>,
    /// A consent to confirm funds, which the operation for that names instead of the one to read accounts.
    funds_consent: String,
    payment: String,
    /// Where a customer returns to, in the bank's own dialect.
    redirect_uri: Option<String>,
    /// The last link for a customer.
    redirect: String,
}

pub(super) struct Objects {
    native: Party,
    dialect: Party,
    merchant: ApiClient,
    /// The numeric and the public id of a basket.
    basket: (String, String),
    application: String,
    base_url: String,
}

impl Objects {
    pub(super) async fn new(program: &ServerProcess) -> Self {
        let merchant = program.merchant(0);
        let order = json!({
            "basketValue": 90, "requestId": "00000000-0000-4000-8000-000000000002", "orderIdentifier": PLANTED,
        });
        let basket = merchant.post("/createbasket", &order).await;
        Self {
            native: Party::new(program, "", program.tpp(1)).await,
            dialect: Party::new(program, DIALECT, program.anonymous().with_request_id()).await,
            merchant,
            basket: (basket.body["basketId"].to_string(), basket.text("/publicBasketId").to_owned()),
            application: text(&program.sandbox_file["merchants"][0]["application_id"]).to_owned(),
            base_url: program.base_url.clone(),
        }
    }

    /// The page on which the customer authorises an object of a third party.
    pub(super) fn redirect_page(&self) -> String {
        self.native.redirect.strip_prefix(&self.base_url).expect("a link to the bank").to_owned()
    }

    pub(super) fn checkout(&self) -> String {
        format!("/checkout/{}", self.basket.1)
    }

    /// The request of an operation with objects that are there.
    pub(super) fn prepare(&self, operation: &Operation) -> Prepared {
        match operation {
            dialect if dialect.is_dialect() => self.dialect.prepare(dialect),
            native if native.is_for_tpps() => self.native.prepare(native),
            other => Prepared {
                caller: self.merchant.clone(),
                path: self.path(&other.path),
                body: other.body.as_ref().map(|body| self.native.filled(&other.path, body)),
            },
        }
    }

    fn path(&self, template: &str) -> String {
        let (number, public) = &self.basket;
        match template {
            "/basket/id" | "/loans/bnpl" => format!("{template}?basketId={public}"),
            "/bnplsandbox/createbnpl" => format!("{template}?basketId={number}&isSuccessCallback=true"),
            "/sandbox/transactions" => format!("{template}?account={}", self.native.iban()),
            other => other.replace("{applicationId}", &self.application).replace("{page}", "consents"),
        }
    }
}

impl Party {
    async fn new(program: &ServerProcess, base: &'static str, caller: ApiClient) -> Self {
        let psu = program.sandbox_file["psus"][ELENI].clone();
        let login = text(&psu["psu_id"]);
        // The bank's own dialect knows both names of a header, and refuses one that is sent twice.
        let caller = match base {
            DIALECT => caller
                .with("PSU-ID", login)
                .with("PSU-IP-Address", "192.0.2.1")
                .with("TPP-Explicit-Authorisation-Preferred", "true"),
            _ => caller.with("PSU_ID", login).with("pSUIPAddress", "192.0.2.1"),
        };
        let (otp, none) = (program.sandbox_file["otp"].clone(), String::new());
        let (paths, funds_consent) = (BTreeMap::new(), none.clone());
        let (payment, redirect) = (none.clone(), none);
        let uri = text(&program.sandbox_file["tpps"][1]["redirect_uris"][0]).to_owned();
        let redirect_uri = (base != DIALECT).then_some(uri);
        let mut party =
            Self { base, caller, psu, otp, paths, funds_consent, payment, redirect_uri, redirect };
        party.make_consents().await;
        party.make_payment().await;
        party.find_accounts().await;
        party
    }

    async fn make_consents(&mut self) {
        let access = self.create(CONSENTS, "/consentId").await;
        self.authorise(&format!("{CONSENTS}/{access}")).await;
        self.funds_consent = self.create(FUNDS_CONSENTS, "/consentId").await;
        self.authorise(&format!("{FUNDS_CONSENTS}/{}", self.funds_consent)).await;
        self.caller = self.caller.clone().with(self.consent_header(), &access);
        // Those in the paths wait for their customer, so that an authorisation can go on.
        for collection in [CONSENTS, FUNDS_CONSENTS] {
            let id = self.create(collection, "/consentId").await;
            self.start(&format!("{collection}/{{consentId}}"), format!("{collection}/{id}")).await;
        }
    }

    async fn make_payment(&mut self) {
        let place = "/v1/payments/sepa-credit-transfers";
        self.payment = self.create(PAYMENT, "/paymentId").await;
        self.paths.insert(PAYMENT.to_owned(), place.to_owned());
        self.start(&format!("{PAYMENT}/{{paymentId}}"), format!("{place}/{}", self.payment)).await;
        if self.base == DIALECT {
            let collection = "/v1/signing-baskets";
            // A member with an authorisation of its own cannot be in a basket, nor can one of another basket.
            self.payment = self.create(PAYMENT, "/paymentId").await;
            let id = self.create(collection, "/basketId").await;
            self.start(&format!("{collection}/{{basketId}}"), format!("{collection}/{id}")).await;
            self.payment = self.create(PAYMENT, "/paymentId").await;
        }
    }

    /// The path of an object, and of an authorisation that waits for the customer's password.
    async fn start(&mut self, template: &str, path: String) {
        let caller = match &self.redirect_uri {
            Some(uri) => self.caller.clone().with("TPP-Redirect-URI", uri),
            None => self.caller.clone(),
        };
        let started = caller.post(&format!("{}{path}/authorisations", self.base), &json!({})).await;
        let id = started.text("/authorisationId");
        if self.redirect_uri.is_some() {
            self.redirect = started.text("/_links/scaRedirect/href").to_owned();
        }
        for kind in ["authorisations", "cancellation-authorisations"] {
            let own = format!("{path}/{kind}/{id}");
            self.paths.insert(format!("{template}/{kind}/{{authorisationId}}"), own);
        }
        self.paths.insert(template.to_owned(), path);
    }

    async fn find_accounts(&mut self) {
        let mut all = vec![("/v1/accounts", "{account-id}"), ("/v1/cards", "{card-id}")];
        if self.base == DIALECT {
            all.push(("/v1/card-accounts", "{account-id}"));
        }
        for (collection, name) in all {
            let listed = self.caller.get(&format!("{}{collection}", self.base)).await;
            let found = listed.body.as_object().and_then(|body| body.values().find(|value| value.is_array()));
            let found = found.unwrap_or_else(|| panic!("{collection}: {listed:?}"));
            let path = format!("{collection}/{}", text(&found[0]["resourceId"]));
            self.paths.insert(format!("{collection}/{name}"), path);
        }
        let account = self.paths["/v1/accounts/{account-id}"].clone();
        let path = format!("{account}/transactions");
        let listed = self.caller.get(&format!("{}{path}{}", self.base, query())).await;
        let id = listed.text("/transactions/booked/0/transactionId");
        let template = "/v1/accounts/{account-id}/transactions/{transactionId}".to_owned();
        self.paths.insert(template, format!("{path}/{id}"));
    }

    /// Creates an object; returns its id.
    async fn create(&self, collection: &str, id: &str) -> String {
        let path = collection.replace(PAYMENT, "/v1/payments/sepa-credit-transfers");
        let created = self.caller.post(&format!("{}{path}", self.base), &self.order(collection)).await;
        created.text(id).to_owned()
    }

    async fn authorise(&self, path: &str) {
        let all = format!("{}{path}/authorisations", self.base);
        let own = format!("{all}/{}", self.caller.post(&all, &json!({})).await.text("/authorisationId"));
        let answer = self.caller.put(&own, &self.password()).await;
        self.caller.put(&own, &method_with_code(&answer)).await;
        let last = self.caller.put(&own, &json!({ "scaAuthenticationData": self.otp })).await;
        assert_eq!(last.text("/scaStatus"), "finalised", "{last:?}");
    }

    fn iban(&self) -> &str {
        text(&self.psu["accounts"][0]["iban"])
    }

    fn consent_header(&self) -> &'static str {
        if self.base == DIALECT { "Consent-ID" } else { "consentID" }
    }

    fn password(&self) -> Value {
        json!({ "psuData": { "password": self.psu["password"] } })
    }

    /// The right body for a path.
    fn order(&self, template: &str) -> Value {
        let account = json!({ "iban": self.iban(), "currency": "EUR" });
        let name = if self.base == DIALECT { "amount" } else { "Amount" };
        let amount = json!({ "currency": "EUR", name: "1.00" });
        match template {
            CONSENTS => json!({
                "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
                "validUntil": "2099-12-31", "frequencyPerDay": 4,
            }),
            FUNDS_CONSENTS => json!({ "account": account }),
            PAYMENT => json!({
                "debtorAccount": account, "instructedAmount": amount, "creditorName": PLANTED,
                "creditorAccount": { "iban": OTHER_BANK_IBAN }, "remittanceInformationUnstructured": PLANTED,
            }),
            "/v1/signing-baskets" => json!({ "paymentIds": [self.payment] }),
            "/v1/funds-confirmations" => json!({ "account": account, "instructedAmount": amount }),
            own if own.ends_with("/{authorisationId}") => self.password(),
            _ => json!({}),
        }
    }

    fn prepare(&self, operation: &Operation) -> Prepared {
        let template = operation.path.strip_prefix(self.base).unwrap();
        // The longest template is that of the innermost object.
        let known = self.paths.iter().filter(|(known, _)| template.starts_with(known.as_str()));
        let path = match known.max_by_key(|(known, _)| known.len()) {
            Some((known, path)) => format!("{path}{}", &template[known.len()..]),
            None => template.to_owned(),
        };
        let query = if path.ends_with("/transactions") { query() } else { String::new() };
        let caller = match template {
            "/v1/funds-confirmations" => self.caller.clone().with(self.consent_header(), &self.funds_consent),
            _ => self.caller.clone(),
        };
        let body = operation.body.as_ref().map(|_| self.order(template));
        Prepared { caller, path: format!("{}{path}{query}", self.base), body }
    }

    /// The example of a body, about the customer and their account where it needs ones that are there.
    fn filled(&self, path: &str, example: &Value) -> Value {
        let (mut body, login) = (example.clone(), &self.psu["psu_id"]);
        let planted = json!(PLANTED);
        for (pointer, value, new) in [
            ("/psuId", login, "/sandbox/customers"),
            ("/owners/0", login, ""),
            ("/iban", &self.psu["accounts"][0]["iban"], "/sandbox/accounts"),
            ("/name", &planted, ""),
            ("/counterpartyName", &planted, ""),
            ("/remittance", &planted, ""),
            ("/reason", &planted, ""),
        ] {
            if let Some(member) = body.pointer_mut(pointer).filter(|_| path != new) {
                *member = value.clone();
            }
        }
        body
    }
}

/// The query of a list of transactions: those of the last month.
fn query() -> String {
    let month = jiff::SignedDuration::from_hours(30 * 24);
    let first = (jiff::Timestamp::now() - month).strftime("%Y-%m-%d");
    format!("?dateFrom={first}&bookingStatus=booked")
}

/// The selection of a method that sends a code, in either dialect.
fn method_with_code(answer: &ApiResponse) -> Value {
    let methods = answer.body["scaMethods"].as_array().unwrap_or_else(|| panic!("no methods: {answer:?}"));
    let is_typed =
        |method: &&Value| method["authenticationType"] != 3 && method["authenticationType"] != "PUSH_OTP";
    let method = methods.iter().find(is_typed).expect("a method with a code");
    json!({ "authenticationMethodId": method["authenticationMethodId"] })
}
