//! The admin API: who may call what, four eyes by person whatever the way, and tokens that end.

use super::{application, events, reason, verify_audit};
use rstest::rstest;
use serde_json::{Value, json};
use trapeza_app::staff::ActionParameters;
use trapeza_console::api::ROUTES;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::id::StaffRequestId;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{MAX_TOKENS, StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, ApiResponse, StaffUser, TestBank};

/// A client with a new token of the person.
async fn client(bank: &TestBank, person: &StaffUser) -> ApiClient {
    let (_, token) = bank.app.staff_token_create(person.id, "test", 30).await.unwrap();
    with_token(bank, token.expose())
}

fn with_token(bank: &TestBank, token: &str) -> ApiClient {
    bank.anonymous().with("Authorization", &format!("Bearer {token}"))
}

async fn call(client: &ApiClient, method: &str, path: &str) -> ApiResponse {
    match method {
        "GET" => client.get(path).await,
        _ => client.post(path, &json!({})).await,
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_route_needs_a_token_and_answers_by_role(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let operations = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let customer = bank.app.search(bank.sandbox_file["psus"][0]["psu_id"].as_str().unwrap()).await.unwrap();
    let (customer, own) = (customer[0].id.to_string(), application(&bank));
    for role in StaffRole::ALL {
        let person = StaffUser::enrol(&bank, *role, &format!("{}@bank.example", role.name())).await;
        let client = client(&bank, &person).await;
        for (method, route) in ROUTES {
            // A new request for each route: an approval or rejection ends it.
            let disable = [("application", own.as_str())];
            let request = operations.request(StaffAction::ApplicationDisable, &disable).await;
            let id = if route.contains("/objects/") { customer.clone() } else { request.to_string() };
            let name = if route.contains("/work-lists/") { "overdue-loans" } else { "loan.write_off" };
            let path = route.replace("{kind}", "customer").replace("{id}", &id).replace("{name}", name);
            let path = if route.ends_with("/search") { format!("{path}?q=nothing") } else { path };
            for refused in [&bank.anonymous(), &with_token(&bank, "wrong")] {
                let answer = call(refused, method, &path).await;
                assert_eq!((answer.status, answer.text("/code")), (401, "TOKEN_INVALID"), "{method} {path}");
            }
            use StaffRole::{Administrator, Auditor, Operations, Risk, Support};
            let expected = match (*route, role) {
                ("/admin/v1/objects/{kind}/{id}", Administrator) => 403,
                ("/admin/v1/work-lists/{name}", Support | Administrator) => 403,
                // The parameters are missing, which only a role that may request it learns.
                ("/admin/v1/actions/{name}", Operations | Risk) if *method == "POST" => 400,
                ("/admin/v1/actions/{name}", _) => 403,
                // Two of operations are two persons.
                ("/admin/v1/requests/{id}/approve", Operations | Risk) => 200,
                // The reason is missing.
                ("/admin/v1/requests/{id}/reject", _) => 400,
                ("/admin/v1/requests/{id}/approve", _) => 403,
                // Requests for an action are seen by who may request or approve it, and by auditors.
                ("/admin/v1/requests/{id}", Support | Administrator) => 404,
                // Only the person who requested it cancels it.
                ("/admin/v1/requests/{id}/cancel", Support | Operations | Risk | Auditor | Administrator) => {
                    403
                }
                _ => 200,
            };
            let answer = call(&client, method, &path).await;
            assert_eq!(answer.status, expected, "{role:?} {method} {path}: {answer:?}");
            let other = if *method == "GET" { client.delete(&path).await } else { client.get(&path).await };
            assert_eq!(other.status, 405, "{role:?} {path}: {other:?}");
            // The same action cannot be requested while a request for it is pending.
            if reason(bank.app.staff_request_cancel(operations.id, request).await).is_some() {
                let parameters = ActionParameters::new([("application", own.as_str())]);
                let (by, enable) = (Actor::Operator(Some(0)), StaffAction::ApplicationEnable);
                bank.app.staff_action_run(by, enable, &parameters, "").await.unwrap();
            }
        }
    }
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn person_cannot_approve_by_token_what_they_requested(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let anna = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let jonas = StaffUser::enrol(&bank, StaffRole::Operations, "jonas@bank.example").await;
    let (by_anna, by_jonas) = (client(&bank, &anna).await, client(&bank, &jonas).await);
    let own = application(&bank);
    let body = json!({ "parameters": { "application": own }, "reason": "as agreed" });
    // Requested in the console.
    let request = anna.request(StaffAction::ApplicationDisable, &[("application", &own)]).await;
    let refused = by_anna.post(&format!("/admin/v1/requests/{request}/approve"), &json!({})).await;
    assert_eq!((refused.status, refused.text("/code")), (403, "ROLE_MISSING"), "{refused:?}");
    bank.app.staff_request_cancel(anna.id, request).await.unwrap();
    // Requested by token.
    let requested = by_anna.post("/admin/v1/actions/application.disable", &body).await;
    assert_eq!((requested.status, requested.text("/status")), (202, "requested"), "{requested:?}");
    let id = requested.text("/request/id").to_owned();
    let request = StaffRequestId::parse(&id).unwrap();
    let refused = bank.app.staff_request_approve(anna.id, request).await;
    assert_eq!(reason(refused), Some(RefusalReason::RoleMissing), "in the console");
    // Two approvals at once, one by token and one in the console.
    let app = bank.app.clone();
    let person = jonas.id;
    let by_console = tokio::spawn(async move { app.staff_request_approve(person, request).await });
    let by_token = by_jonas.post(&format!("/admin/v1/requests/{id}/approve"), &json!({})).await;
    let by_console = reason(by_console.await.unwrap());
    match by_token.status {
        200 => assert_eq!(by_console, Some(RefusalReason::StatusInvalid)),
        409 => assert_eq!(by_console, None),
        _ => panic!("{by_token:?}"),
    }
    assert_eq!(events(&bank, "application.disabled"), 1);
    assert_eq!(by_anna.get(&format!("/admin/v1/requests/{id}")).await.text("/status"), "approved");
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn request_says_who_requested_and_who_decided(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let anna = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let jonas = StaffUser::enrol(&bank, StaffRole::Operations, "jonas@bank.example").await;
    let (by_anna, by_jonas, own) =
        (client(&bank, &anna).await, client(&bank, &jonas).await, application(&bank));
    let body = json!({ "parameters": { "application": own }, "reason": "as agreed" });
    let requested = by_anna.post("/admin/v1/actions/application.disable", &body).await;
    let path = format!("/admin/v1/requests/{}", requested.text("/request/id"));
    let waiting = by_anna.get(&path).await;
    assert_eq!((waiting.status, waiting.text("/status")), (200, "pending"), "{waiting:?}");
    assert_eq!(waiting.body["decidedBy"], Value::Null);
    assert_eq!(by_jonas.post(&format!("{path}/approve"), &json!({})).await.status, 200);
    let approved = by_anna.get(&path).await;
    for (field, value) in [
        ("action", "application.disable"),
        ("reason", "as agreed"),
        ("requestedBy", anna.id.to_string().as_str()),
        ("decidedBy", jonas.id.to_string().as_str()),
        ("status", "approved"),
    ] {
        assert_eq!(approved.body[field], value, "{field} of {approved:?}");
    }
    assert_eq!(approved.body["parameters"], json!({ "application": own }));
    assert!(approved.text("/requestedAt") < approved.text("/expiresAt"), "{approved:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn token_ends_when_it_is_revoked_or_expires_or_its_person_is_disabled_or_reset(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let works = async |client: &ApiClient| client.get("/admin/v1/actions").await.status == 200;
    let anna = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let jonas = StaffUser::enrol(&bank, StaffRole::Operations, "jonas@bank.example").await;
    for (name, days) in [("", 30), ("a", 0), ("a", 91), ("a", -1)] {
        let refused = bank.app.staff_token_create(anna.id, name, days).await;
        assert_eq!(reason(refused), Some(RefusalReason::Malformed), "{name} {days}");
    }
    let (record, token) = bank.app.staff_token_create(anna.id, "report", 90).await.unwrap();
    let by_anna = with_token(&bank, token.expose());
    assert!(works(&by_anna).await);
    let listed = bank.app.staff_token_list(anna.id).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert!(listed[0].last_used_at.is_some());
    assert!(!format!("{listed:?}").contains(token.expose().as_str()));
    let foreign = bank.app.staff_token_revoke(jonas.id, record.id).await;
    assert_eq!(reason(foreign), Some(RefusalReason::ResourceUnknown), "of another person");
    assert!(works(&by_anna).await);
    bank.app.staff_token_revoke(anna.id, record.id).await.unwrap();
    assert!(!works(&by_anna).await);

    let expiring = client(&bank, &anna).await;
    assert!(works(&expiring).await);
    let past = if engine == Engine::Sqlite { "1" } else { "'2020-01-01'" };
    bank.database.tamper(&format!("UPDATE staff_token SET expires_at = {past}"));
    assert!(!works(&expiring).await);

    for action in [StaffAction::StaffReset, StaffAction::StaffDisable] {
        let person =
            StaffUser::enrol(&bank, StaffRole::Support, &format!("{}@bank.example", action.name())).await;
        let by_person = client(&bank, &person).await;
        assert!(works(&by_person).await);
        let parameters = ActionParameters::new([("staff", person.id.to_string())]);
        bank.app.staff_action_run(Actor::Operator(None), action, &parameters, "").await.unwrap();
        assert!(!works(&by_person).await, "{action:?}");
        if action == StaffAction::StaffDisable {
            let enabled =
                bank.app.staff_action_run(Actor::Operator(None), StaffAction::StaffEnable, &parameters, "");
            enabled.await.unwrap();
            assert!(!works(&by_person).await, "the token does not return");
        }
    }
    for _ in 0..MAX_TOKENS {
        bank.app.staff_token_create(jonas.id, "many", 1).await.unwrap();
    }
    let refused = bank.app.staff_token_create(jonas.id, "many", 1).await;
    assert_eq!(reason(refused), Some(RefusalReason::StatusInvalid));
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_name_their_field_and_change_nothing(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let anna = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let client = client(&bank, &anna).await;
    let disable = "/admin/v1/actions/application.disable";
    let own = application(&bank);
    let cases: [(&str, Value, u16, &str); 9] = [
        (
            disable,
            json!({ "parameters": { "application": "x" }, "reason": "a" }),
            400,
            "parameters.application",
        ),
        (
            disable,
            json!({ "parameters": { "application": 1 }, "reason": "a" }),
            400,
            "parameters.application",
        ),
        (disable, json!({ "parameters": { "application": own } }), 400, "reason"),
        (disable, json!({ "parameters": { "application": own }, "reason": 1 }), 400, "reason"),
        (disable, json!({ "parameters": [], "reason": "a" }), 400, "parameters"),
        (disable, json!({ "params": {}, "reason": "a" }), 400, "params"),
        (disable, json!([]), 400, ""),
        (disable, json!({ "parameters": { "application": "a".repeat(20_000) } }), 413, ""),
        ("/admin/v1/actions/loan.explode", json!({}), 404, ""),
    ];
    for (path, body, status, field) in cases {
        let answer = client.post(path, &body).await;
        assert_eq!(answer.status, status, "{answer:?}");
        let named = answer.body.pointer("/errors/0/field").and_then(Value::as_str).unwrap_or_default();
        assert_eq!(named, field, "{answer:?}");
    }
    for (path, status) in [
        ("/admin/v1/search", 400),
        ("/admin/v1/search?q=%20", 400),
        ("/admin/v1/objects/planet/1", 404),
        ("/admin/v1/objects/loan/1", 404),
        ("/admin/v1/work-lists/nothing", 404),
        ("/admin/v1/work-lists/overdue-loans?limit=0", 400),
        ("/admin/v1/work-lists/overdue-loans?limit=201", 400),
        ("/admin/v1/requests/1", 404),
    ] {
        assert_eq!(client.get(path).await.status, status, "{path}");
    }
    assert_eq!(events(&bank, "staff_request.created"), 0);
    // The same key has one effect.
    let key = uuid::Uuid::from_u128(7).to_string();
    let body = json!({ "parameters": { "application": own }, "reason": "as agreed" });
    let keyed = client.with("Idempotency-Key", &key);
    let (first, again) = (keyed.post(disable, &body).await, keyed.post(disable, &body).await);
    assert_eq!((first.status, again.status), (202, 202));
    assert_eq!(first.text("/request/id"), again.text("/request/id"));
    assert_eq!(events(&bank, "staff_request.created"), 1);
}
