//! Import of customers with their accounts and opening balances from another system.
//!
//! A line describes a customer with one account; a further line with the same login adds an account. Lines are validated completely
//! before anything is written, and a batch of customers is written in one transaction together with the position in its file, so
//! that an interrupted import continues where it stopped. An opening balance is a ledger transfer from the bank's opening equity.

use crate::account::{self, NewAccount};
use crate::ledger::{self, Posting, PostingDetail};
use crate::psu::{self, NewMethod};
use crate::{App, StoreError, UseCaseError, audit};
use trapeza_domain::account::{AccountKind, AccountName, AccountUsage};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::contact::Phone;
use trapeza_domain::id::{AccountId, MethodId, PsuId};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::psu::{MethodKind, Psu};
use trapeza_domain::reference::{Bic, Iban};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{ImportProgress, Tx};

/// The product of an account whose line names none.
const PRODUCT: &str = "Current account";
const MAX_PRODUCT_CHARS: usize = 70;

/// One line of a file, as texts. An absent value is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportLine {
    /// Its number in the file, from 1.
    pub number: u64,
    pub login: String,
    pub name: Option<String>,
    pub phone: Option<String>,
    /// `sms` and `app`, in the order in which they are offered.
    pub methods: Vec<String>,
    pub iban: Option<String>,
    pub currency: Option<String>,
    pub bic: Option<String>,
    /// `current` or `savings`.
    pub kind: Option<String>,
    /// `private` or `organisation`.
    pub usage: Option<String>,
    pub product: Option<String>,
    /// The name that the owner chose.
    pub account_name: Option<String>,
    pub credit_limit: Option<String>,
    pub balance: Option<String>,
}

/// A field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ImportField {
    Login,
    Name,
    Phone,
    Methods,
    Iban,
    Currency,
    Bic,
    Kind,
    Usage,
    Product,
    AccountName,
    CreditLimit,
    Balance,
}

/// What is wrong with one field of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineProblem {
    pub line: u64,
    pub field: ImportField,
    pub text: String,
}

/// Some customers of a file, with the number of those before them.
#[derive(Clone, Debug)]
pub struct ImportBatch {
    /// The hash of the file.
    pub file: [u8; 32],
    pub start: i64,
    /// All customers of the file.
    pub total: i64,
    pub lines: Vec<ImportLine>,
}

/// What a batch created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The position in the file after the batch, in customers.
    pub position: i64,
    pub accounts: usize,
}

#[derive(Clone)]
struct Customer {
    line: u64,
    psu: Psu,
    methods: Vec<NewMethod>,
    accounts: Vec<OpenedAccount>,
}

#[derive(Clone)]
struct OpenedAccount {
    line: u64,
    order: NewAccount,
    balance: Money,
}

impl App {
    /// How many customers of a file are imported.
    pub async fn import_position(&self, file: [u8; 32]) -> Result<i64, UseCaseError> {
        let found = self.store.read(move |tx| Ok(tx.import_progress_find(&file)?)).await?;
        Ok(found.map_or(0, |progress| progress.customers))
    }

    /// All problems of some lines: values that are not valid, and logins and accounts that exist. Nothing is changed.
    pub async fn import_check(&self, lines: &[ImportLine]) -> Result<Vec<LineProblem>, UseCaseError> {
        let (customers, mut problems) = self.import_parse(lines);
        let found = self.store.read(move |tx| Ok(conflicts(tx, &customers)?)).await?;
        problems.extend(found);
        problems.sort_by_key(|problem| (problem.line, problem.field));
        Ok(problems)
    }

    /// Imports a batch, or returns its problems and changes nothing.
    pub async fn import_apply(
        &self,
        batch: ImportBatch,
    ) -> Result<Result<Imported, Vec<LineProblem>>, UseCaseError> {
        let (customers, problems) = self.import_parse(&batch.lines);
        if !problems.is_empty() {
            return Ok(Err(problems));
        }
        let (now, actor) = (self.now(), audit::current_actor());
        let today = self.clock.zone().day(now);
        self.store
            .write(move |tx| {
                let before = tx.import_progress_find(&batch.file)?;
                let position = before.as_ref().map_or(0, |progress| progress.customers);
                if position != batch.start {
                    let text = format!("{position} customers of this file are imported, not {}", batch.start);
                    return Err(Refusal::new(RefusalReason::StatusInvalid, text).into());
                }
                let problems = conflicts(tx, &customers)?;
                if !problems.is_empty() {
                    return Ok(Err(problems));
                }
                for customer in &customers {
                    create(tx, customer, actor, (now, today))?;
                }
                let position = position + i64::try_from(customers.len()).map_err(StoreError::internal)?;
                tx.import_progress_save(&ImportProgress {
                    file: batch.file,
                    customers: position,
                    total: batch.total,
                    updated_at: now,
                })?;
                let accounts = customers.iter().map(|customer| customer.accounts.len()).sum();
                let file: String = batch.file[..8].iter().map(|byte| format!("{byte:02x}")).collect();
                let event =
                    AuditEvent::new("import.applied", "file", file).with("customers", customers.len());
                audit::record(tx, now, actor, &event.with("position", position).with("total", batch.total))?;
                Ok(Ok(Imported { position, accounts }))
            })
            .await
    }

