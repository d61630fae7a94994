//! What the statements of accounts and cards share: the query of the page, its form and the links to other pages.

use super::statement_templates::{Filter, PageLink};
use super::templates::Choice;
use crate::page_request::PageRequest;
use trapeza_app::account_information::{CustomerPage, CustomerStatementQuery};
use trapeza_domain::field::Field;
use trapeza_domain::refusal::Refusal;
use trapeza_texts::format;
use url::form_urlencoded::Serializer;

/// The query of the page's address. An empty value is none.
pub fn query(request: &PageRequest) -> CustomerStatementQuery {
    let value = |name| request.query(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    CustomerStatementQuery {
        month: value("month"),
        search: value("search"),
        before: value("before"),
        after: value("after"),
    }
}

/// The errors of a query that was refused, by field.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueryErrors {
    search: Option<&'static str>,
    month: Option<&'static str>,
    cursor: Option<&'static str>,
}

impl QueryErrors {
    pub fn new(request: &PageRequest, refusal: &Refusal) -> Self {
        let (texts, mut errors) = (request.texts.customer, Self::default());
        for error in &refusal.errors {
            match error.path.outermost() {
                Some(Field::SearchText) => errors.search = Some(texts.search_wrong),
                Some(Field::Month) => errors.month = Some(texts.month_wrong),
                _ => errors.cursor = Some(texts.cursor_wrong),
            }
        }
        errors
    }

    pub const fn notice(self) -> Option<&'static str> {
        self.cursor
    }
}

/// The form with what was typed.
pub fn filter<D>(request: &PageRequest, page: &CustomerPage<D>, errors: QueryErrors) -> Filter {
    let language = request.texts.language;
    let months = page.months.iter().map(|month| Choice {
        id: month.to_string(),
        label: format::month(language, month.first_day()),
        chosen: page.month == Some(*month),
    });
    let typed = query(request);
    Filter {
        is_active: page.month.is_some() || typed.search.is_some(),
        search: typed.search.unwrap_or_default(),
        months: months.collect(),
        search_error: errors.search,
        month_error: errors.month,
    }
}

/// The links to the neighbouring pages.
pub fn pages<D>(
    request: &PageRequest,
    path: &str,
    query: &CustomerStatementQuery,
    page: &CustomerPage<D>,
) -> Vec<PageLink> {
    let texts = request.texts.customer;
    let is_search = query.search.is_some();
    let mut links = Vec::new();
    if let Some(newer) = &page.newer {
        links.push(PageLink {
            href: address(path, query, Some(("after", newer))),
            label: texts.newer.to_owned(),
        });
    }
    if let Some(older) = &page.older {
        let label = if is_search { texts.search_further } else { texts.older };
        links.push(PageLink { href: address(path, query, Some(("before", older))), label: label.to_owned() });
    }
    if !page.is_first {
        links.push(PageLink { href: address(path, query, None), label: texts.newest.to_owned() });
    }
    links
}

fn address(path: &str, query: &CustomerStatementQuery, cursor: Option<(&str, &str)>) -> String {
    let mut pairs = Serializer::new(String::new());
    let kept = [("month", &query.month), ("search", &query.search)];
    for (name, value) in kept.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
        pairs.append_pair(name, value);
    }
    if let Some((name, value)) = cursor {
        pairs.append_pair(name, value);
    }
    let pairs = pairs.finish();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{pairs}") }
}
