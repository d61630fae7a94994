//! QR codes (ISO/IEC 18004) as PNG images.
//!
//! Every basket is answered with one, so this crate does only what our links need: byte mode, error correction level M, a fixed
//! mask, versions 1 to 11. General encoders take a quarter of the processor time of a basket (docs/performance.md); the tests
//! compare every module with one of them.

mod image;
mod reed_solomon;
mod symbol;
mod version;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use symbol::Symbol;

/// A QR code as a PNG image with four pixels per module. Empty for a text of more than 251 bytes; our links are shorter, because
/// the configuration limits the public URL.
pub fn png(text: &str) -> Vec<u8> {
    Symbol::encode(text.as_bytes()).map(|symbol| image::png(&symbol)).unwrap_or_default()
}

pub fn png_base64(text: &str) -> String {
    STANDARD.encode(png(text))
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
        assert!(!png(&"x".repeat(251)).is_empty());
        assert!(png(&"x".repeat(252)).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn any_text_is_decoded(text in "\\PC{1,60}") {
            prop_assert_eq!(decode(&png(&text)), text);
        }
    }
}
