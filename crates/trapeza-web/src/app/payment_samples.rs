//! Samples of the template contexts of payments, with markup in names.

use super::payment_templates::{Payments, Receipt, ReceiptOutcome};
use super::samples::{UNFUNDED, app_header};
use super::statement_templates::{Entry, PageLink};
use crate::samples::{EVIL, Samples, layout};
use crate::summary::SummaryRow;
use trapeza_texts::page::PageTexts;

impl Samples for Payments {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let words = texts.customer;
        let line = Entry {
            href: Some("/app/payments/1".to_owned()),
            day: "1 March 2026".to_owned(),
            who: EVIL.to_owned(),
            text: Some(words.payment_submitted.to_owned()),
            amount: "12.50 EUR".to_owned(),
            into: false,
        };
        let one = |payments, notice| Self {
            layout: layout(texts, words.payments),
            top: app_header(texts, "/app/pay"),
            upcoming: vec![line.clone()],
            payments,
            pages: vec![PageLink {
                href: "/app/payments?before=1".to_owned(),
                label: words.older.to_owned(),
            }],
            notice,
        };
        vec![
            one(Vec::new(), Some((words.payment_too_late, false))),
            one(vec![line.clone()], Some((words.payment_cancelled, true))),
        ]
    }
}

impl Samples for Receipt {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let link = |label: &str| PageLink { href: "/app/payments/1".to_owned(), label: label.to_owned() };
        let one = |outcome, title, text| Self {
            layout: layout(texts, title),
            top: app_header(texts, "/app/pay"),
            outcome,
            text,
            actions: vec![link(texts.customer.payment_cancel)],
            rows: vec![
                SummaryRow::new(texts.amount, "€1,234.50").highlighted("large"),
                SummaryRow::new(texts.payee, EVIL),
            ],
        };
        vec![
            one(ReceiptOutcome::Paid, texts.app.receipt_paid, None),
            one(ReceiptOutcome::Pending, texts.app.receipt_pending, None),
            one(ReceiptOutcome::NotPaid, texts.app.receipt_not_paid, Some(texts.unpaid(&UNFUNDED))),
        ]
    }
}
