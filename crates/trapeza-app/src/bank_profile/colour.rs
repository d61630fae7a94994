//! A brand colour, and whether text in it can be read.

use std::fmt;

/// The least contrast of text, by WCAG 2.2 (1.4.3), in hundredths.
const MIN_CONTRAST_HUNDREDTHS: u32 = 450;

/// A colour as `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour([u8; 3]);

/// The colour scheme in which a colour is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    Light,
    Dark,
}

impl Scheme {
    /// The surfaces on which links have the brand colour, and the text on buttons that have it. A test of `trapeza-web` compares them
    /// with the style.
    pub const fn partners(self) -> [(&'static str, &'static str); 4] {
        match self {
            Self::Light => {
                [("page", "#fbfaf8"), ("card", "#ffffff"), ("banner", "#f3f1ec"), ("button text", "#ffffff")]
            }
            Self::Dark => {
                [("page", "#12161c"), ("card", "#181d25"), ("banner", "#10141a"), ("button text", "#0d1218")]
            }
        }
    }
}

impl Colour {
    /// Red, green and blue.
    pub const fn channels(self) -> [u8; 3] {
        self.0
    }

    pub fn parse(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
        let channel = |at: usize| {
            digits.and_then(|all| all.get(at..at + 2)).and_then(|two| hexadecimal(two.as_bytes()))
        };
        match (channel(0), channel(2), channel(4)) {
            (Some(red), Some(green), Some(blue)) => Ok(Self([red, green, blue])),
            _ => Err("must be a colour of the form #rrggbb".to_owned()),
        }
    }

    /// Checks that text in this colour, and text on it, can be read in a colour scheme.
    pub fn checked(self, scheme: Scheme) -> Result<Self, String> {
        for (place, other) in scheme.partners() {
            let contrast = self.contrast_hundredths(Self::parse(other)?);
            if contrast < MIN_CONTRAST_HUNDREDTHS {
                return Err(format!(
                    "must have a contrast of at least 4.5:1 with every surface; {self} has {}.{:02}:1 with the {place} ({other})",
                    contrast / 100,
                    contrast % 100,
                ));
            }
        }
        Ok(self)
    }

    /// The contrast ratio of two colours by WCAG 2.2, rounded down.
    #[expect(
        clippy::float_arithmetic,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "luminance is defined with a fractional power; the ratio is between 1 and 21"
    )]
    pub fn contrast_hundredths(self, other: Self) -> u32 {
        let (one, two) = (self.luminance(), other.luminance());
        let (light, dark) = if one > two { (one, two) } else { (two, one) };
        ((light + 0.05) / (dark + 0.05) * 100.0 + 1e-9).floor() as u32
    }

    #[expect(clippy::float_arithmetic, reason = "luminance is defined with a fractional power")]
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        let [red, green, blue] = self.0;
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// The value of two hexadecimal digits.
fn hexadecimal(digits: &[u8]) -> Option<u8> {
    let mut value = 0;
    for digit in digits {
        value = value * 16 + u8::try_from(char::from(*digit).to_digit(16)?).ok()?;
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colour(text: &str) -> Colour {
        Colour::parse(text).unwrap()
    }

    #[test]
    fn contrast_follows_wcag() {
        assert_eq!(colour("#000000").contrast_hundredths(colour("#ffffff")), 2100);
        assert_eq!(colour("#ffffff").contrast_hundredths(colour("#ffffff")), 100);
        // Two neighbours of the limit that are often quoted: 4.54 and 4.47 on white.
        assert_eq!(colour("#767676").contrast_hundredths(colour("#ffffff")), 454);
        assert_eq!(colour("#777777").contrast_hundredths(colour("#ffffff")), 447);
    }

    #[test]
    fn colour_that_cannot_be_read_is_refused_with_its_surface() {
        assert!(colour("#1f5fa8").checked(Scheme::Light).is_ok());
        assert!(colour("#7fb2ee").checked(Scheme::Dark).is_ok());
        let problem = colour("#ffcc00").checked(Scheme::Light).unwrap_err();
        assert!(problem.contains("with the page (#fbfaf8)"), "{problem}");
        assert!(colour("#1f5fa8").checked(Scheme::Dark).is_err());
    }

    #[test]
    fn only_six_hexadecimal_digits_are_a_colour() {
        assert_eq!(colour("#A1b2C3").to_string(), "#a1b2c3");
        for wrong in ["", "red", "#fff", "#12345", "#1234567", "#12345g", "123456", "#+1+2+3", "#αβγ"] {
            assert!(Colour::parse(wrong).is_err(), "{wrong}");
        }
    }
}
