//! The data directory: created and locked here; it also stores the sandbox's root secret.
//!
//! The lock prevents two servers, and therefore two writers, on one directory. The kernel releases it however its holder
//! ends.

use crate::root_secret::Secret;
use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

const LOCK: &str = "trapeza.lock";
const SECRET: &str = "secret.key";
const SECRET_NEW: &str = "secret.key.new";

/// An existing directory that no other user can access.
#[derive(Clone, Debug)]
pub struct DataDir {
    path: PathBuf,
}

/// Held while a server, or a command without a server, uses the directory.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl DataDir {
    /// Creates the directory with mode 0700 when it is absent.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|e| format!("cannot create the data directory {shown}: {e}"))?;
        let failed = |e: std::io::Error| format!("the data directory {shown}: {e}");
        if std::fs::metadata(path).map_err(failed)?.permissions().mode() & 0o077 != 0 {
            if std::fs::read_dir(path).map_err(failed)?.next().is_some() {
                return Err(format!(
                    "the data directory {shown} is accessible to other users; run chmod 700 on it"
                ));
            }
            // An empty directory, as an administrator or a container volume provides it.
            std::fs::set_permissions(path, Permissions::from_mode(0o700)).map_err(failed)?;
        }
        Ok(Self { path: path.to_path_buf() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Locks the directory for this process; the error names the holder.
    pub fn lock(&self) -> Result<Lock, String> {
        let path = self.path.join(LOCK);
        let broken = |e: std::io::Error| format!("{}: {e}", path.display());
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&path).map_err(broken)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::Error(e)) => return Err(broken(e)),
            Err(TryLockError::WouldBlock) => return Err(self.taken(&mut file)),
        }
        // The process id is for people only; the lock itself is authoritative.
        file.set_len(0).map_err(broken)?;
        file.seek(SeekFrom::Start(0)).map_err(broken)?;
        writeln!(file, "{}", std::process::id()).map_err(broken)?;
        Ok(Lock { _file: file })
    }

    /// The sandbox's root secret, generated at the first start under the lock.
    pub fn secret_open_or_make(&self, _lock: &Lock) -> Result<Secret, String> {
        let path = self.path.join(SECRET);
        if !path.exists() {
            let secret = Secret::generate()?;
            self.secret_write(&secret).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        }
        Secret::read(&path)
    }

    /// The sandbox's root secret, without generating one.
    pub fn secret_open(&self) -> Result<Secret, String> {
        Self::secret_read(&self.path)
    }

    /// The same, when the directory may be absent and is not to be created.
    pub fn secret_read(path: &Path) -> Result<Secret, String> {
        Secret::read(&path.join(SECRET))
    }

    fn taken(&self, file: &mut File) -> String {
        let mut holder = String::new();
        // The holder may be about to write its id; then it is not named.
        let process = match file.take(20).read_to_string(&mut holder) {
            Ok(_) if !holder.trim().is_empty() => format!(" (process {})", holder.trim()),
            _ => String::new(),
        };
        let shown = self.path.display();
        format!(
            "another trapeza{process} is using the data directory {shown}; stop it, or choose another with --data"
        )
    }

    /// Written atomically: half a secret after a power cut would invalidate all hashes.
    fn secret_write(&self, secret: &Secret) -> std::io::Result<()> {
        let new = self.path.join(SECRET_NEW);
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(secret.bytes())?;
        file.sync_all()?;
        std::fs::rename(&new, self.path.join(SECRET))?;
        File::open(&self.path)?.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn new_directory_is_private() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = DataDir::open(&temporary.path().join("a/b")).unwrap();
        assert_eq!(mode(dir.path()), 0o700);
        let lock = dir.lock().unwrap();
        assert!(dir.secret_open().unwrap_err().contains("cannot be read"));
        let made = dir.secret_open_or_make(&lock).unwrap();
        assert_eq!(dir.secret_open().unwrap().bytes(), made.bytes());
        assert_eq!(mode(&dir.path().join("secret.key")), 0o600);
        assert_eq!(mode(&dir.path().join("trapeza.lock")), 0o600);
    }

    #[test]
    fn directory_that_others_can_access_is_refused_unless_it_is_empty() {
        for open_mode in [0o755, 0o750, 0o711, 0o777] {
            let temporary = tempfile::tempdir().unwrap();
            std::fs::set_permissions(temporary.path(), Permissions::from_mode(open_mode)).unwrap();
            assert_eq!(mode(DataDir::open(temporary.path()).unwrap().path()), 0o700);
            std::fs::write(temporary.path().join("trapeza.db"), b"").unwrap();
            std::fs::set_permissions(temporary.path(), Permissions::from_mode(open_mode)).unwrap();
            assert!(DataDir::open(temporary.path()).unwrap_err().contains("chmod 700"), "{open_mode:o}");
        }
    }

    #[test]
    fn second_lock_is_refused_until_the_first_is_released() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = DataDir::open(temporary.path()).unwrap();
        let first = dir.lock().unwrap();
        let refused = dir.lock().unwrap_err();
        let holder = format!("another trapeza (process {}) is using the data directory", std::process::id());
        assert!(refused.starts_with(&holder), "{refused}");
        drop(first);
        dir.lock().unwrap();
    }

    #[test]
    fn secret_is_stable_per_directory() {
        let secret = |dir: &DataDir| dir.secret_open_or_make(&dir.lock().unwrap()).unwrap().bytes().to_vec();
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (one, two) = (DataDir::open(one.path()).unwrap(), DataDir::open(two.path()).unwrap());
        assert_eq!(secret(&one), secret(&one));
        assert_ne!(secret(&one), secret(&two));
    }

    #[test]
    fn world_readable_secret_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = DataDir::open(temporary.path()).unwrap();
        let lock = dir.lock().unwrap();
        dir.secret_open_or_make(&lock).unwrap();
        let file = dir.path().join("secret.key");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o604)).unwrap();
        assert!(dir.secret_open_or_make(&lock).unwrap_err().contains("readable by every user"));
    }
}
