//! The page of a loan for its borrower without an account here: behind a code that is sent to the telephone number of the
//! purchase, how the loan is paid by transfer, and the withdrawal.

#[cfg(test)]
mod samples;
pub(super) mod templates;

use self::templates::{GuestLoan, LoanCode, LoanFind};
use crate::app::loan_card;
use crate::layout::{Form, Layout, redirect, render};
use crate::page_request::PageRequest;
use crate::review::{self, HelpLinks, ReviewErrors, ReviewSubject};
use crate::{csrf_failed, document, internal_error};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::loan::{CustomerLoan, GuestLoanView};
use trapeza_domain::loan::InstallmentState;
use trapeza_domain::money::Money;
use trapeza_domain::reference::CreditorReference;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_texts::page::fill;
use url::form_urlencoded;

pub const PATH: &str = "/loan";

/// The path of a loan's page.
pub fn path(reference: &CreditorReference) -> String {
    format!("{PATH}/{}", reference.as_str())
}

/// Asks for the reference, or redirects to the page of the reference that was entered.
pub fn find(request: &PageRequest, sent: bool) -> Response {
    if sent && !request.csrf_valid() {
        return csrf_failed(request);
    }
    match CreditorReference::find_in(request.field("reference")) {
        Some(reference) if sent => redirect(&path(&reference)),
        _ if sent => find_page(request, StatusCode::NOT_FOUND, true),
        _ => find_page(request, StatusCode::OK, false),
    }
}

pub async fn get(request: &PageRequest, reference: &str) -> Response {
    render_state(request, reference, StatusCode::OK, None).await
}

pub async fn post(request: &PageRequest, reference: &str) -> Response {
    if !request.csrf_valid() {
        return csrf_failed(request);
    }
    let (app, browser, texts) = (&request.state.app, request.session.as_str(), request.texts);
    let taken = match request.field("step") {
        "send-code" => app.guest_loan_send_code(reference, browser, texts.language).await,
        "code" => {
            let code = Secret::new(request.field("code").to_owned());
            app.guest_loan_verify_code(reference, browser, code).await
        }
        "withdraw" if request.field("sure") != "yes" => {
            let error = Some(texts.loan.withdraw_missing);
            return render_state(request, reference, StatusCode::BAD_REQUEST, error).await;
        }
        "pause" => app.guest_loan_pause(reference, browser).await,
        "extension" => return ask_for_extension(request, reference).await,
        "withdraw" => app.guest_loan_withdraw(reference, browser).await.map(|_| ()),
        _ => return redirect(&request.page),
    };
    let refusal = match taken {
        Ok(()) => return redirect(&request.page),
        Err(UseCaseError::Refused(refusal)) => refusal,
        Err(error) => return internal_error(request, &error),
    };
    let (status, error) = match refusal.reason {
        RefusalReason::CredentialsInvalid => (StatusCode::UNAUTHORIZED, texts.code_wrong),
        RefusalReason::RateExceeded => (StatusCode::TOO_MANY_REQUESTS, texts.too_many),
        // A double click or an outdated page: show the current state.
        _ => return redirect(&request.page),
    };
    render_state(request, reference, status, Some(error)).await
}

/// Asks for a longer plan.
async fn ask_for_extension(request: &PageRequest, reference: &str) -> Response {
    let (app, subject) = (&request.state.app, ReviewSubject::Extension);
    let own = match app.guest_loan_view(reference, &request.session).await {
        Ok(GuestLoanView::Verified(own)) => own,
        Ok(_) | Err(UseCaseError::Refused(_)) => return redirect(&request.page),
        Err(error) => return internal_error(request, &error),
    };
    let stated = match review::read(request, own.detail.loan.amount.currency) {
        Ok(stated) => stated,
        Err(errors) => {
            return review::page(request, StatusCode::BAD_REQUEST, subject, errors, &request.page);
        }
    };
    let result = app.guest_loan_extension(reference, &request.session, request.texts.language, stated).await;
    match result {
        Ok(()) | Err(UseCaseError::Refused(_)) => redirect(&request.page),
        Err(error) => internal_error(request, &error),
    }
}

