//! The `keyId` of a signature: `SN=<serial number in hexadecimal>,CA=<name of the issuer>`.
//!
//! Programs write the name of an issuer in different ways: from the country to the common name or the other way round, with or without
//! spaces, percent-encoded, with names or numbers of attributes. The certificate is sent along and verified, so the parameter decides
//! nothing; it is compared by its meaning.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};
use std::fmt::Write;
use trapeza_app::certificate::SealCertificate;

/// The names of attributes (RFC 4519, X.520) and their object identifiers. The first name of each is written.
const ATTRIBUTES: [(&str, &str); 22] = [
    ("CN", "2.5.4.3"),
    ("SURNAME", "2.5.4.4"),
    ("serialNumber", "2.5.4.5"),
    ("C", "2.5.4.6"),
    ("L", "2.5.4.7"),
    ("ST", "2.5.4.8"),
    ("S", "2.5.4.8"),
    ("STREET", "2.5.4.9"),
    ("O", "2.5.4.10"),
    ("OU", "2.5.4.11"),
    ("T", "2.5.4.12"),
    ("title", "2.5.4.12"),
    ("postalCode", "2.5.4.17"),
    ("GN", "2.5.4.42"),
    ("givenName", "2.5.4.42"),
    ("organizationIdentifier", "2.5.4.97"),
    ("DC", "0.9.2342.19200300.100.1.25"),
    ("UID", "0.9.2342.19200300.100.1.1"),
    ("emailAddress", "1.2.840.113549.1.9.1"),
    ("E", "1.2.840.113549.1.9.1"),
    ("SN", "2.5.4.4"),
    ("DNQ", "2.5.4.46"),
];

/// What a quoted string in a header cannot contain, and the percent sign itself.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'"').add(b'\\').add(b'%');

/// Whether the parameter names the certificate.
pub fn matches(key_id: &str, certificate: &SealCertificate) -> bool {
    let Some((serial, issuer)) = key_id.split_once(',') else { return false };
    let (Some(serial), Some(issuer)) = (value_of("SN", serial), value_of("CA", issuer)) else { return false };
    let decoded = percent_decode_str(issuer).decode_utf8_lossy();
    let Some(mut attributes) = attributes(&decoded) else { return false };
    let is_issuer = |attributes: &[(String, String)]| {
        attributes.len() == certificate.issuer.len()
            && attributes.iter().zip(&certificate.issuer).all(|((kind, value), (own_kind, own_value))| {
                kind == own_kind && normalised(value) == normalised(own_value)
            })
    };
    let is_serial = serial_bytes(serial).is_some_and(|serial| serial == certificate.serial);
    is_serial
        && (is_issuer(&attributes) || {
            attributes.reverse();
            is_issuer(&attributes)
        })
}

/// The parameter of a certificate, with the issuer's name as RFC 4514 writes it.
pub fn of(certificate: &SealCertificate) -> String {
    let mut text = String::from("SN=");
    for byte in &certificate.serial {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02X}");
    }
    let attributes = certificate.issuer.iter().rev().map(|(kind, value)| {
        let name = ATTRIBUTES.iter().find(|(_, id)| id == kind).map_or(kind.as_str(), |(name, _)| name);
        let first = if value.starts_with('#') { "\\" } else { "" };
        let value: String = value.chars().flat_map(escaped).collect();
        format!("{name}={first}{value}")
    });
    let issuer = attributes.collect::<Vec<_>>().join(",");
    let _ = write!(text, ",CA={}", utf8_percent_encode(&issuer, ESCAPED));
    text
}

fn escaped(character: char) -> impl Iterator<Item = char> {
    matches!(character, ',' | '+' | '"' | '\\' | '<' | '>' | ';')
        .then_some('\\')
        .into_iter()
        .chain([character])
}

fn value_of<'a>(name: &str, text: &'a str) -> Option<&'a str> {
    let (found, value) = text.split_once('=')?;
    found.trim().eq_ignore_ascii_case(name).then_some(value.trim())
}

/// The bytes of a serial number without leading zeros.
fn serial_bytes(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_start_matches('0');
    if digits.len() > 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) || text.is_empty() {
        return None;
    }
    let even = if digits.len().is_multiple_of(2) { digits.to_owned() } else { format!("0{digits}") };
    let bytes = (0..even.len()).step_by(2).map(|at| u8::from_str_radix(&even[at..at + 2], 16));
    bytes.collect::<Result<_, _>>().ok()
}

/// The attributes of a name: object identifier and value, in the order of the text.
fn attributes(text: &str) -> Option<Vec<(String, String)>> {
    let mut attributes = Vec::new();
    for part in split_unescaped(text) {
        let (name, value) = part.split_once('=')?;
        let (name, value) = (name.trim(), value.trim());
        let id = name.strip_prefix("OID.").or(name.strip_prefix("oid.")).unwrap_or(name);
        let known = ATTRIBUTES.iter().find(|(known, _)| known.eq_ignore_ascii_case(id));
        let id = known.map_or(id, |(_, id)| id).to_owned();
        attributes.push((id, unescaped(value)?));
    }
    Some(attributes)
}

