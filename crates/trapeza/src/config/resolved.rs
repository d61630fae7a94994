//! The resolved configuration with the origin of each value. It prints as a TOML file without secrets.

use super::source::keys;
use super::{Config, Origin};
use std::collections::BTreeMap;
use std::fmt;
use toml::{Table, Value};

pub struct Effective {
    pub config: Config,
    pub(super) table: Table,
    pub(super) origins: BTreeMap<String, Origin>,
}

impl Effective {
    pub fn origin(&self, key: &str) -> Option<&Origin> {
        self.origins.get(key)
    }

    fn shown(&self, key: &str, value: &Value) -> String {
        match &self.config.database {
            Some(url) if key == "database" => Value::from(url.to_string()).to_string(),
            _ => value.to_string(),
        }
    }
}

impl fmt::Display for Effective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = keys(&self.table, "");
        // Keys without a section must come before the first section.
        let (plain, sectioned): (Vec<_>, Vec<_>) = all.into_iter().partition(|(key, _)| !key.contains('.'));
        let mut current = "";
        for (key, value) in plain.iter().chain(&sectioned) {
            let (section, name) = key.split_once('.').unwrap_or(("", key));
            if section != current {
                writeln!(f, "\n[{section}]")?;
                current = section;
            }
            write!(f, "{name} = {}", self.shown(key, value))?;
            match self.origin(key) {
                Some(Origin::Default) | None => writeln!(f)?,
                Some(origin) => writeln!(f, " # {origin}")?,
            }
        }
        Ok(())
    }
}
