//! Where settings come from: embedded defaults, then a file, then the environment, then flags.
//!
//! The defaults name every key, so they are also the list of known keys. Each value is tried as it is laid on, so
//! that a bad one is reported with the place it came from.

use super::{Config, Effective};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

const DEFAULTS: &str = include_str!("../../defaults.toml");
const PREFIX: &str = "TRAPEZA_";
/// Variables for the tests' own use, never for the program's.
const TEST_PREFIX: &str = "TRAPEZA_TEST_";

/// A sandbox and production differ in what goes without saying.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Sandbox,
    Production,
}

/// Who said it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    Sandbox,
    File(PathBuf),
    Variable(String),
    Flag(&'static str),
}

/// Everything a configuration is made of. The environment is passed in: tests have one each.
pub struct Sources {
    pub mode: Mode,
    pub file: Option<PathBuf>,
    /// Name and value; names that do not begin with `TRAPEZA_` are passed over.
    pub environment: Vec<(String, String)>,
    /// A key (`listen`, `store.queue`) and the value of its flag.
    pub flags: Vec<(&'static str, String)>,
}

/// What is wrong and where, in words for the operator. Never repeats a database URL.
#[derive(Debug, PartialEq, Eq)]
pub struct ConfigError(String);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Sandbox => f.write_str("sandbox default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(key) => write!(f, "flag --{}", key.replace(['.', '_'], "-")),
        }
    }
}

impl Sources {
    /// The process's own environment; a variable that is not text can only be one we do not know.
    pub fn new(mode: Mode, file: Option<PathBuf>, flags: Vec<(&'static str, String)>) -> Self {
        let texts = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
        let environment = texts.filter(|(name, _)| name.starts_with(PREFIX)).collect();
        Self { mode, file, environment, flags }
    }

    pub fn load(&self) -> Result<Effective, ConfigError> {
        let mut layers = Layers::new();
        if self.mode == Mode::Sandbox {
            layers.lay("callers.certificate_mode", Value::from("header"), Origin::Sandbox)?;
        }
        if let Some(file) = &self.file {
            layers.lay_file(file)?;
        }
        for (name, value) in &self.environment {
            if name.starts_with(PREFIX) && !name.starts_with(TEST_PREFIX) {
                layers.lay_variable(name, value)?;
            }
        }
        for (key, value) in &self.flags {
            layers.lay_text(key, value, Origin::Flag(key))?;
        }
        let config = layers.config().map_err(|e| ConfigError(e.message().to_owned()))?;
        Ok(Effective { config, table: layers.table, origins: layers.origins })
    }
}

struct Layers {
    table: Table,
    origins: BTreeMap<String, Origin>,
}

impl Layers {
    fn new() -> Self {
        let table: Table = DEFAULTS.parse().expect("the embedded defaults are TOML (a test reads them)");
        let origins = keys(&table, "").into_iter().map(|(key, _)| (key, Origin::Default)).collect();
        Self { table, origins }
    }

    fn config(&self) -> Result<Config, toml::de::Error> {
        Value::Table(self.table.clone()).try_into()
    }

    fn lay_file(&mut self, file: &Path) -> Result<(), ConfigError> {
        let shown = file.display();
        let text =
            std::fs::read_to_string(file).map_err(|e| ConfigError(format!("cannot read {shown}: {e}")))?;
        let table: Table = text.parse().map_err(|e: toml::de::Error| {
            // The message alone: its long form quotes the line, which may hold a password.
            let line = e.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            ConfigError(format!("{shown}, line {line}: {}", e.message()))
        })?;
        for (key, value) in keys(&table, "") {
            if !self.origins.contains_key(&key) {
                let hint = nearest(&key, self.origins.keys().map(String::as_str));
                return Err(ConfigError(format!("unknown key {key} in {shown}; did you mean {hint}?")));
            }
            self.lay(&key, value, Origin::File(file.to_path_buf()))?;
        }
        Ok(())
    }

    fn lay_variable(&mut self, name: &str, value: &str) -> Result<(), ConfigError> {
        let key = self.origins.keys().find(|key| variable(key) == name).cloned();
        let Some(key) = key else {
            let known: Vec<String> = self.origins.keys().map(|key| variable(key)).collect();
            let hint = nearest(name, known.iter().map(String::as_str));
            return Err(ConfigError(format!(
                "unknown variable {name} in the environment; did you mean {hint}?"
            )));
        };
        self.lay_text(&key, value, Origin::Variable(name.to_owned()))
    }

    /// Variables and flags are text; a number is one where the default is one.
    fn lay_text(&mut self, key: &str, text: &str, origin: Origin) -> Result<(), ConfigError> {
        let value = match (self.slot(key), text.parse::<i64>()) {
            (Some(Value::Integer(_)), Ok(number)) => Value::Integer(number),
            (Some(Value::Integer(_)), Err(_)) => {
                return Err(ConfigError(format!("{key} from {origin}: expected a whole number")));
            }
            _ => Value::from(text),
        };
        self.lay(key, value, origin)
    }

    fn lay(&mut self, key: &str, value: Value, origin: Origin) -> Result<(), ConfigError> {
        let slot = self.slot(key).ok_or_else(|| ConfigError(format!("unknown key {key}")))?;
        *slot = value;
        self.config().map_err(|e| ConfigError(format!("{key} from {origin}: {}", e.message())))?;
        self.origins.insert(key.to_owned(), origin);
        Ok(())
    }

    fn slot(&mut self, key: &str) -> Option<&mut Value> {
        match key.split_once('.') {
            Some((section, key)) => self.table.get_mut(section)?.get_mut(key),
            None => self.table.get_mut(key),
        }
    }
}

/// Every value of a table with its dotted key. A section where a value belongs stays a value, and is refused as one.
pub(super) fn keys(table: &Table, prefix: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        match value {
            Value::Table(section) if prefix.is_empty() => found.extend(keys(section, &format!("{key}."))),
            value => found.push((key, value.clone())),
        }
    }
    found
}

fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_uppercase())
}

fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> &'a str {
    // A key in the wrong section, or without one, is nearer than its letters say.
    let last = |key: &'_ str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let distance =
        |key: &str| strsim::levenshtein(wrong, key).min(strsim::levenshtein(&last(wrong), &last(key)) + 1);
    known.min_by_key(|key| distance(key)).unwrap_or_default()
}
