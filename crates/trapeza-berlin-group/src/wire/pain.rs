//! Orders of credit transfers as messages pain.001 of ISO 20022, versions 001.03 and 001.09, and their status as pain.002.
//!
//! A message is read strictly: elements that the schema does not have in this place are errors, those that would change what is paid and
//! are not executed are refused by their path. What is read becomes the same order as that of a JSON body.

mod content;
mod document;
mod element_path;
mod node;
mod order;
mod report;
mod transfer;

pub use document::PainDocument;
pub use element_path::with_element_names;
pub use order::{bulk_order, order};
pub use report::{OrderStatus, PainReport};

#[cfg(test)]
mod tests;
