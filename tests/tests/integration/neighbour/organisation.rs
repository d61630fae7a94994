//! The portal with two organisations: their members, what these sign in with, and the applications that they own.

use super::{Created, Turns, postpone_login_times, take_turns};
use crate::http::checkout::{Bought, buy};
use crate::http::portal::application::{code, merchant, secret, third_party};
use crate::http::portal::object;
use crate::http::portal::passkey::{add, sign_in};
use crate::staff::object_view::kill;
use serde_json::json;
use trapeza_app::organisation::PortalMember;
use trapeza_domain::id::{ApplicationId, LoginSessionId};
use trapeza_http::request_log::flush;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::portal_user::PASSWORD;
use trapeza_testkit::{Page, PortalUser, TestBank, TestPasskey};

const ACCOUNT: &str = "/portal/account";
const LIST: &str = "/portal/applications";

async fn session(bank: &TestBank, user: &PortalUser) -> PortalMember {
    bank.app.portal_session(user.session()).await.unwrap().unwrap()
}

/// Signs in from another browser, whose session is returned.
async fn other_browser(bank: &TestBank, user: &mut PortalUser, code: &str) -> PortalMember {
    let cookies = std::mem::take(&mut user.browser.cookies);
    let page = user.sign_in(PASSWORD, code).await;
    assert_eq!(page.status, 303, "{page:?}");
    let begun = session(bank, user).await;
    user.browser.cookies = cookies;
    postpone_login_times(bank);
    begun
}

/// Signs in from another browser with a passkey.
async fn by_passkey(bank: &TestBank, passkey: &mut TestPasskey) -> u16 {
    let mut browser = bank.browser();
    let challenge = browser.get("/portal/sign-in").await.attribute("data-challenge=\"");
    let status = sign_in(bank, &mut browser, &passkey.get(&challenge)).await.status;
    postpone_login_times(bank);
    status
}

