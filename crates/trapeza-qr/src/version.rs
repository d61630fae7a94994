//! The versions (sizes) of QR codes at error correction level M, from the tables of the standard.

/// A size of QR codes, and how its codewords are divided into blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version {
    pub number: u8,
    /// Data codewords of all blocks.
    pub data_codewords: usize,
    pub blocks: usize,
    /// Error correction codewords of each block.
    pub correction_codewords: usize,
    /// Coordinates of the centres of alignment patterns, on both axes.
    pub alignment: &'static [usize],
}

impl Version {
    /// The smallest version that holds this number of bytes in byte mode.
    pub fn for_bytes(length: usize) -> Option<&'static Self> {
        VERSIONS.iter().find(|version| length <= version.capacity_bytes())
    }

    fn capacity_bytes(&self) -> usize {
        (self.data_codewords * 8 - MODE_BITS - self.length_bits()) / 8
    }

    /// The number of bits of the length that precedes the data.
    pub fn length_bits(&self) -> usize {
        if self.number < 10 { 8 } else { 16 }
    }

    /// Modules on a side.
    pub fn side(&self) -> usize {
        17 + 4 * usize::from(self.number)
    }

    /// The lengths of the data blocks: the last ones have a codeword more when the codewords cannot be divided evenly.
    pub fn block_lengths(&self) -> impl Iterator<Item = usize> {
        let (length, longer) = (self.data_codewords / self.blocks, self.data_codewords % self.blocks);
        let shorter = self.blocks - longer;
        (0..self.blocks).map(move |block| length + usize::from(block >= shorter))
    }
}

/// The bits of the mode indicator.
pub(crate) const MODE_BITS: usize = 4;

pub(crate) const VERSION_COUNT: usize = 11;

const VERSIONS: [Version; VERSION_COUNT] = [
    version(1, 16, 1, 10, &[]),
    version(2, 28, 1, 16, &[6, 18]),
    version(3, 44, 1, 26, &[6, 22]),
    version(4, 64, 2, 18, &[6, 26]),
    version(5, 86, 2, 24, &[6, 30]),
    version(6, 108, 4, 16, &[6, 34]),
    version(7, 124, 4, 18, &[6, 22, 38]),
    version(8, 154, 4, 22, &[6, 24, 42]),
    version(9, 182, 5, 22, &[6, 26, 46]),
    version(10, 216, 5, 26, &[6, 28, 50]),
    version(11, 254, 5, 30, &[6, 30, 54]),
];

const fn version(
    number: u8,
    data_codewords: usize,
    blocks: usize,
    correction_codewords: usize,
    alignment: &'static [usize],
) -> Version {
    Version { number, data_codewords, blocks, correction_codewords, alignment }
}
