//! The credit agreement with what Directive (EU) 2023/2225 requires of it (Art. 21).

use super::facts::{Facts, fact};
use super::{DocumentPart, DocumentText, paragraph, section};
use crate::Language;
use crate::page::{fill, fill_all};
use trapeza_domain::credit_document::{CreditOffer, DebtorDetails};
use trapeza_domain::reference::CreditorReference;
use trapeza_domain::time::Date;

/// The agreement of a debtor to an offer. `withdrawable_until` is the last day of the withdrawal period.
pub fn agreement(
    language: Language,
    offer: &CreditOffer,
    debtor: &DebtorDetails,
    reference: &CreditorReference,
    withdrawable_until: Date,
) -> DocumentText {
    let facts = Facts::new(language, offer);
    let words = facts.words;
    let plain = |name: &str, value: &str| fact(name, value.to_owned());

    let who = match &debtor.name {
        Some(name) => fill_all(words.debtor_text, &[name, &debtor.telephone]),
        None => fill(words.debtor_phone, &debtor.telephone),
    };
    let mut parties =
        vec![plain(words.creditor, &offer.creditor.name), fact(words.contact, offer.creditor.contact())];
    parties.extend(facts.registration());
    parties.extend([
        plain(words.intermediary, &offer.intermediary),
        fact(words.debtor, who),
        fact(words.reference, reference.printed()),
        fact(words.concluded, facts.day(offer.date)),
    ]);
    let mut terms =
        vec![plain(words.kind, words.kind_text), facts.amount(), facts.drawdown(), facts.duration()];
    terms.extend(facts.goods());
    terms.extend([
        facts.rate(),
        facts.apr(),
        facts.total(),
        facts.installments(),
        facts.payment(),
        plain(words.related, words.related_text),
        facts.late_costs(),
        plain(words.security, words.security_text),
    ]);
    let until = fill(words.agreement_withdrawal_until, &facts.day(withdrawable_until));
    let mut rights = vec![
        fact(words.withdrawal, format!("{} {until}", facts.withdrawal())),
        fact(words.early, format!("{} {}", words.early_short, words.early_text)),
        plain(words.linked, words.linked_text),
        plain(words.statement, words.statement_text),
        plain(words.ending, words.ending_text),
        facts.complaints(),
    ];
    rights.extend(facts.law());
    DocumentText {
        title: words.agreement_title.to_owned(),
        sections: vec![
            section(words.parties_title, vec![DocumentPart::Facts(parties)]),
            section(words.terms_title, vec![DocumentPart::Facts(terms), facts.warning()]),
            section(words.agreement_rights_title, vec![DocumentPart::Facts(rights)]),
            section(words.schedule_title, vec![facts.schedule(), paragraph(words.language_text)]),
        ],
    }
}
