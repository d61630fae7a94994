//! The pages behind scaRedirect: from the link to the end, and back to the third party in every case. What a step means
//! is the app's; here stands which page shows it.

use super::facts::Facts;
use super::frame::{Back, Form, Frame, see, show};
use super::script::Script;
use super::view::{Answer, AnswerWay, Choose, End, Method, Notice, SignIn, Start};
use super::visit::Visit;
use super::words::{Words, fill};
use super::{not_ours, trouble};
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::sca::{ApprovalRequest, ChallengeView, RedirectPreview, RedirectView, Step};
use trapeza_domain::authorisation::{ScaStatus, TargetKind};
use trapeza_domain::psu::MethodKind;
use trapeza_domain::refusal::RefusalReason;
use trapeza_http::qr;

/// Where it stands. Looking binds nothing: programs that show previews of links look, too.
pub async fn look(visit: &Visit, token: &str) -> Response {
    match visit.bank.app.redirect_view(token, &visit.browser).await {
        Ok(view) => stand(visit, &view, StatusCode::OK, None),
        Err(stop) => from_outside(visit, token, stop).await,
    }
}

/// A form was sent.
pub async fn act(visit: &Visit, token: &str) -> Response {
    if !visit.is_ours() {
        return not_ours(visit);
    }
    let (app, browser) = (&visit.bank.app, visit.browser.as_str());
    let step = match visit.field("step") {
        "open" => None,
        "password" => Some(Step::Password(visit.secret("password"))),
        "method" => Some(Step::Method(visit.field("method").to_owned())),
        "code" => Some(Step::Code(trapeza_domain::secret::Secret::new(visit.field("code").to_owned()))),
        "refuse" => {
            return match app.redirect_reject(token, browser).await {
                Ok(_) => see(&visit.page),
                Err(stop) => refused(visit, token, stop, visit.words.code_wrong).await,
            };
        }
        _ => return see(&visit.page),
    };
    let fault = match step {
        Some(Step::Password(_)) => visit.words.password_wrong,
        _ => visit.words.code_wrong,
    };
    let taken = match step {
        None => app.redirect_open(token, browser).await,
        Some(step) => app.redirect_step(token, browser, step).await,
    };
    match taken {
        Ok(_) => see(&visit.page),
        Err(stop) => refused(visit, token, stop, fault).await,
    }
}

/// A step that was not taken: the page says why, or simply where it stands.
async fn refused(visit: &Visit, token: &str, stop: UseCaseError, fault: &'static str) -> Response {
    let (status, fault) = match &stop {
        UseCaseError::Refused(refusal) => match refusal.reason {
            RefusalReason::CredentialsInvalid => (StatusCode::UNAUTHORIZED, fault),
            RefusalReason::RateExceeded => (StatusCode::TOO_MANY_REQUESTS, visit.words.too_many),
            // A second click, or an old page: where it stands now is the answer.
            RefusalReason::StepOutOfOrder
            | RefusalReason::StatusInvalid
            | RefusalReason::ScaMethodUnknown => {
                return see(&visit.page);
            }
            _ => return from_outside(visit, token, stop).await,
        },
        UseCaseError::Failed(_) => return trouble(visit, &stop),
    };
    match visit.bank.app.redirect_view(token, &visit.browser).await {
        Ok(view) => stand(visit, &view, status, Some(fault)),
        Err(stop) => from_outside(visit, token, stop).await,
    }
}

/// For a browser that the page does not belong to, or not yet.
async fn from_outside(visit: &Visit, token: &str, stop: UseCaseError) -> Response {
    if let UseCaseError::Failed(_) = stop {
        return trouble(visit, &stop);
    }
    match visit.bank.app.redirect_preview(token).await {
        Ok(glance) if glance.fresh => start(visit, &glance),
        Ok(glance) => {
            let way = glance.nok_redirect_uri.as_deref().or(glance.redirect_uri.as_deref());
            gone(visit, StatusCode::GONE, back(visit.words, way, &glance.tpp_name))
        }
        Err(UseCaseError::Refused(_)) => gone(visit, StatusCode::NOT_FOUND, None),
        Err(stop) => trouble(visit, &stop),
    }
}

fn start(visit: &Visit, glance: &RedirectPreview) -> Response {
    let words = visit.words;
    let about = match glance.kind {
        TargetKind::Consent => words.start_consent,
        TargetKind::FundsConsent => words.start_funds,
        TargetKind::Payment => words.start_payment,
        TargetKind::Cancellation => words.start_cancellation,
    };
    let way = glance.nok_redirect_uri.as_deref().or(glance.redirect_uri.as_deref());
    let page = Start {
        frame: Frame::of(visit, &fill(words.start_title, &glance.tpp_name)),
        form: Form::of(visit),
        about,
        back: back(words, way, &glance.tpp_name),
    };
    show(visit, StatusCode::OK, &page)
}

fn gone(visit: &Visit, status: StatusCode, back: Option<Back>) -> Response {
    let frame = Frame::of(visit, visit.words.gone_title);
    show(visit, status, &Notice { frame, text: visit.words.gone_text, back })
}

