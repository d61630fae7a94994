//! What the customer bought and pays later: each loan with its installments, paying it all now, and withdrawing in time.

use super::view::{Line, LoanCard, LoanWithdrawal, Loans};
use super::{Customer, top};
use crate::facts::Fact;
use crate::frame::{Form, Frame, see, show};
use crate::trouble;
use crate::visit::Visit;
use crate::words::{Words, fill};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::loan::CustomerLoan;
use trapeza_domain::loan::{InstallmentState, LoanState, PayoffQuote, RepaymentStatus};
use trapeza_domain::money::Money;
use trapeza_domain::refusal::RefusalReason;

const HERE: &str = "/app/loans";

pub async fn list(visit: &Visit, customer: &Customer) -> Response {
    let own = match visit.bank.app.customer_loan_list(customer.psu).await {
        Ok(own) => own,
        Err(stop) => return trouble(visit, &stop),
    };
    let words = visit.words.app;
    let told = visit.query("told").and_then(|told| match told.as_str() {
        "repaid" => Some((words.loan_told_repaid, true)),
        "withdrawn" => Some((words.loan_told_withdrawn, true)),
        "short" => Some((words.loan_told_short, false)),
        _ => None,
    });
    let page = Loans {
        frame: Frame::of(visit, words.loans_title),
        top: top(visit, customer, HERE),
        form: Form::of(visit),
        loans: own.iter().filter_map(|own| card(visit.words, own)).collect(),
        told,
    };
    show(visit, StatusCode::OK, &page)
}

pub async fn end(visit: &Visit, customer: &Customer) -> Response {
    let (app, loan) = (&visit.bank.app, visit.field("loan"));
    let (ended, told) = match visit.field("step") {
        "repay" => (app.customer_loan_repay(customer.psu, loan).await, "repaid"),
        "withdraw" => (app.customer_loan_withdraw(customer.psu, loan).await, "withdrawn"),
        _ => return see(HERE),
    };
    match ended {
        Ok(_) => see(&format!("{HERE}?told={told}")),
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::StatusInvalid => {
            // Over already, or not to be paid now: the page shows which.
            see(&format!("{HERE}?told=short"))
        }
        Err(UseCaseError::Refused(_)) => see(HERE),
        Err(stop) => trouble(visit, &stop),
    }
}

/// A loan that was granted; one that was not is none.
fn card(words: &'static Words, own: &CustomerLoan) -> Option<LoanCard> {
    let loan = &own.detail.loan;
    let LoanState::Granted { repayment, open_minor, .. } = &loan.state else { return None };
    let app = words.app;
    let money = |minor| Money::new(minor, loan.amount.currency).to_string();
    let price = |closing: &PayoffQuote| money(closing.principal_minor + closing.interest_minor());
    let state = match repayment {
        RepaymentStatus::Active => app.loan_active.to_owned(),
        RepaymentStatus::Overdue { since } => fill(app.loan_overdue, &words.day(*since)),
        RepaymentStatus::Repaid => app.loan_repaid.to_owned(),
        RepaymentStatus::Withdrawn => app.loan_withdrawn.to_owned(),
        RepaymentStatus::WrittenOff => app.loan_written_off.to_owned(),
    };
    let closing = own.detail.closing.as_ref();
    let withdraw = own.withdrawable_until.zip(closing).map(|(last, closing)| LoanWithdrawal {
        text: fill(app.loan_withdraw_text, &words.day(last)),
        label: fill(app.loan_withdraw, &price(closing)),
    });
    let mut rows = vec![
        Fact::new(app.loan_order, own.order.clone()),
        Fact::new(app.loan_financed, loan.amount.to_string()),
    ];
    let refunded = loan.state.refunded_minor();
    if refunded > 0 {
        rows.push(Fact::new(app.loan_refunded, money(refunded)));
    }
    rows.push(Fact::new(app.loan_left, money(*open_minor)).standing_out("large"));
    // An installment that was refunded whole is none any more.
    let schedule = own.detail.progress.iter().filter(|one| one.installment.amount_minor() > 0);
    Some(LoanCard {
        id: loan.id.to_string(),
        merchant: own.merchant.clone(),
        state,
        late: matches!(repayment, RepaymentStatus::Overdue { .. }),
        rows,
        schedule: schedule.map(|one| line(words, loan.amount, one)).collect(),
        repay: closing.map(|closing| fill(app.loan_repay, &price(closing))),
        withdraw,
    })
}

fn line(words: &Words, amount: Money, one: &InstallmentState) -> Line {
    let installment = &one.installment;
    let minor = installment.principal_minor + installment.interest_minor;
    let text = match (one.settled, one.attempts) {
        (Some(_), _) => Some(words.app.loan_paid.to_owned()),
        (None, 0) => None,
        (None, _) => Some(words.app.loan_failed.to_owned()),
    };
    Line {
        day: words.day(installment.payment),
        who: String::new(),
        text,
        amount: Money::new(minor, amount.currency).to_string(),
        into: one.settled.is_some(),
    }
}
