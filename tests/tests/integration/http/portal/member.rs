//! Members: invitations of an owner, roles, removal, and the last owner.

use super::is_marked;
use super::passkey::add;
use rstest::rstest;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{PortalUser, TestBank};

/// The id of the member with an e-mail address, from the page of the owner.
async fn member_id(owner: &mut PortalUser, email: &str) -> String {
    let page = owner.browser.get("/portal/members").await;
    let row =
        page.html.split("<tr>").find(|row| row.contains(&format!("<td>{email}</td>"))).unwrap().to_owned();
    row.split("/portal/members/").nth(1).unwrap().split('/').next().unwrap().to_owned()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn removed_member_is_signed_out_and_the_last_owner_stays(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut owner = PortalUser::sign_up(&bank, "Kyklos", "owner@example.org").await;
    let link = owner.invite("jonas@example.org", "viewer").await;
    let mut jonas = PortalUser::accept(&bank, &link, "jonas@example.org").await;
    assert!(jonas.browser.get("/portal").await.says("Kyklos"));
    let seen = jonas.browser.get("/portal/members").await;
    assert!(seen.says("<td>owner@example.org</td><td>owner</td>"), "{seen:?}");
    assert!(!seen.says("Invite a member") && !seen.says("/portal/members/"), "{seen:?}");
    let (own, other) =
        (member_id(&mut owner, "owner@example.org").await, member_id(&mut owner, "jonas@example.org").await);
    for path in [format!("/portal/members/{own}/remove"), format!("/portal/members/{own}/role")] {
        assert_eq!(owner.post(&path, &[("role", "viewer")]).await.status, 409, "{path}");
    }
    let changed = owner.post(&format!("/portal/members/{other}/role"), &[("role", "owner")]).await;
    assert_eq!(changed.status, 303);
    assert!(jonas.browser.get("/portal").await.says("<dd>owner</dd>"), "the role applies at once");
    add(&bank, &mut owner).await;
    let passkeys = || bank.database.number("SELECT COUNT(*) FROM login_passkey");
    assert_eq!(passkeys(), 1);
    assert_eq!(jonas.post(&format!("/portal/members/{own}/remove"), &[]).await.status, 303);
    assert_eq!(passkeys(), 0, "a passkey goes with its person");
    assert_eq!(owner.browser.get("/portal/members").await.status, 303, "a removed member is signed out");
    assert_eq!(jonas.post(&format!("/portal/members/{other}/remove"), &[]).await.status, 409);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn invitation_with_bad_input_is_marked_and_revoked_invitation_is_refused(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut owner = PortalUser::sign_up(&bank, "Kyklos", "owner@example.org").await;
    for (email, role, field) in [
        ("", "viewer", "email"),
        ("owner@example.org", "viewer", "email"),
        ("a@b@c", "viewer", "email"),
        ("jonas@example.org", "admin", "role"),
        ("jonas@example.org", "", "role"),
    ] {
        let refused = owner.post("/portal/members/invite", &[("email", email), ("role", role)]).await;
        assert!(refused.status == 400 && is_marked(&refused, field), "{email} {role}: {refused:?}");
    }
    assert!(owner.browser.get("/portal/members").await.says("There are no open invitations."));
    let link = owner.invite("jonas@example.org", "developer").await;
    let members = owner.browser.get("/portal/members").await;
    assert!(!members.says(link.rsplit('=').next().unwrap()), "the link is shown once");
    assert!(members.says("<td>jonas@example.org</td><td>developer</td>"), "{members:?}");
    let revoke = members.attributes("action=\"/portal/members/invitations/").remove(0);
    assert_eq!(owner.post(&format!("/portal/members/invitations/{revoke}"), &[]).await.status, 303);
    assert_eq!(bank.browser().get(&link).await.status, 403);
}