/// Renders the page of the current state.
async fn render_state(
    request: &PageRequest,
    reference: &str,
    status: StatusCode,
    error: Option<&'static str>,
) -> Response {
    let texts = request.texts;
    let layout = Layout::of(request, texts.loan.find_title);
    let code = |prompt: String, open, send| LoanCode {
        layout: layout.clone(),
        form: Form::of(request),
        prompt,
        open,
        send,
        error,
    };
    match request.state.app.guest_loan_view(reference, &request.session).await {
        Ok(GuestLoanView::Verified(own)) if request.query("pause").is_some() && own.forbearance.can_pause => {
            review::pause_page(request, &request.page)
        }
        Ok(GuestLoanView::Verified(own))
            if request.query("extension").is_some() && own.forbearance.can_ask_for_extension =>
        {
            let errors = ReviewErrors::default();
            review::page(request, status, ReviewSubject::Extension, errors, &request.page)
        }
        Ok(GuestLoanView::Verified(loan)) => match page(request, &loan, error) {
            Some(page) => render(request, status, &page),
            None => find_page(request, StatusCode::NOT_FOUND, true),
        },
        Ok(GuestLoanView::CodeSent { phone, open, again }) => {
            let prompt = if open { texts.checkout.code_text } else { texts.checkout.code_over };
            let send = again.then_some(texts.code_again);
            render(request, status, &code(fill(prompt, &phone), open, send))
        }
        Ok(GuestLoanView::Locked { phone }) => {
            let prompt = fill(texts.loan.locked_text, &phone);
            render(request, status, &code(prompt, false, Some(texts.loan.send_code)))
        }
        Err(UseCaseError::Refused(_)) => find_page(request, StatusCode::NOT_FOUND, true),
        Err(error) => internal_error(request, &error),
    }
}

/// A document of a loan as a file.
pub async fn serve_document(request: &PageRequest, reference: &str, file: &str) -> Response {
    let Some(kind) = document::kind(file) else { return document::unavailable(request) };
    let found = request.state.app.guest_loan_document(reference, &request.session, kind).await;
    document::response(request, found)
}

fn find_page(request: &PageRequest, status: StatusCode, unknown: bool) -> Response {
    let texts = request.texts.loan;
    let page = LoanFind {
        layout: Layout::of(request, texts.find_title),
        form: Form::to(request, PATH),
        typed: request.field("reference").to_owned(),
        error: unknown.then_some(texts.find_wrong),
    };
    render(request, status, &page)
}

/// The page of a granted loan.
fn page(request: &PageRequest, own: &CustomerLoan, error: Option<&'static str>) -> Option<GuestLoan> {
    let (texts, loan) = (request.texts, &own.detail.loan);
    let money = |minor| texts.money(Money::new(minor, loan.amount.currency));
    let card = loan_card(texts, own)?;
    let mut payments = Vec::new();
    let total = own.detail.payoff_quote.map(|quote| money(quote.total_minor()));
    let next = own.detail.installments.iter().find(|one| one.settled.is_none());
    match (&total, loan.repay_by(), next) {
        (Some(total), Some(last), _) => {
            payments.push(fill(&fill(texts.loan.pay_back, total), &texts.day(last)));
        }
        (Some(total), None, Some(next)) => {
            let (amount, day) = (money(next.open_minor()), texts.day(next.installment.payment));
            payments.push(fill(&fill(texts.loan.next, &amount), &day));
            payments.push(fill(texts.loan.all, total));
        }
        _ => {}
    }
    let withdrawal = own
        .withdrawable_until
        .zip(total)
        .map(|(last, total)| fill(&fill(texts.loan.withdraw_text, &texts.day(last)), &total));
    // After a withdrawal everything is to be paid back, otherwise the next installment.
    let open_minor = match (loan.repay_by(), &own.detail.payoff_quote) {
        (Some(_), Some(quote)) => Some(quote.total_minor()),
        _ => next.map(InstallmentState::open_minor),
    };
    let from_account = own.transfer.as_ref().zip(open_minor).map(|(transfer, open_minor)| {
        let amount = Money::new(open_minor, loan.amount.currency).to_decimal_string();
        let bank = request.state.app.bank_name();
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.append_pair("iban", transfer.iban.as_str()).append_pair("name", bank);
        query.append_pair("amount", &amount).append_pair("remittance", transfer.reference.as_str());
        format!("/app/pay?{}", query.finish())
    });
    let link = |name| format!("{}?{name}=1", request.page);
    let links = HelpLinks { pause: link("pause"), extension: link("extension") };
    let help = review::help(request, own, links);
    Some(GuestLoan {
        layout: Layout::of(request, texts.loan.find_title),
        form: Form::of(request),
        loan: card,
        documents: document::links(texts.language, &request.page, &own.documents),
        payments,
        from_account,
        withdrawal,
        help,
        error,
    })
}
