//! The spool directories. A file is prepared in a staging directory and then moved, so that clearing never sees a partial
//! file. Each step is synced to disk before the next one.

use std::fs::{self, DirBuilder, File};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use uuid::Uuid;

/// Inside the outgoing directory, so that processes that share one share the other. Clearing ignores hidden names.
const STAGING: &str = ".staging";
const STAGING_ID_FILE: &str = "place";
/// Only files with this suffix are messages; others may still be incomplete.
const ENDING: &str = ".xml";
/// Suffix of files that are being written.
const TEMPORARY: &str = ".new";
/// Writing a file takes seconds.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);
/// Suffix of files that were not valid messages.
const REFUSED: &str = ".refused";
/// About ten thousand transfers.
pub(super) const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct Spool {
    outgoing: PathBuf,
    incoming: PathBuf,
    done: PathBuf,
    /// Identifies the staging directory: a batch staged in another one cannot be completed here.
    staging_id: [u8; 16],
}

impl Spool {
    /// Opens existing directories. `new_id` identifies the staging directory at its first use.
    pub fn open(outgoing: &Path, incoming: &Path, done: &Path, new_id: [u8; 16]) -> io::Result<Self> {
        for folder in [outgoing, incoming, done] {
            if !fs::metadata(folder)?.is_dir() {
                return Err(io::Error::new(ErrorKind::NotADirectory, folder.display().to_string()));
            }
        }
        let staging = outgoing.join(STAGING);
        create_private(&staging)?;
        remove_abandoned(&staging)?;
        let staging_id = staging_id(&staging, new_id)?;
        Ok(Self { outgoing: outgoing.into(), incoming: incoming.into(), done: done.into(), staging_id })
    }

    /// Like [`Self::open`], but creates missing directories.
    pub fn make(parent: &Path, new_id: [u8; 16]) -> io::Result<Self> {
        let [outgoing, incoming, done] = ["outgoing", "incoming", "done"].map(|name| parent.join(name));
        for folder in [&outgoing, &incoming, &done] {
            create_private(folder)?;
        }
        Self::open(&outgoing, &incoming, &done, new_id)
    }

    /// Identifies the spool: a batch that was staged in another one is completed there.
    pub const fn spool_id(&self) -> Uuid {
        Uuid::from_bytes(self.staging_id)
    }

    /// Writes a file to the staging directory, under the claim of the batch: a process that stalled past its claim does not bring
    /// back a file that another one has moved on. Repeating it has no effect, because the content is the same.
    pub fn stage(&self, claim: Uuid, name: &str, bytes: &[u8]) -> io::Result<()> {
        write_whole(&self.staging(), &staged_name(claim, name), bytes)
    }

    /// Removes a staged file that does not go out.
    pub fn unstage(&self, claim: Uuid, name: &str) -> io::Result<()> {
        match fs::remove_file(self.staging().join(staged_name(claim, name))) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Moves a staged file to the outgoing directory. If it is absent, it was moved before.
    pub fn publish(&self, claim: Uuid, name: &str) -> io::Result<()> {
        match fs::rename(self.staging().join(staged_name(claim, name)), self.outgoing.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        sync(&self.outgoing)?;
        sync(&self.staging())
    }

    /// The names of some incoming files in order.
    pub fn incoming(&self, max: usize) -> io::Result<Vec<String>> {
        messages(&self.incoming, max)
    }

    /// The content of an incoming file; `None` when it cannot be a message.
    pub fn open_bytes(folder: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
        let path = folder.join(name);
        let kind = fs::symlink_metadata(&path)?;
        if !kind.is_file() || kind.len() > MAX_FILE_BYTES {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        // It may have grown since.
        File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= MAX_FILE_BYTES))
    }

    pub(super) fn open_incoming(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        Self::open_bytes(&self.incoming, name)
    }

    /// Archives a processed file without overwriting another. Another process may have been faster.
    pub fn archive(&self, name: &str, good: bool) -> io::Result<()> {
        let archived_name = if good { name.to_owned() } else { format!("{name}{REFUSED}") };
        move_aside(&self.incoming.join(name), &self.done, &archived_name)?;
        sync(&self.done)?;
        sync(&self.incoming)
    }

    fn staging(&self) -> PathBuf {
        self.outgoing.join(STAGING)
    }

    /// The directories from the other side, for the simulated clearing house.
    pub(super) fn ends(&self) -> (&Path, &Path, &Path) {
        (&self.outgoing, &self.incoming, &self.done)
    }
}

fn staged_name(claim: Uuid, name: &str) -> String {
    format!("{}.{name}", claim.simple())
}

/// Writes a file atomically. Two processes may write the same one at once, as two simulated clearing houses do: with one temporary file
/// the second would empty what the first has just put in place. What fails leaves no file: on a full disk it would take the space that is
/// freed, and it has the names and IBANs of payers.
pub(super) fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let new = folder.join(format!(".{name}.{:016x}-{number}{TEMPORARY}", *PROCESS));
    let written = (|| {
        let mut file = File::create(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, folder.join(name))
    })();
    if written.is_err() {
        let _absent = fs::remove_file(&new);
    }
    written?;
    sync(folder)
}

