//! Certificates of third parties.

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use trapeza_domain::application::CertificateStatus;
use trapeza_domain::id::ApplicationId;
use trapeza_domain::time::Timestamp;

/// A registered certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateRecord {
    pub fingerprint: [u8; 32],
    pub organisation: String,
    pub status: CertificateStatus,
    /// The end of its validity.
    pub expires_at: Timestamp,
}

impl Tx<'_> {
    pub fn certificate_find(
        &mut self,
        application: ApplicationId,
        fingerprint: &[u8; 32],
    ) -> Result<Option<CertificateRecord>, StoreError> {
        self.query_opt(
            "SELECT fingerprint, organisation, status, expires_at FROM application_certificate
             WHERE application = $1 AND fingerprint = $2",
            params![application, fingerprint],
            certificate,
        )
    }

    /// The certificates of an application, the last to end first.
    pub fn certificate_list(
        &mut self,
        application: ApplicationId,
    ) -> Result<Vec<CertificateRecord>, StoreError> {
        self.query(
            "SELECT fingerprint, organisation, status, expires_at FROM application_certificate
             WHERE application = $1 ORDER BY expires_at DESC, fingerprint",
            params![application],
            certificate,
        )
    }

    /// Registers a certificate, or updates its status when it is registered already.
    pub fn certificate_upsert(
        &mut self,
        application: ApplicationId,
        record: &CertificateRecord,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO application_certificate
                (application, fingerprint, organisation, status, registered_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (application, fingerprint) DO UPDATE SET status = excluded.status",
            params![
                application,
                &record.fingerprint,
                &record.organisation,
                certificate_status_name(record.status),
                now,
                record.expires_at
            ],
        )?;
        Ok(())
    }

    /// When the last active certificate of each third party that is not disabled ends, the first to end first.
    pub fn certificate_expiry_list(&mut self) -> Result<Vec<(ApplicationId, Timestamp)>, StoreError> {
        self.query(
            "SELECT c.application, MAX(c.expires_at) AS ends
             FROM application_certificate c JOIN application a ON a.id = c.application
             WHERE c.status = 'active' AND a.disabled_at IS NULL
             GROUP BY c.application ORDER BY ends, c.application",
            &[],
            |row| Ok((row.read()?, row.read()?)),
        )
    }
}

fn certificate(row: &mut RowReader<'_>) -> Result<CertificateRecord, StoreError> {
    Ok(CertificateRecord {
        fingerprint: row.read()?,
        organisation: row.read()?,
        status: row.parse(certificate_status)?,
        expires_at: row.read()?,
    })
}

const CERTIFICATE_STATUSES: [(CertificateStatus, &str); 3] = [
    (CertificateStatus::Active, "active"),
    (CertificateStatus::Blocked, "blocked"),
    (CertificateStatus::Revoked, "revoked"),
];

pub(super) fn certificate_status(name: &str) -> Option<CertificateStatus> {
    CERTIFICATE_STATUSES.iter().find(|(_, known)| *known == name).map(|(status, _)| *status)
}

fn certificate_status_name(status: CertificateStatus) -> &'static str {
    CERTIFICATE_STATUSES.iter().find(|(known, _)| *known == status).map_or("revoked", |(_, name)| name)
}
