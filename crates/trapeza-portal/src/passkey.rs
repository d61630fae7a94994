//! Passkeys: sign-in with one, and those of the member on the account page. The script of `trapeza_web::site` asks the browser
//! for a passkey and fills in the fields of the form.

use crate::account;
use crate::portal_request::PortalRequest;
use crate::sign_in;
use axum::http::StatusCode;
use trapeza_app::UseCaseError;
use trapeza_app::login::{Ceremony, PasskeyResponse, RelyingParty};
use trapeza_domain::field::Field;
use trapeza_domain::id::PasskeyId;
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Input, PasskeyRequest, Table, format_time, is_form_error};

const SIGN_IN: &str = "/portal/sign-in/passkey";
const ACCOUNT: &str = "/portal/account/passkeys";
/// The hidden fields that the script fills in.
const FIELDS: [&str; 5] = ["credential", "client_data", "authenticator_data", "signature", "user_handle"];

pub async fn sign_in(request: &PortalRequest) -> PageResult {
    let token = request.app().session_token_new();
    let (party, response) = (party(request)?, response(request));
    let scope = (request.web.session.as_str(), &party);
    let step = request.app().portal_passkey_sign_in(scope, &response, &token, request.browser());
    match request.web.within_sign_in_budget(step).await {
        Ok(_) => Ok(request.redirect_with_session("/portal", &token)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let status = match refusal.reason {
                RefusalReason::RateExceeded => StatusCode::TOO_MANY_REQUESTS,
                _ => StatusCode::UNAUTHORIZED,
            };
            let form = sign_in_form(request).map(|form| form.refused(&refusal, &[]));
            Ok(sign_in::page(request, sign_in::form(request), form).respond(request, status))
        }
        Err(error) => Err(error),
    }
}

pub async fn create(request: &PortalRequest) -> PageResult {
    let (caller, party, response) = (request.signed_in()?, party(request)?, response(request));
    let scope = (request.web.session.as_str(), &party);
    let name = request.web.field("name");
    match request.app().login_passkey_create(&caller.login(), scope, name, &response).await {
        Ok(()) => Ok(redirect(account::PATH)),
        Err(UseCaseError::Refused(refusal)) if is_form_error(&refusal) => {
            let form = create_form(request)?
                .map(|form| form.filled(&request.web).refused(&refusal, &[(Field::Name, "name")]));
            let page = account::page(request, form).await?;
            Ok(page.respond(request, StatusCode::BAD_REQUEST))
        }
        Err(error) => Err(error),
    }
}

pub async fn remove(request: &PortalRequest) -> PageResult {
    let passkey = request.id("passkey", PasskeyId::parse)?;
    request.app().login_passkey_remove(&request.signed_in()?.login(), passkey).await?;
    Ok(redirect(account::PATH))
}

/// The passkeys of the member, for the account page. `form` is the form with errors instead of a new one.
pub async fn blocks(request: &PortalRequest, form: Option<Form>) -> Result<Vec<Block>, UseCaseError> {
    let passkeys = request.app().login_passkey_list(&request.signed_in()?.login()).await?;
    let rows = passkeys.into_iter().map(|passkey| {
        let remove = format!("{ACCOUNT}/{}/remove", passkey.id);
        vec![
            Cell::text(passkey.name),
            Cell::text(format_time(passkey.created_at)),
            Cell::text(passkey.last_used_at.map_or("never".to_owned(), format_time)),
            Cell::Forms(vec![Form::new(&request.web, &remove, "Remove").class("no")]),
        ]
    });
    let table = Table {
        label: "Your passkeys".to_owned(),
        head: vec!["Name", "Added", "Last used", "Action"],
        rows: rows.collect(),
        empty: "You have no passkeys.",
    };
    let mut blocks = vec![Block::heading("Passkeys"), Block::Table(table)];
    let form = match form {
        Some(form) => Some(form),
        None => create_form(request)?,
    };
    blocks.push(match form {
        Some(form) => Block::form(form),
        None => Block::text("Passkeys need an address with a host name; this one is a number."),
    });
    Ok(blocks)
}

/// `None` when browsers have no passkeys for the address of the bank.
pub fn sign_in_form(request: &PortalRequest) -> Option<Form> {
    let party = RelyingParty::of(request.public_url())?;
    let passkey = PasskeyRequest {
        kind: "get",
        challenge: request.app().login_challenge(LoginKind::Member, &request.web.session, Ceremony::Get),
        party: party.id,
        user: String::new(),
        user_name: String::new(),
    };
    let form = Form::new(&request.web, SIGN_IN, "Sign in with a passkey").class("plain");
    Some(with_fields(form).passkey(passkey))
}

fn create_form(request: &PortalRequest) -> Result<Option<Form>, Refusal> {
    let Some(party) = RelyingParty::of(request.public_url()) else { return Ok(None) };
    let member = &request.signed_in()?.member;
    let passkey = PasskeyRequest {
        kind: "create",
        challenge: request.app().login_challenge(LoginKind::Member, &request.web.session, Ceremony::Create),
        party: party.id,
        user: member.id.to_string(),
        user_name: member.email.as_str().to_owned(),
    };
    let form = Form::new(&request.web, &format!("{ACCOUNT}/create"), "Add a passkey")
        .field(Input::text("name", "Name of the passkey").hint("For example the device that has it."));
    Ok(Some(with_fields(form).passkey(passkey)))
}

fn with_fields(form: Form) -> Form {
    FIELDS.iter().fold(form, |form, name| form.field(Input::hidden(name, "")))
}

fn party(request: &PortalRequest) -> Result<RelyingParty, Refusal> {
    let unknown = || Refusal::new(RefusalReason::ResourceUnknown, "passkeys are not available here");
    RelyingParty::of(request.public_url()).ok_or_else(unknown)
}

fn response(request: &PortalRequest) -> PasskeyResponse {
    let [credential, client_data, authenticator_data, signature, user_handle] =
        FIELDS.map(|name| request.web.field(name).to_owned());
    PasskeyResponse { credential, client_data, authenticator_data, signature, user_handle }
}
