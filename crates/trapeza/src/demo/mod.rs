//! The sandbox's own world: what a first start fills an empty bank with.

pub mod authority;
pub mod callers;
pub mod sheet;

use serde_json::Value;
use std::path::Path;
use trapeza_app::App;

/// Fills an empty bank; finds the sheet of one that is furnished already, or writes it anew with new keys.
pub async fn furnish(app: &App, dir: &Path, base_url: &str) -> Result<Value, String> {
    let is_new = app.application_list().await.map_err(|stop| stop.to_string())?.is_empty();
    let mut sheet = match sheet::read(dir) {
        Some(sheet) if !is_new => sheet,
        _ => {
            let (tpps, merchants) =
                if is_new { callers::register(app).await? } else { callers::issue_again(app).await? };
            sheet::new(base_url, tpps, Value::Array(Vec::new()), merchants)
        }
    };
    sheet["base_url"] = Value::String(base_url.to_owned());
    sheet::write(dir, &sheet)?;
    Ok(sheet)
}
