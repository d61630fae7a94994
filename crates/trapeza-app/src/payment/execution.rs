//! Execution of an authorised payment, in the transaction of the last SCA step or on its day: the money moves, is held, or the
//! payment is rejected. A rejection does not fail the step; the third party reads it from the payment.

use crate::clearing_submission::submit_instant;
use crate::consent::CustomerAssets;
use crate::ledger::{self, Posting, PostingDetail};
use crate::loan::{LoanTransfer, TransferContext};
use crate::{Required, SandboxBehaviour, StoreError, UseCaseError, Zone, audit};
use trapeza_domain::account::{Account, AccountStatus};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::calendar::next_target_day;
use trapeza_domain::clearing::RoutingTable;
use trapeza_domain::id::{PaymentId, PsuId};
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::ledger::{LedgerAccountId, LedgerError};
use trapeza_domain::payment::{
    Payment, PaymentInstruction, PaymentProduct, PaymentState, RejectionReason, next_attempt,
};
use trapeza_domain::reference::{AccountReference, Bic, Iban};
use trapeza_domain::time::{Date, TimeDelta, Timestamp};
use trapeza_domain::transaction::{Party, TransactionDetail, TransactionFields};
use trapeza_store::{LoanPayer, Tx};

/// What the configuration decides about executions.
pub(crate) struct ExecutionSettings<'a> {
    pub routing: &'a RoutingTable,
    /// The bank's account to which borrowers pay.
    pub collection: Option<Iban>,
    pub sandbox: Option<SandboxBehaviour>,
    pub zone: &'a Zone,
}

/// Executes, schedules or rejects the payment that the customer has authorised.
pub(crate) fn authorise(
    tx: &mut Tx<'_>,
    payment: Payment,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let actor = Actor::Psu(psu);
    if let Some(day) = payment.instruction.timing.later_day(today) {
        return schedule(tx, payment, psu, settings, day, (now, today));
    }
    let payment = match routed_and_booked(tx, &payment, psu, settings, (now, today))? {
        Ok(routed_agent) => Payment { routed_agent, ..payment },
        Err(cause) => return reject(tx, payment, cause, actor, now),
    };
    let (payment, checked) = payment.authorise(now)?;
    audit::record(tx, now, actor, &checked)?;
    finish(tx, payment, settings, (now, today))
}

/// Keeps the payment until its day. What can be checked without funds is checked now, so that the customer learns of it.
fn schedule(
    tx: &mut Tx<'_>,
    payment: Payment,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    day: Date,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let actor = Actor::Psu(psu);
    let checked = match route(&payment.instruction, settings.routing) {
        Ok(_) => parties(tx, &payment.instruction, psu, settings, today)?.map(|_| ()),
        Err(cause) => Err(cause),
    };
    if let Err(cause) = checked {
        return reject(tx, payment, cause, actor, now);
    }
    let (payment, authorised) = payment.authorise(now)?;
    audit::record(tx, now, actor, &authorised)?;
    let (payment, scheduled) = payment.schedule(settings.zone.start_of(day), now)?;
    tx.payment_update(&payment)?;
    Ok(audit::record(tx, now, Actor::Bank, &scheduled)?)
}

/// Creates the payment that executes a due standing order, and lets the order wait for the next execution. The order of an account that
/// was closed, or that is no longer the customer's, ends.
pub(crate) fn repeat_standing_order(
    tx: &mut Tx<'_>,
    order: Payment,
    id: PaymentId,
    settings: &ExecutionSettings<'_>,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let payer = match tx.psu_by_login(&order.psu)? {
        Some((psu, _)) => payer(tx, &order.instruction, psu.id)?.map(|_| ()),
        None => Err(RejectionReason::Owner),
    };
    if payer == Err(RejectionReason::Owner) {
        return reject(tx, order, RejectionReason::Blocked, Actor::Bank, now);
    }
    let day = order.next_execution_day().required("day of execution")?;
    let (execution, initiated) = order.execution(id, day, now);
    tx.payment_insert(&execution)?;
    tx.payment_update(&execution)?;
    audit::record(tx, now, Actor::Bank, &initiated)?;
    let next = Payment { execution_number: order.execution_number + 1, ..order.clone() }.next_execution_day();
    let (order, event) = order.repeat(next.map(|day| settings.zone.start_of(day)), now)?;
    tx.payment_update(&order)?;
    Ok(audit::record(tx, now, Actor::Bank, &event)?)
}

