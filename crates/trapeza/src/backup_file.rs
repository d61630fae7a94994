//! The file of a backup: the content (a SQLite database, or a dump of PostgreSQL), a line break, and one line of JSON, the
//! manifest.
//!
//! The manifest is at the end because it contains the checksum of the content: the content is written once and never copied,
//! and a truncated file has no manifest. `tail -n 1 FILE` prints it.

use crate::hexadecimal;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Take, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The version of this format.
const FORMAT: u32 = 1;
/// A manifest has a hundred bytes per audit chain, and each start of a server adds at most a hundred chains.
const MAX_MANIFEST_BYTES: u64 = 64 << 20;
const BUFFER_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    Sqlite,
    Postgres,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        })
    }
}

/// What the backup contains, and what it is verified with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the program that wrote the backup.
    pub program: String,
    /// The last migration of the database.
    pub schema: String,
    pub engine: Engine,
    /// The system time at which the backup began (RFC 3339).
    pub created_at: String,
    /// The bank's name.
    pub bank: String,
    /// The check value of the root secret, in hexadecimal.
    pub secret_check: String,
    /// The last row of every audit chain, as `chain:sequence:mac`.
    pub audit_heads: Vec<String>,
}

/// The last line of the file.
#[derive(Serialize, Deserialize)]
struct Trailer {
    format: u32,
    content_bytes: u64,
    content_sha256: String,
    #[serde(flatten)]
    manifest: Manifest,
}

/// The part of a trailer that every version of the format has.
#[derive(Deserialize)]
struct FormatVersion {
    format: u32,
}

/// A backup that is being written, under another name until it is complete. Dropping it deletes what was written.
pub struct BackupWriter {
    path: PathBuf,
    new: PathBuf,
}

impl BackupWriter {
    /// Creates an empty file beside `path`, with mode 0600. An existing backup is never overwritten.
    pub fn create(path: &Path) -> Result<Self, String> {
        if path.exists() {
            return Err(format!("{} already exists; choose another name for the backup", path.display()));
        }
        let mut new = path.as_os_str().to_owned();
        new.push(".new");
        let new = PathBuf::from(new);
        // A file of an earlier backup that was interrupted could have another mode.
        match std::fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(&new, error)),
            _ => {}
        }
        let created = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new);
        created.map_err(|error| failed(&new, error))?;
        Ok(Self { path: path.to_owned(), new })
    }

    /// The file that the content is written to.
    pub fn content_path(&self) -> &Path {
        &self.new
    }

    /// Appends the manifest, and gives the file its name when it is on the disk. Returns the size and the SHA-256 of the content.
    pub fn finish(self, manifest: Manifest) -> Result<(u64, String), String> {
        let written = self.append(manifest).map_err(|error| failed(&self.new, error))?;
        std::fs::rename(&self.new, &self.path).map_err(|error| failed(&self.path, error))?;
        let directory = match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let synced = File::open(directory).and_then(|directory| directory.sync_all());
        synced.map_err(|error| failed(directory, error))?;
        Ok(written)
    }

    fn append(&self, manifest: Manifest) -> io::Result<(u64, String)> {
        let mut file = OpenOptions::new().read(true).append(true).open(&self.new)?;
        let content_bytes = file.metadata()?.len();
        let content_sha256 = sha256(&mut (&file).take(content_bytes))?;
        let sha256 = content_sha256.clone();
        let trailer = Trailer { format: FORMAT, content_bytes, content_sha256, manifest };
        let line = serde_json::to_string(&trailer)?;
        file.write_all(format!("\n{line}\n").as_bytes())?;
        file.sync_all()?;
        Ok((content_bytes, sha256))
    }
}

impl Drop for BackupWriter {
    fn drop(&mut self) {
        // After `finish` there is no file of this name.
        let _ = std::fs::remove_file(&self.new);
    }
}

/// A backup whose manifest was read.
#[derive(Debug)]
pub struct BackupReader {
    path: PathBuf,
    file: File,
    content_bytes: u64,
    content_sha256: String,
    pub manifest: Manifest,
}

impl BackupReader {
    /// Reads the manifest. The content is not verified yet.
    pub fn open(path: &Path) -> Result<Self, String> {
        let mut file = File::open(path).map_err(|error| failed(path, error))?;
        let (start, line) = last_line(&mut file).map_err(|error| failed(path, error))?;
        let shown = path.display();
        let incomplete = || format!("{shown} is not a backup, or not a complete one: it has no manifest");
        let FormatVersion { format } = serde_json::from_slice(&line).map_err(|_| incomplete())?;
        if format != FORMAT {
            return Err(format!(
                "{shown} is a backup in format {format}; this program reads format {FORMAT}"
            ));
        }
        let trailer: Trailer = serde_json::from_slice(&line)
            .map_err(|error| format!("{shown} is damaged: its manifest is invalid ({error})"))?;
        let Trailer { content_bytes, content_sha256, manifest, .. } = trailer;
        if content_bytes.checked_add(1) != Some(start) {
            return Err(format!("{shown} is damaged: its manifest says {content_bytes} bytes of content"));
        }
        Ok(Self { path: path.to_owned(), file, content_bytes, content_sha256, manifest })
    }

