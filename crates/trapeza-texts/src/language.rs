//! The languages of the texts, and the choice of one for a reader.

/// The language of a text. Where the customer's language is not known, English is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    English,
    Greek,
}

impl Language {
    pub const ALL: [Self; 2] = [Self::English, Self::Greek];

    /// The language tag, as in the attribute `lang`.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Greek => "el",
        }
    }

    /// The language's name in itself.
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Greek => "Ελληνικά",
        }
    }

    /// The supported language that an `Accept-Language` header (RFC 9110) prefers; English by default.
    pub fn from_accept_language<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        Self::from_accept_language_among(values, &Self::ALL).unwrap_or_default()
    }

    /// The one of these languages that an `Accept-Language` header prefers.
    pub fn from_accept_language_among<'a>(
        values: impl IntoIterator<Item = &'a str>,
        offered: &[Self],
    ) -> Option<Self> {
        let mut best = (None, 0);
        for range in values.into_iter().flat_map(|value| value.split(',')) {
            let mut parts = range.split(';').map(str::trim);
            let tag = parts.next().unwrap_or_default();
            let Some(language) = Self::from_tag(tag).filter(|known| offered.contains(known)) else {
                continue;
            };
            let weight = parts.find_map(|part| part.strip_prefix("q=")).map_or(1000, thousandths);
            if weight > best.1 {
                best = (Some(language), weight);
            }
        }
        best.0
    }

    /// The language of a tag such as `el-GR`.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split('-').next().unwrap_or_default();
        Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(primary))
    }
}

/// A quality value between 0 and 1, in thousandths; 0 if it is malformed.
fn thousandths(text: &str) -> u32 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = part.chars().chain("000".chars()).take(3).collect();
    match (whole.parse::<u32>(), digits.parse::<u32>()) {
        (Ok(whole), Ok(part)) if whole <= 1 => whole * 1000 + part,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accept_language_selects_the_supported_language_with_the_highest_weight() {
        for (header, language) in [
            ("el-GR,el;q=0.9,en;q=0.8", Language::Greek),
            ("en-GB,el;q=0.9", Language::English),
            ("fr, EL;q=0.3, en;q=0.2", Language::Greek),
            ("el;q=0", Language::English),
            ("fr", Language::English),
            ("el;q=much", Language::English),
        ] {
            assert_eq!(Language::from_accept_language([header]), language, "{header}");
        }
        assert_eq!(Language::from_accept_language([]), Language::English);
    }
}
