//! `cargo xtask bench compare`: this version and the program of another one under the same load, in turn: balances, pages, payments
//! and baskets on SQLite.
//!
//! The order alternates, because a machine becomes slower and faster while it works. Ratios are those of the two runs of one round.

use super::figure::{format_thousandths, machine_load, median, per_thousand};
use super::program::Program;
use super::wrk::{self, Run};
use super::{TempDir, basket, build, payment, read};
use crate::process::{Outcome, step};
use std::fs;
use std::path::{Path, PathBuf};

/// A request to one of the two programs.
struct Request<'a> {
    program: &'a Program,
    path: String,
    headers: Vec<(String, String)>,
    /// The script of each round, for requests with an id of their own.
    script: Option<Box<dyn Fn(usize) -> Outcome<PathBuf> + 'a>>,
}

/// The runs of one kind of request, round by round.
struct Series {
    name: &'static str,
    ours: Vec<Run>,
    other: Vec<Run>,
}

pub fn run(other: &Path, quick: bool) -> Outcome {
    wrk::ensure_installed()?;
    let ours = step("dist build", || build("trapeza"))?;
    let temp_dir = TempDir::new("compare")?;
    let (rounds, seconds) = if quick { (3, 1) } else { (9, 2) };
    println!("before: {}", machine_load());
    let series = step("rounds", || compare(&ours, other, &temp_dir.0, rounds, seconds))?;
    println!("after: {}\n", machine_load());
    println!(
        "cargo xtask bench compare{} {}: medians of {rounds} rounds of {seconds} s; wrk with 32 connections on the same machine\n",
        if quick { " --quick" } else { "" },
        other.display()
    );
    println!(
        "{:<26} {:>10} {:>10} {:>20} {:>8} {:>9} {:>7}",
        "", "ours/s", "other/s", "ratio by rounds", "CPU µs", "other µs", "ratio"
    );
    for series in &series {
        println!("{}", series.row());
    }
    Ok(())
}

fn compare(ours: &Path, other: &Path, temp_dir: &Path, rounds: usize, seconds: u64) -> Outcome<Vec<Series>> {
    let directories = [temp_dir.join("ours"), temp_dir.join("other")];
    for directory in &directories {
        fs::create_dir_all(directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    }
    let mut series = Vec::new();

    let banks = [(ours, &directories[0]), (other, &directories[1])]
        .map(|(program, directory)| read::Bank::open(program, &directory.join("read"), read::SMALL));
    let [ours_bank, other_bank] = banks;
    let banks = [ours_bank?, other_bank?];
    for (name, path) in [("attended balances", "/balances"), ("page of 100 transactions", read::PAGE)] {
        let requests = banks.each_ref().map(|bank| Request {
            program: &bank.program,
            path: format!("{}{path}", bank.accounts[0]),
            headers: bank.measured_headers(),
            script: None,
        });
        series.push(Series::measure(name, &requests, rounds, seconds)?);
    }
    for bank in banks {
        bank.program.stop()?;
    }

    let banks = [
        payment::Bank::open(ours, &directories[0].join("payment"), None)?,
        payment::Bank::open(other, &directories[1].join("payment"), None)?,
    ];
    let requests = [0, 1].map(|number: usize| Request {
        program: &banks[number].program,
        path: payment::PATH.to_owned(),
        headers: Vec::new(),
        script: Some(Box::new({
            let (bank, directory) = (&banks[number], &directories[number]);
            move |round| payment::script(&bank.client, &bank.order, directory, round)
        })),
    });
    series.push(Series::measure("POST payment", &requests, rounds, seconds)?);
    drop(requests);
    let [ours_bank, other_bank] = banks;
    ours_bank.close(ours, None)?;
    other_bank.close(other, None)?;

    let shops = [
        basket::Shop::open(ours, &directories[0].join("basket"))?,
        basket::Shop::open(other, &directories[1].join("basket"))?,
    ];
    let requests = [0, 1].map(|number: usize| Request {
        program: &shops[number].program,
        path: basket::PATH.to_owned(),
        headers: shops[number].client.headers.clone(),
        script: Some(Box::new({
            let directory = &directories[number];
            move |round| basket::script(directory, round)
        })),
    });
    series.push(Series::measure("basket with its QR code", &requests, rounds, seconds)?);
    drop(requests);
    for shop in shops {
        shop.program.stop()?;
    }
    Ok(series)
}

impl Request<'_> {
    fn run(&self, round: usize, seconds: u64) -> Outcome<Run> {
        match &self.script {
            Some(script) => {
                wrk::run_script(self.program, &self.path, &self.headers, seconds, &script(round)?)
            }
            None => wrk::run(self.program, &self.path, &self.headers, seconds),
        }
    }
}

impl Series {
    fn measure(
        name: &'static str,
        [ours, other]: &[Request<'_>; 2],
        rounds: usize,
        seconds: u64,
    ) -> Outcome<Self> {
        let mut series = Self { name, ours: Vec::new(), other: Vec::new() };
        // The first round is not counted: statements are prepared and pages are read into caches.
        for round in 0..=rounds {
            let seconds = if round == 0 { 1 } else { seconds };
            let (ours, other) = if round % 2 == 0 {
                let ours = ours.run(round, seconds)?;
                (ours, other.run(round, seconds)?)
            } else {
                let other = other.run(round, seconds)?;
                (ours.run(round, seconds)?, other)
            };
            if round > 0 {
                series.ours.push(ours);
                series.other.push(other);
            }
        }
        Ok(series)
    }

    fn row(&self) -> String {
        let rate = |runs: &[Run]| median(runs.iter().map(|run| run.per_second));
        let processor = |runs: &[Run]| format_thousandths(median(runs.iter().map(|run| run.processor_nanos)));
        let by_rounds = |figure: fn(&Run) -> u64| {
            let mut ratios: Vec<u64> = self
                .ours
                .iter()
                .zip(&self.other)
                .map(|(ours, other)| per_thousand(figure(ours), figure(other)))
                .collect();
            ratios.sort_unstable();
            ratios
        };
        let (rates, processors) = (by_rounds(|run| run.per_second), by_rounds(|run| run.processor_nanos));
        let range = format!(
            "{} ({} to {})",
            hundredths(median(rates.iter().copied())),
            hundredths(rates.first().copied().unwrap_or_default()),
            hundredths(rates.last().copied().unwrap_or_default())
        );
        format!(
            "{:<26} {:>10} {:>10} {range:>20} {:>8} {:>9} {:>7}",
            self.name,
            rate(&self.ours),
            rate(&self.other),
            processor(&self.ours),
            processor(&self.other),
            hundredths(median(processors))
        )
    }
}

/// `1234` thousandths as `1.23`.
fn hundredths(thousandths: u64) -> String {
    let hundredths = (thousandths + 5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_the_rounds() {
        let run = |per_second, processor_nanos| Run { per_second, processor_nanos };
        let series = Series {
            name: "reads",
            ours: vec![run(90, 11_000), run(50, 20_000), run(99, 10_000)],
            other: vec![run(100, 10_000), run(50, 20_000), run(90, 10_000)],
        };
        let row = series.row();
        assert!(row.contains("1.00 (0.90 to 1.10)"), "{row}");
        assert!(row.ends_with("11.0      10.0    1.00"), "{row}");
    }

    #[test]
    fn thousandths_are_rounded_to_hundredths() {
        assert_eq!([0, 4, 5, 996, 1234].map(hundredths), ["0.00", "0.00", "0.01", "1.00", "1.23"]);
    }
}
