//! The search of the bank's staff, and the timeline of an object from the audit log.

use crate::fixture::refusal_at;
use rstest::rstest;
use trapeza_app::psu::{NewPsu, PsuChange};
use trapeza_app::search::SearchKind;
use trapeza_app::{App, Entropy};
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::id::PsuId;
use trapeza_domain::refusal::RefusalReason;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ledger_fixture, merchant_fixture};

pub async fn register(app: &App, login: &str, name: &str, phone: &str) -> PsuId {
    let id = PsuId::new(Entropy::os().uuid());
    let order = NewPsu {
        id,
        login: login.to_owned(),
        name: name.to_owned(),
        phone: Phone::parse(phone).unwrap(),
        password: None,
        methods: Vec::new(),
    };
    app.psu_register(order).await.unwrap();
    id
}

async fn found(app: &App, text: &str) -> Vec<(SearchKind, String)> {
    app.search(text).await.unwrap().into_iter().map(|hit| (hit.kind, hit.label)).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn customer_is_found_by_every_key_and_by_name_in_any_script(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = ledger_fixture::open_app(database.open()).await;
    let id = register(&app, "nikos", "Νίκος Γεωργίου", "+306900000777").await;
    register(&app, "maria", "Maria Papadaki", "+306900000778").await;
    let nikos = vec![(SearchKind::Customer, "Νίκος Γεωργίου".to_owned())];
    let keys =
        ["nikos", "+30 690 000 0777", "Γεωργίου", "georgiou", "NIKOS GEORG", "geor nik", &id.to_string()];
    for key in keys {
        assert_eq!(found(&app, key).await, nikos, "{key}");
    }
    for key in ["georgiou maria", "eorgiou", "+306900000779", "00000000-0000-4000-8000-000000000001"] {
        assert_eq!(found(&app, key).await, [], "{key}");
    }
    // A changed name replaces the words of the old one.
    let change = PsuChange { name: Some("Nikos Ioannou".to_owned()), ..PsuChange::default() };
    app.psu_update("nikos", change).await.unwrap();
    assert_eq!(found(&app, "georgiou").await, []);
    assert_eq!(found(&app, "ioannou").await.len(), 1);
    for text in ["", "  ", &"x".repeat(141)] {
        let refused = refusal_at(app.search(text).await);
        assert_eq!(refused, (RefusalReason::Malformed, Field::SearchText.into()), "{text:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn account_merchant_and_application_are_found(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = ledger_fixture::open_app(database.open()).await;
    let account = &ledger_fixture::funded_accounts(&app, 1, 100).await[0];
    let (application, _) = merchant_fixture::merchant(&app, 1, None).await;
    let iban = account.iban.as_str();
    let (first, rest) = iban.split_at(4);
    for text in [iban, &format!("{first} {rest}"), &account.id.to_string()] {
        assert_eq!(found(&app, text).await, [(SearchKind::Account, iban.to_owned())], "{text}");
    }
    let hits = app.search(&application.to_string()).await.unwrap();
    assert_eq!(hits.iter().map(|hit| hit.kind).collect::<Vec<_>>(), [SearchKind::Application]);
    assert!(found(&app, &hits[0].label).await.contains(&(SearchKind::Application, hits[0].label.clone())));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn timeline_has_the_events_of_its_objects_in_order(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let database = Database::new(engine);
    let app = ledger_fixture::open_app(database.open()).await;
    let id = register(&app, "nikos", "Nikos Georgiou", "+306900000777").await;
    register(&app, "maria", "Maria Papadaki", "+306900000778").await;
    let change = PsuChange { name: Some("Nikos Ioannou".to_owned()), ..PsuChange::default() };
    app.psu_update("nikos", change).await.unwrap();
    let events = app.timeline(vec![format!("psu:{id}")]).await.unwrap();
    let actions: Vec<&str> = events.iter().map(|event| event.action.as_str()).collect();
    assert_eq!(actions, ["psu.registered", "psu.changed"]);
    assert!(events[0].at <= events[1].at);
}
