//! What staff see of objects, what they may do with them, and that every look at personal data is recorded.

use super::{events, reason, verify_audit};
use crate::http::berlin_group::signing_basket::some_basket;
use crate::http::checkout::JONAS;
use crate::http::clearing::authorised;
use crate::http::credential_limits::block_app;
use crate::http::guest_refund::payable;
use crate::http::loan_servicing::{bought, iban, set_status};
use crate::http::payment::{ELENI, iban as payer, order, text, tpp};
use rstest::rstest;
use serde_json::json;
use std::collections::{BTreeSet, VecDeque};
use trapeza_app::object_view::{MAX_RELATED, ObjectView};
use trapeza_app::search::SearchKind;
use trapeza_app::staff::ActionParameters;
use trapeza_domain::account::AccountStatus;
use trapeza_domain::audit_event::Actor;
use trapeza_domain::callback::{CallbackState, Jitter};
use trapeza_domain::id::CallbackId;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_http::request_log::flush;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{StaffUser, TestBank};
use uuid::Uuid;

const UNKNOWN: &str = "00000000-0000-4000-8000-000000000001";

async fn view(bank: &TestBank, person: &StaffUser, kind: SearchKind, id: &str) -> ObjectView {
    bank.app.object_view(person.id, kind, id).await.unwrap_or_else(|error| panic!("{kind:?} {id}: {error:?}"))
}

fn actions(view: &ObjectView) -> Vec<StaffAction> {
    view.actions.iter().map(|available| available.action).collect()
}

async fn customer(bank: &TestBank, number: usize) -> (String, String) {
    let login = text(&bank.sandbox_file["psus"][number]["psu_id"]).to_owned();
    let hits = bank.app.search(&login).await.unwrap();
    (login, hits[0].id.to_string())
}

/// Fails all attempts of a callback.
pub async fn kill(bank: &TestBank, id: &str) {
    let (id, now) = (CallbackId::parse(id).unwrap(), bank.app.now());
    let killed = bank.app.store().write(move |tx| {
        let mut callback = tx.callback_find(id)?.unwrap().callback;
        while matches!(callback.state, CallbackState::Waiting { .. }) {
            callback = callback.fail(now, Jitter(0))?.0;
        }
        Ok(tx.callback_update(&callback)?)
    });
    killed.await.unwrap();
}

/// A payment through clearing, a consent, a loan with a callback: something of every kind.
pub async fn something_of_everything(bank: &TestBank) {
    let merchant = &bank.sandbox_file["merchants"][0];
    let path = format!("/sandbox/applications/{}", text(&merchant["application_id"]));
    let hook = json!({ "successCallbackUrl": "http://127.0.0.1:9099/hook" });
    let set = bank.merchant(0).patch(&path, &hook).await;
    assert_eq!(set.status, 200, "{set:?}");
    bank.book_opening(&iban(bank), 1_000_000).await;
    bought(bank, 3).await;
    let client = tpp(bank, JONAS);
    let card = &bank.sandbox_file["psus"][ELENI]["cards"][0]["pan"];
    let consent = json!({
        "access": { "accounts": [{ "iban": payer(bank, ELENI, 0) }, { "pan": card }] }, "recurringIndicator": false,
        "validUntil": "2099-12-31", "frequencyPerDay": 1,
    });
    let created = tpp(bank, ELENI).post("/v1/consents", &consent).await;
    assert_eq!(created.status, 201, "{created:?}");
    authorised(bank, &client, &order(bank, "20.00")).await;
    some_basket(bank).await;
    bank.advance("PT5S").await;
    flush(&bank.state).await.unwrap();
}

