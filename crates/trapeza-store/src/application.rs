//! Applications with their addresses; in the modules below their subscription keys, certificates and webhook secrets.

mod certificate;
mod key;
mod webhook_secret;

pub use certificate::CertificateRecord;
pub use key::KeyRecord;

use crate::error::StoreError;
use crate::params;
use crate::tx::Tx;
use crate::value::RowReader;
use certificate::certificate_status;
use trapeza_domain::application::{Application, ApplicationOwner, CertificateStatus, MerchantUrls};
use trapeza_domain::id::{ApplicationId, OrganisationId};
use trapeza_domain::time::Timestamp;

/// An application with its URLs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApplicationRecord {
    pub application: Application,
    pub created_at: Timestamp,
    pub urls: MerchantUrls,
    /// Since when its keys are refused.
    pub disabled_at: Option<Timestamp>,
}

/// A certificate with the application that it is registered for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisteredCertificate {
    pub application: Application,
    pub status: Option<CertificateStatus>,
    /// Whether the application is disabled.
    pub is_disabled: bool,
}

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT a.id, a.merchant, m.currency, a.name, a.sandbox, a.created_at, a.success_callback_url, a.fail_callback_url,
                    a.success_redirect_uri, a.failure_redirect_uri, a.disabled_at ",
            $rest
        )
    };
}

