//! The wall-clock time and the processor time of a process.

use std::time::{Duration, Instant};

/// The kernel counts processor time in hundredths of a second (USER_HZ), which is precise enough for seconds.
const TICK: Duration = Duration::from_millis(10);

pub struct Usage {
    /// In /proc.
    process: String,
    started: Instant,
    processor: Duration,
}

impl Usage {
    pub fn start() -> Self {
        Self::start_of("self")
    }

    /// Of another process, by its id.
    pub fn start_of(process: &str) -> Self {
        Self { process: process.to_owned(), started: Instant::now(), processor: processor(process) }
    }

    /// Wall-clock time and processor time since the start, in microseconds.
    pub fn micros(&self) -> (u64, u64) {
        let micros = |span: Duration| u64::try_from(span.as_micros()).unwrap_or(u64::MAX);
        (micros(self.started.elapsed()), micros(processor(&self.process) - self.processor))
    }
}

/// User and system time of all threads: fields 14 and 15 of /proc/…/stat, counted from 1.
fn processor(process: &str) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("the process is in /proc");
    // The name in the second field may contain spaces; its closing parenthesis is the last one.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
    TICK * ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_process_reports_cpu_time() {
        let usage = Usage::start();
        while usage.micros().1 < 50_000 {
            std::hint::black_box(std::fs::metadata("/").is_ok());
            assert!(usage.micros().0 < 60_000_000, "no processor time was counted in a minute of work");
        }
        let (wall, processor) = usage.micros();
        assert!(wall >= processor / 4, "{wall} µs of wall-clock time, {processor} µs of processor time");
    }
}
