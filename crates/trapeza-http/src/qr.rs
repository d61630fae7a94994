//! QR codes (ISO/IEC 18004, error correction level M, byte mode) as PNG images.
//!
//! Every basket has one, so the mask is fixed: choosing the best of eight takes longer than the rest of the encoding, and
//! readers decode any of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use png::{BitDepth, ColorType, Compression, Encoder, EncodingError, Filter};
use qrcodegen::{DataTooLong, Mask, QrCode, QrCodeEcc, QrSegment, Version};

/// Light modules around the code, as the standard requires.
const QUIET_ZONE: usize = 4;
/// Pixels per module: two modules are one byte of one-bit pixels. Twice as many would take three times as long to compress.
const SCALE: usize = 4;
const LIGHT: u8 = 0xff;
const LEFT_MODULE: u8 = 0xf0;
const RIGHT_MODULE: u8 = 0x0f;

/// A QR code as a PNG image. Empty for a text beyond 2,331 bytes; the configuration limits the public URL, which is the only
/// variable part of our links.
pub fn png(text: &str) -> Vec<u8> {
    encode(text).ok().and_then(|code| image(&code).ok()).unwrap_or_default()
}

pub fn png_base64(text: &str) -> String {
    STANDARD.encode(png(text))
}

fn encode(text: &str) -> Result<QrCode, DataTooLong> {
    let segments = [QrSegment::make_bytes(text.as_bytes())];
    let mask = Some(Mask::new(0));
    QrCode::encode_segments_advanced(&segments, QrCodeEcc::Medium, Version::MIN, Version::MAX, mask, false)
}

fn image(code: &QrCode) -> Result<Vec<u8>, EncodingError> {
    let size = usize::try_from(code.size()).unwrap_or_default();
    let modules = size + 2 * QUIET_ZONE;
    // The size of a code is odd, so the right half of the last byte is unused.
    let row_bytes = modules.div_ceil(2);
    let mut pixels = vec![LIGHT; row_bytes * modules * SCALE];
    let rows = pixels.chunks_exact_mut(row_bytes * SCALE).skip(QUIET_ZONE);
    for (y, rows) in (0..code.size()).zip(rows) {
        let columns = (0..code.size()).step_by(2);
        for (x, byte) in columns.zip(&mut rows[QUIET_ZONE / 2..row_bytes]) {
            // Beyond the code the right module is light.
            let left = if code.get_module(x, y) { LEFT_MODULE } else { 0 };
            let right = if code.get_module(x + 1, y) { RIGHT_MODULE } else { 0 };
            *byte = LIGHT ^ left ^ right;
        }
        for copy in 1..SCALE {
            rows.copy_within(..row_bytes, copy * row_bytes);
        }
    }
    let side = u32::try_from(modules * SCALE).unwrap_or_default();
    let mut image = Vec::with_capacity(2048);
    let mut encoder = Encoder::new(&mut image, side, side);
    encoder.set_color(ColorType::Grayscale);
    encoder.set_depth(BitDepth::One);
    encoder.set_compression(Compression::Fastest);
    // Rows repeat, so their difference to the row above is mostly zero.
    encoder.set_filter(Filter::Up);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Decodes an image with a PNG decoder and a QR reader that share no code with the encoder.
    fn decode(image: &[u8]) -> String {
        let mut reader = ::png::Decoder::new(std::io::Cursor::new(image)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut bytes).unwrap();
        reader.finish().unwrap();
        let (side, line) = (usize::try_from(frame.width).unwrap(), frame.line_size);
        let dark = |x: usize, y: usize| bytes[y * line + x / 8] >> (7 - x % 8) & 1 == 0;
        let mut prepared = rqrr::PreparedImage::prepare_from_bitmap(side, side, dark);
        let grids = prepared.detect_grids();
        assert_eq!(grids.len(), 1);
        grids[0].decode().unwrap().1
    }

    #[test]
    fn codes_of_every_length_of_a_link_are_decoded() {
        let text = "0123456789 Καλημέρα https://bank.example/checkout/".repeat(6);
        for length in (1..=251).step_by(10) {
            let end = (1..=length).rfind(|end| text.is_char_boundary(*end)).unwrap();
            assert_eq!(decode(&png(&text[..end])), text[..end]);
        }
    }

    #[test]
    fn image_of_a_checkout_link_is_small() {
        let image = png("https://bank.example/checkout/8f14e45f-ceea-167a-5a36-dedd4bea2543");
        assert!(image.len() < 2048, "{}", image.len());
    }

    #[test]
    fn text_beyond_the_largest_code_has_no_image() {
        assert!(png(&"x".repeat(2332)).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn any_text_is_decoded(text in "\\PC{1,80}") {
            prop_assert_eq!(decode(&png(&text)), text);
        }
    }
}
