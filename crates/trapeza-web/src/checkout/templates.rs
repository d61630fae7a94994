//! Every page of the checkout as its template sees it. A context decides nothing: whoever fills it has.

use crate::layout::{Form, Layout};
use askama::Template;

/// The basket, before anybody begins.
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

/// Something with its amount: a product, an installment.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    /// What stands small beside it.
    pub quantity: Option<String>,
    pub amount: String,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/phone.html")]
pub struct CheckoutPhone {
    pub layout: Layout,
    pub form: Form,
    /// That the shop gave a number, which may be used.
    pub given: Option<String>,
    pub fault: Option<&'static str>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/code.html")]
pub struct CheckoutCode {
    pub layout: Layout,
    pub form: Form,
    pub prompt: String,
    pub open: bool,
    pub again: bool,
    pub fault: Option<&'static str>,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/plans.html")]
pub struct CheckoutPlans {
    pub layout: Layout,
    pub form: Form,
    pub plans: Vec<PlanLine>,
    /// Where it is collected, once the customer has signed in.
    pub known: Option<String>,
}

#[derive(Clone, Debug)]
pub struct PlanLine {
    pub href: String,
    pub usual: bool,
    pub each: String,
    pub count: String,
    pub cost: String,
}

#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/sign_in.html")]
pub struct CheckoutSignIn {
    pub layout: Layout,
    pub form: Form,
    pub user: String,
    pub fault: Option<&'static str>,
}

/// What has to be known before agreeing, and the box to tick.
#[derive(Clone, Debug, Template)]
#[template(path = "pages/checkout/agreement.html")]
pub struct CheckoutAgreement {
    pub layout: Layout,
    pub form: Form,
    pub rows: Vec<Row>,
    pub schedule: Vec<Line>,
    pub plan: u32,
    /// The day that the dates are reckoned from.
    pub day: String,
    pub fault: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub label: &'static str,
    pub value: String,
}
