//! Documents are read back with another library.

use lopdf::{Dictionary, Object};

use crate::{Block, Column, Document, Issuer, Notice};

fn document(language: &'static str, blocks: Vec<Block>) -> Document {
    Document {
        title: "Σύμβαση πίστωσης · Credit agreement".to_owned(),
        language,
        issuer: Issuer {
            name: "Trapeza Demo Bank".to_owned(),
            contact: "Σταδίου 1, 10562 Αθήνα · +30 210 0000000 · help@bank.example".to_owned(),
            colour: [0, 82, 155],
        },
        date: (2026, 11, 20),
        blocks,
    }
}

fn long_table() -> Vec<Block> {
    let columns = vec![Column::text("Ημερομηνία"), Column::text("Αιτιολογία"), Column::amount("Ποσό")];
    let row = |n: u32| vec![format!("{n}.01.2027"), format!("Δόση {n}"), format!("{n}.234,56 €")];
    vec![Block::Table { columns, rows: (1..=90).map(row).collect() }]
}

fn read(bytes: &[u8]) -> lopdf::Document {
    lopdf::Document::load_mem(bytes).unwrap()
}

fn text(bytes: &[u8]) -> String {
    let document = read(bytes);
    let pages: Vec<u32> = document.get_pages().keys().copied().collect();
    document.extract_text(&pages).unwrap()
}

/// How often a structure element of this type occurs.
fn elements(document: &lopdf::Document, kind: &[u8]) -> usize {
    let is_kind = |dictionary: &Dictionary| {
        dictionary.get(b"S").and_then(Object::as_name).is_ok_and(|name| name == kind)
    };
    document.objects.values().filter(|object| object.as_dict().is_ok_and(is_kind)).count()
}

#[test]
fn render_same_document_gives_same_bytes() {
    assert_eq!(document("el", long_table()).render(), document("el", long_table()).render());
}

