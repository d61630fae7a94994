//! The first page: what waits for a decision, and the search.

use crate::console_request::ConsoleRequest;
use crate::{request, search};
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Page};

pub async fn show(request: &ConsoleRequest) -> PageResult {
    let page = Page::new("Overview").with(Block::form(search::form()));
    Ok(page.with_all(request::pending_blocks(request).await?).ok(request))
}
