//! Creating the content of a sandbox bank, and replacing all of it.
//!
//! Either runs in one transaction: after a crash the bank is the old one or the new one. Third parties, merchants and their
//! keys stay as they are, so that a client continues to work after a reset. The clock stays as well, because it never runs
//! backwards.

use super::content::{AccountContent, BankContent, CardContent, CustomerContent, DemoBuilder};
use super::posting::{self, Booking};
use crate::account::{self, NewAccount, NewCard};
use crate::credential::password;
use crate::ledger;
use crate::psu::{self, NewPsu};
use crate::{App, UseCaseError, audit};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::card::Card;
use trapeza_domain::field::{Field, FieldPath};
use trapeza_domain::id::PsuId;
use trapeza_domain::ledger::LedgerError;
use trapeza_domain::psu::Psu;
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::refusal::{FieldError, FieldErrors, Refusal, RefusalReason};
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_store::{SandboxSecret, Tx};

/// More customers would take longer than a request may: their passwords are hashed one after another.
pub const MAX_CUSTOMERS: usize = 200;

/// The bank's code where its routing table has none for an IBAN.
const DEFAULT_BIC: &str = "TRPZGRAA";

/// The number of created objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContentCount {
    pub customers: usize,
    pub accounts: usize,
    pub cards: usize,
    pub transactions: usize,
}

/// Whether the content is one object, whose fields have no path, or a whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContentForm {
    Single,
    File,
}

impl ContentForm {
    /// The path of a field of an element of a list.
    fn path(self, list: Field, index: usize, field: impl Into<FieldPath>) -> FieldPath {
        match self {
            Self::Single => field.into(),
            Self::File => field.into().inside(list.element(index)),
        }
    }
}

/// What a transaction needs besides its content.
struct Context {
    form: ContentForm,
    actor: Actor,
    now: Timestamp,
    today: Date,
    /// By customer, in the order of the content.
    password_hashes: Vec<Option<String>>,
    seeds: Vec<Vec<Vec<u8>>>,
    pan_hashes: Vec<[u8; 32]>,
    /// By the card number of a transaction, in the order of the content.
    transaction_pan_hashes: Vec<Option<[u8; 32]>>,
    bics: Vec<Bic>,
    /// Makes the references of postings unique.
    reference: String,
}

impl App {
    /// Sets the demo bank, to which a reset returns. Without it a reset leaves an empty bank.
    pub fn with_demo(mut self, demo: DemoBuilder) -> Self {
        self.ports.demo = Some(demo);
        self
    }

    /// Adds one object to the bank, or changes nothing.
    pub async fn sandbox_add(&self, content: BankContent) -> Result<(), UseCaseError> {
        let context = self.content_context(&content, ContentForm::Single, self.now()).await?;
        self.store
            .write(move |tx| {
                insert(tx, &content, &context)?;
                if content.transactions.is_empty() {
                    return Ok(());
                }
                // Other objects have events of their own.
                let event = AuditEvent::new("ledger.posted", "posting", &context.reference)
                    .with("count", content.transactions.len());
                Ok(audit::record(tx, context.now, context.actor, &event)?)
            })
            .await
    }

    /// Replaces all customers and what depends on them, or changes nothing.
    pub async fn sandbox_replace(&self, content: BankContent) -> Result<ContentCount, UseCaseError> {
        if !self.is_sandbox() {
            let text = "only a sandbox can be replaced";
            return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
        }
        let before = self.now();
        // What the content was exported with must not lie in the future.
        let ahead = content.now.map_or(TimeDelta(0), |exported| TimeDelta(exported.since(before).0.max(0)));
        let now = before.plus(ahead);
        super::check_clock(now)?;
        let context = self.content_context(&content, ContentForm::File, now).await?;
        let count = ContentCount {
            customers: content.customers.len(),
            accounts: content.accounts.len(),
            cards: content.cards.len(),
            transactions: content.transactions.len(),
        };
        let offset = self
            .store
            .write(move |tx| {
                // First, because every process writes the clock each second: PostgreSQL would reject a later update of it.
                let offset = if ahead.0 > 0 { Some(tx.clock_advance(ahead)?) } else { None };
                tx.sandbox_clear()?;
                insert(tx, &content, &context)?;
                let event = AuditEvent::new("bank.replaced", "bank", "sandbox")
                    .with("customers", count.customers)
                    .with("accounts", count.accounts)
                    .with("transactions", count.transactions);
                audit::record(tx, now, context.actor, &event)?;
                Ok(offset)
            })
            .await?;
        if let Some(offset) = offset {
            self.clock.set_offset(offset);
        }
        Ok(count)
    }

    /// Returns to the demo bank as it is today.
    pub async fn sandbox_reset(&self) -> Result<ContentCount, UseCaseError> {
        let content =
            self.ports.demo.as_ref().map_or_else(BankContent::default, |demo| demo(self.clock.today()));
        self.sandbox_replace(content).await
    }

