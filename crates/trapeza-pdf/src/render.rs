//! Writes the pages of a layout as a tagged PDF.

use pdf_writer::types::{ArtifactAttachment, ArtifactSubtype, ArtifactType, TabOrder};
use pdf_writer::{Content, Date, Filter, Finish as _, Name, Pdf, Rect, Ref, Settings, Str, TextStr};
use xmp_writer::{DateTime, LangId, XmpWriter};

use crate::document::{Document, Issuer};
use crate::font::{UsedFont, Weight};
use crate::format::{compress, points};
use crate::layout::{Area, CONTENT_WIDTH, Layout, Line, MARGIN, PAGE_HEIGHT, PAGE_WIDTH, Part};
use crate::structure::{self, MarkedContent, StructureWriter};
use crate::text::{lines, showable};

const HEADER_SIZE: i32 = 11_000;
const FOOTER_SIZE: i32 = 8_000;
const CREATOR: &str = "Trapeza";

impl Document {
    /// The document as PDF.
    pub fn render(&self) -> Vec<u8> {
        let layout = Layout::new(self);
        let mut marked = MarkedContent::new(layout.slots, layout.pages.len());
        let mut fonts = Weight::ALL.map(UsedFont::new);
        let mut contents = Vec::with_capacity(layout.pages.len());
        for (index, page) in layout.pages.iter().enumerate() {
            let mut canvas = Canvas { content: Content::new(), fonts: &mut fonts };
            canvas.draw_frame(&self.issuer, index + 1, layout.pages.len());
            for area in &page.areas {
                canvas.start_artifact(ArtifactType::Layout, None);
                canvas.draw_area(area, [area.grey; 3]);
                canvas.content.end_marked_content();
            }
            for line in &page.lines {
                if let Some(slot) = line.slot {
                    let number = marked.add(index, slot);
                    let mut span = canvas.content.begin_marked_content_with_properties(Name(b"Span"));
                    span.properties().identify(number);
                } else {
                    canvas.start_artifact(ArtifactType::Pagination, None);
                }
                canvas.draw_line(line, [20; 3]);
                canvas.content.end_marked_content();
            }
            contents.push(canvas.content.finish());
        }

        let mut ids = 1..;
        let mut next = || Ref::new(ids.next().expect("a document has fewer objects"));
        let mut pdf = Pdf::with_settings(Settings { pretty: false });
        pdf.set_version(1, 7);
        let (catalog, pages, root, metadata) = (next(), next(), next(), next());
        let font_ids = fonts.each_ref().map(|_| next());
        let page_ids: Vec<Ref> = contents.iter().map(|_| next()).collect();
        for (index, content) in contents.iter().enumerate() {
            let stream = next();
            pdf.stream(stream, &compress(content)).filter(Filter::FlateDecode);
            let mut page = pdf.page(page_ids[index]);
            page.parent(pages)
                .media_box(Rect::new(0.0, 0.0, points(PAGE_WIDTH), points(PAGE_HEIGHT)))
                .contents(stream)
                .struct_parents(structure::key(index))
                .tab_order(TabOrder::StructureOrder);
            let mut resources = page.resources();
            let mut dictionary = resources.fonts();
            for (weight, id) in Weight::ALL.iter().zip(font_ids) {
                dictionary.pair(weight.resource(), id);
            }
        }
        pdf.pages(pages).kids(page_ids.iter().copied()).count(structure::key(page_ids.len()));
        for (font, id) in fonts.iter().zip(font_ids) {
            font.write(&mut pdf, id, &mut next);
        }
        let outline = write_outline(&mut pdf, &mut next, &layout.parts, &page_ids);
        let owners = vec![None; layout.slots];
        StructureWriter { pdf: &mut pdf, next: &mut next, pages: &page_ids, content: &marked, owners }.write(
            root,
            self.language,
            &layout.parts,
        );
        self.write_information(&mut pdf, next(), metadata, page_ids.len());
        let mut written = pdf.catalog(catalog);
        written.pages(pages).outlines(outline).metadata(metadata).lang(TextStr(self.language));
        written.pair(Name(b"StructTreeRoot"), root);
        written.mark_info().marked(true).suspects(false);
        written.viewer_preferences().display_doc_title(true);
        written.finish();
        pdf.finish()
    }

    /// Title, author and date, in the old form and as XMP with the claim of PDF/UA-1.
    fn write_information(&self, pdf: &mut Pdf, information: Ref, metadata: Ref, pages: usize) {
        let (year, month, day) = self.date;
        let date = Date::new(year)
            .month(month)
            .day(day)
            .hour(0)
            .minute(0)
            .second(0)
            .utc_offset_hour(0)
            .utc_offset_minute(0);
        pdf.document_info(information)
            .title(TextStr(&self.title))
            .author(TextStr(&self.issuer.name))
            .creator(TextStr(CREATOR))
            .creation_date(date)
            .modified_date(date);
        let mut xmp = XmpWriter::new();
        let date = DateTime::date(year, month, day);
        xmp.title([(None::<LangId>, self.title.as_str())])
            .creator([self.issuer.name.as_str()])
            .creator_tool(CREATOR)
            .language([LangId(self.language)])
            .create_date(date)
            .modify_date(date)
            .format("application/pdf")
            .num_pages(u32::try_from(pages).unwrap_or(u32::MAX))
            .pdf_version("1.7")
            .pdfua_part(1);
        pdf.metadata(metadata, xmp.finish(None).as_bytes());
    }
}

