//! The data directory: one server's place on disk. It is made here, locked here, and keeps the sandbox's secret.
//!
//! Two servers on one directory would be two writers on one file; the lock makes that impossible, and the kernel
//! opens it again however the holder ends. What the database files in it are is the store's business.

use crate::root_secret::Secret;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

const LOCK: &str = "trapeza.lock";
const SECRET: &str = "secret.key";
const SECRET_NEW: &str = "secret.key.new";

/// A directory that exists and that no other user can write to.
#[derive(Clone, Debug)]
pub struct DataDir {
    path: PathBuf,
}

/// Held while a server, or a command in a server's place, uses the directory. Dropping it lets the next one in.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl DataDir {
    /// Makes the directory when absent, for this user only.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let made = DirBuilder::new().recursive(true).mode(0o700).create(path);
        made.map_err(|e| format!("cannot make the data directory {shown}: {e}"))?;
        let metadata = std::fs::metadata(path).map_err(|e| format!("the data directory {shown}: {e}"))?;
        if metadata.permissions().mode() & 0o002 != 0 {
            return Err(format!("the data directory {shown} can be written to by every user; chmod 700 it"));
        }
        Ok(Self { path: path.to_path_buf() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes the directory for this process, or says who has it.
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
        // The number is only for people; the lock itself is what counts.
        file.set_len(0).map_err(broken)?;
        file.seek(SeekFrom::Start(0)).map_err(broken)?;
        writeln!(file, "{}", std::process::id()).map_err(broken)?;
        Ok(Lock { _file: file })
    }

    /// The sandbox's secret, drawn at its first start. The lock shows that nobody else is drawing one now.
    pub fn secret_open_or_make(&self, _lock: &Lock) -> Result<Secret, String> {
        let path = self.path.join(SECRET);
        if !path.exists() {
            let secret = Secret::draw()?;
            self.secret_write(&secret).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        }
        Secret::read(&path)
    }

    /// The sandbox's secret as it is: a command that only looks must not draw one.
    pub fn secret_open(&self) -> Result<Secret, String> {
        Secret::read(&self.path.join(SECRET))
    }

    fn taken(&self, file: &mut File) -> String {
        let mut holder = String::new();
        // The holder may be just writing its number; then nobody is named.
        let process = match file.take(20).read_to_string(&mut holder) {
            Ok(_) if !holder.trim().is_empty() => format!(" (process {})", holder.trim()),
            _ => String::new(),
        };
        let shown = self.path.display();
        format!(
            "another trapeza{process} is using the data directory {shown}; stop it, or choose another with --data"
        )
    }

    /// Whole or not at all: half a secret after a power cut would lock the bank out of its own hashes.
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
    fn a_new_directory_is_for_its_user_only() {
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
    fn a_directory_open_to_all_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        std::fs::set_permissions(temporary.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(DataDir::open(temporary.path()).unwrap_err().contains("chmod 700"));
    }

    #[test]
    fn a_second_server_is_refused_until_the_first_has_gone() {
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
    fn the_secret_stays_the_same_and_differs_between_directories() {
        let secret = |dir: &DataDir| dir.secret_open_or_make(&dir.lock().unwrap()).unwrap().bytes().to_vec();
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (one, two) = (DataDir::open(one.path()).unwrap(), DataDir::open(two.path()).unwrap());
        assert_eq!(secret(&one), secret(&one));
        assert_ne!(secret(&one), secret(&two));
    }

    #[test]
    fn a_secret_that_others_can_read_is_refused() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = DataDir::open(temporary.path()).unwrap();
        let lock = dir.lock().unwrap();
        dir.secret_open_or_make(&lock).unwrap();
        let file = dir.path().join("secret.key");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o604)).unwrap();
        assert!(dir.secret_open_or_make(&lock).unwrap_err().contains("open to every user"));
    }
}
