//! The parameters of a connection: those of the driver, and libpq's for TLS, which the driver does not know.

use super::error::map_error;
use crate::error::{Cause, StoreError};
use crate::options::PostgresTimeouts;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::tls::{MakeTlsConnect, TlsConnect};
use tokio_postgres::{Client, Error, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

/// A connection whose server says nothing is probed after this time, unless the URL says otherwise. The driver's default is two hours.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;

#[derive(Clone)]
pub(crate) struct PostgresConfig {
    driver: tokio_postgres::Config,
    /// `None` with `sslmode=disable`.
    tls: Option<MakeRustlsConnect>,
    /// For each host.
    connect_timeout: Duration,
    pub(super) statement_timeout: Duration,
}

/// How the server's certificate is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verification {
    None,
    /// It must be signed by a root certificate.
    Chain,
    /// It must also be valid for the name of the host.
    ChainAndName,
}

/// The TLS parameters of a URL, by libpq's names.
#[derive(Default)]
struct TlsParams {
    sslmode: Option<String>,
    sslrootcert: Option<String>,
    sslcert: Option<String>,
    sslkey: Option<String>,
}

impl PostgresConfig {
    /// Parses a URL. No message contains it, because it may contain a password.
    pub(crate) fn parse(url: &str, timeouts: PostgresTimeouts) -> Result<Self, StoreError> {
        let (url, params) = TlsParams::take(url)?;
        let invalid = |error| StoreError::internal(format!("invalid database URL: {error}"));
        let mut driver: tokio_postgres::Config = url.parse().map_err(invalid)?;
        let connect_timeout = driver.get_connect_timeout().copied();
        let connect_timeout = connect_timeout.unwrap_or(timeouts.connect);
        driver.connect_timeout(connect_timeout);
        if driver.get_tcp_user_timeout().is_none() {
            driver.tcp_user_timeout(timeouts.statement);
        }
        if !url.contains("keepalives") {
            driver.keepalives_idle(KEEPALIVE_IDLE).keepalives_interval(KEEPALIVE_INTERVAL);
            driver.keepalives_retries(KEEPALIVE_RETRIES);
        }
        // A standby that is about to be promoted answers reads from a state that may be older than what was acknowledged.
        if !url.contains("target_session_attrs") {
            driver.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        let (mode, verification) = params.mode()?;
        driver.ssl_mode(mode);
        let tls = match mode {
            SslMode::Disable => None,
            _ => Some(MakeRustlsConnect::new(params.client_config(verification)?)),
        };
        Ok(Self { driver, tls, connect_timeout, statement_timeout: timeouts.statement })
    }

    /// Connects, and drives the connection on the current runtime. An error that ends the connection is reported to the
    /// statement that is in flight.
    pub(super) async fn connect(&self) -> Result<Client, StoreError> {
        let connected = async {
            match &self.tls {
                Some(tls) => connect(&self.driver, tls.clone()).await,
                None => connect(&self.driver, NoTls).await,
            }
        };
        // The driver limits the time for TCP only: a host that accepts connections may still be silent.
        let hosts = u32::try_from(self.driver.get_hosts().len()).unwrap_or(1).max(1);
        match timeout(self.connect_timeout * hosts, connected).await {
            Ok(connected) => connected.map_err(map_error),
            Err(_) => {
                let text = format!("no answer within {} ms of connecting", self.connect_timeout.as_millis());
                Err(StoreError::Disconnected(Cause::new(text)))
            }
        }
    }
}

async fn connect<T>(config: &tokio_postgres::Config, tls: T) -> Result<Client, Error>
where
    T: MakeTlsConnect<Socket> + 'static,
    T::Stream: Send,
    T::TlsConnect: Send,
    <T::TlsConnect as TlsConnect<Socket>>::Future: Send,
{
    let (client, connection) = config.connect(tls).await?;
    tokio::spawn(async { drop(connection.await) });
    Ok(client)
}

impl TlsParams {
    /// Takes the parameters out of the query of a URL and returns the rest.
    fn take(url: &str) -> Result<(String, Self), StoreError> {
        let mut params = Self::default();
        let Some((base, query)) = url.split_once('?') else { return Ok((url.to_owned(), params)) };
        let mut others = Vec::new();
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let place = match name {
                "sslmode" => &mut params.sslmode,
                "sslrootcert" => &mut params.sslrootcert,
                "sslcert" => &mut params.sslcert,
                "sslkey" => &mut params.sslkey,
                _ => {
                    others.push(pair);
                    continue;
                }
            };
            let value = percent_encoding::percent_decode_str(value).decode_utf8();
            *place = Some(value.map_err(|_| error(name, "must be UTF-8"))?.into_owned());
        }
        let rest = if others.is_empty() { base.to_owned() } else { format!("{base}?{}", others.join("&")) };
        Ok((rest, params))
    }

