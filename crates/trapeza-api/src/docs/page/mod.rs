//! The documentation as HTML pages without external resources: an index with a search, a page per resource, guides, the state machines
//! and the errors. The templates escape all values. They need no script; in a sandbox one runs the examples.

mod command;
mod dialect;
mod error;
mod example;
mod field;
mod guide;
mod layout;
mod resource;
mod search;
mod state;

pub use layout::{SCRIPT, SCRIPT_NAME, content_security_policy};

use super::DocVariant;
use bytes::Bytes;
use layout::Layout;
use search::SearchEntry;
use std::collections::HashMap;

/// All pages of a deployment. They depend on nothing but its variant, so they are rendered once; only results of a search are
/// rendered for a request.
pub struct Pages {
    variant: DocVariant,
    entries: Vec<SearchEntry>,
    index: Bytes,
    pages: HashMap<String, Bytes>,
}

impl Pages {
    pub fn new(variant: DocVariant) -> Self {
        let resources = resource::all(&variant);
        let entries = search::entries(&resources);
        let index = search::page(&variant, &entries, "").into();
        let mut pages: HashMap<String, Bytes> = resources
            .into_iter()
            .map(|group| (group.slug.clone(), resource::page(&variant, group).into()))
            .collect();
        pages.insert(layout::GUIDES.to_owned(), guide::page(&variant).into());
        pages.insert(layout::STATES.to_owned(), state::page(&variant).into());
        pages.insert(layout::ERRORS.to_owned(), error::page(&variant).into());
        if let Some(document) = &variant.dialect {
            pages.insert(layout::DIALECT.to_owned(), dialect::page(&variant, document).into());
        }
        Self { variant, entries, index, pages }
    }

    /// The index, or what a search has found.
    pub fn index(&self, query: &str) -> Bytes {
        if query.trim().is_empty() {
            return self.index.clone();
        }
        search::page(&self.variant, &self.entries, query).into()
    }

    /// A page by its name in the path.
    pub fn page(&self, name: &str) -> Option<Bytes> {
        self.pages.get(name).cloned()
    }

    /// The names of all pages, in the order of the contents.
    pub fn names(&self) -> Vec<String> {
        Layout::new(&self.variant, "", "").links.into_iter().map(|link| link.slug).collect()
    }
}
