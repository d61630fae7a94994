//! `sandbox.json`: everything a script or a test has to know to play with the demo bank.

use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub const FILE: &str = "sandbox.json";

/// The code that is right for every challenge of the sandbox that is answered by a code.
pub const OTP: &str = "123456";

/// The sheet of an earlier start, if there is one that can be read.
pub fn read(dir: &Path) -> Option<Value> {
    let text = fs::read_to_string(dir.join(FILE)).ok()?;
    serde_json::from_str(&text)
        .ok()
        .filter(|sheet: &Value| sheet["tpps"].is_array() && sheet["psus"].is_array())
}

pub fn new(base_url: &str, tpps: Value, psus: Value, merchants: Value) -> Value {
    json!({ "base_url": base_url, "otp": OTP, "tpps": tpps, "psus": psus, "merchants": merchants })
}

/// Writes the sheet whole or not at all; it holds keys, so only its owner may read it.
pub fn write(dir: &Path, sheet: &Value) -> Result<(), String> {
    let (file, draft) = (dir.join(FILE), dir.join("sandbox.json.new"));
    let written = (|| {
        let text = serde_json::to_string_pretty(sheet)?;
        let mut open = OpenOptions::new();
        let mut out = open.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        out.write_all(text.as_bytes())?;
        out.write_all(b"\n")?;
        out.sync_all()?;
        fs::rename(&draft, &file)
    })();
    written.map_err(|error: std::io::Error| format!("{}: {error}", file.display()))
}
