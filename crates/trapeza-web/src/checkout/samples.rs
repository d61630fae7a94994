//! Samples of the checkout's template contexts, with markup in names.

use super::templates::{
    CheckoutAgreement, CheckoutCode, CheckoutIncome, CheckoutInformation, CheckoutPhone, CheckoutPlans,
    CheckoutSignIn, CheckoutStart, EmailField, InformationLinks, Line, PlanLine, Row,
};
use crate::layout::{Form, Layout};
use crate::review::{ReviewErrors, TypedReview};
use crate::samples::{EVIL, Samples};
use trapeza_app::bank_profile::BankProfile;
use trapeza_domain::credit_document::{CreditOffer, Creditor, RepaymentMethod};
use trapeza_domain::installment::{Installment, Plan, apr_tenths_of_percent};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::{CreditorReference, Iban};
use trapeza_domain::time::Date;
use trapeza_texts::credit_document::information;
use trapeza_texts::page::{PageTexts, fill};

const PLACE: &str = "/checkout/8f14e45fceea167a5a36dedd4bea2543";

fn layout(texts: &'static PageTexts, title: &str) -> Layout {
    Layout::new(texts, &BankProfile::default(), true, title)
}

fn form() -> Form {
    Form { action: PLACE.to_owned(), csrf: "a-token".to_owned() }
}

fn line(name: &str, quantity: Option<&str>, amount: &str) -> Line {
    Line { name: name.to_owned(), quantity: quantity.map(str::to_owned), amount: format!("{amount} EUR") }
}

impl Samples for CheckoutStart {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |lines| Self {
            layout: layout(texts, &fill(texts.checkout.start_title, EVIL)),
            form: form(),
            order: "order-1138 <b>eleni</b>".to_owned(),
            lines,
            total: "1203.00 EUR".to_owned(),
            until: fill(texts.checkout.until, "14:05"),
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
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let given = Some(fill(texts.checkout.phone_given, "01"));
        let one = |given, error| Self {
            layout: layout(texts, texts.checkout.phone_title),
            form: form(),
            country: "+30".to_owned(),
            given,
            typed: "+30 <b>".to_owned(),
            error,
        };
        vec![one(given, None), one(None, Some(texts.checkout.phone_wrong))]
    }
}

impl Samples for CheckoutCode {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |text, open, again, error| Self {
            layout: layout(texts, texts.checkout.code_title),
            form: form(),
            prompt: fill(text, "01"),
            open,
            again,
            error,
        };
        vec![
            one(texts.checkout.code_text, true, true, None),
            one(texts.checkout.code_text, true, false, Some(texts.code_wrong)),
            one(texts.checkout.code_over, false, true, None),
            one(texts.checkout.code_over, false, false, Some(texts.too_many)),
        ]
    }
}

impl Samples for CheckoutPlans {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let plan = |count: u32, each: &str, cost: String| PlanLine {
            href: Some(format!("{PLACE}?plan={count}")),
            usual: count == 3,
            each: fill(texts.checkout.plan_each, each),
            count: fill(texts.checkout.plan_count, &count.to_string()),
            cost,
            terms: fill(&fill(&fill(texts.checkout.plan_terms, "10.4 %"), "6.56 EUR"), "126.86 EUR"),
        };
        let free = || texts.checkout.plan_free.to_owned();
        let plans = vec![
            plan(3, "40.10 EUR", free()),
            plan(6, "20.05 EUR", free()),
            plan(12, "10.57 EUR", fill(texts.checkout.plan_costs, "126.86 EUR")),
        ];
        let one = |known| Self {
            layout: layout(texts, texts.checkout.plan_title),
            form: form(),
            plans: plans.clone(),
            declined: None,
            known,
        };
        let off = plans.iter().map(|plan| PlanLine { href: None, ..plan.clone() }).collect();
        let declined = Self { plans: off, declined: Some(texts.checkout.why_exposure), ..one(None) };
        vec![
            one(None),
            one(Some(fill(texts.checkout.customer_known, "GR16 … 0695"))),
            one(Some(texts.checkout.customer_bare.to_owned())),
            declined,
        ]
    }
}

impl Samples for CheckoutSignIn {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |user: &str, error| Self {
            layout: layout(texts, texts.sign_in_title),
            form: form(),
            user: user.to_owned(),
            error,
        };
        vec![one("", None), one("\"><script>x</script>", Some(texts.checkout.sign_in_wrong))]
    }
}

impl Samples for CheckoutIncome {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |errors| Self {
            layout: layout(texts, texts.review.income_title),
            form: form(),
            typed: TypedReview { income: "\"><b>".to_owned(), ..TypedReview::default() },
            sources: crate::samples::income_sources(texts),
            errors,
        };
        let wrong = Some(texts.review.amount_wrong);
        vec![
            one(ReviewErrors::default()),
            one(ReviewErrors { income: wrong, expenses: wrong, ..ReviewErrors::default() }),
        ]
    }
}

