//! What a purchase costs in installments: the quote of `GET /configuration` and the widget that shops embed.

use rstest::rstest;
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};

const BAD_AMOUNTS: [&str; 8] = ["x", "0", "-120", "1e2", "120.305", "29.99", "99999999", "%3Cscript%3E"];

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn configuration_quotes_an_amount(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let shop = bank.merchant(0);
    let plain = shop.get("/configuration").await;
    assert!(plain.status == 200 && plain.body.get("quote").is_none(), "{plain:?}");
    assert_eq!(shop.get("/configuration?amount=").await.body, plain.body, "an empty parameter is absent");
    let quoted = shop.get("/configuration?amount=120.30").await;
    assert_eq!(quoted.status, 200, "{quoted:?}");
    let mut rest = quoted.body.clone();
    rest.as_object_mut().unwrap().remove("quote");
    assert_eq!(rest, plain.body, "the quote is the only difference");
    let quote = serde_json::to_string_pretty(&quoted.body["quote"]).unwrap();
    insta::assert_snapshot!("configuration_quote", quote);
    for amount in BAD_AMOUNTS {
        let refused = shop.get(&format!("/configuration?amount={amount}")).await;
        assert_eq!(refused.status, 400, "{amount}: {refused:?}");
        assert!(refused.body["errors"].to_string().contains("\"amount\""), "{amount}: {refused:?}");
        assert!(!refused.body.to_string().contains("<script>"), "{refused:?}");
    }
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn widget_shows_price_and_warning_in_both_languages(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let merchant = bank.sandbox_file["merchants"][0]["merchant_id"].as_i64().unwrap();
    let mut browser = bank.browser();
    for (language, price, warning) in [
        ("en", "3\u{a0}×\u{a0}€40.10", "Borrowing money costs money"),
        ("el", "3\u{a0}×\u{a0}40,10\u{a0}€", "Ο δανεισμός χρημάτων κοστίζει"),
    ] {
        for (place, kind) in [("", "text/html; charset=utf-8"), ("/image.svg", "image/svg+xml")] {
            let path = format!("/price/{merchant}{place}?amount=120.30&lang={language}");
            let page = browser.get(&path).await;
            assert_eq!((page.status, page.headers["content-type"].as_str()), (200, kind), "{page:?}");
            assert!(page.says(price) && page.says(warning) && page.says("120"), "{page:?}");
            assert!(!page.says("<script") && !page.headers.contains_key("set-cookie"), "{page:?}");
            assert!(!page.headers.contains_key("x-frame-options"), "a shop shows it in a frame");
            assert!(page.headers["content-security-policy"].contains("frame-ancestors *"));
            assert_eq!(page.headers["cache-control"], "public, max-age=300");
        }
    }
    let uneven = browser.get(&format!("/price/{merchant}?amount=100&lang=en")).await;
    assert!(uneven.says("2\u{a0}×\u{a0}€33.33 +\u{a0}€33.34"), "{uneven:?}");
    let outside = browser.get(&format!("/price/{merchant}?amount=5&lang=en")).await;
    assert!(outside.status == 200 && outside.says("from €30.00 to"), "{outside:?}");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn widget_with_bad_parameters_is_refused_without_an_echo(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let merchant = bank.sandbox_file["merchants"][0]["merchant_id"].as_i64().unwrap();
    let mut browser = bank.browser();
    for (path, status) in [
        (format!("/price/{merchant}"), 400),
        (format!("/price/{merchant}?amount=%3Cscript%3E"), 400),
        (format!("/price/{merchant}?amount=-5"), 400),
        (format!("/price/{merchant}?amount=50&lang=%3Cscript%3E"), 400),
        ("/price/0?amount=50".to_owned(), 404),
        ("/price/%3Cscript%3E?amount=50".to_owned(), 404),
        ("/price/99999999999999999999?amount=50".to_owned(), 404),
    ] {
        for path in [path.clone(), path.replace("?", "/image.svg?")] {
            let page = browser.get(&path).await;
            assert_eq!(page.status, status, "{path}");
            assert!(
                !page.says("<script>") && page.headers["cache-control"] == "no-store",
                "{path}: {page:?}"
            );
        }
    }
}
