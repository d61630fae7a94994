//! JSON written straight into one buffer, for the answers that are large. It knows how JSON looks and no field of any
//! answer; whoever uses it opens and closes what belongs together.

use std::io::Write as _;
use trapeza_app::format_date;
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;

/// A buffer that JSON is written to.
pub struct Writer {
    bytes: Vec<u8>,
    /// The day that was printed last, and how: lines of one page share their days.
    day: Option<(Date, [u8; 10])>,
}

impl Writer {
    pub fn new(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity), day: None }
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// What is JSON already: names, braces, commas.
    pub fn raw(&mut self, json: &str) {
        self.bytes.extend_from_slice(json.as_bytes());
    }

    /// A comma, unless this is the first of its list or object.
    pub fn comma(&mut self) {
        if !matches!(self.bytes.last(), Some(b'{' | b'[') | None) {
            self.bytes.push(b',');
        }
    }

    /// A text, in quotes, escaped as `serde_json` escapes it.
    pub fn text(&mut self, text: &str) {
        self.bytes.push(b'"');
        let mut rest = text.as_bytes();
        while let Some(at) = first_special(rest) {
            let (plain, special) = rest.split_at(at);
            self.bytes.extend_from_slice(plain);
            let Some((&byte, after)) = special.split_first() else { break };
            self.escape(byte);
            rest = after;
        }
        self.bytes.extend_from_slice(rest);
        self.bytes.push(b'"');
    }

    /// A text that is there, behind its name. The name brings its comma: `,"name":`.
    pub fn opt_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.raw(name);
            self.text(text);
        }
    }

    pub fn number(&mut self, number: i64) {
        self.digits(number.unsigned_abs(), number < 0, 0);
    }

    /// `"2026-11-15"`
    pub fn day(&mut self, day: Date) {
        let printed = match self.day {
            Some((known, printed)) if known == day => printed,
            _ => match <[u8; 10]>::try_from(format_date(day).as_bytes()) {
                Ok(printed) => {
                    self.day = Some((day, printed));
                    printed
                }
                // A year before the first or after the 9999th is longer.
                Err(_) => return self.text(&format_date(day)),
            },
        };
        self.bytes.push(b'"');
        self.bytes.extend_from_slice(&printed);
        self.bytes.push(b'"');
    }

    /// The Amount object (§2.1).
    pub fn amount(&mut self, money: Money) {
        self.raw(r#"{"currency":""#);
        self.raw(money.currency.code());
        self.raw(r#"","Amount":""#);
        self.digits(money.minor.unsigned_abs(), money.minor < 0, money.currency.exponent() as usize);
        self.raw(r#""}"#);
    }

    /// Anything else that has a form on the wire.
    pub fn value(&mut self, value: &impl serde::Serialize) {
        serde_json::to_writer(&mut self.bytes, value).expect("an answer of ours is JSON");
    }

    /// Ends an object that is open and not empty with the fields of another.
    pub fn rest(&mut self, object: &impl serde::Serialize) {
        let start = self.bytes.len();
        self.value(object);
        if let Some(brace) = self.bytes.get_mut(start) {
            *brace = b',';
        }
    }

    /// A number with so many decimals; zeros fill up to one digit before the point.
    fn digits(&mut self, mut number: u64, negative: bool, decimals: usize) {
        // Twenty digits, a point and a sign.
        let mut room = [0; 24];
        let (mut at, mut written) = (room.len(), 0);
        while number > 0 || written <= decimals {
            if written == decimals && decimals > 0 {
                at -= 1;
                room[at] = b'.';
            }
            at -= 1;
            let [digit, ..] = (number % 10).to_le_bytes();
            room[at] = b'0' + digit;
            number /= 10;
            written += 1;
        }
        if negative {
            at -= 1;
            room[at] = b'-';
        }
        self.bytes.extend_from_slice(&room[at..]);
    }

    fn escape(&mut self, byte: u8) {
        let short = match byte {
            b'"' => br#"\""#,
            b'\\' => br"\\",
            0x08 => br"\b",
            b'\t' => br"\t",
            b'\n' => br"\n",
            0x0c => br"\f",
            b'\r' => br"\r",
            _ => {
                write!(self.bytes, "\\u{byte:04x}").expect("a buffer takes all that is written");
                return;
            }
        };
        self.bytes.extend_from_slice(short);
    }
}

/// Where the first byte is that JSON wants escaped: a quote, a backslash, a control character. Eight bytes at a time:
/// most texts have none.
fn first_special(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    // The high bit of each byte of `word` that is zero, and perhaps of others behind it.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut chunks = bytes.chunks_exact(8);
    let mut at = 0;
    for chunk in &mut chunks {
        let word = u64::from_le_bytes(chunk.try_into().expect("a chunk has eight bytes"));
        let quote = zero(word ^ (ONES * u64::from(b'"')));
        let backslash = zero(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        if quote | backslash | control != 0 {
            break;
        }
        at += 8;
    }
    let rest = bytes[at..].iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\'));
    rest.map(|place| at + place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use trapeza_app::parse_date;
    use trapeza_domain::money::Currency;

    fn written(write: impl Fn(&mut Writer)) -> String {
        let mut writer = Writer::new(0);
        write(&mut writer);
        String::from_utf8(writer.into_bytes()).unwrap()
    }

    #[test]
    fn hostile_texts_are_escaped_as_serde_json_escapes_them() {
        let all: String = (0..=0x2fffu32).filter_map(char::from_u32).collect();
        let texts =
            ["", "\"", "\\", "\\\"", "</script>", "\u{7f}\u{80}\u{2028}\u{feff}", "日本\u{0}語\"", &all];
        for text in texts {
            assert_eq!(written(|out| out.text(text)), serde_json::to_string(text).unwrap());
        }
    }

    #[test]
    fn a_special_byte_is_found_at_every_place() {
        for special in (0..0x20).chain([b'"', b'\\']) {
            for place in 0..40 {
                let mut bytes = [b'!'; 40];
                bytes[place] = special;
                assert_eq!(first_special(&bytes), Some(place), "{special}");
            }
        }
        let plain: Vec<u8> = (0x20..=0xff).filter(|byte| !matches!(byte, b'"' | b'\\')).collect();
        assert_eq!(first_special(&plain), None);
    }

    #[test]
    fn days_are_printed_once_and_right() {
        let days = ["2026-11-15", "2026-11-15", "1970-01-01", "9999-12-31", "2026-11-15"];
        let out = written(|out| days.iter().for_each(|day| out.day(parse_date(day).unwrap())));
        assert_eq!(out, days.map(|day| format!("\"{day}\"")).concat());
        assert_eq!(
            written(|out| out.day(Date(-1_000_000))),
            serde_json::to_string(&format_date(Date(-1_000_000))).unwrap()
        );
    }

    proptest! {
        #[test]
        fn any_text_is_written_as_serde_json_writes_it(text in "(\\PC|[\\x00-\\x7f]){0,64}") {
            prop_assert_eq!(written(|out| out.text(&text)), serde_json::to_string(&text).unwrap());
        }

        #[test]
        fn amounts_are_those_of_the_amount_object(minor: i64, code in "EUR|JPY|KWD") {
            let money = Money::new(minor, Currency::parse(&code).unwrap());
            let amount = serde_json::to_string(&super::super::amount::Amount(money)).unwrap();
            prop_assert_eq!(written(|out| out.amount(money)), amount);
            prop_assert_eq!(written(|out| out.number(minor)), minor.to_string());
        }
    }
}
