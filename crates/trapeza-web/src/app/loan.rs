//! The customer's loans with their installments; early repayment and withdrawal, which the device signs.

use super::templates::{Confirm, ConfirmApproval, Line, LoanCard, LoanPage, LoanWithdrawal, Loans};
use super::{Customer, app_header};
use crate::layout::{Form, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::review::{self, HelpLinks, ReviewErrors, ReviewSubject};
use crate::script::Script;
use crate::summary::{SummaryRow, format_iban};
use crate::{document, internal_error};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::loan::{CustomerLoan, LoanEnding, LoanEndingApproval};
use trapeza_app::sca::digest_hex;
use trapeza_domain::loan::{InstallmentState, LoanState, PayoffQuote, RepaymentStatus};
use trapeza_domain::money::Money;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::time::Timestamp;
use trapeza_texts::page::{PageTexts, fill};

const PATH: &str = "/app/loans";

pub async fn list(request: &PageRequest, customer: &Customer) -> Response {
    let own = match request.state.app.customer_loan_list(customer.psu).await {
        Ok(own) => own,
        Err(error) => return internal_error(request, &error),
    };
    let cards = own.iter().filter_map(|own| card(request.texts, own));
    let (ended, active) = cards.partition(|card: &LoanCard| card.ended);
    let page = Loans {
        layout: Layout::of(request, request.texts.app.loans_title),
        top: app_header(request, customer, PATH),
        active,
        ended,
        notice: notice(request),
    };
    render(request, StatusCode::OK, &page)
}

/// One loan with everything about it.
pub async fn show(request: &PageRequest, customer: &Customer, id: &str) -> Response {
    let own = match request.state.app.customer_loan_find(customer.psu, id).await {
        Ok(Some(own)) => own,
        // An unknown loan: show the list.
        Ok(None) => return redirect(PATH),
        Err(error) => return internal_error(request, &error),
    };
    let Some(loan) = card(request.texts, &own) else { return redirect(PATH) };
    let links =
        HelpLinks { pause: format!("{PATH}/{id}/pause"), extension: format!("{PATH}/{id}/extension") };
    let help = review::help(request, &own, links);
    let page = LoanPage {
        layout: Layout::of(request, &loan.merchant),
        top: app_header(request, customer, PATH),
        documents: document::links(request.texts.language, &format!("{PATH}/{id}"), &own.documents),
        loan,
        help,
        notice: notice(request),
    };
    render(request, StatusCode::OK, &page)
}

/// A document of a loan as a file.
pub async fn serve_document(request: &PageRequest, customer: &Customer, id: &str, file: &str) -> Response {
    let Some(kind) = document::kind(file) else { return document::unavailable(request) };
    document::response(request, request.state.app.customer_loan_document(customer.psu, id, kind).await)
}

/// The result of the last action, and whether it succeeded.
fn notice(request: &PageRequest) -> Option<(&'static str, bool)> {
    let texts = request.texts.app;
    request.query("notice").and_then(|notice| match notice.as_str() {
        "repaid" => Some((texts.loan_notice_repaid, true)),
        "withdrawn" => Some((texts.loan_notice_withdrawn, true)),
        "short" => Some((texts.loan_notice_short, false)),
        "paused" => Some((request.texts.review.help_notice_paused, true)),
        "asked" => Some((request.texts.review.help_notice_asked, true)),
        _ => None,
    })
}

/// Early repayment or withdrawal: the question, and the answer.
pub async fn serve_ending(
    request: &PageRequest,
    customer: &Customer,
    id: &str,
    ending: &str,
    sent: bool,
) -> Response {
    let ending = match ending {
        "pause" => return serve_pause(request, customer, id, sent).await,
        "extension" => return serve_extension(request, customer, id, sent).await,
        "repayment" => LoanEnding::Repayment,
        "withdrawal" => LoanEnding::Withdrawal,
        _ => return redirect(PATH),
    };
    if sent {
        end(request, customer, id, ending).await
    } else {
        confirm(request, customer, id, ending, StatusCode::OK, None).await
    }
}

/// The pause of a loan: the question, and the answer.
async fn serve_pause(request: &PageRequest, customer: &Customer, id: &str, sent: bool) -> Response {
    let page = format!("{PATH}/{id}");
    if !sent {
        return review::pause_page(request, &page);
    }
    match request.state.app.customer_loan_pause(customer.psu, id).await {
        Ok(()) => redirect(&format!("{page}?notice=paused")),
        // Another click has paused it, or nothing is overdue any more: the page shows the state.
        Err(UseCaseError::Refused(_)) => redirect(&page),
        Err(error) => internal_error(request, &error),
    }
}

/// The request for a longer plan: the form, and what was sent.
async fn serve_extension(request: &PageRequest, customer: &Customer, id: &str, sent: bool) -> Response {
    let (page, subject) = (format!("{PATH}/{id}"), ReviewSubject::Extension);
    let found = match request.state.app.customer_loan_find(customer.psu, id).await {
        Ok(found) => found,
        Err(error) => return internal_error(request, &error),
    };
    let Some(own) = found.filter(|own| own.forbearance.can_ask_for_extension) else { return redirect(&page) };
    if !sent {
        return review::page(request, StatusCode::OK, subject, ReviewErrors::default(), &page);
    }
    let stated = match review::read(request, own.detail.loan.amount.currency) {
        Ok(stated) => stated,
        Err(errors) => return review::page(request, StatusCode::BAD_REQUEST, subject, errors, &page),
    };
    let language = request.texts.language;
    match request.state.app.customer_loan_extension(customer.psu, id, language, stated).await {
        Ok(()) => redirect(&format!("{page}?notice=asked")),
        Err(UseCaseError::Refused(_)) => redirect(&page),
        Err(error) => internal_error(request, &error),
    }
}

async fn end(request: &PageRequest, customer: &Customer, id: &str, ending: LoanEnding) -> Response {
    let approval = LoanEndingApproval {
        // A missing time is too old to be approved.
        shown_at: Timestamp(request.field("shown-at").parse().unwrap_or(0)),
        signature: request.field("signature").to_owned(),
    };
    let app = &request.state.app;
    let ended = app.customer_loan_end(customer.psu, &request.session, id, ending, approval).await;
    let notice = match ending {
        LoanEnding::Repayment => "repaid",
        LoanEnding::Withdrawal => "withdrawn",
    };
    match ended {
        Ok(_) => redirect(&format!("{PATH}?notice={notice}")),
        Err(UseCaseError::Refused(refusal)) => match refusal.reason {
            RefusalReason::Malformed => {
                let error = Some(request.texts.app.confirm_again);
                confirm(request, customer, id, ending, StatusCode::BAD_REQUEST, error).await
            }
            // The loan has ended or cannot be paid now; the page shows its state.
            RefusalReason::StatusInvalid => redirect(&format!("{PATH}?notice=short")),
            _ => redirect(PATH),
        },
        Err(error) => internal_error(request, &error),
    }
}

/// Shows what ending the loan debits, with the digest that the device signs.
async fn confirm(
    request: &PageRequest,
    customer: &Customer,
    id: &str,
    ending: LoanEnding,
    status: StatusCode,
    error: Option<&'static str>,
) -> Response {
    let ending_request = match request.state.app.customer_loan_ending(customer.psu, id, ending).await {
        Ok(ending_request) => ending_request,
        Err(UseCaseError::Refused(refusal)) if refusal.reason == RefusalReason::StatusInvalid => {
            return redirect(&format!("{PATH}?notice=short"));
        }
        Err(UseCaseError::Refused(_)) => return redirect(PATH),
        Err(error) => return internal_error(request, &error),
    };
    let (texts, app, amount) = (request.texts, request.texts.app, request.texts.money(ending_request.amount));
    let (title, text, label) = match ending {
        LoanEnding::Repayment => (app.loan_repay_title, app.loan_repay_text, app.loan_repay_confirm),
        LoanEnding::Withdrawal => {
            (app.loan_withdraw_title, app.loan_withdraw_confirm_text, app.loan_withdraw_confirm)
        }
    };
    let account = ending_request.account.as_ref().map(|account| {
        format!("{} · {}", texts.account_name(&account.name), format_iban(account.iban.as_str()))
    });
    let mut rows = vec![SummaryRow::new(texts.amount, amount.clone()).highlighted("large")];
    rows.extend(account.map(|account| SummaryRow::new(texts.from_account, account)));
    rows.extend([
        SummaryRow::new(texts.payee, request.state.app.bank_name().to_string()),
        SummaryRow::new(app.loan_shop, ending_request.loan.merchant.clone()),
        SummaryRow::new(app.loan_order, ending_request.loan.order.clone()),
    ]);
    let page = Confirm {
        layout: Layout::of(request, title).with(Script::App),
        top: app_header(request, customer, PATH),
        form: Form::of(request),
        rows,
        text,
        label: fill(label, &amount),
        cancel: PATH,
        approval: Some(ConfirmApproval {
            id: ending_request.loan.detail.loan.id.to_string(),
            link: digest_hex(&ending_request.digest),
            choice: ending.name(),
            shown_at: ending_request.shown_at.0,
        }),
        error,
    };
    render(request, status, &page)
}

/// The view of a granted loan; `None` for others.
pub fn card(texts: &'static PageTexts, own: &CustomerLoan) -> Option<LoanCard> {
    let loan = &own.detail.loan;
    let LoanState::Granted { repayment: standing, open_minor, .. } = &loan.state else { return None };
    let app = texts.app;
    let money = |minor| texts.money(Money::new(minor, loan.amount.currency));
    let price = |quote: &PayoffQuote| money(quote.principal_minor + quote.interest_minor());
    let state = match (standing, loan.repay_by()) {
        (RepaymentStatus::Active, Some(last)) => fill(app.loan_withdrawal_open, &texts.day(last)),
        (RepaymentStatus::Active, None) => app.loan_active.to_owned(),
        (RepaymentStatus::Overdue { since }, _) => fill(app.loan_overdue, &texts.day(*since)),
        (RepaymentStatus::Repaid, _) => app.loan_repaid.to_owned(),
        (RepaymentStatus::Withdrawn, _) => app.loan_withdrawn.to_owned(),
        (RepaymentStatus::WrittenOff, _) => app.loan_written_off.to_owned(),
    };
    let payoff_quote = own.detail.payoff_quote.as_ref();
    let withdraw = own.withdrawable_until.zip(payoff_quote).map(|(last, quote)| LoanWithdrawal {
        text: fill(app.loan_withdraw_text, &texts.day(last)),
        label: fill(app.loan_withdraw, &price(quote)),
    });
    let mut rows = vec![
        SummaryRow::new(app.loan_order, own.order.clone()),
        SummaryRow::new(app.loan_financed, texts.money(loan.amount)),
    ];
    let refunded = loan.state.refunded_minor();
    if refunded > 0 {
        rows.push(SummaryRow::new(app.loan_refunded, money(refunded)));
    }
    let paid = own.detail.installments.iter().map(InstallmentState::paid_minor).sum();
    rows.push(SummaryRow::new(app.loan_paid_total, money(paid)));
    rows.push(SummaryRow::new(app.loan_left, money(*open_minor)).highlighted("large"));
    if let Some(transfer) = &own.transfer {
        rows.push(SummaryRow::new(app.loan_transfer_iban, transfer.iban.printed()));
        rows.push(SummaryRow::new(app.loan_transfer_reference, transfer.reference.printed()));
    }
    let next = own.detail.installments.iter().find(|one| one.settled.is_none() && one.open_minor() > 0);
    let next = next.map(|one| {
        let value = fill(texts.customer.loan_next_value, &money(one.open_minor()));
        SummaryRow::new(texts.customer.loan_next, fill(&value, &texts.day(one.installment.payment)))
    });
    let ended = matches!(
        standing,
        RepaymentStatus::Repaid | RepaymentStatus::Withdrawn | RepaymentStatus::WrittenOff
    );
    // Fully refunded installments are omitted; after a withdrawal everything is due at once.
    let is_listed = |one: &&InstallmentState| {
        one.installment.amount_minor() > 0 && (loan.repay_by().is_none() || one.settled.is_some())
    };
    let schedule = own.detail.installments.iter().filter(is_listed);
    Some(LoanCard {
        id: loan.id.to_string(),
        merchant: own.merchant.clone(),
        state,
        late: matches!(standing, RepaymentStatus::Overdue { .. }),
        ended,
        next: next.filter(|_| !ended && loan.repay_by().is_none()),
        rows,
        schedule: schedule.map(|one| line(texts, loan.amount, one)).collect(),
        repay: payoff_quote.map(|quote| fill(app.loan_repay, &price(quote))),
        withdraw,
    })
}

/// An installment: what was paid of it and when, or what is left to pay.
fn line(texts: &PageTexts, amount: Money, one: &InstallmentState) -> Line {
    let app = texts.app;
    let money = |minor| texts.money(Money::new(minor, amount.currency));
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
