//! The modules of a QR code.

use crate::reed_solomon::Generator;
use crate::version::{MODE_BITS, VERSION_COUNT, Version};
use std::sync::OnceLock;

const BYTE_MODE: u16 = 0b0100;
/// Alternating codewords after the data, as the standard requires.
const PADDING: [u8; 2] = [0xec, 0x11];
/// The format information of level M with mask 0, with its own error correction.
const FORMAT: u32 = 0x5412;
const FORMAT_BITS: usize = 15;
/// The generator polynomial of the error correction of the version information.
const VERSION_POLYNOMIAL: u32 = 0x1f25;
/// Versions from this one on contain their number.
const FIRST_WITH_VERSION: u8 = 7;

/// A QR code: one bit per module, which is set for dark ones. Column 0 is the lowest bit. The largest version has 61 columns.
pub(crate) struct Symbol {
    pub side: usize,
    pub rows: Vec<u64>,
}

/// What all codes of a version share.
struct Template {
    side: usize,
    /// The function patterns: what holds no data. Data modules are set where the mask inverts them.
    rows: Vec<u64>,
    /// Column and row of each data module, in the order in which codewords are drawn.
    data_modules: Vec<(u8, u8)>,
    generator: Generator,
}

impl Symbol {
    /// `None` for a text that no version holds.
    pub fn encode(text: &[u8]) -> Option<Self> {
        let version = Version::for_bytes(text.len())?;
        let template = Template::of(version);
        let codewords = codewords(text, version, &template.generator)?;
        let mut rows = template.rows.clone();
        for (codeword, modules) in codewords.iter().zip(template.data_modules.chunks(8)) {
            for (index, (x, y)) in modules.iter().enumerate() {
                rows[usize::from(*y)] ^= u64::from(codeword << index >> 7) << x;
            }
        }
        Some(Self { side: template.side, rows })
    }
}

impl Template {
    /// The template of a version, which is made at its first use.
    fn of(version: &Version) -> &'static Self {
        static TEMPLATES: [OnceLock<Template>; VERSION_COUNT] = [const { OnceLock::new() }; VERSION_COUNT];
        TEMPLATES[usize::from(version.number) - 1].get_or_init(|| Self::new(version))
    }

    fn new(version: &Version) -> Self {
        let side = version.side();
        let mut patterns = FunctionPatterns { side, rows: vec![0; side], function: vec![0; side] };
        patterns.draw(version);
        let data_modules = patterns.data_modules();
        patterns.apply_mask();
        let generator = Generator::new(version.correction_codewords);
        Self { side, rows: patterns.rows, data_modules, generator }
    }
}

struct FunctionPatterns {
    side: usize,
    rows: Vec<u64>,
    /// The modules that hold no data.
    function: Vec<u64>,
}

impl FunctionPatterns {
    fn set(&mut self, x: usize, y: usize, dark: bool) {
        let bit = 1 << x;
        self.function[y] |= bit;
        self.rows[y] = if dark { self.rows[y] | bit } else { self.rows[y] & !bit };
    }

    fn draw(&mut self, version: &Version) {
        for index in 0..self.side {
            self.set(6, index, index % 2 == 0);
            self.set(index, 6, index % 2 == 0);
        }
        let last = self.side - 4;
        for (x, y) in [(3, 3), (last, 3), (3, last)] {
            self.draw_finder(x, y);
        }
        let (Some(first), Some(final_)) = (version.alignment.first(), version.alignment.last()) else {
            return self.draw_format();
        };
        for y in version.alignment {
            for x in version.alignment {
                // Three corners have a finder pattern instead.
                let has_finder =
                    (x, y) == (first, first) || (x, y) == (first, final_) || (x, y) == (final_, first);
                if !has_finder {
                    self.draw_alignment(*x, *y);
                }
            }
        }
        self.draw_format();
        if version.number >= FIRST_WITH_VERSION {
            self.draw_version(version.number);
        }
    }

    /// A finder pattern around its centre, with the light separator as far as it is inside the symbol.
    fn draw_finder(&mut self, center_x: usize, center_y: usize) {
        for y in center_y.saturating_sub(4)..=(center_y + 4).min(self.side - 1) {
            for x in center_x.saturating_sub(4)..=(center_x + 4).min(self.side - 1) {
                let distance = x.abs_diff(center_x).max(y.abs_diff(center_y));
                self.set(x, y, distance != 2 && distance != 4);
            }
        }
    }

    fn draw_alignment(&mut self, center_x: usize, center_y: usize) {
        for y in center_y - 2..=center_y + 2 {
            for x in center_x - 2..=center_x + 2 {
                self.set(x, y, x.abs_diff(center_x).max(y.abs_diff(center_y)) != 1);
            }
        }
    }

    /// The format information twice: around the first finder pattern, and beside the two others.
    fn draw_format(&mut self) {
        let side = self.side;
        for index in 0..FORMAT_BITS {
            let dark = FORMAT >> index & 1 == 1;
            let (x, y) = match index {
                0..=5 => (8, index),
                6..=7 => (8, index + 1),
                8 => (7, 8),
                _ => (14 - index, 8),
            };
            self.set(x, y, dark);
            let (x, y) = if index < 8 { (side - 1 - index, 8) } else { (8, side - 15 + index) };
            self.set(x, y, dark);
        }
        self.set(8, side - 8, true);
    }

