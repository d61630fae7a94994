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
use std::sync::Arc;

/// What is wrong with the files TLS is made of. Says which one, and nothing of what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFault(String);

impl fmt::Display for TlsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsFault {}

/// TLS 1.2 and 1.3 with the server's own chain and key. A client that shows a certificate gets past the handshake only
/// when its chain ends in `client_ca_pem`.
pub fn tls_config(
    cert_chain_pem: &[u8],
    key_pem: &[u8],
    client_ca_pem: &[u8],
) -> Result<ServerConfig, TlsFault> {
    let chain = certificates(cert_chain_pem, "the server's certificate chain")?;
    let key = PrivateKeyDer::from_pem_slice(key_pem)
        .map_err(|_| TlsFault("the server's key file holds no readable PEM private key".to_owned()))?;
    let mut authorities = RootCertStore::empty();
    for authority in certificates(client_ca_pem, "the client authorities' file")? {
        authorities.add(authority).map_err(|error| {
            TlsFault(format!("the client authorities' file has an unusable one: {error}"))
        })?;
    }
    // Named here, so that no other part of the program can change it by installing a default.
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(authorities), Arc::clone(&provider))
        .allow_unauthenticated()
        .build()
        .map_err(|error| TlsFault(format!("the client authorities cannot be used: {error}")))?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsFault(format!("TLS cannot be set up: {error}")))?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)
        .map_err(|error| {
            TlsFault(format!("the server's certificate and key cannot be used together: {error}"))
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

fn certificates(pem: &[u8], file: &str) -> Result<Vec<CertificateDer<'static>>, TlsFault> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let read = read.map_err(|_| TlsFault(format!("{file} is not well-formed PEM")))?;
    match read.is_empty() {
        true => Err(TlsFault(format!("{file} holds no certificate"))),
        false => Ok(read),
    }
}
