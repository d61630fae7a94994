//! The logical structure of a document, which screen readers follow.

use pdf_writer::types::{StructRole, TableHeaderScope};
use pdf_writer::writers::{StructChildren, StructTreeRoot};
use pdf_writer::{Finish as _, Pdf, Ref, TextStr};

use crate::layout::Part;
use crate::text::showable;

/// The content of the pages that belongs to the structure, as it was numbered when it was drawn.
pub(crate) struct MarkedContent {
    /// For each slot the pages and numbers of its content.
    slots: Vec<Vec<(usize, i32)>>,
    /// For each page its slots, in the order of the numbers.
    pages: Vec<Vec<usize>>,
}

impl MarkedContent {
    pub(crate) fn new(slots: usize, pages: usize) -> Self {
        Self { slots: vec![Vec::new(); slots], pages: vec![Vec::new(); pages] }
    }

    /// The number of the next content of the page, which belongs to the slot.
    pub(crate) fn add(&mut self, page: usize, slot: usize) -> i32 {
        let number = i32::try_from(self.pages[page].len()).expect("a page has fewer lines");
        self.pages[page].push(slot);
        self.slots[slot].push((page, number));
        number
    }
}

/// An element of the structure: what it is, and what it contains.
struct Element<'a> {
    role: StructRole,
    title: Option<&'a str>,
    scope: Option<TableHeaderScope>,
    children: Children<'a>,
}

enum Children<'a> {
    Elements(Vec<Element<'a>>),
    /// The content of this slot.
    Slot(usize),
}

impl Element<'_> {
    fn group(role: StructRole, children: Vec<Element<'_>>) -> Element<'_> {
        Element { role, title: None, scope: None, children: Children::Elements(children) }
    }

    fn leaf(role: StructRole, slot: usize) -> Self {
        Self { role, title: None, scope: None, children: Children::Slot(slot) }
    }

    fn header_cell(scope: TableHeaderScope, slot: usize) -> Self {
        Self { scope: Some(scope), ..Self::leaf(StructRole::TH, slot) }
    }
}

/// Writes the elements below a root.
pub(crate) struct StructureWriter<'a> {
    pub pdf: &'a mut Pdf,
    pub next: &'a mut dyn FnMut() -> Ref,
    pub pages: &'a [Ref],
    pub content: &'a MarkedContent,
    /// The element of each slot.
    pub owners: Vec<Option<Ref>>,
}

impl StructureWriter<'_> {
    /// Writes the structure of the document.
    pub(crate) fn write(mut self, root: Ref, language: &str, parts: &[Part]) {
        let document = (self.next)();
        let children: Vec<Ref> =
            parts.iter().map(|part| self.write_element(document, &element(part))).collect();
        let mut top = self.pdf.struct_element(document);
        top.kind(StructRole::Document).parent(root).lang(TextStr(language));
        push_elements(&mut top.children(), &children);
        top.finish();
        // For each page the elements of its content, in the order of the numbers.
        let lists: Vec<Ref> = self.content.pages.iter().map(|_| (self.next)()).collect();
        for (list, slots) in lists.iter().zip(&self.content.pages) {
            let owners = slots.iter().filter_map(|slot| self.owners[*slot]);
            self.pdf.indirect(*list).array().items(owners);
        }
        let mut tree = self.pdf.indirect(root).start::<StructTreeRoot>();
        tree.child(document).parent_tree_next_key(key(lists.len()));
        let mut numbers = tree.parent_tree();
        let mut numbers = numbers.nums();
        for (page, list) in lists.into_iter().enumerate() {
            numbers.insert(key(page), list);
        }
    }

    fn write_element(&mut self, parent: Ref, element: &Element) -> Ref {
        let id = (self.next)();
        let elements: Vec<Ref> = match &element.children {
            Children::Elements(elements) => {
                elements.iter().map(|child| self.write_element(id, child)).collect()
            }
            Children::Slot(_) => Vec::new(),
        };
        let mut written = self.pdf.struct_element(id);
        written.kind(element.role).parent(parent);
        if let Some(title) = element.title {
            written.title(TextStr(&showable(title)));
        }
        if let Some(scope) = element.scope {
            written.attributes().push().table().scope(scope);
        }
        let mut children = written.children();
        push_elements(&mut children, &elements);
        if let Children::Slot(slot) = element.children {
            self.owners[slot] = Some(id);
            for (page, number) in &self.content.slots[slot] {
                children.marked_content_ref().page(self.pages[*page]).marked_content_id(*number);
            }
        }
        children.finish();
        written.finish();
        id
    }
}

fn push_elements(children: &mut StructChildren, elements: &[Ref]) {
    for element in elements {
        children.struct_element(*element);
    }
}

/// The key of a page in the parent tree.
pub(crate) fn key(page: usize) -> i32 {
    i32::try_from(page).expect("a document has fewer pages")
}

fn element(part: &Part) -> Element<'_> {
    match part {
        Part::Heading { level, title, slot, .. } => {
            let role = match level {
                1 => StructRole::H1,
                2 => StructRole::H2,
                _ => StructRole::H3,
            };
            Element { title: Some(title), ..Element::leaf(role, *slot) }
        }
        Part::Paragraph { slot } => Element::leaf(StructRole::P, *slot),
        Part::Table { header, rows } => {
            let mut sections = Vec::with_capacity(2);
            if let Some(header) = header {
                let cells =
                    header.iter().map(|slot| Element::header_cell(TableHeaderScope::Column, *slot)).collect();
                let row = Element::group(StructRole::TR, cells);
                sections.push(Element::group(StructRole::THead, vec![row]));
            }
            let cell = |(slot, is_header): &(usize, bool)| {
                if *is_header {
                    Element::header_cell(TableHeaderScope::Row, *slot)
                } else {
                    Element::leaf(StructRole::TD, *slot)
                }
            };
            let row =
                |cells: &Vec<(usize, bool)>| Element::group(StructRole::TR, cells.iter().map(cell).collect());
            sections.push(Element::group(StructRole::TBody, rows.iter().map(row).collect()));
            Element::group(StructRole::Table, sections)
        }
    }
}
