//! The member's own account: role, recovery codes, sessions, passkeys.

use crate::passkey_form;
use crate::portal_request::PortalRequest;
use trapeza_app::UseCaseError;
use trapeza_domain::id::LoginSessionId;
use trapeza_web::layout::redirect;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Form, Page, Table, format_time};

pub const PATH: &str = "/portal/account";

pub async fn show(request: &PortalRequest) -> PageResult {
    Ok(page(request, None).await?.ok(request))
}

/// The page, with the form of a passkey that has errors instead of a new one.
pub async fn page(request: &PortalRequest, form: Option<Form>) -> Result<Page, UseCaseError> {
    let caller = request.signed_in()?;
    let view = request.app().organisation_view(caller).await?;
    let sessions = request.app().login_session_list(&caller.login()).await?;
    let facts = vec![
        ("Name".to_owned(), Cell::text(&caller.member.name)),
        ("E-mail address".to_owned(), Cell::text(caller.member.email.as_str())),
        ("Role".to_owned(), Cell::text(caller.member.role.name())),
        ("Recovery codes left".to_owned(), Cell::text(view.recovery_codes.to_string())),
    ];
    let rows = sessions.into_iter().map(|session| {
        let end = Form::new(&request.web, &format!("{PATH}/sessions/{}/end", session.id), "End").class("no");
        let is_own = session.id == caller.session.id;
        vec![
            Cell::text(format_time(session.created_at)),
            Cell::text(format_time(session.last_seen_at)),
            Cell::text(session.browser),
            if is_own { Cell::text("this session") } else { Cell::Forms(vec![end]) },
        ]
    });
    let table = Table {
        label: "Your sessions".to_owned(),
        head: vec!["Signed in", "Last used", "Browser", "Action"],
        rows: rows.collect(),
        empty: "",
    };
    Ok(Page::new("Account")
        .with(Block::Facts(facts))
        .with(Block::heading("Sessions"))
        .with(Block::Table(table))
        .with_all(passkey_form::blocks(request, form).await?))
}

pub async fn session_end(request: &PortalRequest) -> PageResult {
    let session = request.id("session", LoginSessionId::parse)?;
    request.app().login_session_end(&request.signed_in()?.login(), session).await?;
    Ok(redirect(PATH))
}
