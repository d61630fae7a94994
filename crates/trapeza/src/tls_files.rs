//! The TLS files that the configuration names: loading them, noticing that they have changed, and when they end.

use crate::config::{CertificateMode, Config, ExpiredCrl as ExpiredCrlSetting, Tls};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use trapeza_http::server::{
    ExpiredCrl, LoadedTls, SharedTlsConfig, TlsEnds, TlsFault, TlsFile, TlsFiles, tls_config,
};

/// The ends of the files in use, which a reload replaces.
#[derive(Clone, Debug, Default)]
pub struct SharedTlsEnds(Arc<RwLock<TlsEnds>>);

impl SharedTlsEnds {
    pub fn current(&self) -> TlsEnds {
        *self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn replace(&self, ends: TlsEnds) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = ends;
    }
}

/// The TLS of the running server, which can be reloaded.
#[derive(Clone, Debug)]
pub struct RunningTls {
    /// `None` for plain HTTP.
    pub config: Option<SharedTlsConfig>,
    pub ends: SharedTlsEnds,
    /// The files as of the last attempt to load them.
    versions: FileVersions,
}

/// Which versions of the files are on the disk: inode, time of the last change and size of each.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileVersions([Option<(u64, i64, i64, u64)>; 4]);

impl FileVersions {
    fn read(tls: &Tls) -> Self {
        let version = |file: &Option<PathBuf>| {
            let metadata = std::fs::metadata(file.as_ref()?).ok()?;
            Some((metadata.ino(), metadata.mtime(), metadata.mtime_nsec(), metadata.size()))
        };
        Self([&tls.certificate, &tls.key, &tls.client_ca, &tls.client_crl].map(version))
    }
}

impl RunningTls {
    /// Loads the files. Errors name the setting and the file.
    pub fn load(config: &Config) -> Result<Self, String> {
        // Read before the files, so that a change meanwhile is noticed later.
        let versions = FileVersions::read(&config.tls);
        let ends = SharedTlsEnds::default();
        let loaded = load(config)?.map(|loaded| {
            ends.replace(loaded.ends);
            SharedTlsConfig::new(loaded.config)
        });
        Ok(Self { config: loaded, ends, versions })
    }

    /// Whether a file has changed since the last attempt to load them.
    pub fn have_files_changed(&self, config: &Config) -> bool {
        self.config.is_some() && FileVersions::read(&config.tls) != self.versions
    }

    /// Loads the files again for new connections. After an error the old ones stay in use.
    pub fn reload(&mut self, config: &Config) -> Result<(), String> {
        self.versions = FileVersions::read(&config.tls);
        match (&self.config, load(config)?) {
            (Some(shared), Some(loaded)) => {
                shared.replace(loaded.config);
                self.ends.replace(loaded.ends);
                Ok(())
            }
            (None, None) => Ok(()),
            _ => Err("TLS cannot be turned on or off without a restart".to_owned()),
        }
    }
}

fn load(config: &Config) -> Result<Option<LoadedTls>, String> {
    let Tls { certificate, key, client_ca, client_crl, expired_crl } = &config.tls;
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
        expired_crl: match expired_crl {
            ExpiredCrlSetting::Accept => ExpiredCrl::Accept,
            ExpiredCrlSetting::Refuse => ExpiredCrl::Refuse,
        },
    });
    let named = |fault: TlsFault| {
        let (name, file) = match fault.file {
            TlsFile::Certificate => ("tls.certificate", Some(certificate)),
            TlsFile::Key => ("tls.key", Some(key)),
            TlsFile::ClientCa => ("tls.client_ca", client_ca.as_ref()),
            TlsFile::ClientCrl => ("tls.client_crl", client_crl.as_ref()),
        };
        let file = file.map_or(String::new(), |file| file.display().to_string());
        format!("{name}: {file}: {fault}")
    };
    loaded.map(Some).map_err(named)
}
