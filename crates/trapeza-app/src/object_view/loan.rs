//! Baskets and loans.

use super::{ObjectView, ViewContext};
use crate::loan::{declared_income, payable_minor};
use crate::{format_date, format_timestamp};
use trapeza_domain::basket::{BasketState, PublicBasketId};
use trapeza_domain::contact::{Email, Phone};
use trapeza_domain::id::LoanId;
use trapeza_domain::loan::{Contract, InstallmentState, Loan, LoanState, RepaymentStatus, ReviewStatus};
use trapeza_domain::money::Money;
use trapeza_domain::search::SearchKind;
use trapeza_domain::staff::StaffAction;
use trapeza_store::{ObjectRelation, StoreError, Tx};
use uuid::Uuid;

pub(super) fn basket(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let public = PublicBasketId::new(*id.as_bytes());
    let Some(basket) = tx.basket_by_public_id(public)? else { return Ok(None) };
    let basket = basket.as_of(context.now);
    let title = format!("Basket {}", basket.id);
    let mut view = ObjectView::new(SearchKind::Basket, id, title).status(basket.state.name());
    view.objects = vec![format!("basket:{}", basket.id)];
    let order = &basket.order;
    view.fact("Number", basket.id);
    view.fact("Order", &order.order_identifier);
    view.fact("Value", order.value);
    view.fact("Products", order.products.len());
    view.fact_opt("Telephone number", order.phone.as_ref().map(Phone::as_str));
    view.fact_opt("E-mail address", order.email.as_ref().map(Email::as_str));
    view.fact("Request id of the merchant", &basket.request);
    view.time("Created", basket.created_at);
    view.time("Expires", basket.expires_at);
    view.time("Last change", basket.last_action);
    if let BasketState::Declined { reason, .. } = basket.state {
        view.fact("Declined because", reason.name());
    }
    view.relate_one(tx, "merchant", SearchKind::Merchant, basket.merchant.uuid())?;
    view.relate_one(tx, "application", SearchKind::Application, basket.application.uuid())?;
    if let Some(loan) = basket.state.loan() {
        view.relate_one(tx, "loan", SearchKind::Loan, loan.uuid())?;
    }
    view.relate_all(tx, "callback", ObjectRelation::BasketCallbacks, public.to_string().as_str())?;
    view.include_in_timeline(SearchKind::Loan);
    view.include_in_timeline(SearchKind::Callback);
    Ok(Some(view))
}

pub(super) fn loan(
    tx: &mut Tx<'_>,
    context: &ViewContext,
    id: Uuid,
) -> Result<Option<ObjectView>, StoreError> {
    let loan_id = LoanId::new(id);
    let Some(loan) = tx.loan_by_id(loan_id)? else { return Ok(None) };
    let mut view = ObjectView::new(SearchKind::Loan, id, format!("Loan {id}")).status(loan.state.name());
    view.fact("Amount", loan.amount);
    view.time("Requested", loan.requested_at);
    view.fact_opt("Decided", loan.decided_at.map(format_timestamp));
    view.time("Last change", loan.last_action);
    let installments = tx.loan_installment_list(loan_id)?;
    state_facts(&mut view, context, &loan, &installments);
    reviews(tx, &mut view, context, &loan)?;
    let payable = payable_minor(tx, &loan)?;
    if payable > 0 {
        view.fact("Payable to the borrower", Money::new(payable, loan.amount.currency));
        view.action(context, StaffAction::RefundPayout, [("loan", id.to_string())]);
    }
    view.objects.push(format!("basket:{}", loan.basket));
    if let Some(basket) = tx.basket_public_id(loan.basket.number())? {
        view.relate_one(tx, "basket", SearchKind::Basket, basket)?;
    }
    view.relate_one(tx, "merchant", SearchKind::Merchant, loan.merchant.uuid())?;
    view.relate_one(tx, "application", SearchKind::Application, loan.application.uuid())?;
    if let LoanState::Granted { contract: Contract { borrower: Some(borrower), .. }, .. } = &loan.state {
        if let Some(psu) = borrower.psu {
            view.relate_one(tx, "borrower", SearchKind::Customer, psu.uuid())?;
        }
        view.relate_one(tx, "telephone number", SearchKind::Shopper, borrower.shopper.uuid())?;
        if let Some(account) = borrower.account {
            view.relate_one(tx, "account that pays", SearchKind::Account, account.uuid())?;
        }
    }
    view.relate_all(tx, "refund payment", ObjectRelation::LoanRefundPayments, loan_id)?;
    if loan.clone().write_off(context.now).is_ok() {
        view.action(context, StaffAction::LoanWriteOff, [("loan", id.to_string())]);
    }
    Ok(Some(view))
}

