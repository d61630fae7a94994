//! `trapeza audit verify`: recomputes every audit chain; with logged heads it also detects a truncated chain.

use super::{AdminRequest, run};
use crate::admin::AdminResponse;
use crate::cli::Verify;
use crate::hexadecimal;
use serde_json::Value;
use std::fmt::Write;
use trapeza_app::App;
use trapeza_store::AuditHead;

/// Reads the log on the client, because the server may run as another user.
pub fn verify(verify: &Verify) -> (String, bool) {
    let heads = match &verify.heads {
        None => Vec::new(),
        Some(file) => match std::fs::read_to_string(file) {
            Ok(log) => match logged_heads(&log) {
                none if none.is_empty() => {
                    let text = "has no audit heads; they are read from a log that is written with log.format = \"json\"";
                    return (format!("{} {text}\n", file.display()), false);
                }
                heads => heads,
            },
            Err(error) => return (format!("{}: {error}\n", file.display()), false),
        },
    };
    run(&verify.bank, AdminRequest::AuditVerify(heads))
}

/// `heads` are `chain:sequence:mac`.
pub fn execute(app: &App, heads: &[String]) -> AdminResponse {
    let Some(heads) = heads.iter().map(|head| parse_head(head)).collect::<Option<Vec<_>>>() else {
        return AdminResponse { text: "a logged head must be chain:sequence:mac\n".to_owned(), exit: 2 };
    };
    let known = heads.len();
    let report = match app.audit_verify(heads) {
        Ok(report) => report,
        Err(error) => {
            return AdminResponse { text: format!("cannot read the audit log: {error}\n"), exit: 1 };
        }
    };
    let mut text = String::new();
    for finding in &report.findings {
        let _ = writeln!(text, "{finding}");
    }
    let result = if report.findings.is_empty() { "intact" } else { "NOT intact" };
    let (chains, rows) = (report.chains, report.rows);
    let _ = writeln!(text, "{chains} chains, {rows} rows, {known} logged heads: {result}");
    AdminResponse { text, exit: i32::from(!report.findings.is_empty()) }
}

/// The newest head of each chain in a log of JSON lines.
fn logged_heads(log: &str) -> Vec<String> {
    let mut newest = std::collections::BTreeMap::new();
    for line in log.lines() {
        let Ok(line) = serde_json::from_str::<Value>(line) else { continue };
        let (chain, sequence, mac) =
            (line["chain"].as_i64(), line["sequence"].as_i64(), line["mac"].as_str());
        if let (Some("audit head"), Some(chain), Some(sequence), Some(mac)) =
            (line["message"].as_str(), chain, sequence, mac)
        {
            newest.insert(chain, format!("{chain}:{sequence}:{mac}"));
        }
    }
    newest.into_values().collect()
}

/// A head as `chain:sequence:mac`.
pub fn format_head(head: &AuditHead) -> String {
    format!("{}:{}:{}", head.chain, head.sequence, hexadecimal::encode(&head.mac))
}

fn parse_head(text: &str) -> Option<AuditHead> {
    let mut parts = text.split(':');
    let (chain, sequence) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let mac = hexadecimal::decode_32(parts.next()?)?;
    parts.next().is_none().then_some(AuditHead { chain, sequence, mac })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logged_heads_returns_the_newest_head_of_each_chain() {
        let mac = "0f".repeat(32);
        let line = |chain: i64, sequence: i64| {
            format!(
                r#"{{"level":"INFO","message":"audit head","chain":{chain},"sequence":{sequence},"mac":"{mac}"}}"#
            )
        };
        let log = [line(1, 5), "not json".to_owned(), line(2, 1), line(1, 9)].join("\n");
        let heads = logged_heads(&log);
        assert_eq!(heads, [format!("1:9:{mac}"), format!("2:1:{mac}")]);
        assert_eq!(
            parse_head(&heads[0]).map(|head| (head.chain, head.sequence, head.mac[31])),
            Some((1, 9, 15))
        );
        assert_eq!(parse_head(&heads[0]).map(|head| format_head(&head)), Some(heads[0].clone()));
        assert!(parse_head("1:9:xx").is_none());
    }
}
