//! The index of the documentation and its search: all words must occur in an operation's name, path, parameters, fields or codes.

use super::layout::Layout;
use super::resource::Group;
use crate::docs::DocVariant;
use askama::Template;

/// The searched words are shown and compared up to this length.
const MAX_QUERY_CHARS: usize = 100;
/// The number of matching fields that a result links to.
const FIELD_LINKS: usize = 4;

#[derive(Clone)]
pub struct SearchEntry {
    pub group: &'static str,
    pub slug: String,
    pub id: &'static str,
    pub method: String,
    pub path: String,
    pub summary: &'static str,
    /// Paths and anchors of its fields.
    pub fields: Vec<(String, String)>,
    /// Everything that is searched, in lower case.
    text: String,
}

#[derive(Template)]
#[template(path = "docs_index.html")]
struct IndexPage<'a> {
    layout: Layout,
    public_url: &'a str,
    sandbox: bool,
    groups: Vec<(&'static str, Vec<SearchEntry>)>,
    found: usize,
}

pub fn entries(groups: &[Group]) -> Vec<SearchEntry> {
    let mut entries = Vec::new();
    for group in groups {
        for entry in &group.entries {
            let samples = entry.request.iter().chain(entry.answers.iter().map(|(_, sample)| sample));
            let fields: Vec<(String, String)> = samples
                .flat_map(|sample| &sample.fields)
                .map(|field| (field.path.clone(), field.anchor.clone()))
                .collect();
            let mut words = vec![group.name, entry.id, entry.summary, &entry.method, entry.path];
            words.extend(entry.parameters.iter().map(|parameter| parameter.name));
            words.extend(entry.errors.iter().map(|error| error.name));
            words.extend(fields.iter().map(|(path, _)| path.as_str()));
            entries.push(SearchEntry {
                group: group.name,
                slug: group.slug.clone(),
                id: entry.id,
                method: entry.method.clone(),
                path: entry.path.to_owned(),
                summary: entry.summary,
                text: words.join(" ").to_lowercase(),
                fields,
            });
        }
        entries.extend(group.calls.iter().map(|call| SearchEntry {
            group: group.name,
            slug: group.slug.clone(),
            id: call.id,
            method: "CALL".to_owned(),
            path: call.address.to_owned(),
            summary: call.summary,
            fields: Vec::new(),
            text: format!("webhook callback {} {} {}", call.id, call.summary, call.address).to_lowercase(),
        }));
    }
    entries
}

pub fn page(variant: &DocVariant, entries: &[SearchEntry], query: &str) -> String {
    let query: String = query.trim().chars().take(MAX_QUERY_CHARS).collect();
    let mut groups: Vec<(&'static str, Vec<SearchEntry>)> = Vec::new();
    let mut found = 0;
    for entry in entries.iter().filter_map(|entry| matching(entry, &query)) {
        found += 1;
        match groups.last_mut() {
            Some((group, entries)) if *group == entry.group => entries.push(entry),
            _ => groups.push((entry.group, vec![entry])),
        }
    }
    let title = if query.is_empty() { "Reference" } else { "Search" };
    let layout = Layout { query, ..Layout::new(variant, title, "") };
    let page = IndexPage { layout, public_url: &variant.public_url, sandbox: variant.sandbox, groups, found };
    page.render().expect("the template writes into a String, which cannot fail")
}

/// The entry with its matching fields, if all words occur in it.
fn matching(entry: &SearchEntry, query: &str) -> Option<SearchEntry> {
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    if !words.iter().all(|word| entry.text.contains(word)) {
        return None;
    }
    let is_match = |path: &str| words.iter().any(|word| path.to_lowercase().contains(word));
    let fields = entry.fields.iter().filter(|(path, _)| is_match(path)).take(FIELD_LINKS).cloned().collect();
    Some(SearchEntry { fields, ..entry.clone() })
}
