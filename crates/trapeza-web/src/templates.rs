//! The contexts of the templates. They hold data only.

use super::layout::{Back, Form, Layout};
use super::summary::{Summary, SummaryRow};
use askama::Template;

/// The first page of a link, before it is claimed.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/start.html")]
pub struct Start {
    pub layout: Layout,
    pub form: Form,
    pub about: &'static str,
    pub back: Option<Back>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/sign_in.html")]
pub struct SignIn {
    pub layout: Layout,
    pub form: Form,
    pub why: String,
    pub user: String,
    /// Whether the customer gives the user name here, because the third party has not.
    pub asks_user: bool,
    pub error: Option<&'static str>,
}

/// The summary, and the choice of an SCA method.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/choose.html")]
pub struct Choose {
    pub layout: Layout,
    pub form: Form,
    pub summary: Summary,
    pub methods: Vec<Method>,
    pub error: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct Method {
    pub id: String,
    pub kind: &'static str,
    /// Whether it is selected at first.
    pub chosen: bool,
}

/// The choice of accounts for a third party that has named none.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/choose_accounts.html")]
pub struct ChooseAccounts {
    pub layout: Layout,
    pub form: Form,
    pub accounts: Vec<AccountToChoose>,
    /// What the third party asks for besides the accounts.
    pub balances: bool,
    pub transactions: bool,
    pub rows: Vec<SummaryRow>,
    pub error: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct AccountToChoose {
    pub id: String,
    pub name: String,
    pub number: String,
}

/// The challenge with the summary that it is linked to.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/answer.html")]
pub struct Answer {
    pub layout: Layout,
    pub form: Form,
    pub summary: Summary,
    pub prompt: &'static str,
    /// Digits to type into a device, or the number to match in the app.
    pub shown: Option<String>,
    /// A PNG in base64.
    pub picture: Option<String>,
    pub mode: AnswerMode,
    /// The selected method, if it can send another code, and how that is called.
    pub again: Option<(String, &'static str)>,
    /// The link to the choice of another method.
    pub choose: Option<String>,
    pub error: Option<&'static str>,
}

/// How the challenge is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerMode {
    /// With a code, on this page.
    Code,
    /// In the app; this page waits.
    App,
    /// Not any more: the challenge expired.
    Over,
}

impl Answer {
    fn is_code(&self) -> bool {
        self.mode == AnswerMode::Code
    }

    fn is_app(&self) -> bool {
        self.mode == AnswerMode::App
    }
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/end.html")]
pub struct End {
    pub layout: Layout,
    pub good: bool,
    pub text: String,
    /// The text about what happens next.
    pub then: String,
    pub back: Option<Back>,
    /// A link to another page of the bank.
    pub more: Option<Back>,
    /// The documents of a loan.
    pub documents: Vec<Back>,
}

/// A notice, with a link where possible.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/notice.html")]
pub struct Notice {
    pub layout: Layout,
    pub text: &'static str,
    pub back: Option<Back>,
}

/// An error outside of the pages, as browsers see it.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/request_error.html")]
pub struct ErrorPage {
    pub layout: Layout,
    pub text: &'static str,
    /// The status and the message that programs get, in English.
    pub detail: String,
}

/// The first page of the server.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/home.html")]
pub struct Home {
    pub layout: Layout,
    /// What a developer needs to begin; in the sandbox only.
    pub sandbox: Option<SandboxStart>,
}

/// The state of the sandbox, for its developers.
#[derive(Clone, Debug)]
pub struct SandboxStart {
    pub clock: String,
    pub customers: Vec<DemoCustomer>,
    /// The newest messages.
    pub messages: Vec<SentMessage>,
}

/// A customer of the sandbox with what a developer needs to act for them.
#[derive(Clone, Debug)]
pub struct DemoCustomer {
    pub name: String,
    pub login: String,
    pub password: Option<String>,
    pub ibans: Vec<String>,
}

/// The messages that the sandbox has sent, newest first.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/messages.html")]
pub struct Messages {
    pub layout: Layout,
    pub messages: Vec<SentMessage>,
}

#[derive(Clone, Debug)]
pub struct SentMessage {
    pub to: String,
    pub channel: String,
    /// When it was sent.
    pub sent: String,
    pub text: String,
    pub code: Option<String>,
}
