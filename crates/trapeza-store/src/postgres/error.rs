//! Errors of the driver as errors of the store, with texts for the operator.

use crate::error::{Cause, StoreError};
use rustls::{AlertDescription, CertificateError};
use std::error::Error as StdError;
use std::io;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// The unique index over the rows of an audit chain.
const AUDIT_CHAIN_KEY: &str = "audit_event_sequence";

pub(super) fn map_error(error: Error) -> StoreError {
    // The driver's error is not the source: its detail line repeats values of the row.
    let cause = Cause::new(describe(&error));
    let Some(code) = error.code() else { return StoreError::Disconnected(cause) };
    match &code.code()[..2] {
        _ if *code == SqlState::T_R_SERIALIZATION_FAILURE => StoreError::Conflict(cause),
        _ if *code == SqlState::T_R_DEADLOCK_DETECTED => StoreError::Conflict(cause),
        _ if *code == SqlState::UNIQUE_VIOLATION && constraint(&error) == Some(AUDIT_CHAIN_KEY) => {
            StoreError::ChainTaken(cause)
        }
        // A standby that is not promoted yet cannot write; the next connection may reach the new primary.
        _ if *code == SqlState::READ_ONLY_SQL_TRANSACTION => StoreError::Disconnected(cause),
        // The same from BEGIN: a standby has no serializable transactions.
        _ if *code == SqlState::FEATURE_NOT_SUPPORTED => StoreError::Disconnected(cause),
        // This process has stalled in a transaction, which the server has rolled back.
        _ if *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => StoreError::Disconnected(cause),
        // The statement timeout: another attempt would take as long. A COMMIT may have taken effect.
        _ if *code == SqlState::QUERY_CANCELED => StoreError::OutcomeUnknown(cause),
        // Connection exceptions, and the operator's interventions: shutdown, crash, starting up.
        "08" | "57" => StoreError::Disconnected(cause),
        // Insufficient resources, and errors of the server's system.
        "53" | "58" => StoreError::OutcomeUnknown(cause),
        _ => StoreError::Internal(cause),
    }
}

fn constraint(error: &Error) -> Option<&str> {
    error.as_db_error()?.constraint()
}

/// The server's message without its detail line, which repeats values of the row; otherwise the driver's message with its
/// causes, such as a certificate that is not accepted.
fn describe(error: &Error) -> String {
    if let Some(db) = error.as_db_error() {
        return format!("{} ({})", db.message(), db.code().code());
    }
    let mut text = error.to_string();
    let mut source = StdError::source(error);
    while let Some(cause) = source {
        if let Some((tls, sentence)) = tls_error(cause).and_then(|tls| Some((tls, tls_sentence(tls)?))) {
            return format!("{text}: {sentence} ({tls})");
        }
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// An error of TLS, which the stream wraps into one of I/O.
fn tls_error<'a>(cause: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    let wrapped = || cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref();
    cause.downcast_ref().or_else(wrapped)
}

/// What a failed verification means for the operator, by the parameters of the URL.
fn tls_sentence(error: &rustls::Error) -> Option<&'static str> {
    Some(match error {
        rustls::Error::InvalidCertificate(certificate) => match certificate {
            // With the name of a known authority and another key, the signature is wrong.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "the server's certificate was not issued by an authority in sslrootcert"
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "the server's certificate has expired"
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "the server's certificate is not valid yet"
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "the server's certificate is for another host than the one in the URL"
            }
            _ => return None,
        },
        rustls::Error::AlertReceived(AlertDescription::CertificateRequired) => {
            "the server requires a client certificate; set sslcert and sslkey"
        }
        rustls::Error::AlertReceived(
            AlertDescription::UnknownCA
            | AlertDescription::BadCertificate
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateRevoked
            | AlertDescription::CertificateUnknown
            | AlertDescription::DecryptError,
        ) => "the server does not accept the client certificate in sslcert",
        _ => return None,
    })
}
