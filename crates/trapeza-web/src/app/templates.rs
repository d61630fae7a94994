//! The contexts of the app's templates.

use crate::layout::{Back, Form, Layout};
use crate::review::Help;
use crate::script::Script;
use crate::summary::{Summary, SummaryRow};
use askama::Template;
use trapeza_app::device::SESSION_TTL;
use trapeza_texts::page::{PageTexts, fill};

/// The header of every page of the signed-in app: tabs, customer, sign-out.
#[derive(Clone, Debug)]
pub struct AppHeader {
    pub hello: String,
    pub tabs: Vec<Tab>,
    /// The form that signs out or extends the session; it belongs to the first page.
    pub session_form: Form,
    /// Until when the session lasts, for those who read it, and for the script in seconds.
    pub until: String,
    pub seconds: i64,
    /// How long a session that is extended lasts, in seconds.
    pub full: i64,
    /// The page that is shown.
    pub page: String,
    pub script: &'static str,
}

/// The session of the page that a header is on.
#[derive(Clone, Debug)]
pub struct SessionView {
    /// The time of day at which it ends.
    pub ends: String,
    pub seconds: i64,
    pub page: String,
}

#[derive(Clone, Debug)]
pub struct Tab {
    pub href: &'static str,
    pub label: &'static str,
    pub here: bool,
}

impl AppHeader {
    pub fn new(
        texts: &'static PageTexts,
        name: &str,
        here: &str,
        (session_form, session): (Form, SessionView),
    ) -> Self {
        let tab = |href, label| Tab { href, label, here: href == here };
        let tabs = vec![
            tab("/app", texts.customer.tab_home),
            tab("/app/accounts", texts.app.tab_accounts),
            tab("/app/pay", texts.app.tab_pay),
            tab("/app/loans", texts.app.tab_loans),
            tab("/app/permissions", texts.app.tab_permissions),
        ];
        let SessionView { ends, seconds, page } = session;
        let until = fill(texts.customer.until, &ends);
        let script = Script::Session.text();
        let full = SESSION_TTL.0 / 1_000_000;
        Self { hello: fill(texts.app.hello, name), tabs, session_form, until, seconds, full, page, script }
    }
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/sign_in.html")]
pub struct SignIn {
    pub layout: Layout,
    pub form: Form,
    pub user: String,
    pub error: Option<&'static str>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/code.html")]
pub struct Code {
    pub layout: Layout,
    pub form: Form,
    pub error: Option<&'static str>,
}

/// The first page of the signed-in app: pending approvals, and the balances of all accounts.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/home.html")]
pub struct Home {
    pub layout: Layout,
    pub form: Form,
    pub top: AppHeader,
    /// The digest of the shown approvals.
    pub seen: String,
    pub questions: Vec<Question>,
    pub accounts: Vec<AccountCard>,
    pub cards: Vec<AccountCard>,
    /// The result of the last decision, and whether it was an approval.
    pub notice: Option<(&'static str, bool)>,
}

/// A pending approval.
#[derive(Clone, Debug)]
pub struct Question {
    pub id: String,
    pub summary: Summary,
    pub numbers: Vec<String>,
    /// The linking digest that an approval signs.
    pub link: String,
}

impl Question {
    /// Ordered in the app itself, so there is no number to compare.
    fn is_own(&self) -> bool {
        self.numbers.len() == 1
    }
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/accounts.html")]
pub struct Accounts {
    pub layout: Layout,
    pub top: AppHeader,
    pub accounts: Vec<AccountCard>,
    pub cards: Vec<AccountCard>,
    /// The payments that were rejected lately.
    pub rejected: Vec<Line>,
}

/// An account or a card with its balances.
#[derive(Clone, Debug)]
pub struct AccountCard {
    pub href: String,
    pub name: String,
    pub number: String,
    pub note: Option<&'static str>,
    pub rows: Vec<SummaryRow>,
}

/// An entry of a statement.
#[derive(Clone, Debug)]
pub struct Line {
    pub day: String,
    pub who: String,
    pub text: Option<String>,
    pub amount: String,
    /// Whether it is a credit.
    pub into: bool,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/pay.html")]
pub struct Pay {
    pub layout: Layout,
    pub top: AppHeader,
    pub form: Form,
    /// The idempotency key of the form.
    pub idempotency_key: String,
    pub accounts: Vec<Choice>,
    /// What payments cost.
    pub fees: String,
    pub typed: TypedValues,
    pub errors: PayErrors,
}

/// The errors of the form, by field.
#[derive(Clone, Copy, Debug, Default)]
pub struct PayErrors {
    pub from: Option<&'static str>,
    pub iban: Option<&'static str>,
    pub name: Option<&'static str>,
    pub amount: Option<&'static str>,
    pub remittance: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct Choice {
    pub id: String,
    pub label: String,
    pub chosen: bool,
}

/// The typed values, shown again after an error.
#[derive(Clone, Debug, Default)]
pub struct TypedValues {
    pub iban: String,
    pub name: String,
    pub amount: String,
    pub remittance: String,
}

/// The question before something ends. It works without a script, except where the device signs.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/confirm.html")]
pub struct Confirm {
    pub layout: Layout,
    pub top: AppHeader,
    pub form: Form,
    /// What ends.
    pub rows: Vec<SummaryRow>,
    pub text: &'static str,
    pub label: String,
    /// The page without the change.
    pub cancel: &'static str,
    /// What the device signs, where money moves.
    pub approval: Option<ConfirmApproval>,
    pub error: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct ConfirmApproval {
    /// The id of what is approved.
    pub id: String,
    /// The linking digest.
    pub link: String,
    pub choice: &'static str,
    /// When it was shown, in microseconds.
    pub shown_at: i64,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/permissions.html")]
pub struct Permissions {
    pub layout: Layout,
    pub top: AppHeader,
    pub now: Vec<PermissionCard>,
    pub before: Vec<PermissionCard>,
    pub notice: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct PermissionCard {
    pub id: String,
    pub summary: Summary,
    /// The status, and since when.
    pub state: String,
    pub rows: Vec<SummaryRow>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/loans.html")]
pub struct Loans {
    pub layout: Layout,
    pub top: AppHeader,
    pub active: Vec<LoanCard>,
    pub ended: Vec<LoanCard>,
    /// The result of the last action, and whether it succeeded.
    pub notice: Option<(&'static str, bool)>,
}

/// The page of one loan.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/loan.html")]
pub struct LoanPage {
    pub layout: Layout,
    pub top: AppHeader,
    /// The links to its documents.
    pub documents: Vec<Back>,
    pub loan: LoanCard,
    /// What the borrower can do who cannot pay as agreed.
    pub help: Option<Help>,
    pub notice: Option<(&'static str, bool)>,
}

#[derive(Clone, Debug)]
pub struct LoanCard {
    pub id: String,
    pub merchant: String,
    pub state: String,
    /// Whether the loan is overdue.
    pub late: bool,
    /// Whether nothing is owed any more.
    pub ended: bool,
    /// The next payment, while one is due.
    pub next: Option<SummaryRow>,
    pub rows: Vec<SummaryRow>,
    pub schedule: Vec<Line>,
    /// The labels of early repayment and withdrawal with their amounts, while possible.
    pub repay: Option<String>,
    pub withdraw: Option<LoanWithdrawal>,
}

#[derive(Clone, Debug)]
pub struct LoanWithdrawal {
    pub text: String,
    pub label: String,
}
