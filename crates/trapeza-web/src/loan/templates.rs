//! The contexts of the templates of a borrower's loan page.

use crate::app::templates::LoanCard;
use crate::layout::{Back, Form, Layout};
use crate::review::Help;
use askama::Template;

/// Asks for the reference of a loan.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/loan/find.html")]
pub struct LoanFind {
    pub layout: Layout,
    pub form: Form,
    /// The typed reference, shown again after an error.
    pub typed: String,
    pub error: Option<&'static str>,
}

/// Asks for a code.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/loan/code.html")]
pub struct LoanCode {
    pub layout: Layout,
    pub form: Form,
    pub prompt: String,
    /// Whether a code was sent that is still accepted.
    pub open: bool,
    /// The label of the button that sends a code, while one may be sent.
    pub send: Option<&'static str>,
    pub error: Option<&'static str>,
}

/// The loan, how it is paid, and the withdrawal.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/loan/show.html")]
pub struct GuestLoan {
    pub layout: Layout,
    pub form: Form,
    pub loan: LoanCard,
    /// The links to its documents.
    pub documents: Vec<Back>,
    /// What is to be transferred when; empty when nothing is owed.
    pub payments: Vec<String>,
    /// The payment of the next installment in the bank's app.
    pub from_account: Option<String>,
    /// The explanation of the withdrawal, while it is possible.
    pub withdrawal: Option<String>,
    /// What the borrower can do who cannot pay as agreed.
    pub help: Option<Help>,
    pub error: Option<&'static str>,
}
