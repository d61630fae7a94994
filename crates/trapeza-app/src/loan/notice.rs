//! What the bank writes to borrowers by itself: the reminder of the right of withdrawal, and the offer of forbearance to a
//! borrower in arrears.

use crate::bank_profile::BankProfile;
use crate::credential::CredentialContext;
use crate::notification::{self, MessageContent, NewMessage, psu_language};
use crate::{Required, StoreError, UseCaseError, audit, merchant_terms};
use std::sync::Arc;
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::loan::{Borrower, InstallmentState, Loan, LoanState};
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;
use trapeza_store::Tx;
use trapeza_texts::{Language, message};

/// What one message needs and must be created before its transaction.
pub(super) struct NoticeContext {
    pub credential: CredentialContext,
    pub profile: Arc<BankProfile>,
    pub today: Date,
}

/// Reminds the borrower of the right of withdrawal when that is due. The information before the contract came less than a day
/// before it, so the directive requires the reminder within one to seven days.
pub(super) fn remind(tx: &mut Tx<'_>, loan: Loan, context: &NoticeContext) -> Result<Loan, UseCaseError> {
    let today = context.today;
    if loan.reminder_due().is_none_or(|day| day > today) {
        return Ok(loan);
    }
    if let Some((borrower, last)) =
        loan.borrower().zip(loan.withdrawable_until().filter(|last| today <= *last))
    {
        let language = language(tx, &loan, borrower)?;
        let merchant = merchant_name(tx, &loan)?;
        let bank = &context.profile.name;
        let text = message::withdrawal_reminder(language, bank, &merchant, loan.amount, last);
        send(tx, context, borrower, &text)?;
        let event = AuditEvent::new("loan.withdrawal_reminded", "loan", loan.id);
        audit::record(tx, context.credential.now, Actor::Bank, &event)?;
    }
    Ok(loan.remind(today))
}

/// Offers forbearance when an installment has become overdue, once for each time of arrears.
pub(super) fn offer_forbearance(
    tx: &mut Tx<'_>,
    loan: Loan,
    installments: &[InstallmentState],
    context: &NoticeContext,
) -> Result<Loan, UseCaseError> {
    let (today, now) = (context.today, context.credential.now);
    let is_open = matches!(&loan.state, LoanState::Granted { repayment, .. } if repayment.is_open());
    let Some((borrower, since)) = loan.borrower().zip(loan.overdue_since(installments, today)) else {
        return Ok(loan);
    };
    if !is_open || loan.dates.offered_on.is_some_and(|offered| offered >= since) {
        return Ok(loan);
    }
    let language = language(tx, &loan, borrower)?;
    let overdue = installments.iter().filter(|one| loan.repay_by().is_some() || one.is_overdue(today));
    let minor = overdue.map(InstallmentState::open_minor).sum();
    let offer = message::ForbearanceOffer {
        merchant: &merchant_name(tx, &loan)?,
        amount: Money::new(minor, loan.amount.currency),
        can_pause: loan.repay_by().is_none() && loan.dates.paused_on.is_none(),
        advice: context.profile.debt_advice(language),
    };
    let text = message::forbearance_offer(language, &context.profile.name, &offer);
    send(tx, context, borrower, &text)?;
    let (loan, event) = loan.offer_forbearance(today, now);
    audit::record(tx, now, Actor::Bank, &event)?;
    Ok(loan)
}

/// The language of messages to a borrower: that of the agreement, or else of the customer's last sign-in.
fn language(tx: &mut Tx<'_>, loan: &Loan, borrower: Borrower) -> Result<Language, StoreError> {
    let agreed = tx.loan_language(loan.id)?.and_then(|tag| Language::from_tag(&tag));
    match (agreed, borrower.psu) {
        (Some(language), _) => Ok(language),
        (None, Some(psu)) => psu_language(tx, psu),
        (None, None) => Ok(Language::default()),
    }
}

fn merchant_name(tx: &mut Tx<'_>, loan: &Loan) -> Result<String, StoreError> {
    Ok(message::display_name(&merchant_terms::merchant(tx, loan.merchant)?.name))
}

fn send(tx: &mut Tx<'_>, context: &NoticeContext, to: Borrower, text: &str) -> Result<(), StoreError> {
    let phone = tx.shopper_find(to.shopper)?.required("shopper")?.phone;
    let new = NewMessage { recipient: phone.as_str(), content: MessageContent::Information, text };
    notification::enqueue(tx, &context.credential, &new)
}
