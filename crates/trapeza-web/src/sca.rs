//! The redirect pages of strong customer authentication, from the link to the redirect back to the third party.

mod account_choice;

use super::layout::{Back, Form, Layout, redirect, render};
use super::page_request::PageRequest;
use super::script::Script;
use super::summary::Summary;
use super::templates::{Answer, AnswerMode, Choose, End, Method, Notice, SignIn, Start};
use super::{csrf_failed, internal_error};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::sca::{ApprovalRequest, ChallengeView, RedirectPreview, RedirectView, Step};
use trapeza_domain::authorisation::{ScaStatus, TargetKind};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::RefusalReason;
use trapeza_domain::secret::Secret;
use trapeza_texts::page::{PageTexts, fill};

/// Shows the current state. A GET claims nothing: link previews send it as well.
pub async fn get(request: &PageRequest, token: &str) -> Response {
    match request.state.app.redirect_view(token, &request.session).await {
        Ok(view) => render_state(request, &view, StatusCode::OK, None),
        Err(error) => from_outside(request, token, error).await,
    }
}

/// Handles a form.
pub async fn post(request: &PageRequest, token: &str) -> Response {
    if !request.csrf_valid() {
        return csrf_failed(request);
    }
    let (app, browser) = (&request.state.app, request.session.as_str());
    let language = request.texts.language;
    let step = match request.field("step") {
        "open" => None,
        "password" => Some(match request.user_name() {
            user if user.is_empty() => Step::Password(request.secret("password")),
            psu_name => Step::SignIn { psu_name, password: request.secret("password") },
        }),
        "method" => Some(Step::Method(request.field("method").to_owned())),
        "code" => Some(Step::Code(Secret::new(request.field("code").to_owned()))),
        "accounts" => return account_choice::post(request, token).await,
        "refuse" => {
            return match app.redirect_reject(token, browser).await {
                Ok(_) => redirect(&request.page),
                Err(error) => {
                    let texts = request.texts;
                    let messages = StepMessages { wrong: texts.code_wrong, too_many: texts.too_many };
                    refused(request, token, error, messages).await
                }
            };
        }
        _ => return redirect(&request.page),
    };
    let messages = match step {
        Some(Step::Password(_) | Step::SignIn { .. }) => {
            StepMessages { wrong: request.texts.password_wrong, too_many: request.texts.app.slow }
        }
        _ => StepMessages { wrong: request.texts.code_wrong, too_many: request.texts.too_many },
    };
    let taken = match step {
        None => app.redirect_open(token, browser).await,
        Some(step @ (Step::Password(_) | Step::SignIn { .. })) => {
            request.within_sign_in_budget(app.redirect_step(token, browser, language, step)).await
        }
        Some(step) => app.redirect_step(token, browser, language, step).await,
    };
    match taken {
        Ok(_) => redirect(&request.page),
        Err(error) => refused(request, token, error, messages).await,
    }
}

/// The errors that a page shows after a refused step.
struct StepMessages {
    wrong: &'static str,
    too_many: &'static str,
}

/// The page after a refused step: with an error, or with the current state.
async fn refused(
    request: &PageRequest,
    token: &str,
    error: UseCaseError,
    messages: StepMessages,
) -> Response {
    let (status, message) = match &error {
        UseCaseError::Refused(refusal) => match refusal.reason {
            RefusalReason::CredentialsInvalid => (StatusCode::UNAUTHORIZED, messages.wrong),
            RefusalReason::RateExceeded => (StatusCode::TOO_MANY_REQUESTS, messages.too_many),
            // A double click or an outdated page: show the current state.
            RefusalReason::StepOutOfOrder
            | RefusalReason::StatusInvalid
            | RefusalReason::ScaMethodUnknown => {
                return redirect(&request.page);
            }
            _ => return from_outside(request, token, error).await,
        },
        UseCaseError::Failed(_) => return internal_error(request, &error),
    };
    match request.state.app.redirect_view(token, &request.session).await {
        Ok(view) => render_state(request, &view, status, Some(message)),
        Err(error) => from_outside(request, token, error).await,
    }
}

