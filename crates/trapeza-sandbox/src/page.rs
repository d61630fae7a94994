//! What a page of the sandbox consists of: blocks of text, facts, tables and forms, and beside them the calls to the bank. One
//! template renders all of them and escapes everything.

use crate::bank_client::Exchange;
use crate::callback::Callback;
use crate::form::Form;
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use std::sync::{Arc, LazyLock};
use trapeza_http::AppState;
use trapeza_web::layout::{STYLE, content_security_policy, html_response};
use trapeza_web::page_request::PageRequest;

static SANDBOX_STYLE: LazyLock<String> =
    LazyLock::new(|| [STYLE, include_str!("../templates/sandbox.css")].concat());
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| content_security_policy(&SANDBOX_STYLE, &[]));

/// The pages that every page links to.
const TABS: [(&str, &str); 3] =
    [("/sample/tpp", "Third party"), ("/sample/shop", "Shop"), ("/docs", "Reference")];

/// A page before it is rendered.
pub struct Page {
    title: String,
    /// The steps of a walk with the number of the current one.
    steps: Option<(&'static [&'static str], usize)>,
    blocks: Vec<Block>,
    calls: Option<Vec<Exchange>>,
    callbacks: Vec<Callback>,
}

pub enum Block {
    Heading(&'static str),
    Text(String),
    /// Something that has succeeded.
    Good(String),
    /// Something that has been refused or has failed.
    Bad(String),
    Facts(Vec<(&'static str, String)>),
    Table(Table),
    Form(Box<Form>),
    /// A link as a button: address and label.
    Button(String, String),
    Links(Vec<(String, String)>),
}

pub struct Table {
    pub label: &'static str,
    pub head: &'static [&'static str],
    pub rows: Vec<Vec<String>>,
}

#[derive(Template)]
#[template(path = "sandbox/page.html")]
struct PageTemplate<'a> {
    title: &'a str,
    style: &'static str,
    bank_name: Arc<str>,
    tabs: [(&'static str, &'static str, bool); TABS.len()],
    steps: Vec<(&'static str, Progress)>,
    blocks: &'a [Block],
    calls: Option<&'a [Exchange]>,
    callbacks: &'a [Callback],
}

#[derive(PartialEq, Eq)]
enum Progress {
    Past,
    Current,
    Ahead,
}

impl Block {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub fn form(form: Form) -> Self {
        Self::Form(Box::new(form))
    }

    pub fn button(href: &str, label: &str) -> Self {
        Self::Button(href.to_owned(), label.to_owned())
    }

    pub fn links<const N: usize>(links: [(&str, &str); N]) -> Self {
        Self::Links(links.map(|(href, label)| (href.to_owned(), label.to_owned())).to_vec())
    }
}

impl Page {
    pub fn new(title: &str) -> Self {
        let (blocks, callbacks) = (Vec::new(), Vec::new());
        Self { title: title.to_owned(), steps: None, blocks, calls: None, callbacks }
    }

    pub fn with(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    pub fn with_all(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.blocks.extend(blocks);
        self
    }

    pub fn at_step(mut self, steps: &'static [&'static str], current: usize) -> Self {
        self.steps = Some((steps, current));
        self
    }

    /// Shows the calls to the bank beside the blocks.
    pub fn with_calls(mut self, calls: Vec<Exchange>) -> Self {
        self.calls = Some(calls);
        self
    }

    pub fn with_callbacks(mut self, callbacks: Vec<Callback>) -> Self {
        self.callbacks = callbacks;
        self
    }

    pub fn respond(&self, request: &PageRequest, status: StatusCode) -> Response {
        let mut response = self.render(&request.state, &request.page, status);
        if let Some(cookie) = request.new_session_cookie() {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }

    /// The response to a request that could not be read.
    pub fn respond_without_session(&self, state: &AppState, status: StatusCode) -> Response {
        self.render(state, "", status)
    }

    fn render(&self, state: &AppState, path: &str, status: StatusCode) -> Response {
        let progress = |current: usize, number: usize| match number.cmp(&current) {
            std::cmp::Ordering::Less => Progress::Past,
            std::cmp::Ordering::Equal => Progress::Current,
            std::cmp::Ordering::Greater => Progress::Ahead,
        };
        let steps = self.steps.map_or_else(Vec::new, |(steps, current)| {
            let named = steps.iter().enumerate();
            named.map(|(number, name)| (*name, progress(current, number))).collect()
        });
        let page = PageTemplate {
            title: &self.title,
            style: &SANDBOX_STYLE,
            bank_name: state.app.bank_name().clone(),
            tabs: TABS.map(|(href, label)| (href, label, path.starts_with(href))),
            steps,
            blocks: &self.blocks,
            calls: self.calls.as_deref(),
            callbacks: &self.callbacks,
        };
        html_response(status, &page, &POLICY)
    }
}
