//! Rows of dark and light bytes, packed as zlib has it (RFC 1950, RFC 1951). Two kinds of byte need one and two bits, and a row
//! that comes again is a distance and a length: with a code of our own, the same for every picture, nothing is left to search
//! for. Knows nothing of pictures but that each row comes eight times.

/// How often each row comes.
pub(super) const ROW_REPEATS: usize = 8;

/// Deflate, packed quickly.
const HEAD: [u8; 2] = [0x78, 0x01];
const LONGEST: usize = 258;

/// Bits that go out together, the first in the lowest place.
#[derive(Clone, Copy)]
struct Bits {
    bits: u64,
    count: usize,
}

// Our code, with each word as it goes out: a light byte, a dark one, the length of what is left of a copy, the end, the
// longest copy. Numbers of symbols are the standard's.
const LIGHT: Bits = Bits { bits: 0b0, count: 1 };
const DARK: Bits = Bits { bits: 0b01, count: 2 };
const REST: Bits = Bits { bits: 0b011, count: 3 };
const END: Bits = Bits { bits: 0b0111, count: 4 };
const LONGEST_COPY: Bits = Bits { bits: 0b1111, count: 4 };
const SYMBOL_END: usize = 256;
const SYMBOL_LONGEST: usize = 285;

// How the lengths of our words are told: those of 0 to 4 bits, three to ten words unused, eleven or more.
const LENGTHS: [Bits; 5] = [
    Bits { bits: 0b010, count: 3 },
    Bits { bits: 0b110, count: 3 },
    Bits { bits: 0b001, count: 3 },
    Bits { bits: 0b101, count: 3 },
    Bits { bits: 0b011, count: 3 },
];
const SOME_UNUSED: Bits = Bits { bits: 0b111, count: 3 };
const MANY_UNUSED: Bits = Bits { bits: 0b00, count: 2 };

/// Eight bytes of a row at once: their words, and the sum of the places where they are dark.
#[derive(Clone, Copy)]
struct Eight {
    words: Bits,
    dark_places: usize,
}

const EIGHTS: [Eight; 256] = {
    let mut table = [Eight { words: Bits { bits: 0, count: 0 }, dark_places: 0 }; 256];
    let mut pattern = 0;
    while pattern < 256 {
        let Eight { words, dark_places } = &mut table[pattern];
        let mut place = 0;
        while place < 8 {
            let dark = pattern >> place & 1 == 1;
            let word = if dark { DARK } else { LIGHT };
            words.bits |= word.bits << words.count;
            words.count += word.count;
            *dark_places += if dark { place } else { 0 };
            place += 1;
        }
        pattern += 1;
    }
    table
};

pub(super) struct Packing<'a> {
    out: &'a mut Vec<u8>,
    waiting: Bits,
    /// Bytes in a row.
    width: usize,
    copies: Bits,
    check: Check,
}

impl<'a> Packing<'a> {
    /// `width` is the bytes in a row, from 30 to 70.
    pub(super) fn new(out: &'a mut Vec<u8>, width: usize) -> Self {
        out.extend(HEAD);
        let waiting = Bits { bits: 0, count: 0 };
        let copies = copies(width);
        let mut packing = Self { out, waiting, width, copies, check: Check::new(width) };
        packing.head();
        packing
    }

    /// One row and its repeats, byte 0 in the lowest bit, dark where it is set.
    pub(super) fn row(&mut self, row: u128) {
        let (mut dark, mut dark_places) = (0, 0);
        for (index, pattern) in row.to_le_bytes().into_iter().enumerate().take(self.width.div_ceil(8)) {
            let eight = EIGHTS[usize::from(pattern)];
            // Beyond the row's end it looks light, a zero of one bit each.
            let beyond = (8 * (index + 1)).saturating_sub(self.width);
            self.put(Bits { count: eight.words.count - beyond, ..eight.words });
            let darks = eight.words.count - 8;
            dark += darks;
            dark_places += eight.dark_places + darks * 8 * index;
        }
        self.put(self.copies);
        self.check.row(dark, dark_places);
    }

    pub(super) fn finish(mut self) {
        self.put(END);
        let left = self.waiting.count.div_ceil(8);
        self.out.extend(&self.waiting.bits.to_le_bytes()[..left]);
        self.out.extend(self.check.finish().to_be_bytes());
    }

