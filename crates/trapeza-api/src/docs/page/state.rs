//! The state machines as pictures, drawn from the transition tables.
//!
//! A state is a box; to its right are its commands, one per line. A line runs from the command to the vertical line of the state that it
//! leads to, and an arrow from there into that state. Colours come from the style, so that a picture is light or dark as the page is.

use super::layout::{Layout, STATES};
use crate::docs::DocVariant;
use askama::Template;
use trapeza_domain::{authorisation, basket, callback, consent, loan, payment};

#[derive(Template)]
#[template(path = "docs_states.html")]
struct StatePage {
    layout: Layout,
    pictures: Vec<Picture>,
}

struct Picture {
    id: &'static str,
    name: &'static str,
    about: &'static str,
    width: usize,
    height: usize,
    boxes: Vec<StateBox>,
    lanes: Vec<Lane>,
}

/// A state at its place.
struct StateBox {
    name: String,
    y: usize,
    height: usize,
    commands: Vec<CommandLine>,
}

/// Commands that lead from a state to another one.
struct CommandLine {
    label: String,
    target: String,
    y: usize,
    lane_x: usize,
}

/// The vertical line to a state.
struct Lane {
    x: usize,
    top: usize,
    bottom: usize,
    target_y: usize,
}

const LINE: usize = 22;
const GAP: usize = 14;
const BOX_WIDTH: usize = 278;
const CHARACTER: usize = 7;
const LANE: usize = 14;

pub fn page(variant: &DocVariant) -> String {
    let machines = [
        ("consent", "Consent", "Access consents and funds consents.", consent::transition_table()),
        (
            "authorisation",
            "Authorisation",
            "Strong customer authentication.",
            authorisation::transition_table(),
        ),
        ("payment", "Payment", "Internal transfers and SEPA credit transfers.", payment::transition_table()),
        ("basket", "Basket", "What a merchant wants to have financed.", basket::transition_table()),
        ("loan", "Loan", "What was granted.", loan::transition_table()),
        ("callback", "Callback", "The delivery of a webhook.", callback::transition_table()),
    ];
    let pictures = machines.map(|(id, name, about, table)| picture(id, name, about, &table));
    let page = StatePage { layout: Layout::new(variant, "States", STATES), pictures: pictures.into() };
    page.render().expect("the template writes into a String, which cannot fail")
}

/// A state with the commands that change it: each with the state that it leads to.
type Row = (String, Vec<(String, String)>);

/// The transitions of a table in Markdown. Refused commands, and commands without effect, are left out; the parts of a state
/// (`started: opened`) are one.
fn transitions(table: &str) -> Vec<Row> {
    let mut lines = table.lines().map(cells);
    let commands = lines.next().unwrap_or_default();
    let mut rows: Vec<Row> = Vec::new();
    for row in lines.skip(1) {
        let state = row.first().map(|name| whole_state(name)).unwrap_or_default();
        if !rows.iter().any(|(known, _)| *known == state) {
            rows.push((state.clone(), Vec::new()));
        }
        let Some((_, targets)) = rows.iter_mut().find(|(known, _)| *known == state) else { continue };
        for (command, cell) in commands.iter().zip(&row).skip(1) {
            let Some((target, _)) = cell.split_once(" (") else { continue };
            match targets.iter_mut().find(|(_, known)| known == target) {
                Some((label, _)) if label.split(LIST).any(|known| known == command) => {}
                Some((label, _)) => *label = format!("{label}{LIST}{command}"),
                None => targets.push((command.clone(), target.to_owned())),
            }
        }
    }
    rows
}

/// Separates the commands of a label.
const LIST: &str = " · ";

fn cells(line: &str) -> Vec<String> {
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

fn whole_state(name: &str) -> String {
    name.split(": ").next().unwrap_or(name).to_owned()
}

fn picture(id: &'static str, name: &'static str, about: &'static str, table: &str) -> Picture {
    let rows = transitions(table);
    let targets: Vec<&String> =
        rows.iter().map(|(state, _)| state).filter(|state| leads_to(&rows, state)).collect();
    let longest =
        rows.iter().flat_map(|(_, commands)| commands).map(|(label, _)| label.chars().count()).max();
    let lanes_x = BOX_WIDTH + 24 + longest.unwrap_or(0) * CHARACTER;
    let lane_x = |target: &str| lanes_x + targets.iter().position(|one| *one == target).unwrap_or(0) * LANE;
    let mut boxes = Vec::new();
    let mut y = 4;
    for (state, commands) in &rows {
        // The first line is that of the arrow into the state.
        let height = (commands.len() + 1) * LINE + 8;
        let line = |(number, (label, target)): (usize, &(String, String))| CommandLine {
            label: label.clone(),
            target: target.clone(),
            y: y + (number + 1) * LINE + LINE / 2 + 4,
            lane_x: lane_x(target),
        };
        let commands = commands.iter().enumerate().map(line).collect();
        boxes.push(StateBox { name: state.clone(), y, height, commands });
        y += height + GAP;
    }
    let lanes = targets.iter().map(|target| lane(&boxes, target, lane_x(target))).collect();
    Picture { id, name, about, width: lanes_x + targets.len() * LANE + 8, height: y, boxes, lanes }
}

fn leads_to(rows: &[Row], state: &str) -> bool {
    rows.iter().flat_map(|(_, commands)| commands).any(|(_, target)| target == state)
}

fn lane(boxes: &[StateBox], target: &str, x: usize) -> Lane {
    let target_y = boxes.iter().find(|one| one.name == target).map_or(0, |one| one.y + LINE / 2 + 4);
    let sources = boxes.iter().flat_map(|one| &one.commands).filter(|line| line.target == target);
    let (top, bottom) =
        sources.fold((target_y, target_y), |(top, bottom), line| (top.min(line.y), bottom.max(line.y)));
    Lane { x, top, bottom, target_y }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picture_has_every_transition_of_the_table() {
        let rows = transitions(&consent::transition_table());
        let received = &rows[0];
        assert_eq!(received.0, "received");
        let labels: Vec<String> =
            received.1.iter().map(|(label, target)| format!("{label} → {target}")).collect();
        assert_eq!(
            labels,
            ["authorise → valid", "reject → rejected", "expire → expired", "terminate → terminatedByTpp"]
        );
    }

    #[test]
    fn every_command_with_an_event_is_drawn() {
        for table in [
            consent::transition_table(),
            authorisation::transition_table(),
            payment::transition_table(),
            basket::transition_table(),
            loan::transition_table(),
            callback::transition_table(),
        ] {
            let rows = transitions(&table);
            let commands = cells(table.lines().next().unwrap());
            for row in table.lines().skip(2).map(cells) {
                let (_, drawn) = rows.iter().find(|(state, _)| *state == whole_state(&row[0])).unwrap();
                for (command, cell) in commands.iter().zip(&row).skip(1) {
                    let Some((target, _)) = cell.split_once(" (") else { continue };
                    let is_drawn = |(label, to): &(String, String)| {
                        to == target && label.split(LIST).any(|one| one == command)
                    };
                    assert!(drawn.iter().any(is_drawn), "{} {command} {target}", row[0]);
                    assert!(rows.iter().any(|(state, _)| state == target), "{target} has no box");
                }
            }
        }
    }
}
