//! Loans as merchants see them, and the sandbox operation that decides a basket.

mod admin;
mod customer;
mod document;
mod ending;
mod forbearance;
mod forbearance_view;
mod guest;
mod notice;
mod refund;
mod refund_payable;
mod refund_payout;
mod review;
mod review_decision;
mod servicing;
mod transfer;

pub use admin::LoanDetail;
pub(crate) use admin::{write_off, write_off_approved_state};
pub use customer::CustomerLoan;
pub use ending::{LoanEnding, LoanEndingApproval, LoanEndingRequest};
pub use forbearance_view::ForbearanceView;
pub use guest::GuestLoanView;
pub use refund::{RefundOrder, RefundView, Voided};
pub(crate) use refund_payable::{refund_payout, refund_payout_approved_state, refund_payout_check};
pub(crate) use refund_payout::payable_minor;
pub use review::ReviewRequest;
pub(crate) use review::{declared_income, request as request_review, use_approval};
pub(crate) use review_decision::{
    ReviewDecision, decide as decide_review, decision_approved_state as review_approved_state,
};
pub use transfer::TransferInstructions;
pub(crate) use transfer::{LoanTransfer, TransferContext};
pub use trapeza_store::LoanDocument;

use crate::authentication::Merchant;
use crate::basket::{self, DecisionContext};
use crate::{App, Required, UseCaseError, merchant_terms, trace};
use trapeza_domain::audit_event::Actor;
use trapeza_domain::basket::{Basket, BasketId, BasketState, DeclineReason};
use trapeza_domain::field::Field;
use trapeza_domain::id::{CallbackId, LoanId};
use trapeza_domain::loan::{Contract, Loan, LoanState};
use trapeza_domain::refusal::{Refusal, RefusalReason};

/// A loan with its basket.
#[derive(Clone, Debug)]
pub struct LoanView {
    pub loan: Loan,
    pub basket: Basket,
}

impl App {
    /// The loan of a merchant's basket. `order`, if given, must be the basket's order identifier.
    pub async fn loan_find(
        &self,
        caller: &Merchant,
        public: &str,
        order: Option<&str>,
    ) -> Result<LoanView, UseCaseError> {
        let (merchant, now, order) = (caller.merchant, self.now(), order.map(str::to_owned));
        let public = basket::parse_public_id(public).map_err(|_| not_found())?;
        self.store
            .read(move |tx| {
                let basket = tx.basket_find_by_public_id(merchant, public)?.ok_or_else(not_found)?.as_of(now);
                if order.as_ref().is_some_and(|order| *order != basket.order.order_identifier) {
                    return Err(not_found().into());
                }
                let id = basket.state.loan().ok_or_else(not_found)?;
                let loan = tx.loan_find(merchant, id)?;
                let mut loan = loan.required("loan")?;
                // The basket may have expired before the sweep saved it.
                if matches!(basket.state, BasketState::Expired { .. }) && loan.state == LoanState::Pending {
                    loan = loan.reject(DeclineReason::Expired, basket.last_action)?.0;
                }
                Ok(LoanView { loan, basket })
            })
            .await
    }

    /// Decides a basket without a shopper. For sandbox applications only.
    pub async fn basket_simulate(
        &self,
        caller: &Merchant,
        number: i64,
        approve: bool,
    ) -> Result<(), UseCaseError> {
        if !caller.sandbox {
            let text = "only a sandbox application may simulate a purchase";
            return Err(Refusal::at(RefusalReason::Malformed, Field::ApplicationId, text).into());
        }
        let (merchant, loan) = (caller.merchant, LoanId::new(self.entropy.uuid()));
        let context = self.decision_context(Actor::Application(caller.application));
        let decided = self.store.write(move |tx| {
            let found = tx.basket_lock(merchant, BasketId::new(number))?;
            let basket = found.ok_or_else(|| {
                invalid_basket("unknown basket; send the numeric basketId, not the publicBasketId")
            })?;
            let basket = basket::expire_if_due(tx, basket, &context)?;
            if basket.state.is_final() {
                // The expiry is saved although the request is refused.
                return Ok(Err(invalid_basket(&format!("the basket is {} already", basket.state.name()))));
            }
            let at = basket::ensure_open(tx, basket, loan, &context)?;
            if !approve {
                basket::decline(tx, at, DeclineReason::Sandbox, "simulated", &context)?;
                return Ok(Ok(()));
            }
            let terms = merchant_terms::merchant(tx, merchant)?;
            let plan = merchant_terms::terms(tx, &terms)?.default_plan();
            let agreed =
                plan.and_then(|plan| Some((plan, plan.schedule(at.loan.amount.minor, context.today)?)));
            let (plan, schedule) =
                agreed.ok_or_else(|| invalid_basket("the merchant has no plan for this amount"))?;
            let discount_minor = basket::discount_minor(tx, &at.basket)?;
            let contract = Contract { plan, signed: context.today, borrower: None, discount_minor, schedule };
            basket::approve(tx, at, contract, "simulated", &context)?;
            Ok(Ok(()))
        });
        Ok(decided.await??)
    }

    /// The current time, with the id of a callback that a transition may enqueue.
    pub(crate) fn decision_context(&self, actor: Actor) -> DecisionContext {
        let (now, callback) = (self.now(), CallbackId::new(self.entropy.uuid()));
        DecisionContext {
            now,
            today: self.clock.zone().day(now),
            actor,
            callback,
            trace: trace::current(),
            sandbox_system_time: self.sandbox_system_time(),
        }
    }
}

fn invalid_basket(text: &str) -> Refusal {
    Refusal::malformed(Field::BasketId, text)
}

/// The same refusal for an unknown basket, for one of another merchant, and for one without a loan.
fn not_found() -> Refusal {
    let text = "unknown basket, or it has no loan; send the publicBasketId";
    Refusal::at(RefusalReason::ResourceUnknown, Field::BasketId, text)
}