    /// Compares the content with the checksum of the manifest.
    pub fn verify(&mut self) -> Result<(), String> {
        let actual = self.content().and_then(|mut content| sha256(&mut content));
        if actual.map_err(|error| failed(&self.path, error))? == self.content_sha256 {
            return Ok(());
        }
        Err(format!(
            "{} is damaged: its content does not have the checksum of its manifest",
            self.path.display()
        ))
    }

    /// The SHA-256 of the content, as the manifest has it.
    pub fn content_sha256(&self) -> &str {
        &self.content_sha256
    }

    pub fn content(&mut self) -> io::Result<Take<&mut File>> {
        self.file.seek(SeekFrom::Start(0))?;
        let bytes = self.content_bytes;
        Ok((&mut self.file).take(bytes))
    }

    /// Writes the content to a new file with mode 0600 and syncs it.
    pub fn content_write(&mut self, target: &Path) -> Result<(), String> {
        let written = (|| {
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(target)?;
            io::copy(&mut BufReader::with_capacity(BUFFER_BYTES, self.content()?), &mut file)?;
            file.sync_all()
        })();
        written.map_err(|error| failed(target, error))
    }
}

/// The last line of a file without its line break, and where it starts. It is empty when the file does not end in a line.
fn last_line(file: &mut File) -> io::Result<(u64, Vec<u8>)> {
    let length = file.metadata()?.len();
    let mut size = 64 << 10;
    loop {
        let start = length.saturating_sub(size);
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.read_to_end(&mut tail)?;
        if tail.pop() != Some(b'\n') {
            return Ok((length, Vec::new()));
        }
        if let Some(index) = tail.iter().rposition(|byte| *byte == b'\n') {
            return Ok((start + index as u64 + 1, tail.split_off(index + 1)));
        }
        if start == 0 || size >= MAX_MANIFEST_BYTES {
            return Ok((length, Vec::new()));
        }
        size *= 8;
    }
}

fn sha256(content: &mut impl Read) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        match content.read(&mut buffer)? {
            0 => return Ok(hexadecimal::encode(&digest.finalize())),
            bytes => digest.update(&buffer[..bytes]),
        }
    }
}

fn failed(path: &Path, error: impl fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn manifest() -> Manifest {
        Manifest {
            program: "0.1.0".to_owned(),
            schema: "0001_baseline".to_owned(),
            engine: Engine::Sqlite,
            created_at: "2026-11-16T18:00:00Z".to_owned(),
            bank: "Trapeza".to_owned(),
            secret_check: "00".repeat(32),
            audit_heads: vec![format!("1:2:{}", "0f".repeat(32)); 2000],
        }
    }

    fn written(directory: &Path, content: &[u8]) -> PathBuf {
        let path = directory.join("backup");
        let writer = BackupWriter::create(&path).unwrap();
        std::fs::write(writer.content_path(), content).unwrap();
        assert_eq!(writer.finish(manifest()).unwrap().0, content.len() as u64);
        path
    }

    #[test]
    fn backup_is_read_as_it_was_written() {
        let directory = tempfile::tempdir().unwrap();
        let content = b"lines\nand more\n\n".repeat(1000);
        let path = written(directory.path(), &content);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "no other file remains");
        let mut reader = BackupReader::open(&path).unwrap();
        assert_eq!(reader.manifest, manifest());
        reader.verify().unwrap();
        let target = directory.path().join("content");
        reader.content_write(&target).unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), content);
    }

    #[test]
    fn existing_file_is_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), b"first");
        assert!(BackupWriter::create(&path).err().unwrap().contains("already exists"));
    }

    #[test]
    fn dropped_writer_leaves_no_file() {
        let directory = tempfile::tempdir().unwrap();
        drop(BackupWriter::create(&directory.path().join("backup")).unwrap());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn truncated_backup_is_refused_wherever_it_ends() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), b"some\ncontent\n");
        let whole = std::fs::read(&path).unwrap();
        for length in [0, 1, 5, 13, 14, 15, 100, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            let refused = BackupReader::open(&path).unwrap_err();
            assert!(refused.contains("it has no manifest"), "{length}: {refused}");
        }
    }

    #[test]
    fn changed_backup_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path(), b"some\ncontent\n");
        let whole = std::fs::read(&path).unwrap();
        let mut changed = whole.clone();
        changed[3] ^= 1;
        std::fs::write(&path, &changed).unwrap();
        assert!(BackupReader::open(&path).unwrap().verify().unwrap_err().contains("checksum"));
        std::fs::write(&path, &whole[1..]).unwrap();
        assert!(BackupReader::open(&path).unwrap_err().contains("13 bytes of content"));
        let text = String::from_utf8(whole).unwrap();
        std::fs::write(&path, text.replace("\"format\":1", "\"format\":2")).unwrap();
        assert!(BackupReader::open(&path).unwrap_err().contains("format 2"));
        std::fs::write(&path, text.replace("\"engine\":\"sqlite\"", "\"engine\":\"other\"")).unwrap();
        assert!(BackupReader::open(&path).unwrap_err().contains("manifest is invalid"));
    }
}
