//! The Standard European Consumer Credit Information form (Directive (EU) 2023/2225, Annex I). The key information comes first, so that
//! it is on the first page.

use super::facts::{Facts, fact};
use super::{DocumentPart, DocumentText, section};
use crate::Language;
use crate::page::fill;
use trapeza_domain::credit_document::CreditOffer;

pub fn information(language: Language, offer: &CreditOffer) -> DocumentText {
    let facts = Facts::new(language, offer);
    let words = facts.words;
    let plain = |name: &str, value: &str| fact(name, value.to_owned());

    let mut key = vec![
        plain(words.creditor, &offer.creditor.name),
        plain(words.intermediary, &offer.intermediary),
        facts.amount(),
        facts.duration(),
        facts.rate(),
        facts.apr(),
        facts.total(),
    ];
    key.extend(facts.goods());
    key.extend([
        facts.late_costs(),
        facts.installments(),
        plain(words.withdrawal, words.withdrawal_short),
        plain(words.early, words.early_short),
        fact(words.contact, offer.creditor.contact()),
    ]);
    let product = vec![
        plain(words.kind, words.kind_text),
        facts.drawdown(),
        facts.payment(),
        plain(words.security, words.security_text),
        plain(words.personalised, words.personalised_text),
    ];
    let costs = vec![
        facts.rate(),
        plain(words.services, words.services_text),
        plain(words.related, words.related_text),
        facts.late_costs(),
    ];
    let legal = vec![
        fact(words.withdrawal, facts.withdrawal()),
        plain(words.early, words.early_text),
        plain(words.database, words.database_text),
        plain(words.draft, words.draft_text),
        fact(words.valid, fill(words.valid_text, &facts.day(offer.date))),
    ];
    let mut distance = facts.registration();
    distance.extend([plain(words.language, words.language_text), facts.complaints()]);
    distance.extend(facts.law());
    DocumentText {
        title: words.information_title.to_owned(),
        sections: vec![
            section(words.key_title, vec![DocumentPart::Facts(key), facts.warning()]),
            section(words.schedule_title, vec![facts.schedule()]),
            section(words.product_title, vec![DocumentPart::Facts(product)]),
            section(words.costs_title, vec![DocumentPart::Facts(costs)]),
            section(words.legal_title, vec![DocumentPart::Facts(legal)]),
            section(words.distance_title, vec![DocumentPart::Facts(distance)]),
        ],
    }
}
