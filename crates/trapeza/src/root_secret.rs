//! The root secret, from which every key is derived. It is stored in a file outside the database and never printed.

use std::fmt;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use zeroize::Zeroizing;

pub const SECRET_BYTES: usize = 32;
/// Upper bound, so that a device or a wrong path cannot fill the memory.
const MAX_FILE_BYTES: usize = 4096;
/// Minimum number of distinct bytes: 32 random bytes have fewer less than once in 10^20 files, repeated words always do. It
/// is low enough that a random secret in hexadecimal passes.
const DISTINCT_BYTES: usize = 12;

pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Reads a secret; refuses one that others can read, that is short, or that is not random.
    pub fn read(file: &Path) -> Result<Self, String> {
        let shown = file.display();
        let broken = |e| format!("{shown} cannot be read ({e})");
        let opened = std::fs::File::open(file).map_err(broken)?;
        let mode = opened.metadata().map_err(broken)?.permissions().mode();
        if mode & 0o007 != 0 {
            return Err(format!(
                "{shown} is readable by every user; generate a new one and run chmod 600 on it"
            ));
        }
        let mut bytes = Zeroizing::new(Vec::new());
        opened.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(broken)?;
        if bytes.len() < SECRET_BYTES {
            return Err(format!("{shown} has {} bytes; at least {SECRET_BYTES} are required", bytes.len()));
        }
        if bytes.len() > MAX_FILE_BYTES {
            return Err(format!("{shown} is larger than {MAX_FILE_BYTES} bytes; is it the right file?"));
        }
        let mut seen = [false; 256];
        bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
        if seen.iter().filter(|seen| **seen).count() < DISTINCT_BYTES {
            return Err(format!(
                "{shown} is not random; generate one with `head -c {SECRET_BYTES} /dev/urandom`"
            ));
        }
        Ok(Self(bytes))
    }

    /// A new secret from the operating system's randomness.
    pub fn generate() -> Result<Self, String> {
        let mut bytes = Zeroizing::new(vec![0_u8; SECRET_BYTES]);
        getrandom::fill(&mut bytes).map_err(|e| format!("no randomness: {e}"))?;
        Ok(Self(bytes))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(bytes: &[u8]) -> Result<Secret, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        Secret::read(file.path())
    }

    #[test]
    fn generated_secret_is_accepted_raw_and_in_hex() {
        for _ in 0..100 {
            let secret = Secret::generate().unwrap();
            let hexadecimal: String = secret.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(written(secret.bytes()).unwrap().bytes(), secret.bytes());
            written(hexadecimal.as_bytes()).unwrap();
        }
    }

    #[test]
    fn short_default_and_oversized_secrets_are_refused() {
        let drawn = Secret::generate().unwrap();
        assert!(written(&drawn.bytes()[..31]).unwrap_err().contains("has 31 bytes"));
        assert!(written(&[0; 32]).unwrap_err().contains("is not random"));
        assert!(written(b"change-me-change-me-change-me-change-me").unwrap_err().contains("is not random"));
        assert!(written(&drawn.bytes().repeat(129)).unwrap_err().contains("larger than"));
    }

    #[test]
    fn debug_hides_the_secret() {
        assert_eq!(format!("{:?}", Secret::generate().unwrap()), "Secret(***)");
    }
}
