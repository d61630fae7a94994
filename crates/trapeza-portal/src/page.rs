//! What a page of the portal consists of: blocks of text, facts, tables, secrets and forms. One template renders them, so that all
//! pages look alike and escape everything.

use crate::form::Form;
use crate::portal_request::PortalRequest;
use askama::Template;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, LazyLock};
use trapeza_http::AppState;
use trapeza_web::layout::{STYLE, content_security_policy, html_response};

static PORTAL_STYLE: LazyLock<String> =
    LazyLock::new(|| [STYLE, include_str!("../templates/portal.css")].concat());
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| content_security_policy(&PORTAL_STYLE, &[]));
/// The script of passkeys, the only one of the portal, and the policy of pages that have it.
const PASSKEY_SCRIPT: &str = include_str!("../templates/passkey.js");
static PASSKEY_POLICY: LazyLock<HeaderValue> =
    LazyLock::new(|| content_security_policy(&PORTAL_STYLE, &[PASSKEY_SCRIPT]));

/// The pages that every member sees at the top.
const TABS: [(&str, &str); 4] = [
    ("/portal", "Overview"),
    ("/portal/applications", "Applications"),
    ("/portal/members", "Members"),
    ("/portal/account", "Account"),
];

/// A page before it is rendered.
pub struct Page {
    title: String,
    blocks: Vec<Block>,
}

pub enum Block {
    Heading(String),
    Text(String),
    /// Something that has just happened.
    Done(String),
    Facts(Vec<(String, Cell)>),
    Table(Table),
    Form(Box<Form>),
    /// Forms that are only buttons, in one line.
    Forms(Vec<Form>),
    /// Values that are shown once.
    Secrets(Vec<(String, String)>),
    /// A PNG in base64, with its description.
    Picture(String, String),
    /// Text as programs write it, with its name.
    Code(String, String),
    Links(Vec<(String, String)>),
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
    Forms(Vec<Form>),
}

#[derive(Template)]
#[template(path = "portal/page.html")]
struct PageTemplate<'a> {
    title: &'a str,
    blocks: &'a [Block],
    style: &'static str,
    script: Option<&'static str>,
    bank_name: Arc<str>,
    sandbox: bool,
    member: Option<MemberLine>,
}

/// The member and the navigation at the top of a page.
struct MemberLine {
    name: String,
    organisation: String,
    tabs: Vec<(&'static str, &'static str, bool)>,
    sign_out: Form,
}

impl Block {
    pub fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }

    pub fn heading(text: &str) -> Self {
        Self::Heading(text.to_owned())
    }

    pub fn form(form: Form) -> Self {
        Self::Form(Box::new(form))
    }

    pub fn links<const N: usize>(links: [(&str, &str); N]) -> Self {
        Self::Links(links.map(|(href, label)| (href.to_owned(), label.to_owned())).to_vec())
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
        Self { title: title.to_owned(), blocks: Vec::new() }
    }

    pub fn with(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }

    pub fn with_all(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.blocks.extend(blocks);
        self
    }

    pub fn ok(&self, request: &PortalRequest) -> Response {
        self.respond(request, StatusCode::OK)
    }

    pub fn respond(&self, request: &PortalRequest, status: StatusCode) -> Response {
        let path = request.web.page.as_str();
        let member = request.caller().map(|caller| MemberLine {
            name: caller.member.name.clone(),
            organisation: caller.organisation.name.clone(),
            tabs: TABS.map(|(href, label)| (href, label, is_current(href, path))).to_vec(),
            sign_out: Form::new(request, "/portal/sign-out", "Sign out").class("link"),
        });
        let mut response = self.render(&request.web.state, status, member);
        if let Some(cookie) = request.web.new_session_cookie() {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        response
    }

    /// The response to a request that could not be read.
    pub fn respond_without_session(&self, state: &AppState, status: StatusCode) -> Response {
        self.render(state, status, None)
    }

    fn render(&self, state: &AppState, status: StatusCode, member: Option<MemberLine>) -> Response {
        let has_passkey =
            self.blocks.iter().any(|block| matches!(block, Block::Form(form) if form.has_passkey()));
        let page = PageTemplate {
            title: &self.title,
            blocks: &self.blocks,
            style: &PORTAL_STYLE,
            script: has_passkey.then_some(PASSKEY_SCRIPT),
            bank_name: state.app.bank_name().clone(),
            sandbox: state.settings.sandbox,
            member,
        };
        html_response(status, &page, if has_passkey { &PASSKEY_POLICY } else { &POLICY })
    }
}

/// A file that the browser saves.
pub fn attachment(kind: &'static str, name: &str, content: String) -> Response {
    let disposition = HeaderValue::try_from(format!("attachment; filename=\"{name}\""));
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, disposition.unwrap_or(HeaderValue::from_static("attachment"))),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, content).into_response()
}

/// The overview is current on its own page only, another tab also on the pages below it.
fn is_current(href: &str, path: &str) -> bool {
    let below = path.strip_prefix(href);
    if href == TABS[0].0 {
        path == href
    } else {
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}
