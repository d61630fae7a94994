//! The caller's own account: role, sessions, passkeys.

use crate::console_request::ConsoleRequest;
use trapeza_app::UseCaseError;
use trapeza_web::site::login::account_blocks;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Form, Page};

pub async fn show(request: &ConsoleRequest) -> PageResult {
    Ok(page(request, None).await?.ok(request))
}

/// The page, with the form of a passkey that has errors instead of a new one.
pub async fn page(request: &ConsoleRequest, form: Option<Form>) -> Result<Page, UseCaseError> {
    let staff = &request.signed_in()?.staff;
    let facts = [
        ("Name", staff.name.clone()),
        ("E-mail address", staff.email.as_str().to_owned()),
        ("Role", staff.role.name().to_owned()),
    ];
    let tokens = Block::links([("/console/account/tokens", "Tokens of the admin API")]);
    Ok(Page::new("Account")
        .with(Block::facts(facts))
        .with(tokens)
        .with_all(account_blocks(request, form).await?))
}
