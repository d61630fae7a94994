//! The content of the bank as it is, for a file that another sandbox imports, and the customers as developers see them.
//!
//! Consents, payments, loans, devices and messages are not part of the content. A transaction that is booked on two accounts
//! of the bank becomes one on each.

use super::content::{
    AccountContent, BankContent, CardContent, CustomerContent, TransactionContent, TransactionSubject,
    TransactionTexts,
};
use crate::psu::NewMethod;
use crate::{App, Language, StoreError, UseCaseError};
use std::collections::{BTreeMap, HashMap};
use trapeza_domain::account::Account;
use trapeza_domain::card::{Card, CardTransactionDetail};
use trapeza_domain::ledger::StatementBalance;
use trapeza_domain::ledger::posting::LedgerEvent;
use trapeza_domain::psu::Psu;
use trapeza_domain::reference::{AccountReference, Iban, Identifier, Pan};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::statement::{BookedEntry, PendingEntry};
use trapeza_domain::time::Date;
use trapeza_domain::transaction::{Party, TransactionDetail};
use trapeza_store::{SandboxSecret, Tx};

/// More transactions of one account or card are not exported, because a file is built in memory.
const MAX_ENTRIES: i64 = 100_000;

/// A customer with what a developer needs to act for them.
#[derive(Clone)]
pub struct SandboxCustomer {
    pub customer: CustomerContent,
    pub accounts: Vec<(Account, StatementBalance)>,
    /// Each card with its number.
    pub cards: Vec<(Card, Option<Pan>)>,
}

impl App {
    /// All customers with their passwords, accounts and cards.
    pub async fn sandbox_customers(&self) -> Result<Vec<SandboxCustomer>, UseCaseError> {
        self.store.read(|tx| Ok(customers(tx)?)).await
    }

    /// The content of the bank in one snapshot.
    pub async fn sandbox_export(&self) -> Result<BankContent, UseCaseError> {
        let now = self.now();
        self.store
            .read(move |tx| {
                let all = customers(tx)?;
                let mut content = BankContent { now: Some(now), ..BankContent::default() };
                let logins: HashMap<_, _> =
                    all.iter().map(|one| (one.customer.id, one.customer.login.clone())).collect();
                let mut accounts = BTreeMap::new();
                let mut cards = Vec::new();
                for one in all {
                    content.customers.push(one.customer);
                    accounts.extend(one.accounts.into_iter().map(|(account, _)| (account.ledger, account)));
                    cards.extend(one.cards);
                }
                let mut export = Export::default();
                for (card, pan) in &cards {
                    // A card whose number is not stored cannot be created again.
                    let (Some(pan), Some(holder)) = (pan, logins.get(&card.holder)) else { continue };
                    let Some(account) = accounts.values().find(|account| account.id == card.account) else {
                        continue;
                    };
                    content.cards.push(card_content(card, pan, holder, account));
                    export.card(tx, card, pan)?;
                }
                for account in accounts.into_values() {
                    let opening = export.account(tx, &account)?;
                    let owners =
                        account.owners.iter().filter_map(|owner| logins.get(owner).cloned()).collect();
                    content.accounts.push(account_content(account, owners, opening));
                }
                content.transactions = export.finish();
                Ok(content)
            })
            .await
    }
}

fn customers(tx: &mut Tx<'_>) -> Result<Vec<SandboxCustomer>, StoreError> {
    let passwords: HashMap<_, _> = tx.sandbox_secret_list(SandboxSecret::Password)?.into_iter().collect();
    let pans: HashMap<_, _> = tx.sandbox_secret_list(SandboxSecret::Pan)?.into_iter().collect();
    let mut all = Vec::new();
    for psu in tx.psu_list()? {
        let mut accounts = Vec::new();
        for account in tx.account_list(psu.id)? {
            accounts.extend(tx.account_with_balance(account.id)?);
        }
        let cards = tx.card_list(psu.id)?.into_iter().map(|card| {
            let pan = pans.get(&card.id.to_string()).and_then(|pan| Pan::parse(pan).ok());
            (card, pan)
        });
        let cards = cards.collect();
        let methods = tx.sca_method_list(psu.id)?;
        let methods = methods.into_iter().map(|method| NewMethod { id: method.id, kind: method.kind });
        let language = tx.psu_language(psu.id)?.and_then(|tag| Language::from_tag(&tag));
        let password = passwords.get(&psu.login).cloned().map(Secret::new);
        let Psu { id, login, name, phone } = psu;
        let methods = methods.collect();
        let customer = CustomerContent { id, login, name, phone, password, language, methods };
        all.push(SandboxCustomer { customer, accounts, cards });
    }
    Ok(all)
}

fn account_content(account: Account, owners: Vec<String>, opening: Option<(i64, Date)>) -> AccountContent {
    AccountContent {
        id: account.id,
        owners,
        kind: account.kind,
        usage: account.usage,
        status: account.status,
        iban: account.iban,
        bic: Some(account.bic),
        currency: account.currency,
        product: account.product,
        name: account.name,
        credit_limit_minor: account.credit_limit_minor,
        opening_minor: opening.map_or(0, |(minor, _)| minor),
        opened_on: opening.map(|(_, day)| day),
    }
}

fn card_content(card: &Card, pan: &Pan, holder: &str, account: &Account) -> CardContent {
    CardContent {
        id: card.id,
        holder: holder.to_owned(),
        iban: account.iban,
        currency: card.currency,
        pan: pan.clone(),
        product: card.product.clone(),
        name: card.name.clone(),
        credit_limit_minor: card.credit_limit_minor,
        expiry: card.expiry,
        status: card.status,
    }
}

