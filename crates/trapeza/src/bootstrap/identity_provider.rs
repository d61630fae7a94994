//! The identity provider with which staff sign in.

use super::secret_line;
use crate::config::{Config, Switch};
use std::sync::Arc;
use trapeza_app::App;
use trapeza_app::staff::LocalSignIn;
use trapeza_courier::{OpenIdProvider, Roots};

/// The identity provider of the staff with whose passwords are still accepted, if configured. Errors name the setting.
pub fn identity_provider(config: &Config) -> Result<Option<(OpenIdProvider, LocalSignIn)>, String> {
    let settings = &config.identity_provider;
    let local_sign_in = match settings.local_sign_in {
        Switch::On => LocalSignIn::Everyone,
        Switch::Off => LocalSignIn::Administrators,
    };
    let Some(issuer) = &settings.issuer else {
        return match local_sign_in {
            LocalSignIn::Everyone => Ok(None),
            LocalSignIn::Administrators => Err(
                "identity_provider.local_sign_in is \"off\" without identity_provider.issuer: only administrators could sign in"
                    .to_owned(),
            ),
        };
    };
    let required = |key: &str| format!("identity_provider.{key} is required with identity_provider.issuer");
    let client_id = settings.client_id.as_ref().ok_or_else(|| required("client_id"))?;
    let name = settings.name.as_ref().ok_or_else(|| required("name"))?;
    let file = settings.client_secret_file.as_ref().ok_or_else(|| required("client_secret_file"))?;
    let secret = secret_line("identity_provider.client_secret_file", file, "secret")?;
    let roots = if issuer.starts_with("https://") {
        let file = settings.ca_file.as_ref().ok_or_else(|| required("ca_file"))?;
        let unread =
            |error| format!("identity_provider.ca_file: {} cannot be read ({error})", file.display());
        Roots::parse(&std::fs::read(file).map_err(unread)?)
            .map_err(|error| format!("identity_provider.ca_file {error}"))?
    } else {
        // A provider on the same machine may speak plain HTTP.
        Roots::default()
    };
    let provider = OpenIdProvider::parse(issuer, name, (client_id, secret), roots);
    let provider = provider.map_err(|error| format!("identity_provider.issuer {error}"))?;
    Ok(Some((provider, local_sign_in)))
}

/// The app with the identity provider of its staff, if configured.
pub fn with_identity_provider(app: App, config: &Config) -> Result<App, String> {
    Ok(match identity_provider(config)? {
        Some((provider, local_sign_in)) => app.with_identity_provider(Arc::new(provider), local_sign_in),
        None => app,
    })
}
