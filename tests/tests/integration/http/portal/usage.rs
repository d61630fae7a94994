//! Usage against limits in the portal.

use super::object::Created;
use rstest::rstest;
use trapeza_http::request_log::flush;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{PortalUser, TestBank};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn requests_and_reads_are_counted(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Kyklos", "eleni@example.org").await;
    let created = Created::new(&bank, &mut user).await;
    let usage = format!("/portal/applications/{}/usage", created.tpp);
    let page = user.browser.get(&usage).await;
    assert!(page.says("The application has no valid consents."), "{page:?}");
    let consent = format!("/v1/consents/{}", created.consent);
    bank.authorise(&created.client, &consent, &bank.sandbox_file["psus"][0]).await;
    let reader = created.client.clone().without("pSUIPAddress").with("ConsentId", &created.consent);
    for _ in 0..2 {
        let read = reader.get("/v1/accounts").await;
        assert_eq!(read.status, 200, "{read:?}");
    }
    flush(&bank.state).await.unwrap();
    let page = user.browser.get(&usage).await;
    let row = format!(
        "/consents/{0}\">{0}</a></td><td>accounts</td><td>list</td><td>2</td><td>4</td>",
        created.consent
    );
    assert!(page.says(&row), "{page:?}");
    let count: usize = page.text("<dt>Requests</dt><dd>").parse().unwrap();
    assert!(count >= 4, "{page:?}");
    assert!(page.says("<dt>Refused with 429</dt><dd>0</dd>"), "{page:?}");
    let shop = user.browser.get(&format!("/portal/applications/{}/usage", created.merchant)).await;
    assert!(shop.status == 200 && !shop.says("Reads under consents"), "{shop:?}");
}
