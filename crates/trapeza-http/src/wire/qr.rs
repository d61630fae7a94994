//! A text as a QR code, as a PNG picture.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fast_qr::{ECL, QRBuilder};

/// Pixels a module, and modules of quiet around.
const SCALE: usize = 6;
const QUIET: usize = 4;

/// The picture's bytes. Empty for a text too long for any code, which ours never are.
pub fn png(text: &str) -> Vec<u8> {
    let Ok(code) = QRBuilder::new(text.to_owned()).ecl(ECL::M).build() else { return Vec::new() };
    let side = (code.size + 2 * QUIET) * SCALE;
    let row_bytes = side.div_ceil(8);
    // One bit a pixel, white where it is set. A row of modules is drawn once and laid down as often as it is high.
    let mut pixels = vec![0xff_u8; row_bytes * side];
    for row in 0..code.size {
        let mut line = vec![0xff_u8; row_bytes];
        for column in (0..code.size).filter(|column| code[row][*column].value()) {
            for x in (column + QUIET) * SCALE..(column + QUIET + 1) * SCALE {
                line[x / 8] &= !(0x80 >> (x % 8));
            }
        }
        let top = (row + QUIET) * SCALE;
        for below in pixels.chunks_exact_mut(row_bytes).skip(top).take(SCALE) {
            below.copy_from_slice(&line);
        }
    }
    write(side, &pixels).unwrap_or_default()
}

fn write(side: usize, pixels: &[u8]) -> Option<Vec<u8>> {
    let side = u32::try_from(side).ok()?;
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    // Most rows are the row above. Looking for more saves a kilobyte and takes ten times as long.
    encoder.set_compression(png::Compression::Fast);
    encoder.set_filter(png::Filter::Up);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(pixels).ok()?;
    writer.finish().ok()?;
    Some(out)
}

pub fn png_base64(text: &str) -> String {
    STANDARD.encode(png(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_a_square_picture() {
        let png = super::png("12345678");
        let decoder = png::Decoder::new(std::io::Cursor::new(&png));
        let reader = decoder.read_info().unwrap();
        let info = reader.info();
        assert_eq!(info.width, info.height);
        // Version 1 has 21 modules.
        assert_eq!(info.width, (21 + 8) * 6);
    }

    /// Every module where the code has it, white all around.
    #[test]
    fn the_picture_is_the_code() {
        let text = "https://bank.example/checkout/8f14e45fceea167a5a36dedd4bea2543";
        let code = QRBuilder::new(text.to_owned()).ecl(ECL::M).build().unwrap();
        let picture = super::png(text);
        let mut reader = png::Decoder::new(std::io::Cursor::new(&picture)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        let side = (code.size + 2 * QUIET) * SCALE;
        for y in 0..side {
            for x in 0..side {
                let dark = pixels[y * frame.line_size + x / 8] & (0x80 >> (x % 8)) == 0;
                let place = |pixel: usize| (pixel / SCALE).checked_sub(QUIET).filter(|at| *at < code.size);
                let module =
                    matches!((place(y), place(x)), (Some(row), Some(column)) if code[row][column].value());
                assert_eq!(dark, module, "{x} {y}");
            }
        }
    }
}
