//! The payments that a customer created in the app, and those that wait for their day: lists, receipts and cancellation.

use super::payment_templates::{Payments, Receipt, ReceiptOutcome};
use super::statement_templates::{Entry, PageLink};
use super::templates::Confirm;
use super::{Customer, app_header};
use crate::internal_error;
use crate::layout::{Form, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::site::attachment;
use crate::summary::{SummaryRow, count_rows, format_iban, payee_or_count, timing_rows};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::sca::CustomerPayment;
use trapeza_domain::calendar::next_target_day;
use trapeza_domain::payment::{PaymentProduct, PaymentState};
use trapeza_texts::page::{PageTexts, fill};
use trapeza_texts::{format, standing_order};

const PATH: &str = "/app/payments";

/// The list, newest first.
pub async fn list(request: &PageRequest, customer: &Customer) -> Response {
    let before = request.query("before");
    let app = &request.state.app;
    let (status, found) = match app.customer_payment_list(customer.psu, before.as_deref()).await {
        // A position that is none: show the newest.
        Err(UseCaseError::Refused(_)) => {
            (StatusCode::BAD_REQUEST, app.customer_payment_list(customer.psu, None).await)
        }
        found => (StatusCode::OK, found),
    };
    let (payments, has_more) = match found {
        Ok(found) => found,
        Err(error) => return internal_error(request, &error),
    };
    let upcoming = match before {
        None => app.customer_upcoming_list(customer.psu).await,
        Some(_) => Ok(Vec::new()),
    };
    let upcoming = match upcoming {
        Ok(upcoming) => upcoming,
        Err(error) => return internal_error(request, &error),
    };
    let words = request.texts.customer;
    let older = payments.last().filter(|_| has_more);
    let older = older
        .map(|last| PageLink { href: format!("{PATH}?before={}", last.id), label: words.older.to_owned() });
    let newest = (before.is_some() && status == StatusCode::OK)
        .then(|| PageLink { href: PATH.to_owned(), label: words.newest.to_owned() });
    let page = Payments {
        layout: Layout::of(request, words.payments),
        top: app_header(request, customer, "/app/pay"),
        upcoming: upcoming.iter().map(|paid| upcoming_entry(request, paid)).collect(),
        payments: payments.iter().map(|paid| entry(request, paid)).collect(),
        pages: older.into_iter().chain(newest).collect(),
        notice: match request.query("notice").as_deref() {
            _ if status != StatusCode::OK => Some((words.payments_cursor_wrong, false)),
            Some("cancelled") => Some((words.payment_cancelled, true)),
            Some("late") => Some((words.payment_too_late, false)),
            _ => None,
        },
    };
    render(request, status, &page)
}

fn entry(request: &PageRequest, paid: &CustomerPayment) -> Entry {
    let texts = request.texts;
    Entry {
        href: Some(format!("{PATH}/{}", paid.id)),
        day: texts.day(request.state.app.clock().zone().day(paid.created_at)),
        who: payee_or_count(texts, &paid.details),
        text: Some(status_name(texts, paid).to_owned()),
        amount: texts.money(paid.details.amount),
        into: false,
    }
}

/// With the day on which it is paid, or paid next.
fn upcoming_entry(request: &PageRequest, paid: &CustomerPayment) -> Entry {
    let (texts, timing) = (request.texts, paid.details.timing);
    let day = paid.next_execution.or_else(|| timing.requested_date().map(next_target_day));
    let text = match timing.standing_order() {
        Some(order) => standing_order::terms(texts.language, &order),
        None => texts.customer.payment_scheduled.to_owned(),
    };
    Entry {
        day: day.map_or_else(String::new, |day| texts.day(day)),
        text: Some(text),
        ..entry(request, paid)
    }
}

fn status_name(texts: &PageTexts, paid: &CustomerPayment) -> &'static str {
    match paid.state {
        _ if is_returned(paid) => texts.customer.payment_returned,
        PaymentState::Settled | PaymentState::Credited => texts.app.receipt_paid,
        PaymentState::Rejected { .. } => texts.app.receipt_not_paid,
        PaymentState::Cancelled => texts.app.receipt_cancelled,
        PaymentState::Received => texts.app.receipt_waiting,
        PaymentState::Scheduled { .. } => texts.customer.payment_scheduled,
        PaymentState::Authorised | PaymentState::Accepted { .. } => texts.customer.payment_accepted,
        PaymentState::Submitted | PaymentState::PartlyAccepted { .. } => texts.customer.payment_submitted,
    }
}

