//! The access matrix: every route of the portal by callers without a session, viewers, developers, owners and another organisation,
//! and every form without its CSRF token.

use super::{object, passkey};
use rstest::rstest;
use trapeza_domain::organisation::MemberRole;
use trapeza_portal::route::{Access, Method, ROUTES};
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{PortalUser, TestBank};

const NOT_PERMITTED: &str = "Not permitted";
const NO_CSRF: &str = "The form was not accepted";
/// Objects of the first organisation that occur in paths.
pub type Objects = Vec<(&'static str, String)>;

pub async fn objects(bank: &TestBank, owner: &mut PortalUser) -> Objects {
    passkey::add(bank, owner).await;
    let account = owner.browser.get("/portal/account").await;
    let passkeys = account.attributes("action=\"/portal/account/passkeys/");
    let passkey = passkeys.iter().find_map(|path| path.strip_suffix("/remove")).unwrap().to_owned();
    let link = owner.invite("later@example.org", "viewer").await;
    assert!(link.contains("invitation="));
    let members = owner.browser.get("/portal/members").await;
    let first =
        |before: &str| members.attributes(before).remove(0).split('/').next().map(str::to_owned).unwrap();
    let invitation = first("action=\"/portal/members/invitations/");
    let ids = members.attributes("action=\"/portal/members/");
    let member =
        ids.iter().find(|path| path.ends_with("/role")).unwrap().split('/').next().unwrap().to_owned();
    let session = bank.app.portal_session(owner.session()).await.unwrap().unwrap().session.id.to_string();
    let created = object::Created::new(bank, owner).await;
    let application = created.merchant.clone();
    let path = format!("/portal/applications/{application}");
    let addresses = [("success_callback", "http://127.0.0.1:9090/paid")];
    assert_eq!(owner.post(&format!("{path}/addresses"), &addresses).await.status, 303);
    let page = owner.browser.get(&path).await;
    let key = page.attributes(&format!("action=\"{path}/keys/"))[0].split('/').next().unwrap().to_owned();
    let sent = owner.post(&format!("{path}/webhooks/test"), &[("event", "approved")]).await;
    let callback = sent.headers["location"].rsplit('/').next().unwrap().to_owned();
    trapeza_http::request_log::flush(&bank.state).await.unwrap();
    let requests = format!("{path}/requests");
    let request = owner.browser.get(&requests).await.attributes(&format!("<a href=\"{requests}/")).remove(0);
    vec![
        ("invitation", invitation),
        ("request", request),
        ("passkey", passkey),
        ("member", member),
        ("session", session),
        ("application", application),
        ("key", key),
        ("callback", callback),
        ("third party", created.tpp),
        ("consent", created.consent),
        ("payment", created.payment),
        ("signing_basket", created.signing_basket),
        ("basket", created.basket),
        ("loan", created.loan),
    ]
}

pub fn path(template: &str, objects: &Objects) -> String {
    // Merchants have no consents, payments, signing baskets, certificates and redirect URIs.
    let is_third_party = ["/consents", "/payments", "/signing-baskets", "/certificates", "/redirects"]
        .iter()
        .any(|part| template.contains(part));
    let template =
        if is_third_party { template.replace("{application}", "{third party}") } else { template.to_owned() };
    objects.iter().fold(template, |path, (name, id)| path.replace(&format!("{{{name}}}"), id))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn every_route_is_limited_to_its_role_and_its_organisation(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut owner = PortalUser::sign_up(&bank, "First", "owner@example.org").await;
    let link = owner.invite("developer@example.org", "developer").await;
    let developer = PortalUser::accept(&bank, &link, "developer@example.org").await;
    let link = owner.invite("viewer@example.org", "viewer").await;
    let viewer = PortalUser::accept(&bank, &link, "viewer@example.org").await;
    let mut foreign = PortalUser::sign_up(&bank, "Second", "foreign@example.org").await;
    let objects = objects(&bank, &mut owner).await;
    let mut members =
        [(MemberRole::Owner, owner), (MemberRole::Developer, developer), (MemberRole::Viewer, viewer)];
    for route in ROUTES {
        let path = path(route.path, &objects);
        assert!(!path.contains('{'), "{path} needs an object");
        let Access::Role(required) = route.access else { continue };
        let place = format!("{:?} {path}", route.method);
        let mut anonymous = bank.browser();
        anonymous.get("/portal").await;
        let csrf = bank.app.csrf_token(&anonymous.cookies["trapeza-portal"], &path);
        let refused = match route.method {
            Method::Get => anonymous.get(&path).await,
            Method::Post => anonymous.post(&path, &[("csrf", &csrf)]).await,
        };
        assert_eq!(
            (refused.status, refused.headers["location"].as_str()),
            (303, "/portal/sign-in"),
            "{place}"
        );
        for (role, member) in &mut members {
            // A form without its token tests the role and changes nothing.
            let page = match route.method {
                Method::Get => member.browser.get(&path).await,
                Method::Post => member.browser.post(&path, &[]).await,
            };
            match (route.method, role.includes(required)) {
                (_, false) => {
                    assert_eq!((page.status, page.title().as_str()), (403, NOT_PERMITTED), "{place} {role:?}")
                }
                (Method::Get, true) => assert_eq!(page.status, 200, "{place} {role:?}: {page:?}"),
                (Method::Post, true) => {
                    assert_eq!((page.status, page.title().as_str()), (403, NO_CSRF), "{place} {role:?}")
                }
            }
        }
        if route.path.contains('{') {
            let page = match route.method {
                Method::Get => foreign.browser.get(&path).await,
                Method::Post => foreign.post(&path, &[("role", "viewer")]).await,
            };
            assert_eq!(page.status, 404, "{place} of another organisation: {page:?}");
        }
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn form_of_another_session_or_page_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut owner = PortalUser::sign_up(&bank, "First", "owner@example.org").await;
    let other = PortalUser::sign_up(&bank, "Second", "foreign@example.org").await;
    let path = "/portal/members/invite";
    for (session, page) in
        [(other.session().to_owned(), path), (owner.session().to_owned(), "/portal/sign-out")]
    {
        let csrf = bank.app.csrf_token(&session, page);
        let fields = [("csrf", csrf.as_str()), ("email", "jonas@example.org"), ("role", "viewer")];
        let refused = owner.browser.post(path, &fields).await;
        assert_eq!((refused.status, refused.title().as_str()), (403, NO_CSRF));
    }
    owner.browser.headers = vec![("origin", "https://attacker.example".to_owned())];
    let refused = owner.post(path, &[("email", "jonas@example.org"), ("role", "viewer")]).await;
    assert_eq!((refused.status, refused.title().as_str()), (403, NO_CSRF));
    owner.browser.headers.clear();
    assert!(owner.browser.get("/portal/members").await.says("There are no open invitations."));
}