    /// Hashes passwords, which takes tens of milliseconds each, and creates random bytes.
    async fn content_context(
        &self,
        content: &BankContent,
        form: ContentForm,
        now: Timestamp,
    ) -> Result<Context, UseCaseError> {
        if content.customers.len() > MAX_CUSTOMERS {
            let text = format!("must have at most {MAX_CUSTOMERS} elements");
            return Err(Refusal::malformed(Field::Customers, text).into());
        }
        let mut errors = FieldErrors::default();
        for (index, customer) in content.customers.iter().enumerate() {
            if let Err(refusal) = psu::validate(&order(customer)) {
                for FieldError { path, text } in refusal.errors {
                    errors.add(form.path(Field::Customers, index, path), text);
                }
            }
        }
        errors.finish()?;
        let mut password_hashes = Vec::with_capacity(content.customers.len());
        for customer in &content.customers {
            password_hashes.push(match customer.password.clone() {
                Some(password) => Some(password::hash_blocking(password).await?),
                None => None,
            });
        }
        let seeds = |customer: &CustomerContent| {
            customer.methods.iter().map(|method| self.device_seed_new(method.id)).collect()
        };
        let transaction_pan =
            |one: &super::TransactionContent| one.subject.pan().map(|pan| self.pan_hash(pan));
        Ok(Context {
            form,
            actor: audit::current_actor(),
            now,
            today: self.clock.zone().day(now),
            password_hashes,
            seeds: content.customers.iter().map(seeds).collect(),
            pan_hashes: content.cards.iter().map(|card| self.pan_hash(&card.pan)).collect(),
            transaction_pan_hashes: content.transactions.iter().map(transaction_pan).collect(),
            bics: content.accounts.iter().map(|account| self.own_bic(account)).collect(),
            reference: format!("sandbox-{}", self.entropy.uuid()),
        })
    }

    fn own_bic(&self, account: &AccountContent) -> Bic {
        let routed = || self.settings.payments.routing.find(&account.iban);
        let default = || Bic::parse(DEFAULT_BIC).expect("the code has the form of a BIC");
        account.bic.clone().or_else(|| routed().cloned()).unwrap_or_else(default)
    }
}

fn order(customer: &CustomerContent) -> NewPsu {
    let CustomerContent { id, login, name, phone, password, methods, .. } = customer.clone();
    NewPsu { id, login, name, phone, password, methods }
}

/// Creates everything, in the order in which the objects refer to each other. All unknown references are reported together.
fn insert(tx: &mut Tx<'_>, content: &BankContent, context: &Context) -> Result<(), UseCaseError> {
    let mut errors = FieldErrors::default();
    for index in 0..content.customers.len() {
        customer_insert(tx, content, index, context, &mut errors)?;
    }
    let mut accounts = Vec::with_capacity(content.accounts.len());
    for index in 0..content.accounts.len() {
        accounts.extend(account_insert(tx, content, index, context, &mut errors)?);
    }
    let mut cards = Vec::with_capacity(content.cards.len());
    for index in 0..content.cards.len() {
        cards.extend(card_insert(tx, content, index, context, &mut errors)?);
    }
    errors.finish()?;
    let mut bookings = openings(content, &accounts, context)?;
    bookings.extend(posting::bookings(
        tx,
        &content.transactions,
        &posting::Context {
            pan_hashes: &context.transaction_pan_hashes,
            today: context.today,
            reference: &context.reference,
            path: |index, field| context.form.path(Field::Transactions, index, field),
        },
    )?);
    book(tx, &bookings)?;
    if let Some(history) = &content.history {
        ledger::post(tx, &history(&accounts, &cards))?.map_err(Refusal::from)?;
    }
    Ok(())
}

fn customer_insert(
    tx: &mut Tx<'_>,
    content: &BankContent,
    index: usize,
    context: &Context,
    errors: &mut FieldErrors,
) -> Result<(), UseCaseError> {
    let customer = &content.customers[index];
    if tx.psu_login_exists(&customer.login)? {
        let path = context.form.path(Field::Customers, index, Field::Login);
        errors.add(path, "there is already a customer with this id");
        return Ok(());
    }
    let NewPsu { id, login, name, phone, .. } = order(customer);
    let psu = Psu { id, login, name, phone };
    let hash = context.password_hashes[index].as_deref();
    let methods = (customer.methods.as_slice(), context.seeds[index].as_slice());
    psu::register(tx, &psu, hash, methods, (context.actor, context.now))?;
    if let Some(language) = customer.language {
        tx.psu_language_set(id, language.tag())?;
    }
    if let Some(password) = &customer.password {
        tx.sandbox_secret_set(SandboxSecret::Password, &psu.login, password.expose())?;
    }
    Ok(())
}

/// The customer with a login, or an error at this path.
fn owner(
    tx: &mut Tx<'_>,
    login: &str,
    path: FieldPath,
    errors: &mut FieldErrors,
) -> Result<Option<PsuId>, UseCaseError> {
    let found = tx.psu_by_login(login)?.map(|(psu, _)| psu.id);
    if found.is_none() {
        errors.add(path, "there is no customer with this id");
    }
    Ok(found)
}

