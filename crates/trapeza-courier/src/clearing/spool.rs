//! The folders. A message is prepared beside the folder that clearing looks into and then moved there, so that clearing
//! never sees half of one. Everything is on the disk before the next step is taken.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// In the outgoing folder, so that whoever shares the one shares the other. Clearing passes over hidden names.
const STAGING: &str = ".staging";
const PLACE: &str = "place";
/// Only these are messages: others may still be on their way into the folder.
const ENDING: &str = ".xml";
/// What is put behind the name of a file that was no message.
const REFUSED: &str = ".refused";
/// About ten thousand transfers.
pub(super) const FILE_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct Spool {
    outgoing: PathBuf,
    incoming: PathBuf,
    done: PathBuf,
    /// Resolver the staging folder: a batch that was staged in another one cannot be ended here.
    place: [u8; 16],
}

impl Spool {
    /// Opens folders that are there. `new_place` names the staging folder if this is its first use.
    pub fn open(outgoing: &Path, incoming: &Path, done: &Path, new_place: [u8; 16]) -> io::Result<Self> {
        for folder in [outgoing, incoming, done] {
            if !fs::metadata(folder)?.is_dir() {
                return Err(io::Error::new(ErrorKind::NotADirectory, folder.display().to_string()));
            }
        }
        let staging = outgoing.join(STAGING);
        fs::create_dir_all(&staging)?;
        let place = place(&staging, new_place)?;
        Ok(Self { outgoing: outgoing.into(), incoming: incoming.into(), done: done.into(), place })
    }

    /// The same, for folders of our own that may have to be made.
    pub fn make(parent: &Path, new_place: [u8; 16]) -> io::Result<Self> {
        let [outgoing, incoming, done] = ["outgoing", "incoming", "done"].map(|name| parent.join(name));
        for folder in [&outgoing, &incoming, &done] {
            fs::create_dir_all(folder)?;
        }
        Self::open(&outgoing, &incoming, &done, new_place)
    }

    /// Identifies the spool: a batch that was staged in another one is completed there.
    pub const fn spool_id(&self) -> Uuid {
        Uuid::from_bytes(self.place)
    }

    /// Prepares a message. Doing it again changes nothing: it is always the same.
    pub fn stage(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        write_whole(&self.staging(), name, bytes)
    }

    /// Moves a prepared message to where clearing takes it. When it is no longer there, it was moved before.
    pub fn give_out(&self, name: &str) -> io::Result<()> {
        match fs::rename(self.staging().join(name), self.outgoing.join(name)) {
            Err(fault) if fault.kind() != ErrorKind::NotFound => return Err(fault),
            _ => {}
        }
        sync(&self.outgoing)?;
        sync(&self.staging())
    }

    /// The names of some files that came in, in the order of their names.
    pub fn incoming(&self, most: usize) -> io::Result<Vec<String>> {
        messages(&self.incoming, most)
    }

    /// A file that came in; none when it cannot be a message.
    pub fn open_bytes(folder: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
        let path = folder.join(name);
        let kind = fs::symlink_metadata(&path)?;
        if !kind.is_file() || kind.len() > FILE_BYTES {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        // It may have grown since.
        File::open(path)?.take(FILE_BYTES + 1).read_to_end(&mut bytes)?;
        Ok(Some(bytes).filter(|bytes| bytes.len() as u64 <= FILE_BYTES))
    }

    pub(super) fn open_incoming(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        Self::open_bytes(&self.incoming, name)
    }

    /// Moves a file that was read out of the way, never onto another. Another process may have been quicker.
    pub fn put_away(&self, name: &str, good: bool) -> io::Result<()> {
        let kept = if good { name.to_owned() } else { format!("{name}{REFUSED}") };
        move_aside(&self.incoming.join(name), &self.done, &kept)?;
        sync(&self.done)?;
        sync(&self.incoming)
    }

    fn staging(&self) -> PathBuf {
        self.outgoing.join(STAGING)
    }

    /// For the clearing house of the sandbox, which sits at the other end.
    pub(super) fn ends(&self) -> (&Path, &Path, &Path) {
        (&self.outgoing, &self.incoming, &self.done)
    }
}

/// Writes a file that is there whole or not at all.
pub(super) fn write_whole(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let new = folder.join(format!(".{name}.new"));
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&new, folder.join(name))?;
    sync(folder)
}

