//! What a page consists of: blocks of text, facts, tables, secrets and forms. One template renders them, so that all pages look
//! alike and escape everything.

use super::form::Form;
use super::graph::Graph;
use super::{Site, SiteRequest};
use crate::brand::{BrandView, branded_policy};
use crate::layout::{STYLE, content_security_policy, html_response};
use crate::page_request::PageRequest;
use askama::Template;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use trapeza_http::AppState;

/// The script of passkeys, the only one of these pages.
const PASSKEY_SCRIPT: &str = include_str!("../../templates/scripts/passkey.js");

/// How the pages of a family look: their name, their style and the policies that allow it.
pub struct SiteStyle {
    /// The class of the pages in the style.
    class: &'static str,
    /// The name of the navigation.
    pub name: &'static str,
    /// What follows the name of the bank.
    subtitle: &'static str,
    style: String,
    policy: HeaderValue,
    /// The policy of pages with a passkey.
    passkey_policy: HeaderValue,
}

/// What is at the top of a page.
#[derive(Default)]
pub struct Head {
    /// Who is signed in, and the form that ends the session.
    pub caller: Option<(String, Form)>,
    pub tabs: Vec<Tab>,
}

/// A page that others link to at the top: address and label.
pub type Tab = (&'static str, &'static str);

/// A page before it is rendered.
pub struct Page {
    title: String,
    /// The steps of a process with the number of the current one.
    steps: Option<(&'static [&'static str], usize)>,
    blocks: Vec<Block>,
    /// What is beside the blocks, as HTML.
    aside: Option<String>,
}

pub enum Block {
    Heading(String),
    Text(String),
    /// Something that has just succeeded.
    Good(String),
    /// Something that has been refused or has failed.
    Bad(String),
    Facts(Vec<(String, Cell)>),
    Table(Table),
    Form(Box<Form>),
    /// A form that is only a button, as wide as the other forms.
    Action(Box<Form>),
    /// Forms that are only buttons, in one line.
    Forms(Vec<Form>),
    /// Values that are shown once.
    Secrets(Vec<(String, String)>),
    /// A PNG in base64, with its description.
    Picture(String, String),
    /// Text as programs write it, with its name.
    Code(String, String),
    /// A link as a button: address and label.
    Button(String, String),
    /// A file that the browser saves: address, label and name.
    Download(String, String, String),
    Links(Vec<(String, String)>),
    /// Graphs, side by side where there is room.
    Graphs(Vec<Graph>),
}

pub struct Table {
    pub label: String,
    pub head: Vec<&'static str>,
    pub rows: Vec<Vec<Cell>>,
    /// Shown when there are no rows.
    pub empty: &'static str,
}

/// A value of a table or a list of facts.
pub enum Cell {
    Text(String),
    Link(String, String),
    /// Links, each in its line: address, label, and the text after it.
    Links(Vec<(String, String, String)>),
    Forms(Vec<Form>),
}

#[derive(Template)]
#[template(path = "site/page.html")]
struct PageTemplate<'a> {
    page: &'a Page,
    site_style: &'static SiteStyle,
    script: Option<&'static str>,
    bank_name: Arc<str>,
    brand: BrandView,
    sandbox: bool,
    head: &'a Head,
    /// The path of the page, empty when it is unknown.
    path: &'a str,
}

impl SiteStyle {
    /// The style of a family follows that of all pages.
    pub fn new(class: &'static str, name: &'static str, subtitle: &'static str, style: &str) -> Self {
        let style = [STYLE, include_str!("../../templates/site/site.css"), style].concat();
        let policy = content_security_policy(&style, &[]);
        let passkey_policy = content_security_policy(&style, &[PASSKEY_SCRIPT]);
        Self { class, name, subtitle, style, policy, passkey_policy }
    }
}

impl Head {
    /// A tab is current on its page and on those below it; one that has other tabs below it, on its own page only.
    fn is_current(&self, href: &str, path: &str) -> bool {
        let is_below = |path: &str| {
            path.strip_prefix(href.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
        };
        let has_tabs_below = self.tabs.iter().any(|(other, _)| *other != href && is_below(other));
        path == href || (!has_tabs_below && is_below(path))
    }
}

impl Block {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub fn heading(text: &str) -> Self {
        Self::Heading(text.to_owned())
    }

