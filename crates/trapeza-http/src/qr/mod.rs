//! A text as a QR code (ISO/IEC 18004, level M, bytes), as a PNG picture. Every basket has one, so it is made here from bits a line
//! at a time rather than module by module: docs/decisions.md, "The picture of a code". `codeword` → `plan` (with `sheet` and
//! `mask`) → `picture` (with `packing`). Knows nothing of what the texts mean.

mod codeword;
mod field;
mod mask;
mod packing;
mod picture;
mod plan;
mod sheet;
#[cfg(test)]
mod tests;
mod version;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use self::mask::Line;
use self::plan::Plan;
use self::version::Version;

/// The picture's bytes. Empty for a text of more than 251 bytes, which ours never are: the configuration limits the one part
/// of a link that is not fixed.
pub fn png(text: &str) -> Vec<u8> {
    lines(text).map(|lines| picture::png(&lines)).unwrap_or_default()
}

pub fn png_base64(text: &str) -> String {
    STANDARD.encode(png(text))
}

fn lines(text: &str) -> Option<Vec<Line>> {
    let plan = Plan::of(Version::fitting(text.len())?);
    Some(plan.lines(&codeword::codewords(plan.version, &plan.divisor, text.as_bytes())))
}
