//! The settings of the console, and of the identity provider with which staff sign in.

use super::Switch;
use super::parse::{optional_address, optional_path, text};
use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Console {
    #[serde(deserialize_with = "optional_address")]
    pub listen: Option<SocketAddr>,
    #[serde(deserialize_with = "text")]
    pub url: Option<String>,
    pub tls: Switch,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityProvider {
    #[serde(deserialize_with = "text")]
    pub issuer: Option<String>,
    #[serde(deserialize_with = "text")]
    pub client_id: Option<String>,
    #[serde(deserialize_with = "optional_path")]
    pub client_secret_file: Option<PathBuf>,
    #[serde(deserialize_with = "optional_path")]
    pub ca_file: Option<PathBuf>,
    #[serde(deserialize_with = "text")]
    pub name: Option<String>,
    pub local_sign_in: Switch,
}
