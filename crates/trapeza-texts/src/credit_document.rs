//! The documents of a credit agreement in words: the same sections are a page and a PDF.

mod agreement;
mod explanation;
mod facts;
mod information;
mod words;

pub use agreement::agreement;
pub use explanation::explanation;
pub use information::information;

use crate::Language;
use trapeza_domain::credit_document::DocumentKind;
use words::Words;

/// A document in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentText {
    pub title: String,
    pub sections: Vec<DocumentSection>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSection {
    pub title: String,
    pub parts: Vec<DocumentPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentPart {
    Paragraph(String),
    /// A text that must not be overlooked.
    Notice {
        title: String,
        text: String,
    },
    /// Names with their values.
    Facts(Vec<(String, String)>),
    Schedule(ScheduleText),
}

/// The installments as a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleText {
    /// The headers: number, due date, principal, interest, amount, how it is paid.
    pub columns: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl ScheduleText {
    /// Whether a column holds amounts.
    pub const fn is_amount(column: usize) -> bool {
        matches!(column, 2..=4)
    }
}

/// What the borrower calls a document, in a link or a list.
pub const fn document_name(language: Language, kind: DocumentKind) -> &'static str {
    let words = Words::of(language);
    match kind {
        DocumentKind::Information => words.information_name,
        DocumentKind::Agreement => words.agreement_name,
    }
}

fn section(title: &str, parts: Vec<DocumentPart>) -> DocumentSection {
    DocumentSection { title: title.to_owned(), parts }
}

fn paragraph(text: &str) -> DocumentPart {
    DocumentPart::Paragraph(text.to_owned())
}
