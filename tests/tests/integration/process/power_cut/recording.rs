//! What a program did to its files, as `recorder.c` recorded it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// In the order in which it was done.
pub struct Recording {
    pub operations: Vec<Operation>,
}

pub enum Operation {
    Write {
        path: PathBuf,
        offset: usize,
        data: Vec<u8>,
    },
    Truncate {
        path: PathBuf,
        length: usize,
    },
    /// Covers what was written before it, once it has ended.
    SyncBegin {
        path: PathBuf,
        number: u64,
    },
    SyncEnd {
        number: u64,
    },
    Create {
        path: PathBuf,
    },
    Rename {
        from: PathBuf,
        to: PathBuf,
    },
    Remove {
        path: PathBuf,
    },
    /// What the program printed.
    Output(String),
}

/// The recorder, compiled for one test.
pub struct Recorder {
    directory: tempfile::TempDir,
}

impl Recorder {
    pub fn compile() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let source = directory.path().join("recorder.c");
        std::fs::write(&source, include_str!("recorder.c")).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "-shared", "-fPIC", "-o"]).arg(directory.path().join("recorder.so"));
        let output = compiler.arg(&source).args(["-ldl", "-lpthread"]).output().expect("cc is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Self { directory }
    }

    /// Runs a program for a while, kills it, and returns what it did below a directory.
    pub fn record(&self, program: &mut Command, recorded: &Path, time: Duration) -> Recording {
        let mut child =
            self.preload(program, recorded).stdout(Stdio::null()).spawn().expect("the program starts");
        std::thread::sleep(time);
        child.kill().expect("the program runs");
        child.wait().expect("the program ends");
        self.recorded()
    }

    /// Runs a program to its end, and returns what it did below a directory.
    pub fn record_whole(&self, program: &mut Command, recorded: &Path) -> Recording {
        let output = self.preload(program, recorded).output().expect("the program starts");
        assert!(output.status.success(), "{output:?}");
        self.recorded()
    }

    fn file(&self) -> PathBuf {
        self.directory.path().join("recording")
    }

    fn preload<'a>(&self, program: &'a mut Command, recorded: &Path) -> &'a mut Command {
        program
            .env("LD_PRELOAD", self.directory.path().join("recorder.so"))
            .env("RECORDED_DIR", recorded)
            .env("RECORDING", self.file())
    }

    fn recorded(&self) -> Recording {
        let bytes = std::fs::read(self.file()).expect("the recorder was loaded");
        std::fs::remove_file(self.file()).unwrap();
        Recording::parse(&bytes)
    }
}

impl Recording {
    fn parse(mut bytes: &[u8]) -> Self {
        let mut operations = Vec::new();
        // The last record may be incomplete, because the program was killed.
        while let Some(operation) = next_operation(&mut bytes) {
            operations.push(operation);
        }
        Self { operations }
    }
}

fn next_operation(bytes: &mut &[u8]) -> Option<Operation> {
    let kind = u32::from_ne_bytes(take(bytes, 4)?.try_into().unwrap());
    let path_length = u32::from_ne_bytes(take(bytes, 4)?.try_into().unwrap());
    let number = u64::from_ne_bytes(take(bytes, 8)?.try_into().unwrap());
    let data_length = u64::from_ne_bytes(take(bytes, 8)?.try_into().unwrap());
    let path = PathBuf::from(String::from_utf8_lossy(take(bytes, path_length.try_into().unwrap())?).as_ref());
    let data = take(bytes, data_length.try_into().unwrap())?;
    let text = || String::from_utf8_lossy(data).into_owned();
    let size = || usize::try_from(number).unwrap();
    Some(match kind {
        1 => Operation::Write { path, offset: size(), data: data.to_vec() },
        2 => Operation::Truncate { path, length: size() },
        3 => Operation::SyncBegin { path, number },
        4 => Operation::SyncEnd { number },
        5 => Operation::Create { path },
        6 => Operation::Rename { from: path, to: text().into() },
        7 => Operation::Remove { path },
        8 => Operation::Output(text()),
        _ => panic!("the recorder does not model {} of {}", text(), path.display()),
    })
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}