/// Sends forms to paths of the other organisation, all of which are refused.
async fn is_refused(user: &mut PortalUser, paths: Vec<String>) {
    assert!(!paths.is_empty());
    for path in paths {
        let page = user.post(&path, &[("role", "owner")]).await;
        assert!(matches!(page.status, 403 | 404), "{path}: {page:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn members_of_two_organisations_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns, created) = (&bank, Turns::begin(&bank), &Created::default());
    let changes = take_turns(&turns, |scenario| async move {
        let address = |name: &str| scenario.side.email(name);
        let mut browser = bank.browser();
        let page = browser.get("/portal/sign-up").await;
        let (name, owner) = (scenario.side.of("First", "Second"), address("owner"));
        let fields =
            [("organisation", name), ("name", "Eleni"), ("email", owner.as_str()), ("password", PASSWORD)];
        let enrolment = browser.send(&page, &fields).await;
        scenario.step("sign-up").await;
        assert_eq!(browser.send(&enrolment, &[("code", "000000")]).await.status, 401);
        scenario.step("wrong code").await;
        let mut owner = PortalUser::enrol(bank, browser, enrolment, &owner).await;
        postpone_login_times(bank);
        scenario.step("enrolled").await;
        let developer = owner.invite(&address("developer"), "developer").await;
        scenario.step("invitation").await;
        let viewer = owner.invite(&address("viewer"), "viewer").await;
        let late = owner.invite(&address("late"), "viewer").await;
        bank.database.tamper(&format!(
            "UPDATE member_invitation SET expires_at = expires_at - 30 * 86400000000 WHERE email = '{}'",
            address("late")
        ));
        assert_eq!(bank.browser().get(&late).await.status, 403, "expired");
        let member = PortalUser::accept(bank, &developer, &address("developer")).await;
        postpone_login_times(bank);
        scenario.step("two more invitations, first one accepted").await;
        let own = session(bank, &owner).await;
        let view = bank.app.organisation_view(&own).await.unwrap();
        let members: Vec<&str> = view.members.iter().map(|one| one.email.as_str()).collect();
        let invited: Vec<&str> = view.invitations.iter().map(|one| one.email.as_str()).collect();
        assert_eq!(members, [address("owner"), address("developer")]);
        assert_eq!((invited, view.recovery_codes), (vec![address("viewer").as_str()], 8));
        let id = session(bank, &member).await.member.id;
        owner.post(&format!("/portal/members/{id}/role"), &[("role", "viewer")]).await;
        scenario.step("role").await;
        let alone =
            owner.post(&format!("/portal/members/{}/role", own.member.id), &[("role", "viewer")]).await;
        assert_eq!(alone.status, 409, "the last owner");

        let mut first = add(bank, &mut owner).await;
        add(bank, &mut owner).await;
        postpone_login_times(bank);
        scenario.step("two passkeys").await;
        assert_eq!(by_passkey(bank, &mut first).await, 303);
        scenario.step("sign-in with the first passkey").await;
        let recovery = owner.recovery_codes[0].clone();
        let begun = other_browser(bank, &mut owner, &recovery).await;
        scenario.step("sign-in with a recovery code").await;
        let sessions = bank.app.login_session_list(&own.login()).await.unwrap();
        let passkeys = bank.app.login_passkey_list(&own.login()).await.unwrap();
        let kept = [own.session.id, begun.session.id];
        assert!(kept.iter().all(|id| sessions.iter().any(|one| one.id == *id)), "{sessions:?}");
        assert_eq!((sessions.len(), sessions[0].id, passkeys.len()), (3, begun.session.id, 2));
        let used: Vec<bool> = passkeys.iter().map(|one| one.last_used_at.is_some()).collect();
        assert_eq!(used, [true, false], "the oldest first");

        let invitation = view.invitations[0].id;
        for path in [
            format!("{ACCOUNT}/sessions/{}/end", begun.session.id),
            format!("{ACCOUNT}/passkeys/{}/remove", passkeys[0].id),
            format!("/portal/members/{id}/role"),
            format!("/portal/members/{id}/remove"),
            format!("/portal/members/invitations/{invitation}/revoke"),
        ] {
            created.push(scenario.side, path);
        }
        scenario.step("read").await;
        is_refused(&mut owner, created.of_other(scenario.side)).await;
        scenario.step("sent to the neighbour's").await;
        let earlier = |id: LoginSessionId, column: &str, minutes: i64| {
            let (id, by) = (bank.database.uuid_literal(id.uuid()), minutes * 60_000_000);
            bank.database
                .tamper(&format!("UPDATE login_session SET {column} = {column} - {by} WHERE id = {id}"));
        };
        earlier(own.session.id, "last_seen_at", 65);
        earlier(begun.session.id, "created_at", 13 * 60);
        scenario.step("one session unused for minutes, one begun long ago").await;
        assert_eq!(bank.app.login_session_list(&own.login()).await.unwrap().len(), 2, "one has expired");
        assert_eq!(owner.browser.get("/portal").await.status, 200);
        scenario.step("the first session is used").await;
        postpone_login_times(bank);
        let recovery = owner.recovery_codes[1].clone();
        let begun = other_browser(bank, &mut owner, &recovery).await;
        scenario.step("sign-in, which deletes the expired session").await;
        owner.post(&format!("{ACCOUNT}/sessions/{}/end", begun.session.id), &[]).await;
        scenario.step("session ended").await;
        owner.post(&format!("{ACCOUNT}/passkeys/{}/remove", passkeys[0].id), &[]).await;
        scenario.step("passkey removed").await;
        assert_eq!(by_passkey(bank, &mut first).await, 401);
        scenario.step("sign-in with it").await;
        owner.post(&format!("/portal/members/{id}/remove"), &[]).await;
        scenario.step("member removed").await;
        owner.post(&format!("/portal/members/invitations/{invitation}/revoke"), &[]).await;
        assert_eq!(bank.browser().get(&viewer).await.status, 403);
        scenario.step("invitation revoked").await;
        owner.post("/portal/sign-out", &[]).await;
        scenario.step("sign-out").await;
        assert_eq!(owner.sign_in("wrong", "000000").await.status, 401);
        scenario.step("wrong password").await;
        // Not the oldest code that is accepted: it may expire on the way.
        owner.code();
        let code = owner.code();
        assert_eq!(owner.sign_in(PASSWORD, &code).await.status, 303);
        postpone_login_times(bank);
        scenario.step("sign-in").await;
    })
    .await;
    insta::assert_snapshot!("member", changes);
}

/// The objects that a list of an application shows.
async fn listed(user: &mut PortalUser, path: &str) -> Vec<String> {
    let page: Page = user.browser.get(path).await;
    assert_eq!(page.status, 200, "{page:?}");
    let mut ids = page.attributes(&format!("<a href=\"{path}/"));
    ids.dedup();
    ids
}

#[tokio::test(flavor = "multi_thread")]
async fn applications_of_two_organisations_are_apart() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bank, turns, created) = (&bank, Turns::begin(&bank), &Created::default());
    let changes = take_turns(&turns, |scenario| async move {
        let name = scenario.side.of("First", "Second");
        let mut user = PortalUser::sign_up(bank, name, &scenario.side.email("owner")).await;
        postpone_login_times(bank);
        let own = object::Created::new(bank, &mut user).await;
        scenario.step("applications with objects").await;
        let ((tpp, _), (shop, _)) = (third_party(&mut user).await, merchant(&mut user).await);
        scenario.step("more applications").await;
        let read = own.client.get(&format!("/v1/consents/{}", own.consent)).await;
        let correlation = format!("?correlation={}", read.headers["x-correlation-id"]);
        created.push(scenario.side, correlation.clone());
        let id = |text: &str| ApplicationId::parse(text).unwrap();
        assert_eq!(listed(&mut user, LIST).await, [&own.tpp, &own.merchant, &tpp, &shop].map(String::clone));
        let path = format!("{LIST}/{}", own.merchant);
        let new_key = user.post(&format!("{path}/keys/create"), &[]).await;
        let new_key = secret(&new_key, "Key, shown only now");
        scenario.step("key").await;
        let keys = user.browser.get(&path).await.attributes(&format!("action=\"{path}/keys/"));
        let keys: Vec<&String> = keys.iter().filter(|key| key.ends_with("/retire")).collect();
        assert_eq!(keys.len(), 2);
        user.post(&format!("{path}/keys/{}", keys[1]), &[]).await;
        scenario.step("key retired").await;
        let retired = json!({ "subscription_key": new_key, "application_id": own.merchant });
        assert_eq!(bank.anonymous().as_merchant(&retired).get("/configuration").await.status, 401);
        assert_eq!(own.shop.get("/configuration").await.status, 200);
        user.post(&format!("{path}/keys/create"), &[]).await;
        scenario.step("another key").await;
        bank.app.key_issue(id(&own.tpp)).await.unwrap();
        scenario.step("key by command").await;
        assert_eq!(bank.app.older_keys_retire(id(&own.tpp)).await.unwrap(), 1);
        scenario.step("older key retired by command").await;
        bank.app.key_issue(id(&shop)).await.unwrap();
        bank.app.key_replace(id(&shop)).await.unwrap();
        scenario.step("keys replaced by command").await;
        user.post(&format!("{path}/webhook-secret/create"), &[]).await;
        scenario.step("secret").await;
        assert_eq!(bank.app.webhook_secrets(id(&own.merchant)).await.unwrap().len(), 2);
        user.post(&format!("{path}/webhook-secret/retire"), &[]).await;
        scenario.step("secret retired").await;
        let addresses = [
            ("success_callback", "http://127.0.0.1:9090/paid"),
            ("failure_redirect", "http://127.0.0.1:9090/no"),
        ];
        user.post(&format!("{path}/addresses"), &addresses).await;
        scenario.step("addresses").await;
        let mut callbacks = Vec::new();
        for _ in 0..2 {
            let sent = user.post(&format!("{path}/webhooks/test"), &[("event", "approved")]).await;
            callbacks.push(sent.headers["location"].clone());
        }
        scenario.step("test events").await;
        kill(bank, callbacks[0].rsplit('/').next().unwrap()).await;
        scenario.step("one is given up").await;
        assert_eq!(listed(&mut user, &format!("{path}/webhooks")).await.len(), 2);
        user.post(&format!("{}/resend", callbacks[0]), &[]).await;
        scenario.step("sent again").await;

        let path = format!("{LIST}/{}", own.tpp);
        let uris = "http://127.0.0.1:9090/one\nhttp://127.0.0.1:9090/two";
        user.post(&format!("{path}/redirects"), &[("redirect_uris", uris)]).await;
        scenario.step("redirect URIs").await;
        let shown = user.browser.get(&path).await;
        assert!(shown.says("9090/one") && shown.says("9090/two") && !shown.says("9090/back"), "{shown:?}");
        let roles = [("certificate_name", name), ("payment_initiation", "on")];
        let issued = user.post(&format!("{LIST}/{tpp}/certificates/issue"), &roles).await;
        assert!(code(&issued, "Certificate").contains("CERTIFICATE"));
        scenario.step("certificate").await;
        let certificates = async |user: &mut PortalUser, of: &str| {
            user.browser.get(&format!("{LIST}/{of}")).await.html.matches("<td>active</td>").count()
        };
        assert_eq!(
            [certificates(&mut user, &own.tpp).await, certificates(&mut user, &tpp).await],
            [2, 2],
            "a key and a certificate"
        );
        for (kind, object) in
            [("consents", &own.consent), ("payments", &own.payment), ("signing-baskets", &own.signing_basket)]
        {
            let list = format!("{path}/{kind}");
            assert_eq!(listed(&mut user, &list).await, *std::slice::from_ref(object));
            assert_eq!(user.browser.get(&format!("{list}/{object}")).await.status, 200);
            created.push(scenario.side, format!("{kind}/{object}"));
        }
        let order = json!({ "basketValue": 120.3, "requestId": "00000000-0000-4000-8000-000000000002",
            "orderIdentifier": "second" });
        let public = own.shop.post("/createbasket", &order).await.text("/publicBasketId").to_owned();
        scenario.step("second basket").await;
        let bought = Bought { checkout: format!("/checkout/{public}"), public: public.clone() };
        buy(bank, &bought, scenario.side.of("+306900000042", "+306900000043")).await;
        scenario.step("bought").await;
        let shop_path = format!("{LIST}/{}", own.merchant);
        for (kind, count, first) in [("baskets", 2, &own.basket), ("loans", 2, &own.loan)] {
            let ids = listed(&mut user, &format!("{shop_path}/{kind}")).await;
            assert_eq!((ids.len(), ids.last()), (count, Some(first)), "the newest first");
        }
        let settled = user.browser.get(&format!("{shop_path}/settlement.csv")).await.html;
        assert_eq!((settled.lines().count(), settled.contains(&public)), (2, true), "{settled}");
        let later =
            user.browser.get(&format!("{shop_path}/settlement.csv?from=2999-01-01&to=2999-01-31")).await.html;
        assert_eq!(later.lines().count(), 1, "{later}");
        scenario.step("read").await;

        flush(&bank.state).await.unwrap();
        scenario.step("requests stored").await;
        let requests = format!("{path}/requests");
        let all = listed(&mut user, &requests).await;
        assert_eq!(all.len(), 4, "a consent, which was read, a payment, a signing basket");
        for (query, expected) in [("method=GET", 1), ("operation=createConsent", 1), ("status=4xx", 0)] {
            let page = user.browser.get(&format!("{requests}?{query}")).await;
            assert_eq!(
                page.attributes(&format!("<a href=\"{requests}/")).len(),
                expected,
                "{query} {page:?}"
            );
        }
        assert_eq!(user.browser.get(&format!("{requests}/{}", all[0])).await.status, 200);
        assert!(user.browser.get(&format!("{path}/usage")).await.says("<dt>Requests</dt><dd>4</dd>"));
        created.push(scenario.side, format!("requests/{}", all[0]));
        scenario.step("requests read").await;
        let found = user.browser.get(&format!("{requests}{correlation}")).await;
        assert_eq!(found.attributes(&format!("<a href=\"{requests}/")).len(), 1, "{found:?}");
        for other in created.of_other(scenario.side) {
            if other.starts_with('?') {
                let page = user.browser.get(&format!("{requests}{other}")).await;
                assert!(page.attributes(&format!("<a href=\"{requests}/")).is_empty(), "{page:?}");
                continue;
            }
            let page = user.browser.get(&format!("{path}/{other}")).await;
            assert_eq!(page.status, 404, "{other}: {page:?}");
        }
        bank.app.application_update(id(&own.tpp), Some(format!("Renamed {name}")), None).await.unwrap();
        scenario.step("renamed").await;
        bank.app.application_organisation_set(id(&own.tpp), None).await.unwrap();
        assert_eq!(user.browser.get(&path).await.status, 404);
        scenario.step("without its organisation").await;
    })
    .await;
    insta::assert_snapshot!("application", changes);
}
