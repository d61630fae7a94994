//! Samples of the template contexts of statements, with markup in names.

use super::samples::{account_card, app_header};
use super::statement_templates::{Entry, Filter, PageLink, Statement, TransactionPage};
use super::templates::Choice;
use crate::samples::{EVIL, Samples, layout};
use crate::summary::SummaryRow;
use trapeza_texts::page::{PageTexts, fill};

impl Samples for Statement {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let line = |into, href: Option<&str>| Entry {
            href: href.map(str::to_owned),
            day: "1 March 2026".to_owned(),
            who: EVIL.to_owned(),
            text: Some("Rent <b>November</b>".to_owned()),
            amount: "12.50 EUR".to_owned(),
            into,
        };
        let month = Choice { id: "2026-03".to_owned(), label: "March 2026".to_owned(), chosen: true };
        let filter = |error| Filter {
            search: "\"><script>".to_owned(),
            months: vec![month.clone()],
            search_error: error,
            month_error: error,
            is_active: true,
        };
        let link =
            |label: &str| PageLink { href: "/app/accounts/1?before=2".to_owned(), label: label.to_owned() };
        let words = texts.customer;
        let one = |booked, error| Self {
            layout: layout(texts, texts.app.tab_accounts),
            top: app_header(texts, "/app/accounts"),
            account: account_card(texts, None),
            filter: filter(error),
            notice: error,
            pending: vec![line(false, None)],
            booked,
            pages: vec![link(words.newer), link(words.older), link(words.newest)],
            export: Some(link(&fill(words.export, "March 2026"))),
        };
        vec![
            one(vec![line(true, Some("/app/transactions/1/2")), line(false, None)], None),
            one(Vec::new(), Some(words.month_wrong)),
        ]
    }
}

impl Samples for TransactionPage {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        vec![Self {
            layout: layout(texts, EVIL),
            top: app_header(texts, "/app/accounts"),
            rows: vec![
                SummaryRow::new(texts.amount, "€1,234.50").highlighted("large"),
                SummaryRow::new(texts.payee, EVIL),
            ],
            receipt: Some("/app/payments/1".to_owned()),
            back: "/app/accounts/1".to_owned(),
        }]
    }
}
