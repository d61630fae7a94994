//! Writes the pages of a layout as a tagged PDF.

use std::num::NonZeroU16;

use krilla::SerializeSettings;
use krilla::color::rgb;
use krilla::configure::{Accessibility, ConfigurationBuilder};
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point, Rect};
use krilla::metadata::{DateTime, Metadata};
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::Fill;
use krilla::surface::Surface;
use krilla::tagging::{
    Artifact, ArtifactType, ContentTag, Identifier, SpanTag, TableHeaderScope, Tag, TagGroup, TagTree,
};
use krilla::text::{GlyphId, KrillaGlyph};

use crate::document::{Document, Issuer};
use crate::font::Weight;
use crate::layout::{Area, CONTENT_WIDTH, Layout, Line, MARGIN, PAGE_HEIGHT, PAGE_WIDTH, Part};
use crate::text::{lines, showable};

const HEADER_SIZE: i32 = 11_000;
const FOOTER_SIZE: i32 = 8_000;

impl Document {
    /// The document as PDF.
    pub fn render(&self) -> Vec<u8> {
        let layout = Layout::new(self);
        let configuration = ConfigurationBuilder::new()
            .with_accessibility_validator(Accessibility::UA1)
            .finish()
            .expect("PDF/UA-1 is compatible with the default version");
        let settings = SerializeSettings { configuration, ..SerializeSettings::default() };
        let mut pdf = krilla::Document::new_with(settings);
        let mut slots: Vec<Vec<Identifier>> = (0..layout.slots).map(|_| Vec::new()).collect();
        let count = layout.pages.len();
        for (index, content) in layout.pages.iter().enumerate() {
            let size = PageSettings::from_wh(points(PAGE_WIDTH), points(PAGE_HEIGHT))
                .expect("the size of A4 is valid");
            let mut page = pdf.start_page_with(size);
            let mut surface = page.surface();
            draw_frame(&mut surface, &self.issuer, index + 1, count);
            for area in &content.areas {
                surface.start_tagged(artifact(ArtifactType::Layout));
                draw_area(&mut surface, area, [area.grey; 3]);
                surface.end_tagged();
            }
            for line in &content.lines {
                match line.slot {
                    Some(slot) => {
                        slots[slot].push(surface.start_tagged(ContentTag::Span(SpanTag::empty())));
                    }
                    None => {
                        surface.start_tagged(artifact(ArtifactType::PaginationOther));
                    }
                }
                draw_line(&mut surface, line, [20; 3]);
                surface.end_tagged();
            }
            surface.finish();
            page.finish();
        }
        pdf.set_metadata(self.metadata());
        pdf.set_outline(outline(&layout.parts));
        pdf.set_tag_tree(tag_tree(self.language, &layout.parts, &mut slots));
        pdf.finish().expect("a layout contains only what PDF/UA-1 allows")
    }

    fn metadata(&self) -> Metadata {
        let (year, month, day) = self.date;
        Metadata::new()
            .title(self.title.clone())
            .language(self.language.to_owned())
            .authors(vec![self.issuer.name.clone()])
            .creator("Trapeza".to_owned())
            .creation_date(
                DateTime::new(year).month(month).day(day).hour(0).minute(0).second(0).utc_offset_hour(0),
            )
    }
}

/// The header with mark and name, the footer with contact and page number.
fn draw_frame(surface: &mut Surface, issuer: &Issuer, number: usize, count: usize) {
    let name = one_line(&issuer.name, Weight::Bold, HEADER_SIZE, CONTENT_WIDTH - 30_000);
    let initial = name.chars().next().unwrap_or(' ').to_uppercase().to_string();
    let line = |x, baseline, size, weight, text: String| Line { x, baseline, size, weight, text, slot: None };
    let area = |x, y, width, height| Area { x, y, width, height, grey: 190 };

    surface.start_tagged(artifact(ArtifactType::Header));
    draw_area(surface, &area(MARGIN, 36_000, 20_000, 20_000), issuer.colour);
    let indent = (20_000 - Weight::Bold.face().width(&initial, HEADER_SIZE)) / 2;
    draw_line(surface, &line(MARGIN + indent, 50_000, HEADER_SIZE, Weight::Bold, initial), [255; 3]);
    draw_line(surface, &line(MARGIN + 28_000, 50_000, HEADER_SIZE, Weight::Bold, name), [20; 3]);
    draw_area(surface, &area(MARGIN, 68_000, CONTENT_WIDTH, 500), [190; 3]);
    surface.end_tagged();

    let page = format!("{number} / {count}");
    let page_width = Weight::Regular.face().width(&page, FOOTER_SIZE);
    let contact = lines(&issuer.contact, Weight::Regular, FOOTER_SIZE, CONTENT_WIDTH - page_width - 16_000);
    let top = PAGE_HEIGHT - 60_000;
    surface.start_tagged(artifact(ArtifactType::Footer));
    draw_area(surface, &area(MARGIN, top, CONTENT_WIDTH, 500), [190; 3]);
    // There is room for three lines above the edge that printers need.
    let mut baseline = top + 14_000;
    for text in contact.into_iter().take(3) {
        draw_line(surface, &line(MARGIN, baseline, FOOTER_SIZE, Weight::Regular, text), [70; 3]);
        baseline += 11_000;
    }
    let right = MARGIN + CONTENT_WIDTH - page_width;
    draw_line(surface, &line(right, top + 14_000, FOOTER_SIZE, Weight::Regular, page), [70; 3]);
    surface.end_tagged();
}