/// Executes a scheduled payment that is due. Without funds it is tried again until the end of its day; everything else is checked as
/// if it were authorised now.
pub(crate) fn execute_scheduled(
    tx: &mut Tx<'_>,
    payment: Payment,
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let booked = match tx.psu_by_login(&payment.psu)? {
        Some((psu, _)) => routed_and_booked(tx, &payment, psu.id, settings, (now, today))?,
        None => Err(RejectionReason::Owner),
    };
    let cause = match booked {
        Ok(routed_agent) => {
            return finish(tx, Payment { routed_agent, ..payment }, settings, (now, today));
        }
        Err(cause) => cause,
    };
    let day = payment.instruction.timing.requested_date().map_or(today, next_target_day);
    match next_attempt(settings.zone.end_of(day), now) {
        Some(again) if cause == RejectionReason::Funds => {
            let (payment, event) = payment.postpone(again, now)?;
            tx.payment_update(&payment)?;
            Ok(audit::record(tx, now, Actor::Bank, &event.with("reason", cause.name()))?)
        }
        _ => reject(tx, payment, cause, Actor::Bank, now),
    }
}

fn reject(
    tx: &mut Tx<'_>,
    payment: Payment,
    cause: RejectionReason,
    actor: Actor,
    now: Timestamp,
) -> Result<(), UseCaseError> {
    let (payment, event) = payment.reject(cause, now)?;
    tx.payment_update(&payment)?;
    Ok(audit::record(tx, now, actor, &event)?)
}