#[test]
fn render_greek_and_latin_text_can_be_extracted() {
    let facts = vec![("Συνολικό ποσό της πίστωσης".to_owned(), "1.200,00 €".to_owned())];
    let notice = Notice {
        title: "Προσοχή".to_owned(),
        text: "Missing payments could have severe consequences.".to_owned(),
    };
    let text = text(&document("el", vec![Block::Facts(facts), Block::Notice(notice)]).render());
    for expected in [
        "Σύμβαση πίστωσης",
        "Συνολικό ποσό της",
        "1.200,00 €",
        "Προσοχή",
        "severe consequences",
        "Trapeza Demo Bank",
        "1 / 1",
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
}

#[test]
fn render_document_is_tagged_with_language_and_title() {
    let bytes = document("el", long_table()).render();
    let document = read(&bytes);
    let catalog = document.catalog().unwrap();
    let language = catalog.get(b"Lang").and_then(Object::as_str).unwrap();
    assert_eq!(language, b"el");
    assert!(catalog.has(b"StructTreeRoot") && catalog.has(b"Outlines"));
    let marked = catalog
        .get(b"MarkInfo")
        .and_then(|object| document.dereference(object))
        .unwrap()
        .1
        .as_dict()
        .unwrap();
    assert!(marked.get(b"Marked").and_then(Object::as_bool).unwrap());
    assert!(bytes.windows(b"pdfuaid:part".len()).any(|window| window == b"pdfuaid:part"));
}

#[test]
fn render_long_table_repeats_its_header_and_tags_it_once() {
    let bytes = document("el", long_table()).render();
    let document = read(&bytes);
    let pages = document.get_pages();
    assert!(pages.len() > 1);
    for page in pages.keys() {
        assert!(document.extract_text(&[*page]).unwrap().contains("Αιτιολογία"), "page {page}");
    }
    assert_eq!(elements(&document, b"Table"), 1);
    assert_eq!(elements(&document, b"TH"), 3);
    assert_eq!(elements(&document, b"TD"), 270);
}

#[test]
fn render_characters_with_one_glyph_are_extracted_as_they_were() {
    let (latin, greek) = ("ABEZHIKMNOPTYX", "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ");
    let blocks = vec![Block::Paragraph(latin.to_owned()), Block::Paragraph(greek.to_owned())];
    let text = text(&document("el", blocks).render());
    assert!(text.contains(latin) && text.contains(greek), "{text}");
}

/// The number of a page's content sequences, and the elements that the parent tree names for them.
#[test]
fn render_every_marked_content_has_its_element() {
    let bytes = document("el", long_table()).render();
    let document = read(&bytes);
    let dictionary = |object: &Object| document.dereference(object).unwrap().1.as_dict().unwrap().clone();
    let root = dictionary(document.catalog().unwrap().get(b"StructTreeRoot").unwrap());
    let numbers = dictionary(root.get(b"ParentTree").unwrap());
    let numbers = numbers.get(b"Nums").unwrap().as_array().unwrap();
    for (index, page) in document.get_pages().values().enumerate() {
        let key = document.get_dictionary(*page).unwrap().get(b"StructParents").unwrap().as_i64().unwrap();
        assert_eq!(key, i64::try_from(index).unwrap());
        let owners = document.dereference(&numbers[2 * index + 1]).unwrap().1.as_array().unwrap().clone();
        let content = document.get_page_content(*page);
        let content = lopdf::content::Content::decode(&content).unwrap();
        let marked: Vec<i64> = content
            .operations
            .iter()
            .filter(|operation| operation.operator == "BDC")
            .filter_map(|operation| operation.operands[1].as_dict().unwrap().get(b"MCID").ok()?.as_i64().ok())
            .collect();
        assert!(!marked.is_empty());
        assert_eq!(marked.len(), owners.len());
        for (number, owner) in marked.iter().zip(&owners) {
            let children = dictionary(owner).get(b"K").unwrap().as_array().unwrap().clone();
            let is_child = |child: &Object| {
                let child = child.as_dict().unwrap();
                child.get(b"MCID").unwrap().as_i64().unwrap() == *number
                    && child.get(b"Pg").unwrap().as_reference().unwrap() == *page
            };
            assert!(children.iter().any(is_child), "content {number} of page {index}");
        }
    }
}

#[test]
fn layout_long_words_stay_on_the_page() {
    let word = "Λ".repeat(400);
    let blocks = vec![
        Block::Heading(word.clone()),
        Block::Paragraph(word.clone()),
        Block::Notice(Notice { title: word.clone(), text: word.clone() }),
        Block::Facts(vec![(word.clone(), word.clone())]),
        Block::Table {
            columns: vec![Column::text(&word), Column::amount(&word)],
            rows: vec![vec![word.clone(), word]],
        },
    ];
    let layout = crate::layout::Layout::new(&document("el", blocks));
    for line in layout.pages.iter().flat_map(|page| &page.lines) {
        let right = line.x + line.weight.face().width(line.text.trim_end(), line.size);
        assert!(
            line.x >= crate::layout::MARGIN && right <= crate::layout::MARGIN + crate::layout::CONTENT_WIDTH,
            "{}",
            line.text
        );
        assert!(line.baseline < crate::layout::PAGE_HEIGHT - 60_000);
    }
}

#[test]
fn layout_row_longer_than_a_page_goes_on_on_the_next() {
    let text = "λέξη ".repeat(3_000);
    let bytes = document("el", vec![Block::Facts(vec![("Όνομα".to_owned(), text.clone())])]).render();
    assert!(read(&bytes).get_pages().len() > 2);
    let words = self::text(&bytes).matches("λέξη").count();
    assert_eq!(words, 3_000);
}

#[test]
fn render_characters_without_glyph_are_replaced() {
    let text = text(
        &document("en", vec![Block::Paragraph("ﬁle ｆｕｌｌ 漢 a\u{301} \u{0} 😀 x\u{200B}y".to_owned())])
            .render(),
    );
    assert!(text.contains("file full \u{FFFD} á \u{FFFD} xy"), "{text}");
}

#[test]
fn layout_amounts_beside_long_texts_stay_on_one_line() {
    let columns = vec![Column::text("Text"), Column::amount("Amount")];
    let rows = vec![vec!["word ".repeat(60), "12.345,67 €".to_owned()]];
    let layout = crate::layout::Layout::new(&document("en", vec![Block::Table { columns, rows }]));
    assert!(layout.pages[0].lines.iter().any(|line| line.text == "12.345,67 €"));
}
