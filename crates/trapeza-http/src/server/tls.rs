//! TLS with client certificates: who shows one must prove to hold its key, and a known authority must have issued it.
//!
//! A client may show none: customers' browsers and merchants' tills come on the same port. Only the chain is judged
//! here. Which third party it is, what it may do, and that it may do nothing without a certificate, is decided later.

use rustls::crypto::ring;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

pub type TlsConfig = ServerConfig;

/// The files that TLS is configured from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsFile {
    Certificate,
    Key,
    ClientCa,
}

/// What is wrong with one of the files. The text contains nothing of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFault {
    pub file: TlsFile,
    text: String,
}

impl TlsFault {
    fn new(file: TlsFile, text: impl Into<String>) -> Self {
        Self { file, text: text.into() }
    }
}

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for TlsFault {}

/// The TLS configuration of new connections, which can be replaced while the server runs. A connection keeps the
/// configuration that it was established with.
#[derive(Clone, Debug)]
pub struct SharedTlsConfig(Arc<RwLock<Arc<TlsConfig>>>);

impl SharedTlsConfig {
    pub fn new(config: TlsConfig) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(config))))
    }

    pub fn current(&self) -> Arc<TlsConfig> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn replace(&self, config: TlsConfig) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(config);
    }
}

/// TLS 1.2 and 1.3 with the server's own chain and key. A client that shows a certificate gets past the handshake only
/// when its chain ends in `client_ca_pem`.
pub fn tls_config(
    cert_chain_pem: &[u8],
    key_pem: &[u8],
    client_ca_pem: &[u8],
) -> Result<TlsConfig, TlsFault> {
    let chain = certificates(cert_chain_pem, TlsFile::Certificate, "the server's certificate chain")?;
    let key = PrivateKeyDer::from_pem_slice(key_pem).map_err(|_| {
        TlsFault::new(TlsFile::Key, "the server's key file holds no readable PEM private key")
    })?;
    let mut authorities = RootCertStore::empty();
    for authority in certificates(client_ca_pem, TlsFile::ClientCa, "the client authorities' file")? {
        authorities.add(authority).map_err(|error| {
            TlsFault::new(
                TlsFile::ClientCa,
                format!("the client authorities' file has an unusable one: {error}"),
            )
        })?;
    }
    // Named here, so that no other part of the program can change it by installing a default.
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(authorities), Arc::clone(&provider))
        .allow_unauthenticated()
        .build()
        .map_err(|error| {
            TlsFault::new(TlsFile::ClientCa, format!("the client authorities cannot be used: {error}"))
        })?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsFault::new(TlsFile::Certificate, format!("TLS cannot be set up: {error}")))?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)
        .map_err(|error| {
            let text = format!("the server's certificate and key cannot be used together: {error}");
            TlsFault::new(TlsFile::Key, text)
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn certificates(pem: &[u8], file: TlsFile, name: &str) -> Result<Vec<CertificateDer<'static>>, TlsFault> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let read = read.map_err(|_| TlsFault::new(file, format!("{name} is not well-formed PEM")))?;
    match read.is_empty() {
        true => Err(TlsFault::new(file, format!("{name} holds no certificate"))),
        false => Ok(read),
    }
}
