//! What production refuses to start with. All problems are reported at once.

use super::{CertificateMode, Config, Switch};
use crate::bootstrap;
use crate::root_secret::Secret;
use crate::seal_files::RunningSeals;
use std::path::Path;
use trapeza_domain::egress::EgressPolicy;

/// All problems; empty when the server may start.
pub fn production_problems(config: &Config) -> Vec<String> {
    let mut problems = Vec::new();
    match config.callers.certificate_mode {
        CertificateMode::Mtls => {}
        CertificateMode::Header => problems.push(
            "callers.certificate_mode is \"header\": a certificate is public and alone proves nothing; use \"mtls\" or \"proxy\""
                .to_owned(),
        ),
        CertificateMode::Proxy if config.callers.trusted_proxies.is_empty() => problems.push(
            "callers.trusted_proxies is not set; with callers.certificate_mode \"proxy\" no certificate would be accepted"
                .to_owned(),
        ),
        CertificateMode::Proxy => {}
    }
    match &config.public_url {
        None => problems.push("public_url is not set; it is the https address callers use".to_owned()),
        Some(url) if !url.starts_with("https://") => {
            problems.push(format!("public_url is {url}; it must be https"))
        }
        Some(_) => {}
    }
    problems.extend(tls_problems(config));
    problems.extend(console_problem(config));
    problems.extend(RunningSeals::load(config, None).err());
    match &config.secret_file {
        None => problems.push("secret_file is not set; it is a file of at least 32 random bytes".to_owned()),
        Some(file) => {
            if let Err(error) = Secret::read(file) {
                problems.push(format!("secret_file: {error}"));
            }
        }
    }
    if let Some(Err(error)) = config.previous_secret_file.as_deref().map(Secret::read) {
        problems.push(format!("previous_secret_file: {error}"));
    }
    problems.extend(bootstrap::bank_profile(config).err());
    problems.extend(bootstrap::database_url(config).err());
    problems.extend(bootstrap::sms_gateway(config).err());
    problems.extend(bootstrap::email_gateway(config).err());
    problems.extend(bootstrap::callback_courier(config, EgressPolicy::Public).err());
    problems.extend(bootstrap::clearing(config).err());
    problems.extend(bootstrap::instant_gateway(config).err());
    problems.extend(bootstrap::routes(config).err());
    problems.extend(bootstrap::payee_directory(config).err());
    problems.extend(bootstrap::identity_provider(config).err());
    problems.extend(bootstrap::telemetry(config).err());
    problems
}

/// Passwords of the staff must not cross a network in clear text.
fn console_problem(config: &Config) -> Option<String> {
    let console = &config.console;
    let address = console.listen?;
    if console.tls == Switch::On {
        let has_files = config.tls.certificate.is_some() && config.tls.key.is_some();
        return (!has_files)
            .then(|| "console.tls is \"on\"; it needs tls.certificate and tls.key".to_owned());
    }
    let is_https = console.url.as_ref().is_some_and(|url| url.starts_with("https://"));
    let is_private = is_https || (address.ip().is_loopback() && console.url.is_none());
    let text = || {
        format!(
            "console.listen is {address} without TLS: set console.tls to \"on\", or console.url to the https address of the proxy in front of it"
        )
    };
    (!is_private).then(text)
}

/// Behind a proxy that ends TLS the files are optional, but a certificate needs its key.
fn tls_problems(config: &Config) -> Vec<String> {
    let tls = &config.tls;
    let behind_proxy = config.callers.certificate_mode == CertificateMode::Proxy;
    let mut problems = Vec::new();
    for (key, file) in
        [("tls.certificate", &tls.certificate), ("tls.key", &tls.key), ("tls.client_ca", &tls.client_ca)]
    {
        match file {
            None if behind_proxy => {}
            None => problems.push(format!("{key} is not set; mutual TLS needs it")),
            Some(file) => problems.extend(file_problem(key, file)),
        }
    }
    if behind_proxy && tls.certificate.is_some() != tls.key.is_some() {
        problems.push("tls.certificate and tls.key must be set together".to_owned());
    }
    if let Some(file) = &tls.client_crl
        && let Err(error) = std::fs::metadata(file)
    {
        problems.push(format!("tls.client_crl: {} cannot be read ({error})", file.display()));
    }
    problems
}

fn file_problem(key: &str, file: &Path) -> Option<String> {
    let error = match std::fs::read(file) {
        Err(e) => format!("cannot be read ({e})"),
        Ok(bytes) if !bytes.windows(11).any(|window| window == b"-----BEGIN ") => "holds no PEM".to_owned(),
        Ok(_) => return None,
    };
    Some(format!("{key}: {} {error}", file.display()))
}
