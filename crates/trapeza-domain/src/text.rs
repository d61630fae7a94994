//! Characters that must not appear in texts which people read and decide by.

/// Whether a character is invisible: control characters, which not every database stores, and bidirectional controls.
pub fn is_control_or_bidi(letter: char) -> bool {
    letter.is_control() || is_bidi_control(letter)
}

/// Bidirectional controls change the order in which other characters are displayed.
const fn is_bidi_control(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::is_control_or_bidi;

    #[test]
    fn control_and_bidi_characters_are_detected() {
        assert!("\0\n\u{7}\u{85}\u{202e}\u{2066}\u{61c}".chars().all(is_control_or_bidi));
        assert!(!"Βιβλίο – crème brûlée 5 €".chars().any(is_control_or_bidi));
    }
}