/// Stores a payment whose money was moved or held.
fn finish(
    tx: &mut Tx<'_>,
    payment: Payment,
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<(), UseCaseError> {
    let delay =
        settings.sandbox.and_then(|sandbox| sandbox.submission_delay(&payment.instruction.creditor_name));
    let (payment, event) = match payment.instruction.product {
        PaymentProduct::InternalTransfers => payment.execute(now)?,
        PaymentProduct::SepaCreditTransfers => payment.accept(delay.unwrap_or(TimeDelta(0)), now)?,
        PaymentProduct::InstantSepaCreditTransfers => return submit_instant(tx, payment, (now, today)),
    };
    tx.payment_update(&payment)?;
    Ok(audit::record(tx, now, Actor::Bank, &event)?)
}

/// Books or holds the money and returns the payee's bank. The inner error is the rejection reason; nothing was written then.
fn routed_and_booked(
    tx: &mut Tx<'_>,
    payment: &Payment,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    times: (Timestamp, Date),
) -> Result<Result<Option<Bic>, RejectionReason>, UseCaseError> {
    match route(&payment.instruction, settings.routing) {
        Ok(routed_agent) => Ok(book(tx, payment, psu, settings, times)?.map(|()| routed_agent)),
        Err(cause) => Ok(Err(cause)),
    }
}

/// The payee's bank of a SEPA credit transfer: the order's, or the routing table's. Fixed when the payment is accepted, so that
/// its clearing message is always the same.
fn route(terms: &PaymentInstruction, routing: &RoutingTable) -> Result<Option<Bic>, RejectionReason> {
    match terms.product {
        PaymentProduct::InternalTransfers => Ok(None),
        PaymentProduct::SepaCreditTransfers | PaymentProduct::InstantSepaCreditTransfers => {
            let agent = terms.creditor_agent.as_ref().or_else(|| routing.find(&terms.creditor));
            agent.cloned().map(Some).ok_or(RejectionReason::NoRoute)
        }
    }
}

/// Cancels a payment after the customer's authorisation, and releases its hold. A scheduled payment has none.
pub(crate) fn cancel(
    tx: &mut Tx<'_>,
    payment: Payment,
    psu: PsuId,
    now: Timestamp,
    today: Date,
) -> Result<(), UseCaseError> {
    let is_scheduled = matches!(payment.state, PaymentState::Scheduled { .. });
    let (payment, event) = payment.cancel(now)?;
    if is_scheduled {
        tx.payment_update(&payment)?;
        return Ok(audit::record(tx, now, Actor::Psu(psu), &event)?);
    }
    let posting = Posting {
        event: LedgerEvent::SepaOutCancelled,
        parties: Parties::default(),
        amounts: amounts(&payment.instruction),
        reference: payment.id.to_string(),
        booking_day: today,
        value_day: today,
        detail: PostingDetail::None,
    };
    ledger::post(tx, &[posting])?.map_err(StoreError::internal)?;
    tx.payment_update(&payment)?;
    Ok(audit::record(tx, now, Actor::Psu(psu), &event)?)
}

/// Books or holds the money. The inner error is the rejection reason; nothing was written then.
fn book(
    tx: &mut Tx<'_>,
    payment: &Payment,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    (now, today): (Timestamp, Date),
) -> Result<Result<(), RejectionReason>, UseCaseError> {
    let terms = &payment.instruction;
    let PaymentParties { payer, event, payee, loan } = match parties(tx, terms, psu, settings, today)? {
        Ok(parties) => parties,
        Err(cause) => return Ok(Err(cause)),
    };
    let payer_name = tx.psu_find(psu)?.required("customer")?.name;
    let posting = Posting {
        event,
        parties: Parties { payer: Some(payer.ledger), payee, ..Parties::default() },
        amounts: amounts(terms),
        reference: payment.id.to_string(),
        booking_day: today,
        value_day: today,
        detail: PostingDetail::Account(Box::new(detail(terms, &payer, payer_name.clone()))),
    };
    match ledger::post(tx, &[posting])? {
        Ok(_) => {
            if let Some(loan) = loan {
                let reference = payment.id.to_string();
                tx.loan_payer_add(&LoanPayer {
                    loan: loan.loan_id(),
                    iban: payer.iban,
                    name: payer_name,
                    agent: None,
                    own_agent: None,
                    paid: terms.amount,
                    returned_minor: 0,
                    last_paid_at: now,
                })?;
                let context = TransferContext { actor: Actor::Psu(psu), reference: &reference, now, today };
                loan.assign(tx, &context)?;
            }
            Ok(Ok(()))
        }
        Err(LedgerError::InsufficientFunds) => Ok(Err(RejectionReason::Funds)),
        Err(LedgerError::CurrenciesMixed) => Ok(Err(RejectionReason::Currency)),
        Err(LedgerError::SameAccount | LedgerError::Overflow) => Ok(Err(RejectionReason::Unbookable)),
        Err(error) => Err(StoreError::internal(error).into()),
    }
}

/// Who pays and who is paid, and how it is booked.
struct PaymentParties {
    payer: Account,
    event: LedgerEvent,
    payee: Option<LedgerAccountId>,
    loan: Option<LoanTransfer>,
}

/// Finds the accounts of the payment. The inner error is the rejection reason.
fn parties(
    tx: &mut Tx<'_>,
    terms: &PaymentInstruction,
    psu: PsuId,
    settings: &ExecutionSettings<'_>,
    today: Date,
) -> Result<Result<PaymentParties, RejectionReason>, StoreError> {
    let payer = match payer(tx, terms, psu)? {
        Ok(payer) => payer,
        Err(cause) => return Ok(Err(cause)),
    };
    Ok(match terms.product {
        PaymentProduct::InternalTransfers if settings.collection == Some(terms.creditor) => {
            let event = LedgerEvent::LoanTransferInternal;
            loan_transfer(tx, terms, today)?.map(|transfer| PaymentParties {
                payer,
                event,
                payee: None,
                loan: Some(transfer),
            })
        }
        PaymentProduct::InternalTransfers => {
            let event = LedgerEvent::InternalTransfer;
            payee(tx, terms)?.map(|payee| PaymentParties {
                payer,
                event,
                payee: Some(payee.ledger),
                loan: None,
            })
        }
        PaymentProduct::SepaCreditTransfers | PaymentProduct::InstantSepaCreditTransfers => {
            let event = LedgerEvent::SepaOutAccepted;
            Ok(PaymentParties { payer, event, payee: None, loan: None })
        }
    })
}

/// The loan that a payment to the collection account names. A payment of more than is owed is rejected, so that
/// nothing must be returned.
fn loan_transfer(
    tx: &mut Tx<'_>,
    terms: &PaymentInstruction,
    today: Date,
) -> Result<Result<LoanTransfer, RejectionReason>, StoreError> {
    let found = LoanTransfer::find(tx, &[terms.remittance.as_deref()], terms.amount, today)?;
    Ok(match found {
        None => Err(RejectionReason::ReferenceUnknown),
        Some(transfer) if transfer.excess_minor() > 0 => Err(RejectionReason::AmountTooHigh),
        Some(transfer) => Ok(transfer),
    })
}

/// The customer's account that the order names.
fn payer(
    tx: &mut Tx<'_>,
    terms: &PaymentInstruction,
    psu: PsuId,
) -> Result<Result<Account, RejectionReason>, StoreError> {
    let named = CustomerAssets::load(tx, psu)?.matching_accounts(tx, &terms.debtor)?;
    if named.is_empty() {
        return Ok(Err(RejectionReason::Owner));
    }
    let mut accounts = Vec::new();
    for id in named {
        accounts.extend(tx.account_find(id)?);
    }
    Ok(usable(accounts, terms))
}

fn payee(
    tx: &mut Tx<'_>,
    terms: &PaymentInstruction,
) -> Result<Result<Account, RejectionReason>, StoreError> {
    let mut accounts = tx.account_by_iban(&terms.creditor)?;
    accounts.retain(|account| account.status != AccountStatus::Deleted);
    if accounts.is_empty() {
        return Ok(Err(RejectionReason::PayeeUnknown));
    }
    Ok(usable(accounts, terms))
}

/// The account in the payment's currency that can be used.
fn usable(mut accounts: Vec<Account>, terms: &PaymentInstruction) -> Result<Account, RejectionReason> {
    accounts.retain(|account| account.currency == terms.amount.currency);
    if accounts.is_empty() {
        return Err(RejectionReason::Currency);
    }
    accounts
        .into_iter()
        .find(|account| account.status == AccountStatus::Enabled)
        .ok_or(RejectionReason::Blocked)
}

fn amounts(terms: &PaymentInstruction) -> Amounts {
    Amounts::of(terms.amount).fee(terms.fee.minor)
}

/// The details of both entries.
fn detail(terms: &PaymentInstruction, payer: &Account, payer_name: String) -> TransactionDetail {
    let payee = AccountReference::iban(terms.creditor, Some(terms.amount.currency));
    let code = match terms.product {
        PaymentProduct::InternalTransfers => "PMNT-ICDT-BOOK",
        PaymentProduct::SepaCreditTransfers => "PMNT-ICDT-ESCT",
        PaymentProduct::InstantSepaCreditTransfers => "PMNT-IRCT-ESCT",
    };
    TransactionDetail {
        particulars: TransactionFields {
            end_to_end_id: terms.end_to_end_id.clone(),
            creditor: Party::new(terms.creditor_name.clone(), Some(payee)),
            debtor: Party::new(payer_name, Some(payer.reference())),
            remittance_unstructured: terms.remittance.clone(),
            ..TransactionFields::default()
        },
        bank_transaction_code: Some(code.to_owned()),
        ..TransactionDetail::default()
    }
}
