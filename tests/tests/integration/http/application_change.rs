//! Changes of applications by the operator: what is unknown is refused, and what is changed is stored.

use crate::staff::{events, reason};
use rstest::rstest;
use trapeza_domain::id::{ApplicationId, OrganisationId};
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{PortalUser, TestBank};
use uuid::Uuid;

const UNKNOWN: Option<RefusalReason> = Some(RefusalReason::ResourceUnknown);

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_change_of_an_unknown_application_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let (app, id) = (&bank.app, ApplicationId::new(Uuid::from_u128(7)));
    let before = bank.database.number("SELECT COUNT(*) FROM audit_event");
    for (name, refused) in [
        ("name", reason(app.application_update(id, Some("Other".to_owned()), None).await)),
        ("disable", reason(app.application_enabled_set(id, false).await)),
        ("issue a key", reason(app.key_issue(id).await)),
        ("list keys", reason(app.key_list(id).await)),
        ("remove a key", reason(app.key_retire(id, "00000000", true).await)),
        ("retire keys", reason(app.older_keys_retire(id).await)),
        ("replace keys", reason(app.key_replace(id).await)),
        ("add a secret", reason(app.webhook_secret_rotate(id).await)),
        ("retire a secret", reason(app.webhook_secret_retire(id).await)),
        ("organisation", reason(app.application_organisation_set(id, None).await)),
        (
            "organisation of the bank",
            reason(app.application_organisation_set(ApplicationId::BANK, None).await),
        ),
    ] {
        assert_eq!(refused, UNKNOWN, "{name}");
    }
    assert_eq!(bank.database.number("SELECT COUNT(*) FROM audit_event"), before);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn organisation_and_redirect_uris_of_an_application_are_stored(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let client = bank.sandbox_file["tpps"][0]["client_id"].as_str().unwrap();
    let id = ApplicationId::parse(client).unwrap();
    let uris = vec!["http://127.0.0.1:9090/other".to_owned()];
    bank.app.application_update(id, None, Some(uris.clone())).await.unwrap();
    assert_eq!(bank.app.redirect_uri_list(id).await.unwrap(), uris);
    let mut owner = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let path = format!("/portal/applications/{id}");
    assert_eq!(owner.browser.get(&path).await.status, 404);
    let unknown = OrganisationId::new(Uuid::from_u128(7));
    assert_eq!(reason(bank.app.application_organisation_set(id, Some(unknown)).await), UNKNOWN);
    assert_eq!(events(&bank, "application.organisation_set"), 0);
    let own = bank.app.organisation_list().await.unwrap().into_iter().find(|one| one.name == "Kyklos");
    bank.app.application_organisation_set(id, own.map(|own| own.id)).await.unwrap();
    assert_eq!(owner.browser.get(&path).await.status, 200);
    // A third party has no webhook secrets.
    assert_eq!(reason(bank.app.webhook_secret_retire(id).await), UNKNOWN);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn secret_is_retired_for_one_application_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let merchants = bank.sandbox_file["merchants"].as_array().unwrap();
    let ids = [0, 1]
        .map(|number| ApplicationId::parse(merchants[number]["application_id"].as_str().unwrap()).unwrap());
    for id in ids {
        bank.pass(TimeDelta::minutes(1)).await;
        bank.app.webhook_secret_rotate(id).await.unwrap();
    }
    let secrets = || bank.database.number("SELECT COUNT(*) FROM application_webhook_secret");
    let before = secrets();
    bank.app.webhook_secret_retire(ids[1]).await.unwrap();
    assert_eq!(secrets(), before - 1);
    assert_eq!(reason(bank.app.webhook_secret_retire(ids[1]).await), Some(RefusalReason::StatusInvalid));
    bank.app.webhook_secret_retire(ids[0]).await.unwrap();
    assert_eq!(secrets(), before - 2);
}
