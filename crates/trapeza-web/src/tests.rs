//! Renders every page with every sample in both languages and checks its markup. To look at the pages while working on a
//! template, write them to a directory: `TRAPEZA_PAGES=DIR cargo test -p trapeza-web`.

use super::app::{
    payment_templates as payment, session_templates as session, statement_templates as statement,
    templates as app,
};
use super::checkout::templates::{
    CheckoutAgreement, CheckoutCode, CheckoutIncome, CheckoutInformation, CheckoutPhone, CheckoutPlans,
    CheckoutSignIn, CheckoutStart,
};
use super::loan::templates::{GuestLoan, LoanCode, LoanFind};
use super::measured_call;
use super::review::{PausePage, ReviewForm};
use super::samples::Samples;
use super::statistics::templates::StatisticsPage;
use super::styleguide::StyleGuide;
use super::templates::{
    Answer, Choose, ChooseAccounts, End, ErrorPage, Home, Messages, Notice, SignIn, Start,
};
use askama::Template;
use trapeza_domain::statistics::{Interface, Service};
use trapeza_texts::page::{ENGLISH, GREEK, PageTexts};

fn rendered<P: Samples>(name: &str, texts: &'static PageTexts) -> Vec<(String, String)> {
    let samples = P::samples(texts).into_iter().enumerate();
    let render = |page: P| Template::render(&page).unwrap();
    samples.map(|(n, page)| (format!("{name}-{n}-{}", texts.language.tag()), render(page))).collect()
}

fn all() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for texts in [&ENGLISH, &GREEK] {
        pages.extend(rendered::<Start>("start", texts));
        pages.extend(rendered::<SignIn>("sign-in", texts));
        pages.extend(rendered::<Choose>("choose", texts));
        pages.extend(rendered::<ChooseAccounts>("choose_accounts", texts));
        pages.extend(rendered::<Answer>("answer", texts));
        pages.extend(rendered::<End>("end", texts));
        pages.extend(rendered::<Notice>("notice", texts));
        pages.extend(rendered::<ErrorPage>("error", texts));
        pages.extend(rendered::<Home>("home", texts));
        pages.extend(rendered::<Messages>("messages", texts));
        pages.extend(rendered::<app::SignIn>("app-sign-in", texts));
        pages.extend(rendered::<app::Code>("app-code", texts));
        pages.extend(rendered::<app::Home>("app-home", texts));
        pages.extend(rendered::<app::Accounts>("app-accounts", texts));
        pages.extend(rendered::<statement::Statement>("app-account", texts));
        pages.extend(rendered::<statement::TransactionPage>("app-transaction", texts));
        pages.extend(rendered::<app::Pay>("app-pay", texts));
        pages.extend(rendered::<payment::Receipt>("app-receipt", texts));
        pages.extend(rendered::<payment::Payments>("app-payments", texts));
        pages.extend(rendered::<session::Locked>("app-locked", texts));
        pages.extend(rendered::<session::Devices>("app-devices", texts));
        pages.extend(rendered::<session::Help>("app-help", texts));
        pages.extend(rendered::<app::Confirm>("app-confirm", texts));
        pages.extend(rendered::<app::Loans>("app-loans", texts));
        pages.extend(rendered::<app::LoanPage>("app-loan", texts));
        pages.extend(rendered::<app::Permissions>("app-permissions", texts));
        pages.extend(rendered::<CheckoutStart>("checkout-start", texts));
        pages.extend(rendered::<CheckoutPhone>("checkout-phone", texts));
        pages.extend(rendered::<CheckoutCode>("checkout-code", texts));
        pages.extend(rendered::<CheckoutPlans>("checkout-plans", texts));
        pages.extend(rendered::<CheckoutSignIn>("checkout-sign-in", texts));
        pages.extend(rendered::<CheckoutIncome>("checkout-income", texts));
        pages.extend(rendered::<ReviewForm>("review", texts));
        pages.extend(rendered::<PausePage>("pause", texts));
        pages.extend(rendered::<CheckoutAgreement>("checkout-agreement", texts));
        pages.extend(rendered::<CheckoutInformation>("checkout-information", texts));
        pages.extend(rendered::<LoanFind>("loan-find", texts));
        pages.extend(rendered::<LoanCode>("loan-code", texts));
        pages.extend(rendered::<GuestLoan>("loan-show", texts));
        pages.extend(rendered::<StyleGuide>("styleguide", texts));
        pages.extend(rendered::<StatisticsPage>("statistics", texts));
    }
    pages
}

/// The names of all tags of a page.
fn tags(html: &str) -> Vec<&str> {
    let pieces = html.split('<').skip(1);
    pieces
        .map(|piece| piece.split([' ', '>', '/']).find(|word| !word.is_empty()).unwrap_or_default())
        .collect()
}

