//! Decoding of the `Certificate` header into DER.
//!
//! A header cannot contain line breaks, so callers and proxies encode PEM in several ways: percent-encoding, spaces
//! or nothing instead of line breaks, a literal `\n`, or base64 without PEM markers. All of them are accepted.

use super::CertificateParseError;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// Real certificates with many roles and policies are below 4 KiB; percent-encoding makes them at most three times
/// longer.
pub const MAX_HEADER_BYTES: usize = 16 * 1024;

/// Some callers strip the padding, which is redundant.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

// Without the space, because a caller who removes white space may have removed this one as well.
const BEGIN: &str = "-----BEGINCERTIFICATE-----";
const END: &str = "-----ENDCERTIFICATE-----";

/// The DER form of the certificate in the header.
pub fn decode_header(text: &str) -> Result<Vec<u8>, CertificateParseError> {
    if text.len() > MAX_HEADER_BYTES {
        return Err(CertificateParseError("the certificate header is longer than 16384 characters"));
    }
    let text = without_breaks(&percent_decoded(text.trim())?);
    let body = body_of(&text)?;
    if body.is_empty() {
        return Err(CertificateParseError("the certificate header holds no certificate"));
    }
    BASE64.decode(body).map_err(|_| CertificateParseError("the certificate is not well-formed base64"))
}

fn percent_decoded(text: &str) -> Result<Cow<'_, str>, CertificateParseError> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    // Form encoding writes a space as `+`, which base64 uses, too. The first line shows which one it is.
    let text = match text.starts_with("-----BEGIN+") {
        true => Cow::Owned(text.replace('+', " ")),
        false => Cow::Borrowed(text),
    };
    let decoded = percent_decode_str(&text)
        .decode_utf8()
        .map_err(|_| CertificateParseError("the certificate header is percent-encoded, but not of text"))?;
    Ok(Cow::Owned(decoded.into_owned()))
}

/// Base64 and markers without quotes and everything that stands for a line break.
fn without_breaks(text: &str) -> String {
    let quoted = text.trim().trim_matches('"');
    let unescaped = match quoted.contains('\\') {
        true => Cow::Owned(quoted.replace("\\r", "").replace("\\n", "")),
        false => Cow::Borrowed(quoted),
    };
    unescaped.chars().filter(|c| !c.is_ascii_whitespace()).collect()
}

/// The text between the PEM markers, or the whole text without markers.
fn body_of(text: &str) -> Result<&str, CertificateParseError> {
    let Some(rest) = text.strip_prefix(BEGIN) else {
        return match text.contains("-----") {
            // This also rejects a private key that is sent by mistake.
            true => {
                Err(CertificateParseError("the certificate header holds PEM, but not one certificate alone"))
            }
            false => Ok(text),
        };
    };
    let body = rest
        .strip_suffix(END)
        .ok_or(CertificateParseError("the certificate header is PEM without its last line"))?;
    match body.contains('-') {
        true => Err(CertificateParseError(
            "the certificate header holds more than one certificate; send the first alone",
        )),
        false => Ok(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Chosen so that its base64 has a `+`, a `/` and padding: "++//+w==".
    const DER: [u8; 4] = [0xfb, 0xef, 0xff, 0xfb];

    #[test]
    fn every_header_encoding_decodes_to_the_same_der() {
        for text in [
            "++//+w==",
            "++//+w",
            "  ++// +w==\t",
            "%2B%2B%2F%2F%2Bw%3D%3D",
            "++//+w%3D%3D",
            "-----BEGIN CERTIFICATE-----\n++//\n+w==\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\r\n++//\r\n+w==\r\n-----END CERTIFICATE-----\r\n",
            "-----BEGIN CERTIFICATE----- ++// +w== -----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----++//+w==-----END CERTIFICATE-----",
            "-----BEGINCERTIFICATE-----++//+w==-----ENDCERTIFICATE-----",
            r"-----BEGIN CERTIFICATE-----\n++//\n+w==\n-----END CERTIFICATE-----\n",
            r#""-----BEGIN CERTIFICATE-----\r\n++//+w==\r\n-----END CERTIFICATE-----\r\n""#,
            "-----BEGIN%20CERTIFICATE-----%0A++//%0A+w==%0A-----END%20CERTIFICATE-----%0A",
            "-----BEGIN+CERTIFICATE-----%0A%2B%2B%2F%2F%0A%2Bw%3D%3D%0A-----END+CERTIFICATE-----%0A",
            "%2D%2D%2D%2D%2DBEGIN%20CERTIFICATE-----%0D%0A%2b%2b//%2bw==%0D%0A-----END%20CERTIFICATE-----",
        ] {
            assert_eq!(decode_header(text).as_deref(), Ok(&DER[..]), "{text}");
        }
    }

    #[test]
    fn invalid_header_is_named_without_its_content() {
        for (text, error) in [
            ("", "holds no certificate"),
            (" \t ", "holds no certificate"),
            ("-----BEGIN CERTIFICATE----------END CERTIFICATE-----", "holds no certificate"),
            ("s3cret!", "not well-formed base64"),
            ("++//+w==++//", "not well-formed base64"),
            ("++//+x==", "not well-formed base64"),
            ("ÄÖÜ", "not well-formed base64"),
            ("%ff%fe", "not of text"),
            ("-----BEGIN CERTIFICATE-----\n++//+w==", "without its last line"),
            ("-----BEGIN PRIVATE KEY-----\n++//+w==\n-----END PRIVATE KEY-----", "not one certificate alone"),
            (
                "-----BEGIN CERTIFICATE-----AA==-----END CERTIFICATE----------BEGIN CERTIFICATE-----AA==-----END CERTIFICATE-----",
                "more than one",
            ),
        ] {
            let words = decode_header(text).expect_err(text).to_string();
            assert!(words.contains(error), "{text}: {words}");
            assert!(!words.contains("s3cret"), "{words}");
        }
    }

    #[test]
    fn header_over_the_maximum_length_is_rejected() {
        assert!(decode_header(&"A".repeat(MAX_HEADER_BYTES)).is_ok());
        let words = decode_header(&"A".repeat(MAX_HEADER_BYTES + 1)).expect_err("one too long").to_string();
        assert!(words.contains("longer"), "{words}");
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_does_not_panic(text in ".{0,200}", coded in "(%[0-9a-fA-F]{0,2}|[-A-Za-z+/=\\\\n ]){0,60}") {
            let _ = decode_header(&text);
            let _ = decode_header(&coded);
            let _ = decode_header(&format!("-----BEGIN CERTIFICATE-----{coded}-----END CERTIFICATE-----"));
        }
    }
}
