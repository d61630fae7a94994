//! How the settings are read from their TOML values. An empty text is a setting that is not set.

use super::{DatabaseUrl, log_filter};
use serde::{Deserialize, Deserializer, de::Error};
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;
use trapeza_domain::clearing::UnmatchedPolicy;
use trapeza_domain::money::{Currency, Money};
use trapeza_domain::reference::Iban;
use trapeza_http::TrustedProxies;

pub(super) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

/// A checkout URL based on it must fit a QR code of 251 bytes.
const MAX_PUBLIC_URL_BYTES: usize = 200;

pub(super) fn public_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let Some(url) = text(deserializer)? else { return Ok(None) };
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let host = host.map(|rest| rest.trim_end_matches('/')).unwrap_or_default();
    if host.is_empty() || host.contains(['/', '?', '#', ' ', '@']) {
        return Err(D::Error::custom("expected https://host or https://host:port, without a path"));
    }
    if url.len() > MAX_PUBLIC_URL_BYTES {
        return Err(D::Error::custom(format!("expected at most {MAX_PUBLIC_URL_BYTES} characters")));
    }
    Ok(Some(url.trim_end_matches('/').to_owned()))
}

pub(super) fn optional_path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    Ok(text(deserializer)?.map(PathBuf::from))
}

pub(super) fn path<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    optional_path(deserializer)?.ok_or(D::Error::custom("expected a path"))
}

pub(super) fn database<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DatabaseUrl>, D::Error> {
    text(deserializer)?.map(|url| DatabaseUrl::parse(&url)).transpose().map_err(D::Error::custom)
}

/// An SMS begins with the name, so it must be short.
const MAX_BANK_NAME_CHARS: usize = 35;

pub(super) fn bank_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    let fits = (1..=MAX_BANK_NAME_CHARS).contains(&name.chars().count());
    if !fits || name.trim() != name || name.contains(char::is_control) {
        let text = format!("expected 1 to {MAX_BANK_NAME_CHARS} characters without control characters");
        return Err(D::Error::custom(text));
    }
    Ok(name)
}

pub(super) fn iban<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Iban>, D::Error> {
    let Some(number) = text(deserializer)? else { return Ok(None) };
    Iban::parse(&number).map(Some).map_err(|_| D::Error::custom("expected a valid IBAN without spaces"))
}

pub(super) fn zone<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    jiff::tz::TimeZone::get(&name)
        .map_err(|_| D::Error::custom("expected a time zone such as Europe/Athens"))?;
    Ok(name)
}

/// More than a year of requests is no log for developers any more.
const MAX_LOG_DAYS: u32 = 366;

pub(super) fn log_days<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let days = u32::deserialize(deserializer)?;
    if days > MAX_LOG_DAYS {
        return Err(D::Error::custom(format!("expected 0 to {MAX_LOG_DAYS} days")));
    }
    Ok(days)
}

pub(super) fn cents<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
    let text = String::deserialize(deserializer)?;
    Money::parse(&text, Currency::EUR).map(|fee| fee.minor).map_err(D::Error::custom)
}

pub(super) fn unmatched<'de, D: Deserializer<'de>>(deserializer: D) -> Result<UnmatchedPolicy, D::Error> {
    let policy = UnmatchedPolicy::parse(&String::deserialize(deserializer)?);
    policy.ok_or_else(|| D::Error::custom("must be return or suspend"))
}

pub(super) fn log_level<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let level = String::deserialize(deserializer)?;
    log_filter(&level).map_err(D::Error::custom)?;
    Ok(level)
}

pub(super) fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    NonZeroU64::deserialize(deserializer).map(|n| Duration::from_secs(n.get()))
}

pub(super) fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    NonZeroU64::deserialize(deserializer).map(|n| Duration::from_millis(n.get()))
}

pub(super) fn optional_address<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let Some(address) = text(deserializer)? else { return Ok(None) };
    let invalid = |_| D::Error::custom("expected an address and a port such as 127.0.0.1:9464");
    address.parse().map(Some).map_err(invalid)
}

pub(super) fn trusted_proxies<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<TrustedProxies, D::Error> {
    TrustedProxies::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// A ratio from 0 to 1 with at most six decimals, as text, since decimal fractions have no exact binary form.
pub(super) fn millionths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let text = String::deserialize(deserializer)?;
    ratio_millionths(&text).ok_or(D::Error::custom("expected a ratio from \"0\" to \"1\" such as \"0.05\""))
}

fn ratio_millionths(text: &str) -> Option<u32> {
    const ONE: u32 = 1_000_000;
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    if whole.is_empty() || decimals.len() > 6 || !is_number(whole) || !is_number(decimals) {
        return None;
    }
    let whole: u32 = whole.parse().ok()?;
    let decimals: u32 = format!("{decimals:0<6}").parse().ok()?;
    whole.checked_mul(ONE)?.checked_add(decimals).filter(|ratio| *ratio <= ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratio_is_exact_to_six_decimals() {
        for (text, expected) in
            [("0", 0), ("1", 1_000_000), ("1.000000", 1_000_000), ("0.05", 50_000), ("0.000001", 1)]
        {
            assert_eq!(ratio_millionths(text), Some(expected), "{text}");
        }
        for wrong in ["", ".5", "1.1", "2", "-0.1", "0,5", "0.0000001", "1e-1", "+1"] {
            assert_eq!(ratio_millionths(wrong), None, "{wrong}");
        }
    }
}
