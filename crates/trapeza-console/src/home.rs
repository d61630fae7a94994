//! The first page: the search, and what waits.

use crate::console_request::ConsoleRequest;
use crate::{search, work_list};
use trapeza_web::site::route::PageResult;
use trapeza_web::site::{Block, Page};

pub async fn show(request: &ConsoleRequest) -> PageResult {
    let page = Page::new("Overview").with(Block::form(search::form()));
    Ok(page.with_all(work_list::count_blocks(request).await?).ok(request))
}
