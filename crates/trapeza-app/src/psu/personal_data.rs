//! The rights of a customer over personal data (GDPR): a copy of it (Art. 15 and 20), and its erasure after the end of the relationship
//! (Art. 17). What the law requires the bank to retain stays: ledger, payments, consents, agreements and the audit log.

use crate::credential::login_subject;
use crate::{App, Required, StoreError, UseCaseError, audit};
use trapeza_domain::account::Account;
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::card::Card;
use trapeza_domain::consent::Consent;
use trapeza_domain::field::Field;
use trapeza_domain::loan::Loan;
use trapeza_domain::money::Money;
use trapeza_domain::payment::Payment;
use trapeza_domain::psu::{Psu, ScaMethod};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::statement::Transaction;
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{Cursor, DeviceTimes, MessageTimes, PsuStatus, Tx};

/// More than a customer has.
const LOANS_MAX: i64 = 1_000;
/// How many entries one query reads.
const PAGE_ROWS: i64 = 200;

/// All personal data of a customer, except secrets and what the bank cannot read itself.
#[derive(Clone, Debug)]
pub struct PersonalData {
    pub psu: Psu,
    pub status: PsuStatus,
    pub methods: Vec<ScaMethod>,
    pub devices: Vec<DeviceTimes>,
    pub accounts: Vec<AccountData>,
    pub cards: Vec<Card>,
    pub consents: Vec<Consent>,
    pub payments: Vec<Payment>,
    pub loans: Vec<Loan>,
    pub messages: Vec<MessageTimes>,
}

/// An account with its whole statement, newest entry first.
#[derive(Clone, Debug)]
pub struct AccountData {
    pub account: Account,
    pub booked: Money,
    pub transactions: Vec<Transaction>,
}

impl App {
    /// A copy of the personal data of a customer or former customer.
    pub async fn psu_export(&self, login: &str) -> Result<PersonalData, UseCaseError> {
        let (login, now, operator) = (login.to_owned(), self.now(), audit::operator());
        let today = self.clock.zone().day(now);
        let exported = login.clone();
        let data = self.store.read(move |tx| personal_data(tx, &exported, today)).await?;
        let id = data.psu.id;
        let recorded = self.store.write(move |tx| {
            Ok(audit::record(tx, now, operator, &AuditEvent::new("psu.exported", "psu", id))?)
        });
        recorded.await?;
        Ok(data)
    }

    /// Erases the personal data of a former customer, as far as the law does not require it.
    pub async fn psu_forget(&self, login: &str) -> Result<(), UseCaseError> {
        let (login, subject) = (login.to_owned(), login_subject(&self.keyring, login));
        let (now, operator) = (self.now(), audit::operator());
        self.store
            .write(move |tx| {
                let (psu, status) = found(tx, &login)?;
                if status.closed_at.is_none() {
                    let text = "is still a customer; end the relationship first (`psu close`)";
                    return Err(Refusal::at(RefusalReason::StatusInvalid, Field::Login, text).into());
                }
                tx.psu_erase(&psu, now)?;
                tx.sca_throttle_delete(&subject, now)?;
                Ok(audit::record(tx, now, operator, &AuditEvent::new("psu.forgotten", "psu", psu.id))?)
            })
            .await
    }
}

/// The customer or former customer, unless the data is erased.
fn found(tx: &mut Tx<'_>, login: &str) -> Result<(Psu, PsuStatus), UseCaseError> {
    let refusal = |text| Refusal::at(RefusalReason::ResourceUnknown, Field::Login, text);
    let status = tx.psu_status(login)?;
    let status = status.ok_or_else(|| refusal("there is no customer with this login"))?;
    if status.erased_at.is_some() {
        return Err(refusal("the personal data of this former customer is erased").into());
    }
    Ok((tx.psu_find(status.id)?.required("customer")?, status))
}

fn personal_data(tx: &mut Tx<'_>, login: &str, today: Date) -> Result<PersonalData, UseCaseError> {
    let (psu, status) = found(tx, login)?;
    let mut accounts = Vec::new();
    for account in tx.account_list(psu.id)? {
        let balance = tx.ledger_account_find(account.ledger)?.and_then(|account| account.statement);
        let booked = Money::new(balance.map_or(0, |balance| balance.booked), account.currency);
        accounts.push(AccountData { transactions: statement(tx, &account, today)?, account, booked });
    }
    Ok(PersonalData {
        methods: tx.sca_method_list(psu.id)?,
        devices: tx.enrolled_device_times(psu.id)?,
        accounts,
        cards: tx.card_list(psu.id)?,
        consents: tx.permission_list(&psu.login, Timestamp(0))?,
        payments: tx.payment_list_by_login(&psu.login)?,
        loans: tx.loan_list_by_psu(psu.id, LOANS_MAX)?,
        messages: tx.notification_times(&psu)?,
        psu,
        status,
    })
}

fn statement(tx: &mut Tx<'_>, account: &Account, today: Date) -> Result<Vec<Transaction>, StoreError> {
    let (mut all, mut before) = (Vec::new(), Cursor::end_of(today));
    loop {
        let page = tx.transaction_page(account.ledger, Date(i32::MIN), before, PAGE_ROWS)?;
        let is_last = i64::try_from(page.len()).is_ok_and(|rows| rows < PAGE_ROWS);
        if let Some(oldest) = page.last() {
            before = Cursor { date: oldest.booking_day, seq: oldest.seq };
        }
        all.extend(page);
        if is_last {
            return Ok(all);
        }
    }
}