impl Samples for CheckoutAgreement {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let checkout_texts = texts.checkout;
        let row = |label, value: &str| Row { label, value: value.to_owned() };
        let one = |from: &str, error| Self {
            layout: layout(
                texts,
                &fill(&fill(&fill(texts.headline.plan, "3"), "40.10 EUR"), "15 April 2035"),
            ),
            form: form(),
            rows: vec![
                row(checkout_texts.fact_lender, "Trapeza"),
                row(checkout_texts.fact_amount, "120.30 EUR"),
                row(checkout_texts.fact_rate, "9.90 %"),
                row(checkout_texts.fact_apr, "10.4 %"),
                row(checkout_texts.fact_total, "126.86 EUR"),
                row(checkout_texts.fact_collected, from),
            ],
            schedule: vec![
                line("15 April 2035", Some(&fill(checkout_texts.due_moved, "16 April 2035")), "40.10"),
                line("15 May 2035", None, "40.10"),
                line("15 June 2035", None, "40.10"),
            ],
            email: Some(EmailField { value: EVIL.to_owned(), error }),
            information: Some(InformationLinks {
                page: format!("{PLACE}/documents/credit-information?plan=3"),
                pdf: format!("{PLACE}/documents/credit-information.pdf?plan=3"),
                explanation: vec![checkout_texts.late.to_owned()],
            }),
            late: checkout_texts.late,
            plan: 3,
            day: "2035-03-15".to_owned(),
            error,
        };
        let mut by_transfer = one("", Some(checkout_texts.agree_missing));
        by_transfer.late = checkout_texts.late_transfer;
        by_transfer.schedule =
            vec![line("15 April 2035", Some(&fill(checkout_texts.due_transfer, "16 April 2035")), "40.10")];
        by_transfer.rows.pop();
        by_transfer.rows.extend([
            row(checkout_texts.fact_payment, checkout_texts.fact_not_collected),
            row(checkout_texts.fact_iban, "GR16 0110 1250 0000 0001 2300 695"),
            row(checkout_texts.fact_reference, "RF18 5390 0754 7034"),
        ]);
        vec![one("GR16 … 0695", None), by_transfer]
    }
}

impl Samples for CheckoutInformation {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let offer = offer();
        let document = information(texts.language, &offer);
        vec![Self {
            layout: layout(texts, &document.title),
            document,
            pdf: format!("{PLACE}/documents/credit-information.pdf?plan=3"),
            back: format!("{PLACE}?plan=3"),
        }]
    }
}

fn offer() -> CreditOffer {
    let plan = Plan { installments: 12, yearly_rate_bp: 999 };
    let (amount, date) = (Money::new(120_000, Currency::EUR), Date(23_800));
    let schedule = plan.schedule(amount.minor, date).unwrap();
    CreditOffer {
        creditor: Creditor { name: "Trapeza".to_owned(), ..Creditor::default() },
        intermediary: EVIL.to_owned(),
        order_identifier: "order-1".to_owned(),
        goods: vec![EVIL.to_owned(), "Lamp".to_owned()],
        amount,
        plan,
        apr_tenths_of_percent: apr_tenths_of_percent(amount.minor, &schedule),
        total_minor: schedule.iter().map(Installment::amount_minor).sum(),
        schedule,
        date,
        repayment: RepaymentMethod::Transfer {
            iban: Iban::parse("GR1601101250000000012300695").unwrap(),
            reference: CreditorReference::from_uuid(uuid::Uuid::nil()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::credit_document::DebtorDetails;
    use trapeza_texts::Language;
    use trapeza_texts::credit_document::agreement;

    #[test]
    fn documents_name_law_and_dispute_body_where_the_bank_has_said_them() {
        let silent = offer();
        let mut named = silent.clone();
        named.creditor.applicable_law = Some("Law of the Hellenic Republic".to_owned());
        named.creditor.dispute_body = Some("the Ombudsman, Athens".to_owned());
        let debtor = DebtorDetails { name: None, telephone: "+306912345678".to_owned() };
        let reference = CreditorReference::from_uuid(uuid::Uuid::nil());
        for language in [Language::English, Language::Greek] {
            let texts = |offer: &CreditOffer| {
                [information(language, offer), agreement(language, offer, &debtor, &reference, Date(23_814))]
                    .map(|document| format!("{document:?}"))
            };
            for text in texts(&named) {
                assert!(
                    text.contains("Law of the Hellenic Republic") && text.contains("the Ombudsman, Athens")
                );
            }
            for text in texts(&silent) {
                assert!(!text.contains("Ombudsman") && !text.contains("Hellenic"));
            }
        }
    }
}
