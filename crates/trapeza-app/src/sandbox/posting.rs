//! Transactions of a sandbox as postings of the ledger.

use super::content::{TransactionContent, TransactionSubject};
use crate::ledger::{Posting, PostingDetail};
use crate::{StoreError, UseCaseError};
use std::collections::HashMap;
use trapeza_domain::account::Account;
use trapeza_domain::card::CardTransactionDetail;
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::ledger::LedgerAccountId;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::{AccountReference, Iban, Pan};
use trapeza_domain::refusal::Refusal;
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::Tx;

pub(super) const IN_THE_FUTURE: &str = "must not be after today";

/// The postings of one transaction, and the field that is wrong when the ledger refuses them.
pub(super) struct Booking {
    pub postings: Vec<Posting>,
    pub path: FieldPath,
}

pub(super) struct Context<'a, P> {
    /// The hash of the card number of each transaction.
    pub pan_hashes: &'a [Option<[u8; 32]>],
    pub today: Date,
    pub reference: &'a str,
    pub path: P,
}

impl TransactionSubject {
    pub(super) const fn pan(&self) -> Option<&Pan> {
        match self {
            Self::Account(_) => None,
            Self::Card(pan) | Self::CardSettlement(_, pan) => Some(pan),
        }
    }

    const fn iban(&self) -> Option<&Iban> {
        match self {
            Self::Card(_) => None,
            Self::Account(iban) | Self::CardSettlement(iban, _) => Some(iban),
        }
    }
}

pub(super) fn opening(account: &Account, minor: i64, day: Date, path: FieldPath) -> Booking {
    let detail = TransactionDetail {
        additional_information: Some("Opening balance".to_owned()),
        ..TransactionDetail::default()
    };
    let posting = Posting {
        event: LedgerEvent::OpeningBalance,
        parties: Parties { payee: Some(account.ledger), ..Parties::default() },
        amounts: Amounts::of(Money::new(minor, account.currency)),
        reference: account.id.to_string(),
        booking_day: day,
        value_day: day,
        detail: PostingDetail::Account(Box::new(detail)),
    };
    Booking { postings: vec![posting], path }
}

/// The postings of all transactions. A date must not be before that of an earlier transaction on the same account or card,
/// because each entry has the balance after it.
pub(super) fn bookings(
    tx: &mut Tx<'_>,
    transactions: &[TransactionContent],
    context: &Context<'_, impl Fn(usize, Field) -> FieldPath>,
) -> Result<Vec<Booking>, UseCaseError> {
    let (mut accounts, mut cards) = (Accounts::default(), Cards::default());
    let mut last_days: HashMap<LedgerAccountId, Date> = HashMap::new();
    let mut bookings = Vec::with_capacity(transactions.len());
    for (index, transaction) in transactions.iter().enumerate() {
        let refused = |field, text: &str| Refusal::malformed((context.path)(index, field), text);
        let day = transaction.booking_day.unwrap_or(context.today);
        if day > context.today {
            return Err(refused(Field::BookingDate, IN_THE_FUTURE).into());
        }
        let currency = transaction.amount.currency;
        let account = match transaction.subject.iban() {
            None => None,
            Some(iban) => {
                let found = accounts.find(tx, iban, currency)?;
                Some(found.ok_or_else(|| refused(Field::Iban, "there is no such account in this currency"))?)
            }
        };
        let card = match &context.pan_hashes[index] {
            None => None,
            Some(hash) => {
                let found = cards.find(tx, hash)?.filter(|(_, own)| *own == currency);
                Some(found.ok_or_else(|| refused(Field::Pan, "there is no such card in this currency"))?.0)
            }
        };
        let parties = Parties { card, ..Parties::default() };
        for ledger in account.iter().map(|(account, _)| account.ledger).chain(card) {
            let last = match last_days.get(&ledger) {
                Some(last) => Some(*last),
                None => tx.entry_last_booking_day(ledger)?,
            };
            if last.is_some_and(|last| day < last) {
                let text = "must not be before the newest transaction of the account or card";
                return Err(refused(Field::BookingDate, text).into());
            }
            last_days.insert(ledger, day);
        }
        let is_debit = transaction.amount.minor < 0;
        if !is_debit && (transaction.is_pending || card.is_some()) {
            let text = "must be negative: only an account receives money, and only a debit is pending";
            return Err(refused(Field::Amount, text).into());
        }
        let reference = format!("{}-{index}", context.reference);
        let one = Single { transaction, account: account.as_ref(), parties, day, reference };
        bookings.push(Booking { postings: one.postings(), path: (context.path)(index, Field::Amount) });
    }
    Ok(bookings)
}

