//! What applications have created, in the portal: lists and pages of consents, payments, signing baskets, baskets and loans; refunds and voids by hand.

use super::application::{code, merchant, third_party};
use super::is_marked;
use crate::http::checkout::{Bought, buy};
use rstest::rstest;
use serde_json::json;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, PortalUser, TestBank};

const LIST: &str = "/portal/applications";
const PHONE: &str = "+306900000042";

/// A third party and a merchant of one organisation, and an object of each kind.
pub struct Created {
    pub tpp: String,
    pub merchant: String,
    pub consent: String,
    pub payment: String,
    pub signing_basket: String,
    pub basket: String,
    pub loan: String,
    pub shop: ApiClient,
    pub client: ApiClient,
}

impl Created {
    pub async fn new(bank: &TestBank, user: &mut PortalUser) -> Self {
        let (tpp, key) = third_party(user).await;
        let roles =
            [("certificate_name", "Kyklos"), ("account_information", "on"), ("payment_initiation", "on")];
        let issued = user.post(&format!("{LIST}/{tpp}/certificates/issue"), &roles).await;
        let caller =
            json!({ "subscription_key": key, "client_id": tpp, "certificate": code(&issued, "Header") });
        let psu = &bank.sandbox_file["psus"][0];
        let client = bank.anonymous().as_tpp(&caller).with("PSU_ID", psu["psu_id"].as_str().unwrap());
        let client = client.with("pSUIPAddress", "192.0.2.1");
        let order = json!({ "access": { "allPsd2": "allAccounts" }, "recurringIndicator": true,
            "validUntil": "2099-12-31", "frequencyPerDay": 4 });
        let consent = client.post("/v1/consents", &order).await.text("/consentId").to_owned();
        let order = json!({
            "debtorAccount": { "iban": psu["accounts"][0]["iban"] },
            "instructedAmount": { "currency": "EUR", "Amount": "12.50" },
            "creditorAccount": { "iban": bank.sandbox_file["psus"][1]["accounts"][0]["iban"] },
            "creditorName": "Jonas",
        });
        let payment = client.post("/v1/payments/internal-transfers", &order).await;
        let payment = payment.text("/paymentId").to_owned();
        let dialect = client.clone().with("PSU-ID", psu["psu_id"].as_str().unwrap());
        let members = json!({ "paymentIds": [payment], "consentIds": [consent] });
        let dialect = dialect.with("TPP-Explicit-Authorisation-Preferred", "true");
        let signing_basket = dialect.post("/berlin-group/v1/signing-baskets", &members).await;
        assert_eq!(signing_basket.status, 201, "{signing_basket:?}");
        let signing_basket = signing_basket.text("/basketId").to_owned();
        let (merchant, key) = merchant(user).await;
        let caller = json!({ "subscription_key": key, "application_id": merchant });
        let shop = bank.anonymous().as_merchant(&caller);
        let order = json!({ "basketValue": 120.3, "requestId": "00000000-0000-4000-8000-000000000001",
            "orderIdentifier": "order <1>" });
        let basket = shop.post("/createbasket", &order).await;
        assert_eq!(basket.status, 201, "{basket:?}");
        let checkout = basket.text("/redirectUrl").to_owned();
        let mut shopper = bank.browser();
        let page = shopper.get(&checkout).await;
        shopper.send(&page, &[("step", "open")]).await;
        let mut first = async |kind: &str| {
            let path = format!("{LIST}/{merchant}/{kind}");
            let page = user.browser.get(&path).await;
            page.attributes(&format!("<a href=\"{path}/"))
                .first()
                .cloned()
                .unwrap_or_else(|| panic!("{page:?}"))
        };
        let (basket, loan) = (first("baskets").await, first("loans").await);
        Self { tpp, merchant, consent, payment, signing_basket, basket, loan, shop, client }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn objects_are_shown_with_state_and_timeline_and_names_as_text(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let created = Created::new(&bank, &mut user).await;
    let (tpp, shop) = (format!("{LIST}/{}", created.tpp), format!("{LIST}/{}", created.merchant));
    for (list, id, status, words) in [
        (format!("{tpp}/consents"), &created.consent, "received", "created"),
        (format!("{tpp}/payments"), &created.payment, "RCVD", "initiated"),
        (format!("{tpp}/signing-baskets"), &created.signing_basket, "RCVD", "created"),
        (format!("{shop}/baskets"), &created.basket, "opened", "created"),
        (format!("{shop}/loans"), &created.loan, "pending", "requested"),
    ] {
        let page = user.browser.get(&list).await;
        assert!(page.says(id) && page.says(&format!("<td>{status}</td>")), "{list}: {page:?}");
        let page = user.browser.get(&format!("{list}/{id}")).await;
        assert!(
            page.says(&format!("<dd>{status}</dd>")) && page.says(&format!("<td>{words}</td>")),
            "{page:?}"
        );
        assert!(!page.says("order <1>"), "{page:?}");
        assert_eq!(user.browser.get(&format!("{list}?before=x")).await.status, 404);
    }
    for path in [
        format!("{shop}/consents"),
        format!("{shop}/signing-baskets"),
        format!("{tpp}/baskets"),
        format!("{tpp}/payments/{}", created.consent),
    ] {
        assert_eq!(user.browser.get(&path).await.status, 404, "{path}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn list_is_paged_without_gaps(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let created = Created::new(&bank, &mut user).await;
    for number in 2..=25 {
        let order = json!({ "basketValue": 50, "requestId": format!("00000000-0000-4000-8000-{number:012}"),
            "orderIdentifier": format!("order {number}") });
        assert_eq!(created.shop.post("/createbasket", &order).await.status, 201);
    }
    let path = format!("{LIST}/{}/baskets", created.merchant);
    let first = user.browser.get(&path).await;
    let older = first.attribute(&format!("<a href=\"{path}?before="));
    let second = user.browser.get(&format!("{path}?before={older}")).await;
    let ids = |page: &trapeza_testkit::Page| page.attributes(&format!("<a href=\"{path}/"));
    assert_eq!((ids(&first).len(), ids(&second).len()), (20, 5));
    let mut all = [ids(&first), ids(&second)].concat();
    all.dedup();
    assert_eq!(all.len(), 25);
    assert!(!second.says("?before="));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn member_refunds_and_voids_by_hand(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let created = Created::new(&bank, &mut user).await;
    let order = json!({ "basketValue": 120.3, "requestId": "00000000-0000-4000-8000-000000000002",
        "orderIdentifier": "order 2" });
    let public = created.shop.post("/createbasket", &order).await.text("/publicBasketId").to_owned();
    buy(&bank, &Bought { checkout: format!("/checkout/{public}"), public }, PHONE).await;
    let list = format!("{LIST}/{}/baskets", created.merchant);
    let basket = user.browser.get(&list).await.attribute(&format!("<a href=\"{list}/"));
    let basket = format!("{list}/{basket}");
    let page = user.browser.get(&basket).await;
    assert!(page.says("<dd>approved</dd>"), "{page:?}");
    let key = page.attribute("name=\"idempotency_key\" value=\"");
    for amount in ["x", "0", "-1", "1000"] {
        let refused =
            user.post(&format!("{basket}/refund"), &[("idempotency_key", &key), ("amount", amount)]).await;
        assert!(refused.status == 400, "{amount}: {refused:?}");
        assert!(amount == "1000" || is_marked(&refused, "amount"), "{amount}: {refused:?}");
    }
    for _ in 0..2 {
        let sent =
            user.post(&format!("{basket}/refund"), &[("idempotency_key", &key), ("amount", "20.30")]).await;
        assert_eq!(sent.status, 303, "a form that is sent twice refunds once: {sent:?}");
        let shown = user.browser.get(&sent.headers["location"]).await;
        assert!(shown.says("The refund was made.") && shown.says("20.30 EUR"), "{shown:?}");
    }
    let loan = format!("{LIST}/{}/loans/{}", created.merchant, page.text("<dt>Loan</dt><dd>"));
    assert!(user.browser.get(&loan).await.says("20.30"), "{:?}", user.browser.get(&loan).await);
    let other = "00000000-0000-4000-8000-000000000077";
    let refused = user.post(&format!("{basket}/void"), &[("idempotency_key", other)]).await;
    assert!(refused.status == 400 && refused.says("must be ticked"), "{refused:?}");
    let sent = user.post(&format!("{basket}/void"), &[("idempotency_key", other), ("sure", "on")]).await;
    let shown = user.browser.get(&sent.headers["location"]).await;
    assert!(shown.says("The basket was voided.") && shown.says("120.30 EUR"), "{shown:?}");
    assert!(user.browser.get(&loan).await.says("120.30"));
    let sql = "SELECT COUNT(*) FROM audit_event WHERE actor LIKE 'member:%' AND action LIKE 'loan.%'";
    assert!(bank.database.number(sql) >= 2, "the member is the actor");
}