/// The page for a browser that has not claimed the link.
async fn from_outside(request: &PageRequest, token: &str, error: UseCaseError) -> Response {
    if let UseCaseError::Failed(_) = error {
        return internal_error(request, &error);
    }
    match request.state.app.redirect_preview(token).await {
        Ok(preview) if preview.unopened => start(request, &preview),
        Ok(preview) => {
            let mode = preview.nok_redirect_uri.as_deref().or(preview.redirect_uri.as_deref());
            unusable_link_page(request, StatusCode::GONE, back(request.texts, mode, &preview.tpp_name))
        }
        Err(UseCaseError::Refused(_)) => unusable_link_page(request, StatusCode::NOT_FOUND, None),
        Err(error) => internal_error(request, &error),
    }
}

fn start(request: &PageRequest, preview: &RedirectPreview) -> Response {
    let texts = request.texts;
    let about = match preview.kind {
        TargetKind::Consent => texts.start_consent,
        TargetKind::FundsConsent => texts.start_funds,
        TargetKind::Payment => texts.start_payment,
        TargetKind::Cancellation => texts.start_cancellation,
        TargetKind::SigningBasket => texts.start_basket,
    };
    let mode = preview.nok_redirect_uri.as_deref().or(preview.redirect_uri.as_deref());
    let page = Start {
        layout: Layout::of(request, &fill(texts.start_title, &preview.tpp_name)),
        form: Form::of(request),
        about,
        back: back(texts, mode, &preview.tpp_name),
    };
    render(request, StatusCode::OK, &page)
}

fn unusable_link_page(request: &PageRequest, status: StatusCode, back: Option<Back>) -> Response {
    let layout = Layout::of(request, request.texts.gone_title);
    render(request, status, &Notice { layout, text: request.texts.gone_text, back })
}

/// Renders the page of the current state.
fn render_state(
    request: &PageRequest,
    view: &RedirectView,
    status: StatusCode,
    error: Option<&'static str>,
) -> Response {
    let it = &view.authorisation;
    if matches!(it.status, ScaStatus::Finalised | ScaStatus::Exempted | ScaStatus::Failed) {
        return end(request, view);
    }
    let (true, Some(approval)) = (view.signed_in, &view.request) else {
        let page = SignIn {
            layout: Layout::of(request, request.texts.sign_in_title),
            form: Form::of(request),
            why: fill(request.texts.sign_in_for, &view.tpp_name),
            user: if view.psu_name.is_empty() { request.user_name() } else { view.psu_name.clone() },
            asks_user: view.psu_name.is_empty(),
            error,
        };
        return render(request, status, &page);
    };
    if let Some(offer) = &view.offer {
        return account_choice::render_offer(request, view, (offer, approval), status, error);
    }
    match &it.challenge {
        Some(challenge) if request.query("choose").is_none() => {
            render(request, status, &answer(request, view, approval, challenge, error))
        }
        _ => render(request, status, &choose(request, view, approval, error)),
    }
}

fn summary(request: &PageRequest, view: &RedirectView, approval: &ApprovalRequest) -> Summary {
    Summary::new(request.texts, &view.tpp_name, &view.organisation, approval)
}

fn choose(
    request: &PageRequest,
    view: &RedirectView,
    approval: &ApprovalRequest,
    error: Option<&'static str>,
) -> Choose {
    let methods = &view.authorisation.methods;
    // After an error the method that was selected stays selected.
    let selected = request.field("method");
    let selected = methods.iter().position(|method| method.id.to_string() == selected).unwrap_or(0);
    let method = |(index, method): (usize, &trapeza_app::sca::MethodView)| Method {
        id: method.id.to_string(),
        kind: kind_words(request.texts, method.kind),
        chosen: index == selected,
    };
    let summary = summary(request, view, approval);
    Choose {
        layout: Layout::of(request, &summary.headline),
        form: Form::of(request),
        summary,
        methods: methods.iter().enumerate().map(method).collect(),
        error,
    }
}

