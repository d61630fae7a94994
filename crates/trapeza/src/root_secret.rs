//! The bank's secret: the bytes from which every key of ours is made. It lives in a file of its own, outside the
//! database, and never appears in a log, an error or a Debug.

use std::fmt;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use zeroize::Zeroizing;

pub const SECRET_BYTES: usize = 32;
/// Far more than anybody needs; a device or a wrong path must not fill the memory.
const LARGEST_BYTES: usize = 4096;
/// 32 random bytes have fewer different values less often than once in 10^20 files; "change-me" repeated always has.
/// Not more than this, so that a random secret written in hexadecimal passes too.
const DISTINCT_BYTES: usize = 12;

pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Reads a secret, refusing one that others can read, that is short, or that nobody drew at random.
    pub fn read(file: &Path) -> Result<Self, String> {
        let shown = file.display();
        let broken = |e| format!("{shown} cannot be read ({e})");
        let opened = std::fs::File::open(file).map_err(broken)?;
        let mode = opened.metadata().map_err(broken)?.permissions().mode();
        if mode & 0o007 != 0 {
            return Err(format!(
                "{shown} is open to every user of the machine; chmod 600 it and draw a new one"
            ));
        }
        let mut bytes = Zeroizing::new(Vec::new());
        opened.take(LARGEST_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(broken)?;
        if bytes.len() < SECRET_BYTES {
            return Err(format!("{shown} is short: {} bytes of at least {SECRET_BYTES}", bytes.len()));
        }
        if bytes.len() > LARGEST_BYTES {
            return Err(format!("{shown} is larger than {LARGEST_BYTES} bytes; is it the right file?"));
        }
        let mut seen = [false; 256];
        bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
        if seen.iter().filter(|seen| **seen).count() < DISTINCT_BYTES {
            return Err(format!(
                "{shown} is no random secret; `head -c {SECRET_BYTES} /dev/urandom` makes one"
            ));
        }
        Ok(Self(bytes))
    }

    /// A new one, from the operating system's randomness.
    pub fn draw() -> Result<Self, String> {
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
    fn a_drawn_secret_is_accepted_raw_and_in_hexadecimal() {
        for _ in 0..100 {
            let secret = Secret::draw().unwrap();
            let hexadecimal: String = secret.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(written(secret.bytes()).unwrap().bytes(), secret.bytes());
            written(hexadecimal.as_bytes()).unwrap();
        }
    }

    #[test]
    fn a_short_a_default_and_a_huge_secret_are_refused() {
        let drawn = Secret::draw().unwrap();
        assert!(written(&drawn.bytes()[..31]).unwrap_err().contains("is short: 31 bytes"));
        assert!(written(&[0; 32]).unwrap_err().contains("no random secret"));
        assert!(
            written(b"change-me-change-me-change-me-change-me").unwrap_err().contains("no random secret")
        );
        assert!(written(&drawn.bytes().repeat(129)).unwrap_err().contains("larger than"));
    }

    #[test]
    fn debug_does_not_show_it() {
        assert_eq!(format!("{:?}", Secret::draw().unwrap()), "Secret(***)");
    }
}
