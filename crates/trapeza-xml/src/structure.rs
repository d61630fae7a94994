//! Checks the structure of a document against a table of the sequences that a schema prescribes: elements, their order, which are
//! mandatory, their lengths and formats. Tests use it with tables that are written from the schemas, independently of the code that
//! writes the messages.

use crate::{Element, parse};

/// What a schema prescribes, a line for each element: the element, then its children in order. `!` is mandatory, `*` may repeat. A
/// number is a maximum length, a word a format. An element that has different children below different parents is written with its
/// parent, `Parent/Element`.
#[derive(Clone, Copy, Debug)]
pub struct Structure<'a> {
    pub namespace: &'a str,
    pub sequences: &'a str,
}

impl Structure<'_> {
    /// The violations of a message.
    pub fn problems(&self, text: &str) -> Vec<String> {
        let Ok(document) = parse(text.as_bytes()) else { return vec!["not XML".to_owned()] };
        let namespace = document.attribute("xmlns").unwrap_or_default();
        let kind = namespace.strip_prefix(self.namespace).unwrap_or("?");
        let mut problems = Vec::new();
        self.check(&document, kind, "", &mut problems);
        problems
    }

    fn check(&self, element: &Element, rule: &str, parent: &str, problems: &mut Vec<String>) {
        let both = format!("{parent}/{rule}");
        let found = [both.as_str(), rule].into_iter().find_map(|key| {
            self.sequences.lines().find_map(|line| line.split_once(" = ").filter(|(name, _)| *name == key))
        });
        let Some((_, sequence)) = found else {
            return problems.push(format!("{both}: not in the table"));
        };
        let slots: Vec<(&str, &str)> = sequence
            .split(' ')
            .map(|slot| slot.split_at(slot.find(['!', '*', ':']).unwrap_or(slot.len())))
            .collect();
        let mut at = 0;
        for child in &element.children {
            match slots[at..].iter().position(|(name, _)| *name == child.name) {
                Some(ahead) => at += ahead,
                None => problems.push(format!("{rule}/{}: out of place or unknown", child.name)),
            }
            let Some((_, marks)) = slots.get(at) else { continue };
            let form = marks.trim_start_matches(['!', '*', ':']);
            match form.is_empty() {
                true => self.check(child, &child.name, rule, problems),
                false if !fits(child, form) => problems.push(format!("{rule}/{}: not a {form}", child.name)),
                false => {}
            }
            at += usize::from(!marks.contains('*'));
        }
        for (name, marks) in slots {
            if marks.starts_with('!') && element.find(name).is_none() {
                problems.push(format!("{rule}/{name}: missing"));
            }
        }
    }
}

fn fits(element: &Element, form: &str) -> bool {
    let (text, length) = (element.text.as_str(), element.text.chars().count());
    let all = |allowed: fn(u8) -> bool| text.bytes().all(allowed);
    match form {
        "time" => {
            let (start, fraction) = text.split_at_checked(19).unwrap_or_default();
            let fraction = fraction.strip_suffix('Z').unwrap_or("?");
            has_form(start, "0000-00-00T00:00:00")
                && fraction.bytes().all(|b| b == b'.' || b.is_ascii_digit())
        }
        "date" => has_form(text, "0000-00-00"),
        "number" => (1..=15).contains(&length) && all(|b| b.is_ascii_digit()),
        "amount" => {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
            let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
            let currency = element.attribute("Ccy").is_some_and(|code| code.len() == 3);
            currency && digits(whole) && digits(fraction) && fraction.len() <= 5 && length <= 19
        }
        "method" => ["INDA", "INGA", "COVE", "CLRG"].contains(&text),
        "bearer" => ["DEBT", "CRED", "SHAR", "SLEV"].contains(&text),
        "sign" => ["CRDT", "DBIT"].contains(&text),
        "entry" => ["BOOK", "PDNG", "INFO"].contains(&text),
        "flag" => ["true", "false"].contains(&text),
        "rate" => length <= 12 && all(|b| b == b'.' || b.is_ascii_digit()),
        "country" => length == 2 && all(|b| b.is_ascii_uppercase()),
        "iban" => length <= 34 && text.bytes().take(2).all(|b| b.is_ascii_uppercase()),
        "bic" => matches!(length, 8 | 11) && all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()),
        "uetr" => {
            length == 36
                && text.get(14..15) == Some("4")
                && text.get(19..20).is_some_and(|v| "89ab".contains(v))
        }
        max => max.parse::<usize>().is_ok_and(|max| (1..=max).contains(&length)),
    }
}

/// Whether a text has a digit where the form has one, and otherwise the same characters.
fn has_form(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(byte, place)| match place {
            b'0' => byte.is_ascii_digit(),
            other => byte == other,
        })
}
