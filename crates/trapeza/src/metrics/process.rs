//! Metrics of the process from /proc, with the names that Prometheus's own clients use. What cannot be read keeps its last
//! value.

use ::metrics::{counter, gauge};
use rustix::process::{Resource, getrlimit};
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

/// Linux reports processor time to programs in hundredths of a second.
const TICKS_PER_SECOND: u64 = 100;

pub(super) fn record_start() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    gauge!("process_start_time_seconds").set(now);
}

pub(super) fn sample() {
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        if let Some(kibibytes) = field(&status, "VmRSS:") {
            gauge!("process_resident_memory_bytes").set((kibibytes * 1024) as f64);
        }
        if let Some(threads) = field(&status, "Threads:") {
            gauge!("process_threads").set(threads as f64);
        }
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        gauge!("process_open_fds").set(open.count() as f64);
    }
    if let Some(limit) = getrlimit(Resource::Nofile).current {
        gauge!("process_max_fds").set(limit as f64);
    }
    if let Some(ticks) = fs::read_to_string("/proc/self/stat").ok().and_then(|stat| processor_ticks(&stat)) {
        counter!("process_cpu_seconds_total").absolute(ticks / TICKS_PER_SECOND);
    }
}

/// The number after a name in `/proc/self/status`.
fn field(status: &str, name: &str) -> Option<u64> {
    let rest = status.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// User and system time: the fields 14 and 15. The name of the program, which is the second, may contain spaces.
fn processor_ticks(stat: &str) -> Option<u64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_proc_are_found() {
        assert_eq!(field("Name:\tx\nVmRSS:\t   5120 kB\nThreads:\t7\n", "VmRSS:"), Some(5120));
        assert_eq!(field("Name:\tx\n", "VmRSS:"), None);
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 9 0 100 1 1";
        assert_eq!(processor_ticks(stat), Some(300));
    }
}
