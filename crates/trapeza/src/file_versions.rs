//! Notices that files of the configuration have changed.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// Which versions of some files are on the disk: inode, time of the last change and size of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileVersions(Vec<Option<(u64, i64, i64, u64)>>);

impl FileVersions {
    pub fn read(files: &[&Option<PathBuf>]) -> Self {
        let version = |file: &&Option<PathBuf>| {
            let metadata = std::fs::metadata(file.as_ref()?).ok()?;
            Some((metadata.ino(), metadata.mtime(), metadata.mtime_nsec(), metadata.size()))
        };
        Self(files.iter().map(version).collect())
    }
}
