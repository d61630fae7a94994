//! The price quote in the portal.

use super::application::{code, merchant, third_party};
use super::is_marked;
use rstest::rstest;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{PortalUser, TestBank};

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn quote_shows_every_plan_and_the_widget(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Papyrus", "eleni@example.org").await;
    let (id, _) = merchant(&mut user).await;
    let path = format!("/portal/applications/{id}/price");
    assert!(!user.browser.get(&path).await.says("<table>"));
    let page = user.browser.get(&format!("{path}?amount=120.30")).await;
    assert!(page.says("<td>40.10 EUR</td>") && page.says("<td>12</td>"), "{page:?}");
    let uneven = user.browser.get(&format!("{path}?amount=100")).await;
    let row = "<tr><td>3</td><td>33.33 EUR</td><td>33.34 EUR</td><td>0.00 EUR</td><td>100.00 EUR</td>";
    assert!(uneven.says(row), "{uneven:?}");
    let frame = code(&page, "Frame").replace("&#34;", "\"").replace("&#38;", "&").replace("&#60;", "<");
    let address = frame.split('"').nth(1).unwrap().replace("&amp;", "&");
    let widget = bank.browser().get(&address).await;
    assert!(widget.status == 200 && widget.says("€40.10"), "{address}: {widget:?}");
    for amount in ["x", "0", "10", "%3Cb%3E"] {
        let refused = user.browser.get(&format!("{path}?amount={amount}")).await;
        assert!(refused.status == 400 && is_marked(&refused, "amount"), "{amount}: {refused:?}");
        assert!(!refused.says("<b>") && !refused.says("<table>"), "{refused:?}");
    }
    let (tpp, _) = third_party(&mut user).await;
    assert_eq!(user.browser.get(&format!("/portal/applications/{tpp}/price")).await.status, 404);
}
