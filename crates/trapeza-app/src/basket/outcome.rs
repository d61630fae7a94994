//! Transitions of a basket with its loan: opened, approved, declined, voided, expired. Both change in the caller's
//! transaction, with the booking of an approval. Every final transition passes through `finalise`.

use crate::callback::EnqueueContext;
use crate::ledger::{self, Posting, PostingDetail};
use crate::trace::TraceContext;
use crate::{Required, StoreError, UseCaseError, audit, callback, merchant_terms};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_domain::basket::{Basket, BasketState, DeclineReason};
use trapeza_domain::callback::{CallbackEndpoint, CallbackKind};
use trapeza_domain::id::{CallbackId, LoanId};
use trapeza_domain::ledger::LedgerAccountKind;
use trapeza_domain::ledger::posting::{Amounts, LedgerEvent, Parties};
use trapeza_domain::loan::{Contract, Loan, NewLoan};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::Tx;

/// Time and actor of a transition, and the id of the callback that it may enqueue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecisionContext {
    pub now: Timestamp,
    pub today: Date,
    pub actor: Actor,
    pub callback: CallbackId,
    /// The trace of the request, for the callback.
    pub trace: Option<TraceContext>,
    /// The system time in a sandbox, for the callback.
    pub sandbox_system_time: Option<Timestamp>,
}

impl DecisionContext {
    fn enqueue_context(&self) -> EnqueueContext {
        let Self { callback, now, trace, sandbox_system_time, .. } = *self;
        EnqueueContext { id: callback, now, trace, sandbox_system_time }
    }
}

/// An opened basket with its requested loan.
pub(crate) struct OpenedBasket {
    pub basket: Basket,
    pub loan: Loan,
}

/// Opens the basket and requests its loan.
fn open(
    tx: &mut Tx<'_>,
    basket: Basket,
    loan: LoanId,
    context: &DecisionContext,
) -> Result<OpenedBasket, UseCaseError> {
    let now = context.now;
    let (basket, opened) = basket.open(loan, now)?;
    let (loan, requested) = Loan::request(NewLoan {
        id: loan,
        basket: basket.id,
        application: basket.application,
        merchant: basket.merchant,
        amount: basket.order.value,
        now,
    });
    tx.basket_update(&basket)?;
    tx.loan_insert(&loan)?;
    audit::record(tx, now, context.actor, &opened)?;
    audit::record(tx, now, context.actor, &requested)?;
    Ok(OpenedBasket { basket, loan })
}

/// The basket with its loan; opens it first where it is not open yet.
pub(crate) fn ensure_open(
    tx: &mut Tx<'_>,
    basket: Basket,
    fresh: LoanId,
    context: &DecisionContext,
) -> Result<OpenedBasket, UseCaseError> {
    match basket.state {
        BasketState::Opened { loan } => {
            let loan = locked_loan(tx, &basket, loan)?;
            Ok(OpenedBasket { basket, loan })
        }
        _ => open(tx, basket, fresh, context),
    }
}

/// Grants the loan: books the amount less the discount to the merchant, and the principal to the shopper's loan.
pub(crate) fn approve(
    tx: &mut Tx<'_>,
    at: OpenedBasket,
    contract: Contract,
    inputs: &str,
    context: &DecisionContext,
) -> Result<Basket, UseCaseError> {
    let now = context.now;
    book_disbursement(tx, &at.loan, contract.discount_minor, context.today)?;
    let (loan, granted) = at.loan.grant(contract, now)?;
    let (basket, approved) = at.basket.approve(now)?;
    tx.loan_decide(&loan, inputs)?;
    audit::record(tx, now, context.actor, &granted)?;
    finalise(tx, &basket, approved, context)?;
    Ok(basket)
}

pub(crate) fn decline(
    tx: &mut Tx<'_>,
    at: OpenedBasket,
    reason: DeclineReason,
    inputs: &str,
    context: &DecisionContext,
) -> Result<Basket, UseCaseError> {
    let now = context.now;
    let (loan, rejected) = at.loan.reject(reason, now)?;
    let (basket, declined) = at.basket.decline(reason, now)?;
    tx.loan_decide(&loan, inputs)?;
    audit::record(tx, now, context.actor, &rejected.with("inputs", inputs))?;
    finalise(tx, &basket, declined, context)?;
    Ok(basket)
}