/// Asks whether a payment shall be cancelled, and cancels it.
pub async fn serve_cancellation(
    request: &PageRequest,
    customer: &Customer,
    id: &str,
    sent: bool,
) -> Response {
    let app = &request.state.app;
    if sent {
        return match app.customer_payment_cancel(customer.psu, id).await {
            Ok(()) => redirect(&format!("{PATH}?notice=cancelled")),
            // It is unknown, has been submitted, or has ended.
            Err(UseCaseError::Refused(_)) => redirect(&format!("{PATH}?notice=late")),
            Err(error) => internal_error(request, &error),
        };
    }
    let paid = match app.customer_payment_find(customer.psu, id).await {
        Ok(paid) if can_cancel(&paid) => paid,
        Ok(_) => return redirect(&format!("{PATH}?notice=late")),
        Err(UseCaseError::Refused(_)) => return redirect(PATH),
        Err(error) => return internal_error(request, &error),
    };
    let words = request.texts.customer;
    let page = Confirm {
        layout: Layout::of(request, words.payment_cancel_title),
        top: app_header(request, customer, "/app/pay"),
        form: Form::of(request),
        rows: receipt_rows(request, &paid, status_name(request.texts, &paid)),
        text: words.payment_cancel_text,
        label: fill(words.payment_cancel_confirm, &request.texts.money(paid.details.amount)),
        cancel: PATH,
        approval: None,
        error: None,
    };
    render(request, StatusCode::OK, &page)
}

/// Whether the payee's bank has sent everything back.
fn is_returned(paid: &CustomerPayment) -> bool {
    paid.returned.is_positive() && paid.returned.minor >= paid.details.amount.minor
}

/// What a receipt says.
struct ReceiptText {
    outcome: ReceiptOutcome,
    title: &'static str,
    text: Option<String>,
}

fn receipt_text(texts: &'static PageTexts, paid: &CustomerPayment) -> ReceiptText {
    let words = texts.customer;
    let title = status_name(texts, paid);
    let sent_back = || fill(words.payment_returned_text, &texts.money(paid.returned));
    let (outcome, text) = match paid.state {
        _ if is_returned(paid) => (ReceiptOutcome::NotPaid, Some(sent_back())),
        PaymentState::Settled if paid.returned.is_positive() => (ReceiptOutcome::Paid, Some(sent_back())),
        PaymentState::Settled | PaymentState::Credited => {
            let is_sepa = paid.product == PaymentProduct::SepaCreditTransfers;
            (ReceiptOutcome::Paid, is_sepa.then(|| words.payment_settled.to_owned()))
        }
        PaymentState::Rejected { .. } => {
            (ReceiptOutcome::NotPaid, paid.state.rejection().map(|rejection| texts.unpaid(&rejection)))
        }
        PaymentState::Cancelled => (ReceiptOutcome::NotPaid, Some(words.payment_cancelled.to_owned())),
        PaymentState::Received => (ReceiptOutcome::Pending, Some(words.payment_waiting.to_owned())),
        PaymentState::Scheduled { .. } => {
            (ReceiptOutcome::Pending, Some(words.payment_scheduled_text.to_owned()))
        }
        PaymentState::Authorised | PaymentState::Accepted { .. } => {
            (ReceiptOutcome::Pending, Some(words.payment_accepted_text.to_owned()))
        }
        PaymentState::Submitted | PaymentState::PartlyAccepted { .. } => {
            (ReceiptOutcome::Pending, Some(words.payment_submitted_text.to_owned()))
        }
    };
    ReceiptText { outcome, title, text }
}

