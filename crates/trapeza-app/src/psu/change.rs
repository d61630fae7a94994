//! Changes of a customer by the operator: password, name and telephone number, further accounts, and the end of the
//! relationship.

use super::{MAX_NAME_CHARS, PsuView, check_password, check_text, required, view};
use crate::account::{self, NewAccount};
use crate::credential::{login_subject, password};
use crate::{App, StoreError, UseCaseError, audit, authorisation_expiry, notification, payment, permission};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::contact::Phone;
use trapeza_domain::field::Field;
use trapeza_domain::id::PsuId;
use trapeza_domain::loan::LoanState;
use trapeza_domain::psu::Psu;
use trapeza_domain::refusal::{FieldErrors, Refusal, RefusalReason};
use trapeza_domain::secret::Secret;
use trapeza_domain::time::Timestamp;
use trapeza_store::{SandboxSecret, Tx};

/// Changes of a customer; `None` leaves a value unchanged.
#[derive(Clone, Debug, Default)]
pub struct PsuChange {
    pub name: Option<String>,
    pub phone: Option<Phone>,
}

/// More loans than a customer has.
const MAX_LOANS: i64 = 1_000;

impl App {
    /// Sets a new password, lifts the blocks that wrong passwords have caused, ends what was begun with the old password, signs out
    /// all devices, and informs the customer. Hashing the password blocks the calling thread for tens of milliseconds.
    pub async fn psu_password_reset(&self, login: &str, new: &Secret<String>) -> Result<(), UseCaseError> {
        let mut errors = FieldErrors::default();
        check_password(new, &mut errors);
        errors.finish()?;
        let (login, subject) = (login.to_owned(), login_subject(&self.keyring, login));
        let context = self.credential_context();
        let password_hash = password::hash(new);
        // Only a sandbox shows it again.
        let shown = self.is_sandbox().then(|| new.clone());
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                let (psu, now) = (required(tx, &login)?, context.now);
                tx.psu_password_set(psu.id, &password_hash)?;
                if let Some(shown) = &shown {
                    tx.sandbox_secret_set(SandboxSecret::Password, &psu.login, shown.expose())?;
                }
                tx.sca_throttle_delete(&subject, now)?;
                let devices = tx.enrolled_device_sign_out_all(psu.id)?;
                invalidate_codes(tx, psu.id, actor, now)?;
                notification::enqueue_password_reset(tx, &context, &psu)?;
                let event = AuditEvent::new("psu.password_reset", "psu", psu.id).with("devices", devices);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await
    }

    /// Changes name or telephone number. OTPs are sent to the new number from now on: those that were sent to the old one are
    /// invalid, and the customer is informed at both numbers.
    pub async fn psu_update(&self, login: &str, change: PsuChange) -> Result<PsuView, UseCaseError> {
        let mut errors = FieldErrors::default();
        if let Some(name) = &change.name {
            check_text(Field::Name, name, MAX_NAME_CHARS, &mut errors);
        }
        errors.finish()?;
        let (login, now) = (login.to_owned(), self.now());
        // Each message needs its own id.
        let (to_old, to_new) = (self.credential_context(), self.credential_context());
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                let old = required(tx, &login)?;
                let PsuChange { name, phone } = change.clone();
                let mut event = AuditEvent::new("psu.changed", "psu", old.id);
                event = event.with("name", name.is_some()).with("phone", phone.is_some());
                let (name, phone) = (name.unwrap_or(old.name.clone()), phone.unwrap_or(old.phone.clone()));
                let psu = Psu { name, phone, ..old.clone() };
                tx.psu_update(&psu)?;
                if psu.phone != old.phone {
                    invalidate_codes(tx, psu.id, actor, now)?;
                    notification::enqueue_phone_change(tx, &to_old, &old, psu.phone.last_digits())?;
                    notification::enqueue_phone_change(tx, &to_new, &psu, psu.phone.last_digits())?;
                }
                audit::record(tx, now, actor, &event)?;
                Ok(view(tx, psu)?)
            })
            .await
    }

    /// Opens further accounts for the customer with this login, who becomes their owner.
    pub async fn psu_account_add(
        &self,
        login: &str,
        orders: Vec<NewAccount>,
    ) -> Result<PsuView, UseCaseError> {
        let (login, now) = (login.to_owned(), self.now());
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                let psu = required(tx, &login)?;
                for order in &orders {
                    let order = NewAccount { owners: vec![psu.id], ..order.clone() };
                    account::open(tx, &order, actor, now)?;
                }
                Ok(view(tx, psu)?)
            })
            .await
    }

    /// Ends the relationship with a customer who has no money, debt, loan or payment in progress at the bank: closes their accounts and
    /// cards, ends what they had begun, revokes their permissions, rejects what they had ordered to be paid later and deletes their devices.
    /// They cannot sign in any more.
    pub async fn psu_close(&self, login: &str) -> Result<(), UseCaseError> {
        let (login, now) = (login.to_owned(), self.now());
        let actor = audit::current_actor();
        self.store
            .write(move |tx| {
                let psu = required(tx, &login)?;
                check_no_loan(tx, psu.id)?;
                check_no_payment(tx, &psu.login)?;
                let accounts = close_accounts(tx, psu.id, actor, now)?;
                invalidate_codes(tx, psu.id, actor, now)?;
                revoke_permissions(tx, &psu.login, actor, now)?;
                payment::reject_upcoming(tx, &psu.login, actor, now)?;
                tx.enrolled_device_delete_all(psu.id)?;
                tx.psu_close(psu.id, now)?;
                let event = AuditEvent::new("psu.closed", "psu", psu.id).with("accounts", accounts);
                Ok(audit::record(tx, now, actor, &event)?)
            })
            .await
    }
}

