//! A text as the bytes of a code: head, text, padding, cut into blocks, checked and woven. Knows nothing of modules.

use super::field::Divisor;
use super::version::Version;

/// The mode "bytes", which is read as UTF-8 by every reader that matters.
const MODE_BYTES: u8 = 0b0100;
const PADDING: [u8; 2] = [0xec, 0x11];

/// All codewords in the order in which they are laid down. The text fits: its length chose the version.
pub(super) fn codewords(version: Version, divisor: &Divisor, text: &[u8]) -> Vec<u8> {
    let data = data(version, text);
    let blocks = blocks(version, &data);
    let checks: Vec<_> = blocks.iter().map(|block| divisor.checks(block)).collect();
    // Woven: the first byte of each block, the second of each, and so on; the last blocks may be one longer.
    let longest = blocks.last().map_or(0, |block| block.len());
    let mut out = Vec::with_capacity(data.len() + version.checks * version.blocks);
    for place in 0..longest {
        out.extend(blocks.iter().filter_map(|block| block.get(place)));
    }
    for place in 0..version.checks {
        out.extend(checks.iter().map(|check| check[place]));
    }
    out
}

fn data(version: Version, text: &[u8]) -> Vec<u8> {
    let room = version.data_codewords();
    let mut out = Vec::with_capacity(room + 1);
    // Mode, length and text follow each other without a gap, and the mode has four bits: the rest lies half a byte aside.
    let mut half = MODE_BYTES;
    let mut put = |byte: u8| {
        out.push(half << 4 | byte >> 4);
        half = byte & 0x0f;
    };
    let [.., high, low] = text.len().to_be_bytes();
    if version.length_bits() == 16 {
        put(high);
    }
    put(low);
    text.iter().copied().for_each(&mut put);
    // Four zeros end the text.
    put(0);
    out.extend(PADDING.into_iter().cycle().take(room - out.len()));
    out
}

/// Equal blocks, but that the last ones take one more each of what does not divide.
fn blocks(version: Version, data: &[u8]) -> Vec<&[u8]> {
    let (short, longer) = (data.len() / version.blocks, data.len() % version.blocks);
    let (shorts, longs) = data.split_at(short * (version.blocks - longer));
    shorts.chunks(short).chain(longs.chunks(short + 1)).collect()
}
