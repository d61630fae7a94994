//! The documentation against itself, and against the bank that answers.

mod answer;
mod document;
mod fit;
mod page;
mod route;
