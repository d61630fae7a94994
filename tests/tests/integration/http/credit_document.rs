//! The documents of a credit agreement: what the PDFs say, who gets them, and that they stay as they were.

use super::checkout::{JONAS, agree, basket, proven, sign_in};
use super::loan_transfer::{GUEST, bought_by_guest};
use super::page_forms::enrol;
use lopdf::Object;
use rstest::rstest;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::TimeDelta;
use trapeza_testkit::database::{Database, Engine};
use trapeza_testkit::{Page, TestBank};
use trapeza_texts::{Language, format};

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

const DOCUMENTS: [&str; 2] = ["credit-information.pdf", "credit-agreement.pdf"];

/// The links of a page to the documents of a loan.
fn links(page: &Page) -> Vec<String> {
    let links = page.attributes("<a href=\"").into_iter();
    links.filter(|link| link.contains("/documents/") && link.ends_with(".pdf")).collect()
}

async fn change(bank: &TestBank, sql: &'static str) {
    bank.app.store().write(move |tx| Ok(tx.execute(sql, &[])?)).await.unwrap();
}

async fn audit_findings(bank: &TestBank) -> Vec<String> {
    let app = bank.app.clone();
    tokio::task::spawn_blocking(move || app.audit_verify(Vec::new())).await.unwrap().unwrap().findings
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn agreement_of_a_guest_is_stored_and_delivered(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut guest = bought_by_guest(&bank, "120.3", 12).await;
    let end = guest.browser.get(&guest.bought.checkout).await;
    let shown = links(&end);
    assert_eq!(shown, DOCUMENTS.map(|name| format!("{}/documents/{name}", guest.bought.checkout)));
    let agreement = guest.browser.download(&shown[1]).await;
    assert_eq!(agreement.headers["content-disposition"], "attachment; filename=\"credit-agreement.pdf\"");
    let pdf = read(&agreement.bytes);
    assert!(pdf.has_structure);
    // The amounts and dates of the merchant's API and of the ledger's loan.
    let loan = bank.app.loan_detail(guest.id).await.unwrap();
    for one in &loan.installments {
        let amount = Money::new(one.installment.amount_minor(), Currency::EUR);
        for text in
            [format::money(Language::English, amount), format::day(Language::English, one.installment.due)]
        {
            assert!(pdf.text.contains(&squeezed(&text)), "{text} is not in {}", pdf.text);
        }
    }
    let wire = bank.merchant(0).get(&format!("/basket/id?basketId={}", guest.bought.public)).await;
    assert_eq!(wire.body["monthlyInstallments"].as_array().unwrap().len(), loan.installments.len());
    let total: i64 = loan.installments.iter().map(|one| one.installment.amount_minor()).sum();
    let total = format::money(Language::English, Money::new(total, Currency::EUR));
    for text in [total.as_str(), "€120.30", &squeezed(&guest.reference), GUEST, "PapyrusBooks", "order-1"] {
        assert!(pdf.text.contains(text), "{text} is not in {}", pdf.text);
    }
    // The message names the page behind the telephone, from which another browser gets the same file.
    let messages = bank.anonymous().get("/sandbox/messages").await;
    let message = messages.body["messages"][0]["text"].as_str().unwrap().to_owned();
    let reference = guest.reference.replace(' ', "");
    let path = format!("/loan/{reference}");
    assert!(message.contains(&path), "{message}");
    let mut other = bank.browser();
    for name in DOCUMENTS {
        assert_eq!(other.get(&format!("{path}/documents/{name}")).await.status, 404, "before the code");
    }
    let locked = other.get(&path).await;
    let code_page = other.send(&locked, &[("step", "send-code")]).await;
    for name in DOCUMENTS {
        let status = other.get(&format!("{path}/documents/{name}")).await.status;
        assert_eq!(status, 404, "the code was sent and not entered");
    }
    let code = bank.sandbox_file["otp"].as_str().unwrap();
    let page = other.send(&code_page, &[("step", "code"), ("code", code)]).await;
    assert_eq!(links(&page), DOCUMENTS.map(|name| format!("{path}/documents/{name}")), "{page:?}");
    assert_eq!(other.download(&links(&page)[1]).await.bytes, agreement.bytes);
    assert_eq!(other.get(&format!("{path}/documents/other.pdf")).await.status, 404);
    assert_eq!(bank.browser().get(&shown[1]).await.status, 404, "another browser at the checkout");
    bank.pass(TimeDelta::minutes(16)).await;
    assert_eq!(other.get(&links(&page)[1]).await.status, 404, "the session is over");
    assert_eq!(links(&other.get(&path).await), Vec::<String>::new(), "the page asks for a code again");
    assert_eq!(audit_findings(&bank).await, Vec::<String>::new());
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn agreement_of_a_customer_is_in_their_app_only(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let bank = TestBank::start(Database::new(engine)).await;
    let jonas = bank.sandbox_file["psus"][JONAS].clone();
    let (bought, mut browser) = (basket(&bank, 1, "450").await, bank.browser());
    browser.headers.push(("accept-language", "el".to_owned()));
    proven(&bank, &mut browser, &bought, jonas["phone"].as_str().unwrap()).await;
    sign_in(&bank, &mut browser, &bought, jonas["password"].as_str().unwrap()).await;
    let terms = browser.get(&format!("{}?plan=3", bought.checkout)).await;
    let day = terms.attribute("name=\"day\" value=\"");
    let end =
        browser.send(&terms, &[("step", "agree"), ("plan", "3"), ("day", &day), ("agreed", "yes")]).await;
    let agreement = browser.download(&links(&end)[1]).await.bytes;
    let pdf = read(&agreement);
    assert_eq!(pdf.language, "el");
    let name = squeezed(jonas["name"].as_str().unwrap());
    assert!(pdf.text.contains(&name), "{name} is not in {}", pdf.text);
    let mut app = bank.browser();
    enrol(&bank, &mut app, JONAS).await;
    let loan = bank.merchant(0).get(&format!("/loans/bnpl?basketId={}", bought.public)).await;
    let path = format!("/app/loans/{}", loan.text("/data/payLaterInformation/bnplRequestId"));
    let page = app.get(&path).await;
    assert_eq!(links(&page), DOCUMENTS.map(|name| format!("{path}/documents/{name}")), "{page:?}");
    assert_eq!(app.download(&links(&page)[1]).await.bytes, agreement);
    let login = jonas["psu_id"].as_str().unwrap();
    let exported = bank.app.psu_export(login).await.unwrap().documents;
    assert_eq!(exported.len(), DOCUMENTS.len(), "the export of personal data names both documents");
    let mut contents = Vec::new();
    for (loan, kind) in exported {
        contents.push(bank.app.psu_export_document(login, loan, kind).await.unwrap().content);
    }
    assert!(contents.contains(&agreement));
    let mut other_customer = bank.browser();
    enrol(&bank, &mut other_customer, 0).await;
    assert_eq!(
        other_customer.get(&path).await.headers["location"],
        "/app/loans",
        "no page of another's loan"
    );
    let refused = other_customer.get(&links(&page)[1]).await;
    assert_eq!((refused.status, refused.title().as_str()), (404, "This document cannot be shown"));
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn changed_document_is_refused_and_found(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let bank = TestBank::start(Database::new(engine)).await;
    let mut guest = bought_by_guest(&bank, "120.3", 3).await;
    let address = format!("{}/documents/credit-agreement.pdf", guest.bought.checkout);
    assert_eq!(guest.browser.download(&address).await.status, 200);
    let finding = format!("the credit-agreement of loan:{} is not the document of the audit log", guest.id);
    // The content alone: its hash differs.
    let other = "UPDATE loan_document SET content = (SELECT content FROM loan_document WHERE kind = 'credit-information') WHERE kind = 'credit-agreement'";
    change(&bank, other).await;
    assert_eq!(guest.browser.get(&address).await.status, 503);
    assert_eq!(audit_findings(&bank).await, [finding.as_str()]);
    // Content and hash: the audit log has another one.
    let both = "UPDATE loan_document SET sha256 = (SELECT sha256 FROM loan_document WHERE kind = 'credit-information') WHERE kind = 'credit-agreement'";
    change(&bank, both).await;
    assert_eq!(audit_findings(&bank).await, [finding.as_str()]);
}
