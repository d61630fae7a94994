//! The adequate explanation of an offer (Directive (EU) 2023/2225, Art. 12): what it means for the borrower, in plain words, before
//! they agree.

use super::DocumentPart;
use super::facts::Facts;
use crate::Language;
use crate::page::fill_all;
use trapeza_domain::credit_document::CreditOffer;

/// One paragraph each: how the credit works, what missed payments lead to, how to get out of it.
pub fn explanation(language: Language, offer: &CreditOffer) -> Vec<String> {
    let facts = Facts::new(language, offer);
    let words = facts.words;
    let count = offer.schedule.len().to_string();
    let (amount, total) = (facts.money(offer.amount), facts.money(offer.total()));
    let interest = facts.money(offer.interest());
    let how = [&offer.intermediary, &amount, &count, &total, &interest].map(String::as_str);
    let mut paragraphs = vec![fill_all(words.explanation_how, &how)];
    if let DocumentPart::Notice { title, text } = facts.warning() {
        paragraphs.push(format!("{title}. {text} {}", words.late_costs_text));
    }
    paragraphs.push(format!("{} {}", words.withdrawal_short, words.early_short));
    paragraphs
}
