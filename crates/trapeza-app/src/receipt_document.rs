//! Receipts as PDF: a title, a sentence and facts, which the page of the receipt shows as well.

use crate::App;
use trapeza_pdf::{Block, Document};
use trapeza_texts::Language;

impl App {
    /// A receipt as PDF, rendered on a thread that may block.
    pub async fn receipt_pdf(
        &self,
        language: Language,
        title: String,
        text: Option<String>,
        facts: Vec<(String, String)>,
    ) -> Vec<u8> {
        let (issuer, date) = (self.document_issuer(), self.clock.today().to_civil());
        let date = (date.year().unsigned_abs(), date.month().unsigned_abs(), date.day().unsigned_abs());
        let blocks = text.map(Block::Paragraph).into_iter().chain([Block::Facts(facts)]).collect();
        let document = Document { title, language: language.tag(), issuer, date, blocks };
        let rendered = tokio::task::spawn_blocking(move || document.render());
        rendered.await.expect("a document of valid texts can be rendered")
    }
}
