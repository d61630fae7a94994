//! MessageCodeList against others' work: module for module beside another encoder, and every picture read again by a decoder of PNG and
//! a reader of codes that share nothing with ours.

use fast_qr::{ECL, Mask, Mode, QRBuilder};
use proptest::prelude::*;

use super::mask::{self, Line, MARGIN, MASKS};
use super::picture::{QUIET, SCALE};
use super::plan::Plan;
use super::version::Version;
use super::{codeword, lines, png};

const THEIR_MASKS: [Mask; MASKS] = [
    Mask::Checkerboard,
    Mask::HorizontalLines,
    Mask::VerticalLines,
    Mask::DiagonalLines,
    Mask::LargeCheckerboard,
    Mask::Fields,
    Mask::Diamonds,
    Mask::Meadow,
];

/// Every length there is, so every version with its padding, under every mask.
#[test]
fn each_module_is_where_another_encoder_has_it() {
    let text = "https://bank.example/checkout/8f14e45fceea167a5a36dedd4bea2543?".repeat(4);
    for length in 1..=251 {
        same_under_every_mask(&text[..length]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_has_the_modules_another_encoder_gives_it(text in "\\PC{1,80}") {
        prop_assume!(text.len() <= 251);
        same_under_every_mask(&text);
    }

    /// The rules of the standard once more, module by module, as it tells them.
    #[test]
    fn the_points_are_those_of_the_rules(text in "[ -~]{1,200}") {
        let plan = Plan::of(Version::fitting(text.len()).unwrap());
        let data = plan.data(&codeword::codewords(plan.version, &plan.divisor, text.as_bytes()));
        let points: Vec<_> = (0..MASKS)
            .map(|mask| {
                let framed = plan.under(mask, &data);
                let points = points(&framed[MARGIN..framed.len() - MARGIN]);
                assert_eq!(mask::penalty(&framed), points, "mask {mask}");
                points
            })
            .collect();
        let chosen = self::points(&lines(&text).unwrap());
        prop_assert_eq!(Some(&chosen), points.iter().min());
    }
}

proptest! {
    // A reader looks at every pixel, which takes its time.
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn any_picture_is_read_again(text in "\\PC{1,80}") {
        prop_assume!(text.len() <= 251);
        prop_assert_eq!(read(&png(&text)), text);
    }
}

fn same_under_every_mask(text: &str) {
    let plan = Plan::of(Version::fitting(text.len()).unwrap());
    let data = plan.data(&codeword::codewords(plan.version, &plan.divisor, text.as_bytes()));
    for (mask, their_mask) in THEIR_MASKS.into_iter().enumerate() {
        let theirs = QRBuilder::new(text).ecl(ECL::M).mode(Mode::Byte).mask(their_mask).build().unwrap();
        assert_eq!(theirs.size, plan.version.side(), "{text}");
        let framed = plan.under(mask, &data);
        for row in 0..theirs.size {
            let line =
                theirs[row].iter().rev().fold(0, |line, module| line << 1 | Line::from(module.value()));
            assert_eq!(framed[MARGIN + row], line, "{text}: row {row}, mask {mask}");
        }
    }
}

/// Every size, nearly empty, full, and between.
#[test]
fn every_size_is_read_again() {
    let text = "0123456789 Καλημέρα https://bank.example/checkout/".repeat(6);
    let full = [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251];
    for (version, most) in (1..).zip(full) {
        assert_eq!(Version::fitting(most).unwrap().number, version);
        assert_eq!(Version::fitting(most + 1).map_or(12, |next| next.number), version + 1);
        for length in [most - 11, most - 5, most] {
            let end = (1..=length).rfind(|end| text.is_char_boundary(*end)).unwrap();
            let part = &text[..end];
            assert_eq!(read(&png(part)), part);
        }
    }
    assert!(png(&"x".repeat(252)).is_empty());
}

/// Every pixel where the code has its module, white all around, and no larger than it has to be.
#[test]
fn the_picture_is_the_code() {
    let text = "https://bank.example/checkout/8f14e45f-ceea-167a-5a36-dedd4bea2543";
    let (lines, picture) = (lines(text).unwrap(), png(text));
    let (side, pixels) = pixels(&picture);
    assert_eq!(side, (lines.len() + 2 * QUIET) * SCALE);
    for (at, dark) in pixels.into_iter().enumerate() {
        let place = |pixel: usize| (pixel / SCALE).checked_sub(QUIET).filter(|place| *place < lines.len());
        let (row, column) = (place(at / side), place(at % side));
        let module = row.zip(column).is_some_and(|(row, column)| lines[row] >> column & 1 == 1);
        assert_eq!(dark, module, "{at}");
    }
    assert!(picture.len() < 600, "{}", picture.len());
}

/// Side and pixels of a picture, dark or not.
fn pixels(picture: &[u8]) -> (usize, Vec<bool>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(picture)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    // To the end, so that a wrong check is found.
    reader.finish().unwrap();
    assert_eq!(frame.width, frame.height);
    let side = usize::try_from(frame.width).unwrap();
    let dark = |at: usize| bytes[at / side * frame.line_size + at % side / 8] >> (7 - at % side % 8) & 1 == 0;
    (side, (0..side * side).map(dark).collect())
}

fn read(picture: &[u8]) -> String {
    let (side, pixels) = pixels(picture);
    let mut image = rqrr::PreparedImage::prepare_from_bitmap(side, side, |x, y| pixels[y * side + x]);
    let grids = image.detect_grids();
    assert_eq!(grids.len(), 1);
    grids[0].decode().unwrap().1
}

fn points(lines: &[Line]) -> u32 {
    let side = lines.len();
    let dark = |row: usize, column: usize| lines[row] >> column & 1 == 1;
    let all: u32 = (0..side * side).map(|at| u32::from(dark(at / side, at % side))).sum();
    let modules = u32::try_from(side * side).unwrap();
    let squares = (0..(side - 1) * (side - 1)).filter(|at| {
        let (row, column) = (at / (side - 1), at % (side - 1));
        let here = dark(row, column);
        [(row, column + 1), (row + 1, column), (row + 1, column + 1)]
            .iter()
            .all(|(y, x)| dark(*y, *x) == here)
    });
    let mut points = 3 * u32::try_from(squares.count()).unwrap();
    for along in 0..side {
        points += line_points(&(0..side).map(|across| dark(along, across)).collect::<Vec<_>>());
        points += line_points(&(0..side).map(|across| dark(across, along)).collect::<Vec<_>>());
    }
    points + 10 * ((100 * all).abs_diff(50 * modules) / (5 * modules))
}

/// Runs of five and more, and corners' likes with the paper around them.
fn line_points(line: &[bool]) -> u32 {
    let runs = line.chunk_by(|a, b| a == b).map(|run| u32::try_from(run.len()).unwrap());
    let runs: u32 = runs.filter(|run| *run >= 5).map(|run| run - 2).sum();
    let framed: Vec<bool> = [&[false; 4], line, &[false; 4]].concat();
    let corner = [true, false, true, true, true, false, true];
    let likes = framed.windows(15).filter(|window| {
        window[4..11] == corner && (window[..4] == [false; 4] || window[11..] == [false; 4])
    });
    runs + 40 * u32::try_from(likes.count()).unwrap()
}
