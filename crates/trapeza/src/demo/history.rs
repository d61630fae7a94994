//! The demo customers' history as postings in date order.
//!
//! It tracks the available balances itself and omits what an account cannot pay, so that the ledger accepts every posting. The
//! postings are booked by the normal use case.

mod purchase;
mod recurring;

use super::customers::{Plan, Settled};
use super::rng::Rng;
use std::collections::BTreeMap;
use trapeza_app::ledger::{Posting, PostingDetail};
use trapeza_domain::account::Account;
use trapeza_domain::card::Card;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::psu::Psu;
use trapeza_domain::purpose_code::PurposeCode;
use trapeza_domain::reference::AccountReference;
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{CurrencyExchange, Party, TransactionDetail, TransactionFields};

/// More than any account in this history receives from outside, in minor units.
const CLEARING_MINOR: i64 = 100_000_000_000;

pub struct History<'a> {
    rng: Rng,
    people: &'a [Psu],
    accounts: &'a [Account],
    cards: &'a [Card],
    settled: &'a [Settled],
    openings_minor: &'a [i64],
    first: Date,
    postings: Vec<Posting>,
    /// The available balance of each account and card.
    account_available: Vec<i64>,
    card_available: Vec<i64>,
    /// The booked debt of each card, and the postings it consists of.
    card_debts: Vec<(i64, Vec<usize>)>,
    /// Postings for later dates.
    due: BTreeMap<Date, Vec<Due>>,
    number: u64,
}

/// A hold that will be captured or released.
enum Due {
    Settle(Posting),
    Clear { card: usize, placed: usize, posting: Posting },
}

/// One payment from or to an account.
struct Payment<'t> {
    account: usize,
    minor: i64,
    other: Party,
    text: &'t str,
    purpose: &'static str,
    code: &'static str,
    mandate: Option<(&'t str, &'t str)>,
    exchange: Option<CurrencyExchange>,
}

impl<'a> History<'a> {
    pub fn new(seed: u64, plan: &'a Plan, accounts: &'a [Account], cards: &'a [Card], first: Date) -> Self {
        Self {
            // Another random stream than the ids', so that an additional account does not change the purchases.
            rng: Rng::new(seed ^ 0x5EED),
            people: &plan.known,
            accounts,
            cards,
            settled: &plan.settled,
            openings_minor: &plan.openings_minor,
            first,
            postings: Vec::new(),
            account_available: accounts.iter().map(|account| account.credit_limit_minor).collect(),
            card_available: cards.iter().map(|card| card.credit_limit_minor).collect(),
            card_debts: cards.iter().map(|_| (0, Vec::new())).collect(),
            due: BTreeMap::new(),
            number: 0,
        }
    }

    /// All postings from the first date through `today`.
    pub fn into_postings(mut self, today: Date) -> Vec<Posting> {
        self.open(self.first);
        for number in self.first.0 + 1..=today.0 {
            let day = Date(number);
            self.book_due(day);
            self.cards_settle(day);
            self.live(day);
            self.shop(day);
        }
        self.leave_pending(today);
        self.buy_today(today);
        self.postings
    }

    /// Opening balances come from the opening equity account.
    fn open(&mut self, day: Date) {
        for currency in [Currency::EUR, Currency::USD, Currency::JPY] {
            let amounts = Amounts::of(Money::new(CLEARING_MINOR, currency));
            self.push(LedgerEvent::OpeningClearing, Parties::default(), amounts, day, PostingDetail::None);
        }
        for (index, minor) in self.openings_minor.iter().enumerate() {
            let account = &self.accounts[index];
            let parties = Parties { payee: Some(account.ledger), ..Parties::default() };
            let amounts = Amounts::of(Money::new(*minor, account.currency));
            let detail = TransactionDetail {
                additional_information: Some("Opening balance".to_owned()),
                ..TransactionDetail::default()
            };
            self.push(
                LedgerEvent::OpeningBalance,
                parties,
                amounts,
                day,
                PostingDetail::Account(Box::new(detail)),
            );
            self.account_available[index] += minor;
        }
    }

    fn book_due(&mut self, day: Date) {
        for due in self.due.remove(&day).unwrap_or_default() {
            match due {
                Due::Settle(posting) => self.postings.push(posting),
                Due::Clear { card, placed, posting } => {
                    self.card_debts[card].0 += posting.amounts.amount_minor;
                    self.card_debts[card].1.push(placed);
                    self.postings.push(posting);
                }
            }
        }
    }

    /// Incoming money.
    fn receive(&mut self, day: Date, payment: &Payment<'_>) {
        let account = &self.accounts[payment.account];
        let parties = Parties { payee: Some(account.ledger), ..Parties::default() };
        let amounts = Amounts::of(Money::new(payment.minor, account.currency));
        let detail = self.detail(payment, payment.other.clone(), self.own_party(payment.account));
        self.push(LedgerEvent::SepaIn, parties, amounts, day, PostingDetail::Account(Box::new(detail)));
        self.account_available[payment.account] += payment.minor;
    }

