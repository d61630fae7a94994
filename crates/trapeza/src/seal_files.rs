//! The files of electronic seals that the configuration names: the authorities of third parties' seals and the bank's own seal.

use crate::config::{Config, SignatureRequirement};
use crate::file_versions::FileVersions;
use crate::tls_files::expired_crl;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use trapeza_domain::time::Timestamp;
use trapeza_http::Reloadable;
use trapeza_http::signature::{
    LoadedAuthorities, LoadedSeal, Seal, SealAuthorities, SealError, SealFile, SignatureMode,
    SignatureSettings,
};

/// When the first certificate or list of each file ends; `None` where there is no file or no end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SealExpiry {
    pub seal: Option<Timestamp>,
    pub authorities: Option<Timestamp>,
    pub revocation_lists: Option<Timestamp>,
}

/// The seals of the running server, which can be reloaded.
#[derive(Clone, Debug)]
pub struct RunningSeals {
    pub settings: SignatureSettings,
    pub expiry: Reloadable<SealExpiry>,
    /// The authority of the sandbox's demo seals, in PEM, for a configuration without one.
    demo_authority: Option<String>,
    /// The files as of the last attempt to load them.
    versions: FileVersions,
}

impl RunningSeals {
    /// Loads the files. Errors name the setting and the file.
    pub fn load(config: &Config, demo_authority: Option<String>) -> Result<Self, String> {
        // Read before the files, so that a change meanwhile is noticed later.
        let versions = versions(config);
        let (authorities, seal) = (load_authorities(config, demo_authority.as_deref())?, load_seal(config)?);
        let expiry = Reloadable::default();
        expiry.replace(expiry_of(authorities.as_ref(), seal.as_ref()));
        let settings = SignatureSettings {
            mode: match config.callers.signature {
                SignatureRequirement::Off => SignatureMode::Off,
                SignatureRequirement::Optional => SignatureMode::Optional,
                SignatureRequirement::Required => SignatureMode::Required,
            },
            authorities: authorities
                .map_or_else(Reloadable::default, |loaded| Reloadable::new(loaded.authorities)),
            seal: seal.map(|loaded| Reloadable::new(loaded.seal)),
        };
        Ok(Self { settings, expiry, demo_authority, versions })
    }

    /// Whether a file has changed since the last attempt to load them.
    pub fn have_files_changed(&self, config: &Config) -> bool {
        versions(config) != self.versions
    }

    /// Loads the files again for new requests. After an error the old ones stay in use.
    pub fn reload(&mut self, config: &Config) -> Result<(), String> {
        self.versions = versions(config);
        let (authorities, seal) =
            (load_authorities(config, self.demo_authority.as_deref())?, load_seal(config)?);
        let is_verified = self.settings.mode != SignatureMode::Off;
        if self.settings.seal.is_some() != seal.is_some() || is_verified != authorities.is_some() {
            return Err("signatures cannot be turned on or off without a restart".to_owned());
        }
        let expiry = expiry_of(authorities.as_ref(), seal.as_ref());
        if let Some(loaded) = authorities {
            self.settings.authorities.replace(loaded.authorities);
        }
        if let (Some(shared), Some(loaded)) = (&self.settings.seal, seal) {
            shared.replace(loaded.seal);
        }
        self.expiry.replace(expiry);
        Ok(())
    }
}

/// The versions of the files that are used.
fn versions(config: &Config) -> FileVersions {
    let (callers, tls, seal) = (&config.callers, &config.tls, &config.seal);
    let mut files = vec![&seal.certificate, &seal.key];
    if callers.signature != SignatureRequirement::Off {
        files.extend([&callers.seal_ca, &callers.seal_crl, &tls.client_ca, &tls.client_crl]);
    }
    FileVersions::read(&files)
}

fn expiry_of(authorities: Option<&LoadedAuthorities>, seal: Option<&LoadedSeal>) -> SealExpiry {
    SealExpiry {
        seal: seal.and_then(|loaded| loaded.end),
        authorities: authorities.and_then(|loaded| loaded.end),
        revocation_lists: authorities.and_then(|loaded| loaded.list_end),
    }
}

/// The authorities, when signatures are verified: those of `callers.seal_ca`, or else those of client certificates.
fn load_authorities(config: &Config, demo: Option<&str>) -> Result<Option<LoadedAuthorities>, String> {
    if config.callers.signature == SignatureRequirement::Off {
        return Ok(None);
    }
    let (callers, tls) = (&config.callers, &config.tls);
    let (ca, crl) = match (&callers.seal_ca, &tls.client_ca) {
        (Some(file), _) => (Some(("callers.seal_ca", file)), None),
        (None, client_ca) => (
            client_ca.as_ref().map(|file| ("tls.client_ca", file)),
            tls.client_crl.as_ref().map(|file| ("tls.client_crl", file)),
        ),
    };
    let crl = callers.seal_crl.as_ref().map(|file| ("callers.seal_crl", file)).or(crl);
    let certificates = match (ca, demo) {
        (Some((name, file)), _) => read(name, file)?,
        (None, Some(pem)) => pem.as_bytes().to_vec(),
        (None, None) => {
            return Err("callers.seal_ca is not set; callers.signature needs the authorities of seals, and \
                        tls.client_ca is not set either"
                .to_owned());
        }
    };
    let lists = crl.map(|(name, file)| read(name, file)).transpose()?;
    let loaded = SealAuthorities::load(&certificates, lists.as_deref(), expired_crl(config));
    loaded.map(Some).map_err(|error| {
        let place = if error.file == SealFile::RevocationLists { crl } else { ca };
        named(place, &error)
    })
}

