//! The root key, from which all keys are derived, and the root secret that protects it.
//!
//! The root key is random, never changes, and is stored in the database encrypted with the root secret, which is stored
//! outside. A rotation of the secret encrypts the key again and changes nothing else: hashes, ids, audit chains and MACs
//! stay valid, and other processes go on with the key that they have.

use crate::keyring::KeyPurpose;
use crate::{App, Entropy, Keyring, UseCaseError, audit};
use trapeza_domain::audit_event::{Actor, AuditEvent};
use trapeza_store::{BANK_CREATED, SealedRootKey};
use zeroize::Zeroizing;

const CONTEXT: &[u8] = b"root key";

/// The secret outside the database.
pub struct RootSecret(Keyring);

impl RootSecret {
    pub fn new(secret: [u8; 32]) -> Self {
        Self(Keyring::new(secret))
    }

    /// Identifies the secret without revealing it.
    pub fn check(&self) -> [u8; 32] {
        self.0.derive(KeyPurpose::KeyCheck)
    }

    pub fn seal(&self, root_key: &[u8; 32], entropy: &Entropy) -> SealedRootKey {
        let ciphertext = self.0.seal(CONTEXT, root_key, entropy.bytes());
        SealedRootKey { ciphertext, secret_check: self.check() }
    }

    /// The root key; `None` if it is encrypted with another secret.
    pub fn open(&self, sealed: &SealedRootKey) -> Option<Zeroizing<[u8; 32]>> {
        let key = self.0.open(CONTEXT, &sealed.ciphertext)?;
        <[u8; 32]>::try_from(key.as_slice()).ok().map(Zeroizing::new)
    }
}

impl App {
    /// Creates the bank: stores its root key and begins its audit log. False when another process has created it.
    pub async fn root_key_create(&self, sealed: SealedRootKey) -> Result<bool, UseCaseError> {
        let now = self.now();
        let created = self.store.write(move |tx| {
            let is_new = tx.root_key_insert(&sealed, now)?;
            if is_new {
                // The audit log of a bank is never empty.
                let event = AuditEvent::new(BANK_CREATED, "bank", "bank");
                audit::record(tx, now, Actor::Bank, &event)?;
            }
            Ok(is_new)
        });
        created.await
    }

    /// Stores the root key encrypted with another root secret. True when it is stored so, also if another process was
    /// first; false when it is encrypted with a third secret.
    pub async fn root_key_replace(
        &self,
        before: Vec<u8>,
        sealed: SealedRootKey,
    ) -> Result<bool, UseCaseError> {
        let (now, actor) = (self.now(), audit::current_actor());
        let replaced = self.store.write(move |tx| {
            if tx.root_key_replace(&before, &sealed, now)? {
                let event = AuditEvent::new("root_secret.rotated", "bank", "bank");
                audit::record(tx, now, actor, &event)?;
                return Ok(true);
            }
            let stored = tx.root_key_find()?;
            Ok(stored.is_some_and(|(stored, _)| stored.secret_check == sealed.secret_check))
        });
        replaced.await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_key_opens_only_with_the_secret_that_sealed_it() {
        let (one, two) = (RootSecret::new([1; 32]), RootSecret::new([2; 32]));
        let sealed = one.seal(&[7; 32], &Entropy::os());
        assert_eq!(sealed.secret_check, one.check());
        assert_ne!(sealed.secret_check, two.check());
        assert_eq!(one.open(&sealed).map(|key| *key), Some([7; 32]));
        assert!(two.open(&sealed).is_none());
    }
}