/// Every object that can be reached from the customers, applications and merchants of the demo bank.
async fn reachable(bank: &TestBank, person: &StaffUser) -> Vec<ObjectView> {
    let mut open = VecDeque::new();
    for psu in bank.sandbox_file["psus"].as_array().unwrap() {
        open.extend(bank.app.search(text(&psu["psu_id"])).await.unwrap());
    }
    for merchant in bank.sandbox_file["merchants"].as_array().unwrap() {
        open.extend(bank.app.search(text(&merchant["application_id"])).await.unwrap());
    }
    let mut open: VecDeque<(SearchKind, String)> =
        open.into_iter().map(|hit| (hit.kind, hit.id.to_string())).collect();
    // No object links to the transfer that came in.
    let message = bank.database.column("SELECT message_id FROM clearing_incoming").remove(0);
    let incoming = bank.app.search(&message).await.unwrap().remove(0);
    open.push_back((incoming.kind, incoming.id.to_string()));
    let (mut known, mut views) = (BTreeSet::new(), Vec::new());
    while let Some((kind, id)) = open.pop_front() {
        if known.insert((kind, id.clone())) {
            let found = view(bank, person, kind, &id).await;
            assert_eq!((found.kind, &found.id), (kind, &id));
            open.extend(found.related.iter().map(|related| (related.kind, related.id.clone())));
            views.push(found);
        }
    }
    views
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn objects_of_every_kind_are_linked_and_show_no_secret(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    something_of_everything(&bank).await;
    let person = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let views = reachable(&bank, &person).await;
    let kinds: BTreeSet<SearchKind> = views.iter().map(|view| view.kind).collect();
    assert_eq!(kinds, SearchKind::ALL.iter().copied().collect());
    for view in &views {
        assert!(!view.title.is_empty() && !view.facts.is_empty(), "{view:?}");
        for (label, value) in &view.facts {
            assert!(!value.is_empty(), "{label} of {view:?}");
        }
    }
    // Who looks at a person is on the timeline of the person, and so is what the objects have gone through.
    for kind in [
        SearchKind::Customer,
        SearchKind::Payment,
        SearchKind::Consent,
        SearchKind::SigningBasket,
        SearchKind::Basket,
    ] {
        let one = views.iter().find(|view| view.kind == kind).unwrap();
        let timeline = bank.app.timeline(one.objects.clone()).await.unwrap();
        assert!(timeline.iter().any(|event| event.action == "personal_data.viewed"), "{one:?}");
        assert!(timeline.len() > 1, "{one:?}");
    }
    let shown = format!("{views:?}");
    let (tpp, merchant) = (&bank.sandbox_file["tpps"][0], &bank.sandbox_file["merchants"][0]);
    let psu = &bank.sandbox_file["psus"][ELENI];
    let otp = format!("\"{}\"", text(&bank.sandbox_file["otp"]));
    let pan = text(&psu["cards"][0]["pan"]);
    let secrets = [
        text(&tpp["subscription_key"]),
        text(&merchant["subscription_key"]),
        text(&merchant["webhook_secret"]),
        text(&psu["password"]),
        &otp,
        pan,
    ];
    for secret in secrets {
        assert!(!shown.contains(secret), "{secret}");
    }
    // The request log has masked card numbers with six and four digits; elsewhere the last four are shown.
    let own: Vec<&ObjectView> = views.iter().filter(|view| view.kind != SearchKind::Request).collect();
    let masked = text(&psu["cards"][0]["masked_pan"]);
    assert!(!format!("{own:?}").contains(masked), "{masked}");
    assert!(format!("{own:?}").contains(&pan[pan.len() - 4..]));
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn look_at_personal_data_is_recorded_and_refused_to_administrators(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (_, id) = customer(&bank, 0).await;
    let application = text(&bank.sandbox_file["tpps"][0]["client_id"]).to_owned();
    for role in StaffRole::ALL {
        let person = StaffUser::enrol(&bank, *role, &format!("{}@bank.example", role.name())).await;
        let before = events(&bank, "personal_data.viewed");
        let refused = reason(bank.app.object_view(person.id, SearchKind::Customer, &id).await);
        let may = *role != StaffRole::Administrator;
        assert_eq!(refused, (!may).then_some(RefusalReason::RoleMissing), "{role:?}");
        assert_eq!(events(&bank, "personal_data.viewed"), before + i64::from(may), "{role:?}");
        // An application has no personal data: everyone sees it, and nothing is recorded.
        view(&bank, &person, SearchKind::Application, &application).await;
        assert_eq!(events(&bank, "personal_data.viewed"), before + i64::from(may), "{role:?}");
        for kind in SearchKind::ALL {
            for id in [UNKNOWN, "", "x", "../loan"] {
                let refused = reason(bank.app.object_view(person.id, *kind, id).await);
                let expected = match may || !kind.is_personal() {
                    true => RefusalReason::ResourceUnknown,
                    false => RefusalReason::RoleMissing,
                };
                assert_eq!(refused, Some(expected), "{role:?} {kind:?} {id}");
            }
        }
        if *role != StaffRole::Administrator {
            let (by, parameters) =
                (Actor::Operator(None), ActionParameters::new([("staff", person.id.to_string())]));
            bank.app.staff_action_run(by, StaffAction::StaffDisable, &parameters, "").await.unwrap();
            let refused = bank.app.object_view(person.id, SearchKind::Application, &application).await;
            assert_eq!(reason(refused), Some(RefusalReason::RoleMissing), "disabled");
        }
    }
    let rows =
        bank.database.rows("SELECT DISTINCT object FROM audit_event WHERE action = 'personal_data.viewed'");
    assert_eq!(rows, [[format!("psu:{id}")]]);
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn search_is_recorded_without_its_text_and_finds_no_person_for_administrators(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (login, _) = customer(&bank, 0).await;
    let support = StaffUser::enrol(&bank, StaffRole::Support, "support@bank.example").await;
    let administrator = StaffUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    assert_eq!(bank.app.staff_search(support.id, &login).await.unwrap().len(), 1);
    assert_eq!(bank.app.staff_search(administrator.id, &login).await.unwrap(), []);
    let application = text(&bank.sandbox_file["tpps"][0]["client_id"]);
    assert_eq!(bank.app.staff_search(administrator.id, application).await.unwrap().len(), 1);
    let malformed = bank.app.staff_search(support.id, " ").await;
    assert_eq!(reason(malformed), Some(RefusalReason::Malformed));
    let rows = bank.database.rows(
        "SELECT actor, object, detail FROM audit_event WHERE action = 'personal_data.searched' ORDER BY detail, actor",
    );
    let details: Vec<(&str, &str)> = rows.iter().map(|row| (row[0].as_str(), row[2].as_str())).collect();
    let (by, admin) = (format!("staff:{}", support.id), format!("staff:{}", administrator.id));
    let mut expected = vec![(admin.as_str(), "results=0"), (&admin, "results=1"), (&by, "results=1")];
    expected[1..].sort_unstable();
    assert_eq!(details, expected);
    assert!(rows.iter().all(|row| row[1].starts_with("search:") && !row[1].contains(&login)));
    // The same text has the same hash, so that one can prove that it was searched for.
    let objects: BTreeSet<&String> = rows.iter().map(|row| &row[1]).collect();
    assert_eq!(objects.len(), 2);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn actions_fit_the_state_of_the_object_and_the_role_of_the_caller(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    bank.book_opening(&iban(&bank), 1_000_000).await;
    let loan = bought(&bank, 3).await;
    let id = loan.to_string();
    let operations = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let risk = StaffUser::enrol(&bank, StaffRole::Risk, "rika@bank.example").await;
    let auditor = StaffUser::enrol(&bank, StaffRole::Auditor, "otto@bank.example").await;
    let seen = view(&bank, &risk, SearchKind::Loan, &id).await;
    assert_eq!((seen.status.as_deref(), actions(&seen)), (Some("active"), vec![]));
    set_status(&bank, AccountStatus::Blocked).await;
    bank.advance("P46D").await;
    let seen = view(&bank, &risk, SearchKind::Loan, &id).await;
    assert_eq!((seen.status.as_deref(), actions(&seen)), (Some("overdue"), vec![StaffAction::LoanWriteOff]));
    assert_eq!(actions(&view(&bank, &auditor, SearchKind::Loan, &id).await), []);
    // The parameters are those that the action takes.
    let parameters: Vec<(&str, &str)> =
        seen.actions[0].parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let request = operations.request(StaffAction::LoanWriteOff, &parameters).await;
    bank.app.staff_request_approve(risk.id, request).await.unwrap();
    let seen = view(&bank, &risk, SearchKind::Loan, &id).await;
    assert_eq!((seen.status.as_deref(), actions(&seen)), (Some("writtenOff"), vec![]));

    let application = text(&bank.sandbox_file["tpps"][0]["client_id"]).to_owned();
    let parameters = [("application", application.as_str())];
    let seen = view(&bank, &risk, SearchKind::Application, &application).await;
    assert_eq!(actions(&seen), [StaffAction::ApplicationDisable]);
    let request = operations.request(StaffAction::ApplicationDisable, &parameters).await;
    bank.app.staff_request_approve(risk.id, request).await.unwrap();
    let seen = view(&bank, &risk, SearchKind::Application, &application).await;
    assert_eq!(
        (seen.status.as_deref(), actions(&seen)),
        (Some("disabled"), vec![StaffAction::ApplicationEnable])
    );
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn blocked_customer_can_be_unblocked_and_an_unblocked_one_cannot(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (login, id) = customer(&bank, 0).await;
    let support = StaffUser::enrol(&bank, StaffRole::Support, "support@bank.example").await;
    assert_eq!(actions(&view(&bank, &support, SearchKind::Customer, &id).await), []);
    block_app(&bank, &login).await;
    let seen = view(&bank, &support, SearchKind::Customer, &id).await;
    assert_eq!(actions(&seen), [StaffAction::PsuUnblock]);
    assert_eq!(seen.facts.iter().filter(|(label, _)| *label == "Blocked").count(), 1, "{seen:?}");
    let parameters: Vec<(&str, &str)> =
        seen.actions[0].parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
    support.run(StaffAction::PsuUnblock, &parameters).await.unwrap();
    assert_eq!(actions(&view(&bank, &support, SearchKind::Customer, &id).await), []);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn refund_can_be_paid_out_when_it_is_payable(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let operations = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let loan = payable(&bank).await;
    let reference = loan.reference.replace(' ', "");
    let id = bank.app.search(&reference).await.unwrap().remove(0).id.to_string();
    let seen = view(&bank, &operations, SearchKind::Loan, &id).await;
    assert_eq!(actions(&seen), [StaffAction::RefundPayout]);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn callback_can_be_replayed_when_it_is_dead(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let operations = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    something_of_everything(&bank).await;
    let callback = callbacks(&bank).await.remove(0).to_string();
    assert_eq!(actions(&view(&bank, &operations, SearchKind::Callback, &callback).await), []);
    kill(&bank, &callback).await;
    let seen = view(&bank, &operations, SearchKind::Callback, &callback).await;
    assert_eq!((seen.status.as_deref(), actions(&seen)), (Some("dead"), vec![StaffAction::CallbackReplay]));
    operations.run(StaffAction::CallbackReplay, &[("callback", &callback)]).await.unwrap();
    assert_eq!(actions(&view(&bank, &operations, SearchKind::Callback, &callback).await), []);
    let replayed = format!("callback:{callback} by staff:{}", operations.id);
    assert_eq!(bank.database.events("callback.replayed"), [replayed]);
}

pub async fn callbacks(bank: &TestBank) -> Vec<Uuid> {
    let read = bank.app.store().read(|tx| Ok(tx.query("SELECT id FROM callback", &[], |row| row.read())?));
    read.await.unwrap()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn more_related_objects_than_are_listed_are_mentioned(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (login, id) = customer(&bank, 0).await;
    let support = StaffUser::enrol(&bank, StaffRole::Support, "support@bank.example").await;
    let consent = json!({
        "access": { "allPsd2": "allAccounts" }, "recurringIndicator": false,
        "validUntil": "2099-12-31", "frequencyPerDay": 1,
    });
    let client = bank.tpp(0).with("PSU_ID", &login);
    let consents = |view: &ObjectView| {
        let is_consent = |kind| kind == SearchKind::Consent;
        let noted =
            view.facts.iter().any(|(label, value)| *label == "Not listed" && value.starts_with("consent:"));
        (view.related.iter().filter(|related| is_consent(related.kind)).count(), noted)
    };
    let mut made = consents(&view(&bank, &support, SearchKind::Customer, &id).await).0;
    while made < MAX_RELATED {
        assert_eq!(client.post("/v1/consents", &consent).await.status, 201);
        made += 1;
    }
    assert_eq!(consents(&view(&bank, &support, SearchKind::Customer, &id).await), (MAX_RELATED, false));
    assert_eq!(client.post("/v1/consents", &consent).await.status, 201);
    assert_eq!(consents(&view(&bank, &support, SearchKind::Customer, &id).await), (MAX_RELATED, true));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn signing_basket_is_found_by_its_id_and_linked_with_its_members(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let created = some_basket(&bank).await;
    let id = created.text("/basketId");
    let person = StaffUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let found = bank.app.staff_search(person.id, id).await.unwrap();
    assert_eq!((found.len(), found[0].kind), (1, SearchKind::SigningBasket), "{found:?}");
    let seen = view(&bank, &person, SearchKind::SigningBasket, id).await;
    assert_eq!(seen.status.as_deref(), Some("RCVD"));
    let mut relations: Vec<&str> = seen.related.iter().map(|related| related.relation).collect();
    relations.sort_unstable();
    assert_eq!(relations, ["application", "authorisation", "consent", "customer", "payment"]);
    // From each of them one comes back to the basket.
    for related in seen.related.iter().filter(|related| related.kind != SearchKind::Application) {
        let back = view(&bank, &person, related.kind, &related.id).await;
        let is_linked = back.related.iter().any(|other| other.id == id);
        assert!(is_linked, "{back:?}");
    }
}
