//! Letters that people do not see. What they say and how long a text may be is known elsewhere.

/// Whether a letter has no place in a text that somebody reads and decides by: control characters, which no database
/// is sure to keep, and those that change the order in which others are shown.
pub fn is_control_or_bidi(letter: char) -> bool {
    letter.is_control() || is_bidi_control(letter)
}

/// Unseen characters that change the order in which others are shown: the customer has to read what is paid as it is.
const fn is_bidi_control(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::is_control_or_bidi;

    #[test]
    fn what_turns_text_or_rings_a_bell_is_unseen() {
        assert!("\0\n\u{7}\u{85}\u{202e}\u{2066}\u{61c}".chars().all(is_control_or_bidi));
        assert!(!"Βιβλίο – crème brûlée 5 €".chars().any(is_control_or_bidi));
    }
}