/// What customers asked a person to decide, with the figures of the machine's decision.
fn reviews(
    tx: &mut Tx<'_>,
    view: &mut ObjectView,
    context: &ViewContext,
    loan: &Loan,
) -> Result<(), StoreError> {
    let all = tx.loan_review_list(loan.id)?;
    if all.is_empty() {
        return Ok(());
    }
    view.fact_opt("Figures of the decision", tx.loan_decision_inputs(loan.id)?);
    for review in all {
        let id = review.id.to_string();
        view.objects.push(format!("loan_review:{id}"));
        view.fact("Review", format!("{}, {}", review.kind.name(), review.status.name()));
        view.time("Review requested", review.requested_at);
        view.fact("Statement of the customer", &review.statement);
        let income = review.income.map(|income| declared_income(income, loan.amount.currency));
        view.fact_opt("Declared income", income);
        view.fact_opt("Explanation for the customer", review.explanation.as_deref());
        view.fact_opt("Approval valid until", review.valid_until.map(format_date));
        if review.status == ReviewStatus::Open {
            view.action(context, StaffAction::LoanReviewGrant, [("review", id.clone())]);
            view.action(context, StaffAction::LoanReviewReject, [("review", id)]);
        }
        view.relate_one(tx, "telephone number", SearchKind::Shopper, review.shopper.uuid())?;
        if let Some(psu) = review.psu {
            view.relate_one(tx, "customer", SearchKind::Customer, psu.uuid())?;
        }
    }
    Ok(())
}

fn state_facts(view: &mut ObjectView, context: &ViewContext, loan: &Loan, installments: &[InstallmentState]) {
    let money = |minor| Money::new(minor, loan.amount.currency);
    match &loan.state {
        LoanState::Pending => {}
        LoanState::Rejected { reason } => view.fact("Declined because", reason.name()),
        LoanState::Granted { contract, repayment, open_minor, refunded_minor, repay_by } => {
            view.day("Signed", contract.signed);
            view.fact("Installments", contract.plan.installments);
            let rate = contract.plan.yearly_rate_bp;
            view.fact("Yearly rate", format!("{}.{:02} %", rate / 100, rate % 100));
            view.fact("Merchant discount", money(contract.discount_minor));
            view.fact("Outstanding principal", money(*open_minor));
            view.fact("Refunded", money(*refunded_minor));
            if let RepaymentStatus::Overdue { since } = repayment {
                view.day("Overdue since", *since);
            }
            view.fact_opt("To be paid back by", repay_by.map(format_date));
            view.fact("Creditor reference", loan.creditor_reference().printed());
            let quote = loan.payoff_quote(installments, context.today);
            view.fact_opt("Ends today with", quote.map(|quote| money(quote.total_minor())));
            for one in installments {
                let (due, amount) = (format_date(one.installment.due), money(one.installment.amount_minor()));
                let state = match one.settled {
                    Some(day) => format!("paid on {}", format_date(day)),
                    None => format!("{} open", money(one.open_minor())),
                };
                view.fact("Installment", format!("{}: {amount} due on {due}, {state}", one.number));
            }
        }
    }
}
