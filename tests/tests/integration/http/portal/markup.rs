//! Markup in every name that the portal shows: on every page it is text.

use super::access::{objects, path};
use rstest::rstest;
use trapeza_portal::route::{Method, ROUTES};
use trapeza_store::params;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{PortalUser, TestBank};

/// Statements that set a name of everything, and where the page shows it (the path of a route).
const COLUMNS: [(&str, &str); 15] = [
    ("UPDATE organisation SET name = $1", "/portal"),
    ("UPDATE member SET name = $1", "/portal/members"),
    ("UPDATE login_passkey SET name = $1", "/portal/account"),
    ("UPDATE login_session SET browser = $1", "/portal/account"),
    ("UPDATE application SET name = $1", "/portal/applications"),
    ("UPDATE application SET success_callback_url = $1", "/portal/applications/{application}"),
    ("UPDATE application_certificate SET organisation = $1", "/portal/applications/{third party}"),
    (
        "UPDATE application_redirect_uri SET uri = $1 WHERE uri = 'http://127.0.0.1:9090/back' OR uri LIKE '7:%'",
        "/portal/applications/{third party}",
    ),
    ("UPDATE basket SET order_identifier = $1", "/portal/applications/{application}/baskets/{basket}"),
    ("UPDATE payment SET creditor_name = $1", "/portal/applications/{application}/payments/{payment}"),
    ("UPDATE consent SET psu_login = $1", "/portal/applications/{application}/consents/{consent}"),
    ("UPDATE callback SET object_id = $1", "/portal/applications/{application}/webhooks"),
    ("UPDATE request_log SET operation = $1", "/portal/applications/{application}/requests"),
    ("UPDATE request_log SET target = $1", "/portal/applications/{application}/requests/{request}"),
    ("UPDATE request_log SET response_body = $1", "/portal/applications/{application}/requests/{request}"),
];

fn escaped(text: &str) -> String {
    let letter = |letter: char| match letter {
        '<' => "&#60;".to_owned(),
        '>' => "&#62;".to_owned(),
        '&' => "&#38;".to_owned(),
        '"' => "&#34;".to_owned(),
        '\'' => "&#39;".to_owned(),
        other => other.to_string(),
    };
    text.chars().map(letter).collect()
}

/// A hundred strings that a browser would run or that end an element, each with a character that must be escaped.
fn strings() -> Vec<String> {
    let openings = [
        "<script>",
        "</title>",
        "\"><img src=x onerror=",
        "'onfocus=",
        "<svg/onload=",
        "</textarea>{{7*7}}",
        "&lt;",
        "</pre>`${",
    ];
    let endings = [
        "alert(1)", "//", "-->", "</style>", "]]>", "%3E", "\\x3c", ";", "&quot;", "<b>", "'\"", "<!--", "#",
    ];
    openings.iter().flat_map(|start| endings.map(|end| format!("{start}{end}"))).take(100).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn markup_in_every_name_is_text_on_every_page(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut user = PortalUser::sign_up(&bank, "Markup", "eleni@example.org").await;
    let objects = objects(&bank, &mut user).await;
    let strings = strings();
    assert_eq!(strings.len(), 100);
    // Ten strings make a name, so that every page is loaded ten times and not a hundred times.
    for names in strings.chunks(10) {
        for (number, (sql, _)) in COLUMNS.into_iter().enumerate() {
            let name = format!("{number}:{}", names.join(" "));
            let change = bank.app.store().write(move |tx| {
                tx.execute(sql, params![&name])?;
                Ok(())
            });
            change.await.unwrap();
        }
        let mut seen = Vec::new();
        let routes = ROUTES.iter().filter(|route| route.method == Method::Get).map(|route| route.path);
        for template in routes.chain(["/portal/applications/{third party}"]) {
            let address = path(template, &objects);
            let page = user.browser.get(&address).await;
            if !page.headers.get("content-type").is_some_and(|kind| kind.starts_with("text/html")) {
                continue;
            }
            // The script of passkeys, which is the portal's own, is below the content.
            let content = page.html.split("</main>").next().unwrap();
            for name in names {
                assert!(!content.contains(name), "{name} on {address}: {page:?}");
            }
            seen.push((address, page));
        }
        assert!(seen.len() >= 20, "{} pages", seen.len());
        for (number, (sql, place)) in COLUMNS.into_iter().enumerate() {
            let (place, name) = (path(place, &objects), escaped(&format!("{number}:{}", names.join(" "))));
            let (_, page) =
                seen.iter().find(|(address, _)| *address == place).unwrap_or_else(|| panic!("{place}"));
            assert!(page.says(&name), "{sql} on {place}: {page:?}");
        }
    }
}
