//! A code of some size before its text: where the patterns lie that every one has, where the data goes and in which order (ISO/IEC
//! 18004, 6.3 and 7.7 to 7.10). Slow and plain; it is asked once a size.

use super::mask::{self, Line, MARGIN};
use super::version::Version;

pub(super) struct Sheet {
    version: Version,
    side: usize,
    dark: Vec<Line>,
    /// What no data may lie on.
    taken: Vec<Line>,
}

impl Sheet {
    pub(super) fn new(version: Version) -> Self {
        let side = version.side();
        let mut sheet = Self { version, side, dark: vec![0; side], taken: vec![0; side] };
        for along in 0..side {
            sheet.put(6, along, along % 2 == 0);
            sheet.put(along, 6, along % 2 == 0);
        }
        for (row, column) in [(0, 0), (0, side - 7), (side - 7, 0)] {
            sheet.corner(row, column);
        }
        sheet.alignments();
        sheet.format(0);
        sheet.size();
        sheet
    }

    fn put(&mut self, row: usize, column: usize, dark: bool) {
        let bit = 1 << column;
        self.taken[row] |= bit;
        self.dark[row] = if dark { self.dark[row] | bit } else { self.dark[row] & !bit };
    }

    /// A finder of seven by seven, with its light rim where that is inside.
    fn corner(&mut self, top: usize, left: usize) {
        for row in top.saturating_sub(1)..self.side.min(top + 8) {
            for column in left.saturating_sub(1)..self.side.min(left + 8) {
                let ring = (row + 4).abs_diff(top + 7).max((column + 4).abs_diff(left + 7));
                self.put(row, column, ring != 2 && ring != 4);
            }
        }
    }

    /// Five by five, wherever two of their lines cross but in the corners.
    fn alignments(&mut self) {
        let middles = self.version.alignments();
        let last = self.side - 7;
        for &row in &middles {
            for &column in &middles {
                if [(6, 6), (6, last), (last, 6)].contains(&(row, column)) {
                    continue;
                }
                for y in row - 2..=row + 2 {
                    for x in column - 2..=column + 2 {
                        self.put(y, x, y.abs_diff(row).max(x.abs_diff(column)) != 1);
                    }
                }
            }
        }
    }

    /// Level and mask in fifteen bits, twice: around the first corner, and shared by the other two.
    fn format(&mut self, mask: usize) {
        let bits = format_bits(mask);
        let far = self.side - 1;
        for place in 0..15 {
            let dark = bits >> place & 1 == 1;
            let (row, column) = match place {
                0..=5 => (place, 8),
                6 | 7 => (place + 1, 8),
                8 => (8, 7),
                _ => (8, 14 - place),
            };
            self.put(row, column, dark);
            let (row, column) = if place < 8 { (8, far - place) } else { (far - 14 + place, 8) };
            self.put(row, column, dark);
        }
        self.put(far - 7, 8, true);
    }

    /// From version 7 on a code says its size, twice, in eighteen bits.
    fn size(&mut self) {
        if self.version.number < 7 {
            return;
        }
        let bits = size_bits(self.version.number);
        for place in 0..18 {
            let (long, short) = (place / 3, self.side - 11 + place % 3);
            let dark = bits >> place & 1 == 1;
            self.put(long, short, dark);
            self.put(short, long, dark);
        }
    }

    /// The lines with their margin under a mask: patterns, the format that names it, and the mask itself where data goes.
    pub(super) fn masked(&self, mask: usize) -> Vec<Line> {
        let mut sheet = Self { dark: self.dark.clone(), taken: self.taken.clone(), ..*self };
        sheet.format(mask);
        let mut lines = vec![0; MARGIN];
        for row in 0..self.side {
            let turned = (0..self.side).filter(|column| mask::turns(mask, row, *column));
            let turned: Line = turned.map(|column| 1 << column).sum();
            lines.push(sheet.dark[row] | turned & !sheet.taken[row]);
        }
        lines.resize(self.side + 2 * MARGIN, 0);
        lines
    }

    /// In pairs of columns from the right, up and down in turn; the upright line of dots is stepped over.
    pub(super) fn places(&self) -> Vec<(u8, u8)> {
        let narrow = |number: usize| u8::try_from(number).expect("a code has at most 61 lines");
        let mut places = Vec::with_capacity(self.version.codewords * 8);
        let pairs = (1..=self.side / 2).rev().map(|pair| if pair > 3 { 2 * pair } else { 2 * pair - 1 });
        for (turn, right) in pairs.enumerate() {
            for step in 0..self.side {
                let row = if turn % 2 == 0 { self.side - 1 - step } else { step };
                for column in [right, right - 1] {
                    if self.taken[row] >> column & 1 == 0 {
                        places.push((narrow(row), narrow(column)));
                    }
                }
            }
        }
        places
    }
}

/// Level M is 00, so the mask is all there is to say; ten bits of check follow, and a pattern lies over all.
fn format_bits(mask: usize) -> usize {
    checked(mask, 10, 0b101_0011_0111) ^ 0b101_0100_0001_0010
}

fn size_bits(version: usize) -> usize {
    checked(version, 12, 0b1_1111_0010_0101)
}

/// The value with so many bits of check after it: what is left when it is divided by the generator.
fn checked(value: usize, bits: u32, generator: usize) -> usize {
    let mut rest = value << bits;
    while let Some(above) = rest.checked_ilog2().and_then(|top| top.checked_sub(bits)) {
        rest ^= generator << above;
    }
    value << bits | rest
}
