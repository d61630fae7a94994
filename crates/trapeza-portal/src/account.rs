//! The member's own account: role, recovery codes, sessions, passkeys.

use crate::portal_request::PortalRequest;
use trapeza_app::UseCaseError;
use trapeza_web::site::login::account_blocks;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Form, Page};

pub async fn show(request: &PortalRequest) -> PageResult {
    Ok(page(request, None).await?.ok(request))
}

/// The page, with the form of a passkey that has errors instead of a new one.
pub async fn page(request: &PortalRequest, form: Option<Form>) -> Result<Page, UseCaseError> {
    let caller = request.signed_in()?;
    let view = request.app().organisation_view(caller).await?;
    let facts = [
        ("Name", caller.member.name.clone()),
        ("E-mail address", caller.member.email.as_str().to_owned()),
        ("Role", caller.member.role.name().to_owned()),
        ("Recovery codes left", view.recovery_codes.to_string()),
    ];
    Ok(Page::new("Account").with(Block::facts(facts)).with_all(account_blocks(request, form).await?))
}
