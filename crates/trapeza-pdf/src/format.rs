//! Numbers and streams as a PDF file has them.

pub(crate) fn compress(data: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec_zlib(data, 6)
}

/// Thousandths, in which the layout computes, as the number that the file has.
#[expect(
    clippy::float_arithmetic,
    reason = "PDF has decimal numbers; the layout itself computes in integers"
)]
#[expect(clippy::cast_precision_loss, reason = "a page has less than 2^24 thousandths")]
pub(crate) fn points(thousandths: i32) -> f32 {
    thousandths as f32 / 1000.0
}