/// The page that goes with where it stands.
fn stand(visit: &Visit, view: &RedirectView, status: StatusCode, fault: Option<&'static str>) -> Response {
    let it = &view.authorisation;
    if matches!(it.status, ScaStatus::Finalised | ScaStatus::Exempted | ScaStatus::Failed) {
        return end(visit, view);
    }
    let (true, Some(asked)) = (view.signed_in, &view.asked) else {
        let page = SignIn {
            frame: Frame::of(visit, visit.words.sign_in_title),
            form: Form::of(visit),
            why: fill(visit.words.sign_in_for, &view.tpp_name),
            user: view.psu_name.clone(),
            fault,
        };
        return show(visit, status, &page);
    };
    match &it.challenge {
        Some(challenge) if visit.query("choose").is_none() => {
            show(visit, status, &answer(visit, view, asked, challenge, fault))
        }
        _ => show(visit, status, &choose(visit, view, asked, fault)),
    }
}

fn facts(visit: &Visit, view: &RedirectView, asked: &ApprovalRequest) -> Facts {
    Facts::new(visit.words, &view.tpp_name, &view.organisation, asked)
}

fn choose(
    visit: &Visit,
    view: &RedirectView,
    asked: &ApprovalRequest,
    fault: Option<&'static str>,
) -> Choose {
    let method = |method: &trapeza_app::sca::MethodView| Method {
        id: method.id.to_string(),
        kind: kind_words(visit.words, method.kind),
        name: method.name.clone(),
    };
    Choose {
        frame: Frame::of(visit, visit.words.check_title),
        form: Form::of(visit),
        facts: facts(visit, view, asked),
        methods: view.authorisation.methods.iter().map(method).collect(),
        fault,
    }
}

fn answer(
    visit: &Visit,
    view: &RedirectView,
    asked: &ApprovalRequest,
    challenge: &ChallengeView,
    fault: Option<&'static str>,
) -> Answer {
    let words = visit.words;
    let (is_app, is_photo) = (challenge.kind == MethodKind::Push, challenge.kind == MethodKind::Photo);
    let way = match (view.code_open, is_app) {
        (false, _) => AnswerWay::Over,
        (true, true) => AnswerWay::App,
        (true, false) => AnswerWay::Code,
    };
    let frame = Frame::of(visit, words.confirm_title);
    let frame = if way == AnswerWay::App { frame.with(Script::Wait) } else { frame };
    let over = if view.code_again { words.code_over } else { words.code_none };
    let chosen = view.authorisation.chosen.as_ref().filter(|_| view.code_again);
    let several = view.code_again && view.authorisation.methods.len() > 1;
    Answer {
        frame,
        form: Form::of(visit),
        facts: facts(visit, view, asked),
        prompt: match challenge.kind {
            _ if way == AnswerWay::Over => over,
            MethodKind::Sms => words.prompt_sms,
            MethodKind::Chip => words.prompt_chip,
            MethodKind::Photo => words.prompt_photo,
            MethodKind::Push => words.prompt_push,
        },
        shown: challenge.shown.clone().filter(|_| !is_photo && way != AnswerWay::Over),
        picture: challenge.shown.as_deref().filter(|_| is_photo && view.code_open).map(qr::png_base64),
        way,
        again: chosen.map(|method| method.id.to_string()),
        choose: several.then(|| format!("{}?choose=1", visit.page)),
        fault,
    }
}

fn kind_words(words: &Words, kind: MethodKind) -> &'static str {
    match kind {
        MethodKind::Sms => words.method_sms,
        MethodKind::Chip => words.method_chip,
        MethodKind::Photo => words.method_photo,
        MethodKind::Push => words.method_push,
    }
}

fn end(visit: &Visit, view: &RedirectView) -> Response {
    let (words, tpp) = (visit.words, view.tpp_name.as_str());
    let finalised = view.authorisation.status != ScaStatus::Failed;
    let good = finalised && view.granted;
    let (title, text) = match (view.target.kind(), good, finalised) {
        (_, false, false) => (words.end_failed, words.end_failed_text),
        (TargetKind::Payment, true, _) => (words.end_granted, words.end_paid_text),
        (TargetKind::Payment, false, _) => (words.end_undone, words.end_unpaid_text),
        (TargetKind::Cancellation, true, _) => (words.end_granted, words.end_called_back_text),
        (TargetKind::Cancellation, false, _) => (words.end_undone, words.end_too_late_text),
        (_, true, _) => (words.end_granted, words.end_granted_text),
        (_, false, _) => (words.end_foreign, words.end_foreign_text),
    };
    let way = if good { &view.redirect_uri } else { &view.nok_redirect_uri };
    let back = back(words, way.as_deref().or(view.redirect_uri.as_deref()), tpp);
    let frame = Frame::of(visit, title);
    let (frame, then) = match &back {
        Some(_) => (frame.with(Script::End), fill(words.on_the_way, tpp)),
        None => (frame, words.close_window.to_owned()),
    };
    show(visit, StatusCode::OK, &End { frame, good, text: fill(text, tpp), then, back })
}

/// The way back to the third party. It was registered; still, only what a browser opens as a site is a link.
fn back(words: &Words, href: Option<&str>, tpp: &str) -> Option<Back> {
    let href = href.filter(|href| href.starts_with("https://") || href.starts_with("http://"))?;
    Some(Back { href: href.to_owned(), label: fill(words.back_to, tpp) })
}
