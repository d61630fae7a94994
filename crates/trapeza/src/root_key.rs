//! Opens the bank's root key with the root secret, or with the previous one while the secret is being rotated.

use crate::config::Config;
use crate::root_secret::Secret;
use trapeza_app::keyring::KeyPurpose;
use trapeza_app::root_key::RootSecret;
use trapeza_app::{Entropy, Keyring};
use trapeza_store::SealedRootKey;
use zeroize::Zeroizing;

/// Which secret a root key is encrypted with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SealedWith {
    Current,
    Previous,
}

/// The root secrets of a configuration.
pub struct RootSecrets {
    current: RootSecret,
    previous: Option<RootSecret>,
}

impl RootSecrets {
    /// `secret` is the current one; the previous one is read from its file, if there is one.
    pub fn load(config: &Config, secret: &Secret) -> Result<Self, String> {
        let previous = config.previous_secret_file.as_deref().map(Secret::read).transpose();
        let previous = previous.map_err(|error| format!("previous_secret_file: {error}"))?;
        let previous = previous.map(|secret| root_secret(&secret)).transpose()?;
        Ok(Self { current: root_secret(secret)?, previous })
    }

    /// Which secret has this check value.
    pub fn identify(&self, check: &[u8; 32]) -> Option<SealedWith> {
        if self.current.check() == *check {
            return Some(SealedWith::Current);
        }
        let is_previous = self.previous.as_ref().is_some_and(|previous| previous.check() == *check);
        is_previous.then_some(SealedWith::Previous)
    }

    pub fn has_previous(&self) -> bool {
        self.previous.is_some()
    }

    /// A root key for a new bank.
    pub fn generate() -> Zeroizing<[u8; 32]> {
        Zeroizing::new(Entropy::os().bytes())
    }

    /// Encrypts with the current secret.
    pub fn seal(&self, root_key: &[u8; 32]) -> SealedRootKey {
        self.current.seal(root_key, &Entropy::os())
    }

    pub fn open(&self, sealed: &SealedRootKey) -> Result<(Zeroizing<[u8; 32]>, SealedWith), String> {
        let damaged = || "the root key in the database is damaged; restore a backup".to_owned();
        let Some(with) = self.identify(&sealed.secret_check) else {
            return Err(
                "the database belongs to another root secret; set secret_file to that one, or previous_secret_file to rotate it"
                    .to_owned(),
            );
        };
        let secret = match with {
            SealedWith::Current => Some(&self.current),
            SealedWith::Previous => self.previous.as_ref(),
        };
        let root_key = secret.and_then(|secret| secret.open(sealed)).ok_or_else(damaged)?;
        Ok((root_key, with))
    }
}

/// A secret longer than a key is hashed into one, so that all of it counts.
fn root_secret(secret: &Secret) -> Result<RootSecret, String> {
    let first = secret.bytes().first_chunk::<32>().ok_or("the root secret is too short")?;
    if secret.bytes().len() == first.len() {
        return Ok(RootSecret::new(*first));
    }
    Ok(RootSecret::new(Keyring::new(*first).hash(KeyPurpose::KeyCheck, &[secret.bytes()])))
}
