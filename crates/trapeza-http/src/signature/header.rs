//! The `Signature` header: parameters as the draft defines them (draft-cavage-http-signatures §2.1 and §4).
//!
//! Unknown parameters are ignored, duplicates are refused. `algorithm` is compulsory and must name what the certificate's key does:
//! `hs2019` leaves that open and is refused.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The algorithm of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    RsaSha256,
    RsaSha512,
    EcdsaSha256,
}

impl Algorithm {
    const ALL: [Self; 3] = [Self::RsaSha256, Self::RsaSha512, Self::EcdsaSha256];

    pub const fn name(self) -> &'static str {
        match self {
            Self::RsaSha256 => "rsa-sha256",
            Self::RsaSha512 => "rsa-sha512",
            Self::EcdsaSha256 => "ecdsa-sha256",
        }
    }
}

/// The parsed header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHeader {
    pub key_id: String,
    pub algorithm: Algorithm,
    /// The names of the signed headers in lower case, in the order of the signing string.
    pub headers: Vec<String>,
    pub signature: Vec<u8>,
    /// Seconds since 1970.
    pub created: Option<i64>,
    pub expires: Option<i64>,
}

/// Real headers are below 2 KiB.
const LENGTH_MAX: usize = 16 * 1024;
/// More headers than any request of the API has.
const MAX_NAMES: usize = 64;

const MALFORMED: &str = "must be a list of parameters name=\"value\"";

/// The parameters of a header, each at most once.
#[derive(Default)]
struct Parameters {
    key_id: Option<String>,
    algorithm: Option<String>,
    headers: Option<String>,
    signature: Option<String>,
    created: Option<String>,
    expires: Option<String>,
}

impl Parameters {
    fn place(&mut self, name: &str) -> Option<&mut Option<String>> {
        let places = [
            ("keyId", &mut self.key_id),
            ("algorithm", &mut self.algorithm),
            ("headers", &mut self.headers),
            ("signature", &mut self.signature),
            ("created", &mut self.created),
            ("expires", &mut self.expires),
        ];
        places.into_iter().find(|(known, _)| *known == name).map(|(_, place)| place)
    }
}

impl SignatureHeader {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.len() > LENGTH_MAX {
            return Err("must be at most 16384 characters long");
        }
        let mut parameters = Parameters::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (name, value, after) = parameter(rest).ok_or(MALFORMED)?;
            if let Some(place) = parameters.place(name)
                && place.replace(value).is_some()
            {
                return Err("must have each parameter only once");
            }
            rest = after;
        }
        let algorithm = parameters.algorithm.ok_or("must have the parameter algorithm")?;
        let algorithm =
            Algorithm::ALL.into_iter().find(|known| known.name().eq_ignore_ascii_case(&algorithm));
        let signature = parameters.signature.ok_or("must have the parameter signature")?;
        let seconds =
            |text: String| seconds(&text).ok_or("must have created and expires in seconds since 1970");
        Ok(Self {
            key_id: parameters.key_id.ok_or("must have the parameter keyId")?,
            algorithm: algorithm
                .ok_or("must have an algorithm of rsa-sha256, rsa-sha512 and ecdsa-sha256")?,
            headers: names(&parameters.headers.ok_or("must have the parameter headers")?)?,
            signature: STANDARD
                .decode(signature)
                .map_err(|_| "has a signature that is not well-formed base64")?,
            created: parameters.created.map(seconds).transpose()?,
            expires: parameters.expires.map(seconds).transpose()?,
        })
    }
}

/// The first parameter of a list with its value, and the rest of the list.
fn parameter(text: &str) -> Option<(&str, String, &str)> {
    let (name, rest) = text.split_once('=')?;
    let (name, rest) = (name.trim(), rest.trim_start());
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
        return None;
    }
    let (value, rest) = match rest.strip_prefix('"') {
        Some(quoted) => quoted_string(quoted)?,
        None => {
            let end = rest.find(',').unwrap_or(rest.len());
            (rest[..end].trim().to_owned(), &rest[end..])
        }
    };
    let rest = rest.trim_start();
    match rest.strip_prefix(',') {
        // A comma announces another parameter.
        Some(after) if !after.trim().is_empty() => Some((name, value, after.trim_start())),
        Some(_) => None,
        None if rest.is_empty() => Some((name, value, rest)),
        None => None,
    }
}

/// The content of a quoted string whose first quote was read, and what follows it. A backslash quotes a quote or a backslash; before
/// any other character it belongs to the value, because names of issuers use it as well.
fn quoted_string(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match characters.next_if(|(_, next)| matches!(next, '"' | '\\')) {
                Some((_, quoted)) => value.push(quoted),
                None => value.push('\\'),
            },
            other => value.push(other),
        }
    }
    None
}

