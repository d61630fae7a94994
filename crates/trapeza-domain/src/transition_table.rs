//! Transition tables: every command in every state as a markdown table, computed by the state machines themselves.

use crate::refusal::Refusal;

/// A table with a row per state and a column per command (and, where it matters, one for expiry).
pub(crate) fn markdown<'a>(
    columns: impl IntoIterator<Item = &'a str>,
    rows: impl IntoIterator<Item = (String, Vec<String>)>,
) -> String {
    let columns: Vec<&str> = columns.into_iter().collect();
    let mut table = format!("| state | {} |\n|---|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
    for (state, cells) in rows {
        table.push_str(&format!("| {state} | {} |\n", cells.join(" | ")));
    }
    table
}

pub(crate) fn refused(refusal: &Refusal) -> String {
    format!("refused: {:?}", refusal.reason)
}
