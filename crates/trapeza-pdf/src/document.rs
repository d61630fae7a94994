//! What a document contains, in reading order.

/// A document as its author describes it.
#[derive(Clone, Debug)]
pub struct Document {
    /// The title, which is also the first heading.
    pub title: String,
    /// The language of all texts, as in HTML (`en`, `el`).
    pub language: &'static str,
    pub issuer: Issuer,
    /// The day the document is made: year, month, day.
    pub date: (u16, u8, u8),
    pub blocks: Vec<Block>,
}

/// Who issues the document: in the header and footer of every page.
#[derive(Clone, Debug)]
pub struct Issuer {
    pub name: String,
    /// How the issuer can be reached, in one line.
    pub contact: String,
    /// The colour of the mark in the header: red, green, blue. Texts stay black.
    pub colour: [u8; 3],
}

/// A part of a document.
#[derive(Clone, Debug)]
pub enum Block {
    /// A heading of the second or third level; the title is the first.
    Heading(String),
    Subheading(String),
    Paragraph(String),
    /// A paragraph in a frame.
    Notice(Notice),
    /// Names with their values, as a table whose first column has the row headers.
    Facts(Vec<(String, String)>),
    /// A table. Its header row is repeated on each page.
    Table {
        columns: Vec<Column>,
        rows: Vec<Vec<String>>,
    },
    /// What follows begins on a new page.
    PageBreak,
}

/// A text that must not be overlooked.
#[derive(Clone, Debug)]
pub struct Notice {
    pub title: String,
    pub text: String,
}

/// The header of a column.
#[derive(Clone, Debug)]
pub struct Column {
    pub title: String,
    /// Whether the column holds amounts, which end at its right edge.
    pub is_amount: bool,
}

impl Column {
    pub fn text(title: impl Into<String>) -> Self {
        Self { title: title.into(), is_amount: false }
    }

    pub fn amount(title: impl Into<String>) -> Self {
        Self { title: title.into(), is_amount: true }
    }
}