fn answer(
    request: &PageRequest,
    view: &RedirectView,
    approval: &ApprovalRequest,
    challenge: &ChallengeView,
    error: Option<&'static str>,
) -> Answer {
    let texts = request.texts;
    let (is_app, is_photo) = (challenge.kind == MethodKind::Push, challenge.kind == MethodKind::Photo);
    let mode = match (view.otp_open, is_app) {
        (false, _) => AnswerMode::Over,
        (true, true) => AnswerMode::App,
        (true, false) => AnswerMode::Code,
    };
    let summary = summary(request, view, approval);
    let layout = Layout::of(request, &summary.headline);
    let layout = if mode == AnswerMode::App { layout.with(Script::Wait) } else { layout };
    let over = if view.otp_resend { texts.code_over } else { texts.code_none };
    let chosen = view.authorisation.chosen.as_ref().filter(|_| view.otp_resend);
    let several = view.otp_resend && view.authorisation.methods.len() > 1;
    Answer {
        layout,
        form: Form::of(request),
        summary,
        prompt: match challenge.kind {
            _ if mode == AnswerMode::Over => over,
            MethodKind::Sms => texts.prompt_sms,
            MethodKind::Chip => texts.prompt_chip,
            MethodKind::Photo => texts.prompt_photo,
            MethodKind::Push => texts.prompt_push,
        },
        shown: challenge.display.clone().filter(|_| !is_photo && mode != AnswerMode::Over),
        picture: challenge
            .display
            .as_deref()
            .filter(|_| is_photo && view.otp_open)
            .map(trapeza_qr::png_base64),
        mode,
        again: chosen.map(|method| {
            let label = match method.kind {
                MethodKind::Sms => texts.code_again,
                MethodKind::Chip => texts.digits_again,
                MethodKind::Photo => texts.picture_again,
                MethodKind::Push => texts.push_again,
            };
            (method.id.to_string(), label)
        }),
        choose: several.then(|| format!("{}?choose=1", request.page)),
        error,
    }
}

fn kind_words(texts: &PageTexts, kind: MethodKind) -> &'static str {
    match kind {
        MethodKind::Sms => texts.method_sms,
        MethodKind::Chip => texts.method_chip,
        MethodKind::Photo => texts.method_photo,
        MethodKind::Push => texts.method_push,
    }
}

fn end(request: &PageRequest, view: &RedirectView) -> Response {
    let (texts, tpp) = (request.texts, view.tpp_name.as_str());
    let finalised = view.authorisation.status != ScaStatus::Failed;
    let good = finalised && view.granted;
    let unpaid = view.rejection.as_ref().map(|rejection| texts.unpaid(rejection));
    let (title, text) = match (view.target.kind(), good, finalised) {
        (_, false, false) => (texts.end_failed, texts.end_failed_text),
        (TargetKind::Payment, true, _) => (texts.end_granted, texts.end_paid_text),
        (TargetKind::Payment, false, _) => (texts.end_undone, texts.end_undone),
        (TargetKind::Cancellation, true, _) => (texts.end_granted, texts.end_cancelled_text),
        (TargetKind::Cancellation, false, _) => (texts.end_undone, texts.end_too_late_text),
        (TargetKind::SigningBasket, true, _) => (texts.end_granted, texts.end_basket_text),
        (TargetKind::SigningBasket, false, _) => (texts.end_undone, texts.end_basket_undone_text),
        (_, true, _) => (texts.end_granted, texts.end_granted_text),
        (_, false, _) => (texts.end_foreign, texts.end_foreign_text),
    };
    let mode = if good { &view.redirect_uri } else { &view.nok_redirect_uri };
    let back = back(texts, mode.as_deref().or(view.redirect_uri.as_deref()), tpp);
    let layout = Layout::of(request, title);
    let (layout, then) = match &back {
        Some(_) => (layout.with(Script::End), fill(texts.on_the_way, tpp)),
        None => (layout, texts.close_window.to_owned()),
    };
    let text = unpaid.unwrap_or_else(|| fill(text, tpp));
    render(
        request,
        StatusCode::OK,
        &End { layout, good, text, then, back, more: None, documents: Vec::new() },
    )
}

/// The link back to the third party. Registered URIs can have any scheme; only http and https become links.
fn back(texts: &PageTexts, href: Option<&str>, tpp: &str) -> Option<Back> {
    let href = href.filter(|href| href.starts_with("https://") || href.starts_with("http://"))?;
    Some(Back { href: href.to_owned(), label: fill(texts.back_to, tpp) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_texts::page::ENGLISH;

    #[test]
    fn only_web_addresses_become_links() {
        let shown = |href| back(&ENGLISH, href, "Kyklos").map(|back| (back.href, back.label));
        for href in ["https://kyklos.example/back?state=1", "http://localhost:9090/back"] {
            assert_eq!(shown(Some(href)), Some((href.to_owned(), "Back to Kyklos".to_owned())));
        }
        for href in ["javascript:alert(1)", "data:text/html,x", "kyklos://back", "//kyklos.example", ""] {
            assert_eq!(shown(Some(href)), None, "{href}");
        }
        assert_eq!(shown(None), None);
    }
}
