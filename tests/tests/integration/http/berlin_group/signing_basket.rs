//! Signing baskets: payments and consents under one authorisation, each then authorised in its own right.

use super::payment::{OTHER_BANK_IBAN, order, payer};
use super::{authorise, authorise_embedded, client, consent_order, iban, link, links, path, psu, refusal};
use crate::http::checkout::check_ledger;
use crate::http::loan_access::psu_id;
use crate::http::page_forms::enrol;
use crate::http::payment::balance;
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_domain::callback::CallbackStatus;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, TestBank};

const BASKETS: &str = "/v1/signing-baskets";

pub(super) async fn payment(bank: &TestBank, tpp: &ApiClient, amount: &str) -> ApiResponse {
    let mut order = order(bank, OTHER_BANK_IBAN);
    order["instructedAmount"]["amount"] = json!(amount);
    let created = tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    created
}

pub(super) async fn consent(bank: &TestBank, tpp: &ApiClient) -> ApiResponse {
    let order = consent_order(json!({ "balances": [{ "iban": iban(bank, 0) }] }));
    let created = tpp.post(&path("/v1/consents"), &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    created
}

pub(crate) fn members(payments: &[&ApiResponse], consents: &[&ApiResponse]) -> Value {
    let ids = |name: &str, all: &[&ApiResponse]| -> Vec<Value> {
        all.iter().map(|created| created.body[name].clone()).collect()
    };
    json!({ "paymentIds": ids("paymentId", payments), "consentIds": ids("consentId", consents) })
}

pub(crate) async fn basket(tpp: &ApiClient, body: &Value) -> ApiResponse {
    let created = tpp.post(&path(BASKETS), body).await;
    assert_eq!((created.status, created.text("/transactionStatus")), (201, "RCVD"), "{created:?}");
    created
}

pub(super) async fn status(bank: &TestBank, tpp: &ApiClient, created: &ApiResponse) -> String {
    let read = tpp.get(&link(bank, created, "status")).await;
    let found = read.body["transactionStatus"].as_str().or(read.body["consentStatus"].as_str());
    found.unwrap_or_else(|| panic!("{read:?}")).to_owned()
}

pub(super) async fn start(bank: &TestBank, tpp: &ApiClient, created: &ApiResponse) -> ApiResponse {
    tpp.post(&format!("{}/authorisations", link(bank, created, "self")), &json!({})).await
}

/// A new basket with a payment and a consent of the first customer.
pub async fn some_basket(bank: &TestBank) -> ApiResponse {
    let tpp = payer(bank);
    let (payment, consent) = (payment(bank, &tpp, "12.34").await, consent(bank, &tpp).await);
    let created = basket(&tpp, &members(&[&payment], &[&consent])).await;
    assert_eq!(start(bank, &tpp, &created).await.status, 201);
    created
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn one_authorisation_approves_all_members_each_in_its_own_right(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let (paid, unfunded) = (payment(&bank, &tpp, "12.34").await, payment(&bank, &tpp, "99999999.00").await);
    let consent = consent(&bank, &tpp).await;
    let body = members(&[&paid, &unfunded], &[&consent]);
    let notified = tpp.clone().with("TPP-Notification-URI", "http://127.0.0.1:9091/hook");
    let created = basket(&notified, &body).await;
    assert_eq!(links(&created), ["self", "startAuthorisationWithPsuAuthentication", "status"]);
    let read = tpp.get(&link(&bank, &created, "self")).await;
    let expected = json!({
        "payments": body["paymentIds"], "consents": body["consentIds"], "transactionStatus": "RCVD",
    });
    assert_eq!((read.status, &read.body), (200, &expected));
    authorise(&bank, &tpp, &created, 0).await;
    assert_eq!(status(&bank, &tpp, &created).await, "ACTC");
    assert_eq!(status(&bank, &tpp, &paid).await, "ACCP");
    assert_eq!(status(&bank, &tpp, &unfunded).await, "RJCT", "funds are judged for each payment");
    assert_eq!(status(&bank, &tpp, &consent).await, "valid");
    let listed = tpp.get(&format!("{}/authorisations", link(&bank, &created, "self"))).await;
    assert_eq!(listed.body["authorisationIds"].as_array().map(Vec::len), Some(1), "{listed:?}");
    assert_eq!(
        refusal(&tpp.delete(&link(&bank, &created, "self")).await),
        (409, "STATUS_INVALID".to_owned())
    );
    let reported = bank.app.callback_list(CallbackStatus::Waiting, 10).await.unwrap();
    let last =
        reported.iter().filter(|record| record.body.contains("\"transactionStatus\":\"ACTC\"")).count();
    assert_eq!((reported.len(), last), (4, 1), "{reported:?}");
    assert!(reported.iter().all(|one| one.body.contains(created.text("/basketId"))), "{reported:?}");
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn page_lists_every_member_and_approves_all(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let (first, second) = (payment(&bank, &tpp, "12.34").await, payment(&bank, &tpp, "56.78").await);
    let consent = consent(&bank, &tpp).await;
    let implicit = tpp
        .clone()
        .without("TPP-Explicit-Authorisation-Preferred")
        .with("TPP-Redirect-Preferred", "true")
        .with("TPP-Redirect-URI", "http://127.0.0.1:9090/back");
    let created = basket(&implicit, &members(&[&first, &second], &[&consent])).await;
    assert_eq!(created.headers["aspsp-sca-approach"], "REDIRECT");
    assert_eq!(links(&created), ["scaRedirect", "scaStatus", "self", "status"]);
    let (mut browser, customer) = (bank.browser(), psu(&bank, 0));
    let page = browser.get(&link(&bank, &created, "scaRedirect")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    let password = customer["password"].as_str().unwrap();
    let page = browser.send(&page, &[("step", "password"), ("password", password)]).await;
    for text in ["12.34", "56.78", "Anna Muster", "DE89 3704 0044 0532 0130 00", "balance", "orders together"]
    {
        assert!(page.says(text), "{text}: {}", page.html);
    }
    assert_eq!(
        page.html.matches("orders together").count(),
        2,
        "in the title and once on the page: {}",
        page.html
    );
    assert!(page.says("From this account") && page.says("To this account"), "{}", page.html);
    let method = customer["methods"][0]["id"].as_str().unwrap();
    let page = browser.send(&page, &[("step", "method"), ("method", method)]).await;
    let page = browser.send(&page, &[("step", "code"), ("code", "123456")]).await;
    assert_eq!(page.title(), "Approved", "{}", page.html);
    for (object, expected) in [(&created, "ACTC"), (&first, "ACCP"), (&second, "ACCP"), (&consent, "valid")] {
        assert_eq!(status(&bank, &tpp, object).await, expected);
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_who_is_not_named_signs_in_and_gets_all_members(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let unnamed = payer(&bank).without("PSU-ID");
    let (first, second) = (payment(&bank, &unnamed, "1.00").await, payment(&bank, &unnamed, "2.00").await);
    let implicit = unnamed.clone().without("TPP-Explicit-Authorisation-Preferred");
    let created = basket(&implicit, &members(&[&first, &second], &[])).await;
    let (mut browser, customer) = (bank.browser(), psu(&bank, 0));
    let page = browser.get(&link(&bank, &created, "scaRedirect")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    let (user, password) = (customer["psu_id"].as_str().unwrap(), customer["password"].as_str().unwrap());
    let page = browser.send(&page, &[("step", "password"), ("user", user), ("password", password)]).await;
    let method = customer["methods"][0]["id"].as_str().unwrap();
    let page = browser.send(&page, &[("step", "method"), ("method", method)]).await;
    let page = browser.send(&page, &[("step", "code"), ("code", "123456")]).await;
    assert_eq!(page.title(), "Approved", "{}", page.html);
    assert_eq!(status(&bank, &unnamed, &second).await, "ACCP");
    assert_eq!(events(&bank, &["signing_basket.identified"]).await, 1);
    assert_eq!(events(&bank, &["payment.identified"]).await, 2);
    assert_eq!(events(&bank, &["signing_basket.authorised"]).await, 1);
    assert_eq!(bank.database.column("SELECT psu_login FROM signing_basket"), [user]);
    let private = bank.database.number("SELECT COUNT(*) FROM private_login");
    assert_eq!(private, 3, "the third party learns the name from neither the basket nor its members");
}

/// How many events with one of these actions the audit log has.
async fn events(bank: &TestBank, actions: &[&str]) -> usize {
    let all = bank
        .app
        .store()
        .read(|tx| Ok(tx.query("SELECT action FROM audit_event", &[], |row| row.read::<String>())?));
    all.await.unwrap().iter().filter(|action| actions.contains(&action.as_str())).count()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn app_approves_and_the_customer_refuses(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let first = payment(&bank, &tpp, "12.34").await;
    let created = basket(&tpp, &members(&[&first], &[])).await;
    let decoupled = tpp.clone().with("TPP-Decoupled-Preferred", "true");
    let started = start(&bank, &decoupled, &created).await;
    assert_eq!(started.text("/scaStatus"), "started", "{started:?}");
    let mut browser = bank.browser();
    let questions = enrol(&bank, &mut browser, 0).await;
    assert!(questions.says("12.34") && questions.says("Anna Muster"), "{}", questions.html);
    let question = questions.attribute("name=\"question\" value=\"");
    let number = started.text("/challengeData/data/0");
    let fields = [("step", "approve"), ("question", question.as_str()), ("number", number)];
    assert!(browser.send(&questions, &fields).await.says("Approved."));
    assert_eq!(status(&bank, &tpp, &created).await, "ACTC");
    assert_eq!(status(&bank, &tpp, &first).await, "ACCP");

    let second = payment(&bank, &tpp, "5.00").await;
    let created = basket(&tpp, &members(&[&second], &[])).await;
    let redirect = tpp
        .clone()
        .with("TPP-Redirect-Preferred", "true")
        .with("TPP-Redirect-URI", "http://127.0.0.1:9090/back");
    let started = start(&bank, &redirect, &created).await;
    let mut browser = bank.browser();
    let page = browser.get(&link(&bank, &started, "scaRedirect")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    let password = psu(&bank, 0)["password"].as_str().unwrap();
    let page = browser.send(&page, &[("step", "password"), ("password", password)]).await;
    browser.send(&page, &[("step", "refuse")]).await;
    assert_eq!(status(&bank, &tpp, &created).await, "RJCT");
    assert_eq!(status(&bank, &tpp, &second).await, "RCVD", "the member stays");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn wrong_members_are_refused_and_nothing_is_created() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let tpp = payer(&bank);
    let certificate = bank.sandbox_file["tpps"][1]["certificate"].as_str().expect("PEM").to_owned();
    let other_tpp = tpp.clone().with("TPP-QWAC-Certificate", &certificate);
    let own = payment(&bank, &tpp, "1.00").await;
    let foreign = payment(&bank, &other_tpp, "1.00").await;
    let other_customer = tpp.clone().with("PSU-ID", psu(&bank, 1)["psu_id"].as_str().unwrap());
    let other = payment(&bank, &other_customer, "1.00").await;
    let (started, cancelled) = (payment(&bank, &tpp, "1.00").await, payment(&bank, &tpp, "1.00").await);
    assert_eq!(start(&bank, &tpp, &started).await.status, 201);
    assert_eq!(tpp.delete(&link(&bank, &cancelled, "self")).await.status, 204);
    let (one, two) = (consent(&bank, &tpp).await, consent(&bank, &tpp).await);
    let id = own.text("/paymentId");
    for (body, code, at) in [
        (json!({}), (400, "FORMAT_ERROR"), "paymentIds"),
        (json!({ "paymentIds": [id, id] }), (400, "FORMAT_ERROR"), "paymentIds[1]"),
        (json!({ "paymentIds": ["nonsense"] }), (400, "RESOURCE_UNKNOWN"), "paymentIds[0]"),
        (members(&[&own, &foreign], &[]), (400, "RESOURCE_UNKNOWN"), "paymentIds[1]"),
        (json!({ "consentIds": [id] }), (400, "RESOURCE_UNKNOWN"), "consentIds[0]"),
        (members(&[&own, &other], &[]), (400, "REFERENCE_MIX_INVALID"), "paymentIds[1]"),
        (members(&[&own], &[&one, &two]), (400, "REFERENCE_MIX_INVALID"), "consentIds[1]"),
        (members(&[&started], &[]), (409, "REFERENCE_STATUS_INVALID"), "paymentIds[0]"),
        (members(&[&cancelled], &[]), (409, "REFERENCE_STATUS_INVALID"), "paymentIds[0]"),
    ] {
        let refused = tpp.post(&path(BASKETS), &body).await;
        assert_eq!(refusal(&refused), (code.0, code.1.to_owned()), "{body} {refused:?}");
        assert_eq!(refused.text("/tppMessages/0/path"), at, "{refused:?}");
    }
    let created = basket(&tpp, &members(&[&own], &[&one])).await;
    let again = tpp.post(&path(BASKETS), &members(&[&own], &[])).await;
    assert_eq!(
        refusal(&again),
        (409, "REFERENCE_STATUS_INVALID".to_owned()),
        "one open basket only: {again:?}"
    );
    let unknown = other_tpp.get(&link(&bank, &created, "self")).await;
    assert_eq!(refusal(&unknown), (403, "RESOURCE_UNKNOWN".to_owned()), "{unknown:?}");
    assert_eq!(other_tpp.delete(&link(&bank, &created, "self")).await.status, 403);
    assert_eq!(start(&bank, &other_tpp, &created).await.status, 403);
    let counted = "SELECT COUNT(*) FROM signing_basket";
    let count = bank.app.store().read(move |tx| Ok(tx.query_one(counted, &[], |row| row.read::<i64>())?));
    assert_eq!(count.await.unwrap(), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn deleted_basket_releases_its_members_and_a_changed_member_rejects_it(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let (first, second) = (payment(&bank, &tpp, "1.00").await, payment(&bank, &tpp, "2.00").await);
    let deleted = basket(&tpp, &members(&[&first, &second], &[])).await;
    let same = tpp.clone().with("X-Request-ID", "6f9619ff-8b86-4011-b42d-00cf4fc964ff");
    assert_eq!(same.delete(&link(&bank, &deleted, "self")).await.status, 204);
    let again = same.delete(&link(&bank, &deleted, "self")).await;
    let replayed = again.headers.get("idempotent-replay").map(String::as_str);
    assert_eq!((again.status, replayed), (204, Some("true")), "{again:?}");
    assert_eq!(status(&bank, &tpp, &deleted).await, "CANC");
    assert_eq!(status(&bank, &tpp, &first).await, "RCVD", "the members stay");

    // Without a started authorisation of the basket a member can be authorised alone, and the basket is over.
    let left = basket(&tpp, &members(&[&first, &second], &[])).await;
    authorise(&bank, &tpp, &first, 0).await;
    assert_eq!(
        (status(&bank, &tpp, &first).await, status(&bank, &tpp, &left).await),
        ("ACCP".into(), "RJCT".into())
    );
    assert_eq!(refusal(&start(&bank, &tpp, &left).await), (409, "STATUS_INVALID".to_owned()));

    // A started authorisation of the basket keeps its members.
    let held = basket(&tpp, &members(&[&second], &[])).await;
    let started = start(&bank, &tpp, &held).await;
    let alone = start(&bank, &tpp, &second).await;
    assert_eq!(refusal(&alone), (409, "STATUS_INVALID".to_owned()), "{alone:?}");
    assert_eq!(tpp.delete(&link(&bank, &second, "self")).await.status, 204, "it can still be cancelled");
    assert_eq!(status(&bank, &tpp, &held).await, "RJCT");
    let own = link(&bank, &started, "scaStatus");
    assert_eq!(tpp.get(&own).await.text("/scaStatus"), "failed");

    let late = payment(&bank, &tpp, "3.00").await;
    let expired = basket(&tpp, &members(&[&late], &[])).await;
    bank.advance("PT24H").await;
    assert_eq!(status(&bank, &tpp, &expired).await, "RJCT");
    assert_eq!(events(&bank, &["signing_basket.created"]).await, 4);
    assert_eq!(events(&bank, &["signing_basket.cancelled"]).await, 1);
    assert_eq!(events(&bank, &["signing_basket.rejected"]).await, 3);
}

/// Starts the authorisation of a basket up to the code that the customer is sent. Returns the path of the steps.
async fn up_to_the_code(bank: &TestBank, tpp: &ApiClient, created: &ApiResponse) -> String {
    let started = start(bank, tpp, created).await;
    let own = link(bank, &started, "updatePsuAuthentication");
    let mut answer = tpp.put(&own, &json!({ "psuData": { "password": psu(bank, 0)["password"] } })).await;
    if let Some(methods) = answer.body["scaMethods"].as_array().cloned() {
        let typed = methods.iter().find(|method| method["authenticationType"] != "PUSH_OTP").unwrap();
        answer = tpp.put(&own, &json!({ "authenticationMethodId": typed["authenticationMethodId"] })).await;
    }
    assert_eq!(links(&answer), ["authoriseTransaction", "scaStatus"], "{answer:?}");
    own
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn swapped_member_is_not_approved(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let (shown, swapped) = (payment(&bank, &tpp, "1.00").await, payment(&bank, &tpp, "900.00").await);
    let created = basket(&tpp, &members(&[&shown], &[])).await;
    let own = up_to_the_code(&bank, &tpp, &created).await;
    let id = |created: &ApiResponse| bank.database.uuid_literal(created.text("/paymentId").parse().unwrap());
    bank.database.tamper(&format!(
        "UPDATE signing_basket_member SET member = {} WHERE member = {}",
        id(&swapped),
        id(&shown)
    ));
    let refused = tpp.put(&own, &json!({ "scaAuthenticationData": bank.sandbox_file["otp"] })).await;
    assert_eq!(refusal(&refused), (409, "STATUS_INVALID".to_owned()), "{refused:?}");
    assert_eq!(status(&bank, &tpp, &swapped).await, "RCVD");
    assert_eq!(status(&bank, &tpp, &created).await, "RCVD");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn member_that_has_got_another_customer_is_not_approved(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let (own, other) = (consent(&bank, &tpp).await, payment(&bank, &tpp, "1.00").await);
    let created = basket(&tpp, &members(&[&other], &[&own])).await;
    let step = up_to_the_code(&bank, &tpp, &created).await;
    let id = bank.database.uuid_literal(own.text("/consentId").parse().unwrap());
    let jonas = psu(&bank, 1)["psu_id"].as_str().unwrap();
    bank.database.tamper(&format!("UPDATE consent SET psu_login = '{jonas}' WHERE id = {id}"));
    let refused = tpp.put(&step, &json!({ "scaAuthenticationData": bank.sandbox_file["otp"] })).await;
    assert_eq!(refusal(&refused), (409, "STATUS_INVALID".to_owned()), "{refused:?}");
    let statuses = ["consent", "payment"]
        .map(|table| bank.database.column(&format!("SELECT status FROM {table} ORDER BY created_at")));
    assert_eq!(statuses, [["received"], ["RCVD"]]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn member_and_basket_are_not_both_approved(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    for _ in 0..4 {
        let member = payment(&bank, &tpp, "1.00").await;
        let created = basket(&tpp, &members(&[&member], &[])).await;
        let alone = start(&bank, &tpp, &member).await;
        let (by_member, by_basket) = tokio::join!(
            {
                let (bank, tpp) = (&bank, tpp.clone());
                async move {
                    let own = link(bank, &alone, "updatePsuAuthentication");
                    let password = json!({ "psuData": { "password": psu(bank, 0)["password"] } });
                    let mut answer = tpp.put(&own, &password).await;
                    if let Some(methods) = answer.body["scaMethods"].as_array().cloned() {
                        let typed = methods.iter().find(|method| method["authenticationType"] != "PUSH_OTP");
                        let method = &typed.unwrap()["authenticationMethodId"];
                        answer = tpp.put(&own, &json!({ "authenticationMethodId": method })).await;
                    }
                    match answer.status {
                        200 => {
                            let otp = json!({ "scaAuthenticationData": bank.sandbox_file["otp"] });
                            tpp.put(&own, &otp).await.status
                        }
                        status => status,
                    }
                }
            },
            async {
                let started = start(&bank, &tpp, &created).await;
                if started.status == 201 {
                    authorise_embedded(&bank, &tpp, &started, 0).await;
                }
                started.status
            }
        );
        assert!((by_member == 200) != (by_basket == 201), "exactly one wins: {by_member} {by_basket}");
        assert_eq!(status(&bank, &tpp, &member).await, "ACCP");
        let expected = if by_basket == 201 { "ACTC" } else { "RJCT" };
        assert_eq!(status(&bank, &tpp, &created).await, expected);
        bank.advance("PT31S").await;
    }
    let others = client(&bank, 1).get(&path(&format!("{BASKETS}/x"))).await;
    assert_eq!(refusal(&others), (403, "RESOURCE_UNKNOWN".to_owned()));
    check_ledger(&bank).await;
}

/// An instant payment, whose payee's name decides the answer of the sandbox's clearing house.
async fn instant_payment(bank: &TestBank, tpp: &ApiClient, payee: &str) -> ApiResponse {
    let mut order = order(bank, OTHER_BANK_IBAN);
    order["creditorName"] = json!(payee);
    let created = tpp.post(&path("/v1/payments/instant-sepa-credit-transfers"), &order).await;
    assert_eq!(created.status, 201, "{created:?}");
    created
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn instant_payments_of_a_basket_are_submitted_with_its_approval(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (tpp, account) = (payer(&bank), iban(&bank, 0).to_owned());
    let before = balance(&bank, &account).await;
    let accepted = instant_payment(&bank, &tpp, "Anna Muster").await;
    let silent = instant_payment(&bank, &tpp, "SILENT").await;
    let created = basket(&tpp, &members(&[&accepted, &silent], &[])).await;
    let submissions = "SELECT COUNT(*) FROM instant_submission WHERE next_at IS NOT NULL";
    assert_eq!(bank.database.number(submissions), 0, "nothing is sent before the approval");

    let started = start(&bank, &tpp, &created).await;
    authorise_embedded(&bank, &tpp, &started, 0).await;
    assert_eq!(status(&bank, &tpp, &created).await, "ACTC");
    assert_eq!(events(&bank, &["authorisation.finalised"]).await, 1, "one authorisation for both");
    // The submissions were written with the approval, each with a deadline ten seconds after it.
    assert_eq!(bank.database.number(submissions), 2);
    for payment in [&accepted, &silent] {
        assert_eq!(status(&bank, &tpp, payment).await, "ACSP");
    }
    let amount: i64 = 1_234;
    assert_eq!(balance(&bank, &account).await, (before.0, before.1 + 2 * amount));

    while bank.app.instant_round().await.unwrap() > 0 {}
    assert_eq!(status(&bank, &tpp, &accepted).await, "ACSC");
    assert_eq!(status(&bank, &tpp, &silent).await, "ACSP", "the deadline has not passed");
    bank.app.clock_advance(TimeDelta::seconds(11)).await.unwrap();
    while bank.app.instant_round().await.unwrap() > 0 {}
    let rejected = tpp.get(&link(&bank, &silent, "status")).await;
    assert_eq!(rejected.text("/transactionStatus"), "RJCT");
    assert!(rejected.text("/psuMessage").contains("AB05"), "{rejected:?}");
    assert_eq!(status(&bank, &tpp, &accepted).await, "ACSC", "one member does not affect the other");
    assert_eq!(status(&bank, &tpp, &created).await, "ACTC", "the basket does not follow its members");
    assert_eq!(balance(&bank, &account).await, (before.0 - amount, before.1));
    check_ledger(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn consent_of_a_basket_is_listed_and_revoked_in_the_app(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let (payment, consent) = (payment(&bank, &tpp, "12.34").await, consent(&bank, &tpp).await);
    let created = basket(&tpp, &members(&[&payment], &[&consent])).await;
    authorise(&bank, &tpp, &created, 0).await;
    assert_eq!(status(&bank, &tpp, &consent).await, "valid");
    let mut browser = bank.browser();
    enrol(&bank, &mut browser, 0).await;
    let list = browser.get("/app/permissions").await;
    assert!(list.says("Kyklos Finance may read these accounts"), "{}", list.html);
    let confirm =
        browser.get(&format!("/app/permissions/{}", list.attribute("href=\"/app/permissions/"))).await;
    assert!(confirm.says("Kyklos Finance"), "{}", confirm.html);
    browser.send(&confirm, &[("step", "confirm")]).await;
    assert_eq!(status(&bank, &tpp, &consent).await, "revokedByPsu");
}

/// Starts an authorisation, and refuses on the page what it is about.
async fn refuse(bank: &TestBank, tpp: &ApiClient, created: &ApiResponse) {
    let redirect = tpp
        .clone()
        .with("TPP-Redirect-Preferred", "true")
        .with("TPP-Redirect-URI", "http://127.0.0.1:9090/back");
    let started = start(bank, &redirect, created).await;
    let mut browser = bank.browser();
    let page = browser.get(&link(bank, &started, "scaRedirect")).await;
    let page = browser.send(&page, &[("step", "open")]).await;
    let password = psu(bank, 0)["password"].as_str().unwrap();
    let page = browser.send(&page, &[("step", "password"), ("password", password)]).await;
    browser.send(&page, &[("step", "refuse")]).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn member_that_is_decided_or_ended_alone_rejects_its_basket(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let other = payment(&bank, &tpp, "1.00").await;
    for (how, left) in [
        ("approved", "valid"),
        ("refused", "rejected"),
        ("refused in the app", "rejected"),
        ("ended", "terminatedByTpp"),
    ] {
        let consent = consent(&bank, &tpp).await;
        let created = basket(&tpp, &members(&[&other], &[&consent])).await;
        match how {
            "approved" => drop(authorise(&bank, &tpp, &consent, 0).await),
            "refused" => refuse(&bank, &tpp, &consent).await,
            "refused in the app" => {
                assert_eq!(start(&bank, &tpp, &consent).await.status, 201);
                let customer = psu_id(&bank, 0).await;
                bank.app.permission_revoke(customer, consent.text("/consentId")).await.unwrap();
            }
            _ => assert_eq!(tpp.delete(&link(&bank, &consent, "self")).await.status, 204),
        }
        assert_eq!(status(&bank, &tpp, &consent).await, left, "{how}");
        assert_eq!(status(&bank, &tpp, &created).await, "RJCT", "{how}");
        assert_eq!(status(&bank, &tpp, &other).await, "RCVD", "{how}: the other member stays");
    }
    let member = payment(&bank, &tpp, "2.00").await;
    let created = basket(&tpp, &members(&[&other, &member], &[])).await;
    refuse(&bank, &tpp, &member).await;
    assert_eq!((status(&bank, &tpp, &member).await, status(&bank, &tpp, &created).await), both("RJCT"));
    assert_eq!(events(&bank, &["signing_basket.rejected"]).await, 5);
}

fn both(status: &str) -> (String, String) {
    (status.to_owned(), status.to_owned())
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_does_not_approve_the_member_of_another_one_with_the_basket(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (named, unnamed) = (payer(&bank), payer(&bank).without("PSU-ID"));
    let order = consent_order(json!({ "allPsd2": "allAccounts" }));
    let consent = unnamed.post(&path("/v1/consents"), &order).await;
    assert_eq!(consent.status, 201, "{consent:?}");
    let created = basket(&unnamed, &members(&[], &[&consent])).await;
    // An authorisation of the consent alone, which is never finished, names another customer than that of the basket.
    let other = named.clone().with("PSU-ID", psu(&bank, 1)["psu_id"].as_str().unwrap());
    assert_eq!(start(&bank, &other, &consent).await.status, 201);
    assert_eq!(status(&bank, &unnamed, &created).await, "RJCT", "the members have different customers");
    let started = start(&bank, &named, &created).await;
    if started.status == 201 {
        authorise_embedded(&bank, &named, &started, 0).await;
    }
    assert_ne!(status(&bank, &unnamed, &consent).await, "valid", "the other customer has approved nothing");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn payee_of_each_payment_is_verified_by_its_own_name(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let tpp = payer(&bank);
    let mut payments = Vec::new();
    for name in ["Anna Muster", "NO MATCH", "CLOSE MATCH"] {
        let mut order = order(&bank, OTHER_BANK_IBAN);
        order["creditorName"] = json!(name);
        payments.push(tpp.post(&path("/v1/payments/sepa-credit-transfers"), &order).await);
    }
    let created = basket(&tpp, &members(&payments.iter().collect::<Vec<_>>(), &[])).await;
    let started = start(&bank, &tpp, &created).await;
    assert_eq!((started.status, started.body["psuMessage"].is_string()), (201, true), "{started:?}");
    for (payment, result) in payments.iter().zip(["NOAP", "NMTC", "CMTC"]) {
        let id = bank.database.uuid_literal(payment.text("/paymentId").parse().unwrap());
        let found = bank.database.column(&format!("SELECT payee_verification FROM payment WHERE id = {id}"));
        assert_eq!(found, [result]);
    }
}
