//! The key of a customer's browser. It is made there and never leaves it; the bank keeps the public half and checks with
//! it that what was approved is what was shown, on the device that proved itself. LoginKey browser it is is not known here.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::signature::{ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use trapeza_domain::authorisation::LinkingDigest;
use trapeza_domain::id::AuthorisationId;

/// An uncompressed point of P-256.
const KEY_BYTES: usize = 65;
/// Two numbers of 32 bytes each.
const SIGNATURE_BYTES: usize = 64;

/// Reads a public key as browsers hand it out ("raw"), in base64url.
pub(super) fn key_parse(text: &str) -> Option<Vec<u8>> {
    let key = BASE64_URL_SAFE_NO_PAD.decode(text).ok()?;
    (key.len() == KEY_BYTES && key.first() == Some(&4)).then_some(key)
}

/// What the browser signs when its customer approves: what was asked, as its link hash, and the number they chose.
pub fn approval_message(id: AuthorisationId, link: &LinkingDigest, number: &str) -> String {
    format!("trapeza approval\n{id}\n{}\n{number}", digest_hex(link))
}

/// A link hash as pages show it to their script.
pub fn digest_hex(link: &LinkingDigest) -> String {
    link.0.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether `signature`, in base64url, is this key's over this text: the two numbers as browsers write them, or in DER as
/// most other programs do.
pub(super) fn is_signed(key: &[u8], text: &str, signature: &str) -> bool {
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
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, made.as_ref(), &random).unwrap()
    }

    fn signed(pair: &EcdsaKeyPair, text: &str) -> String {
        let signature = pair.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
        BASE64_URL_SAFE_NO_PAD.encode(signature)
    }

    #[test]
    fn a_signature_is_good_for_one_text_and_one_key() {
        let (own, other) = (pair(), pair());
        let key = key_parse(&BASE64_URL_SAFE_NO_PAD.encode(own.public_key())).unwrap();
        let signature = signed(&own, "this");
        assert!(is_signed(&key, "this", &signature));
        assert!(!is_signed(&key, "that", &signature));
        assert!(!is_signed(&key, "this", &signed(&other, "this")));
        assert!(!is_signed(other.public_key().as_ref(), "this", &signature));
    }

    #[test]
    fn no_changed_byte_of_a_signature_passes() {
        let own = pair();
        let signature = BASE64_URL_SAFE_NO_PAD.decode(signed(&own, "this")).unwrap();
        for place in 0..signature.len() {
            let mut changed = signature.clone();
            changed[place] ^= 1;
            let changed = BASE64_URL_SAFE_NO_PAD.encode(changed);
            assert!(!is_signed(own.public_key().as_ref(), "this", &changed), "byte {place}");
        }
        assert!(!is_signed(own.public_key().as_ref(), "this", ""));
        assert!(!is_signed(own.public_key().as_ref(), "this", "not base64!"));
    }

    #[test]
    fn what_is_no_point_is_no_key() {
        let point = pair().public_key().as_ref().to_vec();
        assert!(key_parse(&BASE64_URL_SAFE_NO_PAD.encode(&point)).is_some());
        assert!(key_parse(&BASE64_URL_SAFE_NO_PAD.encode(&point[1..])).is_none());
        assert!(key_parse("").is_none());
        // A point that is not on the curve has the form of a key, and no signature of its is ever good.
        let mut off = vec![4u8; KEY_BYTES];
        off[1] = 9;
        assert!(!is_signed(&off, "this", &signed(&pair(), "this")));
    }
}