/// Voids an undecided basket at its merchant's request. One that was never opened gets a rejected loan, so that a merchant who polls
/// the loan sees the outcome.
pub(crate) fn void(
    tx: &mut Tx<'_>,
    basket: Basket,
    fresh: LoanId,
    context: &DecisionContext,
) -> Result<Basket, UseCaseError> {
    let (now, at) = (context.now, ensure_open(tx, basket, fresh, context)?);
    let (loan, rejected) = at.loan.reject(DeclineReason::Voided, now)?;
    tx.loan_decide(&loan, "")?;
    audit::record(tx, now, context.actor, &rejected)?;
    let (basket, voided) = at.basket.void(now)?;
    finalise(tx, &basket, voided, context)?;
    Ok(basket)
}

/// Saves the expiry of a basket that is due, and returns it as of now.
pub(crate) fn expire_if_due(
    tx: &mut Tx<'_>,
    basket: Basket,
    context: &DecisionContext,
) -> Result<Basket, UseCaseError> {
    let (basket, expired) = basket.expire_if_due(context.now);
    let Some(expired) = expired else { return Ok(basket) };
    let by_time = DecisionContext { actor: Actor::Bank, ..*context };
    if let Some(loan) = basket.state.loan() {
        let loan = locked_loan(tx, &basket, loan)?;
        let (loan, rejected) = loan.reject(DeclineReason::Expired, basket.last_action)?;
        tx.loan_decide(&loan, "")?;
        audit::record(tx, by_time.now, by_time.actor, &rejected)?;
    }
    finalise(tx, &basket, expired, &by_time)?;
    Ok(basket)
}

/// Saves a final transition, enqueues the merchant's callback and records the audit event with the callback's id.
fn finalise(
    tx: &mut Tx<'_>,
    basket: &Basket,
    event: AuditEvent,
    context: &DecisionContext,
) -> Result<(), StoreError> {
    tx.basket_update(basket)?;
    let event = match callback_event(basket) {
        Some(callback)
            if callback::enqueue(tx, basket.application, &callback, &context.enqueue_context())? =>
        {
            event.with("callback", context.callback)
        }
        _ => event,
    };
    audit::record(tx, context.now, context.actor, &event)
}

/// The callback event of a final basket.
fn callback_event(basket: &Basket) -> Option<callback::CallbackEvent> {
    let (kind, amount, reason) = match basket.state {
        BasketState::Created | BasketState::Opened { .. } => return None,
        BasketState::Approved { .. } => (CallbackKind::Approved, Some(basket.order.value), None),
        BasketState::Declined { reason, .. } => (CallbackKind::Declined, None, Some(reason)),
        BasketState::Expired { .. } => (CallbackKind::Expired, None, Some(DeclineReason::Expired)),
    };
    Some(callback::CallbackEvent {
        kind,
        public_basket: basket.public.to_string(),
        order: basket.order.order_identifier.clone(),
        request: basket.request.clone(),
        loan: basket.state.loan(),
        amount,
        reason: reason.map(|reason| reason.name().to_owned()),
        address: match kind.endpoint() {
            CallbackEndpoint::Success => basket.order.success_callback.clone(),
            CallbackEndpoint::Fail => basket.order.fail_callback.clone(),
        },
        // A basket has one final transition.
        sequence: 1,
    })
}

fn locked_loan(tx: &mut Tx<'_>, basket: &Basket, id: LoanId) -> Result<Loan, StoreError> {
    tx.loan_lock(basket.merchant, id)?.required("loan")
}

/// The merchant's discount, rounded down in favour of the merchant.
pub(crate) fn discount_minor(tx: &mut Tx<'_>, basket: &Basket) -> Result<i64, StoreError> {
    let merchant = merchant_terms::merchant(tx, basket.merchant)?;
    Ok(basket.order.value.minor.saturating_mul(i64::from(merchant.discount_basis_points)) / 10_000)
}

fn book_disbursement(
    tx: &mut Tx<'_>,
    loan: &Loan,
    discount_minor: i64,
    today: Date,
) -> Result<(), StoreError> {
    let currency = loan.amount.currency;
    let principal = tx.ledger_account_find_or_insert(
        LedgerAccountKind::LoanPrincipal,
        Some(loan.id.uuid()),
        currency,
        0,
    )?;
    let payable = tx.ledger_account_find_or_insert(
        LedgerAccountKind::Merchant,
        Some(loan.merchant.uuid()),
        currency,
        0,
    )?;
    let posting = Posting {
        event: LedgerEvent::LoanApproved,
        parties: Parties { merchant: Some(payable), loan_principal: Some(principal), ..Parties::default() },
        amounts: Amounts::of(loan.amount).discount(discount_minor),
        reference: loan.id.to_string(),
        booking_day: today,
        value_day: today,
        detail: PostingDetail::None,
    };
    ledger::post(tx, &[posting])?.map_err(StoreError::internal)?;
    Ok(())
}
