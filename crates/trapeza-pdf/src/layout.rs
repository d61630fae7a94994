//! Places the blocks on pages. Lengths are thousandths of a point, from the top left corner.
//!
//! Every text belongs to a slot of the structure, or to none: then it is an artifact, which screen readers skip.

use crate::document::{Block, Column, Document, Notice};
use crate::font::Weight;
use crate::text::{extent, lines};

pub(crate) const PAGE_WIDTH: i32 = 595_276;
pub(crate) const PAGE_HEIGHT: i32 = 841_890;
pub(crate) const MARGIN: i32 = 56_000;
const TOP: i32 = 92_000;
const BOTTOM: i32 = PAGE_HEIGHT - 74_000;
pub(crate) const CONTENT_WIDTH: i32 = PAGE_WIDTH - 2 * MARGIN;
const BODY: i32 = 10_000;
const SMALL: i32 = 9_000;
const CELL_PADDING: i32 = 5_000;

/// One line of text.
pub(crate) struct Line {
    pub x: i32,
    pub baseline: i32,
    pub size: i32,
    pub weight: Weight,
    pub text: String,
    /// The part of the structure that the text belongs to.
    pub slot: Option<usize>,
}

/// A filled rectangle behind the text; always an artifact.
pub(crate) struct Area {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
    pub grey: u8,
}

#[derive(Default)]
pub(crate) struct Page {
    pub lines: Vec<Line>,
    pub areas: Vec<Area>,
}

/// The logical structure: what the slots are.
pub(crate) enum Part {
    Heading {
        level: u16,
        title: String,
        slot: usize,
        page: usize,
        top: i32,
    },
    Paragraph {
        slot: usize,
    },
    /// Rows of cells; a cell is a slot and whether it is a header.
    Table {
        header: Option<Vec<usize>>,
        rows: Vec<Vec<(usize, bool)>>,
    },
}

pub(crate) struct Layout {
    pub pages: Vec<Page>,
    pub parts: Vec<Part>,
    pub slots: usize,
    y: i32,
}

/// A cell of a row: its lines and how they are set.
struct Cell {
    x: i32,
    width: i32,
    lines: Vec<String>,
    weight: Weight,
    is_amount: bool,
    slot: Option<usize>,
}

impl Layout {
    pub(crate) fn new(document: &Document) -> Self {
        let mut layout = Self { pages: vec![Page::default()], parts: Vec::new(), slots: 0, y: TOP };
        layout.heading(1, &document.title);
        for block in &document.blocks {
            match block {
                Block::Heading(text) => layout.heading(2, text),
                Block::Subheading(text) => layout.heading(3, text),
                Block::Paragraph(text) => layout.paragraph(text),
                Block::Notice(notice) => layout.notice(notice),
                Block::Facts(facts) => layout.facts(facts),
                Block::Table { columns, rows } => layout.table(columns, rows),
                Block::PageBreak => layout.new_page(),
            }
        }
        layout
    }

    fn page(&mut self) -> &mut Page {
        self.pages.last_mut().expect("a layout has a page")
    }

    fn new_page(&mut self) {
        if !self.page().lines.is_empty() {
            self.pages.push(Page::default());
        }
        self.y = TOP;
    }

    fn slot(&mut self) -> usize {
        self.slots += 1;
        self.slots - 1
    }

    /// Places one line at the current height and moves below it.
    fn line(&mut self, x: i32, size: i32, weight: Weight, text: String, slot: usize) {
        let height = line_height(size);
        if self.y + height > BOTTOM {
            self.new_page();
        }
        let baseline = baseline(self.y, size);
        self.page().lines.push(Line { x, baseline, size, weight, text, slot: Some(slot) });
        self.y += height;
    }

    fn heading(&mut self, level: u16, text: &str) {
        let (size, before, after) = match level {
            1 => (18_000, 0, 8_000),
            2 => (13_000, 12_000, 5_000),
            _ => (10_500, 8_000, 3_000),
        };
        let lines = lines(text, Weight::Bold, size, CONTENT_WIDTH);
        let count = i32::try_from(lines.len()).unwrap_or(i32::MAX);
        // A heading stays with the beginning of what it announces.
        if self.y + before + count * line_height(size) + 4 * line_height(BODY) > BOTTOM {
            self.new_page();
        }
        if self.y > TOP {
            self.y += before;
        }
        let slot = self.slot();
        let (page, top) = (self.pages.len() - 1, self.y);
        for line in lines {
            self.line(MARGIN, size, Weight::Bold, line, slot);
        }
        self.y += after;
        self.parts.push(Part::Heading { level, title: text.to_owned(), slot, page, top });
    }