fn one_line(text: &str, weight: Weight, size: i32, width: i32) -> String {
    lines(&showable(text), weight, size, width).swap_remove(0)
}

fn draw_line(surface: &mut Surface, line: &Line, colour: [u8; 3]) {
    let face = line.weight.face();
    let glyphs: Vec<KrillaGlyph> = line
        .text
        .char_indices()
        .filter_map(|(start, character)| {
            let glyph = face.glyph(character)?;
            let range = start..start + character.len_utf8();
            Some(KrillaGlyph::new(GlyphId::new(glyph.id), points(glyph.advance), 0.0, 0.0, 0.0, range, None))
        })
        .collect();
    surface.set_fill(Some(fill(colour)));
    let start = Point::from_xy(points(line.x), points(line.baseline));
    surface.draw_glyphs(start, &glyphs, face.font.clone(), &line.text, points(line.size), false);
}

fn draw_area(surface: &mut Surface, area: &Area, colour: [u8; 3]) {
    let rect = Rect::from_xywh(points(area.x), points(area.y), points(area.width), points(area.height));
    let mut path = PathBuilder::new();
    if let Some(rect) = rect {
        path.push_rect(rect);
    }
    if let Some(path) = path.finish() {
        surface.set_fill(Some(fill(colour)));
        surface.draw_path(&path);
    }
}

fn fill([red, green, blue]: [u8; 3]) -> Fill {
    Fill { paint: rgb::Color::new(red, green, blue).into(), ..Fill::default() }
}

fn artifact(kind: ArtifactType) -> ContentTag<'static> {
    ContentTag::Artifact(Artifact::with_kind(kind))
}

/// The bookmarks: the headings of the first two levels.
fn outline(parts: &[Part]) -> Outline {
    let mut outline = Outline::new();
    for part in parts {
        if let Part::Heading { level: 1 | 2, title, page, top, .. } = part {
            let place = XyzDestination::new(*page, Point::from_xy(points(MARGIN), points(*top)));
            outline.push_child(OutlineNode::new(showable(title), place));
        }
    }
    outline
}

fn tag_tree(language: &str, parts: &[Part], slots: &mut [Vec<Identifier>]) -> TagTree {
    let mut tree = TagTree::new().with_lang(Some(language.to_owned()));
    let mut fill = |mut group: TagGroup, slot: usize| {
        for identifier in slots[slot].drain(..) {
            group.push(identifier);
        }
        group
    };
    for part in parts {
        match part {
            Part::Heading { level, title, slot, .. } => {
                let level = NonZeroU16::new(*level).unwrap_or(NonZeroU16::MIN);
                tree.push(fill(TagGroup::new(Tag::Hn(level, Some(showable(title)))), *slot));
            }
            Part::Paragraph { slot } => tree.push(fill(TagGroup::new(Tag::P), *slot)),
            Part::Table { header, rows } => {
                let mut table = TagGroup::new(Tag::Table);
                if let Some(header) = header {
                    let mut row = TagGroup::new(Tag::TR);
                    for slot in header {
                        row.push(fill(TagGroup::new(Tag::TH(TableHeaderScope::Column)), *slot));
                    }
                    let mut head = TagGroup::new(Tag::THead);
                    head.push(row);
                    table.push(head);
                }
                let mut body = TagGroup::new(Tag::TBody);
                for cells in rows {
                    let mut row = TagGroup::new(Tag::TR);
                    for (slot, is_header) in cells {
                        let group = if *is_header {
                            TagGroup::new(Tag::TH(TableHeaderScope::Row))
                        } else {
                            TagGroup::new(Tag::TD)
                        };
                        row.push(fill(group, *slot));
                    }
                    body.push(row);
                }
                table.push(body);
                tree.push(table);
            }
        }
    }
    tree
}

/// Thousandths, in which the layout computes, as the number that the file has.
#[expect(
    clippy::float_arithmetic,
    reason = "PDF has decimal numbers; the layout itself computes in integers"
)]
#[expect(clippy::cast_precision_loss, reason = "a page has less than 2^24 thousandths")]
fn points(thousandths: i32) -> f32 {
    thousandths as f32 / 1000.0
}