    /// The customers of some lines, with new ids, and what is wrong with the lines.
    fn import_parse(&self, lines: &[ImportLine]) -> (Vec<Customer>, Vec<LineProblem>) {
        let (mut customers, mut problems) = (Vec::new(), Vec::new());
        // The customer of the lines before; `None` when it is not valid.
        let (mut login, mut current) = (None, None);
        for line in lines {
            let mut parser = LineParser { line, problems: &mut problems };
            if login == Some(line.login.as_str()) {
                parser.check_repeated(current.as_ref().map(|customer: &Customer| &customer.psu));
            } else {
                customers.extend(current.take());
                login = Some(line.login.as_str());
                current = parser.customer(self);
            }
            let owners = current.iter().map(|customer| customer.psu.id).collect();
            let account = parser.account(self, owners);
            if let Some(customer) = &mut current {
                customer.accounts.extend(account);
            }
        }
        customers.extend(current);
        (customers, problems)
    }
}

/// Reads the values of one line and collects its problems.
struct LineParser<'a> {
    line: &'a ImportLine,
    problems: &'a mut Vec<LineProblem>,
}

impl LineParser<'_> {
    fn problem(&mut self, field: ImportField, text: impl Into<String>) {
        self.problems.push(LineProblem { line: self.line.number, field, text: text.into() });
    }

    fn collect<T, E: Into<String>>(&mut self, field: ImportField, parsed: Result<T, E>) -> Option<T> {
        parsed.map_err(|text| self.problem(field, text)).ok()
    }

    fn required<'t>(&mut self, field: ImportField, value: &'t Option<String>) -> Option<&'t str> {
        if value.is_none() {
            self.problem(field, "is required");
        }
        value.as_deref()
    }

    /// The customer's data is in the first line of several; in the others it is absent or the same.
    fn check_repeated(&mut self, first: Option<&Psu>) {
        let (line, text) = (self.line, "must be absent, or the same as in the customer's first line");
        if let (Some(psu), Some(name)) = (first, &line.name)
            && *name != psu.name
        {
            self.problem(ImportField::Name, text);
        }
        if let (Some(psu), Some(phone)) = (first, &line.phone)
            && phone != psu.phone.as_str()
        {
            self.problem(ImportField::Phone, text);
        }
        if line.iban.is_none() {
            self.problem(ImportField::Iban, "is required in a further line of a customer");
        }
    }

    /// The customer whose first line this is; `None` with a problem.
    fn customer(&mut self, app: &App) -> Option<Customer> {
        let (line, before) = (self.line, self.problems.len());
        self.check_text(ImportField::Login, &line.login, psu::MAX_LOGIN_CHARS);
        let name = self.required(ImportField::Name, &line.name);
        if let Some(name) = name {
            self.check_text(ImportField::Name, name, psu::MAX_NAME_CHARS);
        }
        let phone = self.required(ImportField::Phone, &line.phone);
        let phone = phone.and_then(|phone| self.collect(ImportField::Phone, Phone::parse(phone)));
        let methods = match line.methods.is_empty() {
            true => vec![method(app, MethodKind::Sms)],
            false => line.methods.iter().filter_map(|name| self.method(app, name)).collect(),
        };
        if self.problems.len() > before {
            return None;
        }
        let id = PsuId::new(app.entropy().uuid());
        let psu = Psu { id, login: line.login.clone(), name: name?.to_owned(), phone: phone? };
        Some(Customer { line: line.number, psu, methods, accounts: Vec::new() })
    }

    /// Readers have seeds, which are printed once, so they are enrolled one by one.
    fn method(&mut self, app: &App, name: &str) -> Option<NewMethod> {
        match name {
            "sms" => Some(method(app, MethodKind::Sms)),
            "app" => Some(method(app, MethodKind::Push)),
            _ => {
                self.problem(ImportField::Methods, format!("{name} is not possible here; use sms or app"));
                None
            }
        }
    }

    /// The account of the line; `None` without one, or with a problem.
    fn account(&mut self, app: &App, owners: Vec<PsuId>) -> Option<OpenedAccount> {
        let line = self.line;
        let Some(iban) = &line.iban else {
            let others = [
                &line.currency,
                &line.bic,
                &line.product,
                &line.account_name,
                &line.balance,
                &line.kind,
                &line.usage,
                &line.credit_limit,
            ];
            if others.iter().any(|value| value.is_some()) {
                self.problem(ImportField::Iban, "is required with the other values of an account");
            }
            return None;
        };
        let before = self.problems.len();
        let iban = self.collect(ImportField::Iban, Iban::parse(iban));
        let bic = self.required(ImportField::Bic, &line.bic);
        let bic = bic.and_then(|bic| self.collect(ImportField::Bic, Bic::parse(bic)));
        let currency = line.currency.as_deref().unwrap_or("EUR");
        let currency = self.collect(ImportField::Currency, Currency::parse(currency));
        let kind = self.choice(ImportField::Kind, &line.kind, AccountKind::parse, AccountKind::Current);
        let usage = self.choice(ImportField::Usage, &line.usage, AccountUsage::parse, AccountUsage::Private);
        let product = line.product.clone().unwrap_or(PRODUCT.to_owned());
        self.check_text(ImportField::Product, &product, MAX_PRODUCT_CHARS);
        if let Some(name) = &line.account_name {
            self.check_text(ImportField::AccountName, name, MAX_PRODUCT_CHARS);
        }
        let name = match &line.account_name {
            Some(name) => AccountName::own(name),
            None => AccountName::of_bank(&product),
        };
        let mut money = |field, value: &Option<String>| {
            let text = value.as_deref().unwrap_or("0");
            currency.and_then(|currency| self.collect(field, Money::parse(text, currency)))
        };
        let limit = money(ImportField::CreditLimit, &line.credit_limit);
        let balance = money(ImportField::Balance, &line.balance);
        if self.problems.len() > before {
            return None;
        }
        let order = NewAccount {
            id: AccountId::new(app.entropy().uuid()),
            owners,
            kind: kind?,
            usage: usage?,
            iban: iban?,
            bic: bic?,
            currency: currency?,
            product,
            name,
            credit_limit_minor: limit?.minor,
        };
        Some(OpenedAccount { line: line.number, order, balance: balance? })
    }

    fn choice<T>(
        &mut self,
        field: ImportField,
        value: &Option<String>,
        parse: impl Fn(&str) -> Option<T>,
        default: T,
    ) -> Option<T> {
        let Some(text) = value else { return Some(default) };
        let expected = match field {
            ImportField::Kind => "must be current or savings",
            _ => "must be private or organisation",
        };
        self.collect(field, parse(text).ok_or(expected))
    }

    fn check_text(&mut self, field: ImportField, text: &str, max: usize) {
        if !psu::is_plain_text(text, max) {
            let text = format!("must be 1–{max} characters without control characters and surrounding space");
            self.problem(field, text);
        }
    }
}

