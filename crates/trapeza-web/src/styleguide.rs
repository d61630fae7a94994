//! The design system of the pages: every token and component in both colour schemes. `/styleguide` exists in the sandbox only.

use super::brand::branded_policy;
use super::language::texts;
use super::layout::{Layout, STYLE, content_security_policy, html_response};
use super::summary::{PayeeCheck, payee_check};
use askama::Template;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use std::sync::{Arc, LazyLock};
use trapeza_domain::payee_verification::{PayeeVerification, VerifiedPayee};
use trapeza_http::{AppState, not_found};
use trapeza_texts::page::PageTexts;

/// The style of all pages, and each scheme as a class, so that one page shows both.
static GUIDE_STYLE: LazyLock<String> = LazyLock::new(|| {
    let [light, dark] = schemes().map(|tokens| tokens.to_owned());
    let own = include_str!("../templates/styleguide.css");
    format!("{STYLE}\n.scheme.light {{{light} }}\n.scheme.dark {{{dark} }}\n{own}")
});
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| content_security_policy(&GUIDE_STYLE, &[]));

#[derive(Clone, Debug, Template)]
#[template(path = "pages/styleguide.html")]
pub struct StyleGuide {
    pub layout: Layout,
    pub schemes: Vec<Scheme>,
}

/// One colour scheme with everything that is shown in it.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The CSS class.
    pub name: &'static str,
    /// Name and value of each colour.
    pub colours: Vec<(String, String)>,
    /// All results of payee verification.
    pub checks: Vec<PayeeCheck>,
}

impl StyleGuide {
    pub fn new(layout: Layout) -> Self {
        let texts = layout.texts;
        let [light, dark] = schemes();
        let scheme = |name, tokens| Scheme { name, colours: colours(tokens), checks: checks(texts) };
        let layout = Layout { style: GUIDE_STYLE.as_str(), ..layout };
        Self { layout, schemes: vec![scheme("light", light), scheme("dark", dark)] }
    }
}

/// The page; elsewhere than in the sandbox the path does not exist.
pub async fn page(State(state): State<Arc<AppState>>, request: Request) -> Response {
    if !state.settings.sandbox {
        return not_found(request).await;
    }
    let texts = texts(&state, request.headers());
    let layout = Layout::new(texts, state.app.bank_profile(), true, texts.home.styleguide);
    html_response(
        StatusCode::OK,
        &StyleGuide::new(layout),
        &branded_policy(&POLICY, state.app.bank_profile()),
    )
}

/// The declarations of the light and of the dark scheme.
fn schemes() -> [&'static str; 2] {
    let mut blocks = STYLE.split(":root {").skip(1).map(|rest| rest.split('}').next().unwrap_or_default());
    [blocks.next().unwrap_or_default(), blocks.next().unwrap_or_default()]
}

fn colours(tokens: &str) -> Vec<(String, String)> {
    let declarations = tokens.split(';').filter_map(|declaration| declaration.trim().split_once(": "));
    let colours = declarations.filter(|(name, value)| name.starts_with("--") && value.starts_with('#'));
    colours.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn checks(texts: &'static PageTexts) -> Vec<PayeeCheck> {
    let verified =
        |result: &PayeeVerification| VerifiedPayee::new(*result, Some("Nikos Georgiou".to_owned()));
    PayeeVerification::ALL.iter().map(|result| payee_check(texts, &verified(result))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_schemes_have_the_same_colours() {
        let names = |tokens| -> Vec<String> { colours(tokens).into_iter().map(|(name, _)| name).collect() };
        let [light, dark] = schemes();
        assert!(names(light).len() > 10, "{light}");
        assert_eq!(names(light), names(dark));
    }
}