    pub fn facts(facts: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        Self::Facts(facts.into_iter().map(|(label, value)| (label.to_owned(), Cell::Text(value))).collect())
    }

    pub fn form(form: Form) -> Self {
        Self::Form(Box::new(form))
    }

    pub fn action(form: Form) -> Self {
        Self::Action(Box::new(form.wide()))
    }

    pub fn button(href: &str, label: &str) -> Self {
        Self::Button(href.to_owned(), label.to_owned())
    }

    pub fn links<const N: usize>(links: [(&str, &str); N]) -> Self {
        Self::Links(links.map(|(href, label)| (href.to_owned(), label.to_owned())).to_vec())
    }
}

impl Table {
    /// A table that has text only.
    pub fn of_text<const N: usize>(
        label: &str,
        head: [&'static str; N],
        rows: impl IntoIterator<Item = Vec<String>>,
        empty: &'static str,
    ) -> Self {
        let rows = rows.into_iter().map(|row| row.into_iter().map(Cell::Text).collect());
        Self { label: label.to_owned(), head: head.to_vec(), rows: rows.collect(), empty }
    }
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub fn link(href: String, label: impl Into<String>) -> Self {
        Self::Link(href, label.into())
    }
}

impl Page {
    pub fn new(title: &str) -> Self {
        Self { title: title.to_owned(), steps: None, blocks: Vec::new(), aside: None }
    }

    pub fn with(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    pub fn with_all(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.blocks.extend(blocks);
        self
    }

    pub const fn at_step(mut self, steps: &'static [&'static str], current: usize) -> Self {
        self.steps = Some((steps, current));
        self
    }

    /// Shows something beside the blocks, or below them where the screen is narrow.
    pub fn with_aside(mut self, content: &impl Template) -> Self {
        self.aside = Some(content.render().expect("the template writes into a String, which cannot fail"));
        self
    }

    pub fn ok<S: Site>(&self, request: &SiteRequest<S>) -> Response {
        self.respond(request, StatusCode::OK)
    }

    pub fn respond<S: Site>(&self, request: &SiteRequest<S>, status: StatusCode) -> Response {
        let head = request.caller().map_or_else(Head::default, |caller| {
            let sign_out = Form::new(&request.web, S::SIGN_OUT, "Sign out").class("link");
            Head { caller: Some((S::caller_line(caller), sign_out)), tabs: S::tabs(caller) }
        });
        self.respond_with(S::site_style(), &head, &request.web, status)
    }

    /// The response on a page without sign-in.
    pub fn respond_with(
        &self,
        site_style: &'static SiteStyle,
        head: &Head,
        request: &PageRequest,
        status: StatusCode,
    ) -> Response {
        let mut response = self.render(site_style, head, (&request.state, &request.page), status);
        if let Some(cookie) = request.new_session_cookie() {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }

    /// The response to a request that could not be read.
    pub fn respond_without_session(
        &self,
        site_style: &'static SiteStyle,
        head: &Head,
        state: &AppState,
        status: StatusCode,
    ) -> Response {
        self.render(site_style, head, (state, ""), status)
    }

    fn render(
        &self,
        site_style: &'static SiteStyle,
        head: &Head,
        (state, path): (&AppState, &str),
        status: StatusCode,
    ) -> Response {
        let has_passkey =
            self.blocks.iter().any(|block| matches!(block, Block::Form(form) if form.has_passkey()));
        let page = PageTemplate {
            page: self,
            site_style,
            script: has_passkey.then_some(PASSKEY_SCRIPT),
            bank_name: state.app.bank_name().clone(),
            brand: BrandView::of(&state.app.bank_profile().brand),
            sandbox: state.settings.sandbox,
            head,
            path,
        };
        let policy = if has_passkey { &site_style.passkey_policy } else { &site_style.policy };
        html_response(status, &page, &branded_policy(policy, state.app.bank_profile()))
    }
}

/// A file that the browser saves.
pub fn attachment(kind: &'static str, name: &str, content: impl Into<Body>) -> Response {
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("attachment"))),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, content.into()).into_response()
}
