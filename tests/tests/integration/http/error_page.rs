//! Errors of paths that are not pages: browsers get a page, programs the same JSON as ever.

use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// Status, media type, header `Allow` and body.
async fn ask(
    bank: &TestBank,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
) -> (u16, String, String, String) {
    let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
    let mut request = reqwest::Client::new().request(method, format!("{}{path}", bank.base_url));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let header = |name: &str| {
        let value = response.headers().get(name).map(|value| value.to_str().unwrap());
        value.unwrap_or_default().to_owned()
    };
    let (status, media, allow) = (response.status().as_u16(), header("content-type"), header("allow"));
    (status, media, allow, response.text().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_get_a_page_and_programs_get_json() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    for (method, path, status, allow, detail) in [
        ("GET", "/nothing", 404, "", "unknown path"),
        ("GET", "/docs/nothing", 404, "", "unknown page"),
        ("GET", "/v1/nothing", 404, "", "RESOURCE_UNKNOWN: unknown path"),
        ("GET", "/portal/nothing", 404, "", ""),
        ("DELETE", "/configuration", 405, "GET,HEAD", "method not allowed"),
        ("GET", "/createbasket", 405, "POST", "method not allowed"),
        ("DELETE", "/docs", 405, "GET,HEAD", "method not allowed"),
        ("GET", "/configuration", 401, "", "subscription key"),
        ("GET", "/v1/consents/x", 401, "", "CERTIFICATE_INVALID"),
        ("POST", "/sandbox/clock", 400, "", ""),
    ] {
        let json = ask(&bank, method, path, &[("accept", "*/*")]).await;
        assert_eq!((json.0, json.1.as_str(), json.2.as_str()), (status, "application/json", allow), "{path}");
        let shown = ask(&bank, method, path, &[("accept", BROWSER)]).await;
        let media = "text/html; charset=utf-8";
        assert_eq!((shown.0, shown.1.as_str(), shown.2.as_str()), (status, media, allow), "{path}");
        for part in ["<html lang=\"en\"", "href=\"/\"", "href=\"/docs\"", detail] {
            assert!(shown.3.contains(part), "{path} without {part}: {}", shown.3);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_an_error_is_in_the_language_of_the_browser_and_escapes_the_message() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let greek = [("accept", BROWSER), ("accept-language", "el")];
    let (status, _, _, html) = ask(&bank, "GET", "/nothing", &greek).await;
    assert_eq!(status, 404);
    assert!(html.contains("<html lang=\"el\"") && html.contains("Η σελίδα δεν βρέθηκε"), "{html}");
    // A repeated parameter is named in the message, as it was sent.
    let path = "/docs?%3Cscript%3E=1&%3Cscript%3E=2";
    let (status, _, _, html) = ask(&bank, "GET", path, &[("accept", BROWSER)]).await;
    assert_eq!(status, 400);
    assert!(!html.contains("<script>") && html.contains("&#60;script&#62;"), "{html}");
    // A browser sends no key.
    let program = [("accept", "text/html"), ("ocp-apim-subscription-key", "unknown")];
    let (status, media, _, _) = ask(&bank, "GET", "/configuration", &program).await;
    assert_eq!((status, media.as_str()), (401, "application/json"));
}
