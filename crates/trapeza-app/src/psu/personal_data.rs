//! The rights of a customer over personal data (GDPR): a copy of it (Art. 15 and 20), and its erasure after the end of the relationship
//! (Art. 17). What the law requires the bank to retain stays: ledger, payments, consents, agreements and the audit log.

use crate::credential::login_subject;
use crate::{App, Required, UseCaseError, audit};
use trapeza_domain::account::Account;
use trapeza_domain::audit_event::AuditEvent;
use trapeza_domain::card::Card;
use trapeza_domain::consent::Consent;
use trapeza_domain::credit_document::DocumentKind;
use trapeza_domain::field::Field;
use trapeza_domain::id::{AccountId, LoanId, PaymentId};
use trapeza_domain::loan::{Loan, LoanReview};
use trapeza_domain::money::Money;
use trapeza_domain::payment::Payment;
use trapeza_domain::psu::{Psu, ScaMethod};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::signing_basket::SigningBasket;
use trapeza_domain::statement::Transaction;
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_store::{Cursor, DeviceTimes, LoanDocument, MessageTimes, PsuStatus, Tx};
use uuid::Uuid;

/// More than a customer has.
const MAX_LOANS: i64 = 1_000;
/// How many transactions or payments one part of an export has.
pub const EXPORT_PAGE_ROWS: i64 = 5_000;

/// All personal data of a customer, except secrets and what the bank cannot read itself. Transactions and payments are read in
/// pages.
#[derive(Clone, Debug)]
pub struct PersonalData {
    pub psu: Psu,
    pub status: PsuStatus,
    pub methods: Vec<ScaMethod>,
    pub devices: Vec<DeviceTimes>,
    pub accounts: Vec<AccountData>,
    pub cards: Vec<Card>,
    pub consents: Vec<Consent>,
    /// What the customer was asked to approve together, oldest first.
    pub signing_baskets: Vec<SigningBasket>,
    pub loans: Vec<Loan>,
    /// The documents of the loans; their content is read one by one.
    pub documents: Vec<(LoanId, DocumentKind)>,
    /// What the customer asked a person of the bank to decide, newest first.
    pub reviews: Vec<LoanReview>,
    pub messages: Vec<MessageTimes>,
}

/// An account with its balance.
#[derive(Clone, Debug)]
pub struct AccountData {
    pub account: Account,
    pub booked: Money,
}

impl App {
    /// A copy of the personal data of a customer or former customer.
    pub async fn psu_export(&self, login: &str) -> Result<PersonalData, UseCaseError> {
        let (login, now, actor) = (login.to_owned(), self.now(), audit::current_actor());
        let data = self.store.read(move |tx| personal_data(tx, &login)).await?;
        let id = data.psu.id;
        let recorded = self
            .store
            .write(move |tx| Ok(audit::record(tx, now, actor, &AuditEvent::new("psu.exported", "psu", id))?));
        recorded.await?;
        Ok(data)
    }

    /// The transactions of an account before a booking date and number, newest first.
    pub async fn psu_export_transactions(
        &self,
        login: &str,
        account: AccountId,
        before: Option<(Date, i64)>,
    ) -> Result<Vec<Transaction>, UseCaseError> {
        let (login, newest) = (login.to_owned(), Cursor::end_of(self.clock.today()));
        let before = before.map_or(newest, |(date, seq)| Cursor { date, seq });
        self.store
            .read(move |tx| {
                let (psu, _) = found(tx, &login)?;
                let own = tx.account_list(psu.id)?.into_iter().find(|own| own.id == account);
                let ledger = own.required("account")?.ledger;
                Ok(tx.transaction_page(ledger, Date(i32::MIN), before, EXPORT_PAGE_ROWS)?)
            })
            .await
    }

    /// The payments of a customer before a time and an id, newest first.
    pub async fn psu_export_payments(
        &self,
        login: &str,
        before: Option<(Timestamp, PaymentId)>,
    ) -> Result<Vec<Payment>, UseCaseError> {
        let (login, newest) = (login.to_owned(), self.now().plus(TimeDelta::days(1)));
        let before = before.unwrap_or((newest, PaymentId::new(Uuid::nil())));
        self.store
            .read(move |tx| {
                let (psu, _) = found(tx, &login)?;
                Ok(tx.payment_page_by_login(&psu.login, before, EXPORT_PAGE_ROWS)?)
            })
            .await
    }

    /// A document of a customer's loan, as the customer received it.
    pub async fn psu_export_document(
        &self,
        login: &str,
        loan: LoanId,
        kind: DocumentKind,
    ) -> Result<LoanDocument, UseCaseError> {
        let login = login.to_owned();
        let psu = self.store.read(move |tx| Ok(found(tx, &login)?.0.id)).await?;
        self.customer_loan_document(psu, &loan.to_string(), kind).await
    }

    /// Erases the personal data of a former customer, as far as the law does not require it.
    pub async fn psu_erase(&self, login: &str) -> Result<(), UseCaseError> {
        let (login, subject) = (login.to_owned(), login_subject(&self.keyring, login));
        let (now, actor) = (self.now(), audit::current_actor());
        self.store
            .write(move |tx| {
                let (psu, status) = found(tx, &login)?;
                if status.closed_at.is_none() {
                    let text = "is still a customer; end the relationship first (`psu close`)";
                    return Err(Refusal::at(RefusalReason::StatusInvalid, Field::Login, text).into());
                }
                if tx.psu_is_owed_money(psu.id)? {
                    let text = "is still owed money: a closed account is not empty (`ledger post`), or a refund of a loan is payable (`loan refund-payout`)";
                    return Err(Refusal::at(RefusalReason::StatusInvalid, Field::Login, text).into());
                }
                tx.psu_erase(&psu, now)?;
                tx.sca_throttle_delete(&subject, now)?;
                Ok(audit::record(tx, now, actor, &AuditEvent::new("psu.erased", "psu", psu.id))?)
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

fn personal_data(tx: &mut Tx<'_>, login: &str) -> Result<PersonalData, UseCaseError> {
    let (psu, status) = found(tx, login)?;
    let mut accounts = Vec::new();
    for account in tx.account_list(psu.id)? {
        let balance = tx.ledger_account_find(account.ledger)?.and_then(|account| account.statement);
        let booked = Money::new(balance.map_or(0, |balance| balance.booked), account.currency);
        accounts.push(AccountData { account, booked });
    }
    let loans = tx.loan_list_by_psu(psu.id, MAX_LOANS)?;
    let mut documents = Vec::new();
    for loan in &loans {
        documents.extend(tx.loan_document_kinds(loan.id)?.into_iter().map(|kind| (loan.id, kind)));
    }
    Ok(PersonalData {
        methods: tx.sca_method_list(psu.id)?,
        devices: tx.enrolled_device_times(psu.id)?,
        accounts,
        cards: tx.card_list(psu.id)?,
        consents: tx.consent_list_by_login(&psu.login)?,
        signing_baskets: tx.signing_basket_list_by_login(&psu.login)?,
        loans,
        documents,
        reviews: tx.loan_review_list_by_psu(psu.id, MAX_LOANS)?,
        messages: tx.notification_times(&psu)?,
        psu,
        status,
    })
}
