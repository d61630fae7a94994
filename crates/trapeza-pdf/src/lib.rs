//! PDF documents for customers: headings, paragraphs, facts, tables and notices on A4 pages, tagged for screen readers (PDF/UA-1).
//!
//! The same document gives the same bytes: there is no clock and no randomness, and the date comes with the document. Nothing leaves the
//! page, however long a word is. The crate knows no texts but those of the document.

mod document;
mod font;
mod format;
mod layout;
mod render;
mod structure;
mod text;

pub use document::{Block, Column, Document, Issuer, Notice};

#[cfg(test)]
mod tests;
