//! The sizes a code comes in, with level M's share of check bytes (ISO/IEC 18004, tables 1, 9 and E.1). Knows neither texts
//! nor where a module lies.

/// One size of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub number: usize,
    /// Bytes in the code, checks included.
    pub codewords: usize,
    /// Check bytes in each block.
    pub checks: usize,
    pub blocks: usize,
    /// Modules from one alignment pattern to the next, counted from the far edge.
    alignment_step: usize,
}

/// The largest we draw: its 61 modules fit a line of bits, and its 251 bytes are more than a link of ours has.
pub(super) const LARGEST: usize = 11;

const fn version(
    number: usize,
    codewords: usize,
    checks: usize,
    blocks: usize,
    alignment_step: usize,
) -> Version {
    Version { number, codewords, checks, blocks, alignment_step }
}

#[rustfmt::skip]
const VERSIONS: [Version; LARGEST] = [
    version( 1,  26, 10, 1,  0), version( 2,  44, 16, 1, 28), version( 3,  70, 26, 1, 28),
    version( 4, 100, 18, 2, 28), version( 5, 134, 24, 2, 28), version( 6, 172, 16, 4, 28),
    version( 7, 196, 18, 4, 16), version( 8, 242, 22, 4, 18), version( 9, 292, 22, 5, 20),
    version(10, 346, 26, 5, 22), version(11, 404, 30, 5, 24),
];

impl Version {
    /// The smallest that holds so many bytes of text.
    pub(super) fn fitting(text_bytes: usize) -> Option<Self> {
        VERSIONS.into_iter().find(|version| text_bytes <= version.text_bytes())
    }

    /// Modules on a side.
    pub(super) fn side(self) -> usize {
        17 + 4 * self.number
    }

    /// Bytes that carry the text with its head.
    pub(super) fn data_codewords(self) -> usize {
        self.codewords - self.checks * self.blocks
    }

    /// Bits that say how long the text is.
    pub(super) fn length_bits(self) -> usize {
        if self.number < 10 { 8 } else { 16 }
    }

    /// The four bits of the mode and the length come before the text.
    pub(super) fn text_bytes(self) -> usize {
        (self.data_codewords() * 8 - 4 - self.length_bits()) / 8
    }

    /// Rows, and columns, on which alignment patterns have their middles.
    pub(super) fn alignments(self) -> Vec<usize> {
        if self.alignment_step == 0 {
            return Vec::new();
        }
        let mut middles = vec![6];
        let mut middle = self.side() - 7;
        while middle > 6 {
            middles.push(middle);
            middle = middle.saturating_sub(self.alignment_step);
        }
        middles
    }
}
