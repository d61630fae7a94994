//! The documents of a loan: links, and the file itself.

use crate::internal_error;
use crate::layout::{Back, Layout, render};
use crate::page_request::PageRequest;
use crate::site::attachment;
use crate::templates::Notice;
use axum::http::StatusCode;
use axum::response::Response;
use trapeza_app::UseCaseError;
use trapeza_app::loan::LoanDocument;
use trapeza_domain::credit_document::DocumentKind;
use trapeza_texts::Language;
use trapeza_texts::credit_document::document_name;

/// The links to the documents below the page of a loan or a checkout.
pub fn links(language: Language, page: &str, kinds: &[DocumentKind]) -> Vec<Back> {
    let link = |kind: &DocumentKind| Back {
        href: format!("{page}/documents/{}.pdf", kind.name()),
        label: document_name(language, *kind).to_owned(),
    };
    kinds.iter().map(link).collect()
}

/// The kind of a file such as `credit-agreement.pdf`.
pub fn kind(file: &str) -> Option<DocumentKind> {
    DocumentKind::parse(file.strip_suffix(".pdf")?)
}

/// The file, or a page that says that it cannot be shown.
pub fn response(request: &PageRequest, found: Result<LoanDocument, UseCaseError>) -> Response {
    match found {
        Ok(document) => pdf(document.kind, document.content),
        Err(UseCaseError::Refused(_)) => unavailable(request),
        Err(error) => internal_error(request, &error),
    }
}

/// A document as a file that the browser saves.
pub fn pdf(kind: DocumentKind, bytes: Vec<u8>) -> Response {
    attachment("application/pdf", &format!("{}.pdf", kind.name()), bytes)
}

/// The same page for a document that does not exist and for one of another person.
pub fn unavailable(request: &PageRequest) -> Response {
    let texts = request.texts.checkout_document;
    let layout = Layout::of(request, texts.unavailable_title);
    render(request, StatusCode::NOT_FOUND, &Notice { layout, text: texts.unavailable_text, back: None })
}
