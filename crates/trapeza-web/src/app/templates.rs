//! The app's pages as their templates redirect them. A context decides nothing: whoever fills it has.

use crate::i18n::{Texts, fill};
use crate::layout::{Form, Layout};
use crate::summary::{Summary, SummaryRow};
use askama::Template;

/// On every page of the open app: its tabs, whose it is, and the way out.
#[derive(Clone, Debug)]
pub struct Top {
    pub hello: String,
    pub tabs: Vec<Tab>,
    /// The forms that lock the app are the first page's.
    pub door: Form,
}

#[derive(Clone, Debug)]
pub struct Tab {
    pub href: &'static str,
    pub label: &'static str,
    pub here: bool,
}

impl Top {
    pub fn new(texts: &'static Texts, name: &str, here: &str, door: Form) -> Self {
        let tab = |href, label| Tab { href, label, here: href == here };
        let tabs = vec![
            tab("/app", texts.app.tab_waiting),
            tab("/app/accounts", texts.app.tab_accounts),
            tab("/app/pay", texts.app.tab_pay),
            tab("/app/loans", texts.app.tab_loans),
            tab("/app/permissions", texts.app.tab_permissions),
        ];
        Self { hello: fill(texts.app.hello, name), tabs, door }
    }
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/sign_in.html")]
pub struct SignIn {
    pub layout: Layout,
    pub form: Form,
    pub user: String,
    pub fault: Option<&'static str>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/code.html")]
pub struct Code {
    pub layout: Layout,
    pub form: Form,
    pub fault: Option<&'static str>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/questions.html")]
pub struct Questions {
    pub layout: Layout,
    pub form: Form,
    pub top: Top,
    /// What is shown, in a word that changes with it.
    pub seen: String,
    pub questions: Vec<Question>,
    /// What became of the last answer, and whether it was an approval.
    pub told: Option<(&'static str, bool)>,
}

/// Something the customer is asked in the app.
#[derive(Clone, Debug)]
pub struct Question {
    pub id: String,
    pub summary: Summary,
    pub numbers: Vec<String>,
    /// What an approval is signed over.
    pub link: String,
}

impl Question {
    /// Ordered in the app itself: there is nothing to compare.
    fn is_own(&self) -> bool {
        self.numbers.len() == 1
    }
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/accounts.html")]
pub struct Accounts {
    pub layout: Layout,
    pub top: Top,
    pub accounts: Vec<AccountCard>,
}

/// An account with what is in it.
#[derive(Clone, Debug)]
pub struct AccountCard {
    pub href: String,
    pub name: String,
    pub number: String,
    pub note: Option<&'static str>,
    pub rows: Vec<SummaryRow>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/account.html")]
pub struct Account {
    pub layout: Layout,
    pub top: Top,
    pub account: AccountCard,
    pub lines: Vec<Line>,
}

/// A line of a statement.
#[derive(Clone, Debug)]
pub struct Line {
    pub day: String,
    pub who: String,
    pub text: Option<String>,
    pub amount: String,
    /// Money came in.
    pub into: bool,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/pay.html")]
pub struct Pay {
    pub layout: Layout,
    pub top: Top,
    pub form: Form,
    /// Names this order, so that a second click is the first one.
    pub once: String,
    pub accounts: Vec<Choice>,
    pub typed: Typed,
    pub faults: Vec<&'static str>,
}

#[derive(Clone, Debug)]
pub struct Choice {
    pub id: String,
    pub label: String,
    pub chosen: bool,
}

/// What stands in the form, to be mended and not typed again.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    pub iban: String,
    pub name: String,
    pub amount: String,
    pub remittance: String,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/permissions.html")]
pub struct Permissions {
    pub layout: Layout,
    pub top: Top,
    pub form: Form,
    pub now: Vec<PermissionCard>,
    pub before: Vec<PermissionCard>,
    pub told: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct PermissionCard {
    pub id: String,
    pub summary: Summary,
    /// What it is, and since when.
    pub state: String,
    pub rows: Vec<SummaryRow>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/loans.html")]
pub struct Loans {
    pub layout: Layout,
    pub top: Top,
    pub form: Form,
    pub loans: Vec<LoanCard>,
    /// What became of the last order, and whether it was done.
    pub told: Option<(&'static str, bool)>,
}

#[derive(Clone, Debug)]
pub struct LoanCard {
    pub id: String,
    pub merchant: String,
    pub state: String,
    /// Something has to be done about it.
    pub late: bool,
    pub rows: Vec<SummaryRow>,
    pub schedule: Vec<Line>,
    /// What ending it early is called, with its price, while it can be.
    pub repay: Option<String>,
    pub withdraw: Option<LoanWithdrawal>,
}

#[derive(Clone, Debug)]
pub struct LoanWithdrawal {
    pub text: String,
    pub label: String,
}
