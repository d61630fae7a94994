//! The forms of passkeys, and the list of the member's passkeys. The script of `trapeza_web::site` asks the browser for a passkey
//! and fills in the fields of the form.

use crate::portal_request::PortalRequest;
use trapeza_app::UseCaseError;
use trapeza_app::login::{Ceremony, RelyingParty};
use trapeza_domain::login::LoginKind;
use trapeza_domain::refusal::Refusal;
use trapeza_web::site::{Block, Cell, Form, Input, PasskeyRequest, Table, format_time};

const SIGN_IN: &str = "/portal/sign-in/passkey";
const ACCOUNT: &str = "/portal/account/passkeys";
/// The hidden fields that the script fills in.
pub const FIELDS: [&str; 5] = ["credential", "client_data", "authenticator_data", "signature", "user_handle"];

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

pub fn create_form(request: &PortalRequest) -> Result<Option<Form>, Refusal> {
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
