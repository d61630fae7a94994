//! Samples of the template contexts of a borrower's loan page, with markup in names.

use super::templates::{GuestLoan, LoanCode, LoanFind};
use crate::app::templates::{Line, LoanCard};
use crate::samples::{EVIL, Samples, form, layout};
use crate::summary::SummaryRow;
use trapeza_domain::credit_document::DocumentKind;
use trapeza_texts::page::{PageTexts, fill};

impl Samples for LoanFind {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |error| Self {
            layout: layout(texts, texts.loan.find_title),
            form: form(),
            typed: EVIL.to_owned(),
            error,
        };
        vec![one(None), one(Some(texts.loan.find_wrong))]
    }
}

impl Samples for LoanCode {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |prompt, open, send, error| Self {
            layout: layout(texts, texts.loan.find_title),
            form: form(),
            prompt: fill(prompt, "42"),
            open,
            send,
            error,
        };
        vec![
            one(texts.loan.locked_text, false, Some(texts.loan.send_code), None),
            one(texts.checkout.code_text, true, Some(texts.code_again), Some(texts.code_wrong)),
            one(texts.checkout.code_over, false, Some(texts.code_again), Some(texts.too_many)),
        ]
    }
}

impl Samples for GuestLoan {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let line = |text: Option<String>| Line {
            day: "1 May 2026".to_owned(),
            who: String::new(),
            into: text.is_some(),
            text,
            amount: "30.00 EUR".to_owned(),
        };
        let paid = fill(texts.app.loan_paid, "1 May 2026");
        let loan = || LoanCard {
            id: "6f9619ff".to_owned(),
            merchant: EVIL.to_owned(),
            state: texts.app.loan_active.to_owned(),
            late: false,
            ended: false,
            next: None,
            rows: vec![
                SummaryRow::new(texts.app.loan_left, "60.00 EUR").highlighted("large"),
                SummaryRow::new(texts.app.loan_transfer_iban, "GR16 0110 1250 0000 0001 2300 695"),
                SummaryRow::new(texts.app.loan_transfer_reference, "RF18 5390 0754 7034"),
            ],
            schedule: vec![line(Some(paid.clone())), line(None)],
            repay: None,
            withdraw: None,
        };
        let one = |payments, withdrawal, error| Self {
            layout: layout(texts, texts.loan.find_title),
            form: form(),
            loan: loan(),
            documents: crate::document::links(texts.language, "/loan/RF185390", DocumentKind::ALL),
            payments,
            help: Some(crate::samples::help(texts)),
            from_account: Some("/app/pay?iban=GR16".to_owned()),
            withdrawal,
            error,
        };
        let filled = |text| fill(&fill(text, "30.00 EUR"), "1 May 2026");
        let withdrawal = fill(&fill(texts.loan.withdraw_text, "1 May 2026"), "60.00 EUR");
        let both = vec![filled(texts.loan.next), fill(texts.loan.all, "60.00 EUR")];
        vec![
            one(both, Some(withdrawal), Some(texts.loan.withdraw_missing)),
            one(vec![filled(texts.loan.pay_back)], None, None),
        ]
    }
}