    fn draw_version(&mut self, number: u8) {
        let number = u32::from(number);
        let checksum = (0..12).fold(number, |rest, _| (rest << 1) ^ ((rest >> 11) * VERSION_POLYNOMIAL));
        let information = number << 12 | checksum;
        for index in 0..18 {
            let (near, far) = (index / 3, self.side - 11 + index % 3);
            let dark = information >> index & 1 == 1;
            self.set(far, near, dark);
            self.set(near, far, dark);
        }
    }

    /// The free modules in columns of two, from the right, upwards and downwards in turn.
    fn data_modules(&self) -> Vec<(u8, u8)> {
        let mut modules = Vec::new();
        // Column 6 has the timing pattern and is left out.
        let rights = (7..self.side).rev().step_by(2).chain([5, 3, 1]);
        for (number, right) in rights.enumerate() {
            let upwards = number % 2 == 0;
            for step in 0..self.side {
                let y = if upwards { self.side - 1 - step } else { step };
                for x in [right, right - 1] {
                    if self.function[y] >> x & 1 == 0 {
                        modules.push([x, y].map(|value| value.to_le_bytes()[0]).into());
                    }
                }
            }
        }
        modules
    }

    /// Inverts each data module whose coordinates have an even sum (mask 0).
    fn apply_mask(&mut self) {
        const EVEN_COLUMNS: u64 = 0x5555_5555_5555_5555;
        let inside = u64::MAX >> (64 - self.side);
        for (y, (row, function)) in self.rows.iter_mut().zip(&self.function).enumerate() {
            let mask = if y % 2 == 0 { EVEN_COLUMNS } else { !EVEN_COLUMNS };
            *row ^= mask & inside & !function;
        }
    }
}

/// The data with its error correction, in the order in which it is drawn. `None` when the length does not fit.
fn codewords(text: &[u8], version: &Version, generator: &Generator) -> Option<Vec<u8>> {
    let data = data_codewords(text, version)?;
    let mut corrections = vec![0; version.blocks * version.correction_codewords];
    let mut blocks = Vec::with_capacity(version.blocks);
    let mut rest = &data[..];
    for (length, correction) in
        version.block_lengths().zip(corrections.chunks_exact_mut(version.correction_codewords))
    {
        let (block, others) = rest.split_at(length);
        generator.remainder(block, correction);
        blocks.push(block);
        rest = others;
    }
    let longest = blocks.last().map_or(0, |block| block.len());
    let mut interleaved = Vec::with_capacity(data.len() + corrections.len());
    for index in 0..longest {
        interleaved.extend(blocks.iter().filter_map(|block| block.get(index)));
    }
    for index in 0..version.correction_codewords {
        interleaved.extend(corrections.chunks_exact(version.correction_codewords).map(|block| block[index]));
    }
    Some(interleaved)
}

/// Mode, length, text, terminator and padding.
fn data_codewords(text: &[u8], version: &Version) -> Option<Vec<u8>> {
    let length = u16::try_from(text.len()).ok()?;
    let mut data = Vec::with_capacity(version.data_codewords);
    // The text begins in the middle of a byte, since the mode has four bits: each byte is divided into two.
    let header = u32::from(BYTE_MODE) << version.length_bits() | u32::from(length);
    let header_bytes = (MODE_BITS + version.length_bits()) / 8;
    data.extend_from_slice(&(header >> 4).to_be_bytes()[4 - header_bytes..]);
    let mut half = u8::try_from(header & 0x0f).ok()?;
    for byte in text {
        data.push(half << 4 | byte >> 4);
        half = byte & 0x0f;
    }
    data.push(half << 4);
    let padding = PADDING.iter().cycle().take(version.data_codewords - data.len());
    data.extend(padding);
    Some(data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use qrcodegen::{Mask, QrCode, QrCodeEcc, QrSegment};

    /// Another encoder with the same mask, without its choice of a higher level where it fits.
    fn reference(text: &[u8]) -> QrCode {
        let segments = [QrSegment::make_bytes(text)];
        let (min, max) = (qrcodegen::Version::MIN, qrcodegen::Version::MAX);
        let mask = Some(Mask::new(0));
        QrCode::encode_segments_advanced(&segments, QrCodeEcc::Medium, min, max, mask, false).unwrap()
    }

    #[test]
    fn every_module_is_that_of_another_encoder_at_every_length() {
        for length in 0..=251usize {
            let text: Vec<u8> = (0..length).map(|index| (index * 167 + length).to_le_bytes()[0]).collect();
            let (symbol, reference) = (Symbol::encode(&text).unwrap(), reference(&text));
            assert_eq!(symbol.side, usize::try_from(reference.size()).unwrap(), "{length} bytes");
            for y in 0..symbol.side {
                for x in 0..symbol.side {
                    let [column, row] = [x, y].map(|value| i32::try_from(value).unwrap());
                    let dark = symbol.rows[y] >> x & 1 == 1;
                    assert_eq!(
                        dark,
                        reference.get_module(column, row),
                        "{length} bytes, column {x}, row {y}"
                    );
                }
            }
        }
    }
}
