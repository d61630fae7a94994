//! What members do in the portal, with its events.

use super::Scenario;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::portal_user::PASSWORD;
use trapeza_testkit::{PortalUser, TestBank};

#[tokio::test(flavor = "multi_thread")]
async fn portal_has_its_events() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let mut scenario = Scenario::begin(&bank);
    let mut owner = PortalUser::sign_up(&bank, "First", "owner@example.org").await;
    scenario.step("sign-up");
    let link = owner.invite("developer@example.org", "developer").await;
    scenario.step("invitation");
    let developer = PortalUser::accept(&bank, &link, "developer@example.org").await;
    scenario.step("accepted");
    let id = bank.app.portal_session(developer.session()).await.unwrap().unwrap().member.id.to_string();
    owner.post(&format!("/portal/members/{id}/role"), &[("role", "viewer")]).await;
    scenario.step("role");
    owner.post(&format!("/portal/members/{id}/remove"), &[]).await;
    scenario.step("removal");
    owner.invite("later@example.org", "viewer").await;
    let members = owner.browser.get("/portal/members").await;
    let revoke = members.attributes("action=\"/portal/members/invitations/").remove(0);
    owner.post(&format!("/portal/members/invitations/{revoke}"), &[]).await;
    scenario.step("invitation, revoked");
    let fields = [("name", "Kyklos"), ("redirect_uris", "http://127.0.0.1:9090/back")];
    let page = owner.post("/portal/applications/third-party", &fields).await;
    let tpp = format!("/portal/applications/{}", page.text("<dt>ClientId</dt><dd><code>"));
    scenario.step("third party");
    let fields = [("certificate_name", "Kyklos"), ("account_information", "on")];
    owner.post(&format!("{tpp}/certificates/issue"), &fields).await;
    scenario.step("certificate");
    owner.post(&format!("{tpp}/redirects"), &[("redirect_uris", "http://127.0.0.1:9090/other")]).await;
    scenario.step("redirect URIs");
    let page = owner.post("/portal/applications/merchant", &[("merchant_name", "Papyrus")]).await;
    let shop = format!("/portal/applications/{}", page.text("<dt>X-Application-ID</dt><dd><code>"));
    scenario.step("merchant");
    owner.post(&format!("{shop}/addresses"), &[("success_callback", "http://127.0.0.1:9090/paid")]).await;
    scenario.step("addresses");
    owner.post(&format!("{shop}/keys/create"), &[]).await;
    scenario.step("key");
    let page = owner.browser.get(&shop).await;
    let key = page.attributes(&format!("action=\"{shop}/keys/")).remove(0);
    owner.post(&format!("{shop}/keys/{key}"), &[]).await;
    scenario.step("key retired");
    owner.post(&format!("{shop}/webhook-secret/create"), &[]).await;
    scenario.step("secret");
    owner.post(&format!("{shop}/webhook-secret/retire"), &[]).await;
    scenario.step("secret retired");
    owner.post(&format!("{shop}/webhooks/test"), &[("event", "approved")]).await;
    scenario.step("test event");
    owner.post("/portal/sign-out", &[]).await;
    scenario.step("sign-out");
    let code = owner.code();
    owner.sign_in("wrong", &code).await;
    scenario.step("wrong password");
    let code = owner.code();
    owner.sign_in(PASSWORD, &code).await;
    scenario.step("sign-in");
    insta::assert_snapshot!("portal", scenario.end().await);
}
