//! Counters in memory. Recording a request is three or four relaxed additions; nothing is locked.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use trapeza_domain::statistics::{BUCKETS, CallCounts, CallResult, Interface, MeasuredCall, bucket_of};

/// Counters of all calls, by their index.
#[derive(Default)]
pub(super) struct CallCounters([Counter; MeasuredCall::COUNT]);

/// Each on cache lines of its own, because different threads record different calls.
#[derive(Default)]
#[repr(align(128))]
struct Counter {
    requests: AtomicU64,
    errors: AtomicU64,
    micros_total: AtomicU64,
    /// Since it was last taken.
    micros_max: AtomicU64,
    buckets: [AtomicU64; BUCKETS],
}

impl CallCounters {
    pub(super) fn record(&self, call: MeasuredCall, result: CallResult, took: Duration) {
        let counter = &self.0[call.index()];
        counter.requests.fetch_add(1, Relaxed);
        match result {
            CallResult::Refused => {}
            CallResult::Failed => {
                counter.errors.fetch_add(1, Relaxed);
            }
            CallResult::Answered => {
                let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
                counter.micros_total.fetch_add(micros, Relaxed);
                counter.buckets[bucket_of(micros)].fetch_add(1, Relaxed);
                // Most responses are no maximum, and a load is cheaper than an exchange.
                if micros > counter.micros_max.load(Relaxed) {
                    counter.micros_max.fetch_max(micros, Relaxed);
                }
            }
        }
    }

    /// All counts since the start of the process, with the maxima since they were last taken.
    pub(super) fn take(&self) -> [CallCounts; MeasuredCall::COUNT] {
        std::array::from_fn(|index| {
            let counter = &self.0[index];
            CallCounts {
                requests: counter.requests.load(Relaxed),
                errors: counter.errors.load(Relaxed),
                micros_total: counter.micros_total.load(Relaxed),
                micros_max: counter.micros_max.swap(0, Relaxed),
                buckets: std::array::from_fn(|bucket| counter.buckets[bucket].load(Relaxed)),
            }
        })
    }

    /// Requests and errors of each interface since the start of the process.
    pub(super) fn totals(&self) -> [(u64, u64); Interface::ALL.len()] {
        let mut totals = [(0, 0); Interface::ALL.len()];
        for call in MeasuredCall::all() {
            let (counter, total) = (&self.0[call.index()], &mut totals[call.interface as usize]);
            // Errors first: a request that is counted between the two must not look like an error.
            total.1 += counter.errors.load(Relaxed);
            total.0 += counter.requests.load(Relaxed);
        }
        totals
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_domain::statistics::Service;

    const READ: MeasuredCall =
        MeasuredCall { interface: Interface::Dedicated, service: Service::AccountInformation };
    const SIGN_IN: MeasuredCall = MeasuredCall { interface: Interface::Customer, service: Service::Other };

    #[test]
    fn record_counts_requests_errors_and_times() {
        let counters = CallCounters::default();
        counters.record(READ, CallResult::Answered, Duration::from_micros(700));
        counters.record(READ, CallResult::Answered, Duration::from_micros(90));
        counters.record(READ, CallResult::Refused, Duration::from_secs(9));
        counters.record(READ, CallResult::Failed, Duration::from_secs(30));
        counters.record(SIGN_IN, CallResult::Answered, Duration::from_micros(10));
        let counts = counters.take();
        let read = counts[READ.index()];
        assert_eq!((read.requests, read.errors, read.timed()), (4, 1, 2));
        assert_eq!((read.micros_total, read.micros_max, read.buckets[..2].to_vec()), (790, 700, vec![1, 1]));
        assert_eq!(counters.totals(), [(4, 1), (1, 0)]);
    }

    #[test]
    fn take_resets_the_maximum_only() {
        let counters = CallCounters::default();
        counters.record(READ, CallResult::Answered, Duration::from_millis(5));
        counters.take();
        counters.record(READ, CallResult::Answered, Duration::from_millis(2));
        let read = counters.take()[READ.index()];
        assert_eq!((read.requests, read.micros_total, read.micros_max), (2, 7_000, 2_000));
    }
}
