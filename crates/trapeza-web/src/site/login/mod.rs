//! Sign-in, sign-out and the account of a site whose callers have logins: the members of the portal and the bank's staff.

mod account;
mod passkey;
mod passkey_form;
mod sign_in;

pub use account::{account_blocks, session_end};
pub use passkey::{create as passkey_create, remove as passkey_remove, response, sign_in as passkey_sign_in};
pub use passkey_form::with_fields;
pub use sign_in::{show, sign_out, submit};

use super::form::Form;
use super::page::{Block, Page};
use super::{Site, SiteRequest};
use trapeza_app::login::{LoginSession, PasskeyResponse, RelyingParty, SignInRequest};
use trapeza_app::{App, UseCaseError};
use trapeza_domain::login::LoginKind;

/// A site whose callers sign in with password and authenticator app or with a passkey.
pub trait LoginSite: Site {
    const KIND: LoginKind;
    /// The page after the sign-in.
    const HOME: &'static str;
    /// The page of the caller's own account, below which its forms are.
    const ACCOUNT: &'static str;

    fn login(caller: &Self::Caller) -> LoginSession;

    fn email(caller: &Self::Caller) -> &str;

    fn sign_in(
        app: &App,
        order: SignInRequest,
        token: &str,
        browser: &str,
    ) -> impl Future<Output = Result<(), UseCaseError>> + Send;

    fn passkey_sign_in(
        app: &App,
        scope: (&str, &RelyingParty),
        response: &PasskeyResponse,
        token: &str,
        browser: &str,
    ) -> impl Future<Output = Result<(), UseCaseError>> + Send;

    /// What is above the forms of the sign-in page.
    fn blocks_before_sign_in(_: &App) -> Vec<Block> {
        Vec::new()
    }

    /// What is below the forms of the sign-in page.
    fn sign_in_blocks(app: &App) -> Vec<Block>;

    /// The account page, with the form of a passkey that has errors instead of a new one.
    fn account_page(
        request: &SiteRequest<Self>,
        form: Option<Form>,
    ) -> impl Future<Output = Result<Page, UseCaseError>> + Send;
}