/// The list of signed headers.
fn names(text: &str) -> Result<Vec<String>, &'static str> {
    let mut names: Vec<String> = Vec::new();
    for name in text.split(' ').filter(|name| !name.is_empty()) {
        let name = name.to_ascii_lowercase();
        if names.len() == MAX_NAMES {
            return Err("must list at most 64 headers");
        }
        if names.contains(&name) {
            return Err("must list each header only once");
        }
        names.push(name);
    }
    Ok(names)
}

/// Whole seconds of a Unix time; the draft allows a fraction.
fn seconds(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(whole) && is_number(fraction)).then(|| whole.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEADER: &str = r#"keyId="SN=9FA1,CA=CN=D-TRUST CA 2-1 2015,O=D-Trust GmbH,C=DE",algorithm="rsa-sha256", headers="Digest X-Request-ID PSU-ID", signature="AAEC""#;

    #[test]
    fn parameters_are_parsed_in_any_order_and_spacing() {
        let parsed = SignatureHeader::parse(HEADER).unwrap();
        assert_eq!(parsed.key_id, "SN=9FA1,CA=CN=D-TRUST CA 2-1 2015,O=D-Trust GmbH,C=DE");
        assert_eq!(parsed.algorithm, Algorithm::RsaSha256);
        assert_eq!(parsed.headers, ["digest", "x-request-id", "psu-id"]);
        assert_eq!((parsed.signature, parsed.created, parsed.expires), (vec![0, 1, 2], None, None));
        let other = r#" signature = "AAEC" ,created=1402170695, expires=1402170699.25,unknown=token, headers="digest  (request-target)",algorithm=ECDSA-SHA256,keyId="a\"b\\c\,d" "#;
        let parsed = SignatureHeader::parse(other).unwrap();
        assert_eq!(parsed.key_id, r#"a"b\c\,d"#);
        assert_eq!(parsed.algorithm, Algorithm::EcdsaSha256);
        assert_eq!(parsed.headers, ["digest", "(request-target)"]);
        assert_eq!((parsed.created, parsed.expires), (Some(1_402_170_695), Some(1_402_170_699)));
    }

    #[test]
    fn malformed_header_is_refused_with_its_fault() {
        let with = |from: &str, to: &str| HEADER.replace(from, to);
        for (header, error) in [
            (String::new(), "algorithm"),
            ("garbage".to_owned(), "list of parameters"),
            (with("keyId=", "keyid="), "keyId"),
            (with("algorithm=\"rsa-sha256\", ", ""), "algorithm"),
            (with("rsa-sha256", "hs2019"), "algorithm of"),
            (with("rsa-sha256", "rsa-sha1"), "algorithm of"),
            (with("headers=", "x="), "headers"),
            (with("signature=", "x="), "signature"),
            (with("AAEC", "AAE"), "base64"),
            (with("AAEC", "AAF="), "base64"),
            (with("PSU-ID", "digest"), "each header"),
            (with("PSU-ID", &(0..64).map(|n| format!("h{n} ")).collect::<String>()), "at most 64"),
            (with("PSU-ID", &"h".repeat(16_384)), "16384"),
            (format!("{HEADER},keyId=\"again\""), "only once"),
            (format!("{HEADER},created=1,created=1"), "only once"),
            (format!("{HEADER},created=tomorrow"), "seconds"),
            (format!("{HEADER},expires=-1"), "seconds"),
            (format!("{HEADER},expires=99999999999999999999"), "seconds"),
            (format!("{HEADER},"), "list of parameters"),
            (format!("{HEADER};x=1"), "list of parameters"),
            (with("\"AAEC\"", "\"AAEC"), "list of parameters"),
        ] {
            let text = SignatureHeader::parse(&header).expect_err(&header);
            assert!(text.contains(error), "{header}: {text}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_header_does_not_panic(text in ".{0,200}", coded in r#"(keyId|algorithm|headers|signature|=|"|\\|,| |rsa-sha256|[a-z0-9]){0,60}"#) {
            let _ = SignatureHeader::parse(&text);
            let _ = SignatureHeader::parse(&coded);
        }

        #[test]
        fn changed_character_does_not_panic(at in 0..HEADER.len(), byte in 0x20_u8..0x7f) {
            let mut changed = HEADER.as_bytes().to_vec();
            changed[at] = byte;
            let _ = SignatureHeader::parse(std::str::from_utf8(&changed).unwrap());
        }
    }
}
