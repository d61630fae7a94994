//! The keys of the bank, all derived from one root key. A stolen database is useless without the root secret that protects
//! that key: keys and card numbers are keyed hashes, and secrets that must be readable are encrypted.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, KeyInit, Nonce};
use ring::hmac;
use trapeza_domain::reference::Pan;
use zeroize::Zeroizing;

/// What a derived key is for. A hash for one purpose is useless for another.
#[derive(Clone, Copy, Debug)]
pub enum KeyPurpose {
    SubscriptionKey,
    Fingerprint,
    Audit,
    Seal,
    Pan,
    KeyCheck,
    EntryId,
    /// OTPs.
    Otp,
    /// Subjects of throttle counters.
    Subject,
    /// Decoy methods of unknown customers.
    Decoy,
    /// Redirect links, session tokens and CSRF tokens.
    Redirect,
    /// Sessions, invitations and recovery codes of members and staff.
    Login,
}

impl KeyPurpose {
    const fn label(self) -> &'static [u8] {
        match self {
            Self::SubscriptionKey => b"trapeza subscription key v1",
            Self::Fingerprint => b"trapeza call fingerprint v1",
            Self::Audit => b"trapeza audit chain v1",
            Self::Seal => b"trapeza sealed secret v1",
            Self::Pan => b"trapeza card number v1",
            Self::KeyCheck => b"trapeza mark of the secret v1",
            Self::EntryId => b"trapeza statement line id v1",
            Self::Otp => b"trapeza challenge code v1",
            Self::Subject => b"trapeza counted subject v1",
            Self::Decoy => b"trapeza decoy method v1",
            Self::Redirect => b"trapeza page link v1",
            Self::Login => b"trapeza login v1",
        }
    }
}

impl KeyPurpose {
    const ALL: [Self; 12] = [
        Self::SubscriptionKey,
        Self::Fingerprint,
        Self::Audit,
        Self::Seal,
        Self::Pan,
        Self::KeyCheck,
        Self::EntryId,
        Self::Otp,
        Self::Subject,
        Self::Decoy,
        Self::Redirect,
        Self::Login,
    ];
}

pub struct Keyring {
    root: Zeroizing<[u8; 32]>,
    /// Prepared MACs by purpose, because deriving a key takes longer than hashing with it.
    keyed: [hmac::Key; KeyPurpose::ALL.len()],
}

impl Keyring {
    pub fn new(root: [u8; 32]) -> Self {
        let root = Zeroizing::new(root);
        let keyed = KeyPurpose::ALL.map(|purpose| keyed(&hash(&keyed(&root), &[purpose.label()])));
        Self { root, keyed }
    }

    /// The key of one purpose, for callers that chain or hash themselves.
    pub fn derive(&self, purpose: KeyPurpose) -> [u8; 32] {
        hash(&keyed(&self.root), &[purpose.label()])
    }

    /// The key of one purpose for a cipher with a 128-bit key.
    pub fn derive_block(&self, purpose: KeyPurpose) -> [u8; 16] {
        let key = self.derive(purpose);
        let mut short = [0; 16];
        short.copy_from_slice(&key[..16]);
        short
    }

    /// A keyed hash over parts. Each part is preceded by its length, so that no two lists have the same encoding.
    pub fn hash(&self, purpose: KeyPurpose, parts: &[&[u8]]) -> [u8; 32] {
        hash(&self.keyed[purpose as usize], parts)
    }

    /// The hash by which a card is found.
    pub fn pan_hash(&self, pan: &Pan) -> [u8; 32] {
        self.hash(KeyPurpose::Pan, &[pan.expose().as_bytes()])
    }

    /// Encrypts with `context` as associated data, so that the value cannot be moved to another row.
    pub fn seal(&self, context: &[u8], plain: &[u8], nonce: [u8; 12]) -> Vec<u8> {
        let payload = Payload { msg: plain, aad: context };
        let sealed = self.cipher().encrypt(&Nonce::from(nonce), payload);
        let sealed = sealed.expect("sealing fails only for texts of many gigabytes");
        [nonce.as_slice(), &sealed].concat()
    }

    pub fn open(&self, context: &[u8], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
        let (nonce, text) = sealed.split_first_chunk::<12>()?;
        let payload = Payload { msg: text, aad: context };
        self.cipher().decrypt(&Nonce::from(*nonce), payload).ok().map(Zeroizing::new)
    }

    fn cipher(&self) -> ChaCha20Poly1305 {
        ChaCha20Poly1305::new(&Key::from(self.derive(KeyPurpose::Seal)))
    }
}

fn keyed(key: &[u8; 32]) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, key)
}

fn hash(key: &hmac::Key, parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = hmac::Context::with_key(key);
    for part in parts {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part);
    }
    let mut bytes = [0; 32];
    bytes.copy_from_slice(mac.sign().as_ref());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_depends_on_purpose_and_split_of_parts() {
        let ring = Keyring::new([1; 32]);
        let hash = |purpose, parts: &[&[u8]]| ring.hash(purpose, parts);
        assert_ne!(hash(KeyPurpose::Pan, &[b"ab", b"c"]), hash(KeyPurpose::Pan, &[b"a", b"bc"]));
        assert_ne!(hash(KeyPurpose::Pan, &[b"ab"]), hash(KeyPurpose::Fingerprint, &[b"ab"]));
    }

    #[test]
    fn hash_uses_the_derived_key_of_its_purpose() {
        let ring = Keyring::new([1; 32]);
        for purpose in KeyPurpose::ALL {
            let expected = hash(&keyed(&ring.derive(purpose)), &[b"part"]);
            assert_eq!(ring.hash(purpose, &[b"part"]), expected, "{purpose:?}");
        }
    }

    #[test]
    fn sealed_value_opens_only_with_its_context_and_keyring() {
        let ring = Keyring::new([1; 32]);
        let sealed = ring.seal(b"application 1", b"whsec", [9; 12]);
        assert_eq!(ring.open(b"application 1", &sealed).unwrap().as_slice(), b"whsec");
        assert!(ring.open(b"application 2", &sealed).is_none());
        assert!(Keyring::new([2; 32]).open(b"application 1", &sealed).is_none());
        assert!(ring.open(b"application 1", &sealed[..11]).is_none());
    }
}
