//! Texts as the fonts can show them, broken into lines.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::decompose_compatible;

use crate::font::Weight;

/// The text in characters that the fonts have. Others become their letters without accents, or else the replacement character.
pub(crate) fn showable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let face = Weight::Regular.face();
    for character in text.nfc() {
        if character.is_whitespace() && !matches!(character, '\u{A0}' | '\u{202F}') {
            shown.push(' ');
        } else if face.glyph(character).is_some() {
            shown.push(character);
        } else if !character.is_control() {
            let before = shown.len();
            decompose_compatible(character, |part| {
                if face.glyph(part).is_some() {
                    shown.push(part);
                }
            });
            if shown.len() == before && !is_invisible(character) {
                shown.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }
    shown
}

/// Marks that have no width, and joiners, show nothing themselves.
fn is_invisible(character: char) -> bool {
    unicode_normalization::char::is_combining_mark(character)
        || matches!(character, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

/// Breaks a text into lines no wider than `width`. A word that is wider than a line is broken inside. Every line but the last ends
/// with a space, so that extracted text has one between its words.
pub(crate) fn lines(text: &str, weight: Weight, size: i32, width: i32) -> Vec<String> {
    let face = weight.face();
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in showable(text).split(' ').filter(|word| !word.is_empty()) {
        let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if face.width(&joined, size) <= width {
            line = joined;
            continue;
        }
        if !line.is_empty() {
            lines.push(format!("{line} "));
            line.clear();
        }
        for character in word.chars() {
            line.push(character);
            if face.width(&line, size) > width && line.chars().count() > 1 {
                line.pop();
                lines.push(std::mem::take(&mut line));
                line.push(character);
            }
        }
    }
    lines.push(if line.is_empty() { " ".to_owned() } else { line });
    lines
}

/// The width of the widest word and of the whole text on one line.
pub(crate) fn extent(text: &str, weight: Weight, size: i32) -> (i32, i32) {
    let shown = showable(text);
    let face = weight.face();
    let widest = shown.split(' ').map(|word| face.width(word, size)).max().unwrap_or(0);
    (widest, face.width(&shown, size))
}
