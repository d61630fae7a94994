//! All of a size that no text changes, worked out once a size, and how codewords become lines of modules with it. Knows no text
//! and no picture.

use std::sync::OnceLock;

use super::field::Divisor;
use super::mask::{self, Line, MARGIN, MASKS};
use super::sheet::Sheet;
use super::version::{LARGEST, Version};

/// All of a size that no text changes.
pub(super) struct Plan {
    pub version: Version,
    pub divisor: Divisor,
    /// For each mask the lines of an empty code with their margin: patterns, format, and the mask where data goes.
    masked: [Vec<Line>; MASKS],
    /// Row and column of each bit of data, in the order in which they are laid down.
    places: Vec<(u8, u8)>,
}

impl Plan {
    pub(super) fn of(version: Version) -> &'static Self {
        static PLANS: [OnceLock<Plan>; LARGEST] = [const { OnceLock::new() }; LARGEST];
        PLANS[version.number - 1].get_or_init(|| Self::new(version))
    }

    fn new(version: Version) -> Self {
        let sheet = Sheet::new(version);
        Self {
            version,
            divisor: Divisor::new(version.checks),
            masked: std::array::from_fn(|mask| sheet.masked(mask)),
            places: sheet.places(),
        }
    }

    /// The lines of the code with these codewords, under the mask that reads best.
    pub(super) fn lines(&self, codewords: &[u8]) -> Vec<Line> {
        let data = self.data(codewords);
        let best = (0..MASKS).map(|mask| self.under(mask, &data)).min_by_key(|framed| mask::penalty(framed));
        let mut lines = best.unwrap_or_default();
        lines.truncate(MARGIN + self.version.side());
        lines.drain(..MARGIN);
        lines
    }

    /// The lines under one mask, with their margin.
    pub(super) fn under(&self, mask: usize, data: &[Line]) -> Vec<Line> {
        self.masked[mask].iter().zip(data).map(|(line, data)| line ^ data).collect()
    }

    /// The bits of the codewords on an empty square. What is left over at the end stays light.
    pub(super) fn data(&self, codewords: &[u8]) -> Vec<Line> {
        let mut lines = vec![0; self.version.side() + 2 * MARGIN];
        let bits = codewords.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
        for ((row, column), bit) in self.places.iter().zip(bits) {
            lines[MARGIN + usize::from(*row)] |= Line::from(bit) << column;
        }
        lines
    }
}
