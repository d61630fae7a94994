//! Early repayment and withdrawal in the bank's app. Money moves, so the session alone does not suffice: the enrolled device signs
//! what was shown, as it signs every approval. The digest is recomputed from the stored loan before the loan ends.

use super::admin::{EarlyEnd, end_early};
use super::customer::{CustomerLoan, customer_loan, is_of};
use super::servicing::payer;
use crate::device::{approval_message, is_signed, session_token_hash};
use crate::{App, StoreError, UseCaseError, audit, credit};
use trapeza_domain::account::Account;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::authorisation::{LinkingDigest, LoanLinkingData, loan_digest};
use trapeza_domain::field::Field;
use trapeza_domain::id::{LoanId, PsuId};
use trapeza_domain::loan::{Loan, PayoffQuote};
use trapeza_domain::money::Money;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_store::Tx;

/// How long what was shown can be approved.
const APPROVAL_TTL: TimeDelta = TimeDelta::minutes(15);

/// How a customer ends a loan early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoanEnding {
    Repayment,
    Withdrawal,
}

/// What the customer is asked to approve.
#[derive(Clone, Debug)]
pub struct LoanEndingRequest {
    pub loan: CustomerLoan,
    /// What is debited.
    pub amount: Money,
    /// The account that is debited. Without one, what is owed after a withdrawal is paid back by transfer.
    pub account: Option<Account>,
    pub shown_at: Timestamp,
    /// What the device signs, besides the loan and the ending.
    pub digest: LinkingDigest,
}

/// The signature of the device over what was shown.
#[derive(Clone, Debug)]
pub struct LoanEndingApproval {
    pub shown_at: Timestamp,
    pub signature: String,
}

impl LoanEnding {
    /// The name in the digest and in the signed text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repayment => "repayment",
            Self::Withdrawal => "withdrawal",
        }
    }

    const fn early_end(self) -> EarlyEnd {
        match self {
            Self::Repayment => EarlyEnd::Repaid,
            Self::Withdrawal => EarlyEnd::Withdrawn,
        }
    }
}

impl App {
    /// What ending the loan costs today, for the customer's approval.
    pub async fn customer_loan_ending(
        &self,
        psu: PsuId,
        id: &str,
        ending: LoanEnding,
    ) -> Result<LoanEndingRequest, UseCaseError> {
        let (id, now) = (LoanId::parse(id).ok_or_else(not_found)?, self.now());
        let (today, collection) = (self.clock.zone().day(now), self.settings.payments.collection);
        self.store
            .read(move |tx| {
                let loan = tx.loan_by_id(id)?.ok_or_else(not_found)?;
                if !is_of(tx, &loan, psu)? {
                    return Err(not_found().into());
                }
                let Terms { amount, account } = terms(tx, &loan, psu, today)?;
                let loan = customer_loan(tx, loan, collection, today)?;
                let possible = match ending {
                    LoanEnding::Repayment => account.is_some(),
                    LoanEnding::Withdrawal => loan.withdrawable_until.is_some(),
                };
                if !possible {
                    return Err(not_possible("the loan cannot be ended so").into());
                }
                let digest = digest(id, ending, amount, account.as_ref(), now);
                Ok(LoanEndingRequest { loan, amount, account, shown_at: now, digest })
            })
            .await
    }

    /// Ends the loan and debits the customer's account, with the approval of the device that has this session.
    pub async fn customer_loan_end(
        &self,
        psu: PsuId,
        session: &str,
        id: &str,
        ending: LoanEnding,
        approval: LoanEndingApproval,
    ) -> Result<PayoffQuote, UseCaseError> {
        let (id, now) = (LoanId::parse(id).ok_or_else(not_found)?, self.now());
        let (today, bank_name) = (self.clock.zone().day(now), self.bank_name().clone());
        let session = session_token_hash(&self.keyring, session);
        self.store
            .write(move |tx| {
                let loan = tx.loan_by_id(id)?.ok_or_else(not_found)?;
                let loan = tx.loan_lock(loan.merchant, id)?.ok_or_else(not_found)?;
                if !is_of(tx, &loan, psu)? {
                    return Err(not_found().into());
                }
                let Terms { amount, account } = terms(tx, &loan, psu, today)?;
                let device = tx.enrolled_device_find(&session, now)?.filter(|device| device.psu == psu);
                let key = device.and_then(|device| device.public_key);
                let digest = digest(id, ending, amount, account.as_ref(), approval.shown_at);
                let message = approval_message(id, &digest, ending.name());
                let current = approval.shown_at <= now && now < approval.shown_at.plus(APPROVAL_TTL);
                if !current || !key.is_some_and(|key| is_signed(&key, &message, &approval.signature)) {
                    let text = "must be a signature of this device over the loan, the amount and the account";
                    return Err(Refusal::malformed(Field::DeviceSignature, text).into());
                }
                let event = AuditEvent::new("loan.ending_approved", "loan", id).with("ending", ending.name());
                audit::record(tx, now, Actor::Psu(psu), &event)?;
                end_early(tx, loan, ending.early_end(), (Actor::Psu(psu), account), &bank_name, (now, today))
            })
            .await
    }
}

/// What ending a loan debits today, and where.
struct Terms {
    amount: Money,
    account: Option<Account>,
}

fn terms(tx: &mut Tx<'_>, loan: &Loan, psu: PsuId, today: Date) -> Result<Terms, UseCaseError> {
    let installments = tx.loan_installment_list(loan.id)?;
    let quote = loan.payoff_quote(&installments, today);
    let quote = quote.ok_or_else(|| not_possible("nothing is owed on this loan"))?;
    let account = debited_account(tx, loan, psu)?;
    let minor = quote.principal_minor + quote.interest_minor();
    Ok(Terms { amount: Money::new(minor, loan.amount.currency), account })
}

/// The account that installments are collected from. A purchase without a sign-in has no linked account, so it is paid from the
/// customer's account.
fn debited_account(tx: &mut Tx<'_>, loan: &Loan, psu: PsuId) -> Result<Option<Account>, StoreError> {
    match payer(tx, loan)? {
        Some(account) => Ok(Some(account)),
        None => credit::collection_account(tx, psu, loan.amount.currency),
    }
}

fn digest(
    id: LoanId,
    ending: LoanEnding,
    amount: Money,
    account: Option<&Account>,
    shown_at: Timestamp,
) -> LinkingDigest {
    let (ending, account) = (ending.name(), account.map_or("", |account| account.iban.as_str()));
    loan_digest(id, &LoanLinkingData { ending, amount, account, shown_at })
}

fn not_found() -> Refusal {
    Refusal::at(RefusalReason::ResourceUnknown, Field::LoanId, "unknown loan")
}

fn not_possible(text: &str) -> Refusal {
    Refusal::new(RefusalReason::StatusInvalid, text.to_owned())
}
