//! The lines of a code as a PNG picture of one bit a pixel. A module is eight pixels wide, so a byte is a module, dark or light,
//! and that is what makes it quick to pack. Knows nothing of what the code says, nor how bits are packed.

use super::mask::Line;
use super::packing::{Packing, ROW_REPEATS};

/// Modules of paper around the code, as the standard wants it.
pub(super) const QUIET: usize = 4;
/// Pixels a module.
pub(super) const SCALE: usize = ROW_REPEATS;

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// The picture of these lines, which are as many as they are wide.
pub(super) fn png(lines: &[Line]) -> Vec<u8> {
    let side = lines.len();
    let mut out = Vec::with_capacity(1024);
    out.extend(SIGNATURE);
    chunk(&mut out, *b"IHDR", |out| {
        let pixels = u32::try_from((side + 2 * QUIET) * SCALE).expect("a code has at most 61 lines");
        out.extend(pixels.to_be_bytes());
        out.extend(pixels.to_be_bytes());
        // One bit, grey; the one way to compress, to filter, and not interlaced.
        out.extend([1, 0, 0, 0, 0]);
    });
    chunk(&mut out, *b"IDAT", |out| {
        // A row begins with its filter, which is none: a zero, as a dark module is.
        let mut packing = Packing::new(out, 1 + side + 2 * QUIET);
        let paper = [0; QUIET];
        for line in paper.iter().chain(lines).chain(&paper) {
            packing.row(1 | u128::from(*line) << (1 + QUIET));
        }
        packing.finish();
    });
    chunk(&mut out, *b"IEND", |_| ());
    out
}

/// Length, name, what is inside, and the check of name and inside.
fn chunk(out: &mut Vec<u8>, name: [u8; 4], inside: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0; 4]);
    out.extend(name);
    inside(out);
    let length = u32::try_from(out.len() - start - 8).expect("a picture is a few kilobytes");
    out[start..start + 4].copy_from_slice(&length.to_be_bytes());
    let check = crc32(&out[start + 4..]);
    out.extend(check.to_be_bytes());
}

const CRC: [[u32; 256]; 4] = {
    let mut table = [[0; 256]; 4];
    let mut byte: u32 = 0;
    while byte < 256 {
        let (mut check, mut bit) = (byte, 0);
        while bit < 8 {
            check = if check & 1 == 1 { 0xedb8_8320 ^ check >> 1 } else { check >> 1 };
            bit += 1;
        }
        table[0][byte as usize] = check;
        byte += 1;
    }
    let mut ahead = 1;
    while ahead < 4 {
        let mut byte = 0;
        while byte < 256 {
            let before: u32 = table[ahead - 1][byte];
            table[ahead][byte] = before >> 8 ^ table[0][(before & 0xff) as usize];
            byte += 1;
        }
        ahead += 1;
    }
    table
};

/// The check of PNG, four bytes at a time.
fn crc32(bytes: &[u8]) -> u32 {
    let at = |table: usize, byte: u8| CRC[table][usize::from(byte)];
    let (fours, rest) = bytes.as_chunks::<4>();
    let mut check = u32::MAX;
    for four in fours {
        let [a, b, c, d] = (check ^ u32::from_le_bytes(*four)).to_le_bytes();
        check = at(3, a) ^ at(2, b) ^ at(1, c) ^ at(0, d);
    }
    for byte in rest {
        check = check >> 8 ^ at(0, check.to_le_bytes()[0] ^ byte);
    }
    !check
}
