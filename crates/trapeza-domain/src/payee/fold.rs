//! Names made plain: lower case, no accents, Latin letters, no punctuation, no titles, no legal forms. The tables are
//! those of names in Europe; a letter that is in none of them stays as it is.

/// Words before a name that are not of it.
const TITLES: &[&str] = &[
    "mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "mme", "mlle", "sir", "k", "kos", "ka",
    "kyrios", "kyria",
];

/// What a company is, not what it is called. Greek ones as their letters come out in Latin.
const LEGAL_FORMS: &[&str] = &[
    "ae", "sa", "gmbh", "ag", "kg", "ug", "ltd", "limited", "llc", "plc", "inc", "bv", "nv", "srl", "spa",
    "sarl", "sas", "oe", "ee", "epe", "ike", "mike", "mepe", "co",
];

/// The words of a name. `wide` writes umlauts with an e, as those do who cannot write them.
pub(super) fn plain_words(name: &str, wide: bool) -> Vec<String> {
    let lower: Vec<char> = name.chars().flat_map(char::to_lowercase).collect();
    let mut letters = String::new();
    let mut at = 0;
    while at < lower.len() {
        let (latin, used) = greek(&lower, at).unwrap_or_else(|| (latin(lower[at], wide), 1));
        letters.push_str(&latin);
        at += used;
    }
    let words: Vec<String> = letters.split_whitespace().flat_map(undotted).collect();
    without(without(words, LEGAL_FORMS), TITLES)
}

/// `s.a.` is one word, `dr.smith` are two.
fn undotted(word: &str) -> Vec<String> {
    let parts: Vec<&str> = word.split('.').filter(|part| !part.is_empty()).collect();
    if parts.iter().all(|part| part.chars().count() == 1) && !parts.is_empty() {
        return vec![parts.concat()];
    }
    parts.into_iter().map(str::to_owned).collect()
}

/// Drops these words, unless nothing would be left.
fn without(words: Vec<String>, dropped: &[&str]) -> Vec<String> {
    let kept: Vec<String> = words.iter().filter(|word| !dropped.contains(&word.as_str())).cloned().collect();
    if kept.is_empty() { words } else { kept }
}

/// A Greek letter, or two that are one sound, in Latin (ELOT 743); and how many were read.
fn greek(text: &[char], at: usize) -> Option<(String, usize)> {
    let bare = |at: usize| text.get(at).copied().map(bare_greek);
    let first = bare(at)?;
    if let Some(second) = bare(at + 1) {
        let starts = at == 0 || !text[at - 1].is_alphabetic();
        let pair = match (first, second) {
            ('ο', 'υ') => Some("ou"),
            ('α', 'υ') => Some(if is_voiceless(bare(at + 2)) { "af" } else { "av" }),
            ('ε', 'υ') => Some(if is_voiceless(bare(at + 2)) { "ef" } else { "ev" }),
            ('μ', 'π') if starts => Some("b"),
            ('γ', 'γ') => Some("ng"),
            ('γ', 'ξ') => Some("nx"),
            ('γ', 'χ') => Some("nch"),
            _ => None,
        };
        if let Some(pair) = pair {
            return Some((pair.to_owned(), 2));
        }
    }
    let single = match first {
        'α' => "a",
        'β' => "v",
        'γ' => "g",
        'δ' => "d",
        'ε' => "e",
        'ζ' => "z",
        'η' | 'ι' => "i",
        'θ' => "th",
        'κ' => "k",
        'λ' => "l",
        'μ' => "m",
        'ν' => "n",
        'ξ' => "x",
        'ο' | 'ω' => "o",
        'π' => "p",
        'ρ' => "r",
        'σ' => "s",
        'τ' => "t",
        'υ' | 'ϋ' => "y",
        'φ' => "f",
        'χ' => "ch",
        'ψ' => "ps",
        _ => return None,
    };
    Some((single.to_owned(), 1))
}

/// Without its accent. An upsilon with its dots stays apart from the letter before it.
fn bare_greek(letter: char) -> char {
    match letter {
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' => 'υ',
        'ΰ' => 'ϋ',
        'ώ' => 'ω',
        'ς' => 'σ',
        other => other,
    }
}

/// Before these, and at the end of a word, an upsilon sounds like an f.
fn is_voiceless(next: Option<char>) -> bool {
    next.is_none_or(|next| !next.is_alphabetic() || "θκξπστφχψ".contains(next))
}

/// A letter without its accents; marks that join words are spaces, those inside a word are nothing.
fn latin(letter: char, wide: bool) -> String {
    let plain = match letter {
        'ä' if wide => "ae",
        'ö' if wide => "oe",
        'ü' if wide => "ue",
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' | 'ă' | 'ą' => "a",
        'æ' => "ae",
        'ç' | 'ć' | 'č' | 'ĉ' | 'ċ' => "c",
        'ď' | 'đ' | 'ð' => "d",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => "e",
        'ğ' | 'ģ' | 'ġ' => "g",
        'ħ' => "h",
        'ì' | 'í' | 'î' | 'ï' | 'ī' | 'į' | 'ı' => "i",
        'ķ' => "k",
        'ł' | 'ľ' | 'ļ' | 'ĺ' => "l",
        'ñ' | 'ń' | 'ň' | 'ņ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ō' | 'ő' => "o",
        'ø' | 'œ' => "oe",
        'ŕ' | 'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ţ' | 'ț' => "t",
        'þ' => "th",
        'ù' | 'ú' | 'û' | 'ü' | 'ū' | 'ů' | 'ű' | 'ų' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        '\'' | '’' | '`' | '´' | '\u{300}'..='\u{36f}' => "",
        '.' => ".",
        other if other.is_alphanumeric() => return other.to_string(),
        _ => " ",
    };
    plain.to_owned()
}
