//! How the bank looks: its colours and its logo.

use super::colour::Colour;
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

/// A page contains the logo's address, not the logo; still a customer on a slow line loads it.
pub const MAX_LOGO_BYTES: usize = 32 * 1024;

const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The brand; without a value of its own the bank looks as Trapeza does.
#[derive(Clone, Debug, Default)]
pub struct Brand {
    pub logo: Option<Logo>,
    /// The colour of links and buttons in the light scheme.
    pub colour_light: Option<Colour>,
    /// The same in the dark scheme.
    pub colour_dark: Option<Colour>,
}

/// A picture that was checked when the program started.
#[derive(Clone)]
pub struct Logo {
    kind: LogoKind,
    bytes: Arc<[u8]>,
    /// The beginning of its hash, which changes its address with its content.
    version: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogoKind {
    Svg,
    Png,
}

impl LogoKind {
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Svg => "image/svg+xml",
            Self::Png => "image/png",
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
        }
    }
}

impl Logo {
    /// Reads the content of an SVG or PNG file.
    pub fn parse(bytes: Vec<u8>) -> Result<Self, &'static str> {
        if bytes.len() > MAX_LOGO_BYTES {
            return Err("must have at most 32 KiB");
        }
        let kind = if bytes.starts_with(PNG_SIGNATURE) {
            LogoKind::Png
        } else if is_svg(&bytes) {
            LogoKind::Svg
        } else {
            return Err("must be an SVG or PNG picture");
        };
        let hash = Sha256::digest(&bytes);
        let version = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { kind, bytes: bytes.into(), version })
    }

    pub const fn kind(&self) -> LogoKind {
        self.kind
    }

    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// The name of its file, which changes with its content: `logo-1f2e3d4c5b6a.svg`.
    pub fn file_name(&self) -> String {
        format!("logo-{}.{}", self.version, self.kind.extension())
    }
}

/// Whether a text is an SVG document: its first element is `svg`, after a declaration, comments and a document type.
fn is_svg(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let end = match rest {
            _ if rest.starts_with("<?") => "?>",
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<!DOCTYPE") => ">",
            _ => break,
        };
        let Some((_, after)) = rest.split_once(end) else { return false };
        rest = after.trim_start();
    }
    rest.strip_prefix("<svg").is_some_and(|rest| rest.starts_with([' ', '\n', '\r', '\t', '>']))
        && rest.contains("http://www.w3.org/2000/svg")
}

impl fmt::Debug for Logo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Logo({}, {} bytes)", self.file_name(), self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logo_is_an_svg_or_png_of_bounded_size() {
        let svg = "<?xml version=\"1.0\"?>\n<!-- ours -->\n<svg xmlns=\"http://www.w3.org/2000/svg\"/>";
        let logo = Logo::parse(svg.as_bytes().to_vec()).unwrap();
        assert_eq!(logo.kind(), LogoKind::Svg);
        assert!(logo.file_name().starts_with("logo-") && logo.file_name().ends_with(".svg"));
        assert_eq!(Logo::parse([PNG_SIGNATURE, b"rest"].concat()).unwrap().kind(), LogoKind::Png);
        for wrong in ["", "GIF89a", "<html><svg xmlns=\"http://www.w3.org/2000/svg\"/>", "<svg/>", "<?xml"] {
            assert!(Logo::parse(wrong.as_bytes().to_vec()).is_err(), "{wrong}");
        }
        assert!(Logo::parse([PNG_SIGNATURE, &[0; MAX_LOGO_BYTES]].concat()).is_err());
    }
}
