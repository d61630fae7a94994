//! The contexts of the checkout's templates.

use crate::layout::{Form, Layout};
use crate::review::{ReviewErrors, ReviewSource, TypedReview};
use askama::Template;
use trapeza_texts::credit_document::{DocumentPart, DocumentText, ScheduleText};

/// The basket, before the checkout is claimed.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/start.html")]
pub struct CheckoutStart {
    pub layout: Layout,
    pub form: Form,
    pub order: String,
    pub lines: Vec<Line>,
    pub total: String,
    pub until: String,
}

/// The declaration of income and expenses.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/income.html")]
pub struct CheckoutIncome {
    pub layout: Layout,
    pub form: Form,
    pub typed: TypedReview,
    pub sources: Vec<ReviewSource>,
    pub errors: ReviewErrors,
}

/// A product or an installment with its amount.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    /// The small text beside it.
    pub quantity: Option<String>,
    pub amount: String,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/phone.html")]
pub struct CheckoutPhone {
    pub layout: Layout,
    pub form: Form,
    /// The calling code that a number without one has.
    pub country: String,
    /// The remark that the merchant sent a phone number.
    pub given: Option<String>,
    /// The typed number, shown again after an error.
    pub typed: String,
    pub error: Option<&'static str>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/code.html")]
pub struct CheckoutCode {
    pub layout: Layout,
    pub form: Form,
    pub prompt: String,
    pub open: bool,
    pub again: bool,
    pub error: Option<&'static str>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/plans.html")]
pub struct CheckoutPlans {
    pub layout: Layout,
    pub form: Form,
    pub plans: Vec<PlanLine>,
    /// Why some or all plans are not offered to this shopper.
    pub declined: Option<&'static str>,
    /// The account of collection, once the shopper has signed in.
    pub known: Option<String>,
}

#[derive(Clone, Debug)]
pub struct PlanLine {
    /// The page of the agreement; absent when the plan is not offered to this shopper.
    pub href: Option<String>,
    pub usual: bool,
    pub each: String,
    pub count: String,
    pub cost: String,
    /// APR, interest and total.
    pub terms: String,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/sign_in.html")]
pub struct CheckoutSignIn {
    pub layout: Layout,
    pub form: Form,
    pub user: String,
    pub error: Option<&'static str>,
}

/// The terms of the contract and the box to tick.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/agreement.html")]
pub struct CheckoutAgreement {
    pub layout: Layout,
    pub form: Form,
    pub rows: Vec<Row>,
    pub schedule: Vec<Line>,
    /// The field for an e-mail address, where e-mail is sent.
    pub email: Option<EmailField>,
    /// Where the pre-contractual information is, as a page and as PDF; absent when the plan is not offered any more.
    pub information: Option<InformationLinks>,
    /// What happens when an installment is late.
    pub late: &'static str,
    pub plan: u32,
    /// The date that the schedule was computed for.
    pub day: String,
    pub error: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub label: &'static str,
    pub value: String,
}

/// The optional e-mail address to which the link to the documents is sent.
#[derive(Clone, Debug)]
pub struct EmailField {
    pub value: String,
    pub error: Option<&'static str>,
}

/// The pre-contractual information of the chosen plan.
#[derive(Clone, Debug)]
pub struct InformationLinks {
    pub page: String,
    pub pdf: String,
    /// What the agreement means, in plain words.
    pub explanation: Vec<String>,
}

/// The pre-contractual information as a page.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/information.html")]
pub struct CheckoutInformation {
    pub layout: Layout,
    pub document: DocumentText,
    pub pdf: String,
    /// The page on which the shopper agrees.
    pub back: String,
}
