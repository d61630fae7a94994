//! The first page: what the portal is for, or the member's overview.

use crate::portal_request::PortalRequest;
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Cell, Page};

pub async fn home(request: &PortalRequest) -> PageResult {
    let Some(caller) = request.caller() else { return Ok(welcome(request).ok(request)) };
    let facts = vec![
        ("Organisation".to_owned(), Cell::text(&caller.organisation.name)),
        ("Its id".to_owned(), Cell::text(caller.organisation.id.to_string())),
        ("Your role".to_owned(), Cell::text(caller.member.role.name())),
    ];
    let steps = Block::text(
        "Start with an application: create it, get a test certificate, and make your first call.",
    );
    let links = [("/portal/applications", "Applications"), ("/docs", "Reference")];
    let page = Page::new("Overview").with(Block::Facts(facts));
    let page = if request.app().is_sandbox() { page.with(steps) } else { page };
    Ok(page.with(Block::links(links)).ok(request))
}

fn welcome(request: &PortalRequest) -> Page {
    let page = Page::new("Build with the bank's interface").with(Block::text(
        "Third parties and merchants manage their applications here: keys, certificates, addresses and webhooks.",
    ));
    if request.app().portal_is_open() {
        return page.with(Block::links([
            ("/portal/sign-up", "Sign up"),
            ("/portal/sign-in", "Sign in"),
            ("/docs", "Reference"),
        ]));
    }
    page.with(Block::text("To sign up, open the link of your invitation."))
        .with(Block::links([("/portal/sign-in", "Sign in"), ("/docs", "Reference")]))
}
