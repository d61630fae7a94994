//! Actions and requests on the pages: one effect of a form that is sent twice, the second person, changed objects.

use crate::staff::{application, events, verify_audit};
use rstest::rstest;
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ConsoleUser, TestBank};

const DISABLE: StaffAction = StaffAction::ApplicationDisable;

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn form_that_is_sent_twice_has_one_effect(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut anna = ConsoleUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let application = application(&bank);
    let path = format!("/console/actions/{}", DISABLE.name());
    let page = anna.browser.get(&format!("{path}?application={application}")).await;
    assert_eq!(page.attribute("name=\"application\" value=\""), application, "the object is filled in");
    let key = page.attribute("name=\"key\" value=\"");
    let fields = [("key", key.as_str()), ("application", &application), ("reason", "fraud")];
    let first = anna.post(&path, &fields).await;
    let again = anna.post(&path, &fields).await;
    assert_eq!((first.status, again.status), (303, 303), "{again:?}");
    assert_eq!(first.headers["location"], again.headers["location"]);
    assert_eq!(events(&bank, "staff_request.created"), 1);
    // The same key for something else, and the same request from a second tab.
    let other =
        anna.post(&path, &[("key", key.as_str()), ("application", &application), ("reason", "x")]).await;
    assert_eq!(other.status, 400, "{other:?}");
    assert!(other.says("the key was used for another action"));
    let tab = anna.act(DISABLE, &[("application", &application)]).await;
    assert_eq!(tab.status, 400, "{tab:?}");
    assert!(tab.says("is requested already"));
    assert_eq!(events(&bank, "staff_request.created"), 1);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn second_person_approves_on_the_page_and_the_same_person_cannot(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut anna = ConsoleUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let mut jonas = ConsoleUser::enrol(&bank, StaffRole::Operations, "jonas@bank.example").await;
    let application = application(&bank);
    let requested = anna.act(DISABLE, &[("application", &application)]).await;
    let path = requested.headers["location"].clone();
    let own = anna.browser.get(&path).await;
    assert!(own.says("Another person must approve") && !own.says("Approve and execute"), "{own:?}");
    let refused = anna.post(&format!("{path}/approve"), &[]).await;
    assert_eq!((refused.status, refused.title().as_str()), (403, "Not permitted"));
    let shown = jonas.browser.get(&path).await;
    assert!(
        shown.says(&application) && shown.says("as agreed") && shown.says("Approve and execute"),
        "{shown:?}"
    );
    let approved = jonas.post(&format!("{path}/approve"), &[]).await;
    assert_eq!(approved.status, 200, "{approved:?}");
    assert!(approved.says(&format!("disabled application {application}")));
    let again = jonas.post(&format!("{path}/approve"), &[]).await;
    assert_eq!((again.status, again.title().as_str()), (409, "This is not possible now"));
    assert!(again.says("The request is approved."));
    assert_eq!(events(&bank, "application.disabled"), 1);
    for (person, name) in [(&anna, "Anna"), (&jonas, "Jonas")] {
        let id = bank.database.uuid_literal(person.staff.id.uuid());
        bank.database.tamper(&format!("UPDATE staff SET name = '{name}' WHERE id = {id}"));
    }
    let ended = anna.browser.get(&path).await;
    for (label, value) in
        [("Status", "approved"), ("Reason", "as agreed"), ("Requested by", "Anna"), ("Decided by", "Jonas")]
    {
        assert!(ended.says(&format!("<dt>{label}</dt><dd>{value}</dd>")), "{label}: {ended:?}");
    }
    verify_audit(&bank).await;
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn rejection_needs_a_reason_and_an_own_request_is_cancelled(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut anna = ConsoleUser::enrol(&bank, StaffRole::Operations, "anna@bank.example").await;
    let mut risk = ConsoleUser::enrol(&bank, StaffRole::Risk, "risk@bank.example").await;
    let application = application(&bank);
    let path = anna.act(DISABLE, &[("application", &application)]).await.headers["location"].clone();
    let empty = risk.post(&format!("{path}/reject"), &[("reason", " ")]).await;
    assert_eq!(empty.status, 400, "{empty:?}");
    assert!(empty.says("must be 1–500 characters"));
    assert_eq!(risk.post(&format!("{path}/reject"), &[("reason", "not needed")]).await.status, 303);
    let rejected = anna.browser.get(&path).await;
    assert!(rejected.says("rejected") && rejected.says("not needed"), "{rejected:?}");
    let path = anna.act(DISABLE, &[("application", &application)]).await.headers["location"].clone();
    assert_eq!(anna.post(&format!("{path}/cancel"), &[]).await.status, 303);
    assert!(anna.browser.get(&path).await.says("cancelled"));
    assert_eq!(events(&bank, "application.disabled"), 0);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn new_login_is_created_with_a_link_that_is_shown_once(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut admin = ConsoleUser::enrol(&bank, StaffRole::Administrator, "admin@bank.example").await;
    let path = "/console/actions/staff.create";
    let page = admin.browser.get(path).await;
    let key = page.attribute("name=\"key\" value=\"");
    let fields =
        [("key", key.as_str()), ("email", "eleni@bank.example"), ("name", "Eleni"), ("role", "risk")];
    let wrong = admin
        .post(path, &[("key", key.as_str()), ("email", "eleni"), ("name", "Eleni"), ("role", "risk")])
        .await;
    assert_eq!(wrong.status, 400);
    assert!(wrong.says("id=\"email-error\""), "{wrong:?}");
    let created = admin.post(path, &fields).await;
    let link = created.text("<dt>Link, shown only now</dt><dd><code>").to_owned();
    let again = admin.post(path, &fields).await;
    assert!(again.status == 200 && !again.says("enrol?token="), "{again:?}");
    let mut browser = bank.browser();
    let enrolment = browser.get(&link).await;
    assert_eq!((enrolment.status, enrolment.title().as_str()), (200, "Set up your login"));
    assert!(enrolment.says("Eleni, you will sign in as eleni@bank.example with the role risk."));
    let list = admin.browser.get("/console/staff").await;
    assert!(list.says("eleni@bank.example") && list.says("invited"), "{list:?}");
}
