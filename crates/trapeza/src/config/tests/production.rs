//! What production refuses.

use super::*;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// A configuration that production accepts, in its own directory.
fn production_config(dir: &Path) -> Config {
    let write = |name: &str, bytes: &[u8]| {
        let path = dir.join(name);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        path.to_string_lossy().into_owned()
    };
    let pem = write("pem", b"-----BEGIN CERTIFICATE-----\n");
    let secret = write("secret", crate::root_secret::Secret::generate().unwrap().bytes());
    let variables = [
        ("TRAPEZA_PUBLIC_URL", "https://bank.example"),
        ("TRAPEZA_TLS_CERTIFICATE", &pem),
        ("TRAPEZA_TLS_KEY", &pem),
        ("TRAPEZA_TLS_CLIENT_CA", &pem),
        ("TRAPEZA_SECRET_FILE", &secret),
    ];
    Sources { environment: environment(&variables), ..sources() }.load().unwrap().config
}

#[test]
fn production_accepts_a_complete_configuration() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(production_problems(&production_config(dir.path())), Vec::<String>::new());
}

#[test]
fn production_reports_all_missing_settings() {
    let problems = production_problems(&sources().load().unwrap().config);
    let starts: Vec<&str> = problems.iter().map(|error| error.split(' ').next().unwrap()).collect();
    assert_eq!(starts, ["public_url", "tls.certificate", "tls.key", "tls.client_ca", "secret_file"]);
}

#[test]
fn production_refuses_each_unsafe_setting() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |change: &dyn Fn(&mut Config), expected: &str| {
        let mut config = production_config(dir.path());
        change(&mut config);
        let problems = production_problems(&config);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains(expected), "{problems:?}");
    };
    let weak = dir.path().join("weak");
    refused(&|config| config.callers.certificate_mode = CertificateMode::Header, "certificate is public");
    refused(&|config| config.callers.certificate_mode = CertificateMode::Proxy, "trusted_proxies is not set");
    let proxied = |config: &mut Config| {
        config.callers.certificate_mode = CertificateMode::Proxy;
        config.callers.trusted_proxies = TrustedProxies::parse("10.0.0.7").unwrap();
        (config.tls.certificate, config.tls.client_ca) = (None, None);
    };
    refused(&proxied, "tls.certificate and tls.key must be set together");
    let mut config = production_config(dir.path());
    proxied(&mut config);
    config.tls.key = None;
    assert_eq!(production_problems(&config), Vec::<String>::new(), "the proxy ends TLS");
    refused(&|config| config.tls.client_crl = Some(weak.clone()), "tls.client_crl");
    refused(&|config| config.public_url = Some("http://bank.example".to_owned()), "it must be https");
    refused(&|config| config.tls.key = None, "tls.key is not set");
    let outside = |config: &mut Config| config.console.listen = Some("0.0.0.0:9465".parse().unwrap());
    refused(&outside, "console.listen is 0.0.0.0:9465 without TLS");
    refused(&|config| config.console.url = Some("http://bank.example".to_owned()), "without TLS");
    for has_proxy in [true, false] {
        let mut config = production_config(dir.path());
        outside(&mut config);
        match has_proxy {
            true => config.console.url = Some("https://console.bank.example".to_owned()),
            false => config.console.tls = Switch::On,
        }
        assert_eq!(production_problems(&config), Vec::<String>::new());
    }
    refused(&|config| config.tls.client_ca = Some(weak.clone()), "cannot be read");
    std::fs::write(&weak, [7; 32]).unwrap();
    refused(&|config| config.tls.certificate = Some(weak.clone()), "holds no PEM");
    refused(&|config| config.secret_file = Some(weak.clone()), "readable by every user");
    std::fs::set_permissions(&weak, std::fs::Permissions::from_mode(0o600)).unwrap();
    refused(&|config| config.secret_file = Some(weak.clone()), "is not random");
    std::fs::write(&weak, "short").unwrap();
    refused(&|config| config.secret_file = Some(weak.clone()), "are required");
    let sms = |config: &mut Config, url: &str| {
        config.sms.url = Some(url.to_owned());
        config.sms.token_file = Some(weak.clone());
        config.sms.ca_file = config.tls.client_ca.clone();
    };
    refused(&|config| config.sms.url = Some("https://sms.example/".to_owned()), "sms.token_file is required");
    refused(&|config| sms(config, "https://sms.example/"), "sms.ca_file contains no CA certificate");
    let database = |config: &mut Config, file: &Path| {
        config.database = Some(DatabaseUrl::parse("postgres://bank@db.example/bank").unwrap());
        config.database_password_file = Some(file.to_owned());
    };
    let unreadable = dir.path().join("missing");
    refused(&|config| database(config, &unreadable), "database_password_file: ");
    refused(&|config| config.database_password_file = Some(weak.clone()), "without database");
    let empty = dir.path().join("empty");
    std::fs::write(&empty, "\n").unwrap();
    std::fs::set_permissions(&empty, std::fs::Permissions::from_mode(0o644)).unwrap();
    refused(&|config| database(config, &empty), "readable by every user");
    std::fs::set_permissions(&empty, std::fs::Permissions::from_mode(0o600)).unwrap();
    refused(&|config| database(config, &empty), "contains no password");
    let url = Some("https://vop.example/".to_owned());
    refused(
        &|config| config.payee_verification.url = url.clone(),
        "payee_verification.token_file is required",
    );
    refused(&|config| config.clearing.done = Some(dir.path().to_owned()), "must be set together");
    let folders = |config: &mut Config, outgoing: &Path| {
        config.clearing.outgoing = Some(outgoing.to_owned());
        config.clearing.incoming = Some(dir.path().to_owned());
        config.clearing.done = Some(dir.path().to_owned());
    };
    refused(&|config| folders(config, &weak), "cannot use the directories");
    refused(&|config| folders(config, &dir.path().join("nowhere")), "cannot use the directories");
}

#[test]
fn identity_provider_needs_a_client_and_a_protected_secret() {
    let dir = tempfile::tempdir().unwrap();
    let secret = dir.path().join("client_secret");
    std::fs::write(&secret, "s3cret\n").unwrap();
    let refused = |mode: u32, change: &dyn Fn(&mut IdentityProvider), expected: &str| {
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut config = production_config(dir.path());
        let provider = &mut config.identity_provider;
        provider.issuer = Some("http://127.0.0.1:1".to_owned());
        (provider.client_id, provider.client_secret_file) =
            (Some("console".to_owned()), Some(secret.clone()));
        change(provider);
        assert_eq!(production_problems(&config).join("\n").split(' ').next().unwrap(), expected);
    };
    refused(0o600, &|_| {}, "");
    refused(0o644, &|_| {}, "identity_provider.client_secret_file:");
    refused(0o600, &|provider| provider.client_secret_file = None, "identity_provider.client_secret_file");
    refused(0o600, &|provider| provider.client_id = None, "identity_provider.client_id");
    refused(
        0o600,
        &|provider| provider.issuer = Some("http://id.example".to_owned()),
        "identity_provider.issuer",
    );
    let https = |provider: &mut IdentityProvider| {
        (provider.issuer, provider.ca_file) = (Some("https://id.example".to_owned()), None);
    };
    refused(0o600, &https, "identity_provider.ca_file");
    let only_local = |provider: &mut IdentityProvider| {
        (provider.issuer, provider.local_sign_in) = (None, Switch::Off);
    };
    refused(0o600, &only_local, "identity_provider.local_sign_in");
}
