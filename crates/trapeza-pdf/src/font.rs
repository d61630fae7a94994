//! The two embedded fonts: glyphs and widths of their characters.
//!
//! Latin, Greek and Cyrillic in composed form need one glyph per character, so that no shaping is necessary.

use std::collections::HashMap;
use std::sync::LazyLock;

use krilla::text::Font;
use skrifa::raw::TableProvider as _;
use skrifa::{FontRef, GlyphId, MetadataProvider as _};

const REGULAR: &[u8] = include_bytes!("../fonts/NotoSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../fonts/NotoSans-Bold.ttf");

/// The regular or the bold font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// A font with what the layout has to know of it.
pub(crate) struct Face {
    pub font: Font,
    glyphs: HashMap<char, Glyph>,
}

/// A glyph and its width in thousandths of the font size.
#[derive(Clone, Copy)]
pub(crate) struct Glyph {
    pub id: u32,
    pub advance: i32,
}

static FACES: LazyLock<[Face; 2]> = LazyLock::new(|| [Face::new(REGULAR), Face::new(BOLD)]);

impl Weight {
    pub(crate) fn face(self) -> &'static Face {
        match self {
            Self::Regular => &FACES[0],
            Self::Bold => &FACES[1],
        }
    }
}

impl Face {
    fn new(data: &'static [u8]) -> Self {
        let font = Font::new(data.into(), 0).expect("the embedded font is valid");
        let table = FontRef::new(data).expect("the embedded font is valid");
        let widths = table.hmtx().expect("the embedded font has widths");
        let glyphs = table.charmap().mappings().filter_map(|(code, id)| {
            let advance = widths.advance(GlyphId::new(id.to_u32()))?;
            Some((char::from_u32(code)?, Glyph { id: id.to_u32(), advance: i32::from(advance) }))
        });
        Self { font, glyphs: glyphs.collect() }
    }

    pub(crate) fn glyph(&self, character: char) -> Option<Glyph> {
        self.glyphs.get(&character).copied()
    }

    /// The width of a text in thousandths of a point.
    pub(crate) fn width(&self, text: &str, size: i32) -> i32 {
        let units: i64 = text
            .chars()
            .filter_map(|character| self.glyph(character))
            .map(|glyph| i64::from(glyph.advance))
            .sum();
        i32::try_from(units * i64::from(size) / 1000).unwrap_or(i32::MAX / 4)
    }
}