    /// The one block's own code, told by the lengths of its words; a word that is not used has none.
    fn head(&mut self) {
        let (rest, distance) =
            (length_symbol(copy_rest(self.width)).number, distance_symbol(self.width).number);
        // The last block, with a code of its own: 286 symbols, so many distances, eighteen lengths of lengths.
        for (value, count) in [(0b101, 3), (286 - 257, 5), (distance, 5), (18 - 4, 4)] {
            self.put(Bits::number(value, count));
        }
        // In the standard's order, which begins with the runs and ends with the shortest.
        for length in [0, 3, 2, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 3, 0, 3, 0, 3] {
            self.put(Bits::number(length, 3));
        }
        let ours = [(0, DARK), (255, LIGHT), (SYMBOL_END, END), (rest, REST), (SYMBOL_LONGEST, LONGEST_COPY)];
        let mut next = 0;
        for (symbol, word) in ours {
            self.unused(symbol - next);
            self.put(LENGTHS[word.count]);
            next = symbol + 1;
        }
        // The one distance has a word of one bit.
        self.unused(distance);
        self.put(LENGTHS[1]);
    }

    fn unused(&mut self, mut symbols: usize) {
        while symbols > 0 {
            let (word, run) = match symbols {
                11.. => (MANY_UNUSED, symbols.min(138)),
                3.. => (SOME_UNUSED, symbols),
                _ => (LENGTHS[0], 1),
            };
            self.put(word);
            match symbols {
                11.. => self.put(Bits::number(run - 11, 7)),
                3.. => self.put(Bits::number(run - 3, 3)),
                _ => (),
            }
            symbols -= run;
        }
    }

    fn put(&mut self, word: Bits) {
        self.waiting.bits |= word.bits << self.waiting.count;
        self.waiting.count += word.count;
        if self.waiting.count >= 32 {
            self.out.extend(&self.waiting.bits.to_le_bytes()[..4]);
            self.waiting.bits >>= 32;
            self.waiting.count -= 32;
        }
    }
}

impl Bits {
    fn number(value: usize, count: usize) -> Self {
        Self { bits: value as u64, count }
    }

    fn and(self, more: Self) -> Self {
        Self { bits: self.bits | more.bits << self.count, count: self.count + more.count }
    }
}

/// A number of the standard's lists, and what of the value it leaves open.
struct Symbol {
    number: usize,
    open: Bits,
}

/// For lengths of 3 to 257.
fn length_symbol(length: usize) -> Symbol {
    let beyond = length - 3;
    let open = (beyond | 4).ilog2() as usize - 2;
    let number = 257 + (beyond >> open) + 4 * open;
    Symbol { number, open: Bits::number(beyond & ((1 << open) - 1), open) }
}

/// For distances from 3.
fn distance_symbol(distance: usize) -> Symbol {
    let beyond = distance - 1;
    let open = beyond.ilog2() as usize - 1;
    let number = (beyond >> open) + 2 * open;
    Symbol { number, open: Bits::number(beyond & ((1 << open) - 1), open) }
}

fn copied(width: usize) -> usize {
    (ROW_REPEATS - 1) * width
}

/// What is left of the copies of a row after the longest one. No width leaves one or two, which no length could say.
fn copy_rest(width: usize) -> usize {
    copied(width) % LONGEST
}

/// The words that repeat the row just written.
fn copies(width: usize) -> Bits {
    let back = Bits::number(0, 1).and(distance_symbol(width).open);
    let longest = (0..copied(width) / LONGEST).map(|_| LONGEST_COPY.and(back));
    let rest = REST.and(length_symbol(copy_rest(width)).open).and(back);
    longest.fold(rest, Bits::and)
}

/// The check of zlib over the rows as they were: a sum of bytes, and a sum of the sums, in closed form.
struct Check {
    width: usize,
    sum: usize,
    sums: usize,
}

impl Check {
    fn new(width: usize) -> Self {
        Self { width, sum: 1, sums: 0 }
    }

    /// A light byte is 255, a dark one nothing. The byte at place `i` is in `width - i` of the sums.
    fn row(&mut self, dark: usize, dark_places: usize) {
        let light = self.width - dark;
        let weighted = self.width * (self.width + 1) / 2 - (dark * self.width - dark_places);
        for _ in 0..ROW_REPEATS {
            self.sums += self.sum * self.width + 255 * weighted;
            self.sum += 255 * light;
        }
    }

    fn finish(&self) -> u32 {
        let part = |sum: usize| u32::try_from(sum % 65_521).expect("it is less than what it is divided by");
        part(self.sums) << 16 | part(self.sum)
    }
}
