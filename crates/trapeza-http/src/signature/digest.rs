//! The `Digest` header (RFC 3230): hashes of the body, by algorithm.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{Algorithm, SHA256, SHA512, digest};

/// The algorithms that the Berlin Group allows. Weaker ones in a header are ignored.
static ALGORITHMS: [(&str, &Algorithm); 2] = [("SHA-256", &SHA256), ("SHA-512", &SHA512)];

/// Checks the header against the body. Every hash of a known algorithm must be that of the body, and there must be one.
pub fn check(header: &str, body: &[u8]) -> Result<(), &'static str> {
    let mut is_known = false;
    for instance in header.split(',').map(str::trim).filter(|instance| !instance.is_empty()) {
        let Some((name, value)) = instance.split_once('=') else {
            return Err("must be an algorithm, an equals sign and a hash in base64");
        };
        let known = ALGORITHMS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name.trim_end()));
        let Some((_, algorithm)) = known else { continue };
        is_known = true;
        // The encoding is unambiguous, so a changed character is a changed hash.
        let Ok(expected) = STANDARD.decode(value.trim_start()) else {
            return Err("has a hash that is not well-formed base64");
        };
        if digest(algorithm, body).as_ref() != expected {
            return Err("does not match the body");
        }
    }
    if is_known { Ok(()) } else { Err("must have a hash by SHA-256 or SHA-512") }
}

/// The header of a body.
pub fn header(body: &[u8]) -> String {
    format!("SHA-256={}", STANDARD.encode(digest(&SHA256, body)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const EMPTY: &str = "SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
    const EMPTY_512: &str =
        "SHA-512=z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==";

    #[test]
    fn hash_of_the_body_is_accepted_by_either_algorithm() {
        assert_eq!(header(b""), EMPTY);
        for accepted in [
            EMPTY,
            EMPTY_512,
            &EMPTY.to_lowercase().replace("47deqpj8hbsa+/timw+5jceuqerkm5nmpjwzg3hsufu=", &EMPTY[8..]),
            &format!("{EMPTY},{EMPTY_512}"),
            &format!("md5=1B2M2Y8AsgTpgAmY7PhCfg==, {EMPTY_512} , {EMPTY}"),
        ] {
            assert_eq!(check(accepted, b""), Ok(()), "{accepted}");
        }
    }

    #[test]
    fn every_known_hash_must_match() {
        let other = header(b"{}");
        for (refused, text) in [
            (other.as_str(), "does not match"),
            (&format!("{EMPTY},{other}"), "does not match"),
            (&format!("{EMPTY_512}, {other}"), "does not match"),
            ("", "must have"),
            ("md5=1B2M2Y8AsgTpgAmY7PhCfg==", "must have"),
            ("SHA-256", "equals sign"),
            ("SHA-256=", "does not match"),
            ("SHA-256=!", "base64"),
            // The last character has bits that no byte of the hash has.
            ("SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=", "base64"),
            ("SHA-256=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", "base64"),
        ] {
            let error = check(refused, b"").expect_err(refused);
            assert!(error.contains(text), "{refused}: {error}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_header_does_not_panic(text in ".{0,200}", coded in "(SHA-256|SHA-512|md5|=|,|[A-Za-z+/]){0,40}") {
            let _ = check(&text, b"");
            let _ = check(&coded, b"");
        }

        #[test]
        fn changed_body_is_refused(body in prop::collection::vec(any::<u8>(), 1..200), at in any::<prop::sample::Index>(), flip in 1..=u8::MAX) {
            let header = header(&body);
            prop_assert_eq!(check(&header, &body), Ok(()));
            let mut changed = body.clone();
            changed[at.index(body.len())] ^= flip;
            prop_assert!(check(&header, &changed).is_err());
        }
    }
}