impl Tx<'_> {
    /// The application of a subscription key that is not retired. A disabled application is not found.
    pub fn application_by_key(&mut self, hash: &[u8; 32]) -> Result<Option<ApplicationRecord>, StoreError> {
        self.query_opt(
            select!(
                "FROM application_key k JOIN application a ON a.id = k.application
                 LEFT JOIN merchant m ON m.id = a.merchant
                 WHERE k.hash = $1 AND k.retired_at IS NULL AND a.disabled_at IS NULL"
            ),
            params![hash],
            application_record,
        )
    }

    /// The same, with the status of one of the application's certificates: `None` when it is not registered.
    pub fn application_by_key_and_certificate(
        &mut self,
        hash: &[u8; 32],
        fingerprint: &[u8; 32],
    ) -> Result<Option<(Application, Option<CertificateStatus>)>, StoreError> {
        self.query_opt(
            "SELECT a.id, a.merchant, m.currency, a.name, a.sandbox, c.status
             FROM application_key k JOIN application a ON a.id = k.application
             LEFT JOIN merchant m ON m.id = a.merchant
             LEFT JOIN application_certificate c ON c.application = a.id AND c.fingerprint = $2
             WHERE k.hash = $1 AND k.retired_at IS NULL AND a.disabled_at IS NULL",
            params![hash, fingerprint],
            |row| Ok((application(row)?, row.parse_opt(certificate_status)?)),
        )
    }

    /// The third parties that a certificate is registered for.
    pub fn application_by_certificate(
        &mut self,
        fingerprint: &[u8; 32],
    ) -> Result<Vec<RegisteredCertificate>, StoreError> {
        self.query(
            "SELECT a.id, a.merchant, m.currency, a.name, a.sandbox, c.status, a.disabled_at
             FROM application_certificate c JOIN application a ON a.id = c.application
             LEFT JOIN merchant m ON m.id = a.merchant
             WHERE c.fingerprint = $1 ORDER BY a.created_at, a.id",
            params![fingerprint],
            |row| {
                Ok(RegisteredCertificate {
                    application: application(row)?,
                    status: row.parse_opt(certificate_status)?,
                    is_disabled: row.read::<Option<Timestamp>>()?.is_some(),
                })
            },
        )
    }

    /// The applications that have a certificate of this organizationIdentifier, and of each whether it is enabled and has an active one.
    /// Those that have none are found as well: to revoke the certificate of one of two must not make the other the only one.
    pub fn application_by_certificate_organisation(
        &mut self,
        organisation: &str,
    ) -> Result<Vec<(Application, bool)>, StoreError> {
        self.query(
            "SELECT a.id, a.merchant, m.currency, a.name, a.sandbox,
                    a.disabled_at IS NULL AND EXISTS (
                        SELECT 1 FROM application_certificate c
                        WHERE c.application = a.id AND c.organisation = $1 AND c.status = 'active')
             FROM application a LEFT JOIN merchant m ON m.id = a.merchant
             WHERE EXISTS (
                SELECT 1 FROM application_certificate c WHERE c.application = a.id AND c.organisation = $1)
             ORDER BY a.created_at, a.id",
            params![organisation],
            |row| Ok((application(row)?, row.read()?)),
        )
    }

    pub fn application_find(&mut self, id: ApplicationId) -> Result<Option<ApplicationRecord>, StoreError> {
        self.query_opt(
            select!("FROM application a LEFT JOIN merchant m ON m.id = a.merchant WHERE a.id = $1"),
            params![id],
            application_record,
        )
    }

    /// All applications except the bank's own, oldest first.
    pub fn application_list(&mut self) -> Result<Vec<ApplicationRecord>, StoreError> {
        self.query(
            select!(
                "FROM application a LEFT JOIN merchant m ON m.id = a.merchant
                 WHERE a.id <> $1 ORDER BY a.created_at, a.id"
            ),
            params![ApplicationId::BANK],
            application_record,
        )
    }

    /// The applications of an organisation, oldest first.
    pub fn application_list_by_organisation(
        &mut self,
        organisation: OrganisationId,
    ) -> Result<Vec<ApplicationRecord>, StoreError> {
        self.query(
            select!(
                "FROM application a LEFT JOIN merchant m ON m.id = a.merchant
                 WHERE a.organisation = $1 ORDER BY a.created_at, a.id"
            ),
            params![organisation],
            application_record,
        )
    }

    pub fn application_insert(&mut self, record: &ApplicationRecord) -> Result<(), StoreError> {
        let ApplicationRecord { application, created_at, urls, disabled_at } = record;
        let merchant = match application.owner {
            ApplicationOwner::ThirdParty => None,
            ApplicationOwner::Merchant { id, .. } => Some(id),
        };
        self.execute(
            "INSERT INTO application (id, merchant, name, sandbox, created_at,
                success_callback_url, fail_callback_url, success_redirect_uri, failure_redirect_uri, disabled_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            params![
                application.id,
                merchant,
                &application.name,
                application.sandbox,
                *created_at,
                urls.success_callback.as_deref(),
                urls.fail_callback.as_deref(),
                urls.success_redirect.as_deref(),
                urls.failure_redirect.as_deref(),
                *disabled_at
            ],
        )?;
        Ok(())
    }

    pub fn application_name_set(&mut self, id: ApplicationId, name: &str) -> Result<(), StoreError> {
        self.update_one("application", "UPDATE application SET name = $2 WHERE id = $1", params![id, name])
    }

    /// Disables an application, or enables it with `None`.
    pub fn application_disabled_set(
        &mut self,
        id: ApplicationId,
        disabled_at: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.update_one(
            "application",
            "UPDATE application SET disabled_at = $2 WHERE id = $1",
            params![id, disabled_at],
        )
    }

    pub fn application_urls_set(&mut self, id: ApplicationId, urls: &MerchantUrls) -> Result<(), StoreError> {
        self.execute(
            "UPDATE application SET success_callback_url = $2, fail_callback_url = $3,
                success_redirect_uri = $4, failure_redirect_uri = $5 WHERE id = $1",
            params![
                id,
                urls.success_callback.as_deref(),
                urls.fail_callback.as_deref(),
                urls.success_redirect.as_deref(),
                urls.failure_redirect.as_deref()
            ],
        )?;
        Ok(())
    }

    pub fn redirect_uri_list(&mut self, application: ApplicationId) -> Result<Vec<String>, StoreError> {
        self.query(
            "SELECT uri FROM application_redirect_uri WHERE application = $1 ORDER BY uri",
            params![application],
            |row| row.read(),
        )
    }

    pub fn redirect_uri_replace(
        &mut self,
        application: ApplicationId,
        uris: &[String],
    ) -> Result<(), StoreError> {
        self.execute("DELETE FROM application_redirect_uri WHERE application = $1", params![application])?;
        for uri in uris {
            self.execute(
                "INSERT INTO application_redirect_uri (application, uri) VALUES ($1, $2) ON CONFLICT DO NOTHING",
                params![application, uri],
            )?;
        }
        Ok(())
    }
}

fn application_record(row: &mut RowReader<'_>) -> Result<ApplicationRecord, StoreError> {
    Ok(ApplicationRecord {
        application: application(row)?,
        created_at: row.read()?,
        urls: MerchantUrls {
            success_callback: row.read()?,
            fail_callback: row.read()?,
            success_redirect: row.read()?,
            failure_redirect: row.read()?,
        },
        disabled_at: row.read()?,
    })
}

fn application(row: &mut RowReader<'_>) -> Result<Application, StoreError> {
    let id = row.read()?;
    let owner = match (row.read()?, row.read()?) {
        (Some(id), Some(currency)) => ApplicationOwner::Merchant { id, currency },
        _ => ApplicationOwner::ThirdParty,
    };
    Ok(Application { id, owner, name: row.read()?, sandbox: row.read()? })
}
