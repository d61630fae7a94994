//! The values that both documents contain.

use super::words::Words;
use super::{DocumentPart, ScheduleText};
use crate::page::{fill, fill_all};
use crate::{Language, format};
use trapeza_domain::credit_document::{CreditOffer, RepaymentMethod};
use trapeza_domain::installment::Installment;
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;

/// How many products are named; the page of the order has them all.
const MAX_GOODS: usize = 8;

/// An offer with the language in which it is described.
pub(super) struct Facts<'a> {
    pub offer: &'a CreditOffer,
    pub words: &'static Words,
    pub language: Language,
}

impl<'a> Facts<'a> {
    pub(super) fn new(language: Language, offer: &'a CreditOffer) -> Self {
        Self { offer, words: Words::of(language), language }
    }

    pub(super) fn money(&self, amount: Money) -> String {
        format::money(self.language, amount)
    }

    pub(super) fn day(&self, day: Date) -> String {
        format::day(self.language, day)
    }

    pub(super) fn amount(&self) -> (String, String) {
        fact(self.words.amount, fill(self.words.amount_text, &self.money(self.offer.amount)))
    }

    pub(super) fn duration(&self) -> (String, String) {
        let last = self.offer.schedule.last().map_or(self.offer.date, |last| last.due);
        let months = fill(self.words.duration_text, &self.offer.plan.installments.to_string());
        fact(self.words.duration, fill(&months, &self.day(last)))
    }

    pub(super) fn rate(&self) -> (String, String) {
        let rate = format::percent(self.language, i64::from(self.offer.plan.yearly_rate_bp), 2);
        fact(self.words.rate, fill(self.words.rate_text, &rate))
    }

    pub(super) fn apr(&self) -> (String, String) {
        let apr = format::percent(self.language, self.offer.apr_tenths_of_percent, 1);
        fact(self.words.apr, fill(self.words.apr_text, &apr))
    }

    pub(super) fn total(&self) -> (String, String) {
        let total = fill(self.words.total_text, &self.money(self.offer.total()));
        fact(self.words.total, fill(&total, &self.money(self.offer.interest())))
    }

    pub(super) fn goods(&self) -> [(String, String); 2] {
        let (words, offer) = (self.words, self.offer);
        let mut text = fill_all(words.goods_text, &[&offer.order_identifier, &offer.intermediary]);
        let mut names: Vec<String> = offer.goods.iter().take(MAX_GOODS).cloned().collect();
        if offer.goods.len() > MAX_GOODS {
            names.push(fill(words.goods_more, &(offer.goods.len() - MAX_GOODS).to_string()));
        }
        if !names.is_empty() {
            text = format!("{text} {}", fill(words.goods_names, &names.join(", ")));
        }
        [fact(words.goods, text), fact(words.cash_price, self.money(offer.amount))]
    }

    pub(super) fn late_costs(&self) -> (String, String) {
        fact(self.words.late_costs, self.words.late_costs_text.to_owned())
    }

    /// Number, amounts and frequency of the installments.
    pub(super) fn installments(&self) -> (String, String) {
        let (words, schedule) = (self.words, &self.offer.schedule);
        let money =
            |one: &Installment| self.money(Money::new(one.amount_minor(), self.offer.amount.currency));
        let count = schedule.len().to_string();
        let amounts = match (schedule.first(), schedule.last()) {
            (Some(first), Some(last)) if first.amount_minor() == last.amount_minor() => {
                fill(&fill(words.installments_equal, &count), &money(first))
            }
            (Some(first), Some(last)) => {
                let text = fill(&fill(words.installments_last, &count), &(schedule.len() - 1).to_string());
                fill(&fill(&text, &money(first)), &money(last))
            }
            _ => String::new(),
        };
        let first = schedule.first().map_or(self.offer.date, |first| first.due);
        fact(words.installments, format!("{amounts} {}", fill(words.installments_order, &self.day(first))))
    }

