//! What the measurements must be.

/// The server at one moment of the soak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    pub memory_kib: u64,
    pub wal_kib: u64,
    pub files: u64,
    pub p99_micros: u64,
}

/// Growth that is no leak: caches that fill, and threads that start.
const MEMORY_KIB: u64 = 32 << 10;
const FILES: u64 = 16;
/// The WAL restarts at 128 MiB; a checkpoint under load may let it grow on for a while.
const WAL_KIB: u64 = 512 << 10;
/// Below this a percentile is not slow.
const QUICK_MICROS: u64 = 20_000;

/// What is not flat: the last third against the first one.
pub fn growth(samples: &[Sample]) -> Vec<String> {
    let third = samples.len() / 3;
    if third == 0 {
        return vec![format!("{} samples are too few", samples.len())];
    }
    let (first, last) = (&samples[..third], &samples[samples.len() - third..]);
    let median = |part: &[Sample], value: fn(&Sample) -> u64| {
        let mut values: Vec<u64> = part.iter().map(value).collect();
        values.sort_unstable();
        values[values.len() / 2]
    };
    let mut found = Vec::new();
    let mut compare = |name: &str, value: fn(&Sample) -> u64, max: fn(u64) -> u64| {
        let (before, after) = (median(first, value), median(last, value));
        if after > max(before) {
            found.push(format!("{name} has grown from {before} to {after}"));
        }
    };
    compare("memory in KiB", |sample| sample.memory_kib, |before| before + before / 4 + MEMORY_KIB);
    compare("the number of open files", |sample| sample.files, |before| before + FILES);
    compare("p99 in microseconds", |sample| sample.p99_micros, |before| (before * 2).max(QUICK_MICROS));
    let wal = samples.iter().map(|sample| sample.wal_kib).max().unwrap_or(0);
    if wal > WAL_KIB {
        found.push(format!("the WAL had {wal} KiB"));
    }
    found
}

/// A finding when less than this percentage of a number was found.
pub fn at_least(name: &str, found: u64, percent: u64, of: u64) -> Option<String> {
    let min = of * percent / 100;
    (found < min).then(|| format!("{name}: {found}, expected at least {min}, {percent} % of {of}"))
}

pub fn at_most(name: &str, found: u64, max: u64) -> Option<String> {
    (found > max).then(|| format!("{name}: {found}, expected at most {max}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAT: Sample = Sample { memory_kib: 100_000, wal_kib: 9_000, files: 40, p99_micros: 15_000 };

    #[test]
    fn flat_samples_are_accepted() {
        let noisy = Sample { memory_kib: 120_000, files: 50, p99_micros: 19_000, ..FLAT };
        assert_eq!(growth(&[FLAT, noisy, FLAT, noisy, noisy, FLAT]), Vec::<String>::new());
    }

    #[test]
    fn growing_samples_are_reported() {
        let grown = [
            (Sample { memory_kib: 200_000, ..FLAT }, "memory"),
            (Sample { files: 57, ..FLAT }, "files"),
            (Sample { p99_micros: 31_000, ..FLAT }, "p99"),
            (Sample { wal_kib: 600 << 10, ..FLAT }, "WAL"),
        ];
        for (last, word) in grown {
            let found = growth(&[FLAT, FLAT, last]);
            assert!(found.len() == 1 && found[0].contains(word), "{found:?}");
        }
        assert_eq!(growth(&[FLAT, FLAT]).len(), 1, "too few");
    }

    #[test]
    fn shares_are_compared() {
        assert_eq!(at_least("goodput", 80, 80, 100), None);
        assert!(at_least("goodput", 79, 80, 100).is_some());
        assert_eq!(at_most("p99", 5, 5), None);
        assert!(at_most("p99", 6, 5).is_some());
    }
}