/// The content of a page, and the fonts that it uses.
struct Canvas<'a> {
    content: Content,
    fonts: &'a mut [UsedFont; 2],
}

impl Canvas<'_> {
    /// The header with mark and name, the footer with contact and page number.
    fn draw_frame(&mut self, issuer: &Issuer, number: usize, count: usize) {
        let name = one_line(&issuer.name, Weight::Bold, HEADER_SIZE, CONTENT_WIDTH - 30_000);
        let initial = name.chars().next().unwrap_or(' ').to_uppercase().to_string();
        let line =
            |x, baseline, size, weight, text: String| Line { x, baseline, size, weight, text, slot: None };
        let area = |x, y, width, height| Area { x, y, width, height, grey: 190 };

        let header = (ArtifactSubtype::Header, ArtifactAttachment::Top);
        self.start_artifact(ArtifactType::Pagination, Some(header));
        self.draw_area(&area(MARGIN, 36_000, 20_000, 20_000), issuer.colour);
        let indent = (20_000 - Weight::Bold.face().width(&initial, HEADER_SIZE)) / 2;
        self.draw_line(&line(MARGIN + indent, 50_000, HEADER_SIZE, Weight::Bold, initial), [255; 3]);
        self.draw_line(&line(MARGIN + 28_000, 50_000, HEADER_SIZE, Weight::Bold, name), [20; 3]);
        self.draw_area(&area(MARGIN, 68_000, CONTENT_WIDTH, 500), [190; 3]);
        self.content.end_marked_content();

        let page = format!("{number} / {count}");
        let page_width = Weight::Regular.face().width(&page, FOOTER_SIZE);
        let contact =
            lines(&issuer.contact, Weight::Regular, FOOTER_SIZE, CONTENT_WIDTH - page_width - 16_000);
        let top = PAGE_HEIGHT - 60_000;
        let footer = (ArtifactSubtype::Footer, ArtifactAttachment::Bottom);
        self.start_artifact(ArtifactType::Pagination, Some(footer));
        self.draw_area(&area(MARGIN, top, CONTENT_WIDTH, 500), [190; 3]);
        // Three lines fit above the margin that printers need.
        let mut baseline = top + 14_000;
        for text in contact.into_iter().take(3) {
            self.draw_line(&line(MARGIN, baseline, FOOTER_SIZE, Weight::Regular, text), [70; 3]);
            baseline += 11_000;
        }
        let right = MARGIN + CONTENT_WIDTH - page_width;
        self.draw_line(&line(right, top + 14_000, FOOTER_SIZE, Weight::Regular, page), [70; 3]);
        self.content.end_marked_content();
    }

    /// Starts content that screen readers skip.
    fn start_artifact(
        &mut self,
        kind: ArtifactType,
        edge: Option<(ArtifactSubtype<'static>, ArtifactAttachment)>,
    ) {
        let mut mark = self.content.begin_marked_content_with_properties(Name(b"Artifact"));
        let mut artifact = mark.properties().artifact();
        artifact.kind(kind);
        if let Some((subtype, attachment)) = edge {
            artifact.subtype(subtype).attached([attachment]);
        }
    }

    fn draw_line(&mut self, line: &Line, colour: [u8; 3]) {
        let text = self.fonts[line.weight as usize].encode(&line.text);
        self.fill(colour);
        self.content
            .begin_text()
            .set_font(line.weight.resource(), points(line.size))
            .next_line(points(line.x), points(PAGE_HEIGHT - line.baseline))
            .show(Str(&text))
            .end_text();
    }

    fn draw_area(&mut self, area: &Area, colour: [u8; 3]) {
        self.fill(colour);
        let bottom = points(PAGE_HEIGHT - area.y - area.height);
        self.content.rect(points(area.x), bottom, points(area.width), points(area.height)).fill_nonzero();
    }

    fn fill(&mut self, colour: [u8; 3]) {
        let [red, green, blue] = colour.map(|part| points(i32::from(part) * 1000 / 255));
        self.content.set_fill_rgb(red, green, blue);
    }
}

fn one_line(text: &str, weight: Weight, size: i32, width: i32) -> String {
    lines(&showable(text), weight, size, width).swap_remove(0)
}

/// Writes the bookmarks: the headings of the first two levels.
fn write_outline(pdf: &mut Pdf, next: &mut impl FnMut() -> Ref, parts: &[Part], pages: &[Ref]) -> Ref {
    let headings: Vec<(Ref, &str, usize, i32)> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Heading { level: 1 | 2, title, page, top, .. } => {
                Some((next(), title.as_str(), *page, *top))
            }
            _ => None,
        })
        .collect();
    let outline = next();
    let mut written = pdf.outline(outline);
    if let (Some(first), Some(last)) = (headings.first(), headings.last()) {
        written.first(first.0).last(last.0).count(structure::key(headings.len()));
    }
    written.finish();
    for (index, (id, title, page, top)) in headings.iter().enumerate() {
        let mut item = pdf.outline_item(*id);
        item.title(TextStr(&showable(title))).parent(outline);
        if let Some(before) = index.checked_sub(1) {
            item.prev(headings[before].0);
        }
        if let Some(after) = headings.get(index + 1) {
            item.next(after.0);
        }
        item.dest().page(pages[*page]).xyz(points(MARGIN), points(PAGE_HEIGHT - top), None);
    }
    outline
}
