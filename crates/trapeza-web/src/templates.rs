//! Every page as its template sees it. A context decides nothing: whoever fills it has.

use super::layout::{Back, Form, Layout};
use super::summary::Summary;
use askama::Template;

/// The first page of a link, before anything is opened.
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
    pub fault: Option<&'static str>,
}

/// What is asked, and how the customer wants to confirm it.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/choose.html")]
pub struct Choose {
    pub layout: Layout,
    pub form: Form,
    pub summary: Summary,
    pub methods: Vec<Method>,
    pub fault: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct Method {
    pub id: String,
    pub kind: &'static str,
    /// What its owner calls it.
    pub name: String,
}

/// The challenge, and what is linked to it.
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
    pub way: AnswerWay,
    /// The chosen method, when another code may be sent by it.
    pub again: Option<String>,
    /// Where another method is chosen.
    pub choose: Option<String>,
    pub fault: Option<&'static str>,
}

/// How an answer comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerWay {
    /// A code is typed here.
    Code,
    /// The app is asked; this page waits.
    App,
    /// Not any more.
    Over,
}

impl Answer {
    fn is_code(&self) -> bool {
        self.way == AnswerWay::Code
    }

    fn is_app(&self) -> bool {
        self.way == AnswerWay::App
    }
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/end.html")]
pub struct End {
    pub layout: Layout,
    pub good: bool,
    pub text: String,
    /// What happens next.
    pub then: String,
    pub back: Option<Back>,
}

/// Something is in the way. There is always a way on.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/notice.html")]
pub struct Notice {
    pub layout: Layout,
    pub text: &'static str,
    pub back: Option<Back>,
}