fn method(app: &App, kind: MethodKind) -> NewMethod {
    NewMethod { id: MethodId::new(app.entropy().uuid()), kind }
}

/// The logins and accounts that exist already.
fn conflicts(tx: &mut Tx<'_>, customers: &[Customer]) -> Result<Vec<LineProblem>, StoreError> {
    let mut problems = Vec::new();
    for customer in customers {
        if tx.psu_login_exists(&customer.psu.login)? {
            let text = "there is already a customer with this login".to_owned();
            problems.push(LineProblem { line: customer.line, field: ImportField::Login, text });
        }
        for OpenedAccount { line, order, .. } in &customer.accounts {
            let accounts = tx.account_by_iban(&order.iban)?;
            if accounts.iter().any(|account| account.currency == order.currency) {
                let text = "the IBAN has an account in this currency already".to_owned();
                problems.push(LineProblem { line: *line, field: ImportField::Iban, text });
            }
        }
    }
    Ok(problems)
}

fn create(
    tx: &mut Tx<'_>,
    customer: &Customer,
    actor: Actor,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let seeds = vec![Vec::new(); customer.methods.len()];
    psu::register(tx, &customer.psu, None, (&customer.methods, &seeds), (actor, now))?;
    for OpenedAccount { order, balance, .. } in &customer.accounts {
        let account = account::open(tx, order, actor, now)?;
        if balance.is_positive() {
            let posting = Posting {
                event: LedgerEvent::OpeningBalance,
                parties: Parties { payee: Some(account.ledger), ..Parties::default() },
                amounts: Amounts::of(*balance),
                reference: account.id.to_string(),
                booking_day: today,
                value_day: today,
                detail: PostingDetail::None,
            };
            ledger::post(tx, &[posting])?.map_err(StoreError::internal)?;
        }
    }
    Ok(())
}
