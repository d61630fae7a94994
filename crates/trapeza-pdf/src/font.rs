//! The two embedded fonts: glyphs and widths of their characters, and the part of a font that a document needs.
//!
//! Latin, Greek and Cyrillic in composed form need one glyph per character, so that no shaping is necessary.

use std::collections::HashMap;
use std::sync::LazyLock;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish as _, Name, Pdf, Rect, Ref, Str};
use subsetter::GlyphRemapper;

use crate::format::{compress, points};

const REGULAR: &[u8] = include_bytes!("../fonts/NotoSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../fonts/NotoSans-Bold.ttf");

const SYSTEM_INFO: SystemInfo =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The regular or the bold font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Regular,
    Bold,
}

/// A font with what the layout has to know of it.
pub(crate) struct Face {
    name: &'static str,
    data: &'static [u8],
    table: ttf_parser::Face<'static>,
    glyphs: HashMap<char, Glyph>,
}

/// A glyph and its width in thousandths of the font size.
#[derive(Clone, Copy)]
pub(crate) struct Glyph {
    id: u16,
    advance: i32,
}

static FACES: LazyLock<[Face; 2]> =
    LazyLock::new(|| [Face::new("NotoSans-Regular", REGULAR), Face::new("NotoSans-Bold", BOLD)]);

impl Weight {
    pub(crate) const ALL: [Self; 2] = [Self::Regular, Self::Bold];

    pub(crate) fn face(self) -> &'static Face {
        &FACES[self as usize]
    }

    /// The name of the font among the resources of a page.
    pub(crate) fn resource(self) -> Name<'static> {
        match self {
            Self::Regular => Name(b"F0"),
            Self::Bold => Name(b"F1"),
        }
    }
}

impl Face {
    fn new(name: &'static str, data: &'static [u8]) -> Self {
        let table = ttf_parser::Face::parse(data, 0).expect("the embedded font is valid");
        assert_eq!(table.units_per_em(), 1000, "widths are used as thousandths");
        let mut glyphs = HashMap::new();
        let subtables = table.tables().cmap.into_iter().flat_map(|cmap| cmap.subtables);
        for subtable in subtables.filter(ttf_parser::cmap::Subtable::is_unicode) {
            subtable.codepoints(|code| {
                let glyph = char::from_u32(code).zip(subtable.glyph_index(code));
                if let Some((character, id)) = glyph
                    && let Some(advance) = table.glyph_hor_advance(id)
                {
                    glyphs.insert(character, Glyph { id: id.0, advance: i32::from(advance) });
                }
            });
        }
        Self { name, data, table, glyphs }
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

/// The characters of a font that a document uses. Each has a code of its own, also where two share a glyph (Latin A and Greek Α), so
/// that the text can be extracted as it was.
pub(crate) struct UsedFont {
    face: &'static Face,
    codes: HashMap<char, u16>,
    characters: Vec<(char, Glyph)>,
}

impl UsedFont {
    pub(crate) fn new(weight: Weight) -> Self {
        Self { face: weight.face(), codes: HashMap::new(), characters: Vec::new() }
    }

    /// The codes of the text, as a page's content has them.
    pub(crate) fn encode(&mut self, text: &str) -> Vec<u8> {
        let mut encoded = Vec::with_capacity(2 * text.len());
        for character in text.chars() {
            if let Some(glyph) = self.face.glyph(character) {
                encoded.extend(self.code(character, glyph).to_be_bytes());
            }
        }
        encoded
    }

    fn code(&mut self, character: char, glyph: Glyph) -> u16 {
        *self.codes.entry(character).or_insert_with(|| {
            self.characters.push((character, glyph));
            // Code 0 is the missing glyph.
            u16::try_from(self.characters.len()).expect("the font has fewer characters")
        })
    }

    /// Writes the font with the glyphs that were used.
    pub(crate) fn write(&self, pdf: &mut Pdf, font: Ref, next: &mut impl FnMut() -> Ref) {
        let (descendant, descriptor, file, unicode, map) = (next(), next(), next(), next(), next());
        let mut remapper = GlyphRemapper::new();
        let glyphs: Vec<u16> = self.characters.iter().map(|(_, glyph)| remapper.remap(glyph.id)).collect();
        let subset =
            subsetter::subset(self.face.data, 0, &remapper).expect("the embedded font can be reduced");
        // The prefix marks a part of a font. It need not differ between documents.
        let name = format!("TRAPEZ+{}", self.face.name);
        let name = Name(name.as_bytes());

        pdf.type0_font(font)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(descendant)
            .to_unicode(unicode);
        let mut cid = pdf.cid_font(descendant);
        cid.subtype(CidFontType::Type2)
            .base_font(name)
            .system_info(SYSTEM_INFO)
            .font_descriptor(descriptor)
            .default_width(0.0)
            .cid_to_gid_map_stream(map);
        cid.widths().consecutive(1, self.characters.iter().map(|(_, glyph)| units(glyph.advance)));
        cid.finish();
        self.write_descriptor(pdf, descriptor, name, file);
        let length = i32::try_from(subset.len()).expect("a font is smaller than 2 GiB");
        let compressed = compress(&subset);
        let mut stream = pdf.stream(file, &compressed);
        stream.filter(Filter::FlateDecode).pair(Name(b"Length1"), length);
        stream.finish();

        let mut cmap = UnicodeCmap::<u16>::new(Name(b"Trapeza"), SYSTEM_INFO);
        for (code, (character, _)) in (1..).zip(&self.characters) {
            cmap.pair(code, *character);
        }
        pdf.stream(unicode, &compress(&cmap.finish())).filter(Filter::FlateDecode);
        let codes: Vec<u8> = [0].iter().chain(&glyphs).flat_map(|glyph| glyph.to_be_bytes()).collect();
        pdf.stream(map, &compress(&codes)).filter(Filter::FlateDecode);
    }

    fn write_descriptor(&self, pdf: &mut Pdf, descriptor: Ref, name: Name, file: Ref) {
        let table = &self.face.table;
        let bounds = table.global_bounding_box();
        let cap_height = table.capital_height().unwrap_or(table.ascender());
        pdf.font_descriptor(descriptor)
            .name(name)
            .flags(FontFlags::SYMBOLIC)
            .bbox(Rect::new(
                units(bounds.x_min.into()),
                units(bounds.y_min.into()),
                units(bounds.x_max.into()),
                units(bounds.y_max.into()),
            ))
            .italic_angle(0.0)
            .ascent(units(table.ascender().into()))
            .descent(units(table.descender().into()))
            .cap_height(units(cap_height.into()))
            .stem_v(if table.is_bold() { 140.0 } else { 80.0 })
            .font_file2(file);
    }
}

/// A length of the font in thousandths of its size, as the file has it: both fonts have 1,000 units per em.
fn units(length: i32) -> f32 {
    points(length * 1000)
}
