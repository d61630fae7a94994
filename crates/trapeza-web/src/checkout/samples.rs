//! Samples of the checkout's pages: what a template may be given, with names that try to be markup.

use super::view::{
    CheckoutAgreement, CheckoutCode, CheckoutPhone, CheckoutPlans, CheckoutSignIn, CheckoutStart, Line,
    PlanLine, Row,
};
use crate::frame::{Form, Frame};
use crate::samples::{EVIL, Samples};
use crate::words::{Words, fill};

const PLACE: &str = "/checkout/8f14e45fceea167a5a36dedd4bea2543";

fn frame(words: &'static Words, title: &str) -> Frame {
    Frame::new(words, true, title)
}

fn form() -> Form {
    Form { action: PLACE.to_owned(), mark: "a-mark".to_owned() }
}

fn line(name: &str, quantity: Option<&str>, amount: &str) -> Line {
    Line { name: name.to_owned(), quantity: quantity.map(str::to_owned), amount: format!("{amount} EUR") }
}

impl Samples for CheckoutStart {
    fn samples(words: &'static Words) -> Vec<Self> {
        let one = |lines| Self {
            frame: frame(words, &fill(words.checkout.start_title, EVIL)),
            form: form(),
            order: "order-1138 <b>eleni</b>".to_owned(),
            lines,
            total: "1203.00 EUR".to_owned(),
            until: fill(words.checkout.until, "14:05"),
        };
        let long =
            "A history of banking in the Aegean, from the temple treasuries of Delos to the present day"
                .to_owned();
        vec![
            one(vec![
                line(EVIL, Some("3 pieces"), "105.40"),
                line(&long, None, "1082.70"),
                line("Delivery", None, "14.90"),
            ]),
            one(Vec::new()),
        ]
    }
}

impl Samples for CheckoutPhone {
    fn samples(words: &'static Words) -> Vec<Self> {
        let given = Some(fill(words.checkout.phone_given, "01"));
        let one = |given, fault| Self {
            frame: frame(words, words.checkout.phone_title),
            form: form(),
            given,
            fault,
        };
        vec![one(given, None), one(None, Some(words.checkout.phone_wrong))]
    }
}

impl Samples for CheckoutCode {
    fn samples(words: &'static Words) -> Vec<Self> {
        let one = |text, open, again, fault| Self {
            frame: frame(words, words.checkout.code_title),
            form: form(),
            prompt: fill(text, "01"),
            open,
            again,
            fault,
        };
        vec![
            one(words.checkout.code_text, true, true, None),
            one(words.checkout.code_text, true, false, Some(words.code_wrong)),
            one(words.checkout.code_over, false, true, None),
            one(words.checkout.code_over, false, false, Some(words.too_many)),
        ]
    }
}

impl Samples for CheckoutPlans {
    fn samples(words: &'static Words) -> Vec<Self> {
        let plan = |count: u32, each: &str, cost: String| PlanLine {
            href: format!("{PLACE}?plan={count}"),
            usual: count == 3,
            each: fill(words.checkout.plan_each, each),
            count: fill(words.checkout.plan_count, &count.to_string()),
            cost,
        };
        let free = || words.checkout.plan_free.to_owned();
        let plans = vec![
            plan(3, "40.10 EUR", free()),
            plan(6, "20.05 EUR", free()),
            plan(12, "10.57 EUR", fill(words.checkout.plan_costs, "126.86 EUR")),
        ];
        let one = |known| Self {
            frame: frame(words, words.checkout.plan_title),
            form: form(),
            plans: plans.clone(),
            known,
        };
        vec![
            one(None),
            one(Some(fill(words.checkout.customer_known, "GR16 … 0695"))),
            one(Some(words.checkout.customer_bare.to_owned())),
        ]
    }
}

impl Samples for CheckoutSignIn {
    fn samples(words: &'static Words) -> Vec<Self> {
        let one = |user: &str, fault| Self {
            frame: frame(words, words.sign_in_title),
            form: form(),
            user: user.to_owned(),
            fault,
        };
        vec![one("", None), one("\"><script>x</script>", Some(words.checkout.sign_in_wrong))]
    }
}

impl Samples for CheckoutAgreement {
    fn samples(words: &'static Words) -> Vec<Self> {
        let said = words.checkout;
        let row = |label, value: &str| Row { label, value: value.to_owned() };
        let one = |from: &str, fault| Self {
            frame: frame(words, said.agree_title),
            form: form(),
            rows: vec![
                row(said.fact_lender, "Trapeza"),
                row(said.fact_amount, "120.30 EUR"),
                row(said.fact_rate, "9.90 %"),
                row(said.fact_apr, "10.4 %"),
                row(said.fact_total, "126.86 EUR"),
                row(said.fact_collected, from),
            ],
            schedule: vec![
                line("15 April 2035", Some(&fill(said.due_moved, "16 April 2035")), "40.10"),
                line("15 May 2035", None, "40.10"),
                line("15 June 2035", None, "40.10"),
            ],
            plan: 3,
            day: "2035-03-15".to_owned(),
            fault,
        };
        vec![one("GR16 … 0695", None), one(said.fact_not_collected, Some(said.agree_missing))]
    }
}
