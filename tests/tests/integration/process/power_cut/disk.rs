//! A disk with a volatile cache: what no sync has covered may be lost, torn or reordered by a power cut.

use super::recording::Operation;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Written as a whole or not at all.
const SECTOR_BYTES: usize = 512;

#[derive(Clone, Copy)]
pub enum Syncs {
    Honoured,
    /// A sync of this file is acknowledged without being done.
    IgnoredFor(&'static str),
}

impl Syncs {
    fn are_ignored_for(self, path: &Path) -> bool {
        matches!(self, Self::IgnoredFor(name) if path.ends_with(name))
    }
}

pub struct Disk {
    syncs: Syncs,
    /// The number of operations.
    time: u64,
    files: Vec<File>,
    /// The names that programs see.
    names: Names,
    /// The names that a power cut leaves, and the changes that it may leave in addition, in their order.
    durable_names: Names,
    name_changes: Vec<(u64, NameChange)>,
    running_syncs: HashMap<u64, Sync>,
}

type Names = BTreeMap<PathBuf, usize>;

#[derive(Default)]
struct File {
    durable: Vec<u8>,
    cached: Vec<(u64, Change)>,
}

enum Change {
    Write { offset: usize, data: Vec<u8> },
    Truncate { length: usize },
}

enum NameChange {
    Create { path: PathBuf, file: usize },
    Rename { from: PathBuf, to: PathBuf },
    Remove { path: PathBuf },
}

/// Covers what was done before it began.
struct Sync {
    began: u64,
    /// `None` for a directory.
    file: Option<usize>,
}

/// What a power cut does to the changes that no sync covered.
#[derive(Clone, Copy, Debug)]
pub enum Loss {
    All,
    Nothing,
    /// Each change is lost or not.
    Some,
    /// Each sector is lost or not.
    Torn,
}

impl Disk {
    /// A disk with the files of a directory, all of them durable.
    pub fn with_files_of(directory: &Path, syncs: Syncs) -> Self {
        let (mut files, mut names) = (Vec::new(), Names::new());
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            files.push(File { durable: std::fs::read(&path).unwrap(), cached: Vec::new() });
            names.insert(path, files.len() - 1);
        }
        let durable_names = names.clone();
        let (name_changes, running_syncs) = (Vec::new(), HashMap::new());
        Self { syncs, time: 0, files, names, durable_names, name_changes, running_syncs }
    }

    pub fn apply(&mut self, operation: &Operation) {
        self.time += 1;
        match operation {
            Operation::Write { path, offset, data } => {
                self.change(path, Change::Write { offset: *offset, data: data.clone() });
            }
            Operation::Truncate { path, length } => self.change(path, Change::Truncate { length: *length }),
            Operation::SyncBegin { path, number } if !self.syncs.are_ignored_for(path) => {
                let sync = Sync { began: self.time, file: self.names.get(path).copied() };
                self.running_syncs.insert(*number, sync);
            }
            Operation::SyncEnd { number } => self.end_sync(*number),
            Operation::Create { path } => {
                self.files.push(File::default());
                self.change_name(NameChange::Create { path: path.clone(), file: self.files.len() - 1 });
            }
            Operation::Rename { from, to } => {
                self.change_name(NameChange::Rename { from: from.clone(), to: to.clone() });
            }
            Operation::Remove { path } => self.change_name(NameChange::Remove { path: path.clone() }),
            Operation::SyncBegin { .. } | Operation::Output(_) => {}
        }
    }

    fn change(&mut self, path: &Path, change: Change) {
        let file = self.names.get(path).unwrap_or_else(|| panic!("{} was not created", path.display()));
        self.files[*file].cached.push((self.time, change));
    }

    fn change_name(&mut self, change: NameChange) {
        change.apply(&mut self.names);
        self.name_changes.push((self.time, change));
    }

    fn end_sync(&mut self, number: u64) {
        let Some(Sync { began, file }) = self.running_syncs.remove(&number) else { return };
        match file {
            Some(file) => {
                let File { durable, cached } = &mut self.files[file];
                let covered = cached.partition_point(|(time, _)| *time < began);
                cached.drain(..covered).for_each(|(_, change)| change.apply(durable));
            }
            None => {
                let covered = self.name_changes.partition_point(|(time, _)| *time < began);
                let names = &mut self.durable_names;
                self.name_changes.drain(..covered).for_each(|(_, change)| change.apply(names));
            }
        }
    }

    /// Writes what a power cut leaves into an empty directory.
    pub fn cut_power(&self, loss: Loss, random: &mut Random, directory: &Path) {
        let mut names = self.durable_names.clone();
        let kept = match loss {
            Loss::All => 0,
            Loss::Nothing => self.name_changes.len(),
            Loss::Some | Loss::Torn => random.below(self.name_changes.len() + 1),
        };
        self.name_changes[..kept].iter().for_each(|(_, change)| change.apply(&mut names));
        for (path, file) in &names {
            let content = self.files[*file].after_power_cut(loss, random);
            std::fs::write(directory.join(path.file_name().unwrap()), content).unwrap();
        }
    }
}

impl File {
    fn after_power_cut(&self, loss: Loss, random: &mut Random) -> Vec<u8> {
        let mut content = self.durable.clone();
        for (_, change) in &self.cached {
            match (loss, change) {
                (Loss::All, _) => {}
                (Loss::Nothing, _) => change.apply(&mut content),
                (Loss::Torn, Change::Write { offset, data }) => {
                    let mut start = *offset;
                    for sector in sectors(*offset, data) {
                        if random.below(2) == 0 {
                            write(&mut content, start, sector);
                        }
                        start += sector.len();
                    }
                }
                (Loss::Some | Loss::Torn, _) => {
                    if random.below(2) == 0 {
                        change.apply(&mut content);
                    }
                }
            }
        }
        content
    }
}

/// The parts of a write, each within one sector of the disk.
fn sectors(offset: usize, data: &[u8]) -> impl Iterator<Item = &[u8]> {
    let first = (SECTOR_BYTES - offset % SECTOR_BYTES).min(data.len());
    std::iter::once(&data[..first]).chain(data[first..].chunks(SECTOR_BYTES))
}

fn write(content: &mut Vec<u8>, offset: usize, data: &[u8]) {
    let end = offset + data.len();
    if content.len() < end {
        content.resize(end, 0);
    }
    content[offset..end].copy_from_slice(data);
}

impl Change {
    fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Write { offset, data } => write(content, *offset, data),
            Self::Truncate { length } => content.resize(*length, 0),
        }
    }
}

impl NameChange {
    fn apply(&self, names: &mut Names) {
        match self {
            Self::Create { path, file } => {
                names.insert(path.clone(), *file);
            }
            Self::Rename { from, to } => {
                if let Some(file) = names.remove(from) {
                    names.insert(to.clone(), file);
                }
            }
            Self::Remove { path } => {
                names.remove(path);
            }
        }
    }
}

/// SplitMix64: the same choices for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((bits ^ (bits >> 31)) % bound as u64).unwrap()
    }
}
