//! Samples of the page of statistics.

use super::rows;
use super::templates::StatisticsPage;
use crate::layout::Back;
use crate::samples::{Samples, layout};
use trapeza_app::statistics::QuarterReport;
use trapeza_domain::statistics::{
    BUCKETS, CallCounts, Downtime, Interface, InterfaceDay, Quarter, bucket_of,
};
use trapeza_domain::time::{Date, TimeDelta};
use trapeza_texts::page::{PageTexts, fill};

/// 31 December 2026.
const LAST: i32 = 20_818;

fn counts(requests: u64, errors: u64, average: u64, max: u64) -> CallCounts {
    let mut buckets = [0; BUCKETS];
    buckets[bucket_of(average)] = requests;
    CallCounts { requests, errors, micros_total: average * requests, micros_max: max, buckets }
}

/// Two days: one with requests, one without and with an outage.
pub fn report() -> QuarterReport {
    let quiet = [CallCounts::default(); 4];
    let busy = [
        counts(1000, 1, 250, 2_000),
        counts(1000, 2, 12_345, 40_000),
        counts(1000, 0, 250, 2_000),
        CallCounts::default(),
    ];
    let day = |day, interface, down, counts| InterfaceDay {
        day: Date(day),
        interface,
        measured: TimeDelta::days(1),
        downtime: Downtime { total: TimeDelta::seconds(down), after_stop: TimeDelta::seconds(down / 3) },
        counts,
    };
    let days = vec![
        day(LAST - 1, Interface::Dedicated, 0, busy),
        day(LAST - 1, Interface::Customer, 0, quiet),
        day(LAST, Interface::Dedicated, 30, quiet),
        day(LAST, Interface::Customer, 30, quiet),
    ];
    QuarterReport { quarter: Quarter::of(Date(LAST)), days }
}

impl Samples for StatisticsPage {
    fn samples(texts: &'static PageTexts) -> Vec<Self> {
        let report = report();
        let empty = QuarterReport { days: Vec::new(), ..report.clone() };
        let page = |report: &QuarterReport, others| Self {
            layout: layout(texts, texts.statistics.title),
            heading: fill(texts.statistics.quarter, "2026Q4"),
            rows: rows(texts, report),
            csv: "/statistics/2026Q4.csv".to_owned(),
            others,
        };
        let other = Back { href: "/statistics/2026Q3".to_owned(), label: "2026Q3".to_owned() };
        vec![page(&report, vec![other]), page(&empty, Vec::new())]
    }
}
