//! A PNG image with one bit per pixel.
//!
//! The lines of a row of modules are the same, so the first is written as literals and the others as one repetition of it, with
//! the fixed Huffman codes of deflate (RFC 1951). A general compressor needs five times as long to find that out.

use crate::symbol::Symbol;

/// Light modules around the code, as the standard requires.
const QUIET_ZONE: usize = 4;
/// Pixels per module: two modules are one byte.
const SCALE: usize = 4;
/// The bytes of two modules, by their bits: the left module is the lower bit and fills the higher half, and dark pixels are 0.
const PAIRS: [u8; 4] = [0xff, 0x0f, 0xf0, 0x00];
/// Every line begins with its filter; no filter is used.
const NO_FILTER: u8 = 0;

const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// Depth 1, grayscale, and the only methods of compression, filtering and no interlacing that there are.
const ONE_BIT_GRAY: [u8; 5] = [1, 0, 0, 0, 0];
/// Deflate with a window of 32 KiB, without a preset dictionary.
const ZLIB_HEADER: [u8; 2] = [0x78, 0x01];

pub(crate) fn png(symbol: &Symbol) -> Vec<u8> {
    let modules = symbol.side + 2 * QUIET_ZONE;
    let side = u32::try_from(modules * SCALE).unwrap_or_default().to_be_bytes();
    let mut file = Vec::with_capacity(2048);
    file.extend_from_slice(&SIGNATURE);
    chunk(&mut file, *b"IHDR", |out| {
        out.extend_from_slice(&[side, side].concat());
        out.extend_from_slice(&ONE_BIT_GRAY);
    });
    chunk(&mut file, *b"IDAT", |out| compressed_lines(symbol, modules, out));
    chunk(&mut file, *b"IEND", |_| ());
    file
}

/// Writes a chunk with its length and checksum.
fn chunk(file: &mut Vec<u8>, name: [u8; 4], content: impl FnOnce(&mut Vec<u8>)) {
    let start = file.len();
    file.extend_from_slice(&[0; 4]);
    file.extend_from_slice(&name);
    content(file);
    let length = u32::try_from(file.len() - start - 8).unwrap_or_default();
    file[start..start + 4].copy_from_slice(&length.to_be_bytes());
    let checksum = crc32fast::hash(&file[start + 4..]);
    file.extend_from_slice(&checksum.to_be_bytes());
}

/// Writes the lines of all modules as a zlib stream.
fn compressed_lines(symbol: &Symbol, modules: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&ZLIB_HEADER);
    let mut deflate = DeflateWriter::new(out);
    let mut checksum = simd_adler32::Adler32::new();
    // The side of a code is odd, so the right half of the last byte is beyond the image.
    let line_bytes = 1 + modules.div_ceil(2);
    let mut lines = vec![NO_FILTER; line_bytes * SCALE];
    for module_row in 0..modules {
        let row =
            module_row.checked_sub(QUIET_ZONE).and_then(|y| symbol.rows.get(y)).copied().unwrap_or_default();
        // Four light modules on the left are two bytes; one bit per module leaves no space for them in the row itself.
        lines[1..1 + QUIET_ZONE / 2].fill(PAIRS[0]);
        for (pair, byte) in lines[1 + QUIET_ZONE / 2..line_bytes].iter_mut().enumerate() {
            let bits = row.checked_shr(2 * u32::try_from(pair).unwrap_or(u32::MAX)).unwrap_or_default();
            *byte = PAIRS[usize::from(bits.to_le_bytes()[0] & 0b11)];
        }
        for copy in 1..SCALE {
            lines.copy_within(..line_bytes, copy * line_bytes);
        }
        checksum.write(&lines);
        lines[..line_bytes].iter().for_each(|byte| deflate.literal(*byte));
        deflate.repeat((SCALE - 1) * line_bytes, line_bytes);
    }
    deflate.finish();
    out.extend_from_slice(&checksum.finish().to_be_bytes());
}

/// The code of each literal as it is written, and the number of its bits.
const LITERALS: [(u32, u32); 256] = literals();

const fn literals() -> [(u32, u32); 256] {
    let mut table = [(0, 0); 256];
    let mut value = 0u32;
    while value < 256 {
        let (code, count) = if value < 144 { (0x30 + value, 8) } else { (0x190 + value - 144, 9) };
        table[value as usize] = (code.reverse_bits() >> (32 - count), count);
        value += 1;
    }
    table
}

/// Writes one deflate block with the fixed codes.
struct DeflateWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Bits that are not a whole byte yet, the first one lowest.
    bits: u64,
    count: u32,
}

impl<'a> DeflateWriter<'a> {
    fn new(out: &'a mut Vec<u8>) -> Self {
        let mut writer = Self { out, bits: 0, count: 0 };
        // The last block, with fixed codes.
        writer.bits(0b011, 3);
        writer
    }

    fn bits(&mut self, bits: u32, count: u32) {
        self.bits |= u64::from(bits) << self.count;
        self.count += count;
        if self.count >= 32 {
            let [a, b, c, d, ..] = self.bits.to_le_bytes();
            self.out.extend_from_slice(&[a, b, c, d]);
            self.bits >>= 32;
            self.count -= 32;
        }
    }

    /// Huffman codes are written from their highest bit.
    fn code(&mut self, code: u32, count: u32) {
        self.bits(code.reverse_bits() >> (32 - count), count);
    }

    fn literal(&mut self, byte: u8) {
        let (bits, count) = LITERALS[usize::from(byte)];
        self.bits(bits, count);
    }

    /// Repeats 11 to 114 bytes from 5 to 32,768 bytes before.
    fn repeat(&mut self, length: usize, distance: usize) {
        let length = u32::try_from(length - 3).unwrap_or_default();
        let extra = length.ilog2() - 2;
        // From 257 on, which has code 1 of 7 bits.
        self.code(1 + 4 * extra + (length >> extra), 7);
        self.bits(length & ((1 << extra) - 1), extra);
        let distance = u32::try_from(distance - 1).unwrap_or_default();
        let extra = distance.ilog2() - 1;
        self.code(2 * extra + (distance >> extra), 5);
        self.bits(distance & ((1 << extra) - 1), extra);
    }

    fn finish(mut self) {
        // The end of the block, and bits up to the next byte.
        self.code(0, 7);
        let bytes = self.count.div_ceil(8);
        self.out.extend(self.bits.to_le_bytes().iter().take(usize::try_from(bytes).unwrap_or_default()));
    }
}
