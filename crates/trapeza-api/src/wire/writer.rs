//! Writes JSON directly into a buffer, for the page of transactions. The caller opens and closes objects and lists.

use super::amount::Amount;
use trapeza_app::format_date;
use trapeza_domain::money::Money;
use trapeza_domain::time::Date;

/// A buffer that JSON is written to.
pub struct Writer {
    bytes: Vec<u8>,
    /// The last formatted date: transactions of one page share their dates.
    date: Option<(Date, String)>,
}

impl Writer {
    pub fn new(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity), date: None }
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Text that is JSON already: names, braces, commas.
    pub fn raw(&mut self, json: &str) {
        self.bytes.extend_from_slice(json.as_bytes());
    }

    /// A comma, unless this is the first entry of its list or object.
    pub fn comma(&mut self) {
        if !matches!(self.bytes.last(), Some(b'{' | b'[') | None) {
            self.bytes.push(b',');
        }
    }

    /// A string, in quotes and escaped.
    pub fn text(&mut self, text: &str) {
        self.value(&text);
    }

    /// An optional string after its name, which includes the comma: `,"name":`.
    pub fn opt_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.raw(name);
            self.text(text);
        }
    }

    pub fn number(&mut self, number: i64) {
        self.value(&number);
    }

    /// `"2026-11-15"`
    pub fn date(&mut self, date: Date) {
        let formatted = match self.date.take() {
            Some((last, formatted)) if last == date => formatted,
            _ => format_date(date),
        };
        self.text(&formatted);
        self.date = Some((date, formatted));
    }

    /// The Amount object (§2.1).
    pub fn amount(&mut self, money: Money) {
        self.value(&Amount(money));
    }

    /// Any serializable value.
    pub fn value(&mut self, value: &impl serde::Serialize) {
        serde_json::to_writer(&mut self.bytes, value).expect("response types serialize without errors");
    }

    /// Ends an open, non-empty object with the fields of another.
    pub fn splice(&mut self, object: &impl serde::Serialize) {
        let start = self.bytes.len();
        self.value(object);
        if let Some(brace) = self.bytes.get_mut(start) {
            *brace = b',';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trapeza_app::parse_date;

    #[test]
    fn repeated_dates_are_written_alike() {
        let dates = ["2026-11-15", "2026-11-15", "1970-01-01", "2026-11-15"];
        let mut writer = Writer::new(0);
        dates.iter().for_each(|date| writer.date(parse_date(date).unwrap()));
        let expected = dates.map(|date| format!("\"{date}\"")).concat();
        assert_eq!(String::from_utf8(writer.into_bytes()).unwrap(), expected);
    }

    #[test]
    fn spliced_object_ends_the_open_one() {
        let mut writer = Writer::new(0);
        writer.raw(r#"{"a":[1"#);
        writer.comma();
        writer.raw("2]");
        writer.splice(&serde_json::json!({ "b": "\"" }));
        assert_eq!(writer.into_bytes(), br#"{"a":[1,2],"b":"\""}"#);
    }
}
