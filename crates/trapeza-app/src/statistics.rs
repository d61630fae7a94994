//! Statistics of the interfaces: requests are counted in memory and stored every minute; every few seconds the process reports
//! that it serves. `docs/statistics.md` describes the method and its limits.
//!
//! A process stores absolute values under an id of its own, so that a repeated write counts nothing twice. Requests that were counted
//! after the last write are lost when the process is killed: at most a minute of them.

mod counters;
mod report;

pub use report::QuarterReport;

use crate::{App, UseCaseError};
use counters::CallCounters;
use report::ReportCache;
use std::time::Duration;
use tokio::sync::Mutex;
use trapeza_domain::statistics::{
    AvailabilityTracker, CallCounts, CallResult, Interface, MeasuredCall, ServingPeriod,
};
use trapeza_domain::time::{Date, Timestamp};
use uuid::Uuid;

/// The counts of this process, by the index of the call.
type AllCounts = [CallCounts; MeasuredCall::COUNT];

/// The statistics of this process, and a cache of reports.
#[derive(Default)]
pub(crate) struct Statistics {
    counters: CallCounters,
    /// One flush at a time: the values of an older one must not overwrite those of a newer one.
    flushed: Mutex<FlushState>,
    availability: Mutex<[AvailabilityTracker; Interface::ALL.len()]>,
    reports: ReportCache,
}

#[derive(Default)]
struct FlushState {
    /// The day to which requests are counted; `None` before the first flush.
    day: Option<Date>,
    /// The counters when the day began.
    at_start: AllCounts,
    /// The longest response times of the day.
    micros_max: [u64; MeasuredCall::COUNT],
    /// What was stored last.
    stored: AllCounts,
}

impl FlushState {
    /// What was counted on the current day.
    fn of_day(&mut self, counts: &AllCounts) -> AllCounts {
        let mut own = *counts;
        for ((own, at_start), max) in own.iter_mut().zip(&self.at_start).zip(&mut self.micros_max) {
            *max = (*max).max(own.micros_max);
            *own = CallCounts { micros_max: *max, ..own.since(at_start) };
        }
        own
    }
}

impl App {
    /// Counts a request. This is on the path of every request and only adds to counters.
    pub fn call_record(&self, call: MeasuredCall, result: CallResult, took: Duration) {
        self.statistics.counters.record(call, result, took);
    }

    /// Stores the counts of this process. Requests since the last flush belong to the day of that flush: up to a minute of them may be
    /// counted to the day before.
    pub async fn call_counts_flush(&self) -> Result<(), UseCaseError> {
        let today = self.clock.today();
        let mut state = self.statistics.flushed.lock().await;
        let day = *state.day.get_or_insert(today);
        let counts = self.statistics.counters.take();
        let own = state.of_day(&counts);
        if own != state.stored {
            let (process, changed) = (self.process_id(), changed(&own, &state.stored));
            let job = self.store.write_background(move |tx| {
                for (call, counts) in &changed {
                    tx.call_count_save(process, day, *call, counts)?;
                }
                Ok(())
            });
            job.await?;
            state.stored = own;
        }
        if day != today {
            *state = FlushState { day: Some(today), at_start: counts, ..FlushState::default() };
        }
        Ok(())
    }

    /// Reports that this process serves both interfaces now.
    pub async fn serving_report(&self) -> Result<(), UseCaseError> {
        let now = self.now();
        let counts = self.statistics.counters.totals();
        let mut trackers = self.statistics.availability.lock().await;
        let mut next = trackers.clone();
        let mut periods = Vec::new();
        for (interface, tracker) in Interface::ALL.iter().zip(&mut next) {
            let (requests, errors) = counts[*interface as usize];
            periods.extend(tracker.report(now, requests, errors).map(|period| (*interface, period)));
        }
        self.serving_periods_save(periods).await?;
        // Without the write the time counts as downtime, because requests could not be written either.
        *trackers = next;
        Ok(())
    }

    /// Records an orderly stop of this process.
    pub async fn serving_stop(&self, at: Timestamp) -> Result<(), UseCaseError> {
        let mut trackers = self.statistics.availability.lock().await;
        let stopped = Interface::ALL.iter().zip(trackers.iter_mut());
        let periods = stopped.filter_map(|(interface, tracker)| Some((*interface, tracker.stop(at)?)));
        self.serving_periods_save(periods.collect()).await
    }

    async fn serving_periods_save(
        &self,
        periods: Vec<(Interface, ServingPeriod)>,
    ) -> Result<(), UseCaseError> {
        let process = self.process_id();
        if periods.is_empty() {
            return Ok(());
        }
        let job = self.store.write_background(move |tx| {
            for (interface, period) in &periods {
                tx.serving_period_save(process, *interface, period)?;
            }
            Ok(())
        });
        job.await
    }

    pub(crate) fn process_id(&self) -> Uuid {
        *self.process_id.get_or_init(|| self.entropy.uuid())
    }
}

/// The counts that differ from what is stored.
fn changed(own: &AllCounts, stored: &AllCounts) -> Vec<(MeasuredCall, CallCounts)> {
    let all = MeasuredCall::all().zip(own).zip(stored);
    all.filter(|((_, own), stored)| own != stored).map(|((call, own), _)| (call, *own)).collect()
}
