//! Samples of the requests for a review, of a pause and of the help of a borrower.

use super::{EVIL, Samples, form, layout};
use crate::review::{Help, PausePage, ReviewErrors, ReviewForm, ReviewSource, TypedReview};
use trapeza_domain::loan::IncomeSource;
use trapeza_texts::page::{PageTexts, fill};

impl Samples for ReviewForm {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let one = |statement: &str, errors| Self {
            layout: layout(texts, texts.review.title),
            form: form(),
            step: "review",
            text: texts.review.text,
            statement_label: texts.review.statement,
            cancel: "/checkout/1".to_owned(),
            typed: TypedReview { statement: statement.to_owned(), ..TypedReview::default() },
            sources: income_sources(texts),
            errors,
        };
        let wrong = ReviewErrors {
            statement: Some(texts.review.statement_wrong),
            income: Some(texts.review.amount_wrong),
            expenses: None,
        };
        vec![one("", ReviewErrors::default()), one("</textarea><script>x</script>", wrong)]
    }
}

impl Samples for PausePage {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let layout = layout(texts, texts.review.pause_title);
        vec![Self { layout, form: form(), cancel: "/app/loans/1".to_owned() }]
    }
}

/// Help with everything that it may contain.
pub(crate) fn help(texts: &'static PageTexts) -> Help {
    Help {
        texts: vec![texts.review.pause_offer.to_owned(), texts.review.extension_offer.to_owned()],
        pause: Some("/app/loans/1/pause".to_owned()),
        extension: Some("/app/loans/1/extension".to_owned()),
        advice: Some(fill(texts.review.advice, EVIL)),
    }
}

/// All sources of income, one of them chosen.
pub(crate) fn income_sources(texts: &'static PageTexts) -> Vec<ReviewSource> {
    let source = |source: &IncomeSource| ReviewSource {
        name: source.name(),
        label: texts.review.source_name(*source),
        chosen: *source == IncomeSource::Pension,
    };
    IncomeSource::ALL.iter().map(source).collect()
}
