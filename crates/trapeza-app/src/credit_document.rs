//! The documents of a credit agreement: what they describe is collected from a checkout, and they are rendered before the transaction
//! that stores them.

use crate::App;
use crate::bank_profile::Colour;
use crate::checkout::{CheckoutView, OfferView, Stage};
use trapeza_domain::credit_document::{CreditOffer, Creditor, RepaymentMethod};
use trapeza_domain::time::Date;
use trapeza_pdf::{Block, Column, Document, Issuer, Notice};
use trapeza_texts::Language;
use trapeza_texts::credit_document::{DocumentPart, DocumentText, ScheduleText, information};

/// The colour of the mark in the header of documents, if the bank has none of its own.
const MARK_COLOUR: [u8; 3] = [11, 87, 208];

impl App {
    /// The offer of a plan that the shopper may choose. `None` before the telephone number is verified, and for a plan that is not
    /// offered.
    pub fn credit_offer(&self, view: &CheckoutView, installments: u32) -> Option<CreditOffer> {
        let Stage::Plan { account, .. } = &view.stage else { return None };
        let is_offered =
            |offer: &&OfferView| offer.plan.installments == installments && offer.declined.is_none();
        let offer = view.offers.iter().find(is_offered)?;
        let repayment = match (account, &view.transfer) {
            (Some(account), _) => RepaymentMethod::Collection { account: *account },
            (None, Some(transfer)) => {
                RepaymentMethod::Transfer { iban: transfer.iban, reference: transfer.reference.clone() }
            }
            (None, None) => return None,
        };
        let order = &view.basket.order;
        Some(CreditOffer {
            creditor: self.creditor(),
            intermediary: view.merchant_name.clone(),
            order_identifier: order.order_identifier.clone(),
            goods: order.products.iter().map(|product| product.name.clone()).collect(),
            amount: order.value,
            plan: offer.plan,
            apr_tenths_of_percent: offer.apr_tenths_of_percent,
            total_minor: offer.total_minor,
            schedule: offer.schedule.clone(),
            date: view.today,
            repayment,
        })
    }

    /// The bank as lender.
    pub fn creditor(&self) -> Creditor {
        let profile = self.bank_profile();
        let (contact, legal) = (&profile.contact, &profile.legal);
        Creditor {
            name: profile.legal_name().to_owned(),
            postal_address: contact.postal_address.clone(),
            telephone: contact.telephone.as_ref().map(|phone| phone.as_str().to_owned()),
            email: contact.email.as_ref().map(|email| email.as_str().to_owned()),
            website: contact.website.clone(),
            registration: legal.registration.clone(),
            supervisory_authority: legal.supervisory_authority.clone(),
            applicable_law: legal.applicable_law.clone(),
            dispute_body: legal.dispute_body.clone(),
        }
    }

    /// The bank in header and footer of its documents.
    pub fn document_issuer(&self) -> Issuer {
        let profile = self.bank_profile();
        Issuer {
            name: profile.name.to_string(),
            contact: self.creditor().contact(),
            colour: profile.brand.colour_light.map_or(MARK_COLOUR, Colour::channels),
        }
    }

    /// The pre-contractual information about an offer as PDF. Rendering takes a few milliseconds of the processor.
    pub async fn credit_information_pdf(&self, language: Language, offer: &CreditOffer) -> Vec<u8> {
        render(language, information(language, offer), self.document_issuer(), offer.date).await
    }
}

/// Renders a document on a thread that may block.
pub(crate) async fn render(language: Language, text: DocumentText, issuer: Issuer, date: Date) -> Vec<u8> {
    let rendered = tokio::task::spawn_blocking(move || document(language, text, issuer, date).render());
    rendered.await.expect("a document of valid texts can be rendered")
}

fn document(language: Language, text: DocumentText, issuer: Issuer, date: Date) -> Document {
    let mut blocks = Vec::new();
    for section in text.sections {
        blocks.push(Block::Heading(section.title));
        blocks.extend(section.parts.into_iter().map(block));
    }
    Document { title: text.title, language: language.tag(), issuer, date: civil(date), blocks }
}

fn block(part: DocumentPart) -> Block {
    match part {
        DocumentPart::Paragraph(text) => Block::Paragraph(text),
        DocumentPart::Notice { title, text } => Block::Notice(Notice { title, text }),
        DocumentPart::Facts(facts) => Block::Facts(facts),
        DocumentPart::Schedule(ScheduleText { columns, rows }) => {
            let column = |(index, title)| Column { title, is_amount: ScheduleText::is_amount(index) };
            Block::Table { columns: columns.into_iter().enumerate().map(column).collect(), rows }
        }
    }
}

fn civil(date: Date) -> (u16, u8, u8) {
    let date = date.to_civil();
    (date.year().unsigned_abs(), date.month().unsigned_abs(), date.day().unsigned_abs())
}