/// Collects transactions in the order in which they were booked.
#[derive(Default)]
struct Export {
    /// By transfer, then by account.
    booked: BTreeMap<(i64, i64), TransactionContent>,
    pending: Vec<TransactionContent>,
    /// The cards that settlements pay, by transfer.
    settlements: HashMap<i64, Pan>,
}

impl Export {
    fn card(&mut self, tx: &mut Tx<'_>, card: &Card, pan: &Pan) -> Result<(), UseCaseError> {
        let mut entries = tx.card_transaction_delta(card.ledger, 0, i64::MAX, MAX_ENTRIES + 1)?;
        check_length(entries.len())?;
        entries.reverse();
        for entry in entries {
            if entry.event == LedgerEvent::CardInvoiced {
                self.settlements.insert(entry.transfer.0, pan.clone());
                continue;
            }
            let texts = entry.detail.as_ref().map(card_texts).unwrap_or_default();
            let subject = TransactionSubject::Card(pan.clone());
            self.booked.insert((entry.transfer.0, card.ledger.0), booked(&entry, subject, texts));
        }
        let held =
            tx.pending_card_transaction_list(card.ledger, Date(i32::MIN), Date(i32::MAX), MAX_ENTRIES)?;
        for hold in held.into_iter().rev() {
            let texts = hold.detail.as_ref().map(card_texts).unwrap_or_default();
            self.pending.push(pending(&hold, TransactionSubject::Card(pan.clone()), texts));
        }
        Ok(())
    }

    /// Collects the transactions of an account and returns its opening balance. Cards come before.
    fn account(&mut self, tx: &mut Tx<'_>, account: &Account) -> Result<Option<(i64, Date)>, UseCaseError> {
        let mut entries = tx.transaction_delta(account.ledger, 0, i64::MAX, MAX_ENTRIES + 1)?;
        check_length(entries.len())?;
        entries.reverse();
        let opening = entries.first().filter(|entry| entry.event == LedgerEvent::OpeningBalance);
        let opening = opening.map(|entry| (entry.amount.minor, entry.booking_day));
        for entry in entries.iter().skip(usize::from(opening.is_some())) {
            let texts = |detail| account_texts(detail, account, entry.amount.minor < 0);
            let texts = entry.detail.as_ref().map(texts).unwrap_or_default();
            let subject = match self.settlements.get(&entry.transfer.0) {
                Some(pan) => TransactionSubject::CardSettlement(account.iban, pan.clone()),
                None => TransactionSubject::Account(account.iban),
            };
            self.booked.insert((entry.transfer.0, account.ledger.0), booked(entry, subject, texts));
        }
        let held =
            tx.pending_transaction_list(account.ledger, Date(i32::MIN), Date(i32::MAX), MAX_ENTRIES)?;
        for hold in held.into_iter().rev() {
            let texts = |detail| account_texts(detail, account, true);
            let texts = hold.detail.as_ref().map(texts).unwrap_or_default();
            self.pending.push(pending(&hold, TransactionSubject::Account(account.iban), texts));
        }
        Ok(opening)
    }

    /// What is booked in its order, then what is pending. A pending transaction was placed before later bookings, so its date is
    /// not before theirs any more.
    fn finish(self) -> Vec<TransactionContent> {
        let last = self.booked.values().filter_map(|one| one.booking_day).max();
        let pending = self.pending.into_iter().map(|one| TransactionContent {
            booking_day: one.booking_day.max(last),
            value_day: one.value_day,
            ..one
        });
        self.booked.into_values().chain(pending).collect()
    }
}

fn check_length(entries: usize) -> Result<(), Refusal> {
    if i64::try_from(entries).is_ok_and(|entries| entries <= MAX_ENTRIES) {
        return Ok(());
    }
    let text = format!("an account has more than {MAX_ENTRIES} transactions, which are too many for a file");
    Err(Refusal::new(RefusalReason::StatusInvalid, text))
}

pub(super) fn booked<D>(
    entry: &BookedEntry<D>,
    subject: TransactionSubject,
    fields: TransactionTexts,
) -> TransactionContent {
    TransactionContent {
        subject,
        amount: entry.amount,
        booking_day: Some(entry.booking_day),
        value_day: Some(entry.value_day),
        is_pending: false,
        fields,
    }
}

pub(super) fn pending<D>(
    hold: &PendingEntry<D>,
    subject: TransactionSubject,
    fields: TransactionTexts,
) -> TransactionContent {
    TransactionContent {
        subject,
        amount: hold.amount,
        booking_day: Some(hold.day),
        value_day: Some(hold.day),
        is_pending: true,
        fields,
    }
}

pub(super) fn account_texts(
    detail: &TransactionDetail,
    account: &Account,
    is_debit: bool,
) -> TransactionTexts {
    let fields = &detail.particulars;
    let Party { name, account: reference, .. } = if is_debit { &fields.creditor } else { &fields.debtor };
    TransactionTexts {
        counterparty_name: name.clone(),
        counterparty_iban: reference.as_ref().and_then(iban_of).filter(|iban| *iban != account.iban),
        remittance: fields.remittance_unstructured.clone(),
        end_to_end_id: fields.end_to_end_id.clone(),
        bank_transaction_code: detail.bank_transaction_code.clone(),
        additional_information: detail.additional_information.clone(),
        merchant_category_code: None,
    }
}

fn iban_of(reference: &AccountReference) -> Option<Iban> {
    match reference.identifier {
        Identifier::Iban(iban) => Some(iban),
        _ => None,
    }
}

fn card_texts(detail: &CardTransactionDetail) -> TransactionTexts {
    TransactionTexts {
        counterparty_name: detail.text.clone(),
        merchant_category_code: detail.merchant_category_code.clone(),
        ..TransactionTexts::default()
    }
}
