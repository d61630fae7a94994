//! The TLS files that the configuration names: loading them, noticing that they have changed, and when they end.

use crate::config::{CertificateMode, Config, ExpiredCrl as ExpiredCrlSetting, Tls};
use crate::file_versions::FileVersions;
use std::path::{Path, PathBuf};
use trapeza_http::Reloadable;
use trapeza_http::server::{
    ExpiredCrl, LoadedTls, SharedTlsConfig, TlsError, TlsExpiry, TlsFile, TlsFiles, tls_config,
};

/// The ends of the files in use, which a reload replaces.
pub type SharedTlsExpiry = Reloadable<TlsExpiry>;

/// The TLS of the running server, which can be reloaded.
#[derive(Clone, Debug)]
pub struct RunningTls {
    /// `None` for plain HTTP.
    pub config: Option<SharedTlsConfig>,
    pub expiry: SharedTlsExpiry,
    /// The files as of the last attempt to load them.
    versions: FileVersions,
}

fn versions(tls: &Tls) -> FileVersions {
    FileVersions::read(&[&tls.certificate, &tls.key, &tls.client_ca, &tls.client_crl])
}

impl RunningTls {
    /// Loads the files. Errors name the setting and the file.
    pub fn load(config: &Config) -> Result<Self, String> {
        // Read before the files, so that a change meanwhile is noticed later.
        let versions = versions(&config.tls);
        let expiry = SharedTlsExpiry::default();
        let loaded = load(config)?.map(|loaded| {
            expiry.replace(loaded.expiry);
            SharedTlsConfig::new(loaded.config)
        });
        Ok(Self { config: loaded, expiry, versions })
    }

    /// Whether a file has changed since the last attempt to load them.
    pub fn have_files_changed(&self, config: &Config) -> bool {
        self.config.is_some() && versions(&config.tls) != self.versions
    }

    /// Loads the files again for new connections. After an error the old ones stay in use.
    pub fn reload(&mut self, config: &Config) -> Result<(), String> {
        self.versions = versions(&config.tls);
        match (&self.config, load(config)?) {
            (Some(shared), Some(loaded)) => {
                shared.replace(loaded.config);
                self.expiry.replace(loaded.expiry);
                Ok(())
            }
            (None, None) => Ok(()),
            _ => Err("TLS cannot be turned on or off without a restart".to_owned()),
        }
    }
}

/// What happens to certificates whose revocation list is out of date.
pub fn expired_crl(config: &Config) -> ExpiredCrl {
    match config.tls.expired_crl {
        ExpiredCrlSetting::Accept => ExpiredCrl::Accept,
        ExpiredCrlSetting::Refuse => ExpiredCrl::Refuse,
    }
}

fn load(config: &Config) -> Result<Option<LoadedTls>, String> {
    let Tls { certificate, key, client_ca, client_crl, .. } = &config.tls;
    let behind_proxy = config.callers.certificate_mode == CertificateMode::Proxy;
    let (certificate, key) = match (certificate, key, client_ca) {
        (None, None, None) => return Ok(None),
        (Some(certificate), Some(key), Some(_)) => (certificate, key),
        (Some(certificate), Some(key), None) if behind_proxy => (certificate, key),
        _ if behind_proxy => return Err("tls.certificate and tls.key must be set together".to_owned()),
        _ => return Err("tls.certificate, tls.key and tls.client_ca must be set together".to_owned()),
    };
    let read = |name: &str, file: &Path| {
        std::fs::read(file).map_err(|error| format!("{name}: {}: {error}", file.display()))
    };
    let read_optional =
        |name: &str, file: &Option<PathBuf>| file.as_deref().map(|file| read(name, file)).transpose();
    let loaded = tls_config(&TlsFiles {
        certificate: &read("tls.certificate", certificate)?,
        key: &read("tls.key", key)?,
        client_ca: read_optional("tls.client_ca", client_ca)?.as_deref(),
        client_crl: read_optional("tls.client_crl", client_crl)?.as_deref(),
        expired_crl: expired_crl(config),
    });
    let named = |error: TlsError| {
        let (name, file) = match error.file {
            TlsFile::Certificate => ("tls.certificate", Some(certificate)),
            TlsFile::Key => ("tls.key", Some(key)),
            TlsFile::ClientCa => ("tls.client_ca", client_ca.as_ref()),
            TlsFile::ClientCrl => ("tls.client_crl", client_crl.as_ref()),
        };
        let file = file.map_or(String::new(), |file| file.display().to_string());
        format!("{name}: {file}: {error}")
    };
    loaded.map(Some).map_err(named)
}