    fn paragraph(&mut self, text: &str) {
        let slot = self.slot();
        let lines = lines(text, Weight::Regular, BODY, CONTENT_WIDTH);
        // Two lines of a paragraph stay together.
        if lines.len() > 1 && self.y + 2 * line_height(BODY) > BOTTOM {
            self.new_page();
        }
        for line in lines {
            self.line(MARGIN, BODY, Weight::Regular, line, slot);
        }
        self.y += 5_000;
        self.parts.push(Part::Paragraph { slot });
    }

    fn notice(&mut self, notice: &Notice) {
        let inset = 10_000;
        let width = CONTENT_WIDTH - 2 * inset;
        let title = lines(&notice.title, Weight::Bold, BODY, width);
        let text = lines(&notice.text, Weight::Regular, BODY, width);
        let count = i32::try_from(title.len() + text.len()).unwrap_or(i32::MAX);
        let height = count.saturating_mul(line_height(BODY)).saturating_add(16_000);
        if self.y + height > BOTTOM && height < BOTTOM - TOP {
            self.new_page();
        }
        let (x, y, frame) = (MARGIN, self.y, height.min(BOTTOM - self.y));
        let area = |x, y, width, height, grey| Area { x, y, width, height, grey };
        self.page().areas.push(area(x, y, CONTENT_WIDTH, frame, 240));
        self.page().areas.push(area(x, y, 3_000, frame, 40));
        self.y += 8_000;
        for (lines, weight) in [(title, Weight::Bold), (text, Weight::Regular)] {
            let slot = self.slot();
            for line in lines {
                self.line(MARGIN + inset, BODY, weight, line, slot);
            }
            self.parts.push(Part::Paragraph { slot });
        }
        self.y += 8_000 + 6_000;
    }

    fn facts(&mut self, facts: &[(String, String)]) {
        let name_width = CONTENT_WIDTH * 37 / 100;
        let mut rows = Vec::with_capacity(facts.len());
        for (name, value) in facts {
            let (name_slot, value_slot) = (self.slot(), self.slot());
            let name = Cell::new((MARGIN, name_width), name, Weight::Bold, false, Some(name_slot));
            let place = (MARGIN + name_width, CONTENT_WIDTH - name_width);
            let value = Cell::new(place, value, Weight::Regular, false, Some(value_slot));
            self.row(&[name, value], None);
            rows.push(vec![(name_slot, true), (value_slot, false)]);
        }
        self.y += 8_000;
        self.parts.push(Part::Table { header: None, rows });
    }

    fn table(&mut self, columns: &[Column], rows: &[Vec<String>]) {
        let widths = column_widths(columns, rows);
        let places: Vec<(i32, i32)> = widths
            .iter()
            .scan(MARGIN, |x, width| {
                *x += width;
                Some((*x - width, *width))
            })
            .collect();
        let header_cells = |slots: Option<&[usize]>| -> Vec<Cell> {
            let cell = |(index, column): (usize, &Column)| {
                Cell::new(
                    places[index],
                    &column.title,
                    Weight::Bold,
                    column.is_amount,
                    slots.map(|slots| slots[index]),
                )
            };
            columns.iter().enumerate().map(cell).collect()
        };
        let header: Vec<usize> = columns.iter().map(|_| self.slot()).collect();
        // The header stays with the first row.
        if self.y + 5 * line_height(SMALL) > BOTTOM {
            self.new_page();
        }
        self.row(&header_cells(Some(&header)), None);
        let mut parts = Vec::with_capacity(rows.len());
        for row in rows {
            let slots: Vec<usize> = columns.iter().map(|_| self.slot()).collect();
            let cell = |(index, column): (usize, &Column)| {
                let text = row.get(index).map_or("", String::as_str);
                Cell::new(places[index], text, Weight::Regular, column.is_amount, Some(slots[index]))
            };
            let cells: Vec<Cell> = columns.iter().enumerate().map(cell).collect();
            self.row(&cells, Some(&header_cells(None)));
            parts.push(slots.into_iter().map(|slot| (slot, false)).collect());
        }
        self.y += 8_000;
        self.parts.push(Part::Table { header: Some(header), rows: parts });
    }

