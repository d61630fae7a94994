//! Figures for the terminal: medians, ratios and the load of the machine.

#![expect(clippy::float_arithmetic, reason = "ratios of measurements; no money here")]

use std::fs;

/// The upper median; 0 without values.
pub fn median(values: impl IntoIterator<Item = u64>) -> u64 {
    let mut values: Vec<u64> = values.into_iter().collect();
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}

/// The ratio of two values as text.
#[expect(clippy::cast_precision_loss, reason = "a few digits are printed")]
pub fn ratio(value: u64, of: u64) -> String {
    let ratio = value as f64 / of.max(1) as f64;
    if ratio < 10.0 { format!("{ratio:.2}") } else { format!("{ratio:.1}") }
}

/// The ratio of two values in thousandths.
pub fn per_thousand(value: u64, of: u64) -> u64 {
    value.saturating_mul(1000) / of.max(1)
}

/// Events per second.
pub fn per_second(count: u64, micros: u64) -> u64 {
    count.saturating_mul(1_000_000) / micros.max(1)
}

/// A thousandth of a value with one decimal: microseconds as milliseconds.
pub fn format_thousandths(value: u64) -> String {
    format!("{}.{}", value / 1000, value % 1000 / 100)
}

/// The number of cores and the load average: figures of a busy machine are less reliable.
pub fn machine_load() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<&str> = load.split_whitespace().take(3).collect();
    format!("{cores} cores; load average {}", load.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_independent_of_the_order() {
        assert_eq!(median([9, 1, 5]), 5);
        assert_eq!(median([7]), 7);
        assert_eq!(median([]), 0);
    }

    #[test]
    fn figures_are_rounded() {
        assert_eq!((ratio(1, 3), ratio(100, 3)), ("0.33".to_owned(), "33.3".to_owned()));
        assert_eq!(per_second(30, 2_000_000), 15);
        assert_eq!(format_thousandths(12_345), "12.3");
    }
}