/// The bank's seal, if configured.
fn load_seal(config: &Config) -> Result<Option<LoadedSeal>, String> {
    let (certificate, key) = match (&config.seal.certificate, &config.seal.key) {
        (None, None) => return Ok(None),
        (Some(certificate), Some(key)) => (certificate, key),
        _ => return Err("seal.certificate and seal.key must be set together".to_owned()),
    };
    let unreadable = |error| format!("seal.key: {}: {error}", key.display());
    if std::fs::metadata(key).map_err(unreadable)?.permissions().mode() & 0o007 != 0 {
        return Err(format!(
            "seal.key: {} is readable by every user; replace the seal and run chmod 600 on its key",
            key.display()
        ));
    }
    let loaded = Seal::load(&read("seal.certificate", certificate)?, &read("seal.key", key)?);
    loaded.map(Some).map_err(|error| match error.file {
        SealFile::Key => named(Some(("seal.key", key)), &error),
        _ => named(Some(("seal.certificate", certificate)), &error),
    })
}

fn read(name: &str, file: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|error| format!("{name}: {}: {error}", file.display()))
}

fn named(place: Option<(&str, &PathBuf)>, error: &SealError) -> String {
    match place {
        Some((name, file)) => format!("{name}: {}: {error}", file.display()),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Mode, Sources};
    use crate::demo::authority::{ApplicationOwner, Authority, Validity};
    use trapeza_domain::application::Role;

    const NOW: Timestamp = Timestamp(1_794_700_800_000_000);

    fn config() -> Config {
        let sources =
            Sources { mode: Mode::Production, file: None, environment: Vec::new(), flags: Vec::new() };
        sources.load().unwrap().config
    }

    fn write(directory: &Path, name: &str, content: &str, mode: u32) -> Option<PathBuf> {
        let file = directory.join(name);
        std::fs::write(&file, content).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        Some(file)
    }

    #[test]
    fn files_are_loaded_with_their_ends_and_a_faulty_one_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path();
        let authority = Authority::generate(NOW).unwrap();
        let owner =
            ApplicationOwner { name: "Bank", organisation: "PSDGR-BOG-9", roles: &[Role::AccountServicing] };
        let issued = authority.issue_seal(owner, Validity::TenYears).unwrap();
        let tls = authority.issue(owner, Validity::TenYears).unwrap();
        let mut good = config();
        good.callers.signature = SignatureRequirement::Required;
        good.callers.seal_ca = write(directory, "ca.pem", &authority.certificate_pem(), 0o644);
        good.seal.certificate = write(directory, "seal.pem", &issued.certificate_pem, 0o644);
        good.seal.key = write(directory, "seal.key", &issued.key_pem, 0o600);
        let loaded = RunningSeals::load(&good, None).unwrap();
        assert_eq!(loaded.settings.mode, SignatureMode::Required);
        let expiry = loaded.expiry.current();
        assert!(
            expiry.seal.is_some() && expiry.seal == expiry.authorities && expiry.revocation_lists.is_none()
        );

        let refused = |change: &dyn Fn(&mut Config), expected: &str| {
            let mut config = good.clone();
            change(&mut config);
            let error = RunningSeals::load(&config, None).unwrap_err();
            assert!(error.contains(expected), "{error}");
        };
        refused(&|config| config.callers.seal_ca = None, "callers.seal_ca is not set");
        refused(&|config| config.callers.seal_ca = config.seal.key.clone(), "callers.seal_ca: ");
        refused(&|config| config.callers.seal_crl = config.seal.key.clone(), "callers.seal_crl: ");
        refused(&|config| config.callers.seal_crl = Some(directory.join("none")), "callers.seal_crl: ");
        refused(&|config| config.seal.key = None, "seal.certificate and seal.key must be set together");
        refused(&|config| config.seal.key = Some(directory.join("none")), "seal.key: ");
        let open = write(directory, "open.key", &issued.key_pem, 0o644);
        refused(&|config| config.seal.key = open.clone(), "readable by every user");
        let other = write(directory, "other.key", &tls.key_pem, 0o600);
        refused(&|config| config.seal.key = other.clone(), "not that of the seal's certificate");
        let for_tls = write(directory, "tls.pem", &tls.certificate_pem, 0o644);
        refused(&|config| config.seal.certificate = for_tls.clone(), "seal.certificate: ");
    }

    #[test]
    fn authorities_of_seals_are_those_of_client_certificates_by_default_and_the_demos_in_a_sandbox() {
        let directory = tempfile::tempdir().unwrap();
        let authority = Authority::generate(NOW).unwrap();
        let mut config = config();
        config.callers.signature = SignatureRequirement::Optional;
        assert!(RunningSeals::load(&config, None).is_err());
        let demo = RunningSeals::load(&config, Some(authority.certificate_pem())).unwrap();
        assert!(demo.expiry.current().authorities.is_some());
        config.tls.client_ca = write(directory.path(), "ca.pem", &authority.certificate_pem(), 0o644);
        assert!(RunningSeals::load(&config, None).unwrap().expiry.current().authorities.is_some());
        config.callers.signature = SignatureRequirement::Off;
        config.tls.client_ca = Some(directory.path().join("none"));
        let off = RunningSeals::load(&config, None).unwrap();
        assert_eq!(off.settings.mode, SignatureMode::Off, "the files are not read");
    }

    #[test]
    fn reload_cannot_turn_signatures_on() {
        let config = config();
        let mut seals = RunningSeals::load(&config, None).unwrap();
        assert_eq!(seals.reload(&config), Ok(()));
        let mut changed = config.clone();
        changed.callers.signature = SignatureRequirement::Required;
        let demo = Authority::generate(NOW).unwrap().certificate_pem();
        seals.demo_authority = Some(demo);
        assert!(seals.reload(&changed).unwrap_err().contains("restart"));
    }
}
