//! The contexts of the templates of payments that were created in the app.

use super::statement_templates::{Entry, PageLink};
use super::templates::AppHeader;
use crate::layout::Layout;
use crate::summary::SummaryRow;
use askama::Template;

/// The list of payments.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/payments.html")]
pub struct Payments {
    pub layout: Layout,
    pub top: AppHeader,
    /// Scheduled payments and standing orders.
    pub upcoming: Vec<Entry>,
    pub payments: Vec<Entry>,
    pub pages: Vec<PageLink>,
    /// The result of the last action, and whether it succeeded.
    pub notice: Option<(&'static str, bool)>,
}

/// The receipt of a payment that was created in the app.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/app/receipt.html")]
pub struct Receipt {
    pub layout: Layout,
    pub top: AppHeader,
    pub outcome: ReceiptOutcome,
    /// Why nothing was paid, or what happens next.
    pub text: Option<String>,
    pub rows: Vec<SummaryRow>,
    /// What can be done with it.
    pub actions: Vec<PageLink>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiptOutcome {
    Paid,
    Pending,
    NotPaid,
}

impl Receipt {
    fn is_paid(&self) -> bool {
        self.outcome == ReceiptOutcome::Paid
    }

    fn is_not_paid(&self) -> bool {
        self.outcome == ReceiptOutcome::NotPaid
    }
}
