//! A preloaded library that delays and counts the fsync calls of a child process.

use crate::process::{Outcome, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = include_str!("slow_disk.c");

pub struct Disk {
    library: PathBuf,
    count: PathBuf,
}

impl Disk {
    /// Compiles the library into a directory.
    pub fn compile(dir: &Path) -> Outcome<Self> {
        let (source, library) = (dir.join("slow_disk.c"), dir.join("slow_disk.so"));
        fs::write(&source, SOURCE).map_err(|e| format!("{}: {e}", source.display()))?;
        let mut compiler = Command::new("cc");
        compiler.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-ldl");
        run(&mut compiler).map_err(|e| format!("a C compiler (cc) is required: {e}"))?;
        Ok(Self { library, count: dir.join("fsyncs") })
    }

    /// Preloads the library into a program. Without a delay it only counts.
    pub fn preload<'a>(&self, command: &'a mut Command, delay_micros: u64) -> &'a mut Command {
        command
            .env("LD_PRELOAD", &self.library)
            .env("FSYNC_DELAY_MICROS", delay_micros.to_string())
            .env("FSYNC_COUNT_FILE", &self.count)
    }

    /// The number of fsync calls of the program, which has ended. No call at all is an error.
    pub fn fsyncs(&self) -> Outcome<u64> {
        let text = fs::read_to_string(&self.count)
            .map_err(|e| format!("the fsyncs were not counted; was the library loaded? {e}"))?;
        fs::remove_file(&self.count).map_err(|e| format!("{}: {e}", self.count.display()))?;
        match text.trim().parse() {
            Ok(0) => Err("no fsync went through the library".to_owned()),
            Ok(count) => Ok(count),
            Err(e) => Err(format!("{}: {e}", self.count.display())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::TempDir;
    use std::time::{Duration, Instant};

    #[test]
    fn fsync_calls_are_counted_and_delayed() {
        let temp_dir = TempDir::new("disk-test").unwrap();
        let disk = Disk::compile(&temp_dir.0).unwrap();
        let file = format!("of={}", temp_dir.0.join("file").display());
        let mut dd = Command::new("dd");
        dd.args(["if=/dev/zero", &file, "bs=1", "count=1", "conv=fsync", "status=none"]);
        let started = Instant::now();
        run(disk.preload(&mut dd, 200_000)).unwrap();
        assert_eq!(disk.fsyncs(), Ok(1));
        assert!(started.elapsed() >= Duration::from_millis(200));
    }

    #[test]
    fn program_without_fsync_is_refused() {
        let temp_dir = TempDir::new("disk-test-none").unwrap();
        let disk = Disk::compile(&temp_dir.0).unwrap();
        run(disk.preload(&mut Command::new("true"), 0)).unwrap();
        assert!(disk.fsyncs().unwrap_err().contains("no fsync"));
    }
}