    /// Outgoing money: held on the date, booked `after` days later. Omitted when the balance is too low.
    fn pay(&mut self, day: Date, after: i32, payment: &Payment<'_>) -> Option<usize> {
        if self.account_available[payment.account] < payment.minor {
            return None;
        }
        self.account_available[payment.account] -= payment.minor;
        let account = &self.accounts[payment.account];
        let parties = Parties { payer: Some(account.ledger), ..Parties::default() };
        let amounts = Amounts::of(Money::new(payment.minor, account.currency));
        let detail = self.detail(payment, self.own_party(payment.account), payment.other.clone());
        let detail = PostingDetail::Account(Box::new(detail));
        let placed = self.push(LedgerEvent::SepaOutAccepted, parties, amounts, day, detail);
        let booked = Date(day.0 + after);
        let settle = Posting {
            event: LedgerEvent::SepaOutSettled,
            booking_day: booked,
            value_day: booked,
            detail: PostingDetail::None,
            ..self.postings[placed].clone()
        };
        match after {
            0 => self.postings.push(settle),
            _ => self.due.entry(booked).or_default().push(Due::Settle(settle)),
        }
        Some(placed)
    }

    /// A transfer between two accounts of the bank.
    fn transfer(&mut self, day: Date, from: usize, to: usize, minor: i64, text: &str, purpose: &'static str) {
        if self.account_available[from] < minor {
            return;
        }
        self.account_available[from] -= minor;
        self.account_available[to] += minor;
        let (payer, payee) = (&self.accounts[from], &self.accounts[to]);
        let parties = Parties { payer: Some(payer.ledger), payee: Some(payee.ledger), ..Parties::default() };
        let amounts = Amounts::of(Money::new(minor, payer.currency));
        let payment = Payment {
            account: from,
            minor,
            other: self.own_party(to),
            text,
            purpose,
            code: "PMNT-ICDT-BOOK",
            mandate: None,
            exchange: None,
        };
        let detail = self.detail(&payment, self.own_party(from), self.own_party(to));
        self.push(
            LedgerEvent::InternalTransfer,
            parties,
            amounts,
            day,
            PostingDetail::Account(Box::new(detail)),
        );
    }

    /// The bank's monthly fee.
    fn charge(&mut self, day: Date, account: usize, minor: i64, text: &str) {
        if self.account_available[account] < minor {
            return;
        }
        self.account_available[account] -= minor;
        let (ledger, currency) = (self.accounts[account].ledger, self.accounts[account].currency);
        let parties = Parties { payer: Some(ledger), ..Parties::default() };
        let amounts = Amounts::of(Money::zero(currency)).fee(minor);
        let detail = TransactionDetail {
            additional_information: Some(text.to_owned()),
            bank_transaction_code: Some("PMNT-MDOP-CHRG".to_owned()),
            ..TransactionDetail::default()
        };
        self.push(LedgerEvent::FeeCharged, parties, amounts, day, PostingDetail::Account(Box::new(detail)));
    }

    fn push(
        &mut self,
        event: LedgerEvent,
        parties: Parties,
        amounts: Amounts,
        day: Date,
        detail: PostingDetail,
    ) -> usize {
        self.number += 1;
        let reference = format!("demo-{:06}", self.number);
        let posting =
            Posting { event, parties, amounts, reference, booking_day: day, value_day: day, detail };
        self.postings.push(posting);
        self.postings.len() - 1
    }

    /// The owners of a demo account as a party.
    fn own_party(&self, account: usize) -> Party {
        let account = &self.accounts[account];
        let owners = self.people.iter().filter(|person| account.is_owned_by(person.id));
        let names: Vec<&str> = owners.map(|person| person.name.as_str()).collect();
        Party::new(names.join(" and "), Some(AccountReference::iban(account.iban, None)))
    }

    fn detail(&self, payment: &Payment<'_>, debtor: Party, creditor: Party) -> TransactionDetail {
        let particulars = TransactionFields {
            end_to_end_id: Some(format!("E2E{:08}", self.number + 1)),
            mandate_id: payment.mandate.map(|(mandate, _)| mandate.to_owned()),
            creditor_id: payment.mandate.map(|(_, creditor)| creditor.to_owned()),
            creditor,
            debtor,
            remittance_unstructured: Some(payment.text.to_owned()),
            purpose: PurposeCode::parse(payment.purpose).ok(),
            exchanges: payment.exchange.iter().cloned().collect(),
            ..TransactionFields::default()
        };
        TransactionDetail {
            particulars,
            bank_transaction_code: Some(payment.code.to_owned()),
            ..TransactionDetail::default()
        }
    }
}
