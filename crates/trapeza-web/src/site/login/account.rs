//! The caller's own account: sessions and passkeys.

use super::{LoginSite, passkey_form};
use crate::layout::redirect;
use crate::site::route::PageResult;
use crate::site::{Block, Cell, Form, SiteRequest, Table, format_time};
use trapeza_app::UseCaseError;
use trapeza_app::login::LoginSession;
use trapeza_domain::id::LoginSessionId;

/// The sessions and passkeys. `form` is the form of a passkey that has errors instead of a new one.
pub async fn account_blocks<S: LoginSite>(
    request: &SiteRequest<S>,
    form: Option<Form>,
) -> Result<Vec<Block>, UseCaseError> {
    let login = S::login(request.signed_in()?);
    let form = match form {
        Some(form) => Some(form),
        None => passkey_form::create_form(request)?,
    };
    Ok(vec![
        Block::heading("Sessions"),
        Block::Table(sessions(request, &login).await?),
        Block::heading("Passkeys"),
        Block::Table(passkeys(request, &login).await?),
        match form {
            Some(form) => Block::form(form),
            None => Block::text("Passkeys need an address with a host name; this one is a number."),
        },
    ])
}

pub async fn session_end<S: LoginSite>(request: &SiteRequest<S>) -> PageResult {
    let session = request.id("session", LoginSessionId::parse)?;
    request.app().login_session_revoke(&S::login(request.signed_in()?), session).await?;
    Ok(redirect(S::ACCOUNT))
}

async fn sessions<S: LoginSite>(
    request: &SiteRequest<S>,
    login: &LoginSession,
) -> Result<Table, UseCaseError> {
    let sessions = request.app().login_session_list(login).await?;
    let rows = sessions.into_iter().map(|session| {
        let end = format!("{}/sessions/{}/end", S::ACCOUNT, session.id);
        let end = Form::new(&request.web, &end, "End").class("no");
        let is_own = session.id == login.session.id;
        vec![
            Cell::text(format_time(session.created_at)),
            Cell::text(format_time(session.last_seen_at)),
            Cell::text(session.browser),
            if is_own { Cell::text("this session") } else { Cell::Forms(vec![end]) },
        ]
    });
    Ok(Table {
        label: "Your sessions".to_owned(),
        head: vec!["Signed in", "Last used", "Browser", "Action"],
        rows: rows.collect(),
        empty: "",
    })
}

async fn passkeys<S: LoginSite>(
    request: &SiteRequest<S>,
    login: &LoginSession,
) -> Result<Table, UseCaseError> {
    let passkeys = request.app().login_passkey_list(login).await?;
    let rows = passkeys.into_iter().map(|passkey| {
        let remove = format!("{}/passkeys/{}/remove", S::ACCOUNT, passkey.id);
        vec![
            Cell::text(passkey.name),
            Cell::text(format_time(passkey.created_at)),
            Cell::text(passkey.last_used_at.map_or("never".to_owned(), format_time)),
            Cell::Forms(vec![Form::new(&request.web, &remove, "Remove").class("no")]),
        ]
    });
    Ok(Table {
        label: "Your passkeys".to_owned(),
        head: vec!["Name", "Added", "Last used", "Action"],
        rows: rows.collect(),
        empty: "You have no passkeys.",
    })
}
