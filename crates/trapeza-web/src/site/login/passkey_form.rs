//! The forms of passkeys. The script of the site asks the browser for a passkey and fills in the fields of the form.

use super::LoginSite;
use crate::site::{Form, Input, PasskeyRequest, SiteRequest};
use trapeza_app::login::{Ceremony, RelyingParty};
use trapeza_domain::refusal::Refusal;

/// The hidden fields that the script fills in.
pub const FIELDS: [&str; 5] = ["credential", "client_data", "authenticator_data", "signature", "user_handle"];

/// `None` when browsers have no passkeys for the address of the bank.
pub fn sign_in_form<S: LoginSite>(request: &SiteRequest<S>) -> Option<Form> {
    let party = RelyingParty::of(request.public_url())?;
    let passkey = PasskeyRequest {
        kind: "get",
        challenge: request.app().login_challenge(S::KIND, &request.web.session, Ceremony::Get),
        party: party.id,
        user: String::new(),
        user_name: String::new(),
    };
    let action = format!("{}/passkey", S::SIGN_IN);
    let form = Form::new(&request.web, &action, "Sign in with a passkey").class("plain");
    Some(with_fields(form).passkey(passkey))
}

pub fn create_form<S: LoginSite>(request: &SiteRequest<S>) -> Result<Option<Form>, Refusal> {
    let Some(party) = RelyingParty::of(request.public_url()) else { return Ok(None) };
    let caller = request.signed_in()?;
    let passkey = PasskeyRequest {
        kind: "create",
        challenge: request.app().login_challenge(S::KIND, &request.web.session, Ceremony::Create),
        party: party.id,
        user: S::login(caller).login.to_string(),
        user_name: S::email(caller).to_owned(),
    };
    let form = Form::new(&request.web, &format!("{}/passkeys/create", S::ACCOUNT), "Add a passkey")
        .field(Input::text("name", "Name of the passkey").hint("For example the device that has it."));
    Ok(Some(with_fields(form).passkey(passkey)))
}

pub fn with_fields(form: Form) -> Form {
    FIELDS.iter().fold(form, |form, name| form.field(Input::hidden(name, "")))
}