    /// What really happens when an installment is not paid.
    pub(super) fn warning(&self) -> DocumentPart {
        let collection = match self.offer.repayment {
            RepaymentMethod::Collection { .. } => self.words.warning_collection,
            RepaymentMethod::Transfer { .. } => "",
        };
        DocumentPart::Notice {
            title: self.words.warning_title.to_owned(),
            text: format!("{collection}{}", self.words.warning_text),
        }
    }

    pub(super) fn withdrawal(&self) -> String {
        let how = match &self.offer.repayment {
            RepaymentMethod::Collection { .. } => self.words.withdrawal_app.to_owned(),
            RepaymentMethod::Transfer { reference, .. } => {
                fill(self.words.withdrawal_page, &reference.printed())
            }
        };
        let text = fill(self.words.withdrawal_text, &how);
        let text = fill(&text, &self.money(self.offer.amount));
        fill(&text, &self.money(self.offer.interest_per_day()))
    }

    pub(super) fn payment(&self) -> (String, String) {
        let text = match &self.offer.repayment {
            RepaymentMethod::Collection { account } => {
                fill(self.words.payment_collection, &account.printed())
            }
            RepaymentMethod::Transfer { iban, reference } => {
                fill(&fill(self.words.payment_transfer, &iban.printed()), &reference.printed())
            }
        };
        fact(self.words.payment, text)
    }

    pub(super) fn drawdown(&self) -> (String, String) {
        fact(self.words.drawdown, fill(self.words.drawdown_text, &self.offer.intermediary))
    }

    pub(super) fn complaints(&self) -> (String, String) {
        let creditor = &self.offer.creditor;
        let text = match &creditor.dispute_body {
            Some(body) => fill_all(self.words.complaints_body_text, &[&creditor.contact(), body]),
            None => fill(self.words.complaints_text, &creditor.contact()),
        };
        fact(self.words.complaints, text)
    }

    /// The law of the agreement, if the bank has said it.
    pub(super) fn law(&self) -> Option<(String, String)> {
        Some(fact(self.words.law, self.offer.creditor.applicable_law.clone()?))
    }

    /// Registration and supervisory authority, as far as they are known.
    pub(super) fn registration(&self) -> Vec<(String, String)> {
        let creditor = &self.offer.creditor;
        let known = [
            (self.words.registration, &creditor.registration),
            (self.words.authority, &creditor.supervisory_authority),
        ];
        known.into_iter().filter_map(|(name, value)| Some(fact(name, value.clone()?))).collect()
    }

    pub(super) fn schedule(&self) -> DocumentPart {
        let (words, offer) = (self.words, self.offer);
        let money = |minor| self.money(Money::new(minor, offer.amount.currency));
        let paid = match offer.repayment {
            RepaymentMethod::Collection { .. } => words.column_collected,
            RepaymentMethod::Transfer { .. } => words.column_transfer,
        };
        let columns = [
            words.column_number,
            words.column_due,
            words.column_principal,
            words.column_interest,
            words.column_amount,
            paid,
        ];
        let mut rows: Vec<Vec<String>> = (1..)
            .zip(&offer.schedule)
            .map(|(number, one): (u32, &Installment)| {
                vec![
                    number.to_string(),
                    self.day(one.due),
                    money(one.principal_minor),
                    money(one.interest_minor),
                    money(one.amount_minor()),
                    self.day(one.payment),
                ]
            })
            .collect();
        let amounts = [offer.amount, offer.interest(), offer.total()].map(|amount| self.money(amount));
        let [principal, interest, total] = amounts;
        rows.push(vec![
            String::new(),
            words.schedule_sum.to_owned(),
            principal,
            interest,
            total,
            String::new(),
        ]);
        DocumentPart::Schedule(ScheduleText { columns: columns.map(str::to_owned).to_vec(), rows })
    }
}

pub(super) fn fact(name: &str, value: String) -> (String, String) {
    (name.to_owned(), value)
}