#[test]
fn every_page_has_a_language_a_title_and_only_known_markup() {
    const OURS: &[&str] = &[
        "!doctype", "html", "head", "meta", "title", "style", "body", "header", "script", "div", "svg",
        "rect", "path", "main", "footer", "p", "a", "section", "h1", "h2", "form", "input", "button",
        "label", "ol", "ul", "li", "b", "span", "small", "dl", "dt", "dd", "fieldset", "legend", "img",
        "noscript", "link", "nav", "h3", "details", "summary", "select", "option", "table", "thead", "tbody",
        "tr", "th", "td", "code", "br", "textarea",
    ];
    let directory = std::env::var_os("TRAPEZA_PAGES").map(std::path::PathBuf::from);
    for (name, html) in all() {
        if let Some(directory) = &directory {
            std::fs::write(directory.join(format!("{name}.html")), &html).unwrap();
        }
        let lang = name.rsplit('-').next().unwrap();
        assert!(html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"), "{name}");
        assert!(html.contains(&format!("<html lang=\"{lang}\">")), "{name}");
        let title = html.split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap();
        assert!(title.len() > " – Trapeza".len() && title.ends_with(" – Trapeza"), "{name}: {title}");
        for tag in tags(&html) {
            assert!(OURS.contains(&tag), "{name}: <{tag}>");
        }
        // Only own images, and no value became an attribute.
        assert_eq!(html.matches("<img").count(), html.matches("<img class=\"picture\"").count(), "{name}");
        assert_eq!(html.matches("<b>").count(), html.matches("</b>").count(), "{name}");
        assert!(
            !html.contains("<b>eleni") && !html.contains("<b>P</b>") && !html.contains("more=\"2\""),
            "{name}"
        );
        assert!(!html.contains("{}"), "{name}: a gap is not filled in");
        // Every page except the last one has a form or a link.
        let last = html.contains("close") || html.contains("κλείσετε") || name.starts_with("notice");
        assert!(last || html.contains("<form") || html.contains("class=\"button"), "{name} is a dead end");
    }
}

#[test]
fn markup_in_names_is_shown_as_text() {
    let pages = all();
    let shown =
        pages.iter().filter(|(_, html)| html.contains("&#60;script&#62;") || html.contains("&lt;script&gt;"));
    assert!(shown.count() > 20, "the planted names are there, escaped");
    let accounts = pages.iter().filter(|(_, html)| html.contains("onerror=alert(1)"));
    assert!(accounts.count() > 2);
}

/// A hundred names with hostile markup.
fn hundred_names() -> Vec<String> {
    let openings =
        ["<", "</p><", "\"><", "'><", "--><", "]]><", "</title><", "</style><", "</script><", "&lt;<"];
    let bodies = [
        "script>x()</script>",
        "img src=x onerror=x()>",
        "svg/onload=x()>",
        "iframe src=javascript:x()>",
        "a href='javascript:x()'>y</a>",
        "body onload=x()>",
        "input autofocus onfocus=x()>",
        "details open ontoggle=x()>",
        "form action=//evil.example><button>",
        "base href=//evil.example>",
    ];
    openings.iter().flat_map(|opening| bodies.iter().map(move |body| format!("{opening}{body}"))).collect()
}

#[test]
fn hostile_names_never_become_markup() {
    let names = hundred_names();
    assert_eq!(names.len(), 100);
    for texts in [&ENGLISH, &GREEK] {
        let quiet = super::samples::named(texts, "Best Pay");
        for name in &names {
            for (page, html) in super::samples::named(texts, name).into_iter().enumerate() {
                assert_eq!(tags(&html), tags(&quiet[page]), "{name} has changed page {page}");
                assert!(
                    html.contains("&#60;") || html.contains("&lt;"),
                    "{name} is not shown on page {page}"
                );
            }
        }
    }
}

#[test]
fn no_page_is_larger_than_sixty_kibibytes() {
    for (name, html) in all() {
        assert!(html.len() <= 60 * 1024, "{name} has {} bytes", html.len());
    }
}

#[test]
fn every_form_has_a_csrf_token_and_a_step() {
    for (name, html) in all() {
        for form in html.split("<form ").skip(1) {
            let form = form.split("</form>").next().unwrap();
            if form.starts_with("method=\"get\" action=\"/") {
                assert!(!form.contains("csrf"), "{name}: a token would be in the address");
                continue;
            }
            assert!(form.starts_with("method=\"post\" action=\"/"), "{name}");
            assert!(form.contains("name=\"csrf\" value=\"a-token\""), "{name}");
            assert!(form.contains("name=\"step\" value=\""), "{name}");
        }
    }
}

#[test]
fn pages_of_the_app_are_the_customers_interface() {
    let service = |path: &str| {
        measured_call(path).map(|call| {
            assert_eq!(call.interface, Interface::Customer, "{path}");
            call.service
        })
    };
    assert_eq!(service("/app"), Some(Service::Other));
    assert_eq!(service("/app/accounts"), Some(Service::AccountInformation));
    assert_eq!(service("/app/accounts/1"), Some(Service::AccountInformation));
    assert_eq!(service("/app/pay"), Some(Service::PaymentInitiation));
    assert_eq!(service("/app/payments/1"), Some(Service::PaymentInitiation));
    assert_eq!(service("/app/permissions/1"), Some(Service::Other));
    for other in
        ["/", "/apps", "/app/", "/app/events", "/app/icon.svg", "/sca/1", "/checkout/1", "/statistics"]
    {
        assert_eq!(service(other), None, "{other}");
    }
}
