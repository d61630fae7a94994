//! Where settings come from: embedded defaults, then a file, then the environment, then flags.
//!
//! The defaults name every key, so they are also the list of known keys. The configuration is deserialised after each
//! value is set, so that an invalid value is reported with its origin.

use super::{Config, Effective};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

const DEFAULTS: &str = include_str!("../../defaults.toml");
const PREFIX: &str = "TRAPEZA_";
/// Variables of the test suite, which the program ignores.
const TEST_PREFIX: &str = "TRAPEZA_TEST_";

/// Sandbox and production have different defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Sandbox,
    Production,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Default,
    Sandbox,
    File(PathBuf),
    Variable(String),
    Flag(&'static str),
}

/// All sources of a configuration. The environment is a parameter, so that each test has its own.
pub struct Sources {
    pub mode: Mode,
    pub file: Option<PathBuf>,
    /// Name and value; names that do not begin with `TRAPEZA_` are ignored.
    pub environment: Vec<(String, String)>,
    /// A key (`listen`, `store.queue`) and the value of its flag.
    pub flags: Vec<(&'static str, String)>,
}

/// What is wrong and where, for the operator. It never contains a database URL.
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
    /// Sources with the environment of the process.
    pub fn new(mode: Mode, file: Option<PathBuf>, flags: Vec<(&'static str, String)>) -> Self {
        let texts = std::env::vars_os()
            .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
        let environment = texts.filter(|(name, _)| name.starts_with(PREFIX)).collect();
        Self { mode, file, environment, flags }
    }

    pub fn load(&self) -> Result<Effective, ConfigError> {
        let mut layers = Layers::new();
        if self.mode == Mode::Sandbox {
            layers.set("callers.certificate_mode", Value::from("header"), Origin::Sandbox)?;
            layers.set("metrics.listen", Value::from(""), Origin::Sandbox)?;
            layers.set("console.listen", Value::from(""), Origin::Sandbox)?;
        }
        if let Some(file) = &self.file {
            layers.set_file(file)?;
        }
        layers.set_variables(&self.environment)?;
        for (key, value) in &self.flags {
            layers.set_text(key, value, Origin::Flag(key))?;
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

    fn set_file(&mut self, file: &Path) -> Result<(), ConfigError> {
        let shown = file.display();
        let text =
            std::fs::read_to_string(file).map_err(|e| ConfigError(format!("cannot read {shown}: {e}")))?;
        let table: Table = text.parse().map_err(|e: toml::de::Error| {
            // The message only: its long form quotes the line, which may contain a password.
            let line = e.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            ConfigError(format!("{shown}, line {line}: {}", e.message()))
        })?;
        for (key, value) in keys(&table, "") {
            if !self.origins.contains_key(&key) {
                let hint = nearest(&key, self.origins.keys().map(String::as_str));
                return Err(ConfigError(format!("unknown key {key} in {shown}; did you mean {hint}?")));
            }
            self.set(&key, value, Origin::File(file.to_path_buf()))?;
        }
        Ok(())
    }

    /// Sets all variables of the program. Unknown ones are reported together.
    fn set_variables(&mut self, environment: &[(String, String)]) -> Result<(), ConfigError> {
        let known: BTreeMap<String, String> =
            self.origins.keys().map(|key| (variable(key), key.clone())).collect();
        let mut unknown = Vec::new();
        for (name, value) in environment {
            match known.get(name) {
                Some(key) => self.set_text(key, value, Origin::Variable(name.clone()))?,
                None if !name.starts_with(PREFIX)
                    || name.starts_with(TEST_PREFIX)
                    || is_service_variable(name) => {}
                None => {
                    let hint = nearest(name, known.keys().map(String::as_str));
                    unknown.push(format!("{name} (did you mean {hint}?)"));
                }
            }
        }
        if unknown.is_empty() {
            return Ok(());
        }
        let noun = if unknown.len() == 1 { "variable" } else { "variables" };
        Err(ConfigError(format!("unknown {noun} in the environment: {}", unknown.join(", "))))
    }

    /// Sets a variable or flag, which is text: a number or boolean is expected where the default is one.
    fn set_text(&mut self, key: &str, text: &str, origin: Origin) -> Result<(), ConfigError> {
        let value = match (self.slot(key), text.parse::<i64>()) {
            (Some(Value::Integer(_)), Ok(number)) => Value::Integer(number),
            (Some(Value::Integer(_)), Err(_)) => {
                return Err(ConfigError(format!("{key} from {origin}: expected a whole number")));
            }
            (Some(Value::Boolean(_)), _) => Value::Boolean(
                text.parse()
                    .map_err(|_| ConfigError(format!("{key} from {origin}: expected true or false")))?,
            ),
            _ => Value::from(text),
        };
        self.set(key, value, origin)
    }

    fn set(&mut self, key: &str, value: Value, origin: Origin) -> Result<(), ConfigError> {
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

/// Every value of a table with its dotted key. A nested section stays a value, and is refused when it is deserialised.
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

/// Whether Kubernetes sets this variable for a Service whose name begins with `trapeza`: `TRAPEZA_SERVICE_HOST`,
/// `TRAPEZA_SERVICE_PORT_HTTPS`, `TRAPEZA_PORT`, `TRAPEZA_PORT_8443_TCP_ADDR`.
fn is_service_variable(name: &str) -> bool {
    if name.ends_with("_SERVICE_HOST") || name.ends_with("_SERVICE_PORT") || name.contains("_SERVICE_PORT_") {
        return true;
    }
    let Some((_, port)) = name.rsplit_once("_PORT") else { return false };
    // The last part of `…_PORT_8443_TCP_PORT` is a port as well.
    let port = if port.is_empty() { name.split_once("_PORT").map_or("", |(_, rest)| rest) } else { port };
    let mut parts = port.split('_').skip(1);
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (None, None, None, None) => port.is_empty(),
        (Some(number), Some("TCP" | "UDP" | "SCTP"), None | Some("PROTO" | "PORT" | "ADDR"), None) => {
            number.parse::<u16>().is_ok()
        }
        _ => false,
    }
}

fn variable(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_uppercase())
}

fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> &'a str {
    // The last part of a key counts most: keys are often written in the wrong section, or without one.
    let last = |key: &'_ str| key.rsplit('.').next().unwrap_or_default().to_owned();
    let distance =
        |key: &str| strsim::levenshtein(wrong, key).min(strsim::levenshtein(&last(wrong), &last(key)) + 1);
    known.min_by_key(|key| distance(key)).unwrap_or_default()
}