/// The receipt of a payment that the customer created in the app.
pub async fn receipt(request: &PageRequest, customer: &Customer, id: &str) -> Response {
    let paid = match request.state.app.customer_payment_find(customer.psu, id).await {
        Ok(paid) => paid,
        // An unknown payment: show the accounts.
        Err(UseCaseError::Refused(_)) => return redirect("/app/accounts"),
        Err(error) => return internal_error(request, &error),
    };
    let words = request.texts.customer;
    let ReceiptText { outcome, title, text } = receipt_text(request.texts, &paid);
    let mut actions = Vec::new();
    if paid.state == PaymentState::Received {
        actions.push(PageLink { href: "/app".to_owned(), label: words.payment_approve.to_owned() });
    }
    if can_cancel(&paid) {
        let href = format!("{PATH}/{}/cancellation", paid.id);
        actions.push(PageLink { href, label: words.payment_cancel.to_owned() });
    }
    let href = format!("{PATH}/{}/receipt.pdf", paid.id);
    actions.push(PageLink { href, label: words.receipt_pdf.to_owned() });
    let page = Receipt {
        layout: Layout::of(request, title),
        top: app_header(request, customer, "/app/pay"),
        outcome,
        text,
        rows: receipt_rows(request, &paid, title),
        actions,
    };
    render(request, StatusCode::OK, &page)
}

/// The same as a file.
pub async fn receipt_pdf(request: &PageRequest, customer: &Customer, id: &str) -> Response {
    let app = &request.state.app;
    let paid = match app.customer_payment_find(customer.psu, id).await {
        Ok(paid) => paid,
        Err(UseCaseError::Refused(_)) => return redirect("/app/accounts"),
        Err(error) => return internal_error(request, &error),
    };
    let ReceiptText { title, text, .. } = receipt_text(request.texts, &paid);
    let facts = receipt_rows(request, &paid, title).into_iter().map(|row| (row.label.to_owned(), row.value));
    let heading = request.texts.customer.receipt_heading.to_owned();
    let bytes = app.receipt_pdf(request.texts.language, heading, text, facts.collect()).await;
    attachment("application/pdf", &format!("receipt-{}.pdf", paid.id), bytes)
}

/// Whether it can still be stopped: before its approval, and before it is submitted to clearing.
const fn can_cancel(paid: &CustomerPayment) -> bool {
    matches!(
        paid.state,
        PaymentState::Received | PaymentState::Scheduled { .. } | PaymentState::Accepted { .. }
    )
}

fn receipt_rows(request: &PageRequest, paid: &CustomerPayment, status: &str) -> Vec<SummaryRow> {
    let (texts, details) = (request.texts, &paid.details);
    let zone = request.state.app.clock().zone();
    let (day, time) = (zone.day(paid.changed_at), zone.clock_time(paid.changed_at));
    let from = details.from.name.as_ref().map(|name| texts.account_name(name));
    let from =
        from.map_or_else(String::new, |name| format!("{name} · ")) + &format_iban(&details.from.number);
    let mut rows = vec![SummaryRow::new(texts.amount, texts.money(details.amount)).highlighted("large")];
    match &details.bulk {
        Some(bulk) => rows.extend(count_rows(texts, bulk)),
        None => rows.extend([
            SummaryRow::new(texts.payee, details.payee.clone()),
            SummaryRow::new(texts.app.receipt_iban, format_iban(&details.payee_account)),
        ]),
    }
    rows.extend(details.remittance.clone().map(|text| SummaryRow::new(texts.remittance, text)));
    rows.extend(timing_rows(texts, details.timing));
    rows.push(SummaryRow::new(texts.from_account, from));
    rows.extend(details.fee.is_positive().then(|| SummaryRow::new(texts.fee, texts.money(details.fee))));
    rows.push(SummaryRow::new(texts.app.receipt_time, format::day_and_time(texts.language, day, &time)));
    rows.push(SummaryRow::new(texts.app.receipt_status, status));
    rows.push(SummaryRow::new(texts.customer.payment_id, paid.id.to_string()));
    rows
}