/// Removes temporary files that a process which was killed has left, once they are too old to be written still.
fn remove_abandoned(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().ends_with(TEMPORARY) {
            continue;
        }
        // Another process may have put it in place meanwhile.
        let Ok(modified) = entry.metadata().and_then(|file| file.modified()) else { continue };
        if modified.elapsed().is_ok_and(|age| age > ABANDONED_AFTER) {
            let _absent = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// The names of messages in a directory.
pub(super) fn messages(folder: &Path, max: usize) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        // A name that is not UTF-8 is no message.
        let Ok(name) = entry?.file_name().into_string() else { continue };
        if name.ends_with(ENDING) && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    names.truncate(max);
    Ok(names)
}

/// Moves a file into a directory under this name, or with a number appended.
pub(super) fn move_aside(file: &Path, folder: &Path, name: &str) -> io::Result<()> {
    let mut target = folder.join(name);
    let mut number = 1;
    while fs::symlink_metadata(&target).is_ok() {
        number += 1;
        target = folder.join(format!("{name}.{number}"));
    }
    match fs::rename(file, target) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        moved => moved,
    }
}

/// The id of a staging directory. Of two processes that start at once the first one creates it, and both read the same: unlike a
/// rename, a hard link never replaces a file.
fn staging_id(staging: &Path, new: [u8; 16]) -> io::Result<[u8; 16]> {
    let path = staging.join(STAGING_ID_FILE);
    if !path.exists() {
        let own: String = new.iter().map(|byte| format!("{byte:02x}")).collect();
        write_whole(staging, &own, &new)?;
        match fs::hard_link(staging.join(&own), &path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => fs::remove_file(staging.join(&own))?,
        }
        sync(staging)?;
    }
    let found = fs::read(&path)?;
    found.try_into().map_err(|_| io::Error::new(ErrorKind::InvalidData, path.display().to_string()))
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Creates a directory that only this user can access.
fn create_private(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn file_that_several_write_at_once_is_always_whole() {
        let dir = tempfile::tempdir().unwrap();
        let text = vec![b'x'; 1 << 16];
        std::thread::scope(|scope| {
            let write = || (0..100).try_for_each(|_| write_whole(dir.path(), "a.xml", &text));
            let writers = [scope.spawn(write), scope.spawn(write)];
            while writers.iter().any(|writer| !writer.is_finished()) {
                if let Ok(bytes) = fs::read(dir.path().join("a.xml")) {
                    assert_eq!(bytes.len(), text.len());
                }
            }
            writers.into_iter().for_each(|writer| writer.join().unwrap().unwrap());
        });
        assert_eq!(names(dir.path()), ["a.xml"]);
    }

    #[test]
    fn file_that_cannot_be_written_leaves_none() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("a.xml")).unwrap();
        assert!(write_whole(dir.path(), "a.xml", b"names").is_err(), "a directory is not replaced");
        assert_eq!(names(dir.path()), ["a.xml"]);
    }

    #[test]
    fn temporary_files_of_a_killed_process_are_removed_at_the_next_start() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::make(dir.path(), [1; 16]).unwrap();
        let (old, recent) = (spool.staging().join(".a.xml.1-1.new"), spool.staging().join(".b.xml.1-2.new"));
        for file in [&old, &recent] {
            fs::write(file, b"names").unwrap();
        }
        let long_ago = std::time::SystemTime::now() - 2 * ABANDONED_AFTER;
        File::options().append(true).open(&old).unwrap().set_modified(long_ago).unwrap();
        Spool::make(dir.path(), [2; 16]).unwrap();
        assert!(!old.exists() && recent.exists(), "another process may be writing the recent one");
    }

    #[test]
    fn staged_file_is_published_once() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::make(dir.path(), [1; 16]).unwrap();
        let outgoing = dir.path().join("outgoing");
        let claim = Uuid::from_u128(7);
        spool.stage(claim, "a.xml", b"one").unwrap();
        spool.stage(claim, "a.xml", b"one").unwrap();
        assert_eq!(names(&outgoing), [".staging"], "the file is not visible yet");
        spool.publish(claim, "a.xml").unwrap();
        assert_eq!(fs::read(outgoing.join("a.xml")).unwrap(), b"one");
        // Clearing has taken the file; a process that did not record its publication finds it gone.
        fs::remove_file(outgoing.join("a.xml")).unwrap();
        spool.stage(Uuid::from_u128(8), "a.xml", b"one").unwrap();
        spool.publish(claim, "a.xml").unwrap();
        assert_eq!(names(&outgoing), [".staging"], "what another claim has staged does not go out");
        spool.unstage(Uuid::from_u128(8), "a.xml").unwrap();
        assert_eq!(names(&outgoing.join(STAGING)), [STAGING_ID_FILE]);
    }

    #[test]
    fn spool_id_is_stable() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Spool::make(dir.path(), [1; 16]).unwrap().spool_id(), Uuid::from_bytes([1; 16]));
        assert_eq!(Spool::make(dir.path(), [2; 16]).unwrap().spool_id(), Uuid::from_bytes([1; 16]));
        let own = dir.path().join("other");
        let both = std::thread::scope(|scope| {
            let start = |new| {
                let own = &own;
                scope.spawn(move || Spool::make(own, [new; 16]).unwrap().spool_id())
            };
            [start(3), start(4), start(5), start(6)].map(|one| one.join().unwrap())
        });
        assert!(both.iter().all(|staging_id| *staging_id == both[0]), "concurrent starts agree: {both:?}");
        assert_eq!(names(&own.join("outgoing").join(STAGING)), [STAGING_ID_FILE]);
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(Spool::open(&file, &file, &file, [1; 16]).is_err());
    }

    #[test]
    fn incoming_lists_complete_files_and_archive_keeps_all() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::make(dir.path(), [1; 16]).unwrap();
        let incoming = dir.path().join("incoming");
        for name in ["b.xml", "a.xml", ".c.xml", "d.xml.part", "e"] {
            fs::write(incoming.join(name), name).unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", incoming.join("link.xml")).unwrap();
        assert_eq!(spool.incoming(10).unwrap(), ["a.xml", "b.xml", "link.xml"]);
        assert_eq!(spool.open_incoming("link.xml").unwrap(), None, "symbolic links are not followed");
        assert_eq!(spool.open_incoming("a.xml").unwrap().as_deref(), Some(&b"a.xml"[..]));
        spool.archive("a.xml", true).unwrap();
        fs::write(incoming.join("a.xml"), "again").unwrap();
        spool.archive("a.xml", true).unwrap();
        spool.archive("b.xml", false).unwrap();
        spool.archive("b.xml", false).unwrap();
        assert_eq!(names(&dir.path().join("done")), ["a.xml", "a.xml.2", "b.xml.refused"]);
    }
}
