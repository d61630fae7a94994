//! `sandbox.json`: everything a script or a test needs to use the demo bank.

use super::bank::{DemoAccount, DemoCard, DemoMethod, DemoPsu};
use super::clients::Clients;
use serde_json::{Value, json};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub const FILE: &str = "sandbox.json";

pub use trapeza_app::sandbox::magic_value::OTP;

/// The file of an earlier start, if it exists and parses.
pub fn read(dir: &Path) -> Option<Value> {
    let text = fs::read_to_string(dir.join(FILE)).ok()?;
    serde_json::from_str(&text).ok().filter(|content: &Value| {
        content["tpps"].is_array() && content["psus"].is_array() && content["authority"].is_string()
    })
}

pub fn new(base_url: &str, clients: Clients, psus: Value) -> Value {
    let Clients { authority, tpps, merchants } = clients;
    json!({
        "base_url": base_url,
        "otp": OTP,
        "authority": authority,
        "tpps": tpps,
        "psus": psus,
        "merchants": merchants,
    })
}

/// The customers as listed in the file.
pub fn psus(psus: &[DemoPsu]) -> Value {
    psus.iter()
        .map(|psu| {
            let account = |account: &DemoAccount| {
                json!({ "iban": account.iban, "currency": account.currency, "name": account.name })
            };
            let card = |card: &DemoCard| {
                json!({ "pan": card.pan, "masked_pan": card.masked_pan, "iban": card.iban })
            };
            let method = |method: &DemoMethod| json!({ "id": method.id, "type": method.kind });
            json!({
                "psu_id": psu.psu_id,
                "password": psu.password,
                "name": psu.name,
                "phone": psu.phone,
                "accounts": psu.accounts.iter().map(account).collect::<Value>(),
                "cards": psu.cards.iter().map(card).collect::<Value>(),
                "methods": psu.methods.iter().map(method).collect::<Value>(),
            })
        })
        .collect()
}

/// Writes the file atomically; it contains keys, so its mode is 0600.
pub fn write(dir: &Path, content: &Value) -> Result<(), String> {
    let (file, draft) = (dir.join(FILE), dir.join("sandbox.json.new"));
    let written = (|| {
        let text = serde_json::to_string_pretty(content)?;
        let mut open = OpenOptions::new();
        let mut out = open.write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        out.write_all(text.as_bytes())?;
        out.write_all(b"\n")?;
        out.sync_all()?;
        fs::rename(&draft, &file)
    })();
    written.map_err(|error: std::io::Error| format!("{}: {error}", file.display()))
}
