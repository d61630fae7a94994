//! The access matrix: every route of the console by callers without a session and by every role, every form without its CSRF token,
//! and every action by every role.

use crate::staff::application;
use rstest::rstest;
use trapeza_console::route::{Access, Method, ROUTES};
use trapeza_domain::staff::{StaffAction, StaffRole};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ConsoleUser, PortalUser, TestBank};

const NOT_PERMITTED: &str = "Not permitted";
const NO_CSRF: &str = "The form was not accepted";

/// One person of every role.
async fn people(bank: &TestBank) -> Vec<(StaffRole, ConsoleUser)> {
    let mut people = Vec::new();
    for role in StaffRole::ALL {
        people.push((*role, ConsoleUser::enrol(bank, *role, &format!("{}@bank.example", role.name())).await));
    }
    people
}

/// Objects that occur in paths.
async fn objects(bank: &TestBank, people: &mut [(StaffRole, ConsoleUser)]) -> Vec<(&'static str, String)> {
    let (_, operations) = people.iter_mut().find(|(role, _)| *role == StaffRole::Operations).unwrap();
    let application = application(bank);
    let requested = operations.act(StaffAction::ApplicationDisable, &[("application", &application)]).await;
    let request = requested.headers["location"].rsplit('/').next().unwrap().to_owned();
    let session = bank.app.staff_session(operations.session()).await.unwrap().unwrap().session.id;
    let none = uuid::Uuid::nil().to_string();
    vec![
        ("request", request),
        ("action", "console.view".to_owned()),
        ("session", session.to_string()),
        ("passkey", none.clone()),
        ("token", none),
        ("account", "1".to_owned()),
        // Of an object without personal data, which every role sees.
        ("list", "pending-requests".to_owned()),
        ("kind", "application".to_owned()),
        ("id", application),
    ]
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_route_is_limited_to_its_roles(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut people = people(&bank).await;
    let objects = objects(&bank, &mut people).await;
    let member = PortalUser::sign_up(&bank, "Shop", "owner@example.org").await;
    for route in ROUTES {
        let path = objects
            .iter()
            .fold(route.path.to_owned(), |path, (name, id)| path.replace(&format!("{{{name}}}"), id));
        assert!(!path.contains('{'), "{path} needs an object");
        let Access::Role(required) = route.access else { continue };
        let place = format!("{:?} {path}", route.method);
        // Neither without a session nor with one of the portal.
        for token in [None, Some(member.session().to_owned())] {
            let mut anonymous = bank.browser();
            anonymous.get("/console/sign-in").await;
            if let Some(token) = token {
                anonymous.cookies.insert("trapeza-console".to_owned(), token);
            }
            let csrf = bank.app.csrf_token(&anonymous.cookies["trapeza-console"], &path);
            let refused = match route.method {
                Method::Get => anonymous.get(&path).await,
                Method::Post => anonymous.post(&path, &[("csrf", &csrf)]).await,
            };
            let to = refused.headers.get("location").map(String::as_str);
            assert_eq!((refused.status, to), (303, Some("/console/sign-in")), "{place}");
        }
        for (role, person) in &mut people {
            // A form without its token tests the role and changes nothing.
            let page = match route.method {
                Method::Get => person.browser.get(&path).await,
                Method::Post => person.browser.post(&path, &[]).await,
            };
            let place = format!("{place} {role:?}");
            match (route.method, required.rule().request.contains(role)) {
                (_, false) => {
                    assert_eq!((page.status, page.title().as_str()), (403, NOT_PERMITTED), "{place}")
                }
                // A request that the role does not decide.
                (Method::Get, true)
                    if route.path.ends_with("{request}")
                        && matches!(role, StaffRole::Support | StaffRole::Administrator) =>
                {
                    assert_eq!(page.status, 404, "{place}")
                }
                // It has no form.
                (Method::Get, true) if path.ends_with("console.view") => {
                    assert_eq!(page.status, 404, "{place}")
                }
                (Method::Get, true) => assert_eq!(page.status, 200, "{place}: {page:?}"),
                (Method::Post, true) => {
                    assert_eq!((page.status, page.title().as_str()), (403, NO_CSRF), "{place}")
                }
            }
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_action_is_limited_to_its_roles(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    for (role, mut person) in people(&bank).await {
        let list = person.browser.get("/console/actions").await;
        for action in StaffAction::ALL {
            let path = format!("/console/actions/{}", action.name());
            let has_form = trapeza_app::staff::parameter_names(*action).is_some()
                && *action != StaffAction::PersonalDataView;
            let is_permitted = action.rule().request.contains(&role);
            assert_eq!(list.says(&format!("\"{path}\"")), has_form && is_permitted, "{path} {role:?}");
            let shown = person.browser.get(&path).await.status;
            // Without parameters nothing is executed; who may not do it does not learn what is missing.
            let sent = person.post(&path, &[("key", &uuid::Uuid::nil().to_string())]).await;
            let (get, post) = match (is_permitted, has_form) {
                (false, _) => (403, 403),
                (true, false) => (404, 404),
                (true, true) => (200, 400),
            };
            assert_eq!((shown, sent.status), (get, post), "{path} {role:?}: {sent:?}");
        }
    }
}
