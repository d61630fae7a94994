//! The request log in the portal: what it shows, its filters and its pages.

use super::application::{code, merchant};
use super::is_marked;
use rstest::rstest;
use serde_json::json;
use trapeza_http::request_log::flush;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{ApiClient, Page, PortalUser, TestBank};

/// A merchant with its client, and the path of its log.
async fn shop(bank: &TestBank, user: &mut PortalUser) -> (ApiClient, String, String) {
    let (id, key) = merchant(user).await;
    let caller = json!({ "subscription_key": key, "application_id": id });
    (bank.anonymous().as_merchant(&caller), format!("/portal/applications/{id}/requests"), key)
}

fn ids(page: &Page, path: &str) -> Vec<String> {
    page.attributes(&format!("<a href=\"{path}/"))
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn request_is_shown_with_its_curl_command_and_without_secrets(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Papyrus", "eleni@example.org").await;
    let (shop, path, key) = shop(&bank, &mut user).await;
    let order = json!({ "basketValue": 120.3, "requestId": "00000000-0000-4000-8000-000000000001",
        "orderIdentifier": "it's <order>" });
    let sent = shop.get("/configuration?planted=planted").await;
    assert_eq!(sent.status, 200, "{sent:?}");
    assert_eq!(shop.post("/createbasket", &order).await.status, 201);
    flush(&bank.state).await.unwrap();
    let list = user.browser.get(&path).await;
    assert!(list.says("createBasket") && list.says("<td>201</td>"), "{list:?}");
    let shown = ids(&list, &path);
    assert_eq!(shown.len(), 2, "{list:?}");
    let page = user.browser.get(&format!("{path}/{}", shown[0])).await;
    let command =
        code(&page, "curl command").replace("&#34;", "\"").replace("&#39;", "'").replace("&#60;", "<");
    let address = format!("curl -X POST '{}/createbasket'", bank.base_url);
    assert!(command.starts_with(&address), "{command}");
    assert!(command.contains("-H \"ocp-apim-subscription-key: $TRAPEZA_KEY\""), "{command}");
    assert!(command.contains("\"orderIdentifier\":\"it'\\''s <order"), "{command}");
    assert!(
        page.says("X-Correlation-ID") && code(&page, "Response body").contains("publicBasketId"),
        "{page:?}"
    );
    assert!(code(&page, "Request body").contains("orderIdentifier"), "{page:?}");
    for (block, is_sent) in [("Request headers", true), ("Response headers", false)] {
        assert_eq!(code(&page, block).contains("ocp-apim-subscription-key"), is_sent, "{block}");
    }
    for page in [list, page] {
        assert!(!page.says(&key) && !page.says("planted=planted") && !page.says("<order>"), "{page:?}");
    }
    let unknown = "00000000-0000-7000-8000-000000000001";
    assert_eq!(user.browser.get(&format!("{path}/{unknown}")).await.status, 404);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn list_is_filtered_and_a_wrong_filter_is_marked(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Papyrus", "eleni@example.org").await;
    let (shop, path, _) = shop(&bank, &mut user).await;
    let configured = shop.get("/configuration").await;
    assert_eq!(configured.status, 200);
    assert_eq!(shop.post("/createbasket", &json!({})).await.status, 400);
    flush(&bank.state).await.unwrap();
    let correlation = &configured.headers["x-correlation-id"];
    for (query, expected) in [
        ("", 2),
        ("?operation=createBasket", 1),
        ("?operation=%3Cscript%3E", 0),
        ("?method=GET", 1),
        ("?method=DELETE", 0),
        ("?status=400", 1),
        ("?status=2xx", 1),
        ("?status=4xx&method=GET", 0),
        ("?from=2000-01-01", 2),
        ("?from=2999-01-01T00:00Z", 0),
        ("?until=2000-01-01", 0),
        ("?until=2999-01-01T00:00:00Z", 2),
        (&format!("?correlation={correlation}&status=500"), 1),
        ("?correlation=00000000-0000-4000-8000-000000000001", 0),
    ] {
        let page = user.browser.get(&format!("{path}{query}")).await;
        assert_eq!((page.status, ids(&page, &path).len()), (200, expected), "{query}: {page:?}");
    }
    for (field, value) in [
        ("status", "%3Cb%3E"),
        ("status", "99"),
        ("method", "TRACE"),
        ("from", "yesterday"),
        ("until", "2026-13-01"),
        ("correlation", "1"),
    ] {
        let page = user.browser.get(&format!("{path}?{field}={value}")).await;
        assert!(page.status == 400 && is_marked(&page, field), "{field} {value}: {page:?}");
        assert!(ids(&page, &path).is_empty() && !page.says("<b>"), "{page:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn pages_have_the_filter_and_no_gaps(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Papyrus", "eleni@example.org").await;
    let (shop, path, _) = shop(&bank, &mut user).await;
    for _ in 0..60 {
        assert_eq!(shop.get("/configuration").await.status, 200);
    }
    assert_eq!(shop.post("/createbasket", &json!({})).await.status, 400);
    flush(&bank.state).await.unwrap();
    let first = user.browser.get(&format!("{path}?status=200")).await;
    let older = first.attribute(&format!("<a href=\"{path}?")).replace("&#38;", "&");
    assert!(older.starts_with("status=200&before="), "{older}");
    let second = user.browser.get(&format!("{path}?{older}")).await;
    assert_eq!((ids(&first, &path).len(), ids(&second, &path).len()), (50, 10), "{second:?}");
    let mut all = [ids(&first, &path), ids(&second, &path)].concat();
    all.dedup();
    assert_eq!(all.len(), 60);
    assert!(!second.says("before="));
}
