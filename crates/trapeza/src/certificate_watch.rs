//! Watches when certificates end: a metric in days for each kind, and log lines as an end comes closer.

use ::metrics::gauge;
use std::collections::HashMap;
use trapeza_domain::time::{TimeDelta, Timestamp};

/// A line is logged when this many days are left, once for each number.
const WARN_AT_DAYS: [i64; 5] = [1, 3, 7, 14, 30];

const DAY: TimeDelta = TimeDelta::days(1);

/// What was logged already.
#[derive(Debug, Default)]
pub struct CertificateWatch {
    logged: HashMap<String, Stage>,
}

/// How close the end of a certificate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Ended,
    /// At most this many days are left.
    Within(i64),
}

impl CertificateWatch {
    /// Sets the metric of a kind.
    pub fn measure(kind: &'static str, end: Timestamp, now: Timestamp) {
        let days = end.since(now).0.div_euclid(DAY.0);
        gauge!("trapeza_certificate_left_days", "certificate" => kind).set(days as f64);
    }

    /// Logs that the end of a certificate comes closer, once for each stage.
    pub fn warn(&mut self, name: &str, end: Timestamp, now: Timestamp) {
        let days = end.since(now).0.div_euclid(DAY.0);
        match self.next_stage(name, end, now) {
            None => {}
            Some(Stage::Ended) => {
                tracing::error!(certificate = name, "certificate: it has ended and must be replaced");
            }
            Some(Stage::Within(_)) => {
                tracing::warn!(certificate = name, days, "certificate: it ends soon and must be replaced");
            }
        }
    }

    /// The stage of a certificate, when it is another one than before.
    fn next_stage(&mut self, name: &str, end: Timestamp, now: Timestamp) -> Option<Stage> {
        let Some(stage) = stage(end, now) else {
            self.logged.remove(name);
            return None;
        };
        let before = self.logged.insert(name.to_owned(), stage);
        (before != Some(stage)).then_some(stage)
    }
}

fn stage(end: Timestamp, now: Timestamp) -> Option<Stage> {
    if end <= now {
        return Some(Stage::Ended);
    }
    let within = |days: &i64| end.since(now) <= TimeDelta::days(*days);
    WARN_AT_DAYS.into_iter().find(within).map(Stage::Within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_logged_once_per_stage_and_again_for_a_renewed_certificate() {
        let mut watch = CertificateWatch::default();
        let now = Timestamp(0).plus(TimeDelta::days(20_000));
        let mut at = |left: TimeDelta| watch.next_stage("server", now.plus(left), now);
        assert_eq!(at(TimeDelta::days(31)), None);
        assert_eq!(at(TimeDelta::days(30)), Some(Stage::Within(30)));
        assert_eq!(at(TimeDelta::days(29)), None);
        for days in [14, 7, 3, 1] {
            assert_eq!(at(TimeDelta::days(days)), Some(Stage::Within(days)));
            assert_eq!(at(TimeDelta(TimeDelta::days(days).0 - 1)), None);
        }
        assert_eq!(at(TimeDelta(0)), Some(Stage::Ended));
        assert_eq!(at(TimeDelta::days(-5)), None);
        assert_eq!(at(TimeDelta::days(90)), None, "renewed");
        assert_eq!(at(TimeDelta::days(2)), Some(Stage::Within(3)));
    }
}
