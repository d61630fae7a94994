//! The contexts of the templates of statements and their transactions.

use super::templates::{AccountCard, AppHeader, Choice};
use crate::layout::Layout;
use crate::summary::SummaryRow;
use askama::Template;

/// A page of the statement of an account or a card.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/statement.html")]
pub struct Statement {
    pub layout: Layout,
    pub top: AppHeader,
    pub account: AccountCard,
    pub filter: Filter,
    /// A remark about the link that was followed.
    pub notice: Option<&'static str>,
    pub pending: Vec<Entry>,
    pub booked: Vec<Entry>,
    pub pages: Vec<PageLink>,
    /// The file of the selected month.
    pub export: Option<PageLink>,
}

/// The form that selects transactions, with what was typed.
#[derive(Clone, Debug)]
pub struct Filter {
    pub search: String,
    pub months: Vec<Choice>,
    pub search_error: Option<&'static str>,
    pub month_error: Option<&'static str>,
    /// Whether a part of the statement is shown.
    pub is_active: bool,
}

/// A transaction of a statement.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its page, where it has one.
    pub href: Option<String>,
    pub day: String,
    pub who: String,
    pub text: Option<String>,
    pub amount: String,
    /// Whether it is a credit.
    pub into: bool,
}

#[derive(Clone, Debug)]
pub struct PageLink {
    pub href: String,
    pub label: String,
}

/// All facts of one transaction.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/transaction.html")]
pub struct TransactionPage {
    pub layout: Layout,
    pub top: AppHeader,
    pub rows: Vec<SummaryRow>,
    /// The payment that caused it, where the customer created it in the app.
    pub receipt: Option<String>,
    pub back: String,
}