    /// As libpq: a root certificate with `require` is used, and without a mode TLS is used where the server offers it.
    fn mode(&self) -> Result<(SslMode, Verification), StoreError> {
        let has_root = self.sslrootcert.is_some();
        match self.sslmode.as_deref() {
            Some("disable") => Ok((SslMode::Disable, Verification::None)),
            None | Some("prefer") => Ok((SslMode::Prefer, Verification::None)),
            Some("require") if has_root => Ok((SslMode::Require, Verification::Chain)),
            Some("require") => Ok((SslMode::Require, Verification::None)),
            Some("verify-ca" | "verify-full") if !has_root => {
                Err(error("sslrootcert", "is required with sslmode=verify-ca and verify-full"))
            }
            Some("verify-ca") => Ok((SslMode::Require, Verification::Chain)),
            Some("verify-full") => Ok((SslMode::Require, Verification::ChainAndName)),
            Some(_) => Err(error("sslmode", "must be disable, prefer, require, verify-ca or verify-full")),
        }
    }

    fn client_config(&self, verification: Verification) -> Result<ClientConfig, StoreError> {
        let provider = Arc::new(ring::default_provider());
        let verifier: Arc<dyn ServerCertVerifier> = match (&self.sslrootcert, verification) {
            (Some(file), Verification::Chain | Verification::ChainAndName) => {
                let chain =
                    WebPkiServerVerifier::builder_with_provider(roots(file)?.into(), provider.clone());
                let chain = chain.build().map_err(|cause| error("sslrootcert", cause))?;
                match verification {
                    Verification::ChainAndName => chain,
                    _ => Arc::new(LenientVerifier { chain: Some(chain), provider: provider.clone() }),
                }
            }
            _ => Arc::new(LenientVerifier { chain: None, provider: provider.clone() }),
        };
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(StoreError::internal)?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        match (&self.sslcert, &self.sslkey) {
            (None, None) => Ok(builder.with_no_client_auth()),
            (Some(cert), Some(key)) => {
                let key =
                    PrivateKeyDer::from_pem_file(key).map_err(|cause| unreadable("sslkey", key, cause))?;
                let chain = certificates("sslcert", cert)?;
                builder.with_client_auth_cert(chain, key).map_err(|cause| error("sslcert", cause))
            }
            _ => Err(error("sslcert", "and sslkey must be given together")),
        }
    }
}

fn roots(file: &str) -> Result<RootCertStore, StoreError> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates("sslrootcert", file)? {
        roots.add(certificate).map_err(|cause| unreadable("sslrootcert", file, cause))?;
    }
    Ok(roots)
}

fn certificates(name: &str, file: &str) -> Result<Vec<CertificateDer<'static>>, StoreError> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    match read {
        Ok(certificates) if certificates.is_empty() => Err(unreadable(name, file, "no certificate in it")),
        Ok(certificates) => Ok(certificates),
        Err(cause) => Err(unreadable(name, file, cause)),
    }
}

fn error(name: &str, text: impl std::fmt::Display) -> StoreError {
    StoreError::internal(format!("invalid database URL: {name} {text}"))
}

fn unreadable(name: &str, file: &str, cause: impl std::fmt::Display) -> StoreError {
    StoreError::internal(format!("{name} of the database URL: cannot read {file}: {cause}"))
}

/// Verifies the chain without the name, or nothing; signatures of the handshake are always verified.
#[derive(Debug)]
struct LenientVerifier {
    chain: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for LenientVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(end_entity, intermediates, name, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
