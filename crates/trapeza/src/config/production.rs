//! What production refuses to start with. All problems are reported at once.

use super::{CertificateMode, Config};
use crate::bootstrap;
use crate::root_secret::Secret;
use crate::seal_files::RunningSeals;
use std::path::Path;
use trapeza_domain::egress::EgressPolicy;

/// All problems; empty when the server may start.
pub fn production_faults(config: &Config) -> Vec<String> {
    let mut faults = Vec::new();
    match config.callers.certificate_mode {
        CertificateMode::Mtls => {}
        CertificateMode::Header => faults.push(
            "callers.certificate_mode is \"header\": a certificate is public and alone proves nothing; use \"mtls\" or \"proxy\""
                .to_owned(),
        ),
        CertificateMode::Proxy if config.callers.trusted_proxies.is_empty() => faults.push(
            "callers.trusted_proxies is not set; with callers.certificate_mode \"proxy\" no certificate would be accepted"
                .to_owned(),
        ),
        CertificateMode::Proxy => {}
    }
    match &config.public_url {
        None => faults.push("public_url is not set; it is the https address callers use".to_owned()),
        Some(url) if !url.starts_with("https://") => {
            faults.push(format!("public_url is {url}; it must be https"))
        }
        Some(_) => {}
    }
    faults.extend(tls_faults(config));
    faults.extend(RunningSeals::load(config, None).err());
    match &config.secret_file {
        None => faults.push("secret_file is not set; it is a file of at least 32 random bytes".to_owned()),
        Some(file) => {
            if let Err(fault) = Secret::read(file) {
                faults.push(format!("secret_file: {fault}"));
            }
        }
    }
    if let Some(Err(fault)) = config.previous_secret_file.as_deref().map(Secret::read) {
        faults.push(format!("previous_secret_file: {fault}"));
    }
    faults.extend(bootstrap::database_url(config).err());
    faults.extend(bootstrap::sms_gateway(config).err());
    faults.extend(bootstrap::callback_courier(config, EgressPolicy::Public).err());
    faults.extend(bootstrap::clearing(config).err());
    faults.extend(bootstrap::routes(config).err());
    faults.extend(bootstrap::payee_directory(config).err());
    faults.extend(bootstrap::telemetry(config).err());
    faults
}

/// Behind a proxy that ends TLS the files are optional, but a certificate needs its key.
fn tls_faults(config: &Config) -> Vec<String> {
    let tls = &config.tls;
    let behind_proxy = config.callers.certificate_mode == CertificateMode::Proxy;
    let mut faults = Vec::new();
    for (key, file) in
        [("tls.certificate", &tls.certificate), ("tls.key", &tls.key), ("tls.client_ca", &tls.client_ca)]
    {
        match file {
            None if behind_proxy => {}
            None => faults.push(format!("{key} is not set; mutual TLS needs it")),
            Some(file) => faults.extend(file_fault(key, file)),
        }
    }
    if behind_proxy && tls.certificate.is_some() != tls.key.is_some() {
        faults.push("tls.certificate and tls.key must be set together".to_owned());
    }
    if let Some(file) = &tls.client_crl
        && let Err(error) = std::fs::metadata(file)
    {
        faults.push(format!("tls.client_crl: {} cannot be read ({error})", file.display()));
    }
    faults
}

fn file_fault(key: &str, file: &Path) -> Option<String> {
    let fault = match std::fs::read(file) {
        Err(e) => format!("cannot be read ({e})"),
        Ok(bytes) if !bytes.windows(11).any(|window| window == b"-----BEGIN ") => "holds no PEM".to_owned(),
        Ok(_) => return None,
    };
    Some(format!("{key}: {} {fault}", file.display()))
}