/// Splits at commas and plus signs that are neither quoted nor escaped.
fn split_unescaped(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' | '+' if !is_quoted => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// The value of an attribute without quotes and escapes (RFC 4514 §2.4).
fn unescaped(text: &str) -> Option<String> {
    if let Some(hexadecimal) = text.strip_prefix('#') {
        return der_text(hexadecimal);
    }
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let [first, after @ ..] = rest {
        let (byte, after) = match (first, after) {
            (b'\\', [high, low, after @ ..]) if digit(high).is_some() && digit(low).is_some() => {
                (digit(high)? * 16 + digit(low)?, after)
            }
            (b'\\', [next, after @ ..]) => (*next, after),
            _ => (*first, after),
        };
        bytes.push(byte);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

/// The text of a DER string in hexadecimal; only its content is used.
fn der_text(hexadecimal: &str) -> Option<String> {
    let bytes = (0..hexadecimal.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(hexadecimal.get(at..at + 2)?, 16).ok())
        .collect::<Option<Vec<u8>>>()?;
    let [_, length, content @ ..] = bytes.as_slice() else { return None };
    (usize::from(*length) == content.len()).then(|| String::from_utf8(content.to_vec()).ok()).flatten()
}

/// Names are compared without regard to case and to the number of spaces (caseIgnoreMatch).
fn normalised(value: &str) -> String {
    value.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use trapeza_domain::application::ParsedCertificate;
    use trapeza_domain::time::Timestamp;

    fn certificate(issuer: &[(&str, &str)]) -> SealCertificate {
        SealCertificate {
            holder: ParsedCertificate {
                fingerprint: [0; 32],
                organisation: "PSDGR-BOG-000001".to_owned(),
                name: "Kyklos Finance".to_owned(),
                host_names: [].into(),
                roles: Vec::new(),
                not_before: Timestamp(0),
                not_after: Timestamp(1),
            },
            serial: vec![0x9f, 0xa1],
            issuer: issuer.iter().map(|(kind, value)| ((*kind).to_owned(), (*value).to_owned())).collect(),
            is_seal: true,
        }
    }

    #[test]
    fn key_id_is_compared_by_its_meaning() {
        let certificate = certificate(&[
            ("2.5.4.6", "DE"),
            ("2.5.4.10", "D-Trust GmbH, Berlin"),
            ("2.5.4.97", "NTRDE-HRB74346"),
            ("2.5.4.3", "D-TRUST Ä"),
        ]);
        let own = of(&certificate);
        assert_eq!(
            own,
            "SN=9FA1,CA=CN=D-TRUST %C3%84,organizationIdentifier=NTRDE-HRB74346,O=D-Trust GmbH%5C, Berlin,C=DE"
        );
        for accepted in [
            own.as_str(),
            r"SN=9fa1,CA=C=DE,O=D-Trust GmbH\, Berlin,2.5.4.97=NTRDE-HRB74346,CN=D-TRUST Ä",
            r#"SN=009FA1, CA=C=DE, O="D-Trust GmbH, Berlin", OID.2.5.4.97=NTRDE-HRB74346, CN=D-TRUST Ä"#,
            r"SN=9FA1,CA=CN=D-TRUST%20%C3%84,2.5.4.97=#0C0E4E545244452D4852423734333436,O=d-trust  gmbh\2C berlin,C=de",
        ] {
            assert!(matches(accepted, &certificate), "{accepted}");
        }
        for refused in [
            "",
            "9FA1",
            "SN=9FA1",
            "SN=9FA2,CA=C=DE",
            r"SN=9FA2,CA=C=DE,O=D-Trust GmbH\, Berlin,2.5.4.97=NTRDE-HRB74346,CN=D-TRUST Ä",
            r"SN=40865,CA=C=DE,O=D-Trust GmbH\, Berlin,2.5.4.97=NTRDE-HRB74346,CN=D-TRUST Ä",
            r"SN=,CA=C=DE,O=D-Trust GmbH\, Berlin,2.5.4.97=NTRDE-HRB74346,CN=D-TRUST Ä",
            r"SN=9FA1,CA=C=DE,O=D-Trust GmbH\, Berlin,CN=D-TRUST Ä",
            r"SN=9FA1,CA=C=DE,O=D-Trust GmbH\, Berlin,2.5.4.97=NTRDE-HRB74347,CN=D-TRUST Ä",
            r"SN=9FA1,CA=C=DE,O=D-Trust GmbH, Berlin,2.5.4.97=NTRDE-HRB74346,CN=D-TRUST Ä",
            r"SN=9FA1,CA=C=DE,2.5.4.97=NTRDE-HRB74346,O=D-Trust GmbH\, Berlin,CN=D-TRUST Ä",
        ] {
            assert!(!matches(refused, &certificate), "{refused}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_key_id_does_not_panic(text in ".{0,100}", name in r#"(CN|O|=|,|\\|"|#|%|[0-9a-f]|é){0,30}"#) {
            let certificate = certificate(&[("2.5.4.3", "CA")]);
            prop_assert!(!matches(&text, &certificate));
            let _ = matches(&format!("SN=9FA1,CA={name}"), &certificate);
        }

        #[test]
        fn written_key_id_names_its_certificate(common_name in "[^\\pC]{1,40}", organisation in "[ -~]{1,40}") {
            prop_assume!(!common_name.trim().is_empty() && !organisation.trim().is_empty());
            let (common_name, organisation) = (common_name.trim(), organisation.trim());
            let certificate = certificate(&[("2.5.4.10", organisation), ("2.5.4.3", common_name)]);
            prop_assert!(matches(&of(&certificate), &certificate), "{}", of(&certificate));
        }
    }
}
