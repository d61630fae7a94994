//! The signing key of an enrolled device. The device generates it and never exports it; the bank stores the public key
//! and verifies that an approval was signed on that device over exactly what was shown.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::signature::{ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use std::fmt::Display;
use trapeza_domain::authorisation::LinkingDigest;

/// The length of an uncompressed P-256 point.
const KEY_BYTES: usize = 65;
/// The length of a signature in the fixed format: two integers of 32 bytes each.
const SIGNATURE_BYTES: usize = 64;

/// Parses a public key in the "raw" format of browsers, in base64url.
pub(super) fn parse_public_key(text: &str) -> Option<Vec<u8>> {
    let key = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    (key.len() == KEY_BYTES && key.first() == Some(&4)).then_some(key)
}

/// What the device signs on approval: the id of what is approved, the digest of what was shown, and the customer's choice. The
/// choice is a number where there is another screen to compare with. The digest includes the kind of the object, so a signature is
/// good for one purpose only.
pub fn approval_message(id: impl Display, digest: &LinkingDigest, choice: &str) -> String {
    format!("trapeza approval\n{id}\n{}\n{choice}", digest_hex(digest))
}

/// A linking digest in hexadecimal, as pages pass it to their script.
pub fn digest_hex(digest: &LinkingDigest) -> String {
    digest.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether `signature`, in base64url, is a signature of this key over `text`. Browsers sign in the fixed format, most other
/// programs in DER; both are accepted.
pub(crate) fn is_signed(key: &[u8], text: &str, signature: &str) -> bool {
    let Ok(signature) = BASE64_URL_SAFE_NO_PAD.decode(signature) else { return false };
    if signature.len() == SIGNATURE_BYTES {
        return UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key)
            .verify(text.as_bytes(), &signature)
            .is_ok();
    }
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key).verify(text.as_bytes(), &signature).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};

    fn pair() -> EcdsaKeyPair {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap()
    }

    fn signed(pair: &EcdsaKeyPair, text: &str) -> String {
        let signature = pair.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
        BASE64_URL_SAFE_NO_PAD.encode(signature)
    }

    #[test]
    fn signature_verifies_only_its_own_text_and_key() {
        let (own, other) = (pair(), pair());
        let key = parse_public_key(&BASE64_URL_SAFE_NO_PAD.encode(own.public_key())).unwrap();
        let signature = signed(&own, "this");
        assert!(is_signed(&key, "this", &signature));
        assert!(!is_signed(&key, "that", &signature));
        assert!(!is_signed(&key, "this", &signed(&other, "this")));
        assert!(!is_signed(other.public_key().as_ref(), "this", &signature));
    }

    #[test]
    fn signature_with_any_changed_byte_is_rejected() {
        let own = pair();
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signed(&own, "this")).unwrap();
        for index in 0..signature.len() {
            let mut changed = signature.clone();
            changed[index] ^= 1;
            let changed = BASE64_URL_SAFE_NO_PAD.encode(changed);
            assert!(!is_signed(own.public_key().as_ref(), "this", &changed), "byte {index}");
        }
        assert!(!is_signed(own.public_key().as_ref(), "this", ""));
        assert!(!is_signed(own.public_key().as_ref(), "this", "not base64!"));
    }

    #[test]
    fn public_key_that_is_not_a_point_is_rejected() {
        let point = pair().public_key().as_ref().to_vec();
        assert!(parse_public_key(&BASE64_URL_SAFE_NO_PAD.encode(&point)).is_some());
        assert!(parse_public_key(&BASE64_URL_SAFE_NO_PAD.encode(&point[1..])).is_none());
        assert!(parse_public_key("").is_none());
        // A point off the curve has the form of a key, but no signature verifies with it.
        let mut off = vec![4u8; KEY_BYTES];
        off[1] = 9;
        assert!(!is_signed(&off, "this", &signed(&pair(), "this")));
    }
}
