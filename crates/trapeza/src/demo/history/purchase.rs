//! Card purchases of the customers and how their accounts pay for them.

use super::recurring::{date, falls_on, is_working_day};
use super::{Due, History};
use crate::demo::card_acceptors::{self, Shop};
use crate::demo::customers::Settled;
use crate::demo::exchange;
use jiff::civil::Weekday;
use trapeza_app::ledger::{Posting, PostingDetail};
use trapeza_domain::card::CardTransactionDetail;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};

/// The bank's exchange fee: 1.5 %.
const MARKUP_BASIS_POINTS: i64 = 150;

impl History<'_> {
    /// All card purchases of a date.
    pub(super) fn shop(&mut self, day: Date) {
        for card in 0..self.cards.len() {
            if self.rng.percent(30) {
                self.buy(day, card);
            }
        }
    }

    /// The account pays the card's booked debt.
    pub(super) fn cards_settle(&mut self, day: Date) {
        for card in 0..self.cards.len() {
            let due = match self.settled[card] {
                Settled::Monthly => falls_on(day, 5),
                Settled::Weekly => date(day).weekday() == Weekday::Monday,
            };
            if due && self.card_debts[card].0 > 0 {
                self.card_settle(day, card);
            }
        }
    }

    /// One small purchase per card today, still pending.
    pub(super) fn buy_today(&mut self, today: Date) {
        let shop = &card_acceptors::HOME[1];
        for card in 0..self.cards.len() {
            let price = Money::new(self.rng.between(shop.lowest, shop.highest), shop.currency);
            self.authorise(today, card, shop, price);
        }
    }

    fn buy(&mut self, day: Date, card: usize) {
        let shops = if self.rng.percent(12) { card_acceptors::ABROAD } else { card_acceptors::HOME };
        let shop = self.rng.one_of(shops);
        let price = Money::new(self.rng.between(shop.lowest, shop.highest), shop.currency);
        let Some(placed) = self.authorise(day, card, shop, price) else { return };
        let held = self.postings[placed].clone();
        if self.rng.percent(2) {
            // The shop reversed the sale.
            self.card_available[card] += held.amounts.amount_minor;
            self.postings.push(Posting {
                event: LedgerEvent::CardReversed,
                detail: PostingDetail::None,
                ..held
            });
            return;
        }
        let mut booked = Date(day.0 + i32::try_from(self.rng.between(1, 3)).unwrap_or(1));
        while !is_working_day(booked) {
            booked = Date(booked.0 + 1);
        }
        let event = LedgerEvent::CardCleared;
        let posting =
            Posting { event, booking_day: booked, value_day: booked, detail: PostingDetail::None, ..held };
        self.due.entry(booked).or_default().push(Due::Clear { card, placed, posting });
    }

    /// Holds the price; `None` when the card's limit is exceeded.
    fn authorise(&mut self, day: Date, card: usize, shop: &Shop, price: Money) -> Option<usize> {
        let (amount, detail) = self.purchase(day, shop, price);
        if self.card_available[card] < amount.minor {
            return None;
        }
        self.card_available[card] -= amount.minor;
        let parties = Parties { card: Some(self.cards[card].ledger), ..Parties::default() };
        let detail = PostingDetail::Card(Box::new(detail));
        Some(self.push(LedgerEvent::CardAuthorised, parties, Amounts::of(amount), day, detail))
    }

    /// The amount in the card's currency and its transaction details.
    fn purchase(&self, day: Date, shop: &Shop, price: Money) -> (Money, CardTransactionDetail) {
        let mut detail = CardTransactionDetail {
            transaction_day: day,
            terminal_id: Some(format!("T{:07}", self.rng.between(1, 9_999_999))),
            acceptor_id: Some(shop.acceptor_id.to_owned()),
            acceptor_address: Some(shop.address()),
            merchant_category_code: Some(shop.merchant_category_code.to_owned()),
            text: Some(format!("{} {}", shop.name, shop.city)),
            original_amount: None,
            markup_fee: None,
            markup_basis_points: None,
            invoiced: false,
            proprietary_code: Some(if shop.online { "ECOM" } else { "POS" }.to_owned()),
            exchanges: Vec::new(),
        };
        // All demo cards are in euro.
        if price.currency == Currency::EUR {
            return (price, detail);
        }
        let (amount, exchange) = exchange::to_euro(&self.rng, price, day);
        let markup = Money::new((amount.minor * MARKUP_BASIS_POINTS + 5_000) / 10_000, amount.currency);
        detail.original_amount = Some(price);
        detail.markup_fee = Some(markup);
        detail.markup_basis_points = Some(MARKUP_BASIS_POINTS);
        detail.exchanges = vec![exchange];
        (Money::new(amount.minor + markup.minor, amount.currency), detail)
    }

    fn card_settle(&mut self, day: Date, card: usize) {
        let account = self.accounts.iter().position(|account| account.id == self.cards[card].account);
        let (debt, detail) = std::mem::take(&mut self.card_debts[card]);
        let Some(account) = account.filter(|account| self.account_available[*account] >= debt) else {
            self.card_debts[card] = (debt, detail);
            return;
        };
        self.account_available[account] -= debt;
        self.card_available[card] += debt;
        for placed in detail {
            if let PostingDetail::Card(detail) = &mut self.postings[placed].detail {
                detail.invoiced = true;
            }
        }
        let card = &self.cards[card];
        let parties = Parties {
            payer: Some(self.accounts[account].ledger),
            card: Some(card.ledger),
            ..Parties::default()
        };
        let detail = TransactionDetail {
            particulars: TransactionFields {
                creditor: Party::new(format!("{} {}", card.product, card.masked_pan.as_str()), None),
                debtor: self.own_party(account),
                remittance_unstructured: Some("Card settlement".to_owned()),
                ..TransactionFields::default()
            },
            bank_transaction_code: Some("PMNT-CCRD-OTHR".to_owned()),
            ..TransactionDetail::default()
        };
        let amounts = Amounts::of(Money::new(debt, card.currency));
        self.push(LedgerEvent::CardInvoiced, parties, amounts, day, PostingDetail::Account(Box::new(detail)));
    }
}
