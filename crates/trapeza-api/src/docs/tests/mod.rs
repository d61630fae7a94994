//! The documentation against itself, and against the bank that answers.

mod answer;
mod document;
mod page;
mod route;
mod schema;
