//! The eight masks, and how bad a code looks under one (ISO/IEC 18004, 7.8). A line of modules is a word of bits, column 0 in the
//! lowest, dark where it is set: a rule is then a few shifts for a whole line. Beyond the edges it is light, as the paper is.

/// One line of modules.
pub(super) type Line = u64;

pub(super) const MASKS: usize = 8;

/// Lines of paper above and below, which a rule looks at.
pub(super) const MARGIN: usize = 4;

/// Where a mask turns a module round.
pub(super) fn turns(mask: usize, row: usize, column: usize) -> bool {
    let (sum, product) = (row + column, row * column);
    match mask {
        0 => sum.is_multiple_of(2),
        1 => row.is_multiple_of(2),
        2 => column.is_multiple_of(3),
        3 => sum.is_multiple_of(3),
        4 => (row / 2 + column / 3).is_multiple_of(2),
        5 => product % 2 + product % 3 == 0,
        6 => (product % 2 + product % 3).is_multiple_of(2),
        _ => (sum % 2 + product % 3).is_multiple_of(2),
    }
}

/// The points against a square of lines, given with its margin: the fewer, the better it is read.
pub(super) fn penalty(framed: &[Line]) -> u32 {
    let lines = &framed[MARGIN..framed.len() - MARGIN];
    let all = (1 << lines.len()) - 1;
    runs(lines, all) + 3 * squares(lines, all) + 40 * lookalikes(lines, framed) + unbalance(lines)
}

/// Three points for five alike in a line, one for each more: one for each place where five begin, two where a run does.
fn runs(lines: &[Line], all: Line) -> u32 {
    let mut points = 0;
    for line in lines {
        let alike = !(line ^ line >> 1) & all >> 1;
        let five = alike & alike >> 1 & alike >> 2 & alike >> 3;
        points += five.count_ones() + 2 * (five & !(five << 1)).count_ones();
    }
    let mut above = 0;
    for five in lines.windows(5) {
        let [a, b, c, d, e] = five else { continue };
        let five = (a & b & c & d & e | !(a | b | c | d | e)) & all;
        points += five.count_ones() + 2 * (five & !above).count_ones();
        above = five;
    }
    points
}

/// Squares of two by two alike.
fn squares(lines: &[Line], all: Line) -> u32 {
    let mut count = 0;
    for two in lines.windows(2) {
        let (dark, light) = (two[0] & two[1], !(two[0] | two[1]));
        count += ((dark & dark >> 1 | light & light >> 1) & all >> 1).count_ones();
    }
    count
}

/// What might be taken for a corner: its 1:1:3:1:1 with four light modules before or after.
fn lookalikes(lines: &[Line], framed: &[Line]) -> u32 {
    let mut count = 0;
    for line in lines {
        let corner = line & !(line >> 1) & line >> 2 & line >> 3 & line >> 4 & !(line >> 5) & line >> 6;
        let before = line << 1 | line << 2 | line << 3 | line << 4;
        let after = (line | line >> 1 | line >> 2 | line >> 3) >> 7;
        count += (corner & !(before & after)).count_ones();
    }
    for window in framed.windows(7 + 2 * MARGIN) {
        let [b1, b2, b3, b4, d1, l1, d2, d3, d4, l2, d5, a1, a2, a3, a4] = window else { continue };
        let corner = d1 & !l1 & d2 & d3 & d4 & !l2 & d5;
        count += (corner & !((b1 | b2 | b3 | b4) & (a1 | a2 | a3 | a4))).count_ones();
    }
    count
}

/// Ten points for every five percent that the dark modules are off the half.
fn unbalance(lines: &[Line]) -> u32 {
    let dark: u32 = lines.iter().map(|line| line.count_ones()).sum();
    let modules = u32::try_from(lines.len() * lines.len()).unwrap_or(u32::MAX);
    (20 * dark).abs_diff(10 * modules) / modules * 10
}
