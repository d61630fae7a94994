//! The customer's loans with their installments, early repayment and withdrawal.

use super::templates::{Line, LoanCard, LoanWithdrawal, Loans};
use super::{Customer, top};
use crate::internal_error;
use crate::layout::{Form, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::summary::SummaryRow;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::loan::CustomerLoan;
use trapeza_domain::loan::{InstallmentState, LoanState, PayoffQuote, RepaymentStatus};
use trapeza_domain::money::Money;
use trapeza_domain::refusal::RefusalReason;
use trapeza_texts::page::{PageTexts, fill};

const PATH: &str = "/app/loans";

pub async fn list(request: &PageRequest, customer: &Customer) -> Response {
    let own = match request.state.app.customer_loan_list(customer.psu).await {
        Ok(own) => own,
        Err(error) => return internal_error(request, &error),
    };
    let texts = request.texts.app;
    let notice = request.query("notice").and_then(|notice| match notice.as_str() {
        "repaid" => Some((texts.loan_notice_repaid, true)),
        "withdrawn" => Some((texts.loan_notice_withdrawn, true)),
        "short" => Some((texts.loan_notice_short, false)),
        _ => None,
    });
    let page = Loans {
        layout: Layout::of(request, texts.loans_title),
        top: top(request, customer, PATH),
        form: Form::of(request),
        loans: own.iter().filter_map(|own| card(request.texts, own)).collect(),
        notice,
    };
    render(request, StatusCode::OK, &page)
}

pub async fn end(request: &PageRequest, customer: &Customer) -> Response {
    let (app, loan) = (&request.state.app, request.field("loan"));
    let (ended, notice) = match request.field("step") {
        "repay" => (app.customer_loan_repay(customer.psu, loan).await, "repaid"),
        "withdraw" => (app.customer_loan_withdraw(customer.psu, loan).await, "withdrawn"),
        _ => return redirect(PATH),
    };
    match ended {
        Ok(_) => redirect(&format!("{PATH}?notice={notice}")),
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::StatusInvalid => {
            // The loan has ended or cannot be paid now; the page shows its state.
            redirect(&format!("{PATH}?notice=short"))
        }
        Err(UseCaseError::Refused(_)) => redirect(PATH),
        Err(error) => internal_error(request, &error),
    }
}

/// The view of a granted loan; `None` for others.
pub fn card(texts: &'static PageTexts, own: &CustomerLoan) -> Option<LoanCard> {
    let loan = &own.detail.loan;
    let LoanState::Granted { repayment: standing, open_minor, .. } = &loan.state else { return None };
    let app = texts.app;
    let money = |minor| Money::new(minor, loan.amount.currency).to_string();
    let price = |closing: &PayoffQuote| money(closing.principal_minor + closing.interest_minor());
    let state = match (standing, loan.repay_by()) {
        (RepaymentStatus::Active, Some(last)) => fill(app.loan_withdrawal_open, &texts.day(last)),
        (RepaymentStatus::Active, None) => app.loan_active.to_owned(),
        (RepaymentStatus::Overdue { since }, _) => fill(app.loan_overdue, &texts.day(*since)),
        (RepaymentStatus::Repaid, _) => app.loan_repaid.to_owned(),
        (RepaymentStatus::Withdrawn, _) => app.loan_withdrawn.to_owned(),
        (RepaymentStatus::WrittenOff, _) => app.loan_written_off.to_owned(),
    };
    let closing = own.detail.closing.as_ref();
    let withdraw = own.withdrawable_until.zip(closing).map(|(last, closing)| LoanWithdrawal {
        text: fill(app.loan_withdraw_text, &texts.day(last)),
        label: fill(app.loan_withdraw, &price(closing)),
    });
    let mut rows = vec![
        SummaryRow::new(app.loan_order, own.order.clone()),
        SummaryRow::new(app.loan_financed, loan.amount.to_string()),
    ];
    let refunded = loan.state.refunded_minor();
    if refunded > 0 {
        rows.push(SummaryRow::new(app.loan_refunded, money(refunded)));
    }
    let paid = own.detail.progress.iter().map(InstallmentState::paid_minor).sum();
    rows.push(SummaryRow::new(app.loan_paid_total, money(paid)));
    rows.push(SummaryRow::new(app.loan_left, money(*open_minor)).highlighted("large"));
    if let Some(transfer) = &own.transfer {
        rows.push(SummaryRow::new(app.loan_transfer_iban, transfer.iban.printed()));
        rows.push(SummaryRow::new(app.loan_transfer_reference, transfer.reference.printed()));
    }
    // Fully refunded installments are omitted.
    let schedule = own.detail.progress.iter().filter(|one| one.installment.amount_minor() > 0);
    Some(LoanCard {
        id: loan.id.to_string(),
        merchant: own.merchant.clone(),
        state,
        late: matches!(standing, RepaymentStatus::Overdue { .. }),
        rows,
        schedule: schedule.map(|one| line(texts, loan.amount, one)).collect(),
        repay: closing.map(|closing| fill(app.loan_repay, &price(closing))),
        withdraw,
    })
}

/// An installment: what was paid of it and when, or what is left to pay.
fn line(texts: &PageTexts, amount: Money, one: &InstallmentState) -> Line {
    let app = texts.app;
    let money = |minor| Money::new(minor, amount.currency).to_string();
    let mut remarks = Vec::new();
    match one.settled {
        Some(day) => remarks.push(fill(app.loan_paid, &texts.day(day))),
        None if one.paid_minor() > 0 => remarks.push(fill(app.loan_paid_part, &money(one.paid_minor()))),
        None if one.attempts > 0 => remarks.push(app.loan_failed.to_owned()),
        None => {}
    }
    if one.cancelled_minor > 0 {
        remarks.push(fill(app.loan_cancelled, &money(one.cancelled_minor)));
    }
    Line {
        day: texts.day(one.installment.payment),
        who: String::new(),
        text: (!remarks.is_empty()).then(|| remarks.join(", ")),
        amount: money(if one.settled.is_some() { one.paid_minor() } else { one.open_minor() }),
        into: one.settled.is_some(),
    }
}
