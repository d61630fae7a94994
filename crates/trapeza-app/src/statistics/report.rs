//! The figures of a quarter, from what all processes have stored. Only complete days are reported.

use super::AllCounts;
use crate::{App, UseCaseError, Zone};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use trapeza_domain::refusal::{Refusal, RefusalReason};
use trapeza_domain::statistics::{
    CallCounts, Interface, InterfaceDay, MeasuredCall, Quarter, Service, downtime,
};
use trapeza_domain::time::{Date, Timestamp};
use trapeza_store::{StoreError, Tx};

/// How long a report is cached: it is public, and it changes once a day.
const CACHE_TTL: Duration = Duration::from_secs(60);

/// The figures of a quarter: for each complete day the dedicated interface, then that of the customers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarterReport {
    pub quarter: Quarter,
    pub days: Vec<InterfaceDay>,
}

/// The reports of this minute, by quarter and by the day on which they were made.
#[derive(Default)]
pub(super) struct ReportCache(Mutex<HashMap<(Quarter, Date), CachedReport>>);

struct CachedReport {
    made_at: Instant,
    report: Arc<QuarterReport>,
}

impl ReportCache {
    fn find(&self, key: (Quarter, Date)) -> Option<Arc<QuarterReport>> {
        let mut reports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reports.retain(|_, cached| cached.made_at.elapsed() < CACHE_TTL);
        reports.get(&key).map(|cached| cached.report.clone())
    }

    fn insert(&self, key: (Quarter, Date), report: Arc<QuarterReport>) {
        let mut reports = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reports.insert(key, CachedReport { made_at: Instant::now(), report });
    }

    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl App {
    /// The quarters with figures, the newest first; the current one is always among them.
    pub async fn statistics_quarters(&self) -> Result<Vec<Quarter>, UseCaseError> {
        let current = Quarter::of(self.clock.today());
        let first = self.store.read(|tx| Ok(tx.serving_period_first()?)).await?;
        let first = first.map_or(current, |first| Quarter::of(self.clock.zone().day(first)));
        let all = std::iter::successors(Some(current), |quarter| Some(quarter.previous()));
        Ok(all.take_while(|quarter| *quarter >= first.min(current)).collect())
    }

    /// The figures of a quarter. Refuses one without figures.
    pub async fn statistics_report(&self, quarter: Quarter) -> Result<Arc<QuarterReport>, UseCaseError> {
        let key = (quarter, self.clock.today());
        if let Some(report) = self.statistics.reports.find(key) {
            return Ok(report);
        }
        let quarters = self.statistics_quarters().await?;
        if !quarters.contains(&quarter) {
            let text = match quarters.last() {
                Some(first) if quarter < *first => format!("there are no figures before {first}"),
                _ => format!("{quarter} has not begun"),
            };
            return Err(Refusal::new(RefusalReason::ResourceUnknown, text).into());
        }
        let (zone, today) = (self.clock.zone().clone(), key.1);
        let report = self.store.read(move |tx| Ok(report(tx, &zone, quarter, today)?)).await?;
        let report = Arc::new(report);
        self.statistics.reports.insert(key, report.clone());
        Ok(report)
    }

    /// The same with all requests up to now that this process has counted, and not from the cache.
    pub async fn statistics_report_current(
        &self,
        quarter: Quarter,
    ) -> Result<Arc<QuarterReport>, UseCaseError> {
        self.call_counts_flush().await?;
        self.statistics.reports.clear();
        self.statistics_report(quarter).await
    }
}

fn report(tx: &mut Tx<'_>, zone: &Zone, quarter: Quarter, today: Date) -> Result<QuarterReport, StoreError> {
    let Some(first_start) = tx.serving_period_first()? else {
        return Ok(QuarterReport { quarter, days: Vec::new() });
    };
    let first = quarter.first_day().max(zone.day(first_start));
    let last = quarter.last_day().min(Date(today.0 - 1));
    if first > last {
        return Ok(QuarterReport { quarter, days: Vec::new() });
    }
    let counts = counts_by_day(tx, first, last)?;
    let (from, to) = (zone.start_of(first), start_of_next(zone, last));
    let mut days = Vec::new();
    for interface in Interface::ALL {
        let periods = tx.serving_period_list(*interface, from, to)?;
        for day in (first.0..=last.0).map(Date) {
            let (start, end) = (zone.start_of(day).max(first_start), start_of_next(zone, day));
            let of_day = counts.get(&day).copied().unwrap_or_default();
            let of_service =
                |service: &Service| of_day[MeasuredCall { interface: *interface, service: *service }.index()];
            let mut counts = [CallCounts::default(); Service::ALL.len()];
            for (counts, service) in counts.iter_mut().zip(Service::ALL) {
                *counts = of_service(service);
            }
            days.push(InterfaceDay {
                day,
                interface: *interface,
                measured: end.since(start),
                downtime: downtime(&periods, start, end),
                counts,
            });
        }
    }
    days.sort_by_key(|one| (one.day, one.interface));
    Ok(QuarterReport { quarter, days })
}

/// The sums over all processes.
fn counts_by_day(tx: &mut Tx<'_>, first: Date, last: Date) -> Result<HashMap<Date, AllCounts>, StoreError> {
    let mut days: HashMap<Date, AllCounts> = HashMap::new();
    for (day, call, counts) in tx.call_count_list(first, last)? {
        days.entry(day).or_default()[call.index()].add(&counts);
    }
    Ok(days)
}

fn start_of_next(zone: &Zone, day: Date) -> Timestamp {
    zone.start_of(Date(day.0 + 1))
}
