//! `trapeza config check`: the settings as they come out, then all that production would refuse.

use crate::cli::BankArgs;
use crate::config::production_problems;
use std::fmt::Write;

/// The text for the terminal, and whether production would start.
pub fn run(bank: &BankArgs) -> (String, bool) {
    let effective = match bank.sources().load() {
        Ok(effective) => effective,
        Err(problem) => return (format!("{problem}\n"), false),
    };
    let problems = production_problems(&effective.config);
    let mut text = effective.to_string();
    for error in &problems {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n# production refuses: {error}");
    }
    text.push_str(if problems.is_empty() { "\n# fit for production\n" } else { "\n" });
    (text, problems.is_empty())
}
