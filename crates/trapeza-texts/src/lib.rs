//! Every text that customers and shoppers read, in English and in Greek: SMS and push messages, SCA prompts, statement texts
//! and pages.
//!
//! A sentence with values is a function of a [`Language`] that matches on it; a fixed text is a row of a table with both
//! languages. Either way the compiler rejects a text that is missing in one language. Callers pass values; sentences are put
//! together here only.

pub mod account;
pub mod approval;
pub mod credit_document;
mod debt_advice;
pub mod format;
mod language;
pub mod message;
pub mod method;
pub mod page;
pub mod prompt;
pub mod rejection;
pub mod standing_order;
pub mod statement;
mod text_table;

pub use debt_advice::debt_advice;
pub use language::Language;
