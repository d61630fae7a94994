//! The documents of a credit agreement: what the PDFs say, who gets them, and that they stay as they were.

use super::checkout::{JONAS, agree, basket, proven, sign_in};
use lopdf::Object;
use rstest::rstest;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Page, TestBank};

const PHONE: &str = "+306900000042";

/// A PDF that another library has read.
struct ReadPdf {
    text: String,
    first_page: String,
    language: String,
    has_structure: bool,
}

fn read(bytes: &[u8]) -> ReadPdf {
    let document = lopdf::Document::load_mem(bytes).unwrap();
    let pages: Vec<u32> = document.get_pages().keys().copied().collect();
    let catalog = document.catalog().unwrap();
    let language = catalog.get(b"Lang").and_then(Object::as_str).unwrap();
    ReadPdf {
        text: squeezed(&document.extract_text(&pages).unwrap()),
        first_page: squeezed(&document.extract_text(&pages[..1]).unwrap()),
        language: String::from_utf8_lossy(language).into_owned(),
        has_structure: catalog.has(b"StructTreeRoot") && catalog.has(b"MarkInfo"),
    }
}

/// A text without spaces and line breaks, which a page and a PDF set differently.
fn squeezed(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

/// The contents of all elements of a page that begin with `opening`, without spaces.
fn contents(page: &Page, opening: &str) -> Vec<String> {
    let unescaped = |text: &str| {
        let pairs = [("&#34;", "\""), ("&#39;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&")];
        pairs.iter().fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain))
    };
    let pieces = page.html.split(opening).skip(1).filter_map(|rest| rest.split('<').next());
    pieces.map(|text| squeezed(&unescaped(text))).collect()
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn information_is_a_page_and_a_pdf_with_the_same_facts(#[values("en", "el")] language: &'static str) {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bought, mut browser) = (basket(&bank, 1, "120.3").await, bank.browser());
    proven(&bank, &mut browser, &bought, PHONE).await;
    browser.headers.push(("accept-language", language.to_owned()));
    let terms = browser.get(&format!("{}?plan=12", bought.checkout)).await;
    let address =
        terms.attributes("<a href=\"").into_iter().find(|link| link.contains("credit-information?")).unwrap();
    let page = browser.get(&address).await;
    assert_eq!(page.status, 200, "{page:?}");
    let file = terms.attributes("<a href=\"").into_iter().find(|link| link.contains(".pdf?")).unwrap();
    let file = browser.download(&file).await;
    assert_eq!(file.status, 200);
    assert_eq!(file.headers["content-type"], "application/pdf");
    assert_eq!(file.headers["content-disposition"], "attachment; filename=\"credit-information.pdf\"");
    let pdf = read(&file.bytes);
    assert_eq!((pdf.language.as_str(), pdf.has_structure), (language, true));
    let facts = [contents(&page, "<dd>"), contents(&page, "<td"), contents(&page, "<h2>")].concat();
    assert!(facts.len() > 90, "{page:?}");
    for fact in facts.iter().map(|fact| fact.trim_start_matches("class=\"sum\">").trim_start_matches('>')) {
        assert!(pdf.text.contains(fact), "{fact} is not in {}", pdf.text);
    }
    // The agreement's page shows the same figures.
    let is_figure = |text: &&String| text.chars().any(|letter| letter.is_ascii_digit());
    let figures = [contents(&terms, "<dd>"), contents(&terms, "</span><b>")].concat();
    assert!(figures.iter().filter(is_figure).count() > 12, "{figures:?}");
    for figure in figures.iter().filter(is_figure) {
        assert!(pdf.text.contains(figure), "{figure} is not in {}", pdf.text);
    }
    // Annex I: the key information is on the first page.
    for key in contents(&page, "<dt>").iter().take(14).chain(&contents(&page, "<h3>")) {
        assert!(pdf.first_page.contains(key), "{key} is not on the first page {}", pdf.first_page);
    }
    assert_eq!(file.bytes, browser.download(&address.replace('?', ".pdf?")).await.bytes, "the same bytes");
}

#[tokio::test(flavor = "multi_thread")]
async fn information_of_another_browser_or_plan_is_not_shown() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let (bought, mut browser) = (basket(&bank, 1, "120.3").await, bank.browser());
    let address = |name: &str| format!("{}/documents/{name}", bought.checkout);
    let early = browser.get(&address("credit-information.pdf?plan=3")).await;
    assert_eq!(early.status, 404, "nothing is offered yet: {early:?}");
    proven(&bank, &mut browser, &bought, PHONE).await;
    assert_eq!(browser.get(&address("credit-information?plan=3")).await.status, 200);
    for (name, status) in [
        ("credit-information?plan=7", 303),
        ("credit-information.pdf?plan=0", 303),
        ("credit-information.pdf", 404),
        ("other.pdf?plan=3", 404),
    ] {
        assert_eq!(browser.get(&address(name)).await.status, status, "{name}");
    }
    let other = bank.browser().get(&address("credit-information.pdf?plan=3")).await;
    assert_eq!((other.status, other.title().as_str()), (404, "This document cannot be shown"));
}

#[tokio::test(flavor = "multi_thread")]
async fn agreement_page_explains_missed_payments_and_ticks_no_box() {
    let bank = TestBank::start(Database::new(Engine::Sqlite)).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (bought, mut browser) = (basket(&bank, 1, "450").await, bank.browser());
    proven(&bank, &mut browser, &bought, jonas["phone"].as_str().unwrap()).await;
    sign_in(&bank, &mut browser, &bought, jonas["password"].as_str().unwrap()).await;
    let terms = browser.get(&format!("{}?plan=3", bought.checkout)).await;
    assert!(terms.says("Missing or late payments could have severe consequences for you"), "{terms:?}");
    assert!(
        terms.says("tries again after 3 and after 7 days") && terms.says("no default interest"),
        "{terms:?}"
    );
    assert!(!terms.html.contains(" checked"), "{terms:?}");
    let end = agree(&mut browser, &bought, 3).await;
    assert_eq!(end.title(), "Bought");
}
