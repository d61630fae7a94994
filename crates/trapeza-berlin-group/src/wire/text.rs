//! Texts and ids in the lengths of the standard.

use uuid::Uuid;

/// At most this many characters of a text.
pub fn cut(text: &str, max: usize) -> &str {
    // A text has at least as many bytes as characters.
    if text.len() <= max {
        return text;
    }
    text.char_indices().nth(max).map_or(text, |(end, _)| &text[..end])
}

/// An id for a field of 35 characters: a UUID without its hyphens.
pub fn short_id(id: Uuid) -> String {
    id.simple().to_string()
}

/// An id of either form, with hyphens; any other text as it is.
pub fn long_id(text: &str) -> String {
    Uuid::try_parse(text).map_or_else(|_| text.to_owned(), |id| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_counts_characters() {
        assert_eq!(cut("Ευρώ", 2), "Ευ");
        assert_eq!(cut("Ευρώ", 4), "Ευρώ");
    }

    #[test]
    fn id_is_read_in_both_forms() {
        let id = Uuid::from_u128(7);
        assert_eq!(short_id(id).len(), 32);
        assert_eq!(long_id(&short_id(id)), id.to_string());
        assert_eq!(long_id(&id.to_string()), id.to_string());
        assert_eq!(long_id("unknown"), "unknown");
    }
}