/// The names of messages in a folder.
pub(super) fn messages(folder: &Path, most: usize) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        // A name that is not text is nobody's message.
        let Ok(name) = entry?.file_name().into_string() else { continue };
        if name.ends_with(ENDING) && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    names.truncate(most);
    Ok(names)
}

/// Moves a file into a folder under this name, or the same with a number behind it.
pub(super) fn move_aside(file: &Path, folder: &Path, name: &str) -> io::Result<()> {
    let mut target = folder.join(name);
    let mut number = 1;
    while fs::symlink_metadata(&target).is_ok() {
        number += 1;
        target = folder.join(format!("{name}.{number}"));
    }
    match fs::rename(file, target) {
        Err(fault) if fault.kind() == ErrorKind::NotFound => Ok(()),
        moved => moved,
    }
}

/// The name of a staging folder. Of two processes that start on a new one the first gives it, and both read the same: a
/// link, unlike a move, is never put over another.
fn place(staging: &Path, new: [u8; 16]) -> io::Result<[u8; 16]> {
    let path = staging.join(PLACE);
    if !path.exists() {
        let own: String = new.iter().map(|byte| format!("{byte:02x}")).collect();
        write_whole(staging, &own, &new)?;
        match fs::hard_link(staging.join(&own), &path) {
            Err(fault) if fault.kind() != ErrorKind::AlreadyExists => return Err(fault),
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
    fn a_message_is_given_out_once_whatever_was_done_before() {
        let room = tempfile::tempdir().unwrap();
        let folders = Spool::make(room.path(), [1; 16]).unwrap();
        let outgoing = room.path().join("outgoing");
        folders.stage("a.xml", b"one").unwrap();
        folders.stage("a.xml", b"one").unwrap();
        assert_eq!(names(&outgoing), [".staging"], "clearing sees nothing yet");
        folders.give_out("a.xml").unwrap();
        assert_eq!(fs::read(outgoing.join("a.xml")).unwrap(), b"one");
        // Clearing has taken it; whoever did not note that it was given out finds it gone.
        fs::remove_file(outgoing.join("a.xml")).unwrap();
        folders.give_out("a.xml").unwrap();
        assert_eq!(names(&outgoing), [".staging"]);
    }

    #[test]
    fn a_place_keeps_its_name() {
        let room = tempfile::tempdir().unwrap();
        assert_eq!(Spool::make(room.path(), [1; 16]).unwrap().spool_id(), Uuid::from_bytes([1; 16]));
        assert_eq!(Spool::make(room.path(), [2; 16]).unwrap().spool_id(), Uuid::from_bytes([1; 16]));
        let own = room.path().join("other");
        let both = std::thread::scope(|scope| {
            let start = |new| {
                let own = &own;
                scope.spawn(move || Spool::make(own, [new; 16]).unwrap().spool_id())
            };
            [start(3), start(4), start(5), start(6)].map(|one| one.join().unwrap())
        });
        assert!(both.iter().all(|place| *place == both[0]), "whoever starts at once agrees: {both:?}");
        assert_eq!(names(&own.join("outgoing").join(STAGING)), [PLACE]);
        let file = room.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(Spool::open(&file, &file, &file, [1; 16]).is_err());
    }

    #[test]
    fn only_whole_messages_are_taken_and_none_is_lost_on_the_way_out() {
        let room = tempfile::tempdir().unwrap();
        let folders = Spool::make(room.path(), [1; 16]).unwrap();
        let incoming = room.path().join("incoming");
        for name in ["b.xml", "a.xml", ".c.xml", "d.xml.part", "e"] {
            fs::write(incoming.join(name), name).unwrap();
        }
        std::os::unix::fs::symlink("/etc/passwd", incoming.join("link.xml")).unwrap();
        assert_eq!(folders.incoming(10).unwrap(), ["a.xml", "b.xml", "link.xml"]);
        assert_eq!(folders.open_incoming("link.xml").unwrap(), None, "no way out of the folder");
        assert_eq!(folders.open_incoming("a.xml").unwrap().as_deref(), Some(&b"a.xml"[..]));
        folders.put_away("a.xml", true).unwrap();
        fs::write(incoming.join("a.xml"), "again").unwrap();
        folders.put_away("a.xml", true).unwrap();
        folders.put_away("b.xml", false).unwrap();
        folders.put_away("b.xml", false).unwrap();
        assert_eq!(names(&room.path().join("done")), ["a.xml", "a.xml.2", "b.xml.refused"]);
    }
}
