//! The bank's brand on its pages: colours that the content security policy allows, the logo, and how customers reach the bank.

use trapeza_app::bank_profile::{BankContact, BankProfile, Brand, Colour, Logo};
use trapeza_domain::contact::{Email, Phone};
use trapeza_testkit::TestBank;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::test_bank::TestBankOptions;

const LOGO: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>";

fn profile() -> BankProfile {
    BankProfile {
        name: "Alpha & Sons".into(),
        contact: BankContact {
            telephone: Phone::parse("+302101234567").ok(),
            email: Email::parse("help@bank.example").ok(),
            website: Some("https://www.bank.example".to_owned()),
            postal_address: None,
        },
        brand: Brand {
            logo: Logo::parse(LOGO.as_bytes().to_vec()).ok(),
            colour_light: Colour::parse("#6b21a8").ok(),
            colour_dark: Colour::parse("#d8b4fe").ok(),
        },
        ..BankProfile::default()
    }
}

async fn branded() -> TestBank {
    let options = TestBankOptions { bank_profile: Some(profile()), ..TestBankOptions::default() };
    TestBank::with_options(Database::new(Engine::Sqlite), options).await
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_have_the_colours_the_logo_and_the_contact_of_the_bank() {
    let bank = branded().await;
    let mut browser = bank.browser();
    browser.headers = vec![("accept", "text/html".to_owned())];
    for path in ["/", "/app", "/loan", "/checkout/unknown", "/portal/sign-in", "/sandbox"] {
        let page = browser.get(path).await;
        assert!(page.says("#6b21a8") && page.says("#d8b4fe"), "{path}");
        assert!(page.says("<img class=\"logo\" alt=\"\" src=\"/bank/logo-"), "{path}");
        let policy = &page.headers["content-security-policy"];
        assert_eq!(
            policy.split("style-src").nth(1).unwrap().split(';').next().unwrap().matches("sha256-").count(),
            2
        );
    }
    let page = browser.get("/loan").await;
    for link in ["tel:+302101234567", "mailto:help@bank.example", "https://www.bank.example"] {
        assert!(page.says(&format!("href=\"{link}\"")), "{link}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn logo_is_cached_for_long_and_runs_nothing() {
    let bank = branded().await;
    let mut browser = bank.browser();
    let address = browser.get("/loan").await.attribute("<img class=\"logo\" alt=\"\" src=\"");
    let logo = browser.get(&address).await;
    assert_eq!((logo.status, logo.html.as_str()), (200, LOGO));
    assert_eq!(logo.headers["content-type"], "image/svg+xml");
    assert_eq!(logo.headers["cache-control"], "public, max-age=31536000, immutable");
    assert!(logo.headers["content-security-policy"].contains("default-src 'none'"));
    assert!(logo.headers["content-security-policy"].ends_with("sandbox"));
    assert_eq!(browser.get("/bank/logo.svg").await.status, 404);
}