/// Fails the authorisations that are in progress, ends the enrolments that wait for their code and signs out at checkouts, so that neither
/// an old password nor a code that was sent before can still be used. The customer starts again.
fn invalidate_codes(tx: &mut Tx<'_>, psu: PsuId, actor: Actor, now: Timestamp) -> Result<(), StoreError> {
    for record in tx.authorisation_open_by_psu(psu)? {
        authorisation_expiry::fail(tx, record, actor, now)?;
    }
    tx.enrolled_device_delete_pending(psu)?;
    tx.checkout_sign_out_all(psu)
}

/// Revokes all valid permissions. Pending ones cannot be authorised any more.
fn revoke_permissions(
    tx: &mut Tx<'_>,
    login: &str,
    actor: Actor,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    for permission in tx.permission_valid_list(login)? {
        if let Some(permission) = tx.permission_lock(login, permission.id)? {
            permission::revoke(tx, permission, actor, now)?;
        }
    }
    Ok(())
}

fn check_no_loan(tx: &mut Tx<'_>, psu: PsuId) -> Result<(), UseCaseError> {
    let loans = tx.loan_list_by_psu(psu, MAX_LOANS)?;
    let is_open =
        |state: &LoanState| matches!(state, LoanState::Granted { repayment, .. } if repayment.is_open());
    match loans.iter().find(|loan| is_open(&loan.state)) {
        None => Ok(()),
        Some(loan) => Err(not_closable(format!("the loan {} is not repaid", loan.id))),
    }
}

/// The hold of a payment from a joint account is not on an account of the customer alone, and no one else can cancel the payment. A line
/// of a bulk that was debited with others has no hold, and comes back when clearing rejects it.
fn check_no_payment(tx: &mut Tx<'_>, login: &str) -> Result<(), UseCaseError> {
    if let Some(id) = tx.payment_unsubmitted(login)? {
        return Err(not_closable(format!("the payment {id} waits for its submission to clearing")));
    }
    match tx.submitted_payment(login)? {
        None => Ok(()),
        Some(id) => Err(not_closable(format!("clearing has not settled the payment {id}"))),
    }
}

/// Closes the accounts of which the customer is the last owner, and the customer's cards; returns how many accounts. A joint account
/// stays with its other owners.
fn close_accounts(tx: &mut Tx<'_>, psu: PsuId, actor: Actor, now: Timestamp) -> Result<usize, UseCaseError> {
    for card in tx.card_list(psu)?.into_iter().filter(|card| card.status != AccountStatus::Deleted) {
        let balance = tx.ledger_account_find(card.ledger)?.and_then(|account| account.statement);
        if balance.is_some_and(|balance| balance.booked != 0 || balance.held != 0) {
            return Err(not_closable(format!("the card {} is not settled", card.masked_pan.as_str())));
        }
        tx.card_status_update(card.id, AccountStatus::Deleted)?;
    }
    let mut own = Vec::new();
    for account in tx.account_list(psu)? {
        if account.status != AccountStatus::Deleted && !tx.account_has_other_owner(account.id, psu)? {
            own.push(account);
        }
    }
    for account in &own {
        let balance = tx.account_with_balance(account.id)?.map(|(_, balance)| balance);
        if balance.is_some_and(|balance| balance.booked != 0 || balance.held != 0) {
            return Err(not_closable(format!("the account {} is not empty", account.iban.as_str())));
        }
        account_close(tx, account, actor, now)?;
    }
    Ok(own.len())
}

fn account_close(tx: &mut Tx<'_>, account: &Account, actor: Actor, now: Timestamp) -> Result<(), StoreError> {
    let status = AccountStatus::Deleted;
    tx.account_status_update(account.id, status)?;
    // Money that comes back later is paid out, and no more than that.
    tx.account_credit_limit_remove(account)?;
    let event = AuditEvent::new("account.status_set", "account", account.id).with("status", status.name());
    audit::record(tx, now, actor, &event)
}

fn not_closable(text: String) -> UseCaseError {
    Refusal::at(RefusalReason::StatusInvalid, Field::Login, text).into()
}