    /// Places a row, on a new page when it does not fit; only a row that is longer than a page is divided. `repeated` comes first on
    /// every page that is begun.
    fn row(&mut self, cells: &[Cell], repeated: Option<&[Cell]>) {
        let count = cells.iter().map(|cell| cell.lines.len()).max().unwrap_or(0);
        let step = line_height(SMALL);
        let mut done = 0;
        while done < count {
            let lines_left = usize::try_from((BOTTOM - self.y - 2 * CELL_PADDING) / step).unwrap_or(0);
            let whole_page = usize::try_from((BOTTOM - TOP - 8 * step) / step).unwrap_or(0);
            let left = count - done;
            if lines_left == 0 || (left > lines_left && left <= whole_page && done == 0) {
                self.new_page();
                if let Some(header) = repeated {
                    self.row(header, None);
                }
                continue;
            }
            let taken = left.min(lines_left);
            self.row_lines(cells, done, taken);
            done += taken;
        }
    }

    fn row_lines(&mut self, cells: &[Cell], from: usize, count: usize) {
        let step = line_height(SMALL);
        let top = self.y + CELL_PADDING;
        for cell in cells {
            let mut y = top;
            for text in cell.lines.iter().skip(from).take(count) {
                let inner = cell.width - 2 * CELL_PADDING;
                let x = cell.x
                    + CELL_PADDING
                    + if cell.is_amount {
                        inner - cell.weight.face().width(text.trim_end(), SMALL)
                    } else {
                        0
                    };
                let line = Line {
                    x,
                    baseline: baseline(y, SMALL),
                    size: SMALL,
                    weight: cell.weight,
                    text: text.clone(),
                    slot: cell.slot,
                };
                self.page().lines.push(line);
                y += step;
            }
        }
        self.y = top + i32::try_from(count).unwrap_or(i32::MAX).saturating_mul(step) + CELL_PADDING;
        let y = self.y;
        self.page().areas.push(Area { x: MARGIN, y, width: CONTENT_WIDTH, height: 500, grey: 190 });
    }
}

impl Cell {
    fn new((x, width): (i32, i32), text: &str, weight: Weight, is_amount: bool, slot: Option<usize>) -> Self {
        Self {
            x,
            width,
            lines: lines(text, weight, SMALL, width - 2 * CELL_PADDING),
            weight,
            is_amount,
            slot,
        }
    }
}

/// The widths of the columns, together the width of the page: by what they contain, never narrower than their longest word if possible.
fn column_widths(columns: &[Column], rows: &[Vec<String>]) -> Vec<i32> {
    let extents: Vec<(i32, i32)> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let title = extent(&column.title, Weight::Bold, SMALL);
            let cells =
                rows.iter().filter_map(|row| row.get(index)).map(|text| extent(text, Weight::Regular, SMALL));
            let (word, whole) = cells.fold(title, |a, b| (a.0.max(b.0), a.1.max(b.1)));
            // An amount is not broken from its currency.
            let word = if column.is_amount { whole } else { word };
            (word.saturating_add(2 * CELL_PADDING), whole.saturating_add(2 * CELL_PADDING))
        })
        .collect();
    let words: i64 = extents.iter().map(|extent| i64::from(extent.0)).sum();
    let total: i64 = extents.iter().map(|extent| i64::from(extent.1)).sum();
    let width = i64::from(CONTENT_WIDTH);
    let count = i64::try_from(columns.len()).unwrap_or(1).max(1);
    let column = |(word, whole): &(i32, i32)| {
        let (word, whole) = (i64::from(*word), i64::from(*whole));
        let share = if total <= width {
            whole + (width - total) / count
        } else if words <= width {
            word + (whole - word) * (width - words) / (total - words).max(1)
        } else {
            width * word / words
        };
        i32::try_from(share).unwrap_or(CONTENT_WIDTH)
    };
    extents.iter().map(column).collect()
}

fn line_height(size: i32) -> i32 {
    size * 140 / 100
}

fn baseline(top: i32, size: i32) -> i32 {
    top + size * 107 / 100
}
