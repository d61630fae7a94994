//! TLS with client certificates: a client that presents a certificate must prove that it has the private key, and a known
//! authority must have issued the certificate and not have revoked it.
//!
//! A client may present none: customers' browsers and merchants' servers use the same port. Only the chain is verified
//! here. The authentication of third parties decides later which one it is and what it may do.

use rustls::crypto::{CryptoProvider, ring};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use trapeza_domain::time::{TimeDelta, Timestamp};
use x509_cert::certificate::{CertificateInner, Raw};
use x509_cert::crl::CertificateList;
use x509_cert::der::Decode;
use x509_cert::time::Time;

pub type TlsConfig = ServerConfig;

/// The files that TLS is configured from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsFile {
    Certificate,
    Key,
    ClientCa,
    ClientCrl,
}

/// The contents of the files.
#[derive(Clone, Copy, Debug)]
pub struct TlsFiles<'a> {
    /// The server's certificate chain and key, in PEM.
    pub certificate: &'a [u8],
    pub key: &'a [u8],
    /// The authorities of client certificates, in PEM. Without them no client certificate is requested.
    pub client_ca: Option<&'a [u8]>,
    /// Their revocation lists, in PEM, or one in DER.
    pub client_crl: Option<&'a [u8]>,
    pub expired_crl: ExpiredCrl,
}

/// What happens to client certificates whose authority has a revocation list that is out of date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiredCrl {
    /// The list is used as it is.
    Accept,
    /// The certificates are refused.
    Refuse,
}

/// The configuration, and when the files that it was loaded from expire.
#[derive(Debug)]
pub struct LoadedTls {
    pub config: TlsConfig,
    pub expiry: TlsExpiry,
}

/// When the first certificate or revocation list of each file ends; `None` where there is no file or no end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TlsExpiry {
    pub certificate: Option<Timestamp>,
    pub client_ca: Option<Timestamp>,
    pub client_crl: Option<Timestamp>,
}

/// What is wrong with one of the files. The text contains nothing of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsError {
    pub file: TlsFile,
    text: String,
}

impl TlsError {
    fn new(file: TlsFile, text: impl Into<String>) -> Self {
        Self { file, text: text.into() }
    }
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for TlsError {}

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

/// TLS 1.2 and 1.3 with the server's own chain and key. The handshake of a client that shows a certificate succeeds only
/// when its chain ends in one of the authorities and no certificate of it is in their revocation lists.
pub fn tls_config(files: &TlsFiles<'_>) -> Result<LoadedTls, TlsError> {
    let chain = certificates(files.certificate, TlsFile::Certificate, "the server's certificate chain")?;
    let key = PrivateKeyDer::from_pem_slice(files.key).map_err(|_| {
        TlsError::new(TlsFile::Key, "the server's key file holds no readable PEM private key")
    })?;
    let mut expiry = TlsExpiry { certificate: first_end(&chain), ..TlsExpiry::default() };
    // Named here, so that no other part of the program can change it by installing a default.
    let provider = Arc::new(ring::default_provider());
    let verifier = match files.client_ca {
        None => WebPkiClientVerifier::no_client_auth(),
        Some(pem) => client_verifier(files, pem, &provider, &mut expiry)?,
    };
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::new(TlsFile::Certificate, format!("TLS cannot be set up: {error}")))?
        .with_client_cert_verifier(verifier)
        .with_single_cert(chain, key)
        .map_err(|error| {
            let text = format!("the server's certificate and key cannot be used together: {error}");
            TlsError::new(TlsFile::Key, text)
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(LoadedTls { config, expiry })
}

fn client_verifier(
    files: &TlsFiles<'_>,
    client_ca: &[u8],
    provider: &Arc<CryptoProvider>,
    expiry: &mut TlsExpiry,
) -> Result<Arc<dyn ClientCertVerifier>, TlsError> {
    let authorities = certificates(client_ca, TlsFile::ClientCa, "the client authorities' file")?;
    expiry.client_ca = first_end(&authorities);
    let mut roots = RootCertStore::empty();
    for authority in authorities {
        roots.add(authority).map_err(|error| {
            let text = format!("the client authorities' file has an unusable one: {error}");
            TlsError::new(TlsFile::ClientCa, text)
        })?;
    }
    let lists = files.client_crl.map(revocation_lists).transpose();
    let lists = lists.map_err(|text| TlsError::new(TlsFile::ClientCrl, text))?.unwrap_or_default();
    expiry.client_crl = lists.iter().filter_map(crl_end).min();
    let mut builder = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
        .allow_unauthenticated()
        // Not every authority publishes a list.
        .allow_unknown_revocation_status()
        .with_crls(lists);
    if files.expired_crl == ExpiredCrl::Refuse {
        builder = builder.enforce_revocation_expiration();
    }
    builder.build().map_err(|error| match error {
        VerifierBuilderError::InvalidCrl(error) => {
            TlsError::new(TlsFile::ClientCrl, format!("a revocation list cannot be used: {error:?}"))
        }
        error => TlsError::new(TlsFile::ClientCa, format!("the client authorities cannot be used: {error}")),
    })
}

fn certificates(pem: &[u8], file: TlsFile, name: &str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    pem_certificates(pem).map_err(|text| TlsError::new(file, format!("{name} {text}")))
}

/// All certificates of a file.
pub(crate) fn pem_certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, &'static str> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let read = read.map_err(|_| "is not well-formed PEM")?;
    if read.is_empty() { Err("holds no certificate") } else { Ok(read) }
}

/// Authorities publish lists in DER; a file with the lists of several has them in PEM.
pub(crate) fn revocation_lists(
    content: &[u8],
) -> Result<Vec<CertificateRevocationListDer<'static>>, &'static str> {
    if !content.is_empty() && memchr::memmem::find(content, b"-----BEGIN ").is_none() {
        return Ok(vec![CertificateRevocationListDer::from(content.to_vec())]);
    }
    let read: Result<Vec<_>, _> = CertificateRevocationListDer::pem_slice_iter(content).collect();
    let read = read.map_err(|_| "the file is not well-formed PEM")?;
    if read.is_empty() { Err("the file contains no revocation list") } else { Ok(read) }
}

/// When the first of several certificates ends.
pub(crate) fn first_end(certificates: &[CertificateDer<'_>]) -> Option<Timestamp> {
    let expiry = certificates.iter().filter_map(|der| {
        // Issuers differ in what they consider a valid serial number; it is not used.
        let certificate = CertificateInner::<Raw>::from_der(der).ok()?;
        Some(timestamp(certificate.tbs_certificate.validity.not_after))
    });
    expiry.min()
}

/// When a revocation list is out of date.
pub(crate) fn crl_end(der: &CertificateRevocationListDer<'_>) -> Option<Timestamp> {
    let list = CertificateList::from_der(der).ok()?;
    list.tbs_cert_list.next_update.map(timestamp)
}

fn timestamp(time: Time) -> Timestamp {
    let seconds = i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
    Timestamp(0).plus(TimeDelta(seconds.saturating_mul(1_000_000)))
}
