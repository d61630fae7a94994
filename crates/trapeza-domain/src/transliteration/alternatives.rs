//! All usual spellings of European letters in basic Latin, for comparing names. Each row has one letter, or a group of letters
//! that is written as one sound, and its spellings; the standard comes first (ELOT 743 for Greek, the Bulgarian law on
//! transliteration for Cyrillic), then what passports, registers and people use. Letters are lower case, without accents.

/// Letters that Unicode does not decompose, or whose mark changes the spelling.
const LATIN: &[(&str, &[&str])] = &[
    ("ä", &["ae", "a"]),
    ("ö", &["oe", "o"]),
    ("ü", &["ue", "u"]),
    ("å", &["aa", "a"]),
    ("ø", &["oe", "o"]),
    ("æ", &["ae"]),
    ("œ", &["oe"]),
    ("ß", &["ss"]),
    ("ł", &["l"]),
    ("đ", &["d", "dj"]),
    ("ð", &["d", "dh"]),
    ("þ", &["th"]),
    ("ı", &["i"]),
    ("ħ", &["h"]),
    ("ŋ", &["n", "ng"]),
    ("ŧ", &["t"]),
    ("ə", &["e", "a"]),
    ("ĸ", &["k"]),
];

/// Vowel groups before the single vowels. `ϊ` and `ϋ` carry a diaeresis and belong to no group.
const GREEK: &[(&str, &[&str])] = &[
    ("γιου", &["giou", "you", "yiou", "giu"]),
    ("αυ", &["av", "af", "au"]),
    ("ευ", &["ev", "ef", "eu"]),
    ("ηυ", &["iv", "if", "eu"]),
    ("ου", &["ou", "u"]),
    ("αι", &["ai", "e", "ae"]),
    ("ει", &["ei", "i"]),
    ("οι", &["oi", "i", "oe"]),
    ("υι", &["yi", "i", "ui"]),
    ("γγ", &["ng", "gg"]),
    ("γκ", &["gk", "g", "ng", "gg", "nk"]),
    ("γξ", &["nx", "gx"]),
    ("γχ", &["nch", "gch", "nh", "gh"]),
    ("γι", &["gi", "yi", "y", "ji", "j"]),
    ("μπ", &["b", "mp", "mb"]),
    ("ντ", &["nt", "d", "nd"]),
    ("τζ", &["tz", "j", "dj"]),
    ("α", &["a"]),
    ("β", &["v", "b"]),
    ("γ", &["g", "y"]),
    ("δ", &["d"]),
    ("ε", &["e"]),
    ("ζ", &["z"]),
    ("η", &["i", "e", "h"]),
    ("θ", &["th"]),
    ("ι", &["i"]),
    ("ϊ", &["i"]),
    ("κ", &["k", "c"]),
    ("λ", &["l"]),
    ("μ", &["m"]),
    ("ν", &["n"]),
    ("ξ", &["x", "ks"]),
    ("ο", &["o"]),
    ("π", &["p"]),
    ("ρ", &["r"]),
    ("σ", &["s"]),
    ("τ", &["t"]),
    ("υ", &["y", "i", "u"]),
    ("ϋ", &["y", "i", "u"]),
    ("φ", &["f", "ph"]),
    ("χ", &["ch", "h", "x", "kh"]),
    ("ψ", &["ps"]),
    ("ω", &["o", "w"]),
];

const CYRILLIC: &[(&str, &[&str])] = &[
    ("ия", &["ia", "iya", "ija"]),
    ("ий", &["iy", "i", "y", "ii", "ij"]),
    ("ый", &["y", "yy", "iy"]),
    ("ьо", &["yo", "io"]),
    ("йо", &["yo", "io", "jo"]),
    ("кс", &["ks", "x"]),
    ("ль", &["l", "ly", "lj"]),
    ("нь", &["n", "ny", "nj"]),
    ("а", &["a"]),
    ("б", &["b"]),
    ("в", &["v", "w"]),
    ("г", &["g", "h"]),
    ("д", &["d"]),
    ("е", &["e", "ye", "je"]),
    ("ё", &["e", "yo", "jo", "io"]),
    ("ж", &["zh", "j", "z"]),
    ("з", &["z"]),
    ("и", &["i", "y"]),
    ("й", &["y", "i", "j"]),
    ("к", &["k", "c"]),
    ("л", &["l"]),
    ("м", &["m"]),
    ("н", &["n"]),
    ("о", &["o"]),
    ("п", &["p"]),
    ("р", &["r"]),
    ("с", &["s"]),
    ("т", &["t"]),
    ("у", &["u", "ou"]),
    ("ў", &["u", "w"]),
    ("ф", &["f", "ph"]),
    ("х", &["h", "kh", "ch"]),
    ("ц", &["ts", "tz", "c"]),
    ("ч", &["ch", "tch", "c"]),
    ("ш", &["sh", "sch", "s"]),
    ("щ", &["sht", "shch", "st"]),
    ("ъ", &["a", "u", "y", ""]),
    ("ы", &["y", "i"]),
    ("ь", &["y", "", "i"]),
    ("э", &["e"]),
    ("ю", &["yu", "iu", "ju"]),
    ("я", &["ya", "ia", "ja"]),
    ("і", &["i", "y"]),
    ("ї", &["yi", "i", "ji"]),
    ("є", &["ye", "ie", "je", "e"]),
    ("ґ", &["g"]),
    ("ђ", &["dj", "d"]),
    ("ѓ", &["gj", "g"]),
    ("ј", &["j", "y"]),
    ("љ", &["lj", "ly", "l"]),
    ("њ", &["nj", "ny", "n"]),
    ("ћ", &["c", "ch"]),
    ("ќ", &["kj", "k"]),
    ("ѕ", &["dz"]),
    ("џ", &["dz", "dzh", "dj"]),
];

/// The letters at the beginning of `text` that are written together, and how they are written in basic Latin. `None` for a
/// letter that is basic Latin already or of another script.
pub(crate) fn alternatives(text: &[char]) -> Option<(usize, &'static [&'static str])> {
    // Most letters are basic Latin.
    if text.first()?.is_ascii() {
        return None;
    }
    let rows = LATIN.iter().chain(GREEK).chain(CYRILLIC);
    let found = rows
        .filter(|(letters, _)| {
            letters.chars().enumerate().all(|(index, letter)| text.get(index) == Some(&letter))
        })
        .max_by_key(|(letters, _)| letters.chars().count());
    found.map(|(letters, spellings)| (letters.chars().count(), *spellings))
}
