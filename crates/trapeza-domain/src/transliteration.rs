//! Transliteration of European letters to basic Latin, lower case only. `alternatives` has all usual spellings of a letter; the
//! other functions choose one.

mod alternatives;

pub(crate) use alternatives::alternatives;

/// Transliterates a Greek letter or digraph (ELOT 743); also returns how many letters were consumed.
pub(crate) fn transliterate_greek(text: &[char], at: usize) -> Option<(String, usize)> {
    let letter_at = |at: usize| text.get(at).copied().map(strip_greek_accent);
    let first = letter_at(at)?;
    if let Some(second) = letter_at(at + 1) {
        let is_word_start = at == 0 || !text[at - 1].is_alphabetic();
        let pair = match (first, second) {
            ('ο', 'υ') => Some("ou"),
            ('α', 'υ') => Some(if is_voiceless(letter_at(at + 2)) { "af" } else { "av" }),
            ('ε', 'υ') => Some(if is_voiceless(letter_at(at + 2)) { "ef" } else { "ev" }),
            ('μ', 'π') if is_word_start => Some("b"),
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

/// Removes the accent. An upsilon with diaeresis does not form a digraph.
fn strip_greek_accent(letter: char) -> char {
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

/// Before a voiceless consonant and at the end of a word, upsilon is transliterated as f.
fn is_voiceless(next: Option<char>) -> bool {
    next.is_none_or(|next| !next.is_alphabetic() || "θκξπστφχψ".contains(next))
}

/// Transliterates a Cyrillic letter by the Bulgarian law, which EPC217-08 follows.
pub(crate) const fn transliterate_cyrillic(letter: char) -> Option<&'static str> {
    Some(match letter {
        'а' | 'ъ' => "a",
        'б' => "b",
        'в' => "v",
        'г' | 'ґ' => "g",
        'д' => "d",
        'е' | 'э' | 'ё' | 'є' => "e",
        'ж' => "zh",
        'з' => "z",
        'и' | 'ѝ' | 'і' | 'ї' => "i",
        'й' | 'ь' | 'ы' => "y",
        'к' | 'ќ' => "k",
        'л' => "l",
        'м' => "m",
        'н' => "n",
        'о' => "o",
        'п' => "p",
        'р' => "r",
        'с' => "s",
        'т' => "t",
        'у' | 'ў' => "u",
        'ф' => "f",
        'х' => "h",
        'ц' => "ts",
        'ч' | 'ћ' => "ch",
        'ш' => "sh",
        'щ' => "sht",
        'ю' => "yu",
        'я' => "ya",
        'ѓ' => "gj",
        'ђ' => "dj",
        'ј' => "j",
        'љ' => "lj",
        'њ' => "nj",
        'ѕ' => "dz",
        'џ' => "dzh",
        _ => return None,
    })
}

/// Removes diacritics; umlauts are written with an e.
pub(crate) const fn strip_diacritics(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ä' => "ae",
        'ö' => "oe",
        'ü' => "ue",
        'à' | 'á' | 'â' | 'ã' | 'å' | 'ā' | 'ă' | 'ą' => "a",
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
        'ò' | 'ó' | 'ô' | 'õ' | 'ō' | 'ő' => "o",
        'ø' | 'œ' => "oe",
        'ŕ' | 'ř' => "r",
        'ś' | 'š' | 'ş' | 'ș' => "s",
        'ß' => "ss",
        'ť' | 'ţ' | 'ț' => "t",
        'þ' => "th",
        'ù' | 'ú' | 'û' | 'ū' | 'ů' | 'ű' | 'ų' => "u",
        'ý' | 'ÿ' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}