fn account_insert(
    tx: &mut Tx<'_>,
    content: &BankContent,
    index: usize,
    context: &Context,
    errors: &mut FieldErrors,
) -> Result<Option<Account>, UseCaseError> {
    let (new, form) = (&content.accounts[index], context.form);
    let mut owners = Vec::with_capacity(new.owners.len());
    for (position, login) in new.owners.iter().enumerate() {
        let path = form.path(Field::Accounts, index, Field::Owners.element(position));
        owners.extend(owner(tx, login, path, errors)?);
    }
    if account_find(tx, &new.iban, |account| account.currency == new.currency)?.is_some() {
        let path = form.path(Field::Accounts, index, Field::Iban);
        errors.add(path, "the IBAN has an account in this currency already");
        return Ok(None);
    }
    if owners.len() != new.owners.len() {
        return Ok(None);
    }
    let order = NewAccount {
        id: new.id,
        owners,
        kind: new.kind,
        usage: new.usage,
        iban: new.iban,
        bic: context.bics[index].clone(),
        currency: new.currency,
        product: new.product.clone(),
        name: new.name.clone(),
        credit_limit_minor: new.credit_limit_minor,
    };
    let account = account::open(tx, &order, context.actor, context.now)?;
    if new.status != AccountStatus::Enabled {
        tx.account_status_update(account.id, new.status)?;
    }
    Ok(Some(account))
}

fn card_insert(
    tx: &mut Tx<'_>,
    content: &BankContent,
    index: usize,
    context: &Context,
    errors: &mut FieldErrors,
) -> Result<Option<Card>, UseCaseError> {
    let (new, form) = (&content.cards[index], context.form);
    let path = |field: Field| form.path(Field::Cards, index, field);
    let Some(holder) = owner(tx, &new.holder, path(Field::Login), errors)? else { return Ok(None) };
    let is_own = |account: &Account| account.currency == new.currency && account.is_owned_by(holder);
    let Some(account) = account_find(tx, &new.iban, is_own)? else {
        errors.add(path(Field::Iban), "must be an account of the customer in this currency");
        return Ok(None);
    };
    if tx.card_by_pan_hash(&context.pan_hashes[index])?.is_some() {
        errors.add(path(Field::Pan), "there is already a card with this number");
        return Ok(None);
    }
    let CardContent { id, pan, product, name, credit_limit_minor, expiry, .. } = new.clone();
    tx.sandbox_secret_set(SandboxSecret::Pan, &id.to_string(), pan.expose())?;
    let order = NewCard { id, holder, account: account.id, pan, product, name, credit_limit_minor, expiry };
    let card = account::issue(tx, &order, &context.pan_hashes[index], (context.actor, context.now))?;
    if new.status != AccountStatus::Enabled {
        tx.card_status_update(card.id, new.status)?;
    }
    Ok(Some(card))
}

fn account_find(
    tx: &mut Tx<'_>,
    iban: &Iban,
    is_meant: impl Fn(&Account) -> bool,
) -> Result<Option<Account>, UseCaseError> {
    Ok(tx.account_by_iban(iban)?.into_iter().find(is_meant))
}

/// The opening balances, which come from the bank's opening equity.
fn openings(
    content: &BankContent,
    accounts: &[Account],
    context: &Context,
) -> Result<Vec<Booking>, UseCaseError> {
    let (mut bookings, mut errors) = (Vec::new(), FieldErrors::default());
    let accounts = content.accounts.iter().zip(accounts).enumerate();
    for (index, (new, account)) in accounts.filter(|(_, (new, _))| new.opening_minor > 0) {
        let day = new.opened_on.unwrap_or(context.today);
        if day > context.today {
            errors.add(context.form.path(Field::Accounts, index, Field::OpenedOn), posting::IN_THE_FUTURE);
        }
        let path = context.form.path(Field::Accounts, index, Field::OpeningBalance);
        bookings.push(posting::opening(account, new.opening_minor, day, path));
    }
    errors.finish()?;
    Ok(bookings)
}

/// Posts everything at once. When the ledger refuses, the posts are repeated one by one to find the one that it refuses; the
/// transaction is rolled back then.
fn book(tx: &mut Tx<'_>, bookings: &[Booking]) -> Result<(), UseCaseError> {
    let all: Vec<_> = bookings.iter().flat_map(|booking| booking.postings.iter().cloned()).collect();
    if all.is_empty() {
        return Ok(());
    }
    let Err(error) = ledger::post(tx, &all)? else { return Ok(()) };
    for booking in bookings {
        if let Err(error) = ledger::post(tx, &booking.postings)? {
            let text = match error {
                LedgerError::InsufficientFunds => "exceeds the balance and the credit limit",
                other => other.text(),
            };
            return Err(Refusal::malformed(booking.path.clone(), text).into());
        }
    }
    Err(Refusal::from(error).into())
}