/// The accounts of the transactions with the names of their owners. Each is read once.
#[derive(Default)]
struct Accounts(HashMap<(Iban, &'static str), Option<(Account, String)>>);

impl Accounts {
    fn find(
        &mut self,
        tx: &mut Tx<'_>,
        iban: &Iban,
        currency: Currency,
    ) -> Result<Option<(Account, String)>, StoreError> {
        let key = (*iban, currency.code());
        if let Some(found) = self.0.get(&key) {
            return Ok(found.clone());
        }
        let found = tx.account_by_iban(iban)?.into_iter().find(|account| account.currency == currency);
        let found = match found {
            Some(account) => {
                let owners = tx.account_owner_names(account.id)?.join(" and ");
                Some((account, owners))
            }
            None => None,
        };
        self.0.insert(key, found.clone());
        Ok(found)
    }
}

/// The ledger accounts and currencies of cards by the hash of their number. Each is read once.
#[derive(Default)]
struct Cards(HashMap<[u8; 32], Option<(LedgerAccountId, Currency)>>);

impl Cards {
    fn find(
        &mut self,
        tx: &mut Tx<'_>,
        hash: &[u8; 32],
    ) -> Result<Option<(LedgerAccountId, Currency)>, StoreError> {
        if let Some(found) = self.0.get(hash) {
            return Ok(*found);
        }
        let found = tx.card_by_pan_hash(hash)?.map(|card| (card.ledger, card.currency));
        self.0.insert(*hash, found);
        Ok(found)
    }
}

/// One transaction with its accounts.
struct Single<'a> {
    transaction: &'a TransactionContent,
    /// With the names of its owners.
    account: Option<&'a (Account, String)>,
    parties: Parties,
    day: Date,
    reference: String,
}

impl Single<'_> {
    fn postings(&self) -> Vec<Posting> {
        let ledger = self.account.map(|(account, _)| account.ledger);
        let payer = Parties { payer: ledger, ..self.parties };
        let (events, parties, detail): (&[LedgerEvent], _, _) = match &self.transaction.subject {
            TransactionSubject::CardSettlement(..) => {
                (&[LedgerEvent::CardInvoiced], payer, self.account_detail())
            }
            TransactionSubject::Card(_) => {
                let events: &[_] = &[LedgerEvent::CardAuthorised, LedgerEvent::CardCleared];
                (events, self.parties, self.card_detail())
            }
            TransactionSubject::Account(_) if self.transaction.amount.minor > 0 => {
                (&[LedgerEvent::SepaIn], Parties { payee: ledger, ..self.parties }, self.account_detail())
            }
            TransactionSubject::Account(_) => {
                let events: &[_] = &[LedgerEvent::SepaOutAccepted, LedgerEvent::SepaOutSettled];
                (events, payer, self.account_detail())
            }
        };
        let count = if self.transaction.is_pending { 1 } else { events.len() };
        let amount = self.transaction.amount;
        let amounts = Amounts::of(Money::new(amount.minor.saturating_abs(), amount.currency));
        let details = std::iter::once(detail).chain(std::iter::repeat(PostingDetail::None));
        let postings = events.iter().take(count).zip(details).map(|(event, detail)| Posting {
            event: *event,
            parties,
            amounts,
            reference: self.reference.clone(),
            booking_day: self.day,
            value_day: self.transaction.value_day.unwrap_or(self.day),
            detail,
        });
        postings.collect()
    }

    fn account_detail(&self) -> PostingDetail {
        let texts = &self.transaction.fields;
        let own = |(account, owners): &(Account, String)| {
            Party::new(owners.clone(), Some(AccountReference::iban(account.iban, None)))
        };
        let own = self.account.map(own).unwrap_or_default();
        let other = Party {
            name: texts.counterparty_name.clone(),
            account: texts.counterparty_iban.map(|iban| AccountReference::iban(iban, None)),
            ultimate: None,
        };
        let (debtor, creditor) = if self.transaction.amount.minor < 0 { (own, other) } else { (other, own) };
        PostingDetail::Account(Box::new(TransactionDetail {
            particulars: TransactionFields {
                end_to_end_id: texts.end_to_end_id.clone(),
                creditor,
                debtor,
                remittance_unstructured: texts.remittance.clone(),
                ..TransactionFields::default()
            },
            additional_information: texts.additional_information.clone(),
            bank_transaction_code: texts.bank_transaction_code.clone(),
            ..TransactionDetail::default()
        }))
    }

    fn card_detail(&self) -> PostingDetail {
        let texts = &self.transaction.fields;
        PostingDetail::Card(Box::new(CardTransactionDetail {
            transaction_day: self.transaction.value_day.unwrap_or(self.day),
            terminal_id: None,
            acceptor_id: None,
            acceptor_address: None,
            merchant_category_code: texts.merchant_category_code.clone(),
            text: texts.counterparty_name.clone(),
            original_amount: None,
            markup_fee: None,
            markup_basis_points: None,
            invoiced: false,
            proprietary_code: None,
            exchanges: Vec::new(),
        }))
    }
}
