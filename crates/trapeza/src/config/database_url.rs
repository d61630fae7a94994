//! The URL of a PostgreSQL database, which may contain a password.

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::fmt;

/// A PostgreSQL URL, possibly with a password: only [`reveal`](Self::reveal) returns it, everything else shows `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Ok(Self(text.to_owned()))
        } else {
            // The text is not repeated, because a mistyped URL still contains its password.
            Err("must begin with postgres://; leave it empty for SQLite in the data directory")
        }
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The URL with a password, which it must not have yet.
    pub fn with_password(&self, password: &str) -> Result<Self, &'static str> {
        if self.split_password().1.is_some() {
            return Err("must not contain a password together with database_password_file");
        }
        let separator = if self.0.contains('?') { '&' } else { '?' };
        let password = utf8_percent_encode(password, NON_ALPHANUMERIC);
        Ok(Self(format!("{}{separator}password={password}", self.0)))
    }

    /// The URL without its password, and the password decoded, for programs whose arguments are visible to other users.
    pub fn split_password(&self) -> (String, Option<String>) {
        let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let (address, query) = self.0.split_once('?').unwrap_or((&self.0, ""));
        let (scheme, rest) = address.split_once("://").unwrap_or_default();
        let (mut password, address) = match rest.rsplit_once('@') {
            Some((account, host)) => match account.split_once(':') {
                Some((user, password)) => (Some(decode(password)), format!("{scheme}://{user}@{host}")),
                None => (None, address.to_owned()),
            },
            None => (None, address.to_owned()),
        };
        let mut parameters = Vec::new();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.strip_prefix("password=") {
                Some(text) => password = Some(decode(text)),
                None => parameters.push(parameter),
            }
        }
        let query = if parameters.is_empty() { String::new() } else { format!("?{}", parameters.join("&")) };
        (address + &query, password)
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Parameters may repeat the password (`?password=`), so they are hidden too.
        let (scheme, rest) = self.0.split_once("://").unwrap_or_default();
        let (rest, parameters) = rest.split_once('?').map_or((rest, ""), |(rest, _)| (rest, "?***"));
        match rest.rsplit_once('@') {
            Some((account, host)) => {
                let (user, password) =
                    account.split_once(':').map_or((account, ""), |(user, _)| (user, ":***"));
                write!(f, "{scheme}://{user}{password}@{host}{parameters}")
            }
            None => write!(f, "{scheme}://{rest}{parameters}"),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
