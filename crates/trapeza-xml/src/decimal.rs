//! Decimals as schemas write them.

/// A decimal without the zeros that it may have in front and behind, with at least one digit before the point. `None` where the text
/// is something else or has a sign.
pub fn plain_decimal(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_without_a_meaning_are_removed() {
        for (text, plain) in [
            ("10.00", Some("10")),
            ("0010.50", Some("10.5")),
            (".5", Some("0.5")),
            ("7.", Some("7")),
            ("0", Some("0")),
            ("000.000", Some("0")),
            ("100", Some("100")),
            ("", None),
            (".", None),
            ("-1", None),
            ("+1", None),
            ("1.2.3", None),
            ("1e3", None),
            ("1,5", None),
            ("٣", None),
        ] {
            assert_eq!(plain_decimal(text).as_deref(), plain, "{text}");
        }
    }
}
